"""Puts a worker together: the board, the keeper of its processes, the sandbox, the repository, the clients."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from secrets import token_hex
from types import FrameType
from typing import Any

from msgspec.structs import asdict

from folkmoot.api.machine import BroughtBack, UnlandedPage, UnlandedWork, WorkerEnd, WorkerStart
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import Flow
from folkmoot.core.records import Run
from folkmoot.core.rules.running.names import Below, Places
from folkmoot.core.rules.running.rights import CLIENT_LED, MIRRORS, STARTED
from folkmoot.core.vocabulary.roles import role
from folkmoot.doors.mcp.entries.known import settings_in_projects
from folkmoot.engine.application import Application
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.mirror.names import ignore_rules, is_of_mirror
from folkmoot.system.file_lock import alone, alone_within
from folkmoot.system.keeper_client import SystemKeeper
from folkmoot.system.processes.bounds import has_filled
from folkmoot.system.processes.port_ranges import take_ports
from folkmoot.system.relay import RelayServer
from folkmoot.system.sandbox import choose
from folkmoot.system.wake import FileWatch
from folkmoot.wiring.files.brought import begin_here, check_begun, has_begun
from folkmoot.wiring.forge.beside import watched
from folkmoot.wiring.forge.forges import Forges
from folkmoot.wiring.looking.lost import lost_landings
from folkmoot.wiring.mirroring.apart import in_trees, mirrors_now, mirrors_of
from folkmoot.wiring.mirroring.making import made_folder, mirrored
from folkmoot.wiring.notifying.notifier import Notifier
from folkmoot.wiring.notifying.users_programs import sender_of
from folkmoot.wiring.readiness.gate_looks import red_before
from folkmoot.wiring.trust import (
    Outside,
    check_files,
    check_flow,
    check_repository,
    check_untracked,
    engines_own,
    git_for,
    make_private,
    obeyed_by,
    outside_path,
    place_of,
    project_of,
    started_by,
    trees_of,
)
from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.folder import FolderWorkspaces
from folkmoot.worker.git.elsewhere.findings import check_parts
from folkmoot.worker.git.harvest.never import Told
from folkmoot.worker.git.landing import Alone, Landing
from folkmoot.worker.git.places import private_places
from folkmoot.worker.git.remote.naming import folder_of
from folkmoot.worker.git.remote.naming import place_of as remote_place
from folkmoot.worker.git.remote.remote import Remote, check_remote, remote_environment
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.salvage import Salvage, Unlanded
from folkmoot.worker.git.target import check_target
from folkmoot.worker.ports import Sandbox, WorkerEvent
from folkmoot.worker.removing import worker_name as name_of_worker
from folkmoot.worker.tools import Tools
from folkmoot.worker.worker import Worker
from folkmoot.worker.workspaces import GitWorkspaces, WorkspaceProvider

STORE = "board.db"


def open_repository(home: str, target: str, flow_now: Callable[[], Flow] | None = None) -> Repository | None:
    """The repository that the board lies in; None for a plain folder. By its flow it is known in which folder the board
    is shown, and which programs are started from the user's tree: what is there is nobody's change."""
    if place_of(home) is None:
        return None
    check_untracked(home)
    own = engines_own(trees_of(home), home)
    named = flow_now().mirror if flow_now else None
    shown = in_trees(home, [os.path.join(os.path.realpath(project_of(home)), named)]) if named is not None else []
    passed_over = [rule for folder in shown for rule in ignore_rules(folder)]
    repository = Repository.open(git_for(home), project_of(home), os.path.abspath(home), target, own, passed_over)
    repository.told = _told_now(home, flow_now)
    flow = flow_now if flow_now is not None and has_begun(home) else None  # a stranger's flow names no remote
    repository.remote_now = _remote_now(repository, lambda: flow().remote if flow else None)
    repository.base_now = _remote_now(repository, lambda: flow().base_remote if flow else None)
    repository.proposes = lambda: flow_now is not None and flow_now().proposes
    return repository


def _remote_now(repository: Repository, named_now: Callable[[], str | None]) -> Callable[[], Remote | None]:
    """A remote that the flow in force names. Its credentials are the engine's: no run sees them."""
    made: dict[str, Remote] = {}

    def now() -> Remote | None:
        named = named_now()
        if named is not None and named not in made:
            place = remote_place(repository.git, repository.user, named)
            made[named] = Remote(repository, named, place, remote_environment(os.environ))
        return made[named] if named is not None else None

    return now


def _told_now(home: str, flow_now: Callable[[], Flow] | None) -> Told:
    mirrors = mirrors_now(home, lambda: flow_now().mirror if flow_now else None)

    def now() -> Callable[[str], str | None]:
        is_mirrors = mirrors()
        started = Places(started_by(home, flow_now()) if flow_now else [])
        settings = _settings(flow_now()) if flow_now else []
        users = Catalogue.load().users_own(flow_now()) if flow_now else []
        obeyed, below = Places(obeyed_by(home, settings, users)), Below(settings)

        def kind(path: str) -> str | None:
            if is_mirrors(path):
                return MIRRORS
            if started.meet(path):
                return STARTED
            return CLIENT_LED if obeyed.meet(path) or below.meet(path) else None

        return kind

    return now


