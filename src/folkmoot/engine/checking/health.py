"""Whether a board is sound now, in a time that does not grow with the board: store, chain, workers.

Each part is looked at by a thread of its own, and who asks waits for it no longer than LONGEST: a disk that does not
answer is a finding too. The doctor looks at all there is, and takes as long as that takes.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from folkmoot.api.health import Component, Health
from folkmoot.core.flow import LANDING
from folkmoot.core.records import Run
from folkmoot.engine.loading import flow_in_force
from folkmoot.engine.moment import moment
from folkmoot.errors import MootError
from folkmoot.store.port import Reading

if TYPE_CHECKING:
    from folkmoot.engine.application import Application
    from folkmoot.engine.screen.register import Attending

LONGEST = 2.0  # seconds, for all parts together
PATIENCE = 1.0  # seconds that a trial write waits for other writers
KEPT = 5.0  # seconds that a trial write counts: who asks often writes no more often
NEWEST = 500  # events that are proved each time
PAGE = 2000
SLICE = 1.0  # seconds of one call that proves the whole log
GRACE = 30.0  # seconds after the end of a lease, before nobody has taken it up
LITTLE, NONE = 100 * 1024 * 1024, 256 * 1024  # bytes free on the disk
NAMED = 5
READY_MAX = 1000  # of one queue: nobody needs to know more exactly


class WorkerLook(Protocol):
    """What only the machine can tell of the workers: which of their processes are there."""

    def dead(self, worker: str) -> bool:
        """Was it a process of this machine that is no more? Of any other name nothing is known."""

    def alive(self) -> int:
        """How many other processes of this machine work in the board's folder now."""

    def attending(self) -> "list[Attending]":
        """The workers of this machine that live, as they tell of themselves."""


class Waiting(Struct, frozen=True):
    """What the board holds for workers, as of one moment."""

    runs: list[Run]  # open ones
    now: float
    ready: int  # items that an agent could begin
    paused: bool  # the whole board


