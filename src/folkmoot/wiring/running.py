"""Puts a worker together: the board, the keeper of its processes, the sandbox, the repository, the clients."""

import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import msgspec

from folkmoot.core.flow import Flow
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid
from folkmoot.system.alone import alone
from folkmoot.system.git import SystemGit
from folkmoot.system.keeping import SystemKeeper
from folkmoot.system.processes import own
from folkmoot.system.relay import RelayServer
from folkmoot.system.sandbox import choose
from folkmoot.system.wake import FileWatch
from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.git.places import find
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.salvage import Salvage, Unlanded
from folkmoot.worker.jobs.job import Happening, Tools
from folkmoot.worker.worker import ENGINE, Worker
from folkmoot.worker.workshop import FolderWorkshop, GitWorkshop, Workshop

STORE = "board.db"


def project_of(home: str) -> str:
    return os.path.dirname(os.path.abspath(home))


def open_repository(home: str, target: str) -> Repository | None:
    """The repository that the board lies in; None for a plain folder."""
    root = project_of(home)
    return Repository.open(SystemGit(), root, os.path.abspath(home), target) if find(root) is not None else None


def open_workshop(home: str, flow: Flow) -> Workshop:
    repository = open_repository(home, flow.target)
    if repository is not None:
        return GitWorkshop(repository, time.sleep)
    lock = os.path.join(home, "writer.lock")
    return FolderWorkshop(project_of(home), os.path.abspath(home), lambda: alone(lock))


@contextmanager
def tools_of(
    application: Application,
    home: str,
    tell: Callable[[Happening], None],
    step: Callable[[str, str], None] = lambda name, run: None,
    *,
    adopts: bool = False,
) -> Iterator[Tools]:
    home = os.path.abspath(home)
    flow = application.queries.flow()
    with ExitStack() as stack:
        keeper = SystemKeeper(adopts)
        stack.callback(keeper.close)
        workshop = open_workshop(home, flow)
        # Where each run has a clone, the user's own tree, with all that is not committed in it, is nobody's business.
        hidden = [home, project_of(home)] if isinstance(workshop, GitWorkshop) else [home]
        yield Tools(
            application=application,
            keeper=keeper,
            sandbox=choose(flow.sandbox, hidden, os.environ),
            workshop=workshop,
            catalogue=Catalogue.load(),
            now=time.monotonic,
            env=dict(os.environ),
            root=project_of(home),
            moot=_folder_of_moot(),
            which=shutil.which,
            open_door=RelayServer,
            tell=tell,
            step=step,
        )


def _folder_of_moot() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "moot")
    found = beside if os.path.exists(beside) else shutil.which("moot")
    return os.path.dirname(found) if found else os.path.dirname(sys.executable)


def worker_name() -> str:
    """Random for each start: a name that came again would make a dead worker's runs look like a live one's."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"


def work(
    application: Application,
    home: str,
    *,
    slots: int | None,
    agents: list[str],
    until_idle: bool,
    tell: Callable[[Any], None],
    begin: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Run a worker until it is stopped, or idle if that was wished."""
    flow = application.queries.flow()
    unknown = [name for name in agents if name not in flow.agents]
    if unknown:
        words = f"the flow has no agent {unknown[0]!r}"
        raise Invalid("unknown_agent", words, f"agents: {', '.join(flow.agents)}")
    with tools_of(application, home, tell, adopts=True) as tools, ExitStack() as stack:
        worker = Worker(tools, worker_name(), slots=slots, agents=agents, until_idle=until_idle)
        begin(_introduction(worker))
        watch = FileWatch(tools.workshop.home, STORE, worker.wake)
        stack.callback(watch.close)
        stack.enter_context(_signals(worker, tell))
        worker.run(_Notifier(tools, flow))
    return {"worker": worker.name, "interrupted": worker.crew.interrupts > 0, "unable": _unable(worker)}


class _Notifier:
    """Tells people who are asked something, by the command that the flow names."""

    def __init__(self, tools: Tools, flow: Flow) -> None:
        self._tools = tools
        self._notify = flow.notify
        self._known: set[str] | None = None

    def __call__(self) -> None:
        if self._notify:
            self._notify_people()

    def _notify_people(self) -> None:
        """Run the flow's own command for each question that has opened since."""
        import subprocess

        asked = {question["id"]: question for question in self._tools.application.queries.inbox()["questions"]}
        new = [] if self._known is None else [asked[one] for one in asked if one not in self._known]
        self._known = set(asked)
        for question in new:
            words = f"item {question['task_id']}: {question['question']}"
            try:
                own.start(  # the user's own command, in the user's own environment
                    [*self._notify, words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError as error:
                words = f"nobody could be notified by {self._notify[0]}: {error.strerror}"
                self._tools.tell(Happening("fault", "", question["task_id"], "", ENGINE, words, good=False))


def _introduction(worker: Worker) -> dict[str, Any]:
    tools, flow = worker.tools, worker.flow
    able = worker.agents()
    return {
        "worker": worker.name,
        "flow": flow.name,
        "slots": worker.crew.slots,
        "agents": [name for name in able if name in flow.agents],
        "gates": [name for name in able if name in flow.gates],
        "only": worker.only,
        "unable": _unable(worker),
        "sandboxed": tools.sandbox.works,
        "why_not_sandboxed": tools.sandbox.why,
        "git": isinstance(tools.workshop, GitWorkshop),
        "target": flow.target,
    }


def _unable(worker: Worker) -> dict[str, str]:
    """Which agents it cannot start, and why."""
    found = {name: worker.unable(name) for name in worker.only or worker.flow.agents if name in worker.flow.agents}
    return {name: why for name, why in found.items() if why is not None}


@contextmanager
def _signals(worker: Worker, tell: Callable[[Any], None]) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        times = worker.interrupt()
        words = "agents may finish; once more to stop them now" if times == 1 else "agents are being stopped"
        tell(Happening("stopping", "", "", "", ENGINE, words))

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def salvage(application: Application, home: str, run: str | None, branch: str | None) -> dict[str, Any]:
    repository = open_repository(home, application.queries.flow().target)
    if repository is None:
        raise Invalid("no_repository", "work is kept as commits, and there is no git repository here", "git init")
    kept = Salvage(repository)
    if run is not None:
        return {"run": run, "branch": kept.bring_back(run, branch)}
    return {"unlanded": [{**msgspec.to_builtins(one), **_run_of(application, one)} for one in kept.unlanded()]}


def _run_of(application: Application, work: Unlanded) -> dict[str, Any]:
    """Whose work it is and how that run ended; a board that has gone back may know nothing of it."""
    try:
        runs = application.queries.show(work.item)["runs"]
    except Invalid:
        runs = []
    found = next((run for run in runs if run["run"] == work.run), None)
    if found is None:
        return {"agent": None, "outcome": None, "cause": None, "ended_at": None}
    outcome = found["end"] if found["end"] == "rescued" else found["outcome"]
    return {"agent": found["agent"], "outcome": outcome, "cause": found["cause"], "ended_at": found["ended_at"]}
