"""What a server counts of itself: requests by call and status, how long they took, who listens to the log."""

import threading
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
OTHER = "other"  # whatever is no call of ours


class Taken(Struct, frozen=True, gc=False):
    """How long the requests of one call took: how many no longer than each bound, all of them, and their sum."""

    call: str
    within: tuple[int, ...]
    count: int
    seconds: float


class Counted(Struct, frozen=True, gc=False):
    """The counters at one moment."""

    requests: tuple[tuple[str, int, int], ...]  # call, status, how many
    taken: tuple[Taken, ...]
    streams: int


class Counters:
    """Threads may share it. Only the calls that are named have labels of their own: a path that somebody made up never
    becomes one."""

    def __init__(self, calls: Iterable[str]) -> None:
        self._calls = frozenset(calls)
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._within: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._streams = 0

    def request(self, call: str, status: int, seconds: float) -> None:
        """A request was answered."""
        name = call if call in self._calls else OTHER
        place = sum(seconds > bound for bound in BOUNDS)
        with self._lock:
            self._requests[name, status] += 1
            self._within.setdefault(name, [0] * (len(BOUNDS) + 1))[place] += 1
            self._seconds[name] += seconds  # type: ignore[assignment]  # a Counter sums whatever can be added

    def streams(self, more: int) -> None:
        """Somebody began to listen to the log (1), or went (-1)."""
        with self._lock:
            self._streams += more

    def counted(self) -> Counted:
        with self._lock:
            requests = tuple((call, status, many) for (call, status), many in sorted(self._requests.items()))
            taken = tuple(
                Taken(call, _running(within), sum(within), float(self._seconds[call]))
                for call, within in sorted(self._within.items())
            )
            return Counted(requests, taken, self._streams)


def _running(within: list[int]) -> tuple[int, ...]:
    """Each with all before it; the last, of those that took longer than any bound, is told as the count."""
    return tuple(sum(within[: place + 1]) for place in range(len(BOUNDS)))
