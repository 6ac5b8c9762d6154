"""The worker: fills its slots, keeps leases alive, ends what takes too long. It directs nobody: the board decides."""

import contextlib
import threading
from collections.abc import Callable, Sequence

from folkmoot.core.commands import Actor, ReleaseRun
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.rules.running.budgets import ALL
from folkmoot.core.rules.running.joining import lacking
from folkmoot.engine.assignment import Assignment
from folkmoot.errors import MootError, NothingToDo, Refused, Unavailable
from folkmoot.worker.forge.job import ProposalJob
from folkmoot.worker.jobs.effort import EffortJob
from folkmoot.worker.jobs.gate import GateJob
from folkmoot.worker.jobs.job import STORE_PAUSE, Job
from folkmoot.worker.jobs.landing import LandingJob
from folkmoot.worker.jobs.spending import renew
from folkmoot.worker.logins.waiting import Logins
from folkmoot.worker.ports import Sandbox, WorkerEvent
from folkmoot.worker.presence import Presence
from folkmoot.worker.reclaim import died, forget_logins, reclaim
from folkmoot.worker.slot_scheduler import SlotScheduler
from folkmoot.worker.startable import NO_RUN, why_not_startable
from folkmoot.worker.tools import Tools

LONGEST_SLEEP = 5.0
LOOK_SECONDS = 1.0  # between two looks at whether a person has taken a run's item away
TIDY_SECONDS = 30.0
NO_SANDBOX = "no_sandbox"  # the flow wants one, and there is none


