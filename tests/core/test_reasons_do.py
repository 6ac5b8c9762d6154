"""One reason, whichever way the run ended: where it leads, what its tags say, and who is left when it leads nowhere."""

from typing import Any

import pytest

from folkmoot.core.enums import OUTCOMES, Outcome
from folkmoot.core.report import Report
from folkmoot.core.rules.asking.reasons import reason_does
from folkmoot.testing.builders import Story, preset_flow

KANBAN = preset_flow()


@pytest.mark.ledger("K-12", "R-09")
@pytest.mark.parametrize("reason", ["unknown", "needs-senior-dev", None, "concurrency"])
def test_a_senior_who_is_stuck_too_brings_a_person(reason: str | None) -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="unknown", summary="I cannot do this")
    assert story.it.column == "needs-senior-dev"
    if reason == "concurrency":
        story.effort("stuck", reason="concurrency", summary="A race")
        assert story.it.column == "needs-concurrency-expert"
        reason = "unknown"
    story.effort("stuck", summary="Nor can I", **({"reason": reason} if reason else {}))
    if story.it.column != "needs-human":
        assert story.open_questions and "needs-human" in story.open_questions[0].question, "it is two deep already"
    else:
        assert story.it.status in ("ready", "awaiting-divine-guidance")


@pytest.mark.ledger("K-13", "R-09")
@pytest.mark.parametrize(
    ("tags", "column"),
    [
        (["concurrency"], "needs-concurrency-expert"),
        ("concurrency", "needs-concurrency-expert"),
        (["flaky", "performance"], "needs-perf-tuning"),
        (["needs-arch-clarification"], "needs-arch-clarification"),
        (["blocked-needs-test-review"], "blocked-needs-test-review"),
        (["flaky"], "needs-senior-dev"),
        (["performance", "security"], "needs-security-review"),
    ],
)
def test_tags_beside_blocked_say_why(tags: Any, column: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", summary="I cannot do this", extra={"tags": tags})
    assert story.it.column == column


@pytest.mark.ledger("K-13", "R-09")
@pytest.mark.parametrize(
    ("blockers", "column"),
    [
        ("concurrency", "needs-concurrency-expert"),
        ("Concurrency: two writers", "needs-concurrency-expert"),
        ("the lock is held twice", "needs-senior-dev"),
        ("performance: not the cause", "needs-senior-dev"),
    ],
)
def test_blockers_that_are_a_reason_say_why(blockers: str, column: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", blockers=blockers)
    assert story.it.column == column


@pytest.mark.ledger("K-13")
def test_a_reason_goes_before_tags_and_a_verdict_needs_none() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", summary="x", reason="performance", extra={"tags": ["concurrency"]})
    assert story.it.column == "needs-perf-tuning"
    story = Story(KANBAN, "dev")
    story.effort("done", extra={"tags": ["concurrency"]})
    assert story.it.column == "review"


@pytest.mark.ledger("K-12", "R-09")
@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("reason", ["concurrency", "performance", "architecture", "unknown", "story", "test-vs-dev"])
def test_whoever_names_a_reason_hears_what_it_does(outcome: Outcome, reason: str) -> None:
    story = Story(KANBAN, "dev")
    said = Report(outcome=outcome, escalation_reason=reason)
    told = reason_does(KANBAN, story.it, "dev-agent", said)
    target = KANBAN.reasons[reason]
    argued = KANBAN.columns[target].kind == "dispute"
    assert bool(told) == (outcome != "stuck" and not (outcome == "disputed" and argued))
    assert not told or reason in told
    assert outcome != "failed" or (target in told and ("disputed would" if argued else "report stuck") in told)
    assert reason_does(KANBAN, story.it, "dev-agent", Report(outcome=outcome)) == ""
