"""The pipeline document asks for messages in JSON and for a form at the end of every answer: both are one report."""

import json
from typing import Any

import pytest

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.together import BESIDE, SAID
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import CLARIFICATION, FAILURES, QUEST_LONG, RESULTS, REVIEW, SECURITY, SHARED, SUB_AGENTS, TASKS

View = dict[str, Any]
ENDING = """## Summary
Ran the integration tests.

## Changes Made
- handlers/feature.go: added a check

## Next Steps (if applicable)
- Look at the handler

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""
FOLLOW_UP = ENDING.replace("[x]", "[ ]").replace("[ ] Needs", "[x] Needs")
BLOCKED = ENDING.replace("[x]", "[ ]").replace("[ ] Blocked", "[x] Blocked")
SHORT = "## Status\nComplete\n"
SHAPES = {
    "bare": "{}\n\n{form}",
    "fenced": "```json\n{}\n```\n\n{form}",
    "with words between": "I ran them.\n\n```json\n{}\n```\n\nThat is all I found.\n\n{form}",
    "form first": "{form}\n```json\n{}\n```\n",
}
MESSAGES: dict[str, tuple[View, str]] = {
    "test_failures": (FAILURES, "changes_requested"),
    "review_findings": (REVIEW, "changes_requested"),
    "security_issues": (SECURITY, "changes_requested"),
    "clarification_request": (CLARIFICATION, "asks"),
    "test_results": ({**RESULTS, "status": "failed"}, "changes_requested"),
    "canonical": ({"outcome": "changes_requested", "findings": [{"issue": "x"}]}, "changes_requested"),
    "canonical question": ({"outcome": "asks", "question": {"question": "which?"}}, "asks"),
    "canonical dispute": ({"outcome": "disputed", "comments": [{"content": "wrong"}]}, "disputed"),
    "handoff": ({"status": "needs_fixes", "issues": REVIEW["findings"]}, "changes_requested"),
}


def said(message: View, form: str, shape: str) -> Report:
    return read_report(shape.replace("{form}", form).replace("{}", json.dumps(message, indent=1)))


@pytest.mark.ledger("P-03", "P-09")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("form", [ENDING, FOLLOW_UP, BLOCKED, SHORT], ids=["complete", "follow-up", "blocked", "short"])
@pytest.mark.parametrize(("message", "outcome"), MESSAGES.values(), ids=MESSAGES.keys())
def test_the_message_is_the_verdict_and_the_form_adds_to_it(message: View, outcome: str, form: str, shape: str) -> None:
    alone, both = read_report(json.dumps(message)), said(message, form, shape)
    assert both.outcome == outcome == alone.outcome
    assert (both.findings, both.tests, both.question, both.comments) == (
        (alone.findings, alone.tests, alone.question, alone.comments)
    )
    if form is not SHORT:
        assert both.files.modified == ["handlers/feature.go"] and both.next_steps == ["Look at the handler"]
        assert "Ran the integration tests." in (both.summary, both.extra.get("Summary"))


@pytest.mark.ledger("P-03", "P-09")
@pytest.mark.parametrize(
    ("message", "form", "outcome"),
    [
        ({**QUEST_LONG, "status": "blocked"}, BLOCKED, "stuck"),
        ({**QUEST_LONG, "status": "failed"}, FOLLOW_UP, "failed"),
        ({**QUEST_LONG, "status": "complete"}, ENDING, "done"),
        ({"agentType": "pathseeker", "status": "complete", "tasks": list(TASKS.values()), **SHARED}, ENDING, "split"),
        (SUB_AGENTS, FOLLOW_UP, "delegates"),
        (RESULTS, ENDING, "done"),
    ],
)
def test_a_quests_report_before_the_form(message: View, form: str, outcome: str) -> None:
    both = said(message, form, SHAPES["fenced"])
    assert both.outcome == outcome and both.files.modified[-1:] == ["handlers/feature.go"]


def test_what_a_role_returns_and_a_signal_go_before_the_form_too() -> None:
    assert read_report(f"Returns: {{status: needs_fixes, issues: 2}}\n\n{ENDING}").outcome == "changes_requested"
    asked = read_report(f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: which?\n\n{BLOCKED}")
    assert asked.outcome == "asks" and asked.question is not None and asked.question.question == "which?"


@pytest.mark.ledger("E-07", "P-03")
@pytest.mark.parametrize(("message", "outcome"), MESSAGES.values(), ids=MESSAGES.keys())
@pytest.mark.parametrize("words", ["TASK_INCOMPLETE", "TASK_INCOMPLETE: the handler is left"])
def test_a_message_to_others_is_not_lost_behind_task_incomplete(message: View, outcome: str, words: str) -> None:
    alone, both = read_report(json.dumps(message)), read_report(f"```json\n{json.dumps(message)}\n```\n\n{words}\n")
    assert both.outcome == outcome and (both.findings, both.question) == (alone.findings, alone.question)
    assert ("the handler is left" in (both.summary, both.extra.get("Summary"))) == ("left" in words)


def test_task_incomplete_takes_back_done_and_a_question_is_kept_for_who_only_says_asks() -> None:
    assert read_report('{"outcome": "done"}\n\nTASK_INCOMPLETE').outcome == "incomplete"
    said = 'SEEKING_DIVINE_CLARIFICATION\n\nQuestion: which?\n\n{"outcome": "asks", "summary": "see above"}'
    question = read_report(said).question
    assert question is not None and question.question == "which?"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("message", "form", "told"),
    [
        ({"outcome": "failed", "summary": "red"}, ENDING, "the form says done, the message beside it says failed"),
        ({"outcome": "done"}, BLOCKED, "the form says stuck, the message beside it says done"),
        (RESULTS, FOLLOW_UP, "the form says incomplete, the message beside it says done"),
        (FAILURES, ENDING.replace("tests.", "tests: 10/10 passed."), "counts 2 failed of 10, the form beside it none"),
        (SUB_AGENTS, ENDING, "says delegates"),
    ],
)
def test_a_form_that_takes_the_message_back_is_refused(message: View, form: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        said(message, form, SHAPES["fenced"])


@pytest.mark.ledger("R-32", "P-03")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_what_the_form_itself_says_is_kept_for_the_rules(shape: str) -> None:
    assert sorted(said(FAILURES, ENDING, shape).extra[SAID]) == ["changes_requested", "done"]
    assert SAID not in said(RESULTS, ENDING, shape).extra


@pytest.mark.ledger("R-32")
def test_a_message_that_cannot_be_read_is_not_replaced_by_the_form() -> None:
    broken = json.dumps(FAILURES)[:-1] + ",}"
    with pytest.raises(Invalid, match="JSON"):
        read_report(f"```json\n{broken}\n```\n\n{ENDING}")


def test_every_outcome_says_what_agrees_with_it() -> None:
    assert BESIDE.keys() == set(OUTCOMES)


def test_a_message_inside_a_section_is_no_list_of_issues() -> None:
    inside = ENDING.replace("## Next", f"## Issues Found\n```json\n{json.dumps(REVIEW, indent=2)}\n```\n\n## Next")
    report = read_report(inside)
    assert (report.outcome, len(report.findings)) == ("changes_requested", 1)
    assert "{" not in json.dumps(report.extra.get("Issues Found", ""))


def test_what_the_form_finds_beside_the_message_counts_once() -> None:
    issues = (
        "## Issues Found\n- High: handlers/feature.go:42: Missing error handling\n- Critical: a.go:3: open door\n\n"
    )
    report = said(REVIEW, ENDING.replace("## Next", f"{issues}## Next"), SHAPES["fenced"])
    assert [(one.severity, one.line) for one in report.findings] == [("high", 42), ("critical", 3)]


@pytest.mark.parametrize("lead", ["The reviewer sent me:", "I fixed the following:", "**reviewer → implementer:**"])
def test_a_message_of_others_is_not_the_answer_to_it(lead: str) -> None:
    assert read_report(f"{lead}\n\n```json\n{json.dumps(REVIEW)}\n```\n\n{ENDING}").outcome == "done"


# One line of words

LINES = [
    ("critical: services/user.go:123: SQL injection", "critical"),
    ("Critical: SQL injection at services/user.go:123", "critical"),
    ("High: SQL injection at services/user.go:123", "high"),
    ("SQL injection at services/user.go:123 (low)", "low"),
    ("SQL injection at services/user.go:123-130", "medium"),
]


@pytest.mark.ledger("P-03", "P-05")
@pytest.mark.parametrize(("line", "severity"), LINES)
@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"type": "review_findings", "status": "changes_requested", "findings": [0]}, "review"),
        ({"type": "security_issues", "vulnerabilities": [0]}, "security"),
        ({"type": "security_issues", "findings": [0]}, "security"),
        ({"type": "test_failures", "failures": [0]}, "test"),
        ({"outcome": "changes_requested", "findings": [0]}, "review"),
        ({"status": "needs_fixes", "issues": [0]}, "review"),
    ],
)
def test_a_finding_in_words_keeps_severity_and_place(message: View, kind: str, line: str, severity: str) -> None:
    words = {name: [line] if value == [0] else value for name, value in message.items()}
    (found,) = read_report(json.dumps(words)).findings
    assert (found.kind, found.severity, found.file, found.line) == (kind, severity, "services/user.go", 123)
    assert "SQL injection" in found.issue


@pytest.mark.parametrize("line", ["Lower bound is wrong", "Low-level parser crashes", "Highly nested"])
def test_a_word_that_begins_like_a_severity_is_none(line: str) -> None:
    (found,) = read_report(json.dumps({"outcome": "changes_requested", "findings": [line]})).findings
    assert (found.severity, found.issue) == ("medium", line)


@pytest.mark.ledger("R-22", "P-08")
@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("8/10 passed, 2 failed", (10, 8, 2)),
        ("2 of 10 tests failed", (10, 8, 2)),
        ("2/10 failed", (10, 8, 2)),
        ("2 out of 10 integration tests failed", (10, 8, 2)),
        ("8 passed, 2 failed", (10, 8, 2)),
        ("2 failed, 8 passed in 3.1s", (10, 8, 2)),
        ("2 tests failed", (None, None, 2)),
        ("10/10 passed", (10, 10, 0)),
        ("0 of 10 tests failed", (10, 10, 0)),
        ("all of them passed", None),
        ("Fixed the 2 tests that failed", None),
    ],
)
def test_tests_counted_in_words(words: str, counts: tuple[int | None, int | None, int] | None) -> None:
    told: list[View] = [
        {"type": "test_results", "status": "passed", "summary": words},
        {"type": "test_results", "status": "passed", "tests": words},
        {"status": "complete", "report": words},
        {"outcome": "done", "summary": words},
    ]
    told += [{"outcome": "done", "tests": words}] if counts else []
    for message in told:
        tests = read_report(json.dumps(message)).tests
        assert (tests and (tests.total, tests.passed, tests.failed)) == counts, message


# Words about faults


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (
            "- [ ] Complete / [ ] Needs follow-up / [ ] Blocked",
            "no box is ticked, of Complete, Needs follow-up, Blocked",
        ),
        ("- [x] Complete / [ ] Needs follow-up / [x] Blocked", "several things at once: 'Complete', 'Blocked'"),
        ("hm", "says none of Complete"),
    ],
)
def test_an_unreadable_form_is_named_as_the_form(status: str, told: str) -> None:
    with pytest.raises(Invalid, match=told) as refused:
        read_report(f"## Summary\nx\n\n## Changes Made\n- a.py: y\n\n## Status\n{status}\n")
    assert "Status" in str(refused.value.hint) and "outcome" not in str(refused.value.hint)


@pytest.mark.parametrize("box", ["[ x ]", "[x ]", "[  X]", "( x )", "[ ✓ ]"])
def test_a_tick_with_room_around_it_is_a_tick(box: str) -> None:
    status = f"- {box} Complete / [ ] Needs follow-up / [   ] Blocked"
    assert read_report(f"## Summary\nx\n\n## Status\n{status}\n").outcome == "done"


@pytest.mark.parametrize(
    "place", [{"file": "a.go", "line": "40-44"}, {"file": "a.go:40-44"}, {"file": "a.go", "line": "L40-44"}]
)
@pytest.mark.parametrize("message", [REVIEW, {"outcome": "changes_requested"}], ids=["review", "canonical"])
def test_a_range_of_lines_keeps_its_end_in_the_words(message: View, place: View) -> None:
    (found,) = read_report(json.dumps({**message, "findings": [{"issue": "leaks", **place}]})).findings
    assert (found.file, found.line) == ("a.go", 40) and "40-44" in found.issue and "leaks" in found.issue
