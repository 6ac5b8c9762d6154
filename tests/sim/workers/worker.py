"""The worker's loop as it really is, with calls that take time and get lost."""

from collections.abc import Generator

from folkmoot.api.views import ClaimView
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import LANDING
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.world import Script
from folkmoot.worker.slot_scheduler import SlotScheduler
from tests.sim.workers.run import STORE_PAUSE, SimRun
from tests.sim.workers.thread import Thread
from tests.sim.workers.world import Next, WorkerWorld

SHORTEST_SLEEP, LONGEST_SLEEP = 0.02, 60.0  # however wrong its times are, the world goes on
SLOW_RATE, LOST_RATE, WAKE_LOST_RATE = 0.05, 0.03, 0.1
Call = Generator[float, None, Answer | None]


class SimWorker:
    """One worker. Whatever happens to it, it knows only by its calls and its clock."""

    def __init__(self, world: WorkerWorld, name: str, slots: int, *, good: bool = False) -> None:
        self.world = world
        self.name = name
        self.slots = slots
        self.good = good
        self.chance = world.chance
        self.scheduler = SlotScheduler(slots)
        self.runs: dict[str, SimRun] = {}
        self.alive = True
        self.thawed_at = 0.0  # until then its process stands still
        self.cut_until = 0.0  # until then it cannot reach the store
        self.troubled_at = -1.0  # when something last went wrong with it
        self.well_from = self.free_since = world.clock.time
        self.main = Thread(self)
        self.main.start(self._script())
        world.workers.append(self)

    @property
    def now(self) -> float:
        return self.world.clock.time

    def agents(self) -> tuple[str, ...]:
        flow = self.world.flow
        return (LANDING, *flow.gates, *flow.agents)

    # What happens to it

    def hint(self) -> None:
        if self.alive and not (self.world.faults and self.chance.random() < WAKE_LOST_RATE):
            self.scheduler.woken()
            self.main.wake(self.chance.uniform(0.0, 0.2))

    def note_trouble(self, seconds: float = 0.0) -> None:
        self.troubled_at = max(self.troubled_at, self.now + seconds)
        self.well_from = max(self.well_from, self.now + seconds)

    def die(self) -> None:
        self.alive = False

    def freeze(self, seconds: float) -> None:
        self.note_trouble(seconds)
        self.thawed_at = max(self.thawed_at, self.now + seconds)

    def cut_off(self, seconds: float) -> None:
        self.note_trouble(seconds)
        self.cut_until = max(self.cut_until, self.now + seconds)

    def interrupt(self) -> None:
        self.scheduler.interrupted()
        self.main.wake()

    def finished(self, run: SimRun) -> None:
        self.runs.pop(run.id)
        self.scheduler.ended(run.id)
        self.free_since = self.now
        self.main.wake()

    # The loop

    def _script(self) -> Script:
        while True:
            yield from self._watch()
            yield from self._fill()
            if self.scheduler.is_over():
                self.alive = False
                return
            times = [self.scheduler.next_at(), *(run.timers.next_at() for run in self.runs.values())]
            yield from self.main.sleep(max(SHORTEST_SLEEP, min([LONGEST_SLEEP, *(at - self.now for at in times)])))

    def _watch(self) -> Script:
        for _ in range(len(self.runs) + 1):
            run = self._look_after()
            if run is None:
                return
            sent = self.now
            run.timers.renewing(sent)
            answer = yield from self.call(Order(run.actor, commands.RenewRun()), run)
            if answer is None:
                return
            if answer.view is not None:
                run.timers.renewed(sent)
            elif not run.timers.done:
                run.end(run.timers.lost())

    def _look_after(self) -> SimRun | None:
        to_renew = []
        for run in list(self.runs.values()):
            if self.scheduler.interrupts > 1 and run.timers.ending is None:
                run.end(run.timers.stop())
            act = run.timers.due(self.now)
            if act is not None and act.do == "renew":
                to_renew.append(run)
            elif act is not None:
                run.end(act)
        return min(to_renew, key=lambda one: one.timers.acked, default=None)

    def _fill(self) -> Script:
        if not self.scheduler.wants(self.now):
            return
        self.scheduler.asks()
        wait = self.world.queries.next_wake(self.agents())
        sent = self.now
        order = Next(Actor(self.name), commands.ClaimItem(agent="", lease=0), agents=self.agents())
        answer = yield from self.call(order)
        if answer is None:
            self.scheduler.nothing(self.now, STORE_PAUSE)
        elif isinstance(answer.view, ClaimView):
            run = self.runs[answer.view.run] = self.world.runs[answer.view.run] = SimRun(self, answer.view, sent)
            self.scheduler.claimed(run.id)
        else:
            stopped = answer.code == "stopped"
            self.scheduler.nothing(self.now, None if stopped else wait)

    def call(self, order: Order, run: SimRun | None = None) -> Call:
        """One call of the store: it takes its time, and may fail before or after it was heard. None: nobody knows."""
        chance, faults = self.chance, self.world.faults and not self.good
        if self.now < self.cut_until:
            yield chance.uniform(0.0, 0.5)
            return None
        yield self._delay(faults)
        if faults and chance.random() < LOST_RATE:
            self.note_trouble()
            return None
        answer = self.world.say(order)
        if run is not None and answer.view is not None:
            run.held_from = self.now
        yield self._delay(faults)
        if answer.lost or (faults and chance.random() < LOST_RATE):
            self.note_trouble()
            return None
        return answer

    def _delay(self, faults: bool) -> float:
        if faults and self.chance.random() < SLOW_RATE:
            seconds = self.chance.uniform(0.0, self.world.flow.limits.lease / 8)
            self.note_trouble(seconds)
            return seconds
        return self.chance.uniform(0.001, 0.05)