class Worker:
    """One worker of a board; there may be many, on one machine or several, and each may die at any moment."""

    def __init__(
        self,
        tools: Tools,
        name: str,
        *,
        slots: int | None = None,
        agents: Sequence[str] = (),
        until_idle: bool = False,
        attends: bool = False,
        labels: Sequence[str] = (),
    ) -> None:
        """With `attends` it runs no agents: it sees to gates, landings and what dead workers left."""
        self.tools = tools
        self.name = name
        self.actor = Actor(name)
        self.flow: Flow = tools.application.queries.flow()
        self.only = list(agents)
        self.labels = list(labels)
        self.attends = attends
        self.jobs: dict[str, Job] = {}
        self._unable: dict[str, str | None] = {}
        # Where no agent can be started, it sees to gates and landings, and then there is nothing to wait for.
        self.scheduler = SlotScheduler(
            slots or self.flow.limits.slots, until_idle=until_idle or self._no_agent_startable()
        )
        self._threads: dict[str, threading.Thread] = {}
        self._wake = threading.Event()
        self._written = threading.Event()  # the board was written to since its runs were last looked up
        self._looked_at = 0.0  # when that was
        self._tidy_at = 0.0
        self._presence = Presence(self)
        self._look_at = 0.0
        self._ahead: threading.Thread | None = None
        self._tidying: threading.Thread | None = None
        self._freed: list[str] = []  # runs that have said all, and only clean up
        self._ended: list[str] = []
        self._lock = threading.Lock()
        self._barred: Unavailable | None = None  # why no run may begin any more
        self._looking = threading.Lock()
        self._guarding = threading.Event()  # there is another run to look after, or none any more
        self._is_over = False
        self._logins = Logins(tools, self.actor)

    def agents(self) -> list[str]:
        """Whom it can run: agents that the flow says how to start, and every gate with a command; and landings."""
        named = [] if self.attends else self.only or list(self.flow.agents)
        runnable = [name for name in named if name in self.flow.agents and self.unable(name) is None]
        able = [*(gate.name for gate in self.flow.gates.values() if gate.run), *runnable]
        return [LANDING, *(name for name in able if not lacking(self.flow, name, self.labels))]

    def unable(self, agent: str) -> str | None:
        """Why an agent cannot be run here; None if it can. Looked up once for each flow."""
        known = self._unable.get(agent, "")
        if known == "":
            tools = self.tools
            known = why_not_startable(tools.catalogue, self.flow, self.flow.agents[agent], tools.programs)
            self._unable[agent] = known
        return known

    def _no_agent_startable(self) -> bool:
        """Of the agents that the flow says how to start, can none be started here?"""
        named = [name for name in self.only or self.flow.agents if name in self.flow.agents and not self.attends]
        missing = [self.unable(name) for name in named]
        return None not in missing and any(why != NO_RUN for why in missing)

    # What others call, from any thread

    def wake(self) -> None:
        """The board was written to; while no slot is free, that is only remembered."""
        self.scheduler.woken()
        self._written.set()
        if self.scheduler.has_room:
            self._wake.set()

    def interrupt(self) -> int:
        """Asked to stop: once, and what runs may finish; twice, and it is ended and given back."""
        times = self.scheduler.interrupted()
        self._wake.set()
        self._guarding.set()
        return times

    # The loop

    def run(self, idle: Callable[[], None] = lambda: None) -> None:
        """Until it is stopped, or idle if it was told to end then. `idle` is called now and then, and at a change."""
        with self._presence.kept(self.tools.workspaces.home):
            guard = threading.Thread(target=self._guard, name="moot-guard", daemon=True)
            guard.start()
            try:
                forget_logins(self.tools)
                while True:
                    self._presence.tell()
                    self._tidy()
                    self._reap()
                    self._end_revoked()
                    self._timers()
                    self._obey_stop()
                    self._logins.look(self.flow)
                    self._fill()
                    if self.scheduler.is_over():
                        idle()  # what its last run asked is told too
                        self._tidy_up()
                        if self.scheduler.is_over():  # else a dead worker's run is free now
                            break
                    self._look_ahead()
                    idle()
                    self._sleep()
            finally:
                self._end_all()
                self._is_over = True
                self._guarding.set()
                guard.join()
        if self._barred is not None:
            raise self._barred

    def _guard(self) -> None:
        """Beside the loop, which may have to wait for the store: whatever must end is ended in time all the same. It
        asks the store for nothing."""
        while not self._is_over:
            self._look_after()
            now = self.tools.now()
            times = [job.timers.next_end() - now for job in list(self.jobs.values())]
            self._guarding.wait(max(0.0, min([LONGEST_SLEEP, *times])))
            self._guarding.clear()

    def _tidy(self) -> None:
        """See to what dead workers have left, at the start and then now and again; no lease waits for that."""
        busy = self._tidying is not None and self._tidying.is_alive()
        if not busy and (self.tools.now() >= self._tidy_at or self._somebody_died()):
            self._tidy_at = self.tools.now() + TIDY_SECONDS
            self._tidying = threading.Thread(target=self._reclaim, name="moot-tidy", daemon=True)
            self._tidying.start()

    def _somebody_died(self) -> bool:
        """Is a run left whose worker was killed? It is looked for while there is nothing else to do."""
        now = self.tools.now()
        if self.jobs or now < self._look_at:
            return False
        self._look_at = now + LONGEST_SLEEP
        with contextlib.suppress(MootError):
            return bool(died(self.tools))
        return False

    def _tidy_up(self) -> None:
        """At the end once more, for what died meanwhile."""
        if self._tidying is not None:
            self._tidying.join()
        self._reclaim()

    def _reclaim(self) -> None:
        if reclaim(self.tools, self._hurries):
            self.wake()

    def _hurries(self) -> bool:
        """Was it asked twice to stop?"""
        return self.scheduler.interrupts > 1

    def _reap(self) -> None:
        with self._lock:
            ended, self._ended = self._ended, []
            freed, self._freed = self._freed, []
        for run in freed:
            self.scheduler.ended(run)
        for run in ended:
            self._threads.pop(run).join()
            self.jobs.pop(run)
            self.scheduler.ended(run)

    def _timers(self) -> None:
        """Renew what is due, one by one: each may have to wait for the store, so all are looked at in between."""
        for _ in range(len(self.jobs) + 1):
            job = self._look_after()
            if job is None or not self._renew(job):
                return  # where the store cannot be reached, the others would wait as long for nothing

    def _end_revoked(self) -> None:
        """A person may have taken an item out of its run's hands: its processes end at once, and not when the lease is
        to be renewed."""
        now = self.tools.now()
        if not self.jobs or (now < self._looked_at + LONGEST_SLEEP and not self._written.is_set()):
            return
        self._written.clear()
        self._looked_at = now
        try:
            ended = self.tools.application.queries.ended(list(self.jobs))
        except Unavailable:
            return  # the next renewal tells it
        for run in ended:
            job = self.jobs[run]
            if not job.timers.done and job.timers.ending != "lost":
                job.end(job.timers.lost())

    def _obey_stop(self) -> None:
        """A person has paused the board, and wants what runs to end as well: each is given back, its work kept."""
        if not self.jobs:
            return
        with contextlib.suppress(MootError):  # a store that cannot be reached is asked again
            if any(pause.what == ALL and pause.now for pause in self.tools.application.queries.pauses().pauses):
                for job in list(self.jobs.values()):
                    if job.timers.ending is None and not job.timers.done:
                        job.end(job.timers.stop())

    def _look_after(self) -> Job | None:
        """End whatever must end now. Gives the run that has waited longest among those that are to be renewed."""
        to_renew = []
        with self._looking:
            for job in list(self.jobs.values()):
                if self.scheduler.interrupts > 1 and job.timers.ending is None:
                    job.end(job.timers.stop())
                act = job.timers.due(self.tools.now())
                if act is not None and act.do == "renew":
                    to_renew.append(job)
                elif act is not None:
                    job.end(act)
        return min(to_renew, key=lambda one: one.timers.acked, default=None)

    def _renew(self, job: Job) -> bool:
        """False if the store could not be reached."""
        sent = self.tools.now()
        job.timers.renewing(sent)
        try:
            renew(job)
            job.timers.renewed(sent)
        except Refused:
            if not job.timers.done:  # it may have reported while it was being renewed
                job.end(job.timers.lost())
        except Unavailable as error:
            job.tell("fault", f"the lease could not be renewed: {error.message}", good=False)
            return False
        return True

    def _fill(self) -> None:
        """Ask for one item, if a slot is free. The next one is asked for after another look at what runs."""
        if not self.scheduler.wants(self.tools.now()):
            return
        self.scheduler.asks()
        wait = self._next_wake()  # before it is asked: what wakes in between is given out, or was seen to rest
        try:
            self._claim()
        except NothingToDo:
            self.scheduler.nothing(self.tools.now(), wait)
        except Refused as error:
            if error.code != "stopped":
                raise
            self.scheduler.nothing(self.tools.now(), None)
        except Unavailable as error:
            if error.code == NO_SANDBOX:
                self._barred = error  # what runs may finish; nothing else begins
                self.scheduler.interrupted()
                return
            self.tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, error.message, good=False))
            self.scheduler.nothing(self.tools.now(), STORE_PAUSE)

    def _look_at_flow(self) -> None:
        """Everything that the flow decides is taken from the one in force, for each run anew."""
        self._take_flow(self.tools.application.queries.flow())

    def _take_flow(self, flow: Flow) -> None:
        if flow != self.flow:
            self.flow = flow
            self._unable.clear()

    def _claim(self) -> None:
        engine = self.tools.application.engine
        self.tools.step("claim", "")
        self._look_at_flow()
        sandboxed = self.tools.sandbox_of(self.flow).works
        sent = self.tools.now()
        assignment = engine.claim_next(
            self.actor, self.agents(), worker=self.name, sandboxed=sandboxed, labels=self.labels
        )
        self._take_flow(assignment.flow)
        box = self._box_as_said(assignment, sandboxed)
        if box is None:
            return
        job = self._job(assignment, box)
        job.free = lambda: self._free(job.run)
        job.hurry = self._guarding.set
        job.timers.renewed(sent)
        self.jobs[job.run] = job
        self._guarding.set()
        self.scheduler.claimed(job.run)
        job.tell("claimed")
        thread = threading.Thread(target=self._carry_out, args=(job,), name=f"moot-{job.run}", daemon=True)
        self._threads[job.run] = thread
        thread.start()

    def _box_as_said(self, assignment: Assignment, sandboxed: bool) -> Sandbox | None:
        """None: the flow has changed while the run was claimed, so it is given back before anything of it began."""
        try:
            box = self.tools.sandbox_of(self.flow)
            if box.works == sandboxed:
                return box
        except Unavailable as error:
            if error.code != NO_SANDBOX:
                raise
        self.tools.application.engine.act(assignment.actor, ReleaseRun())
        return None

    def _job(self, assignment: Assignment, box: Sandbox) -> Job:
        if assignment.agent == LANDING:
            proposes = self.flow.proposes and assignment.run_context.parent is None
            return (ProposalJob if proposes else LandingJob)(self.tools, assignment, box)
        kind = GateJob if assignment.agent in self.flow.gates else EffortJob
        return kind(self.tools, assignment, box)

    def _free(self, run: str) -> None:
        with self._lock:
            self._freed.append(run)
        self._wake.set()

    def _carry_out(self, job: Job) -> None:
        try:
            job.work()
        finally:
            with self._lock:
                self._ended.append(job.run)
            self._wake.set()

    def _look_ahead(self) -> None:
        """While all slots are busy, the next workspace is made: a slot that falls free need not wait for it.

        Not while one of them still makes its own: that would only be slower by it.
        """
        busy = self._ahead is not None and self._ahead.is_alive()
        if busy or self.scheduler.has_room or any(job.timers.started is None for job in list(self.jobs.values())):
            return
        if self.tools.workspaces.wants_ahead():
            self._ahead = threading.Thread(target=self._prepare, name="moot-ahead", daemon=True)
            self._ahead.start()

    def _prepare(self) -> None:
        try:
            self.tools.workspaces.look_ahead(self.flow.target)
        except (MootError, OSError) as error:
            # The run that needs it will meet the same trouble, and report it.
            self.tools.tell(
                WorkerEvent("fault", "", "", "", ENGINE_NAME, f"no clone could be made: {error}", good=False)
            )

    def _next_wake(self) -> float | None:
        try:
            return self.tools.application.queries.next_wake(self.agents())
        except MootError:
            return STORE_PAUSE

    def _sleep(self) -> None:
        now = self.tools.now()
        times = [self.scheduler.next_at(), *(job.timers.next_at() for job in self.jobs.values())]
        longest = LOOK_SECONDS if self.jobs else LONGEST_SLEEP
        self._wake.wait(max(0.0, min([longest, *(at - now for at in times)])))
        self._wake.clear()

    def _end_all(self) -> None:
        """However the loop ended, nothing goes on without it."""
        for job in list(self.jobs.values()):
            if not job.timers.done:
                job.end(job.timers.stop())
        beside = [thread for thread in (self._ahead, self._tidying) if thread is not None]
        for thread in [*self._threads.values(), *beside]:
            thread.join()
        self.tools.workspaces.close()
