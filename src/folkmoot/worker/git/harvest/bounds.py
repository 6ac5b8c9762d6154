"""How much of the engine's time an agent's files may take: whatever an agent leaves, looking at it ends."""

from collections.abc import Callable

from msgspec import Struct

from folkmoot.core.flow import Limits
from folkmoot.errors import Unavailable
from folkmoot.worker.ports import Bounds
from folkmoot.worker.secrets.redactor import Known

HARVEST_SECONDS = 60.0  # for taking in what a run left, from the first look at it to its commit
FILES_A_SECOND = 2_000  # so much more time for each file of the project: all of them are looked at
PROJECT_SECONDS_MAX = 300.0
BYTES_A_SECOND = 20_000_000  # and for what changed: it is read, packed and searched
DIFF_SECONDS = 30.0
MERGE_SECONDS = 120.0
STOP_SECONDS = 5.0  # once it shall stop, whatever is left of its time


class Overdue(Unavailable):
    """It took longer than it may. To try the same again would take as long."""


class Stopped(Unavailable):
    """It was told to stop before it was done. Whoever comes next may try it."""


class Foreign(Unavailable):
    """It changed what git does not count as a part of the project, so a commit cannot hold it."""


class TooMuch(Exception):
    """A change that is larger than the flow allows, by what was listed: nobody has read it."""

    def __init__(self, files: int, size: int) -> None:
        super().__init__(f"{files} files, {size} bytes")
        self.files = files
        self.size = size


class Patience:
    """So many seconds in all for a piece of work, fewer once it is told to stop."""

    def __init__(
        self, what: str, seconds: float, now: Callable[[], float], stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._what = what
        self._seconds = seconds
        self._now = now
        self._began = now()
        self._stopped = stopped
        self._stop_at: float | None = None

    def more(self, seconds: float) -> None:
        """There is more to do than one could know at the start."""
        self._seconds += seconds

    def left(self) -> float:
        """Seconds, more than 0; raises where there are none."""
        now = self._now()
        if self._stop_at is None and self._stopped():
            self._stop_at = now + STOP_SECONDS
        left = self._began + self._seconds - now
        if left <= 0:
            raise Overdue("too_slow", "{what} was not done after {seconds:.0f} s", "", self._what, self._seconds)
        if self._stop_at is not None and now >= self._stop_at:
            raise Stopped("stopped_early", "{what} was stopped before it was done", "", self._what)
        return left if self._stop_at is None else min(left, self._stop_at - now)


class Allowed(Struct, frozen=True):
    """What a harvest may take: so many files and bytes by the flow, and so long."""

    files: int
    bytes: int
    bounds: Bounds
    known: Known | None = None  # secrets to look for; None: it will not land, so they need not be looked for


def allowed(
    limits: Limits,
    now: Callable[[], float],
    stopped: Callable[[], bool] = lambda: False,
    known: Known | None = None,
) -> Allowed:
    patience = Patience("taking in what the run left", HARVEST_SECONDS, now, stopped)
    return Allowed(limits.change_files, limits.change_bytes, patience, known)