def _settings(flow: Flow) -> list[str]:
    """Where clients find settings in the project."""
    return [*Catalogue.load().obeyed(flow), *settings_in_projects()]


def open_workshop(home: str, flow_now: Callable[[], Flow]) -> WorkspaceProvider:
    flow = flow_now()
    repository = open_repository(home, flow.target, flow_now)
    if repository is None or flow.base_remote is None:
        check_target(git_for(home), project_of(home), flow.target)
    elif (remote := repository.base_now()) is not None:
        check_remote(repository, remote, flow.target)
    if repository is not None:
        return GitWorkspaces(repository, time.sleep, _one_after_the_other(repository), has_filled)
    lock = os.path.join(home, "writer.lock")
    shown = in_trees(home, mirrors_of(home, flow.mirror))
    return FolderWorkspaces(
        project_of(home),
        os.path.abspath(home),
        lambda: alone(lock),
        lambda path: any(is_of_mirror(folder, path) for folder in shown),
    )


def _one_after_the_other(repository: Repository) -> Alone:
    landing = os.path.join(repository.git_dir, "landing.lock")
    return lambda seconds: alone_within(landing, seconds)


def finish_left(home: str, target: str) -> None:
    """Bring the user's files along whose landing was killed."""
    repository = open_repository(home, target)
    if repository is not None:
        Landing(repository, time.sleep, _one_after_the_other(repository)).finish_left()


@contextmanager
def tools_of(
    application: Application,
    home: str,
    tell: Callable[[WorkerEvent], None],
    step: Callable[[str, str], None] = lambda name, run: None,
    *,
    adopts: bool = False,
) -> Iterator[Tools]:
    home = os.path.abspath(home)
    check_begun(home)
    flow = application.queries.flow()
    check_repository(home)
    check_files(home, [])
    check_flow(home, flow)
    with ExitStack() as stack:
        keeper = SystemKeeper(adopts)
        stack.callback(keeper.close)
        check_parts(git_for(home), project_of(home), flow.target)
        workspaces = open_workshop(home, application.queries.flow)
        for words in make_private(home):
            tell(_fault(words))
        if flow.mirror is not None and flow.mirror_shown:
            workspaces.readable.append(made_folder(home, flow.mirror))
        sandbox_of = _Boxes(home, is_cloned=isinstance(workspaces, GitWorkspaces))
        sandbox_of(flow)  # where there must be one and is none, nothing begins
        programs = Outside(home)
        forges = Forges(home, programs)
        yield Tools(
            application=application,
            keeper=keeper,
            sandbox_of=sandbox_of,
            workspaces=workspaces,
            catalogue=Catalogue.load(),
            now=time.monotonic,
            env={**os.environ, "PATH": programs.path},
            root=project_of(home),
            moot=programs.moot,
            programs=programs,
            open_socket=lambda path, handler: RelayServer(path, handler, secret=token_hex(16)),
            take_ports=take_ports,
            red_before=partial(red_before, home),
            forge_of=forges,
            issues_of=forges.of,
            tell=tell,
            step=step,
        )


class _Boxes:
    """The sandbox as a flow wants it. Made again when the flow says otherwise, or there is more to hide."""

    def __init__(self, home: str, *, is_cloned: bool) -> None:
        self._home = home
        self._is_cloned = is_cloned
        self._made: tuple[tuple[str, ...], Sandbox] | None = None

    def __call__(self, flow: Flow) -> Sandbox:
        request = (flow.sandbox, *self._hidden(flow))
        if self._made is None or self._made[0] != request:
            env = {**os.environ, "PATH": outside_path(trees_of(self._home))}
            self._made = (request, choose(flow.sandbox, request[1:], env))
        return self._made[1]

    def _remote_here(self, flow: Flow) -> list[str]:
        """Remotes that lie on this machine: what other runs pushed there is nobody's business either."""
        place = place_of(self._home)
        named = dict.fromkeys(one for one in (flow.remote, flow.base_remote) if one is not None)
        folders = [folder_of(remote_place(git_for(self._home), place, one)) for one in named] if place else []
        return [folder for folder in folders if folder is not None]

    def _hidden(self, flow: Flow) -> list[str]:
        """Where each run has a clone, the user's own trees, with all that is not committed in them, are nobody's
        business, nor is the repository itself. Elsewhere every folder that shows the board is hidden, but for the
        flow's own where it says otherwise: what stands there counts as the word of whom it names."""
        root = project_of(self._home)
        if self._is_cloned:
            return [self._home, root, *private_places(root), *self._remote_here(flow)]
        named = made_folder(self._home, flow.mirror) if flow.mirror is not None else None  # else it cannot be hidden
        shown = mirrors_of(self._home, flow.mirror)
        if os.path.realpath(root) in shown and flow.sandbox != "never":
            raise Unavailable(
                "no_sandbox",
                (
                    "agents would work in {root} itself, since there is no git repository, and it shows the board: "
                    "what they write there would be taken for the word of whom it names"
                ),
                "show the board in a folder of its own, like .claude, and delete .moot-mirror here; or `git init`",
                root,
            )
        return [self._home, *(folder for folder in shown if not (flow.mirror_shown and folder == named))]


