"""What a person does by hand: takes an item with a clone of its own, and gives the work."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from folkmoot.api.machine import Given, Taken
from folkmoot.api.requests import Take
from folkmoot.api.views import TakenView
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.engine.application import Application
from folkmoot.engine.assignment import Assignment
from folkmoot.errors import Invalid, NothingToDo, Refused, Unavailable
from folkmoot.system.file_lock import alone_within
from folkmoot.system.forge.token import without_tokens
from folkmoot.wiring.running import tools_of
from folkmoot.wiring.trust import place_of
from folkmoot.worker.git.salvage import Salvage
from folkmoot.worker.jobs.by_hand import HandJob
from folkmoot.worker.jobs.saying import REPORT_FILE
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.reclaim import is_owned, take_in
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces, disown, run_paths

Tell = Callable[[str], None]
Step = Callable[[str, str], None]
ENDING_SECONDS = 30.0  # for a worker that is alive to end an agent and keep its work
LOOK_SECONDS = 0.05
GIVE_SECONDS = 5.0
LEFT_OUT_TOLD = 10
# A folder that looks like a repository is none to the person's git, unless they name it.
GIT = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.bareRepository", "GIT_CONFIG_VALUE_0": "explicit"}


def _no_step(name: str, run: str) -> None:
    pass


@contextmanager
def _tools(board: Application, tell: Tell, step: Step) -> Iterator[Tools]:
    def told(event: WorkerEvent) -> None:
        if event.what == "fault":
            tell(event.words)

    with tools_of(board, board.board_dir, told, step) as tools:
        if not isinstance(tools.workspaces, GitWorkspaces):
            raise _no_clone()
        yield tools


def _no_clone() -> Refused:
    words = "there is no git repository here, so nobody can be given a clone"
    return Refused("no_repository", words, "work in the folder itself: <claim agent>; or git init, then <init>")


def take(board: Application, actor: Actor, what: str, tell: Tell, step: Step = _no_step) -> Taken:
    """The item for this person, with a clone in which the agent's work so far lies. Whoever has it gets it again."""
    if place_of(board.board_dir) is None:
        raise _no_clone()
    with _tools(board, tell, step) as tools:
        view = board.asked_by(actor)(Take(item=what))
        step("taken", view.run)
        assignment = _assignment(board, view)
        job = HandJob(tools, assignment, tools.sandbox_of(assignment.flow))
        commit = None
        if view.took is not None and not job.is_made:
            commit = _ended(tools, view.took, tell)
        failed = job.prepare(commit)
        if failed:
            tell(f"setup failed, so the clone may not be ready: {failed}")
        spool = job.paths.spool
        return Taken(
            run=view.run,
            token=view.token,
            item=assignment.run_context.item,
            title=assignment.run_context.title,
            agent=view.agent,
            column=assignment.run_context.column,
            workspace=job.paths.workspace,
            brief=os.path.join(spool, "brief.json"),
            prompt=os.path.join(spool, "prompt.txt"),
            report=os.path.join(spool, REPORT_FILE),
            board=os.path.abspath(board.board_dir),
            took=view.took,
            again=view.again,
            files=view.item.files if view.item else [],
        )


def _assignment(board: Application, view: TakenView) -> Assignment:
    return Assignment(
        run=view.run,
        token=view.token,
        agent=view.agent,
        model=None,
        flow=board.queries.flow(),
        brief=view.brief,
        run_context=board.queries.run_context(view.run),
    )


def _ended(tools: Tools, run: str, tell: Tell) -> str | None:
    """Wait until whoever ran the agent has ended it and kept its work; if that worker is dead, do it here. Gives the
    commit of that work; None if it had changed nothing."""
    assert isinstance(tools.workspaces, GitWorkspaces)
    root = run_paths(tools.workspaces.home, run).root
    until = time.monotonic() + ENDING_SECONDS
    while os.path.exists(root):
        if not is_owned(root):
            take_in(tools, run)
            break
        if time.monotonic() >= until:
            words = (
                "the worker of run {run} has not ended its agent after {seconds:.0f} s; the item is yours all the same"
            )
            hint = "take it again once that worker goes on, or is ended"
            raise Unavailable("agent_not_ended", words, hint, run, ENDING_SECONDS)
        time.sleep(LOOK_SECONDS)
    # The person stands in it with all their rights: what git would run there, or a board, must not be an agent's.
    commit, left_out = Salvage(tools.workspaces.repository).harmless(run)
    if left_out:
        tell(f"left out of the clone, since it would run, or pass for a board: {', '.join(left_out[:LEFT_OUT_TOLD])}")
    return commit