class HealthCheck:
    """Of one open board. Threads may share it."""

    def __init__(self, application: "Application", workers: WorkerLook | None) -> None:
        self._application = application
        self._store = application.engine.store
        self._workers = workers
        self._lock = threading.Lock()
        self._looks: dict[str, _Look] = {}
        self._written: tuple[float, Component] | None = None  # the last trial write, and when
        self._left = 0  # events that such calls have still to prove
        self._proved = 0  # up to here the whole log is proved, by calls that asked for it
        self._faults: list[str] = []  # what these found
        self._has_proved = ""  # in words, once it came to the end

    def check(self, whole: bool = False) -> Health:
        until = self._now() + LONGEST
        parts: dict[str, Callable[[], Component]] = {
            "store": self._check_store,
            "chain": lambda: self._check_chain(whole),
            "worker": self._check_workers,
        }
        looks = [self._begun(name, part) for name, part in parts.items()]
        found = [look.answer(max(until - self._now(), 0.0)) for look in looks]
        return Health(ok=all(one.ok for one in found), components=found, left=self._left if whole else 0)

    def _now(self) -> float:
        return self._application.now()

    def _begun(self, name: str, part: Callable[[], Component]) -> "_Look":
        """One that has not answered yet is waited for once more: a disk that hangs does not get a thread per call."""
        with self._lock:
            look = self._looks.get(name)
            if look is None or look.is_over:
                look = self._looks[name] = _Look(name, part)
            return look

    def _check_store(self) -> Component:
        self._store.read(lambda reading: reading.head())
        if self._written is None or self._now() - self._written[0] > KEPT or not self._written[1].ok:
            self._written = (self._now(), _of_space(self._store.try_write(PATIENCE)))
        return self._written[1]

    def _check_chain(self, whole: bool) -> Component:
        if whole:
            self._prove_on()
        newest = self._store.prove(-1, NEWEST)
        self._left = max(newest.upto - self._proved, 0) if self._proved else 0
        if faults := [*newest.faults, *self._faults]:
            return _bad("chain", _listed(faults))
        words = f"the newest {min(newest.upto, NEWEST)} of {newest.upto} events are what was written"
        if whole and self._proved:
            words = f"{words}; {self._proved} are proved from the first on: ask again to go on"
        elif self._has_proved:
            words = f"{words}; {self._has_proved}"
        return _good("chain", words)

    def _prove_on(self) -> None:
        """The whole log, a slice of time for each call. What it finds stays until a later walk has found it well."""
        until = self._now() + SLICE
        faults = self._faults if self._proved else []
        upto, ends = self._proved, False
        while not ends:
            stretch = self._store.prove(upto, PAGE)
            faults, upto, ends = [*faults, *stretch.faults][:NAMED], stretch.upto, stretch.ends
            if self._now() >= until:
                break
        self._faults = faults if ends or faults else self._faults
        self._proved = 0 if ends else upto
        if ends:
            self._has_proved = "" if faults else f"all {upto} were, when the whole log was last proved"

    def _check_workers(self) -> Component:
        waiting = self._store.read(self._waiting)
        late = [run for run in waiting.runs if run.lease_until + GRACE < waiting.now]
        # Whoever took a claim with a clone may have been gone a moment later: of such a run the lease alone tells.
        started = [run for run in waiting.runs if not run.cloned]
        dead = [run for run in started if self._workers is not None and self._workers.dead(run.worker)]
        words = []
        if dead:
            words.append(f"the worker of {_named(dead)} is dead; the next worker takes up what it left")
        if late := [run for run in late if run not in dead]:
            words.append(f"the lease of {_named(late)} is over, and nobody has taken it up")
        if words:
            return _bad("worker", "; ".join(words))
        if waiting.ready and not waiting.paused and not waiting.runs and self._alone():
            many = f"{waiting.ready} items are" if waiting.ready > 1 else "1 item is"
            words.append(f"{many} ready and no worker runs here")
            return Component(name="worker", ok=True, warning=True, words=words[0])
        runs = "1 run, with a lease" if len(waiting.runs) == 1 else f"{len(waiting.runs)} runs, each with a lease"
        ready = "1 item is" if waiting.ready == 1 else f"{waiting.ready} items are"
        return _good("worker", f"{runs}; {ready} ready")

    def _alone(self) -> bool:
        return self._workers is not None and self._workers.alive() == 0

    def _waiting(self, reading: Reading) -> Waiting:
        now = moment(self._application.engine.clock, reading.head()).now
        flow = flow_in_force(reading)
        ready = sum(reading.queued(queue, READY_MAX) for queue in {*flow.agents, *flow.gates, LANDING})
        paused = any(pause.id == "all" and pause.on for pause in reading.pauses())
        return Waiting(reading.open_runs(), now, ready, paused)


class _Look:
    """One part, looked at by a thread of its own."""

    def __init__(self, name: str, part: Callable[[], Component]) -> None:
        self._name = name
        self._part = part
        self._found: Component | None = None
        self._thread = threading.Thread(target=self._run, name=f"moot-health-{name}", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def answer(self, seconds: float) -> Component:
        self._thread.join(seconds)
        return self._found or _bad(self._name, f"it did not answer within {LONGEST:.0f} seconds")

    def _run(self) -> None:
        try:
            self._found = self._part()
        except MootError as fault:
            self._found = _bad(self._name, fault.message)
        except Exception as fault:  # whatever it is, it is not sound
            self._found = _bad(self._name, f"{type(fault).__name__}: {fault}")


def _good(name: str, words: str) -> Component:
    return Component(name=name, ok=True, warning=False, words=words)


def _bad(name: str, words: str) -> Component:
    return Component(name=name, ok=False, warning=False, words=words)


def _of_space(free: int | None) -> Component:
    if free is None or free >= LITTLE:
        return _good("store", "it can be read and written")
    left = f"{free // 1024 // 1024} MB" if free >= 1024 * 1024 else f"{free // 1024} KB"
    if free < NONE:
        return _bad("store", f"there is no space left on its disk ({left}): free some")
    return Component(name="store", ok=True, warning=True, words=f"only {left} are left on its disk: free some")


def _listed(faults: list[str]) -> str:
    more = f", and {len(faults) - NAMED} more" if len(faults) > NAMED else ""
    return "; ".join(dict.fromkeys(faults[:NAMED])) + more


def _named(runs: list[Run]) -> str:
    shown = ", ".join(f"run {run.id} (item {run.item})" for run in runs[:NAMED])
    return shown + (f" and {len(runs) - NAMED} more" if len(runs) > NAMED else "")
