"""Whatever was tried is in the item's history, whichever way the run ended: counted, or kept with its ground (E-06)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.enums import CAUSES
from folkmoot.testing.builders import Story, preset_flow
from tests.core.test_experts import WAYS

PLACES = {"escalation": "implementing", "kanban": "dev", "handoff": "build", "quest": "weave"}
FLOWS = {preset: preset_flow(preset) for preset in PLACES}
SAID: list[tuple[str, dict[str, Any]]] = [
    *(("failed", {"cause": cause}) for cause in CAUSES),
    *(("failed", {"escalation_reason": reason}) for reason in ("security", "performance", "unknown")),
    *(("stuck", {"reason": reason}) for reason in ("security", "unknown")),
    ("stuck", {}),
    ("incomplete", {}),
    ("incomplete", {"escalation_reason": "security"}),
    ("done", {}),
    ("done", {"escalation_reason": "security"}),
]


@pytest.mark.ledger("E-06", "R-05", "R-06")
@pytest.mark.parametrize("preset", PLACES)
@settings(deadline=None, max_examples=40)
@given(said=st.sampled_from(SAID), tries=st.lists(st.sampled_from(WAYS), unique=True, min_size=1, max_size=4))
def test_every_attempt_told_is_in_the_history_once(
    preset: str, said: tuple[str, dict[str, Any]], tries: list[str]
) -> None:
    outcome, parts = said
    story = Story(FLOWS[preset], PLACES[preset])
    told = [{"approach": way, "outcome": f"red at {number}"} for number, way in enumerate(tries)]
    story.effort(outcome, summary="as told", attempts=told, **parts)
    assert [attempt.approach for attempt in story.attempts if attempt.approach] == tries
    assert all(attempt.ground for attempt in story.attempts)


@pytest.mark.ledger("R-05", "R-10")
@pytest.mark.parametrize("preset", PLACES)
@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"escalation_reason": "security"},
        {"reason": "security"},
        *({"cause": cause} for cause in ("capability", "requirement", "size", "integration", "fatal")),
    ],
)
def test_a_failure_without_a_list_of_attempts_is_one_row(preset: str, parts: dict[str, str]) -> None:
    story = Story(FLOWS[preset], PLACES[preset])
    story.effort("failed", summary="Test expects 42, got 41", **parts)
    (one,) = story.attempts
    assert one.outcome == "Test expects 42, got 41"
    assert one.counted == (parts in ({}, {"cause": "capability"}))
