"""ATTEMPT blocks and the three signals, with all their parts."""

import json
from typing import Any

import pytest

from folkmoot.core.report import WORDS_BESIDE
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

SEEKING = """SEEKING_DIVINE_CLARIFICATION

Task: task-1-1
Agent: dev-123

Question: Which key format is meant?

Context:
The old files use PEM.
The new ones use DER.

Options Considered:
1. PEM everywhere: old clients break
2. Both: twice the tests

Attempts Made:
- Self-solve: 3 attempts
- Expert delegation: 2 attempts (if applicable)

What Would Help:
The name of one format.
"""
DONE = '{"outcome": "done", "summary": "It is built."}'
ATTEMPTS = """ATTEMPT 1: Self-Solve
Approach: read the header by hand
Outcome: the checksum is wrong
Why Different: first try

ATTEMPT 2: Expert Delegation
Approach: asked for the padding rule
Outcome: still wrong,
by one byte
Why Different: other source
"""


@pytest.mark.ledger("E-07")
def test_a_question_with_all_its_parts() -> None:
    report = read_report(SEEKING)
    asked = report.question
    assert report.outcome == "asks" and asked is not None
    assert asked.question == "Which key format is meant?"
    made = "Attempts Made:\n- Self-solve: 3 attempts\n- Expert delegation: 2 attempts (if applicable)"
    assert asked.context == f"The old files use PEM.\nThe new ones use DER.\n\n{made}"
    assert [(choice.option, choice.why_insufficient) for choice in asked.options] == [
        ("PEM everywhere", "old clients break"),
        ("Both", "twice the tests"),
    ]
    assert asked.help == "The name of one format."
    assert report.extra == {
        "Task": "task-1-1",
        "Agent": "dev-123",
        "Attempts Made": {"Self-solve": 3, "Expert delegation": 2},
    }


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize(
    "text",
    [
        f"I am at the end.\n\n{SEEKING}\n---\nThank you.",
        f"```\n{SEEKING}```",
        f"```text\n{SEEKING}```\n",
        SEEKING.replace("SEEKING_DIVINE_CLARIFICATION", "**SEEKING_DIVINE_CLARIFICATION**"),
        SEEKING.replace("SEEKING_DIVINE_CLARIFICATION", "## SEEKING_DIVINE_CLARIFICATION"),
        SEEKING.replace("SEEKING_DIVINE_CLARIFICATION", "Signal: SEEKING_DIVINE_CLARIFICATION"),
        SEEKING.replace("Question:", "**Question:**").replace("Context:", "**Context**:"),
        SEEKING.replace("Context:\n", "### Context\n").replace("What Would Help:\n", "### What Would Help\n"),
        SEEKING.replace("\n", "\r\n"),
        SEEKING.replace("1. ", "- ").replace("2. ", "- "),
        SEEKING.replace("QUESTION", "QUES\u200bTION").replace("DIVINE", "DIV\u200bINE"),
    ],
)
def test_a_question_however_it_is_set(text: str) -> None:
    given, plain = read_report(text), read_report(SEEKING)
    extra = {name: told for name, told in given.extra.items() if name != WORDS_BESIDE}
    assert given.question == plain.question and extra == plain.extra


@pytest.mark.ledger("E-07")
def test_a_question_without_labels_is_its_first_paragraph() -> None:
    report = read_report("SEEKING_DIVINE_CLARIFICATION\n\nPEM or DER?\n\nI cannot know.")
    assert report.question is not None and report.question.question == "PEM or DER?"


@pytest.mark.ledger("E-07")
def test_a_call_without_a_question_is_refused() -> None:
    with pytest.raises(Invalid, match="no Question"):
        read_report("SEEKING_DIVINE_CLARIFICATION\n")
    with pytest.raises(Invalid, match="no Question"):
        read_report('{"outcome": "done"}\n\nSEEKING_DIVINE_CLARIFICATION\n')


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize(
    "text", ["EXPERT_UNSUCCESSFUL", "**EXPERT_UNSUCCESSFUL**\n", "Sorry.\n\nEXPERT_UNSUCCESSFUL.\n"]
)
def test_an_expert_without_success(text: str) -> None:
    report = read_report(text)
    assert (report.outcome, report.summary, report.cause) == ("failed", "EXPERT_UNSUCCESSFUL", "capability")


