"""What all runs of a worker share: their lease, their processes, what is kept of their output, and how they end."""

import os
import select
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from folkmoot.api.views import ItemView
from folkmoot.core.commands import Actor, NoteSetup, PauseRun, ReleaseRun, ReportRun
from folkmoot.core.report import Report
from folkmoot.engine.assignment import Assignment
from folkmoot.engine.engine import Engine
from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.worker.environment import environment, make_tmp
from folkmoot.worker.git.harvest.bounds import HARVEST_SECONDS, STOP_SECONDS, Patience
from folkmoot.worker.git.remote.remote import RemoteAway
from folkmoot.worker.jobs.bounds import SPACE, bounds_of, make_room
from folkmoot.worker.jobs.own_ports import OwnPorts
from folkmoot.worker.jobs.spending import Spending, renew
from folkmoot.worker.logins.placing import place
from folkmoot.worker.output import Lines, Output
from folkmoot.worker.ports import Child, Ended, Launch, Paths, Sandbox, WorkerEvent
from folkmoot.worker.run_timers import Act, RunTimers
from folkmoot.worker.secrets.redactor import Redactor, known_values
from folkmoot.worker.setups.included import Included, texts
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces, disown

Answer = TypeVar("Answer")
Hear = Callable[[str], None]
CHUNK = 65_536
PIPE_MAX = 1024 * 1024  # more is in no pipe: it was written after the end, by somebody who was handed the pipe
LOOK_SECONDS = 0.5
STORE_PAUSE = 1.0  # seconds before a store that could not be reached is asked again
REMOTE_PAUSE, REMOTE_PATIENCE = 5.0, 600.0  # seconds: between two tries of the remote, and for all of them in a run
ERRORS_KEPT = 32_000


class RunAborted(Exception):
    """The run is over before its time: lost, or stopped. What it did is kept, and nothing is reported."""


