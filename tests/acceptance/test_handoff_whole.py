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
