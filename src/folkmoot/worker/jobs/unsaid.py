"""What is reported for an agent that did not report: why it did not, in one line."""

from typing import TYPE_CHECKING

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.worker.jobs.bounds import over_limit

if TYPE_CHECKING:
    from folkmoot.worker.jobs.job import Job
    from folkmoot.worker.ports import Ended, Stream


def unsaid(job: "Job", ended: "Ended", stream: "Stream") -> tuple[Report, str | None]:
    """The report, and what the next agent is told was wrong. An exit code alone is never success."""
    why, timers = job.redactor.clean(stream.why), job.timers
    if timers.ending == "timeout":
        return Report.failed(f"it was not done after {timers.wall:.0f}s and was ended", cause="timeout"), None
    if timers.ending == "silence":
        return Report.failed(f"it said nothing for {timers.silence:.0f}s and was ended", cause="timeout"), None
    if ended.limit:
        return Report.failed(over_limit(ended.limit, job.flow.limits)), None
    if stream.cause is not None:
        return Report.failed(why or f"the client failed ({stream.cause})", cause=stream.cause), None
    if (ended.signal is not None or ended.code) and not stream.over:
        how = f"exit {ended.code}" if ended.code else f"signal {ended.signal}"
        last = why or job.redactor.clean(cause_line(job.errors_tail)) or "it said nothing about it"
        return Report.failed(f"it crashed ({how}): {last}", cause="transient"), None
    words = "the run ended without a report"
    # What to do about it is for the agent that comes next, not for whoever watches.
    return Report.failed(words, cause="protocol"), f"{words}: end with one, in the form the brief shows"


def printed_line(*texts: str) -> str:
    """Of what a client printed that ended without a report, the line that says most; its errors first."""
    return next((line for line in map(cause_line, texts) if line), "")
