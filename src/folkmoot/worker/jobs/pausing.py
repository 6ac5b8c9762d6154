"""What a client shows of its whole pool, as the board is told it."""

from collections.abc import Callable

from folkmoot.core.commands import PauseRun
from folkmoot.core.enums import pauses_pool
from folkmoot.worker.ports import Stream
from folkmoot.worker.run_timers import RunTimers

# What may be the item's own: a request that is refused says nothing of the next one.
OF_ONE_RUN = ("request", "unknown")


def shown_pause(stream: Stream, timers: RunTimers, clean: Callable[[str], str]) -> PauseRun | None:
    """That no run of its pool can work now, if that is why it ended; not where it was ended for limits of its own."""
    if timers.ending == "silence" and (stream.waits or stream.cause == "outage"):
        silent = f"{timers.silence:.0f}s while it waited for its model"
        words = f"{stream.client or 'it'} said nothing for {silent}, and was ended"
        why = clean(stream.why) if stream.cause == "outage" and stream.why else words
        return PauseRun(why=why, cause="outage", hung=True)
    ending = timers.ending
    if not pauses_pool(stream.cause) or ending in ("timeout", "silence"):
        return None
    if stream.cause == "environment" and stream.trouble in OF_ONE_RUN:
        return None
    return PauseRun(
        why=clean(stream.why) or f"the client failed ({stream.cause})",
        cause=stream.cause,
        seconds=stream.reset_after,
        shown=stream.shown,
        login=stream.login,
    )
