"""Who says that there is no trigger, or no longer, states none; what was not ruled out is still there (E-05)."""

from typing import Any

import pytest

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.triggers import left_in, trigger_in
from folkmoot.core.vocabulary.words import known_reason, meaning_of
from folkmoot.testing.builders import Story, preset_flow

ASKED = "awaiting-divine-guidance"
DENIED = [
    "Security concern: none",
    "Security concern ruled out",
    "Security concerns were ruled out; the test is flaky",
    "A security concern was excluded",
    "Not a security concern",
    "The security concern turned out to be unfounded",
    "Security concern dismissed",
    "Security risk: no",
    "Security issue excluded by audit",
    "No security issue",
    "There is no security concern",
    "Ruled out a security concern",
    "Circular dependency ruled out",
    "Circular dependency was suspected but is not the cause",
    "Circular dependency in a.py removed",
    "The acceptance criteria are no longer ambiguous",
    "Ambiguous acceptance criteria: resolved",
    "Neither a security concern nor a circular dependency",
    "Security concern (ruled out)",
    "Security concern - none found",
    "No password is stored in plain text",
    "Passwords are not in plain text",
    "The acceptance criteria do not contradict each other",
    "The security concern was settled by the guidance",
    "The security concern has been dealt with: the key was rotated",
    "The security concern is taken care of",
]
# In words that are longer than a reason is.
DENIED_AT_LENGTH = [
    "Security concern (see q1) resolved as the person told",
    # A list of the document's triggers in which each is crossed out.
    "- 6 total failed attempts: ❌\n- Circular dependency detected: ❌\n- Security concern: ❌ not present",
    "| Trigger | Applies |\n|---|---|\n| Security concern | ❌ |\n| Circular dependency detected | ✗ |",
]
STATED = [
    "Security concern",
    "Security concern: the key is in the log",
    "It is a security concern",
    "We cannot rule out a security concern",
    "We could not rule out a security concern",
    "Security concern not ruled out",
    "A security concern could not be excluded",
    "The security concern must be ruled out first",
    "No progress because of a security concern",
    "Not possible, since there is a security concern",
    "Security concern because the key is fixed in the code",
    "A security concern in the fixed header",
    "Circular dependency detected",
    "Circular dependency cannot be resolved",
    "Ambiguous acceptance criteria",
    "The acceptance criteria are not clear",
    "No crash, but a security concern",
    "The password is sent in plain text",
    "The private keys of the service are committed to the repository",
    "The acceptance criteria conflict with each other",
    "The TTL is ambiguous in the acceptance criteria",
    "The security concern is not settled",
    "The security concern has yet to be dealt with",
    "Security concern (see q1): the key is in the log",
    "Security concern: ❌",  # alone, a cross may mark what is wrong
    "- Tests: ✅\n- Security concern: ❌",
    "- Circular dependency detected: ❌\n- Security concern: ❌ the key is in the log",
]
# One of a marked list applies: which, and what the person reads of it.
MARKED = [
    ("- 6 total failed attempts: ❌\n- Circular dependency detected: ❌\n- Security concern: ✅", "security"),
    ("| 6 total failed attempts | ❌ |\n| Security concern | ✅ |\n| Ambiguous acceptance criteria | ❌ |", "security"),
    ("Security concern: ❌\nCircular dependency detected: ✅ a → b → a\nAmbiguous acceptance criteria: ❌", "fatal"),
]


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize("words", DENIED)
@pytest.mark.parametrize("field", ["summary", "reason", "blockers"])
def test_a_denied_trigger_is_a_failure_like_any_other(words: str, field: str) -> None:
    assert trigger_in([words]) is None
    story = Story(preset_flow("escalation"), "implementing")
    story.effort("failed", **{"summary": "red", field: words})
    assert story.it.status == "ready" and story.it.failure_count == 1
    assert not story.open_questions


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize("words", DENIED_AT_LENGTH)
@pytest.mark.parametrize("field", ["summary", "blockers"])
def test_a_trigger_denied_at_length_is_none(words: str, field: str) -> None:
    test_a_denied_trigger_is_a_failure_like_any_other(words, field)


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "words", ["The acceptance criteria were ambiguous; the guidance says that the TTL is in seconds, done so."]
)
def test_criteria_that_an_answer_cleared_up_are_not_left(words: str) -> None:
    assert left_in(Report.done(words)) is None


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize("words", STATED)
def test_what_is_stated_asks_a_person(words: str) -> None:
    assert trigger_in([words]) is not None
    story = Story(preset_flow("escalation"), "implementing")
    story.effort("failed", summary=words)
    assert story.it.status == ASKED


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize(("words", "which"), MARKED)
def test_of_a_marked_list_of_triggers_the_ticked_one_asks(words: str, which: str) -> None:
    found = trigger_in([words])
    assert found is not None and which in (found.meaning.cause, found.meaning.reason)
    story = Story(preset_flow("escalation"), "implementing")
    story.effort("failed", summary="The header is binary", blockers=words)
    question = story.open_questions[0].question
    assert story.it.status == ASKED and not {"❌", "✅", "|"} & set(question)
    assert "Security concern" in question or "a → b → a" in question


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    ("blockers", "told"),
    [
        ("ESCALATION TRIGGER: Circular dependency", "Circular dependency"),
        ("auth needs tokens and tokens needs auth; circular dependency.", "circular dependency"),
        ("Circular dependency detected (a → b → a)", "a → b → a"),
    ],
)
def test_the_question_says_which_trigger_it_is(blockers: str, told: str) -> None:
    story = Story(preset_flow("escalation"), "implementing")
    story.effort("failed", summary="The header is binary", blockers=blockers)
    assert told in story.open_questions[0].question


@pytest.mark.ledger("R-10")
@pytest.mark.parametrize("tail", [": none", ": ruled out", " - none", " (ruled out)", ": no", ": not an issue"])
@pytest.mark.parametrize("reason", ["security", "performance", "concurrency", "circular dependency"])
def test_a_reason_that_is_named_only_to_be_denied_is_none(reason: str, tail: str) -> None:
    assert meaning_of(reason) is not None and meaning_of(reason + tail) is None
    kanban: Any = preset_flow()
    assert known_reason(kanban.reasons, reason + tail) is None
    assert meaning_of(f"{reason}: the lock is held twice") == meaning_of(reason)
