"""`setup`: what makes a fresh clone ready, and why nothing else of it reaches what comes after."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.core.commands import NoteSetup
from folkmoot.core.flow import Flow
from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.errors import MootError, Unavailable
from folkmoot.worker.clients.printed import Words
from folkmoot.worker.jobs.bounds import over_limit
from folkmoot.worker.ports import Paths
from folkmoot.worker.setups.copying import NotKept
from folkmoot.worker.setups.included import digests, put_again
from folkmoot.worker.setups.kept import key_of, tools_of
from folkmoot.worker.setups.locks import depends_on, reader_of
from folkmoot.worker.startable import unstarted
from folkmoot.worker.workspaces import GitWorkspaces

if TYPE_CHECKING:
    from folkmoot.worker.jobs.job import Job

WORDS_KEPT = 64_000
NAMES_TOLD = 5
PLACING_SECONDS = 600.0  # there may be hundreds of thousands of files
WAIT_SECONDS = 0.2


def setup_paths(paths: Paths) -> Paths:
    """The folders of a run as its setup has them: a HOME of its own, and no place for a report."""
    own = os.path.join(paths.root, "setup")
    return replace(paths, home=own, spool=own)


def set_up(
    job: "Job",
    flow: Flow,
    own: Sequence[list[str]],
    network: bool,
    commit: str | None,
    *,
    landed: bool,
    obeyed: Sequence[str] = (),
) -> None:
    """Make a fresh workspace ready, with nothing of the client's in reach: this runs what is in the repository. First
    what the flow has for all clones, then what is its agent's or its gate's `own`.

    What fails here is nobody's attempt: the environment is not as it must be. Only what has `landed` may fill the
    cache that all runs share; what an agent wrote, and nobody has proved, gets a cache of its own.
    What comes after gets what git does not track in the clone, and nothing else that setup left; and where its client
    finds settings (`obeyed`), not even that.
    """
    job.included = job.tools.workspaces.include(job.paths)
    if job.included:
        job.redactor = job.knowing()
    if not (own or flow.clone.setup):
        return
    began, kept = job.tools.now(), False
    if flow.clone.setup:
        kept = Common(job, flow, network, commit, landed=landed).make_ready()
    if own:
        _run(job, own, network, landed=landed)
    if own or not kept:
        _put_back(job, commit, obeyed)
    elif isinstance(job.tools.workspaces, GitWorkspaces):
        job.tools.workspaces.clones.settle(job.paths, obeyed)
    put_again(job.paths, job.included)
    job.note_setup(NoteSetup(seconds=job.tools.now() - began, kept=kept))


def put_back(job: "Job", commit: str | None, obeyed: Sequence[str]) -> None:
    """The same for a clone that somebody gets although its setup has failed."""
    _put_back(job, commit, obeyed)
    put_again(job.paths, job.included)


def _run(job: "Job", commands: Sequence[list[str]], network: bool, *, landed: bool, for_all: bool = False) -> None:
    paths = setup_paths(job.paths)
    cache = os.path.join(job.tools.workspaces.home, "cache") if landed else os.path.join(paths.home, ".cache")
    for folder in (paths.home, cache):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    for argv in commands:
        job.step("setup")
        env = job.environment([], {}, {}, cache=cache, paths=paths, for_all=for_all)
        if why := unstarted(argv, job.tools.programs):
            words = "the setup command {command} could not be run: {why}"
            raise Unavailable("setup_failed", words, "", " ".join(argv), why)
        said = Words(WORDS_KEPT)
        launch = job.launch(argv, env, network=network, writable=[cache], paths=paths)
        ended = job.run_process(launch, said.line, all_of_it=True)
        if ended.code != 0:
            words = ended.fault or cause_line(str(said)) or f"exit {ended.code}"
            words = over_limit(ended.limit, job.flow.limits) if ended.limit else words
            raise Unavailable("setup_failed", "the setup command {command} failed: {words}", "", " ".join(argv), words)
    job.check_alive()


def _put_back(job: "Job", commit: str | None, obeyed: Sequence[str]) -> None:
    bounds = job.patience("putting back what setup changed")
    changed = job.tools.workspaces.put_back(job.paths, commit, job.agent, bounds, obeyed)
    if changed:
        more = f" and {len(changed) - NAMES_TOLD} more" if len(changed) > NAMES_TOLD else ""
        names = ", ".join(changed[:NAMES_TOLD]).encode("utf-8", "replace").decode()
        job.output.add(job.redactor.clean(f"folkmoot: setup had changed {names}{more}; they are put back\n"))


class Common:
    """The setup of all clones. Where it is known what it depends on (the flow's `setup_from`, or the lock file of a
    usual package manager), it runs once for that; what it left is put into the other clones.

    It is kept by a key. What has landed makes what everybody may get whose files are the same. Work that nobody has
    proved may have changed what setup runs: what that leaves is kept for the same work only. Without a sandbox nothing
    is kept, for a run could write where it is.
    """

    def __init__(self, job: "Job", flow: Flow, network: bool, commit: str | None, *, landed: bool) -> None:
        self._job = job
        self._commands = flow.clone.setup
        self._network = network
        self._commit = commit
        self._landed = landed
        workspaces = job.tools.workspaces
        self._from = flow.clone.setup_from or depends_on(self._commands, reader_of(job.paths.workspace))
        keeps = self._from and job.sandbox.works and isinstance(workspaces, GitWorkspaces)
        self._workspaces = workspaces if keeps and isinstance(workspaces, GitWorkspaces) else None
        self._keys = self._keys_now()

    def _keys_now(self) -> list[str]:
        if self._workspaces is None:
            return []
        tools, machine = self._job.tools, os.uname()
        depends = {
            "commands": self._commands,
            "files": self._workspaces.clones.inputs(self._commit, self._from),
            "machine": [machine.sysname, machine.machine],
            "path": tools.env.get("PATH", ""),
            "tools": tools_of(self._commands, tools.programs),
            "included": digests(self._job.included),
            "length": len(os.fsencode(self._job.paths.workspace)),
        }
        shared = key_of(depends)
        if self._landed or self._commit is None:
            return [shared]
        own = {"tree": self._workspaces.tree(self._commit), "network": self._network}
        return [shared, key_of({**depends, **own})]

    def make_ready(self) -> bool:
        """Was it enough to put there what an earlier setup left?"""
        if self._workspaces is None:
            _run(self._job, self._commands, self._network, landed=self._landed)
            return False
        if self._placed(self._workspaces):
            return True
        with self._alone(self._workspaces):
            if self._placed(self._workspaces):
                return True
            _run(self._job, self._commands, self._network, landed=self._landed, for_all=True)
            _put_back(self._job, self._commit, ())
            self._keep(self._workspaces)
        return False

    def _placed(self, workspaces: GitWorkspaces) -> bool:
        bounds = self._job.patience("putting what setup left into the clone")
        bounds.more(PLACING_SECONDS)
        return any(workspaces.setups.place(key, self._job.paths.workspace, bounds) for key in self._keys)

    @contextmanager
    def _alone(self, workspaces: GitWorkspaces) -> Iterator[None]:
        def wait() -> None:
            threading.Event().wait(WAIT_SECONDS)
            self._job.step("setup")

        with workspaces.setups.making(self._keys[-1], wait):
            yield

    def _keep(self, workspaces: GitWorkspaces) -> None:
        bounds = self._job.patience("keeping what setup left")
        bounds.more(PLACING_SECONDS)
        paths = self._job.paths
        try:
            if workspaces.clones.modules.left(paths):
                raise NotKept("setup_not_kept", "a part of it lies in a submodule", "")
            entries = [entry.rstrip("/") for entry in workspaces.clones.untracked(paths)]
            skip = frozenset(one.path for one in self._job.included)
            workspaces.setups.keep(self._keys[-1], paths.workspace, entries, bounds, skip)
        except (NotKept, OSError, MootError) as error:
            self._job.check_alive()
            self._job.output.add(f"folkmoot: what setup left is not kept for other runs: {error}\n")
