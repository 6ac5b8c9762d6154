"""What a run's client tells of its use while it works: counted on the board, and looked at against the budgets."""

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.core.commands import RenewRun
from folkmoot.core.flow import Flow
from folkmoot.core.report import Report, Usage
from folkmoot.core.rules.running.budgets import Left
from folkmoot.core.rules.running.spending import bounded, priced
from folkmoot.errors import Refused
from folkmoot.worker.ports import Stream

if TYPE_CHECKING:
    from folkmoot.core.records import Window
    from folkmoot.worker.jobs.job import Job


class Spending:
    """Totals as the client told them, what of them the board knows, and what its budgets left at that moment."""

    def __init__(self, flow: Flow, model: str | None) -> None:
        self.flow = flow
        self.model = model
        self.left = Left()
        self._told = self._counted = Usage()
        self._windows: list[Window] = []
        self._known: list[Window] = []

    @property
    def is_limited(self) -> bool:
        """Does the flow set any limit to what a run uses?"""
        return self.flow.budget.is_set

    def hear(self, stream: Stream) -> bool:
        """The client has said something. True: with what it has used by now, a budget is used up."""
        told = of_stream(stream)
        self._windows = list(stream.windows)
        if told is None or told == self._told:
            return False
        self._told = told
        return self.is_limited and self.left.ends(self._uncounted())

    def _uncounted(self) -> Usage:
        now, before = (priced(self.flow, self.model, one) for one in (self._told, self._counted))
        return Usage(
            input_tokens=max(0, now.input_tokens - before.input_tokens),
            output_tokens=max(0, now.output_tokens - before.output_tokens),
            cost_usd=max(0.0, (now.cost_usd or 0.0) - (before.cost_usd or 0.0)),
        )

    @property
    def is_new(self) -> bool:
        """Is there anything that the board does not know?"""
        return self._told != self._counted or self._windows != self._known

    @property
    def has_windows(self) -> bool:
        return self._windows != self._known

    def renewal(self) -> RenewRun:
        """The command that keeps the run, with what is new."""
        usage = self._told if self._told != self._counted else None
        return RenewRun(usage=usage, windows=self._windows if self._windows != self._known else [])

    def counted(self, told: RenewRun) -> None:
        """The board has taken it in."""
        self._counted = told.usage or self._counted
        self._known = told.windows or self._known


def renew(job: "Job") -> None:
    """Keep a run's lease, and tell the board what it has used up; then its budgets say what is left."""
    told = job.spending.renewal()
    job.tools.application.engine.act(job.actor, told)
    job.spending.counted(told)
    for mate in job.mates:
        with suppress(Refused):  # it was taken out of our hands: that is seen when all of them are to land
            job.tools.application.engine.act(mate, RenewRun())
    look_at_budget(job)


def look_at_budget(job: "Job") -> None:
    if job.spends and job.spending.is_limited:
        left = job.spending.left = job.tools.application.queries.left(job.run)
        job.timers.spends(job.tools.now(), 0.0 if left.ends() else left.seconds)


def of_stream(stream: Stream) -> Usage | None:
    """What the client has shown so far; None if that is nothing."""
    if not (stream.input_tokens or stream.output_tokens or stream.cost_usd):
        return None
    told = Usage(
        input_tokens=stream.input_tokens,
        output_tokens=stream.output_tokens,
        cached_tokens=min(stream.cached_tokens, stream.input_tokens),
        cost_usd=stream.cost_usd or None,
    )
    return bounded(told)  # a sum of what a client says has no end


def with_usage(said: Report, stream: Stream) -> Report:
    """As the client shows it; else by the agent's own word."""
    return replace(said, usage=of_stream(stream) or said.usage)
