"""What the roles of a quest say in words of their own is kept, and means what it says, in the document's own forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_quest import LONG_REPORT, decomposed, green, quest
from tests.documents import SUB_AGENTS

View = dict[str, Any]
COMPLETE = {"status": "complete", "output": "src/auth/registration.ts", "report": "form built"}
AGAINST = """\
But the task is NOT complete: two tests are red.
Blockers: the SMTP server refuses our mails.
Retro: the fixture saves time
"""
BESIDE = {
    "behind": "{}\n\nX",
    "before": "X\n\n{}",
    "behind a fence": "```json\n{}\n```\n\nX",
    "before a fence": "X\n\n```json\n{}\n```",
    "on its line": "{} X",
}
FORMS: dict[str, View] = {
    "short": COMPLETE,
    "ours": {"outcome": "done", "summary": "form built"},
    "a message": {"type": "completion", "payload": {"status": "completed", "summary": "form built"}},
    "the handoff's": {"status": "completed", "commit": "abc123"},
}


@pytest.mark.ledger("Q-07", "R-32")
@pytest.mark.parametrize("around", BESIDE.values(), ids=BESIDE.keys())
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_words_beside_the_json_that_say_the_opposite_are_asked_back(tmp_path: Path, form: View, around: str) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    said = moot.try_in(claim, around.replace("{}", json.dumps(form)).replace("X", AGAINST))
    assert (said.code, said.error) == (2, "report_refused"), said.out
    assert "the task is NOT complete" in said.err
    assert moot("show", "2")["status"] == "running"


@pytest.mark.ledger("Q-07", "Q-13")
@pytest.mark.parametrize("around", BESIDE.values(), ids=BESIDE.keys())
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_words_beside_the_json_are_kept(tmp_path: Path, form: View, around: str) -> None:
    moot = decomposed(tmp_path)
    words = "The mailer was slow to set up.\nRetro: the fixture saves time\nNext steps: wire the route"
    claim = moot("claim", "codeweaver")
    item = moot.hand_in(claim, around.replace("{}", json.dumps(form)).replace("X", words))
    said = item["runs"][0]["report"]
    assert item["status"] == "done"
    assert "The mailer was slow to set up." in json.dumps(said)
    if not around.endswith("{} X"):  # there the label stands in the middle of a line
        assert (said["lessons"], said["next_steps"]) == (["the fixture saves time"], ["wire the route"])
    assert any("slow to set up" in one["said"] for one in item["kept"]), "whoever reports is answered"


@pytest.mark.ledger("Q-13")
def test_a_retro_behind_a_fenced_decomposition_is_a_lesson(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    tasks = {
        "codeweaver-1": {"task": "Register", "files": ["a.ts"]},
        "codeweaver-2": {"task": "Reset", "files": ["b.ts"]},
    }
    moot.speak("pathseeker", f"```json\n{json.dumps(tasks)}\n```\n\nRetro: quests need a scope")
    assert [one["text"] for one in moot("lessons")["lessons"]] == ["quests need a scope"]
    assert moot("claim", "codeweaver")["item"]["title"] == "Register"


@pytest.mark.ledger("R-22")
def test_a_finding_in_words_behind_an_approval_is_weighed(tmp_path: Path) -> None:
    moot = reviewed(tmp_path)
    claim = moot("claim", "lawbringer")
    said = json.dumps({"status": "complete", "report": "consistent"})
    item = moot.hand_in(claim, f"{said}\n\n## Issues Found\n- High: src/auth/registration.ts:3 plain text token\n")
    assert item["column"] == "weave" and item["findings"][0]["severity"] == "high"


CHATTY = [
    "Three tests failed at first, so I mended the parser. All tests pass now.",
    "It handles incomplete input, and tells when the form is not finished.",
    "No tests are failing.",
    "I am done.",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("words", CHATTY)
def test_a_story_of_how_it_went_is_no_contradiction(tmp_path: Path, words: str) -> None:
    moot = decomposed(tmp_path)
    assert moot.speak("codeweaver", f"{words}\n\n{json.dumps(COMPLETE)}")["status"] == "done"


def reviewed(folder: Path) -> Moot:
    """A quest whose tasks are done, before its review."""
    moot = decomposed(folder)
    moot.speak("codeweaver", COMPLETE)
    moot.speak("codeweaver", LONG_REPORT)
    green(moot)
    return moot


@pytest.mark.ledger("Q-11", "R-32")
def test_complete_beside_a_blocker_is_asked_back(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    said = moot.try_in(claim, {**COMPLETE, "blockers": "there is no session store"})
    assert said.error == "report_refused" and "which holds?" in said.err and "there is no session store" in said.err
    assert moot.hand_in(claim, json.dumps({**COMPLETE, "blockers": "none"}))["status"] == "done"


NOTHING = [
    "none",
    "None",
    "N/A",
    "n/a",
    "-",
    "nothing",
    "null",
    "No insights",
    "Nothing to add.",
    "no blockers",
    "",
    None,
]


@pytest.mark.ledger("Q-13")
@pytest.mark.parametrize("word", NOTHING)
def test_none_is_no_lesson_no_step_and_no_blocker(tmp_path: Path, word: str | None) -> None:
    moot = decomposed(tmp_path)
    fields = dict.fromkeys(("nextSteps", "retro", "blockers", "recommendations"), word)
    said = moot.speak("codeweaver", {**COMPLETE, **fields})["runs"][0]["report"]
    assert not {"lessons", "next_steps", "blockers"} & said.keys()
    assert moot("lessons")["lessons"] == []
    moot.effort("codeweaver", "done", lessons=[word or "none"], next_steps=[word or "-"], blockers=word)
    assert moot("lessons")["lessons"] == []


@pytest.mark.ledger("Q-09", "Q-13")
def test_a_retro_beside_a_delegation_is_a_lesson(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**SUB_AGENTS, "report": "Too big to map myself", "retro": "quests without a scope cost"})
    assert [one["text"] for one in moot("lessons")["lessons"]] == ["quests without a scope cost"]


FIXED: list[View] = [
    {"status": "fixed", "fix": "hashed with argon2"},
    {"status": "Fixed"},
    {"status": "fixes_applied", "fix": "hashed with argon2"},
    {"fixed": True, "fix": "hashed with argon2"},
    {"fixed": "hashed with argon2"},
    {"resolved": True},
    {"resolution": "fixed in this run"},
    {"state": "resolved"},
]
OPEN: list[View] = [
    {"status": "open"},
    {"status": "not fixed"},
    {"status": "partially fixed"},
    {"fixed": False, "fix": "hash it"},
    {"resolution": "use argon2"},
    {"fix": "hash it"},
]
FOUND = {"severity": "high", "file": "src/auth/password-reset.ts", "issue": "plain text token"}
VERDICTS: dict[str, View] = {
    "quest": {"agentType": "lawbringer", "status": "complete", "report": "Found and fixed one issue"},
    "ours": {"outcome": "done", "summary": "Found and fixed one issue"},
}


@pytest.mark.ledger("Q-10", "R-22")
@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS.keys())
@pytest.mark.parametrize("mark", FIXED, ids=str)
def test_a_finding_that_is_marked_as_fixed_opens_nothing(tmp_path: Path, mark: View, verdict: View) -> None:
    moot = reviewed(tmp_path)
    item = moot.speak("lawbringer", {**verdict, "findings": [{**FOUND, **mark}]})
    assert (item["column"], item["status"]) == ("review", "proving")
    assert moot("show", "3")["status"] == "done"
    (found,) = item["findings"]
    assert found["remark"] and found["recommendation"] is None
    assert all(str(word) in found["fixed"] for word in mark.values() if isinstance(word, str))


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS.keys())
@pytest.mark.parametrize("mark", OPEN, ids=str)
def test_a_finding_that_is_not_fixed_is_open(tmp_path: Path, mark: View, verdict: View) -> None:
    moot = reviewed(tmp_path)
    claim, report = moot("claim", "lawbringer"), {**verdict, "findings": [{**FOUND, **mark}]}
    if "outcome" in verdict and mark.keys() & {"status", "resolution"}:  # no fields of ours: asked back by their names
        assert moot.try_in(claim, report).error == "unreadable_report"
        return
    item = moot.hand_in(claim, json.dumps(report))
    assert item["column"] == "weave" and moot("show", "3")["status"] == "ready"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("words", ["High: plain text token in a.ts (fixed)", "[FIXED] High: plain text token in a.ts"])
def test_a_finding_in_words_may_say_that_it_is_fixed(tmp_path: Path, words: str) -> None:
    moot = reviewed(tmp_path)
    item = moot.speak("lawbringer", {"status": "complete", "report": "one", "findings": [words]})
    assert (item["column"], item["status"]) == ("review", "proving")
    assert item["findings"][0]["fixed"].lower() == "fixed" and item["findings"][0]["severity"] == "high"


@pytest.mark.ledger("R-32")
def test_fixes_applied_beside_a_finding_that_may_be_open_is_asked_back(tmp_path: Path) -> None:
    moot = reviewed(tmp_path)
    claim = moot("claim", "lawbringer")
    said = moot.try_in(claim, {"status": "fixes_applied", "report": "one", "findings": [FOUND]})
    assert said.error == "report_refused" and "`status` of fixed" in said.err
