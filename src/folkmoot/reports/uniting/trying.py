"""Attempts as they are told: those that worked are no failures, and are kept beside them."""

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.lines import succeeded

WORKED = "succeeded"  # of `extra`: the attempts that worked, as they were told


def failures_only(report: Report) -> Report:
    """`attempts` are approaches that failed: one that says it worked stands in `extra`, with all its words."""
    worked = [to_builtins(told) for told in report.attempts if succeeded(told.outcome)]
    if not worked:
        return report
    failed = [told for told in report.attempts if not succeeded(told.outcome)]
    return replace(report, attempts=failed, extra={**report.extra, WORKED: worked})