@pytest.mark.ledger("E-07")
def test_an_expert_may_say_why() -> None:
    report = read_report("EXPERT_UNSUCCESSFUL: the cipher is not documented\n\nTried: two papers\n")
    assert (report.summary, report.blockers) == ("EXPERT_UNSUCCESSFUL", "the cipher is not documented")
    assert report.extra == {"Tried": "two papers"}


@pytest.mark.ledger("E-07")
def test_an_incomplete_task() -> None:
    assert read_report("TASK_INCOMPLETE").outcome == "incomplete"
    report = read_report("TASK_INCOMPLETE\n\nThe parser is there.\n\nRemaining: the printer\n")
    assert (report.outcome, report.summary) == ("incomplete", "The parser is there.")
    assert report.extra == {"Remaining": "the printer"}
    assert read_report("## Summary\nhalf\n\n## Status\nTASK_INCOMPLETE").outcome == "incomplete"
    assert read_report("Status: TASK_INCOMPLETE").outcome == "incomplete"


@pytest.mark.ledger("E-06")
def test_attempt_blocks_alone_are_a_failure() -> None:
    report = read_report(ATTEMPTS)
    assert (report.outcome, report.cause) == ("failed", "capability")
    assert [(t.kind, t.approach, t.outcome, t.why_different) for t in report.attempts] == [
        ("self_solve", "read the header by hand", "the checksum is wrong", "first try"),
        ("expert_delegation", "asked for the padding rule", "still wrong,\nby one byte", "other source"),
    ]
    assert report.extra["ATTEMPT"] == ["1: Self-Solve", "2: Expert Delegation"]


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize(
    "text",
    [
        f"```markdown\n{ATTEMPTS}```",
        f"Here is what I did.\n\n{ATTEMPTS}\nThat is all.",
        ATTEMPTS.replace("ATTEMPT 1: Self-Solve", "### Attempt #1 – Self-Solve"),
        ATTEMPTS.replace("ATTEMPT 1: Self-Solve", "**ATTEMPT 1: Self-Solve**"),
        ATTEMPTS.replace("Approach:", "- **Approach:**").replace("Why Different:", "WHY DIFFERENT:"),
        ATTEMPTS.replace("\n", "\r\n"),
    ],
)
def test_attempt_blocks_however_they_are_set(text: str) -> None:
    assert read_report(text).attempts == read_report(ATTEMPTS).attempts


@pytest.mark.ledger("E-06", "E-07")
@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (SEEKING, "asks"),
        ("EXPERT_UNSUCCESSFUL", "failed"),
        ("TASK_INCOMPLETE", "incomplete"),
        ('{"outcome": "stuck", "reason": "concurrency"}', "stuck"),
        ("## Summary\nx\n## Status\n- [x] Complete\n", "done"),
    ],
)
def test_attempts_go_with_the_report_that_follows(ending: str, outcome: str) -> None:
    report = read_report(f"{ATTEMPTS}\n{ending}")
    assert (report.outcome, len(report.attempts)) == (outcome, 2)


