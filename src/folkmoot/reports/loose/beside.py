"""A verdict and the form around or behind it: one report. The message says how it ended, the form adds its words.

The documents ask for both: messages in JSON, and a form with a Status at the end of every answer. `Complete` there says
that the agent has done its task, and a tester's task may be to find red tests.
"""

from msgspec.structs import replace

from folkmoot.core.report import SEVERITIES, Files, Finding, Report, Tests
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.signals import INCOMPLETE, UNSUCCESSFUL

# What Status may say beside each verdict without taking it back.
_AGREES: dict[str, set[str]] = {
    "done": {"done"},
    "changes_requested": {"changes_requested", "done", "incomplete", "stuck", "failed"},
    "disputed": {"changes_requested", "done", "incomplete", "stuck", "failed"},
    "asks": {"done", "incomplete", "stuck", "failed"},
    "failed": {"failed", "incomplete", "stuck"},
    "stuck": {"stuck", "incomplete", "failed"},
    "incomplete": {"incomplete"},
    "delegates": {"incomplete", "stuck"},
    "split": {"done", "incomplete"},
}


def contradiction(verdict: Report, form: Report) -> str:
    """Why the two cannot both be meant, or nothing."""
    if form.outcome not in _AGREES[verdict.outcome]:
        return (
            f"Status: the form says {form.outcome}, the message beside it says {verdict.outcome}: "
            "report again, with a Status that agrees with the message, or with one of the two alone"
        )
    one, other = verdict.tests, form.tests
    if one and other and one.failed and not other.failed and one.total == other.total:
        return (
            f"tests: the message counts {one.failed} failed of {one.total}, the form beside it none: "
            "report again with the count that holds"
        )
    return ""


def beside(verdict: Report, form: Report) -> Report:
    """The verdict with what the form tells of the work; Faulty where they contradict each other."""
    fault = contradiction(verdict, form)
    if fault:
        raise Faulty([fault])
    extra = {**form.extra, **verdict.extra}
    summary = verdict.summary
    if summary.strip() in ("", INCOMPLETE, UNSUCCESSFUL) and form.summary:
        summary = form.summary
    elif form.summary not in ("", INCOMPLETE) and form.summary not in summary:
        extra = {"Summary": form.summary, **extra}
    ended = verdict.outcome in ("failed", "stuck")
    return replace(
        verdict,
        summary=summary,
        files=_files(verdict.files, form.files),
        findings=[*verdict.findings, *(one for one in form.findings if not _repeats(one, verdict.findings))],
        tests=_tests(verdict.tests, form.tests),
        blockers=verdict.blockers or form.blockers,
        next_steps=list(dict.fromkeys([*verdict.next_steps, *form.next_steps])),
        reason=verdict.reason or form.reason,
        cause=verdict.cause or (form.cause if ended else None),
        escalation_reason=verdict.escalation_reason or (form.escalation_reason if ended else None),
        extra=extra,
    )


def _files(one: Files, other: Files) -> Files:
    created = list(dict.fromkeys([*one.created, *other.created]))
    modified = [path for path in dict.fromkeys([*one.modified, *other.modified]) if path not in created]
    return Files(created=created, modified=modified)


def _tests(one: Tests | None, other: Tests | None) -> Tests | None:
    """The count with the most red ones: a green one beside it may be of other tests."""
    return max((tests for tests in (one, other) if tests), key=lambda tests: tests.failed, default=None)


def _repeats(told: Finding, known: list[Finding]) -> bool:
    """Is it said in the message already, and as badly?"""
    words = told.issue.strip().lower()
    for one in known:
        same_place = told.line is not None and (told.file, told.line) == (one.file, one.line)
        issue = one.issue.strip().lower()
        if (same_place or (issue and issue in words)) and _weight(one) <= _weight(told):
            return True
    return False


def _weight(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
