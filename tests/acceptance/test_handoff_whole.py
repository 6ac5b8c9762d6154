"""What the handoff document's agents say in another shape than it prints reaches whoever it is for, whole."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_handoff_returns import Desk
from tests.documents import ESCALATION


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    ("payload", "question", "context"),
    [
        ({"details": ["Which method?", "Which database?"]}, ["Which method?", "Which database?"], ["spec line 45"]),
        ({"details": {"question": "Which method?", "tried": ["JWT"]}}, ["Which method?", "JWT"], ["spec line 45"]),
        ({"context": {"file": "spec.md", "line": 45}}, ["Cannot determine auth method"], ["spec.md", "45"]),
        ({"recommendation": "JWT", "due": 3}, ["Cannot determine auth method"], ["recommendation: JWT", "due: 3"]),
        ({"context": ["spec line 45", "and 46"]}, ["Cannot determine auth method"], ["spec line 45", "and 46"]),
        ({"files": ["src/a.py", "src/b.py"]}, ["Cannot determine auth method"], ["files: src/a.py", "src/b.py"]),
        ({"commit": "abc999", "summary": "half is built"}, ["Cannot determine auth method"], ["abc999", "half is"]),
    ],
)
def test_an_escalation_is_put_before_a_person_whole(
    tmp_path: Path, payload: dict[str, Any], question: list[str], context: list[str]
) -> None:
    desk = Desk(tmp_path, "build")
    desk.says(json.dumps({**ESCALATION, "payload": {**ESCALATION["payload"], **payload}}))
    (asked,) = desk.moot("inbox")["questions"]
    assert all(words in asked["question"] for words in question)
    assert all(words in asked["context"] for words in ["spec_ambiguity", *context])


SECOND: dict[str, Any] = {"details": "Is logout in scope?", "options": ["yes", "no"], "blocking": False}
QUESTIONS = [
    {"question": "Cannot determine auth method", "options": ["JWT", "Session"], "blocking": False, "impact": "high"},
    {"question": "Is logout in scope?", "options": ["yes", "no"], "blocking": False},
]


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    "field",
    [
        {"escalations": [{**ESCALATION["payload"], "blocking": False}, SECOND]},
        {"escalations": [{**ESCALATION, "payload": {**ESCALATION["payload"], "blocking": False}}, SECOND]},
        {"questions": QUESTIONS},
        {"open_questions": QUESTIONS},
    ],
)
@pytest.mark.parametrize(
    ("column", "end", "now"),
    [
        ("build", {"status": "completed", "commit": "abc123"}, "review"),
        ("review", {"status": "needs_fixes", "issues": ["no salt"]}, "fix"),
    ],
)
def test_several_escalations_in_one_field_reach_the_person(
    tmp_path: Path, column: str, end: dict[str, Any], now: str, field: dict[str, Any]
) -> None:
    desk = Desk(tmp_path, column)
    assert desk.says(json.dumps({**end, **field}))["column"] == now
    (asked,) = desk.moot("inbox")["questions"]
    assert "Cannot determine auth method" in asked["question"] and "Is logout in scope?" in asked["question"]
    assert {"JWT", "Session", "yes", "no"} <= {one["option"] for one in asked["options"]}
    assert "questions" not in field or "impact: high" in asked["context"]


@pytest.mark.ledger("H-09")
def test_several_escalations_that_block_hold_the_item(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    item = desk.says(json.dumps({"status": "completed", "escalations": [ESCALATION["payload"]]}))
    assert (item["column"], item["status"]) == ("build", "awaiting-divine-guidance")


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize("beside", [{}, {"status": "completed", "commit": "abc123"}])
def test_whoever_goes_on_knows_what_a_person_was_asked(tmp_path: Path, beside: dict[str, Any]) -> None:
    desk = Desk(tmp_path, "build")
    payload = {**ESCALATION["payload"], "blocking": False}
    desk.says(json.dumps({**beside, "escalation": payload} if beside else {**ESCALATION, "payload": payload}))
    claimed = desk.claim("reviewer" if beside else "builder")
    (asked,) = claimed["brief"]["asked"]
    assert (asked["by"], asked["question"]) == ("builder", "Cannot determine auth method")
    assert asked["options"] == ["JWT", "Session", "OAuth"] and "spec line 45" in asked["context"]
    desk.moot("answer", "q1", "OAuth")
    desk.says('{"status": "needs_fixes", "issues": ["no salt"]}' if beside else '{"status": "completed"}')
    assert "asked" not in desk.claim("fixer" if beside else "reviewer")["brief"]


@pytest.mark.ledger("P-03", "R-32")
@pytest.mark.parametrize("empty", [{"severity": "high"}, {"severity": "high", "file": "src/a.py", "line": 3}])
def test_an_issue_without_words_is_asked_back(tmp_path: Path, empty: dict[str, Any]) -> None:
    desk = Desk(tmp_path, "review")
    listed = [empty, {"severity": "low", "issue": "typo in the docs"}]
    refused = desk.tries(json.dumps({"status": "needs_fixes", "issues": listed}))
    assert refused.code == 2 and "a finding (high" in refused.err and "has no words" in refused.err
    listed[0] = {**empty, "recommendation": "add a salt"}
    assert desk.says(json.dumps({"status": "needs_fixes", "issues": listed}))["column"] == "fix"


@pytest.mark.ledger("H-09", "R-22")
@pytest.mark.parametrize("beside", [{"iteration": 2}, {"result": {"spec": "specs/a.md"}}])
def test_an_approval_beside_an_escalation_that_blocks_does_not_land(tmp_path: Path, beside: dict[str, Any]) -> None:
    desk = Desk(tmp_path, "review")
    item = desk.says(json.dumps({"status": "approved", **beside, "escalation": ESCALATION["payload"]}))
    assert (item["column"], item["status"]) == ("review", "awaiting-divine-guidance")
    (asked,) = desk.moot("inbox")["questions"]
    assert asked["question"] == "Cannot determine auth method"


@pytest.mark.ledger("H-01", "H-04")
def test_a_handoff_beside_a_status_and_its_iteration_is_sent(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    request = {"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"watch": "the cache path"}}
    desk.says(json.dumps({"status": "completed", "iteration": 1, "handoff": request}))
    (handed,) = [one for one in desk.claim("reviewer")["brief"]["messages"] if one["type"] == "review_request"]
    assert handed["payload"] == {"watch": "the cache path"}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "field",
    [
        {"questions": [{"question": "Which library?", "answer": "requests"}]},
        {"questions": [{"question": "Which library?", "status": "resolved"}]},
        {"escalation": "No escalation was necessary"},
        {"escalations": []},
        {"escalation": "none needed"},
    ],
)
def test_what_was_answered_or_is_none_asks_nobody(tmp_path: Path, field: dict[str, Any]) -> None:
    desk = Desk(tmp_path, "build")
    assert desk.says(json.dumps({"status": "completed", "commit": "abc123", **field}))["column"] == "review"
    assert desk.moot("show", "1")["questions"] == []


@pytest.mark.ledger("R-32")
def test_an_escalation_in_plain_words_beside_a_result_is_asked_back(tmp_path: Path) -> None:
    words = "Cannot determine auth method: JWT or Session?"
    refused = Desk(tmp_path, "build").tries(json.dumps({"status": "completed", "escalation": words}))
    assert refused.code == 2 and words in refused.err and "report asks" in refused.err


@pytest.mark.ledger("H-01")
def test_a_return_says_what_the_work_is_as_a_handoff_does(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "plan")
    item = desk.says('{"status": "completed", "spec": "specs/a.md", "priority": "high", "workflow": "bugfix"}')
    assert (item["priority"], item["type"]) == ("high", "bugfix")
    desk.claim("builder")
    assert desk.says('{"status": "completed", "commit": "abc123", "priority": "low"}')["priority"] == "high"


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize(("told", "kind"), [("bugfix", "bugfix"), ("hotfix", "feature"), (["bugfix"], "feature")])
def test_the_workflow_in_the_context_of_a_return_is_the_items(tmp_path: Path, told: Any, kind: str) -> None:
    desk = Desk(tmp_path, "plan")
    said = {"status": "completed", "spec": "specs/a.md", "context": {"workflow": told, "iteration": 1}}
    assert desk.says(json.dumps(said))["type"] == kind
    assert desk.moot("messages")["messages"][-1]["context"]["workflow"] == kind


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("text", ["{status: needs_fixes, issues: two}", '{"status": "needs_fixes", "issues": "Two"}'])
def test_a_number_in_words_is_a_number(tmp_path: Path, text: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(text)
    assert said.code == 2 and "it says 2 issues, and tells none" in said.err


@pytest.mark.ledger("P-05")
@pytest.mark.parametrize("name", ["kind", "type", "category"])
def test_a_critical_finding_that_is_called_security_asks_a_person(tmp_path: Path, name: str) -> None:
    desk = Desk(tmp_path, "review")
    issue = {"severity": "critical", name: "security", "issue": "the query is built from what users write"}
    assert desk.says(json.dumps({"status": "needs_fixes", "issues": [issue]}))["status"] == "awaiting-divine-guidance"


@pytest.mark.ledger("H-04", "R-13")
def test_what_the_fixer_says_of_each_finding_is_told_to_the_reviewer(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "review")
    places = [{"file": "auth.py", "line": 1, "issue": "no salt"}, {"file": "auth.py", "line": 3, "issue": "no limit"}]
    desk.says(json.dumps({"status": "needs_fixes", "findings": places}))
    desk.claim("fixer")
    answers = [{"status": "fixed", "fix": "bcrypt"}, {"status": "wont_fix", "note": "the proxy limits"}]
    found = [{**place, **answer} for place, answer in zip(places, answers, strict=True)]
    assert desk.says(json.dumps({"status": "fixes_applied", "findings": found}))["column"] == "review"
    told = [found["wordings"] for found in desk.claim("reviewer")["brief"]["findings"]]
    assert told == [["fixer: mended: fixed: bcrypt"], ["fixer: status: wont_fix; note: the proxy limits"]]
