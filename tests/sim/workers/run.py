"""One run in its worker: a workspace is made, processes run and print, they end, and the board is told."""

import math
from collections.abc import Generator
from typing import TYPE_CHECKING
from zlib import crc32

from folkmoot.api.views import ClaimView
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import LANDING
from folkmoot.core.report import Report
from folkmoot.errors import MootError
from folkmoot.sim.agents import CHARACTERS, Agent
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.world import Script
from folkmoot.worker.run_timers import Act, RunTimers
from tests.sim.workers.thread import Thread

if TYPE_CHECKING:
    from tests.sim.workers.worker import SimWorker

STORE_PAUSE = 1.0
VOICES = tuple(sorted(set(CHARACTERS) - {"silent", "zombie", "slow"}))


class Ending(Exception):
    """The run was lost, or stopped: it says nothing more."""


class Voice(Agent):
    """What a run says at its end, through its worker: it goes on saying it while the store cannot be reached."""

    def __init__(self, run: "SimRun", character: str) -> None:
        super().__init__(run.worker.world, run.worker.name, character)
        self._run = run

    def _insist(self, order: Order) -> Generator[float, None, Answer]:
        while True:
            self._run.check_alive()
            answer = None
            if self._run.worker.now >= self._run.worker.cut_until:
                answer = self.world.say(order)
            if answer is not None and answer.code == "stale_claim":
                self._run.timers.lost()
                raise Ending
            if answer is not None and not answer.lost:
                return answer
            yield STORE_PAUSE


class SimRun:
    """What its worker knows of it, and what only the world knows."""

    def __init__(self, worker: "SimWorker", claim: ClaimView, sent: float) -> None:
        self.worker = worker
        self.world = worker.world
        self.chance = worker.chance
        self.claim = claim
        self.id = claim.run
        row = self.world.witness.run(self.id)
        assert row is not None
        self.actor = Actor(row.agent, row.id, row.token)
        self.lease = row.lease
        self.claimed_at = sent
        self.held_from = worker.now  # when the store last made the lease anew; the worker may not have heard of it
        limits = self.world.flow.limits
        self.timers = RunTimers(worker.now, row.lease, limits.timeout, limits.silence, limits.after_report)
        self.timers.renewed(sent)
        self.is_at_large = False  # does its process run, and has nobody told it to end?
        self._kill_at = math.inf
        self._stopped = False
        self._thread = Thread(worker)
        self._thread.start(self._script())

    def end(self, act: Act) -> None:
        self._stopped = self._stopped or act.why in ("lost", "stopped")
        self.is_at_large = False
        said = self.timers.reported_at
        if (
            act.why in ("timeout", "silence")
            and said is not None
            and self.worker.now >= said + self.timers.after_report
        ):
            self.world.accuse(f"run {self.id} had reported, and was ended by {act.why} all the same")
        self._kill_at = min(self._kill_at, self.worker.now + self.chance.uniform(0.0, act.grace))
        self._thread.wake()

    def check_alive(self) -> None:
        if self._stopped:
            raise Ending

    def _script(self) -> Script:
        try:
            yield self.chance.uniform(0.1, 3.0)
            self.check_alive()
            yield from self._process()
            self.check_alive()
            yield from self._tell()
        except Ending:
            if self.timers.ending == "stopped" and self.worker.now >= self.worker.cut_until:
                self.world.say(Order(self.actor, commands.ReleaseRun()))
        self.timers.done = True
        self._check_told()
        self.worker.finished(self)

    def _process(self) -> Script:
        chance, worker = self.chance, self.worker
        ways = ("quick",) if worker.good else ("quick", "quick", "quick", "long", "hangs", "chatters", "lingers")
        way = chance.choice(ways)
        mean = 3.0 if worker.good else 12.0
        seconds = {"quick": chance.expovariate(1 / mean), "long": chance.uniform(0.5, 4) * self.lease}.get(
            way, math.inf
        )
        ends_at = worker.now + (chance.expovariate(1 / mean) if way == "lingers" else seconds)
        self.is_at_large = True
        self.timers.started_at(worker.now)
        if way == "hangs" and crc32(self.id.encode()) % 2:  # its own luck: it has said all, and stays
            self.timers.reported(worker.now)
            worker.main.wake()
        while worker.now < min(ends_at, self._kill_at):
            speaks_at = worker.now + (chance.uniform(1.0, self.lease) if way != "hangs" else math.inf)
            sleep = min(ends_at, self._kill_at, speaks_at) - worker.now
            yield from self._thread.sleep(min(sleep, 1e6))
            if worker.now >= speaks_at:
                self._print()
            if way == "lingers" and worker.now >= ends_at:
                self.timers.over(worker.now)
                ends_at = math.inf
                worker.main.wake()
        self.is_at_large = False
        self.timers.process_ended()

    def _print(self) -> None:
        self.timers.heard(self.worker.now)
        row = self.world.witness.run(self.id)
        if self.worker.now < self.worker.cut_until or row is None:
            return
        try:
            self.world.engine.keep_output(self.actor, [(0, "words")])
        except MootError:
            self.end(self.timers.lost())
        else:
            if row.ended_at is not None:
                self.world.accuse(f"what run {self.id} printed was kept after it had ended")

    def _tell(self) -> Script:
        character = "good" if self.worker.good else self.chance.choice(("obedient", "obedient", *VOICES))
        if self.actor.name == LANDING and character not in ("good", "releasing"):
            character = "obedient"
        voice = Voice(self, character)
        if self.timers.ending in ("timeout", "silence") and self.timers.reported_at is None:
            late = commands.ReportRun(report=Report.failed("it was ended", "timeout"))
            yield from voice._insist(Order(self.actor, late))
            return
        yield from voice._end(self.claim, self.actor, character)
        if self._is_open():
            # What the board would not hear is told to it as what it is: nothing can be taken of it.
            words = commands.ReportRun(report=Report.failed("refused", "environment"))
            yield from voice._insist(Order(self.actor, words))

    def _is_open(self) -> bool:
        row = self.world.witness.run(self.id)
        return row is not None and row.ended_at is None

    def _check_told(self) -> None:
        if self._is_open() and self.worker.troubled_at < self.claimed_at and self.timers.ending != "lost":
            self.world.accuse(f"{self.worker.name} has left run {self.id} without a word")
