"""What a quest's failure said reaches whoever splits again, and those who go on from there; what was decided about a
conflict reaches the tasks (Q-06, Q-08, Q-10)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board

View = dict[str, Any]
SPLIT = {
    "codeweaver-1": {"task": "User can register", "files": ["src/reg.ts"]},
    "codeweaver-2": {"task": "User can reset", "files": ["src/reset.ts"]},
    "sharedTypes": {"AuthResult": "{ok: boolean, userId: number}"},
}
FAILED = {
    "agentType": "codeweaver",
    "status": "failed",
    "task": "User can register",
    "output": {"filesCreated": ["src/reg.ts"]},
    "report": "Context exhaustion. PARTIAL: validation is done, STOP at the mail",
    "blockers": "BLK mail needs a token lifetime",
    "recommendations": "RECO split into form and mail",
    "retro": "",
}
FAILURE = ("PARTIAL", "STOP", "BLK", "RECO")
ASKS = {"outcome": "asks", "question": {"question": "How long do tokens live?", "options": ["1 hour", "1 day"]}}
DELEGATES = {
    "decision": "delegate",
    "subAgents": [{"task": "analyze_existing_auth_patterns", "scope": "discovery_only"}],
}
BLOCKED = {"agentType": "pathseeker", "status": "blocked", "report": "looked", "blockers": "no access to the mailer"}


def split(folder: Path) -> Moot:
    moot = new_board(folder, "quest")
    moot("add", "Quest Q", "--body", "-", stdin="User request: auth")
    moot.speak("pathseeker", SPLIT)
    return moot


def tells(claim: View, *words: str) -> bool:
    brief = json.dumps(claim["brief"])
    return all(word in brief for word in words)


@pytest.mark.ledger("Q-08")
def test_after_a_question_the_next_pathseeker_has_the_failure_in_hand(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.speak("codeweaver", FAILED)
    claim = moot("claim", "pathseeker")
    assert claim["item"]["id"] == "2" and tells(claim, *FAILURE)
    moot.hand_in(claim, json.dumps(ASKS))
    moot("answer", "q1", "1")
    claim = moot("claim", "pathseeker")
    assert claim["item"]["id"] == "2" and tells(claim, *FAILURE, "1 hour")


@pytest.mark.ledger("Q-08", "Q-09")
def test_after_a_delegation_sub_agent_and_pathseeker_have_the_failure_in_hand(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.speak("codeweaver", FAILED)
    moot.speak("pathseeker", DELEGATES)
    claim = moot("claim", "pathseeker")
    assert claim["item"]["kind"] == "sub" and tells(claim, *FAILURE)
    moot.hand_in(claim, json.dumps({"agentType": "pathseeker", "status": "complete", "report": "uses passport"}))
    claim = moot("claim", "pathseeker")
    assert claim["item"]["id"] == "2" and tells(claim, *FAILURE, "uses passport")


@pytest.mark.ledger("Q-08")
def test_after_a_blocked_pathseeker_the_failure_is_still_told(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.speak("codeweaver", FAILED)
    moot.speak("pathseeker", BLOCKED)
    moot("answer", "q1", "1")
    claim = moot("claim", "pathseeker", "--item", "2")
    assert tells(claim, *FAILURE, "no access to the mailer")


@pytest.mark.ledger("Q-08", "Q-10")
def test_tasks_of_a_new_split_go_on_from_what_was_left_and_know_the_quest(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.speak("codeweaver", FAILED)
    again = {
        "codeweaver-1": {"task": "Finish form", "files": ["src/reg.ts"]},
        "codeweaver-2": {"task": "Send mail", "files": ["src/mail.ts"], "dependsOn": ["codeweaver-1"]},
    }
    moot.speak("pathseeker", again)
    claim = moot("claim", "codeweaver", "--item", "4")
    assert tells(claim, *FAILURE, "User request: auth")
    moot.hand_in(claim, json.dumps({"status": "complete", "report": "form is whole"}))
    claim = moot("claim", "codeweaver", "--item", "5")
    assert tells(claim, "STOP at the mail", "User request: auth", "form is whole")


@pytest.mark.ledger("Q-08")
def test_what_was_taken_up_is_told_no_more(tmp_path: Path) -> None:
    moot = split(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "2")
    moot.hand_in(claim, json.dumps({"status": "incomplete", "report": "PARTIAL form", "nextSteps": "mail"}))
    claim = moot("claim", "codeweaver", "--item", "2")
    assert tells(claim, "PARTIAL form")
    moot.hand_in(claim, json.dumps({"status": "complete", "report": "all there"}))
    moot.speak("codeweaver", {"status": "complete", "report": "reset works"})
    moot.effort("ward", "done")
    assert not tells(moot("claim", "lawbringer"), "unfinished")


CONFLICT = {
    **FAILED,
    "report": "AuthResult.userId must be a string (uuid)",
    "blockers": "Integration conflict: userId number vs uuid",
    "recommendations": "",
}
DECIDED: View = {
    "agentType": "pathseeker",
    "status": "complete",
    "task": "Quest Q",
    "output": {
        "filesCreated": [],
        "filesModified": [],
        "interfaces": ["AuthResult {ok: boolean, userId: string}"],
        "integrationPoints": ["routes/auth.ts: mount registration first"],
    },
    "sharedTypes": {"AuthResult": "{ok: boolean, userId: string}"},
    "report": "AuthResult.userId is a string from now on",
    "blockers": "none",
    "recommendations": "reset must convert its ids",
    "retro": "",
}
SAID = {
    "both": DECIDED,
    "shared types": {**DECIDED, "output": {**DECIDED["output"], "interfaces": []}},
    "interfaces": {name: value for name, value in DECIDED.items() if name != "sharedTypes"},
    "interfaces by name": {
        **{name: value for name, value in DECIDED.items() if name != "sharedTypes"},
        "output": {**DECIDED["output"], "interfaces": {"AuthResult": "{ok: boolean, userId: string}"}},
    },
    "in the output": {
        **{name: value for name, value in DECIDED.items() if name != "sharedTypes"},
        "output": {**DECIDED["output"], "interfaces": [], "sharedTypes": DECIDED["sharedTypes"]},
    },
}


@pytest.mark.ledger("Q-06", "R-24")
@pytest.mark.parametrize("said", SAID.values(), ids=SAID.keys())
def test_what_a_pathseeker_decides_about_a_conflict_reaches_the_tasks(tmp_path: Path, said: View) -> None:
    moot = split(tmp_path)
    first, second = moot("claim", "codeweaver"), moot("claim", "codeweaver")
    moot.hand_in(first, json.dumps(CONFLICT))
    item = moot.speak("pathseeker", said)
    assert item["contracts"] == [{"name": "AuthResult", "text": "{ok: boolean, userId: string}"}]
    assert not item["kept"], "what acted is not said to be without effect"
    claim = moot("claim", "codeweaver", "--item", "2")
    assert claim["brief"]["constraints"]["contracts"] == item["contracts"]
    assert tells(claim, "a string from now on", "mount registration first", "convert its ids")
    again = moot.hand_in(second, json.dumps({"status": "complete", "report": "reset works with a number"}))
    assert again["status"] == "ready" and "the contract AuthResult was changed" in again["why"]
    assert tells(moot("claim", "codeweaver", "--item", "3"), "userId: string", "convert its ids")


@pytest.mark.ledger("Q-06")
def test_interfaces_of_a_codeweaver_change_no_contract(tmp_path: Path) -> None:
    moot = split(tmp_path)
    said = {"status": "complete", "report": "made", "output": {"interfaces": ["AuthResult {ok: boolean}"]}}
    moot.speak("codeweaver", said)
    assert moot("show", "1")["contracts"] == [{"name": "AuthResult", "text": "{ok: boolean, userId: number}"}]


@pytest.mark.ledger("Q-11")
def test_who_is_blocked_is_so_because_of_the_blocker(tmp_path: Path) -> None:
    moot = split(tmp_path)
    item = moot.speak(
        "codeweaver", {**FAILED, "status": "blocked", "report": "Naming is consistent", "recommendations": ""}
    )
    assert "codeweaver is stuck: BLK mail needs a token lifetime" in item["why"]


SHARED = {
    "sharedTypes": {"User interface": "defined by Pathseeker", "AuthResult type": "defined by Pathseeker"},
    "integrationPoints": {"auth routes": "registration + login both modify routes/auth.ts"},
}


@pytest.mark.ledger("Q-06", "R-32")
def test_what_tasks_share_in_a_refused_report_is_joined_with_the_next(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    moot("add", "Quest Q")
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, SHARED)
    assert said.error == "report_refused" and "contracts and integration points are kept" in said.err
    item = moot.hand_in(claim, json.dumps({name: task for name, task in SPLIT.items() if name != "sharedTypes"}))
    assert [one["name"] for one in item["contracts"]] == ["User interface", "AuthResult type"]
    assert item["integration_points"] == SHARED["integrationPoints"]
    assert tells(moot("claim", "codeweaver"), "AuthResult type", "routes/auth.ts")


@pytest.mark.ledger("Q-07", "R-32")
@pytest.mark.parametrize("task", ["User can reset", "user can reset", "#3", "3", "codeweaver-2", "Codeweaver 2"])
def test_a_report_of_another_open_task_is_asked_back(tmp_path: Path, task: str) -> None:
    moot = split(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "2")
    said = {"agentType": "codeweaver", "status": "complete", "task": task, "report": "Password reset works"}
    refused = moot.try_in(claim, said)
    assert refused.error == "report_refused" and "which is item 3" in refused.err
    assert moot.hand_in(claim, json.dumps({**said, "task": "User can register"}))["status"] == "done"


@pytest.mark.ledger("Q-07", "R-32")
def test_a_report_that_is_signed_with_the_key_of_another_open_task_is_asked_back(tmp_path: Path) -> None:
    moot = split(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "2")
    said = {"agentType": "codeweaver-2", "status": "complete", "report": "Password reset works"}
    refused = moot.try_in(claim, said)
    assert refused.error == "report_refused" and "which is item 3" in refused.err
    assert moot.hand_in(claim, json.dumps({**said, "agentType": "Codeweaver-1"}))["status"] == "done"


@pytest.mark.parametrize(
    "task", ["User can register", "2", "codeweaver-1", "register form", "original_task_definition", ""]
)
def test_a_task_in_other_words_is_this_one(tmp_path: Path, task: str) -> None:
    moot = split(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "2")
    assert moot.hand_in(claim, json.dumps({"status": "complete", "task": task, "report": "works"}))["status"] == "done"


def conflicting(folder: Path) -> tuple[Moot, View]:
    moot = split(folder)
    moot.speak("codeweaver", CONFLICT)
    return moot, moot("claim", "pathseeker")


@pytest.mark.ledger("Q-08", "R-24")
def test_the_same_tasks_again_are_asked_back(tmp_path: Path) -> None:
    moot, claim = conflicting(tmp_path)
    said = moot.try_in(claim, {**SPLIT, "sharedTypes": {"AuthResult": "{ok: boolean, userId: string}"}})
    assert said.error == "report_refused" and "instead of it, or besides?" in said.err and "item 2" in said.err
    assert len(moot("list")["items"]) == 3


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize("word", ["2", "#2", "task 2", 2, ["2"], "User can register"])
def test_a_task_that_is_replaced_is_not_worked_on(tmp_path: Path, word: Any) -> None:
    moot, claim = conflicting(tmp_path)
    tasks = [
        {"id": "form", "title": "Register form", "files": ["src/reg.ts"], "replaces": word},
        {"id": "mail", "title": "Register mail", "files": ["src/mail.ts"]},
    ]
    said = {"agentType": "pathseeker", "status": "complete", "report": "anew", "tasks": tasks}
    item = moot.hand_in(claim, json.dumps(said))
    assert (item["column"], item["status"]) == ("weave", "waiting")
    assert moot("show", "2")["status"] == "cancelled"
    for number in "345":
        claim = moot("claim", "codeweaver", "--item", number)
        moot.hand_in(claim, json.dumps({"status": "complete", "report": "made"}))
    assert moot("show", "1")["status"] == "proving"


@pytest.mark.ledger("Q-08", "R-32")
def test_cancel_beside_the_tasks_is_understood_or_asked_back(tmp_path: Path) -> None:
    moot, claim = conflicting(tmp_path)
    tasks = [{"id": "form", "title": "Register form", "files": ["src/form.ts"]}]
    said = {"agentType": "pathseeker", "status": "complete", "report": "anew", "tasks": tasks}
    refused = moot.try_in(claim, {**said, "cancel": ["codeweaver-9"]})
    assert refused.error == "report_refused" and "no open task is called that" in refused.err
    moot.hand_in(claim, json.dumps({**said, "cancel": ["2"]}))
    assert [moot("show", one)["status"] for one in "234"] == ["cancelled", "ready", "ready"]


LOOKED: View = {"agentType": "pathseeker", "status": "complete", "report": "The rest fits"}


@pytest.mark.ledger("Q-08", "R-24")
def test_who_looks_at_the_whole_cancels_a_task_without_a_new_one(tmp_path: Path) -> None:
    moot, claim = conflicting(tmp_path)
    refused = moot.try_in(claim, {**LOOKED, "cancel": ["codeweaver-9"]})
    assert refused.error == "report_refused" and "no open task is called that" in refused.err
    refused = moot.try_in(claim, {**LOOKED, "cancel": ["codeweaver-1", "codeweaver-2"]})
    assert refused.error == "report_refused" and "every task that is open" in refused.err
    told = moot.hand_in(claim, json.dumps({**LOOKED, "cancel": ["codeweaver-2"]}))
    assert [one["what"] for one in told["acted"]] == ["cancel"] and told["kept"] == []
    assert [moot("show", one)["status"] for one in "23"] == ["ready", "cancelled"]
    moot.speak("codeweaver", {"status": "complete", "report": "made"})
    assert moot("show", "1")["status"] == "proving"


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    "said",
    [
        {"dependencies": {"codeweaver-2": ["codeweaver-1"]}},
        {"output": {"executionOrder": ["codeweaver-2", "codeweaver-1"]}},
        {"fileOwnership": {"codeweaver-2": ["src/reset.ts", "src/token.ts"]}},
        {"report": "codeweaver-2 must run after codeweaver-1 from now on"},
        {"report": "codeweaver-2 is obsolete now"},
        {"recommendations": "Cancel codeweaver-2"},
    ],
)
def test_what_would_change_tasks_that_are_there_and_does_not_is_asked_back(tmp_path: Path, said: View) -> None:
    moot, claim = conflicting(tmp_path)
    refused = moot.try_in(claim, {**LOOKED, **said})
    assert refused.error == "report_refused" and "replaces" in refused.err
    words = "Do not cancel codeweaver-2: it is independent of codeweaver-1"
    assert moot.hand_in(claim, json.dumps({**LOOKED, "report": words}))["status"] == "waiting"


@pytest.mark.ledger("Q-08")
def test_a_task_besides_an_open_one_on_the_same_files_is_made(tmp_path: Path) -> None:
    moot, claim = conflicting(tmp_path)
    task = {"id": "form", "title": "Register form", "files": ["src/reg.ts"], "besides": True}
    moot.hand_in(claim, json.dumps({"agentType": "pathseeker", "status": "complete", "report": "r", "tasks": [task]}))
    assert moot("show", "4")["title"] == "Register form" and moot("show", "2")["status"] == "ready"


@pytest.mark.ledger("Q-11")
def test_what_the_last_run_recommends_is_shown(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.speak("codeweaver", {"status": "complete", "report": "made", "recommendations": "RECO add a session store"})
    assert "RECO add a session store" in moot.process_text("show", "2")
