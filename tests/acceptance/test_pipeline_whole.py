"""What stands beside a question is before the person, what stands behind the Status is the form's, and a finding keeps
the name that it stands under."""

import json
from pathlib import Path
from typing import Any

import pytest

from folkmoot.briefs.facts import facts_told
from tests.acceptance.moot import Moot, Said, new_board
from tests.documents import FAILURES, SECURITY

View = dict[str, Any]
ASKS: View = {
    "type": "clarification_request",
    "from": "implementer",
    "question": "Should the feature support pagination?",
    "context": "The requirements mention 'list all items' but don't specify limits",
    "options": ["Add pagination (offset/limit)", "Add cursor-based pagination", "Return all items (no pagination)"],
}
COMPLETE = "## Summary\nFeature X built\n\n## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked\n\n"
COLUMNS = {"implementer": "implement", "reviewer": "review", "devils-advocate": "review", "test-executor": "test"}


def said(folder: Path, agent: str, words: str | View) -> tuple[Moot, Said]:
    moot = new_board(folder, "pipeline")
    moot("add", "Feature X with tests", "--column", COLUMNS[agent])
    return moot, moot.try_in(moot("claim", agent), words)


@pytest.mark.ledger("P-03", "R-26")
def test_what_stands_beside_a_question_is_before_the_person(tmp_path: Path) -> None:
    beside = {
        "summary": "half of the list is built",
        "recommendation": "Add cursor-based pagination",
        "estimates": {"offset": "2h", "cursor": "1 day"},
        "next_steps": ["wire the store"],
        "blocks_others": True,
    }
    moot, told = said(tmp_path, "implementer", {**ASKS, **beside})
    assert told.code == 0, told.err
    assert moot("inbox")["questions"][0]["context"].splitlines() == [
        ASKS["context"],
        "next steps:",
        "  - wire the store",
        "summary: half of the list is built",
        "recommendation: Add cursor-based pagination",
        "estimates: offset: 2h; cursor: 1 day",
        "blocks_others: true",
    ]


@pytest.mark.ledger("P-03", "R-26")
def test_a_form_around_a_question_is_before_the_person(tmp_path: Path) -> None:
    form = "## Summary\nThe list without limits is there\n\n## Next Steps\n- write tests for b.go\n\n"
    status = "## Status\n- [ ] Complete / [x] Needs follow-up / [ ] Blocked\n"
    moot, told = said(tmp_path, "implementer", f"```json\n{json.dumps(ASKS)}\n```\n\n{form}{status}")
    assert told.code == 0, told.err
    context = moot("inbox")["questions"][0]["context"]
    assert "The list without limits is there" in context and "write tests for b.go" in context


@pytest.mark.ledger("P-03", "R-26")
@pytest.mark.parametrize("more", [["Which limit?"], [{"question": "Which limit?"}], "Which limit?"])
def test_a_question_and_further_questions_are_all_asked(tmp_path: Path, more: Any) -> None:
    moot, told = said(tmp_path, "implementer", {**ASKS, "questions": more})
    assert told.code == 0, told.err
    question = moot("inbox")["questions"][0]
    assert question["question"] == f"{ASKS['question']}\nWhich limit?"
    assert [one["option"] for one in question["options"]] == ASKS["options"]


@pytest.mark.ledger("P-03", "R-26")
def test_an_option_of_one_of_several_questions_says_which_it_answers(tmp_path: Path) -> None:
    asked = [{"question": "Pagination?", "options": ["yes", "no"]}, {"question": "Which limit?", "options": ["10"]}]
    moot, _ = said(tmp_path, "implementer", {"type": ASKS["type"], "from": "implementer", "questions": asked})
    options = moot("inbox")["questions"][0]["options"]
    assert [one["option"] for one in options] == ["Pagination? yes", "Pagination? no", "Which limit? 10"]


@pytest.mark.ledger("P-09", "R-16")
@pytest.mark.parametrize(
    ("behind", "why"),
    [
        ("## Questions\n- Should it be paginated?\n", "Should it be paginated?"),
        ("## Remaining Work\n- the delete path\n", "Remaining Work: the delete path"),
        ("## Verified\nno\n", "its Verified says no"),
    ],
)
def test_what_takes_complete_back_is_asked_about_behind_the_status_as_before_it(
    tmp_path: Path, behind: str, why: str
) -> None:
    _, told = said(tmp_path, "implementer", COMPLETE + behind)
    assert told.code == 2 and why in told.err, told.err


