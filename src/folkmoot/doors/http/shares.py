"""How much of the server one caller may have: so that nobody's questions keep the others from theirs."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from folkmoot.core.access.allowance import Allowance
from folkmoot.doors.http.problems import Wrong
from folkmoot.engine.access.callers import Caller
from folkmoot.errors import Refused

# At once, by role: calls, each of which may take a thread for a while, and streams of events. By a person's token many
# agents may speak, and wait for something to happen.
CALLS_MAX = {"run": 4, "observer": 16, "person": 256, "owner": 1_024}
STREAMS_MAX = {"run": 4, "observer": 32, "person": 128, "owner": 512}
RUNS_KEPT = 1_000


class Shares:
    """Used by the server's own thread alone."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._calls, self._streams = Counter[str](), Counter[str]()
        self._runs: dict[str, Allowance] = {}

    @contextmanager
    def call(self, caller: Caller) -> Iterator[None]:
        limit = CALLS_MAX[caller.role]
        if self._calls[_name(caller)] >= limit:
            words = "more than {limit:g} requests at once"
            raise Refused("too_fast", words, "wait {seconds:g} s, then go on", limit, 1.0)
        with _one_of(self._calls, caller):
            yield

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        limit = STREAMS_MAX[caller.role]
        if self._streams[_name(caller)] >= limit:
            raise Wrong("too_many_streams", f"you have {limit} streams already", "close one, or try later")
        with _one_of(self._streams, caller):
            yield

    def of_run(self, caller: Caller) -> Allowance | None:
        """What a run may use, as at its socket; None for whoever is none."""
        run = caller.actor.run
        if caller.role != "run" or run is None:
            return None
        if run not in self._runs:
            while len(self._runs) >= RUNS_KEPT:
                del self._runs[next(iter(self._runs))]
            self._runs[run] = Allowance(self._now())
        return self._runs[run]


@contextmanager
def _one_of(counted: Counter[str], caller: Caller) -> Iterator[None]:
    name = _name(caller)
    counted[name] += 1
    try:
        yield
    finally:
        counted[name] -= 1
        if not counted[name]:
            del counted[name]


def _name(caller: Caller) -> str:
    return f"{caller.by} {caller.actor.run or caller.name}"
