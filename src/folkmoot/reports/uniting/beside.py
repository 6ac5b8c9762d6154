"""A verdict and the form around or behind it: one report. The message says how it ended, the form adds its words.

The documents ask for both: messages in JSON, and a form with a Status at the end of every answer. `Complete` there says
that the agent has done its task, and a tester's task may be to find red tests.
"""

from msgspec.structs import replace

from folkmoot.core.report import Report
from folkmoot.core.rules.judging.together import SAID, verdict
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.uniting.statements import joined, only_asks_along


def contradiction(said: Report, form: Report) -> str:
    """Why a verdict and the form behind it cannot both be meant, or nothing."""
    if verdict([said.outcome, form.outcome]) != said.outcome:
        return (
            f"Status: the form says {form.outcome}, the message beside it says {said.outcome}: "
            "report again, with a Status that agrees with the message, or with one of the two alone"
        )
    one, other = said.tests, form.tests
    if one and other and one.failed and not other.failed and one.total == other.total:
        return (
            f"tests: the message counts {one.failed} failed of {one.total}, the form beside it none: "
            "report again with the count that holds"
        )
    return ""


def beside(said: Report, form: Report, before: bool = False) -> Report:
    """The verdict with what the form tells of the work; Faulty where they contradict each other."""
    fault = contradiction(said, form)
    if fault:
        raise Faulty([fault])
    told = said.extra.get(SAID, [said.outcome])
    report = joined(said, form, before)
    if form.outcome in told or only_asks_along(said):
        return report
    # Whether both can be meant depends on whose word it is: the rules are told both.
    return replace(report, extra={**report.extra, SAID: [*told, form.outcome]})
