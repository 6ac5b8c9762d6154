"""Which fields of a report say nothing, and so tell nobody anything; and which only sound so."""

import pytest

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.phrases.nothings import without_nothing


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    ("said", "blockers"),
    [
        (Report.failed("EXPERT_UNSUCCESSFUL", blockers="nothing found"), "nothing found"),
        (Report.failed("EXPERT_UNSUCCESSFUL", blockers="No issues found."), "No issues found."),
        (Report(outcome="incomplete", summary="TASK_INCOMPLETE", blockers="nothing yet"), "nothing yet"),
        (Report.failed("it stopped", blockers="none"), None),
        (Report.failed("it stopped", blockers="nothing found"), None),
        (Report.done("TASK_COMPLETE", blockers="none"), None),
        (Report.done("all is there", blockers="no blockers"), None),
    ],
)
def test_words_behind_a_signal_are_what_came_out(said: Report, blockers: str | None) -> None:
    assert without_nothing(said).blockers == blockers


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize(("told", "reason"), [("none", None), ("n/a", None), ("None.", None), ("security", "security")])
def test_a_reason_to_ask_that_says_that_there_is_none_is_none(told: str, reason: str | None) -> None:
    assert without_nothing(Report(outcome="failed", escalation_reason=told)).escalation_reason == reason