def worker_name(home: str) -> str:
    """Who runs agents: which machine, and which process of it."""
    return name_of_worker(os.uname().nodename, home)


def work(
    application: Application,
    home: str,
    *,
    slots: int | None,
    agents: list[str],
    until_idle: bool,
    tell: Callable[[Any], None],
    begin: Callable[[WorkerStart], None],
    labels: Sequence[str] = (),
) -> WorkerEnd:
    """Run a worker until it is stopped, or idle if that was wished."""
    begin_here(home)
    flow = application.queries.flow()
    agents = [role(name, flow.agents) for name in agents]
    unknown = [name for name in agents if name not in flow.agents]
    if unknown:
        words = "the flow has no agent {agent!r}"
        raise Invalid("unknown_agent", words, "agents: {known}", unknown[0], list(flow.agents))
    with tools_of(application, home, tell, adopts=True) as tools, ExitStack() as stack:
        name = worker_name(tools.workspaces.home)
        worker = Worker(tools, name, slots=slots, agents=agents, until_idle=until_idle, labels=labels)
        begin(_introduction(worker))
        watch = FileWatch(tools.workspaces.home, STORE, worker.wake)
        stack.callback(watch.close)
        stack.enter_context(_signals(worker, tell))
        told = notifier_of(worker, os.path.abspath(home))
        stack.callback(told.finish)  # however it ends: the last run may have asked something
        stack.enter_context(mirrored(application, os.path.abspath(home), lambda words: tell(_fault(words))))
        stack.enter_context(watched(tools))
        worker.run(told)
    return WorkerEnd(worker=worker.name, interrupted=worker.scheduler.interrupts > 0, unable=_unable(worker))


def notifier_of(worker: Worker, home: str) -> Notifier:
    """By the targets that the flow in force names."""
    tools = worker.tools

    def fault(words: str) -> None:
        tools.tell(_fault(words))

    sender = sender_of(home)
    return Notifier(tools.application, home, lambda: worker.flow.targets, sender, fault)


def _fault(words: str) -> WorkerEvent:
    return WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False)


def _introduction(worker: Worker) -> WorkerStart:
    tools, flow = worker.tools, worker.flow
    sandbox = tools.sandbox_of(flow)
    able = worker.agents()
    return WorkerStart(
        worker=worker.name,
        flow=flow.name,
        slots=worker.scheduler.slots,
        agents=[name for name in able if name in flow.agents],
        gates=[name for name in able if name in flow.gates],
        only=worker.only,
        unable=_unable(worker),
        left_out=tools.programs.left_out,
        sandboxed=sandbox.works,
        why_not_sandboxed=sandbox.why,
        git=isinstance(tools.workspaces, GitWorkspaces),
        target=flow.target,
        proposes=flow.proposes,
    )


def _unable(worker: Worker) -> dict[str, str]:
    """Which agents it cannot start, and why."""
    found = {name: worker.unable(name) for name in worker.only or worker.flow.agents if name in worker.flow.agents}
    return {name: why for name, why in found.items() if why is not None}


@contextmanager
def _signals(worker: Worker, tell: Callable[[Any], None]) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        times = worker.interrupt()
        words = "agents may finish; once more to stop them now" if times == 1 else "agents are being stopped"
        tell(WorkerEvent("stopping", "", "", "", ENGINE_NAME, words))

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def salvage(application: Application, home: str, run: str, branch: str | None) -> BroughtBack:
    kept = _salvage(application, home)
    branch = kept.bring_back(run, branch)
    found = _run(application, run)
    return BroughtBack(run=run, item=found.item if found else None, branch=branch, left_out=kept.left_out(run))


def unlanded(application: Application, home: str) -> UnlandedPage:
    """What landed and was lost since stands apart: the runs behind it did land."""
    lost = lost_landings(application)
    works = _salvage(application, home).unlanded(landed=[one.commit for one in lost])
    return UnlandedPage(lost=lost, unlanded=[_unlanded(application, one) for one in works])


def _salvage(application: Application, home: str) -> Salvage:
    check_repository(home)
    queries = application.queries
    repository = open_repository(home, queries.flow().target, queries.flow)
    if repository is None:
        words = "work is kept as commits, and there is no git repository here"
        raise Refused("no_repository", words, "git init, then <init>")
    return Salvage(repository)


def _unlanded(application: Application, work: Unlanded) -> UnlandedWork:
    """Whose work it is and how that run ended; a board that has gone back may know nothing of it."""
    found = _run(application, work.run)
    if found is None:
        return UnlandedWork(**asdict(work))
    outcome = found.end if found.end == "rescued" else found.outcome
    told = {**asdict(work), "item": found.item}  # a merge that a landing made says nothing of its item
    return UnlandedWork(
        **told, agent=found.agent, outcome=outcome, cause=found.cause, ended_at=moment_text(found.ended_at)
    )


def _run(application: Application, run: str) -> Run | None:
    return application.engine.store.read(lambda reading: reading.run(run))