class Job(ABC):
    """One run, from its claim to its end, in a thread of its own. Only `end` is called by others."""

    spends = False  # does a budget end it?
    remote_patience, _away_since = REMOTE_PATIENCE, 0.0
    mates: Sequence[Actor] = ()  # runs that it has taken beside its own, and renews with it

    def __init__(self, tools: Tools, assignment: Assignment, sandbox: Sandbox) -> None:
        self.tools = tools
        self.assignment = assignment
        self.flow = flow = assignment.flow
        self.sandbox = sandbox
        self.run, self.agent = assignment.run, assignment.agent
        self.model = assignment.model
        self.item = assignment.run_context.item
        self.title = assignment.run_context.title
        self.actor = assignment.actor
        self.paths: Paths = tools.workspaces.paths(self.run)
        self.included: list[Included] = []  # files of the user's that its clone got
        self.redactor = self.knowing()
        self.errors_tail = ""  # the last words on its standard error
        self.output = Output(self._keep_output)
        wall, silence = self.limits()
        self.timers = RunTimers(tools.now(), flow.limits.lease, wall, silence, flow.limits.after_report)
        self.spending = Spending(flow, self.model)
        self.became = ""  # how it ended, in words
        self.free: Callable[[], None] = lambda: None  # set by the worker: it has a slot again
        self.hurry: Callable[[], None] = lambda: None  # set by the worker: it may have to be ended sooner than it was
        self.look: Callable[[], None] = lambda: None  # called now and then while a process runs
        self.is_alive: Callable[[str], bool] = lambda line: True  # is a line of it a sign of life?
        self._ports = OwnPorts(tools.take_ports, self.output.add)
        self._child: Child | None = None
        self._stopped = threading.Event()
        self._told_last = ""
        self._lock = threading.Lock()

    def limits(self) -> tuple[float, float]:
        """The longest it may take, and the longest it may say nothing."""
        return self.flow.longest(self.agent)

    @abstractmethod
    def carry_out(self) -> None:
        """What this kind of run does; ends by reporting."""

    def work(self) -> None:
        """The whole run. Whatever goes wrong in it is reported: a worker that is alive never lets a lease run out."""
        try:
            self.carry_out()
        except RunAborted:
            self._give_back()
        except RemoteAway as error:
            self._set_down(error)
        except MootError as error:
            self._failed(error.message)
        except Exception as error:
            self._failed(f"{type(error).__name__}: {error}")
        finally:
            self.timers.done = True
            self._ports.close()

    def _set_down(self, error: RemoteAway) -> None:
        """The remote is away: an outage like any other, which passes by itself. Nothing is counted."""
        self.became = error.message
        try:
            self.close_output()
            pause = PauseRun(why=self.became, cause="outage", seconds=error.seconds, shown=True)
            self.submit(lambda engine: engine.act(self.actor, pause))
            self.tell("released", self.became)
        except (RunAborted, Refused):
            self._give_back()

    def _failed(self, words: str) -> None:
        if self.timers.ending in ("lost", "stopped"):
            self._give_back()
            return
        self.became = f"it could not be run: {words}"
        try:
            self.close_output()
            self.report(Report.failed(self.redactor.clean(words), cause="environment"))
        except RunAborted:
            self._give_back()  # it ended while this was to be said, or before: then what failed came after it
        except MootError as error:
            self.became = f"{self.became}; and the board refused to hear of it: {error.message}"
            self.tell("fault", self.became, good=False)

    def _give_back(self) -> None:
        self.became = "given back" if self.timers.ending == "stopped" else "its lease was lost"
        if self.timers.ending == "stopped":
            try:
                if self.spending.is_new:
                    renew(self)
                self.tools.application.engine.act(self.actor, ReleaseRun())
            except Refused:
                self.became = "its lease was lost"  # the board has it already
            except Unavailable as error:
                self.became = f"left to its lease: {error.message}"
        self.tell("released", self.became)

    # What others call

    def end(self, act: Act) -> None:
        """End its processes, whichever it has, and let it begin no other."""
        with self._lock:
            # Who has reported is ended, and what it said is taken in, also where the worker is to stop.
            if act.why == "lost" or (act.why == "stopped" and not self.has_reported()):
                self._stopped.set()
            if self._child is not None:
                self._child.end(act.grace)

    def has_reported(self) -> bool:
        """Has it said all, though its process still goes on?"""
        return False

    # What the kinds of runs use

    def tell(self, what: str, words: str = "", *, good: bool | None = None) -> None:
        event = WorkerEvent(what, self.run, self.item, self.title, self.agent, words, self.model, good)
        self.tools.tell(event)

    def over(self) -> None:
        """All is said. What is left is to clean up, and no slot waits for that."""
        self.timers.done = True
        self.free()

    def clear_away(self) -> None:
        """Delete the workspace of a run that changes nothing; what cannot be deleted now is left for `tidy`."""
        try:
            self.tools.workspaces.remove(self.paths, self.hurries())
        except (MootError, OSError) as error:
            self.tell("fault", f"what it left in {self.paths.root} could not be deleted: {error}", good=False)
            disown(self.paths)

    def hurries(self) -> Callable[[], bool]:
        """Has a run that was told to end had its time to clean up?"""
        until = self.tools.now() + STOP_SECONDS
        return lambda: self._stopped.is_set() and self.tools.now() >= until

    def patience(self, what: str) -> Patience:
        """For the engine's own work on what a run's processes left."""
        return Patience(what, HARVEST_SECONDS, self.tools.now, self._stopped.is_set)

    def step(self, name: str) -> None:
        self.check_alive()
        self.tools.step(name, self.run)

    def note_setup(self, note: NoteSetup) -> None:
        self.submit(lambda engine: engine.act(self.actor, note))

    def check_alive(self) -> None:
        if self._stopped.is_set():
            raise RunAborted

    def knowing(
        self,
        passed: Sequence[str] = (),
        files: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> Redactor:
        """The gate that all words of the run pass before they are kept or shown: it knows what must not get through."""
        env, own = self.tools.env, texts(self.included)
        return Redactor(known_values(self.tools.known, env, passed, files or {}, values or {}, own))

    def environment(
        self,
        names: Sequence[str],
        values: Mapping[str, str],
        run: Mapping[str, str],
        *,
        cache: str | None = None,
        paths: Paths | None = None,
        for_all: bool = False,
    ) -> dict[str, str]:
        """`for_all`: what is made with it is for other runs too, so it knows nothing of this one."""
        paths = paths or self.paths
        if not for_all:
            run = {**run, "MOOT_ITEM": self.item, **self._ports.variables(self.flow.clone.ports, self.paths.root)}
        make_tmp(paths.home)
        if "PATH" in values:
            values = {**values, "PATH": self.tools.programs.outside(values["PATH"])}
        env, moot = self.tools.env, self.tools.moot
        return environment(names, values, worker_env=env, paths=paths, moot=moot, cache=cache, run=run)

    def launch(
        self,
        argv: list[str],
        env: dict[str, str],
        *,
        network: bool,
        stdin: bytes = b"",
        doors: Sequence[str] = (),
        writable: Sequence[str] = (),
        named: Sequence[str] | None = None,
        files: Mapping[str, bytes] | None = None,
        paths: Paths | None = None,
    ) -> Launch:
        """`named` are the flow's own words for the command: what was put in for them shows nothing of the machine.
        `files` lie below HOME for this process tree alone: in a sandbox in memory, without one on the disk until the
        tree has ended."""
        workspaces, paths = self.tools.workspaces, paths or self.paths
        placed = place(files or {}, paths.home, self.sandbox.works)
        for words in placed.notes:
            self.output.add(f"folkmoot: {words}\n")
        wrapped = self.sandbox.wrap(
            argv,
            writable=[paths.workspace, paths.home, paths.spool, *writable],
            readable=[*workspaces.readable, *doors],
            cwd=paths.workspace,
            network=network,
            named=argv if named is None else named,
            hidden=workspaces.hidden(paths),
            memory=list(placed.memory),
            filtered=True,
        )
        contents = [content for content in placed.memory.values() if content is not None]
        return Launch(
            argv=wrapped,
            env=env,
            cwd=paths.workspace,
            stdin=stdin,
            bounds=bounds_of(self.flow.limits, paths),
            files=[*contents, *([self.sandbox.rules] if self.sandbox.rules else [])],
            forget=placed.disk,
            apart=self.sandbox.apart,
        )

    def run_process(self, launch: Launch, hear: Callable[[str], None], *, all_of_it: bool = False) -> Ended:
        """Run a process tree to its end; `hear` gets the lines of its standard output as they come.
        With `all_of_it` those of its standard error too: there checks say what is wrong."""
        with self._lock:
            self.check_alive()
            child = self._child = self.tools.keeper.start(launch)
        self.timers.started_at(self.tools.now())
        try:
            ended = self._follow(child, hear, hear if all_of_it else None)
            if ended.limit == SPACE and (fault := make_room(self.paths, self._stopped.is_set)):
                self.tell("fault", fault, good=False)
            return ended
        finally:
            with self._lock:
                self._child = None
            self.timers.process_ended()
            child.close()

    def _follow(self, child: Child, hear: Hear, hear_errors: Hear | None) -> Ended:
        poll = select.poll()
        # Each pipe has a gate of its own: what comes on the other must not tear a secret in two.
        open_pipes = {fd: (Lines(), Redactor(self.redactor.known)) for fd in (child.output, child.errors)}
        for fd in (child.control, *open_pipes):
            poll.register(fd, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll(LOOK_SECONDS * 1000)}
            ended = child.ended()  # before the last look at the output, so that nothing is written after it
            for fd in list(open_pipes) if ended else ready & open_pipes.keys():
                lines = hear if fd == child.output else hear_errors
                if not self._read(fd, *open_pipes[fd], lines, whole=ended is not None):
                    poll.unregister(fd)
                    del open_pipes[fd]
            self.output.flush(self.tools.now())
            self.look()
            if ended is not None:
                for fd, (rest, gate) in open_pipes.items():
                    said = hear if fd == child.output else hear_errors
                    self._take(rest.feed(b"", last=True), gate, said, last=True)
                return ended

    def _read(self, fd: int, lines: Lines, gate: Redactor, hear: Hear | None, *, whole: bool) -> bool:
        """Read a piece, or all that is there. False when no more will come."""
        for _ in range(PIPE_MAX // CHUNK):
            try:
                data = os.read(fd, CHUNK)
            except BlockingIOError:
                return True
            heard = lines.feed(data, last=not data)
            if not heard[1] or any(map(self.is_alive, heard[1])):
                self.timers.heard(self.tools.now())
            self._take(heard, gate, hear, last=not data)
            if not data or not whole:
                return bool(data)
        return True

    def _take(self, heard: tuple[str, list[str]], gate: Redactor, hear: Hear | None, *, last: bool) -> None:
        text, lines = heard
        self.output.add(gate.feed(text) + (gate.flush() if last else ""))
        if hear is None:
            self.errors_tail = (self.errors_tail + text)[-ERRORS_KEPT:]
            return
        for line in lines:
            hear(line)

    def close_output(self) -> None:
        """All of it, also where the store can only be reached after a while."""
        while not self.output.flush(self.tools.now(), last=True):
            if self._stopped.wait(STORE_PAUSE):
                raise RunAborted

    def _keep_output(self, parts: Sequence[tuple[int, str]]) -> bool:
        """False: not now. Words that cannot be kept for a while are no reason to end what says them."""
        try:
            self.tools.application.engine.keep_output(self.actor, parts)
        except Refused:
            self.end(self.timers.lost())  # the run has ended without us
        except Unavailable as error:
            self._tell_once(f"what it printed could not be kept: {error.message}")
            return False
        self._told_last = ""
        return True

    def _tell_once(self, words: str) -> None:
        """What is tried again and again is told when it is something new."""
        if words != self._told_last:
            self.tell("fault", words, good=False)
        self._told_last = words

    def submit(self, say: Callable[[Engine], Answer]) -> Answer:
        """Say it for the run. A store that cannot be reached is asked again for as long as the lease lasts."""
        while True:
            try:
                return say(self.tools.application.engine)
            except Unavailable as error:
                self._tell_once(f"the board cannot be told: {error.message}")
                if self._stopped.wait(STORE_PAUSE):
                    raise RunAborted from error

    def send(self, refs: Mapping[str, str]) -> None:
        """Have commits on the remote before the board is told of them: so whatever it names, every machine can have."""
        workspaces = self.tools.workspaces
        remote = workspaces.repository.remote_now() if isinstance(workspaces, GitWorkspaces) else None
        while remote is not None:
            try:
                return remote.send(refs)
            except RemoteAway as error:
                self.wait_for_remote(error)

    def wait_for_remote(self, error: RemoteAway) -> None:
        """Before it is tried again, for a bounded time; then the run ends, and nothing of it is counted."""
        self._away_since = self._away_since or self.tools.now()
        if self.tools.now() - self._away_since >= self.remote_patience:
            raise error
        self._tell_once(error.message)
        if self._stopped.wait(REMOTE_PAUSE):
            raise RunAborted from error

    def report(self, report: Report, *, move: Callable[[str], None] | None = None, **seen: Any) -> ItemView:
        """`move` moves the branch that a landing is for, inside the transaction that takes in its report."""
        self.step("report")
        command = ReportRun(report=report, final=True, **seen)  # its process is over: nobody is there to say it better
        try:
            who = self.actor
            view = self.submit(lambda to: to.land(who, command, move) if move else to.handle_run(who, command))
        except Refused as error:
            if error.code == "stale_claim":
                self.timers.lost()
                raise RunAborted from error
            raise
        self.timers.done = True
        return view
