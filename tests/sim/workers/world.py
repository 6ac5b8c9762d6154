"""The world that workers are in, and the judge who looks at all of them at every step and every second."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from folkmoot.api.views import ClaimView
from folkmoot.core.flow import LANDING
from folkmoot.engine.assignment import Assignment
from folkmoot.errors import MootError
from folkmoot.sim.faults import Crash
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.world import Outlook, Red, Script, World
from folkmoot.worker.slot_scheduler import LOOK_AGAIN

if TYPE_CHECKING:
    from tests.sim.workers.run import SimRun
    from tests.sim.workers.worker import SimWorker

RESCUE_SECONDS = 10.0  # beyond the lease of a worker that died
IDLE_SECONDS = LOOK_AGAIN + 2.0  # a slot that is free takes what is ready within this


class Next(Order, frozen=True):
    """A worker asks for the next item of any of its agents."""

    agents: tuple[str, ...] = ()


class WorkerWorld(World):
    """The world, with workers in it and a judge who looks at all of them at every step and every second."""

    def begin(self) -> None:
        self.workers: list[SimWorker] = []
        self.runs: dict[str, SimRun] = {}
        self.faults = True
        self._overdue: dict[str, float] = {}  # since when a run of a dead worker could have been taken from it
        self._ready_since = math.inf
        self._seen = 0
        self.on_step = self._after

    def _speak(self, order: Order) -> tuple[Answer, Crash | None]:
        if not isinstance(order, Next):
            return super()._speak(order)
        try:
            given = self.engine.claim_next(order.actor, order.agents, worker=order.actor.name)
            return Answer(view=self._shown(given)), None
        except MootError as error:
            return Answer(error=error), None
        except Exception as fault:
            raise Red(self.step, [f"the engine broke: {type(fault).__name__}: {fault}; on a claim"]) from fault

    def _shown(self, given: Assignment) -> ClaimView:
        """What the run's agent is told, and its item as it is now."""
        return ClaimView(
            run=given.run,
            token=given.token,
            agent=given.agent,
            model=given.model,
            lease_expires_at=None,
            workspace=None,
            item=self.queries.show(given.run_context.item),
            brief=given.brief,
        )

    def _check_refusal(self, order: Order, error: MootError, outlook: Outlook, events: Sequence[str]) -> None:
        super()._check_refusal(order, error, outlook, events)
        if isinstance(order, Next) and error.code == "nothing_ready":
            for agent in order.agents:
                missed = self._for(agent, outlook.moment.now)
                if missed:
                    self.witness.found.append(f"R-03: item {missed} could be claimed, but {order.actor.name} got none")

    def _for(self, agent: str, now: float) -> str | None:
        item = self.witness.first(agent, now) if self.witness.may_begin(agent, now) else None
        return item.id if item else None

    def _after(self, order: Order, answer: Answer) -> None:
        run = self.runs.get(order.actor.run or "")
        if run is not None and answer.view is not None and (run.timers.ending == "lost" or not run.worker.alive):
            self.accuse(f"a run of {run.worker.name} was given up, yet its {type(order.command).__name__} was taken")
        # In truth a renewal wakes others as well; here it would only cost time.
        news = [name for name, *_ in self.witness.log[self._seen :] if name != "lease_renewed"]
        self._seen = len(self.witness.log)
        for worker in self.workers if news else ():
            worker.hint()
        self.look()

    def accuse(self, words: str) -> None:
        raise Red(self.step, [f"worker: {words}"])

    # The judge

    def judge(self) -> Script:
        while True:
            yield 1.0
            self.look()
            self._look_for_idle()

    def look(self) -> None:
        now = self.clock.time
        for worker in self.workers:
            if len(worker.runs) > worker.slots:
                self.accuse(f"{worker.name} has {len(worker.runs)} runs in {worker.slots} slots")
            for run in worker.runs.values() if worker.alive and worker.thawed_at + 0.5 < now else ():
                if run.is_at_large and now > run.held_from + run.lease:
                    self.accuse(f"the processes of run {run.id} go on after its lease of {run.lease:g}s")
        self._look_for_dead(now)

    def _look_for_dead(self, now: float) -> None:
        for run in list(self.runs.values()):
            row = self.witness.run(run.id)
            assert row is not None
            if row.ended_at is not None:
                if row.end == "rescued" and run.worker.alive and run.worker.troubled_at < run.claimed_at:
                    self.accuse(f"{run.worker.name} had no trouble, and lost run {run.id} all the same")
                del self.runs[run.id]
            elif not run.worker.alive and row.lease_until <= self.now:
                since = max(self._overdue.setdefault(run.id, now), self._healthy_since())
                if now - since > RESCUE_SECONDS:
                    self.accuse(f"item {row.item} is still with {run.worker.name}, which died long ago")

    def _free(self) -> "list[SimWorker]":
        return [w for w in self.workers if w.alive and not w.scheduler.stopping and len(w.runs) < w.slots]

    def _healthy_since(self) -> float:
        """Since when some worker with a free slot has had no trouble at all."""
        return min((max(w.well_from, w.free_since) for w in self._free()), default=math.inf)

    def _look_for_idle(self) -> None:
        now = self.clock.time
        held_up = self.flow.questions.pause_all and self.witness.open_questions
        agents = () if held_up else (*self.flow.agents, *self.flow.gates, LANDING)
        if not any(self._for(agent, self.now) for agent in agents if self.witness.queues.get(agent)):
            self._ready_since = math.inf
            return
        self._ready_since = min(self._ready_since, now)
        if now - max(self._ready_since, self._healthy_since()) > IDLE_SECONDS:
            self.accuse("an item is ready and a slot is free, and nobody takes it")
