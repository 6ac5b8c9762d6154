"""When a run must be renewed, ended or given up: decided from times alone, so that the simulation can drive it."""

from msgspec import Struct

RENEW_AT = 1 / 3  # of the lease
RETRY_AT = 1 / 12  # of the lease after a renewal that nobody has answered: several are tried before it is given up
FENCE_AT = 2 / 3  # of the lease without a renewal that was answered: another may soon have the item
TERM_GRACE = 5.0  # seconds a process gets to end by itself
LINGER = 2.0  # seconds a client may take to exit after it has said that it is done


class Act(Struct, frozen=True):
    """What must be done now: `renew`, or `end` the processes for a reason within a grace."""

    do: str
    why: str = ""
    grace: float = TERM_GRACE


class RunTimers:
    """One run's times. All of them are seconds of one clock that never goes back."""

    def __init__(self, now: float, lease: float, wall: float, silence: float, after_report: float = 30.0) -> None:
        self.lease = lease
        self.wall = wall
        self.silence = silence
        self.after_report = after_report
        self.acked = now  # when the last renewal that was answered was sent; at first, the claim
        self.renew_at = now + lease * RENEW_AT
        self.started: float | None = None  # when its process began
        self.heard_at = now
        self.over_at: float | None = None
        self.reported_at: float | None = None  # when it last reported by command
        self.written_at: float | None = None  # when its report was last written to its file
        self.spent_at: float | None = None  # when a budget is used up
        # why its processes are being ended: lost, timeout, silence, over, reported, budget, stopped
        self.ending: str | None = None
        self.done = False

    def started_at(self, now: float) -> None:
        self.started = self.heard_at = now

    def process_ended(self) -> None:
        self.started = None

    def heard(self, now: float) -> None:
        self.heard_at = now

    def over(self, now: float) -> None:
        """The client has said that its turn is over."""
        self.over_at = self.over_at if self.over_at is not None else now

    def reported(self, now: float) -> None:
        """The run has reported, and was told that its report is kept: its process has nothing more to do."""
        self.reported_at = now

    def wrote(self, now: float) -> None:
        """A whole report stands in its file. Nobody has acknowledged it: while its process says something, it works."""
        self.written_at = now

    def told(self) -> None:
        """A person has spoken to it: it has something to do again, whatever it reported before."""
        self.reported_at = self.written_at = None

    def spends(self, now: float, left: float | None) -> None:
        """A budget leaves it so many seconds; None: no budget limits its time."""
        self.spent_at = None if left is None else now + max(0.0, left)

    def _farewell(self) -> float | None:
        """When it has had its time after its report. It needs some: clients tell at their end what they used."""
        times = [self.reported_at] if self.reported_at is not None else []
        times += [max(self.written_at, self.heard_at)] if self.written_at is not None else []
        return min(times) + self.after_report if times else None

    def renewing(self, now: float) -> None:
        """A renewal is being sent. Unless it is answered, the next one follows soon."""
        self.renew_at = now + self.lease * RETRY_AT

    def renewed(self, sent: float) -> None:
        """The claim, or a renewal, was answered. It counts from when it was sent: nobody knows when it was heard."""
        self.acked = sent
        self.renew_at = sent + self.lease * RENEW_AT

    def lost(self) -> Act:
        """Nothing this run writes counts any more: whoever has the item now must be alone with it."""
        self.ending = "lost"
        return Act("end", "lost", 0.0)

    def stop(self, grace: float = 0.0) -> Act:
        self.ending = self.ending or "stopped"
        return Act("end", self.ending, grace)

    def due(self, now: float) -> Act | None:
        if self.done or self.ending == "lost":
            return None
        if now >= self.acked + self.lease * FENCE_AT:
            return self.lost()
        if self.ending is None and (why := self._too_long(now)):
            self.ending = why
            return Act("end", why, 0.0 if why == "over" else TERM_GRACE)
        return Act("renew") if now >= self.renew_at else None

    def _too_long(self, now: float) -> str | None:
        if self.started is None:
            return None
        if self.over_at is not None and now >= self.over_at + LINGER:
            return "over"
        if (until := self._farewell()) is not None and now >= until:
            return "reported"
        if self.spent_at is not None and now >= self.spent_at:
            return "budget"
        if now >= self.started + self.wall:
            return "timeout"
        return "silence" if now >= self.heard_at + self.silence else None

    def next_at(self) -> float:
        """When there will be something to do, if nothing happens before."""
        if self.done or self.ending == "lost":
            return float("inf")
        return min(self.renew_at, self.next_end())

    def next_end(self) -> float:
        """When it will have to be ended, if nothing happens before."""
        if self.done or self.ending == "lost":
            return float("inf")
        times = [self.acked + self.lease * FENCE_AT]
        if self.started is not None and self.ending is None:
            times += [self.started + self.wall, self.heard_at + self.silence]
            times += [self.spent_at] if self.spent_at is not None else []
            times += [self.over_at + LINGER] if self.over_at is not None else []
            times += [until] if (until := self._farewell()) is not None else []
        return min(times)
