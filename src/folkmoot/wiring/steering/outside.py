"""An agent that nobody here started gets a clone, and its report takes in what it changed there."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from folkmoot.api.views import ClaimView, ItemView
from folkmoot.core.commands import Actor, Command, ReleaseRun, ReportRun
from folkmoot.core.rules.claims import stale
from folkmoot.engine.application import Application
from folkmoot.engine.assignment import Assignment
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.system.file_lock import alone_within
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.wiring.trust import place_of
from folkmoot.worker.jobs.outside.job import OutsideJob
from folkmoot.worker.jobs.outside.minding import minded
from folkmoot.worker.ports import Paths, WorkerEvent
from folkmoot.worker.reclaim import is_owned, take_in
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import is_ready, own, run_paths

Step = Callable[[str, str], None]
GIVE_SECONDS = 5.0


def _no_step(name: str, run: str) -> None:
    pass


class Outside:
    """The workplace of a board whose folder is here."""

    def __init__(self, board: Application, step: Step = _no_step) -> None:
        self._board = board
        self._step = step

    def prepare(self, claim: Callable[[str], ClaimView]) -> ClaimView:
        with self._tools() as tools:
            view = claim(worker_name(tools.workspaces.home))
            self._step("claimed", view.run)
            context = self._board.queries.run_context(view.run)
            actor = Actor(view.agent, view.run, view.token)
            if not context.live:  # by a key that was used before
                raise stale(actor, "it has ended")
            assignment = self._assignment(actor, context, view)
            return self._made(tools, assignment, view)

    def _made(self, tools: Tools, assignment: Assignment, view: ClaimView) -> ClaimView:
        paths = run_paths(tools.workspaces.home, view.run)
        _check_alone(paths)
        os.makedirs(paths.root, mode=0o700, exist_ok=True)
        own(paths)
        job = OutsideJob(tools, assignment, tools.sandbox_of(assignment.flow))
        run = self._board.engine.store.read(lambda reading: reading.run(view.run))
        assert run is not None
        try:
            with minded(job, run.lease):
                prompt, base = job.ready()
        except Exception as error:
            job.undo()
            words = "no clone could be made for item {item}, so it was given back: {why}"
            hint = "mend that, then claim again; see what runs need: moot ready"
            why = job.why_cut() or (
                error.message if isinstance(error, MootError) else f"{type(error).__name__}: {error}"
            )
            raise Unavailable("clone_failed", words, hint, job.item, job.redactor.clean(why)) from error
        return replace(view, workspace=job.paths.workspace, prompt=prompt, base=base)

    def cleaned(self, actor: Actor, value: Any) -> Any:
        with self._tools() as tools:
            context = self._board.queries.run_context(actor.run or "")
            job = OutsideJob(tools, self._assignment(actor, context), tools.sandbox_of(self._board.queries.flow()))
            job.know_secrets()
            return job.redactor.clean_value(value)

    def submit(self, actor: Actor, command: ReportRun, key: str | None) -> ItemView:
        return self._ended(actor, command, key, lambda job: job.hand_over(command, key))

    def give_up(self, actor: Actor, key: str | None) -> ItemView:
        return self._ended(actor, ReleaseRun(), key, lambda job: job.give_up(key))

    def _ended(
        self, actor: Actor, command: Command, key: str | None, end: Callable[[OutsideJob], ItemView]
    ) -> ItemView:
        run = actor.run or ""
        with self._tools() as tools:
            paths = run_paths(tools.workspaces.home, run)
            try:
                if not os.path.isdir(paths.root):
                    return self._without_clone(actor, command, key)
                with alone_within(os.path.join(paths.root, "give.lock"), GIVE_SECONDS) as alone:
                    if not alone:
                        words = "another call is reporting for run {run} just now"
                        raise Refused("being_given", words, "wait for it: <show item>", run)
                    if not self._is_current(actor):
                        return self._board.engine.handle_run(actor, command, key)  # its own answer again, or stale
                    context = self._board.queries.run_context(run)
                    job = OutsideJob(
                        tools, self._assignment(actor, context), tools.sandbox_of(self._board.queries.flow())
                    )
                    if not job.is_made:
                        return self._without_clone(actor, command, key)
                    return end(job)
            finally:
                # What is over is taken in at once: its agent is told, and need not wait for a worker.
                if os.path.isdir(paths.root) and not self._board.queries.run_context(run).live:
                    take_in(tools, run)

    def _without_clone(self, actor: Actor, command: Command, key: str | None) -> ItemView:
        """Of what a run changed nothing can be told; it may still be given back."""
        if isinstance(command, ReportRun) and self._is_current(actor):
            words = "the clone of run {run} is not there, so its work cannot be taken in"
            raise Refused("no_clone_here", words, "give the item back: moot release", actor.run)
        return self._board.engine.handle_run(actor, command, key)

    def _is_current(self, actor: Actor) -> bool:
        run = self._board.engine.store.read(lambda reading: reading.run(actor.run or ""))
        return run is not None and run.ended_at is None and run.token == actor.token

    def _assignment(self, actor: Actor, context: RunContext, view: ClaimView | None = None) -> Assignment:
        run = self._board.engine.store.read(lambda reading: reading.run(actor.run or ""))
        assert run is not None and actor.token is not None
        return Assignment(
            run=run.id,
            token=actor.token,
            agent=run.agent,
            model=run.model,
            flow=self._board.queries.flow(),
            brief=view.brief if view is not None else {},
            run_context=context,
        )

    @contextmanager
    def _tools(self) -> Iterator[Tools]:
        def told(event: WorkerEvent) -> None:
            if event.what == "fault":
                self._board.tell(event.words)

        if place_of(self._board.board_dir) is None:
            words = "there is no git repository here, so nobody can be given a clone"
            raise Refused("no_repository", words, "claim without a clone: <claim agent>; or git init, then <init>")
        with tools_of(self._board, self._board.board_dir, told, self._step) as tools:
            yield tools


def _check_alone(paths: Paths) -> None:
    """The same claim may have come twice, by its key: one makes the clone."""
    if is_owned(paths.root) and not is_ready(paths.root):
        words = "another call makes the clone of run {run} just now"
        raise Refused("being_prepared", words, "ask again, with the same key", os.path.basename(paths.root))
