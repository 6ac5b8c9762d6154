"""Who says that there is no trigger, or no longer, states none; what was not ruled out is still there (E-05)."""

from typing import Any

import pytest

from folkmoot.core.vocabulary.triggers import trigger_in
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
@pytest.mark.parametrize("words", STATED)
def test_what_is_stated_asks_a_person(words: str) -> None:
    assert trigger_in([words]) is not None
    story = Story(preset_flow("escalation"), "implementing")
    story.effort("failed", summary=words)
    assert story.it.status == ASKED


@pytest.mark.ledger("R-10")
@pytest.mark.parametrize("tail", [": none", ": ruled out", " - none", " (ruled out)", ": no", ": not an issue"])
@pytest.mark.parametrize("reason", ["security", "performance", "concurrency", "circular dependency"])
def test_a_reason_that_is_named_only_to_be_denied_is_none(reason: str, tail: str) -> None:
    assert meaning_of(reason) is not None and meaning_of(reason + tail) is None
    kanban: Any = preset_flow()
    assert known_reason(kanban.reasons, reason + tail) is None
    assert meaning_of(f"{reason}: the lock is held twice") == meaning_of(reason)
