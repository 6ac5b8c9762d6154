"""A quest report that says `complete` and, somewhere else in it, the opposite is asked back (Q-07, R-32)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_quest import decomposed, quest
from tests.acceptance.test_quest_words import reviewed
from tests.documents import SUB_AGENTS, TASKS

View = dict[str, Any]
COMPLETE: View = {"agentType": "codeweaver", "status": "complete", "report": "Registration works"}
FAILED: View = {"agentType": "codeweaver", "status": "failed", "report": "The mail service is missing"}


@pytest.mark.ledger("Q-07", "R-32")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"report": {"status": "failed", "summary": "the mail is broken"}}, "its status says 'failed'"),
        ({"output": {"status": "blocked"}}, "its status says 'blocked'"),
        ({"complete": False}, "its complete says no"),
        ({"success": "false"}, "its success says no"),
        ({"output": {"testsPassing": False}}, "its testsPassing says no"),
        ({"nextSteps": {"blockers": ["no mail account"]}}, "it names a blocker ('no mail account')"),
        ({"nextSteps": "Blocked: no mail account"}, "it names a blocker ('no mail account')"),
        ({"escapeHatch": "Context window approaching limits"}, "is a reason to stop"),
        ({"report": "I could not finish the mail"}, "its words say 'I could not finish the mail'"),
        ({"report": "Ran out of context before the tests"}, "its words say 'Ran out of context"),
        ({"report": "Half of the task is done"}, "its words say 'Half of the task is done'"),
    ],
)
def test_complete_beside_its_opposite_is_asked_back(tmp_path: Path, said: View, words: str) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    refused = moot.try_in(claim, {**COMPLETE, **said})
    assert refused.code == 2 and words in json.loads(refused.err)["error"]["message"]
    agrees = {"complete": True, "output": {"testsPassing": True}, "nextSteps": "Blockers: none", "escapeHatch": "none"}
    assert moot.hand_in(claim, json.dumps({**COMPLETE, **agrees}))["status"] == "done"


@pytest.mark.ledger("Q-08", "Q-10")
def test_the_failure_analysis_says_why_it_stopped(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    said = {"status": "failed", "report": "It stopped", "failureAnalysis": "Integration conflict: User has no mail"}
    assert moot.speak("codeweaver", said)["runs"][-1]["cause"] == "integration"
    assert moot("show", "1")["column"] == "discover"


@pytest.mark.ledger("Q-09", "R-32")
def test_sub_agents_without_the_decision_are_asked_back_and_so_is_an_order_of_them(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = {
        "agentType": "pathseeker",
        "status": "complete",
        "report": "Too large",
        "subAgents": SUB_AGENTS["subAgents"],
    }
    refused = moot.try_in(claim, said)
    assert refused.error == "report_refused" and "it asks for help" in refused.err
    first, second = SUB_AGENTS["subAgents"]
    ordered = [{"id": "a", **first}, {**second, "dependsOn": ["a"]}]
    refused = moot.try_in(claim, {"decision": "delegate", "subAgents": ordered})
    assert refused.error == "unreadable_report" and "sub-agents look at the same time" in refused.err


@pytest.mark.ledger("Q-02", "R-22")
@pytest.mark.parametrize(
    "said",
    [
        {"status": "complete", "report": "The codeweaver must rename User in reset.ts before this can go on."},
        {"status": "failed", "report": "One", "issues": [{"severity": "high", "file": "a.ts", "issue": "no expiry"}]},
    ],
)
def test_a_review_that_may_ask_for_changes_is_asked_back(tmp_path: Path, said: View) -> None:
    moot = reviewed(tmp_path)
    refused = moot.try_in(moot("claim", "lawbringer"), {"agentType": "lawbringer", **said})
    assert refused.error == "report_refused" and "which holds?" in refused.err and "changes_requested" in refused.err


@pytest.mark.ledger("Q-08", "R-16")
@pytest.mark.parametrize("name", ["questions", "openQuestions", "questionsForUser"])
def test_questions_are_asked_and_none_is_none(tmp_path: Path, name: str) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    refused = moot.try_in(claim, {**COMPLETE, name: ["How long do tokens live?"]})
    assert refused.error == "report_refused" and "it asks a person" in refused.err
    assert moot.hand_in(claim, json.dumps({**COMPLETE, name: ["none"]}))["status"] == "done"
    said = {"status": "blocked", "report": "A decision is missing", name: ["How long do tokens live?", "Which hash?"]}
    moot.speak("codeweaver", said)
    assert [one["question"] for one in moot("inbox")["questions"]] == ["How long do tokens live?\nWhich hash?"]


@pytest.mark.ledger("Q-06", "Q-12", "R-32")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"ward": {"task": "run ward:all"}}, "ward is a check that runs by itself"),
        ({"mutuallyExclusive": [["codeweaver-1", "codeweaver-2"]]}, "`mutuallyExclusive`"),
        ({"codeweaver-2": {**TASKS["codeweaver-2"], "conflictsWith": "codeweaver-1"}}, "`conflictsWith`"),
    ],
)
def test_what_a_split_cannot_mean_is_asked_back(tmp_path: Path, said: View, words: str) -> None:
    moot = quest(tmp_path)
    refused = moot.try_in(moot("claim", "pathseeker"), {**TASKS, **said})
    assert refused.code == 2 and words in json.loads(refused.err)["error"]["message"]


@pytest.mark.ledger("Q-07", "R-32")
def test_an_earlier_report_below_ones_own_is_asked_for_and_counts_only_where_it_is_meant(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    own, other = (f"```json\n{json.dumps(one)}\n```" for one in (COMPLETE, FAILED))
    refused = moot.try_in(claim, f"{own}\n\nThe attempt before mine had reported:\n\n{other}\n")
    assert (refused.code, refused.error) == (2, "report_refused") and "quote it with `> `" in refused.err
    quoted = "\n".join(f"> {line}" for line in other.splitlines())
    item = moot.hand_in(claim, f"{own}\n\nThe attempt before mine had reported:\n\n{quoted}\n")
    assert (item["status"], item["failure_count"]) == ("done", 0)


@pytest.mark.ledger("Q-08", "R-32")
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"status": "failed", "trigger": "Context window approaching limits", "failureAnalysis": "6 files"}, "6 files"),
        ({"status": "blocked", "output": {}, "nextSteps": "the password service of the other task"}, "the password"),
        (
            {
                "status": "failed",
                "escapeHatch": {"trigger": "Context window approaching limits", "failureAnalysis": "6 files"},
            },
            "6 files",
        ),
    ],
)
def test_why_it_stopped_is_said_wherever_the_report_says_it(tmp_path: Path, said: View, why: str) -> None:
    moot = decomposed(tmp_path)
    item = moot.speak("codeweaver", {"agentType": "codeweaver", **said})
    assert why in item["why"] and "no words were given" not in item["why"]


@pytest.mark.ledger("Q-13")
def test_a_red_ward_that_prints_its_output_only_says_that(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    for _ in range(2):
        moot.speak("codeweaver", {**COMPLETE, "output": {}})
    item = moot.speak("ward", {"status": "failed", "output": "registers twice: 500\nin src/auth"})
    assert "ward is red: registers twice: 500" in item["why"]
    assert "in src/auth" in item["findings"][0]["issue"] and "no words" not in item["findings"][0]["issue"]