@pytest.mark.ledger("E-06")
def test_attempts_behind_a_report_of_done_are_refused() -> None:
    with pytest.raises(Invalid, match="ATTEMPT"):
        read_report('{"outcome": "done"}\n\n' + ATTEMPTS)
    assert read_report('{"outcome": "failed"}\n\n' + ATTEMPTS).outcome == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "My first attempt 1: it went badly.",
        "Attempt 1 failed, so I went home.",
        "ATTEMPT 1:\nnothing more",
        "ATTEMPT 1",
        "crypto-expert said EXPERT_UNSUCCESSFUL",
        "It would be wrong to signal TASK_INCOMPLETE here.",
        "| 4+ | Signal EXPERT_UNSUCCESSFUL |",
        "DIVINE RESPONSE\n\nTask: 1\nQuestion: q?\nGuidance: yes\n",
        "DIVINE CLARIFICATION REQUESTED\n\nAgent: a\nQuestion: q\n\nAwaiting human guidance...",
    ],
)
def test_words_that_only_mention_them_are_nothing(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


def test_more_attempts_than_anybody_makes_are_refused() -> None:
    with pytest.raises(Invalid, match="ATTEMPT blocks, more than"):
        read_report("ATTEMPT 1: Self-Solve\nApproach: a\n\n" * 101)


ASKED = """{"signal": "Seeking_Divine_Clarification", "task": "1", "question": "May the API break?",
"context": "v2 is used", "options_considered": [{"option": "Break it", "why_insufficient": "v2"}, "Keep it"],
"what_would_help": "A date"}"""
FENCED = "```json\n{}\n```\n"


@pytest.mark.parametrize(
    "around",
    ["{}", FENCED, ATTEMPTS + "\n" + FENCED, DONE + "\n\n{}", FENCED + "\n" + DONE, "TASK_INCOMPLETE: half\n\n{}"],
)
def test_a_question_signalled_in_json_asks_wherever_it_stands(around: str) -> None:
    said = read_report(around.replace("{}", ASKED))
    asked = said.question
    assert said.outcome == "asks" and asked is not None and said.extra["task"] == "1"
    assert (asked.question, asked.context, asked.help) == ("May the API break?", "v2 is used", "A date")
    assert [(one.option, one.why_insufficient) for one in asked.options] == [("Break it", "v2"), ("Keep it", None)]
    assert len(said.attempts) == (2 if "ATTEMPT" in around else 0)


PENDING: dict[str, Any] = {
    **{"task_id": "task-1-1", "agent_id": "dev-123", "requested_at": "2025-01-16T10:30:00Z"},
    **{"question": "May the API break?", "options": ["Break it", "Keep it"], "context": "v2 is used"},
    **{"attempts_made": {"self_solve": 2, "expert_delegation": 1}, "what_would_help": "A date"},
}


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize("ends", [{"outcome": "asks"}, {"signal": "SEEKING_DIVINE_CLARIFICATION"}], ids=str)
def test_a_question_in_the_fields_of_a_pending_one_is_whole(ends: dict[str, str]) -> None:
    said = read_report(json.dumps({**ends, **PENDING}))
    asked = said.question
    assert said.outcome == "asks" and asked is not None
    assert (asked.question, asked.help) == ("May the API break?", "A date")
    assert asked.context == "v2 is used\n\nAttempts Made:\n- self_solve: 2\n- expert_delegation: 1"
    assert [one.option for one in asked.options] == ["Break it", "Keep it"]
    assert (said.extra["task_id"], said.extra["agent_id"]) == ("task-1-1", "dev-123")


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_parts_of_a_question_without_one_are_still_asked_back(outcome: str) -> None:
    with pytest.raises(Invalid, match="options: unknown field"):
        read_report(json.dumps({"outcome": outcome, "options": ["Break it"]}))


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"type": "self_solve"}, "self_solve"),
        ({"type": "Self-Solve", "number": 2}, "self_solve"),
        ({"type": "expert_delegation", "attempt_number": "4"}, "expert_delegation"),
    ],
    ids=str,
)
def test_the_type_of_an_attempt_is_whose_it_was_and_no_part_of_its_outcome(said: dict[str, Any], kind: str) -> None:
    told = {"approach": "read the code", "outcome": "no result"}
    (tried,) = read_report(json.dumps({"outcome": "failed", "attempts": [{**said, **told}]})).attempts
    assert (tried.kind, tried.approach, tried.outcome) == (kind, "read the code", "no result")


def test_another_type_of_an_attempt_is_kept_in_its_words() -> None:
    told = {"type": "refactoring", "approach": "split the parser", "outcome": "red"}
    (tried,) = read_report(json.dumps({"outcome": "failed", "attempts": [told]})).attempts
    assert (tried.kind, tried.outcome) == ("self_solve", "red; type: refactoring")


@pytest.mark.parametrize("around", ["{}", FENCED, ATTEMPTS + "\n" + FENCED])
@pytest.mark.parametrize(
    ("name", "outcome"),
    [("EXPERT_UNSUCCESSFUL", "failed"), ("Task Incomplete", "incomplete"), ("TASK_COMPLETE", "done")],
)
def test_other_signals_in_json_say_how_it_ended(around: str, name: str, outcome: str) -> None:
    said = read_report(around.replace("{}", f'{{"signal": "{name}", "summary": "looked", "ruled_out": ["timing"]}}'))
    assert said.outcome == outcome and said.extra["ruled_out"] == ["timing"] and not said.implied
    assert (said.summary, said.blockers) == ((name, "looked") if outcome == "failed" else ("looked", None))


def test_a_question_signalled_in_json_needs_a_question() -> None:
    with pytest.raises(Invalid, match="question"):
        read_report(DONE + '\n\n{"signal": "SEEKING_DIVINE_CLARIFICATION", "context": "v2"}')


def test_another_word_under_signal_is_no_signal() -> None:
    said = read_report(DONE + '\n\nThe log of the process says {"signal": "SIGTERM"}.')
    assert said.outcome == "done" and "SIGTERM" in said.extra[WORDS_BESIDE]