@pytest.mark.ledger("P-09")
def test_a_red_test_behind_the_status_goes_to_the_reviewer_as_a_finding(tmp_path: Path) -> None:
    moot, told = said(tmp_path, "implementer", COMPLETE + "## Test Failures\n- TestA: expected 200, got 500\n")
    assert told.code == 0, told.err
    assert [one["test"] for one in moot("show", "1")["findings"]] == ["TestA"]


@pytest.mark.ledger("P-09")
def test_honest_words_behind_the_status_are_told_under_their_heading(tmp_path: Path) -> None:
    behind = "## How to test\n- run make test\n\n## Confidence\nHigh\n\n## For the reviewer\nLook at the lock first\n"
    moot, told = said(tmp_path, "implementer", COMPLETE + behind)
    assert told.code == 0, told.err
    extra = moot("show", "1")["runs"][0]["report"]["extra"]
    assert extra == {
        "How to test": ["run make test"],
        "Confidence": ["High"],
        "For the reviewer": ["Look at the lock first"],
    }


@pytest.mark.ledger("P-03")
def test_a_failure_under_the_name_of_its_test_keeps_that_name(tmp_path: Path) -> None:
    failed = FAILURES["failures"][0]
    for own in (failed, {"error": failed["error"]}):
        part = {name: value for name, value in own.items() if name != "test"}
        folder = tmp_path / str(len(own))
        folder.mkdir()
        moot, told = said(folder, "test-executor", {"type": "test_failures", "failures": {failed["test"]: part}})
        assert told.code == 0, told.err
        (found,) = moot("claim", "implementer")["brief"]["findings"]
        assert (found["test"], found["issue"]) == (failed["test"], failed["error"])
        assert found["file"] == ("tests/integration/feature_test.go" if "file" in part else None)


@pytest.mark.ledger("P-03")
def test_a_hole_under_a_name_keeps_that_name(tmp_path: Path) -> None:
    hole = {name: value for name, value in SECURITY["vulnerabilities"][0].items() if name != "type"}
    moot, told = said(tmp_path, "devils-advocate", {**SECURITY, "vulnerabilities": {"sql_injection": hole}})
    assert told.code == 0, told.err
    question = moot("inbox")["questions"][0]
    assert question["question"] == "A critical security finding: sql_injection"
    assert hole["exploit"] in question["context"]


@pytest.mark.ledger("P-03", "P-04")
@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("test-executor", {"type": "test_results", "status": "error", "reason": "docker is not installed"}),
        ("reviewer", {"type": "review_findings", "status": "blocked", "findings": [], "summary": "no build"}),
    ],
)
def test_whoever_could_not_come_to_a_verdict_is_shown_how_to_say_so(tmp_path: Path, agent: str, told: View) -> None:
    _, answer = said(tmp_path, agent, told)
    assert answer.code == 2 and answer.error == "unreadable_report"
    refused = json.loads(answer.err)["error"]
    assert '{"outcome": "failed", "cause": "environment"' in refused["message"]
    assert "missing" not in refused["message"] and "done" not in refused["hint"], "it is led to no approval"


@pytest.mark.ledger("P-03", "P-04")
def test_numbers_in_words_count(tmp_path: Path) -> None:
    counts = {"total": "ten", "passed": "eight", "failed": "two"}
    moot, told = said(tmp_path, "test-executor", {"type": "test_results", "status": "passed", "summary": counts})
    assert told.code == 0, told.err
    item = moot("show", "1")
    assert item["column"] == "implement" and item["tests"] == {"total": 10, "passed": 8, "failed": 2}


@pytest.mark.ledger("P-03")
def test_a_context_of_several_parts_is_told_in_words(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "pipeline")
    context = {"requirements": "requirements.md", "why": "asked by sales"}
    message = {"type": "task_assignment", "description": "Implement feature X", "context": context}
    moot("send", "-", "--as", "orchestrator", "--to", "implementer", stdin=json.dumps(message))
    assert moot("show", "1")["body"] == "Implement feature X\nrequirements: requirements.md; why: asked by sales"


@pytest.mark.ledger("P-09", "R-22")
def test_the_reviewer_is_not_told_to_leave_what_the_maker_itself_found(tmp_path: Path) -> None:
    form = COMPLETE.replace("## Status", "## Issues Found\n- High: no lock around services/user.go:123\n\n## Status")
    moot, told = said(tmp_path, "implementer", form)
    assert told.code == 0, told.err
    told_on = "\n".join(facts_told(moot("claim", "reviewer")["brief"]))
    assert "beside a `done`; by itself it asks for no change\n\n> 1. high (review), services/user.go:123" in told_on