def shell(taken: Taken) -> None:
    """The person's own shell in the clone, until they leave it."""
    name = os.environ.get("SHELL") or "/bin/sh"
    try:
        subprocess.call([name], cwd=taken.workspace, env={**GIT, **without_tokens(os.environ), **taken.env})
    except OSError as error:
        words = "the shell {shell} cannot be started: {why}"
        hint = "set SHELL, then: <take item>; the item is yours all the same"
        raise Refused("no_shell", words, hint, name, error.strerror or str(error), item=taken.item) from error


def leave(board: Application, run: str, tell: Tell) -> bool:
    """The person has left the shell. What has been given is cleared away; else it stays. True: it is still theirs."""
    with _tools(board, tell, _no_step) as tools:
        disown(run_paths(tools.workspaces.home, run))
        if board.queries.run_context(run).live:
            return True
        take_in(tools, run)
        return False


def give(
    board: Application,
    actor: Actor,
    what: str | None,
    report: Report | None,
    *,
    back: bool,
    widen: bool,
    unproved: bool,
    tell: Tell,
    step: Step = _no_step,
) -> Given:
    """Report a person's work, or give the item back with it. The clone is there until the board has accepted it."""
    run, token = _whose(board, actor, what)
    with _tools(board, tell, step) as tools:
        context = board.queries.run_context(run)
        paths = run_paths(tools.workspaces.home, run)
        if not os.path.isdir(paths.root):
            words = "there is no clone of run {run} here"
            raise Refused("no_clone_here", words, "make it: <take item>", run, item=context.item)
        with alone_within(os.path.join(paths.root, "give.lock"), GIVE_SECONDS) as alone:
            if not alone:
                words = "another command is giving run {run} just now"
                raise Refused("being_given", words, "wait for it: <show item>", run, item=context.item)
            assignment = Assignment(
                run=run,
                token=token,
                agent=context.agent,
                model=None,
                flow=board.queries.flow(),
                brief={},
                run_context=context,
            )
            job = HandJob(tools, assignment, tools.sandbox_of(assignment.flow))
            if not job.is_made:
                words = "the clone of run {run} was not finished"
                raise Refused("no_clone_here", words, "make it: <take item>", run, item=context.item)
            if back:
                view = job.give_back()
            else:
                said = report or Report.done(f"done by {context.person or actor.name}")
                view = job.give(said, widen=widen, proved=not unproved)
        if not is_owned(paths.root):
            take_in(tools, run)  # else the shell is still in it, and whoever opened that clears it away
    judged = next((one for one in view.runs if one.run == run), None)
    return Given(
        run=run,
        item=view.id,
        column=view.column,
        status=view.status,
        why=view.why,
        outcome=judged.outcome if judged else None,
        commit=judged.commit if judged else None,
        changed=[one.path for one in judged.changed] if judged else [],
    )


def _whose(board: Application, actor: Actor, what: str | None) -> tuple[str, int]:
    """The person's run that is meant: the one this shell is in, the one named, or the only one they have."""
    if what is None and actor.run is not None and actor.token is not None:
        return actor.run, actor.token
    live = [run for run in board.queries.live().runs if run.person]
    mine = [run for run in live if what == run.item or run.run.startswith(what)] if what else []
    if what is None:
        mine = [run for run in live if run.person == actor.name]
    if len(mine) == 1:
        return mine[0].run, mine[0].token
    if mine:
        words = "you have taken several items: {items}"
        raise Invalid("which_run", words, "say which: <give item>", [run.item for run in mine])
    if what is not None:
        words = "nobody has taken {what}"
        raise NothingToDo("nothing_taken", words, "take it first: <take item>", what, item=what)
    words = "{name} has taken nothing"
    raise NothingToDo("nothing_taken", words, "take an item first: moot take ID", actor.name)
