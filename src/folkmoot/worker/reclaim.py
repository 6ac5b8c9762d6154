"""What a dead worker left: the work in it is kept under a ref before anything is thrown away."""

import contextlib
import os
from collections.abc import Callable

from folkmoot.api.views import LiveRun
from folkmoot.core.commands import ENGINE, AddComment, LapseRun, SettleItem, SettleLanding
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import Invalid, MootError, Refused
from folkmoot.worker.git.harvest.bounds import allowed
from folkmoot.worker.git.landing import told_of
from folkmoot.worker.git.refs import INTENTS, drop, listed
from folkmoot.worker.git.trees.leftover import clear_left
from folkmoot.worker.jobs.bounds import not_taken
from folkmoot.worker.jobs.preparing import setup_paths
from folkmoot.worker.jobs.rescue import bring_back, has_said
from folkmoot.worker.jobs.saying import said_before
from folkmoot.worker.jobs.teardown import Remains, tear_down
from folkmoot.worker.ports import Paths, WorkerEvent
from folkmoot.worker.removing import forget_dead, is_alive, is_dead, is_left, remove_tree
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import BASE, OWNER, RUNS, SET_ASIDE, TRIAL, GitWorkspaces, is_ready, leave, run_paths

# Folders that are made aside and then renamed or removed: where in the board's folder, what their names begin with, and
# whether such a name is ours alone. A user may have moved `repo.git` away under any name.
UNMARKED_SECONDS = 3600.0
LATE_CHARACTERS = 500
ASIDE = (
    ("", "look-", True),
    ("", "repo.git.", False),
    ("spares", ".making-", True),
    *(("setups", name, True) for name in (".making-", ".gone-")),
)


def forget_logins(tools: Tools) -> None:
    """Remove the HOMEs of runs whose worker is gone: without a sandbox a copy of a login may lie there. Nothing in
    them is work. This is done before anything else."""
    folder = os.path.join(tools.workspaces.home, RUNS)
    for run in os.listdir(folder) if os.path.isdir(folder) else []:
        root = os.path.join(folder, run)
        if not is_owned(root):
            _remove(tools, os.path.join(root, "home"))


def _clear(tools: Tools) -> None:
    """Remove what was made aside by a process that died over it."""
    forget_dead(tools.workspaces.home)
    before = tools.application.engine.clock.wall() / 1000 - UNMARKED_SECONDS
    for below, prefix, ours in ASIDE:
        folder = os.path.join(tools.workspaces.home, below)
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if name.startswith(prefix) and is_left(path, prefix, before if ours else None, tools.workspaces.home):
                _remove(tools, path)


def _remove(tools: Tools, path: str) -> None:
    try:
        if os.path.islink(path):
            os.unlink(path)
        else:
            remove_tree(path)
    except FileNotFoundError:
        pass  # another worker was quicker
    except OSError as error:
        words = f"{path} is left over and could not be removed: {error.strerror or error}"
        tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))


def reclaim(tools: Tools, stopped: Callable[[], bool] = lambda: False) -> bool:
    """See to what dead workers left: moves of branches that nobody told of, files of the user's, clones, runs. Gives
    whether a run was ended, so that its item can be taken again."""
    _clear(tools)
    if isinstance(tools.workspaces, GitWorkspaces):
        _settle_landings(tools, tools.workspaces)
    freed = _take_in(tools, stopped)
    freed = _free_unbegun(tools) or freed
    if freed and isinstance(tools.workspaces, GitWorkspaces):
        _settle_landings(tools, tools.workspaces)  # of a landing that was at work until now
    return freed


def _settle_landings(tools: Tools, workspaces: GitWorkspaces) -> None:
    """What git shows goes onto the board, also for items that were cancelled meanwhile; then the user's files."""
    try:
        for branch, left in workspaces.landing.finish_left().items():
            tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, told_of(branch, left), good=False))
        for item, new in listed(workspaces.repository, INTENTS).items():
            _settle(tools, workspaces, item, new)
        _settle_remote(tools, workspaces)
        for kept in clear_left(workspaces.repository, os.path.join(workspaces.home, SET_ASIDE)):
            words = f"files that a landing had in hand when it was killed, and that git does not know, are in {kept}"
            tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))
    except (MootError, OSError) as error:
        words = f"what landings left could not be settled: {error}"
        tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))


def _settle_remote(tools: Tools, workspaces: GitWorkspaces) -> None:
    """The same for landings on the remote, whichever machine began them; and what that does not have yet is sent."""
    remote = workspaces.repository.remote_now()
    if remote is None:
        return
    workspaces.send_left()
    for run in remote.listed(INTENTS):
        try:
            item = tools.application.queries.run_context(run).item
        except Invalid:
            continue  # of another board
        if _has_settled(tools, workspaces, item):
            remote.forget(INTENTS + run)


def _settle(tools: Tools, workspaces: GitWorkspaces, item: str, new: str) -> None:
    # Not before: a worker that dies here leaves it to the next one. Where it moved on meanwhile, it stays.
    if _has_settled(tools, workspaces, item) and listed(workspaces.repository, INTENTS).get(item) == new:
        drop(workspaces.repository, INTENTS + item)


def _has_settled(tools: Tools, workspaces: GitWorkspaces, item: str) -> bool:
    """False: a landing that is at work, or to come, sees to its own."""
    busy, intent = tools.application.queries.unsettled_landing(item)
    if busy:
        return False
    if intent is not None:
        branch = workspaces.branch_with(intent.branch, intent.new)
        found = SettleLanding(branch=branch or intent.branch, new=intent.new, moved=branch is not None)
        tools.application.engine.act(ENGINE, found, item)
        if branch is not None:
            workspaces.finish(intent.branch, intent.old, intent.new)
            words = f"item {item} had landed on {branch}, though its run ended before it could say so"
            tools.tell(WorkerEvent("landed", intent.run, item, "", ENGINE_NAME, words))
    return True


def _take_in(tools: Tools, stopped: Callable[[], bool]) -> bool:
    """Take in what runs left whose worker is gone, and remove their folders. A run that may live is left alone; one
    whose worker is known to be dead is ended. Gives whether one was.

    Each is tried once: what cannot be taken in is put aside. Those that are left when it shall stop stay.
    """
    freed = False
    folder = os.path.join(tools.workspaces.home, RUNS)
    for run in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if stopped():
            return freed
        freed = take_in(tools, run, stopped) or freed
    return freed


def take_in(tools: Tools, run: str, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Take in what one run left, if its worker is gone and it has ended. One that has reported is brought back; one
    whose worker is known to be dead is ended. Gives whether it was."""
    freed = False
    folder = os.path.join(tools.workspaces.home, RUNS)
    if is_owned(os.path.join(folder, run)):
        return False
    try:
        paths = tools.workspaces.paths(run)
        if run.endswith(TRIAL):
            tools.workspaces.remove(paths, stopped)  # nobody worked in it
            return False
        run_context = tools.application.queries.run_context(run)
        if run_context.live and is_ready(paths.root):
            run_context = _as_of_now(tools, run, run_context)
        if run_context.live and (run_context.person or is_ready(paths.root)):
            return False  # it is theirs: whoever took it comes back
        has_reported = _said(paths.root, BASE) is not None and has_said(tools, paths)
        if run_context.live and not has_reported and not _has_died(paths.root):
            return False
        # Only where all who kept it were killed together.
        if left := sum(tools.keeper.end_left(own.home) for own in (paths, setup_paths(paths))):
            words = f"{left} processes of run {run} were still there, and were killed"
            tools.tell(WorkerEvent("fault", run, run_context.item, run_context.title, ENGINE_NAME, words, good=False))
        base = _said(paths.root, BASE)
        if run_context.live and has_reported:
            bring_back(tools, paths, run_context, base or None)
            return False
        if run_context.live:
            _free(tools, run, run_context.item)
            freed = True
            run_context = tools.application.queries.run_context(run)
        # A clone that was not finished was never worked in.
        if base is not None and tools.workspaces.is_made(paths):
            message = f"{run_context.title}\n\n(left by a worker that died)"
            limits = tools.application.queries.flow().limits
            within = allowed(limits, tools.now, stopped)
            work, lost = tools.workspaces.harvest(paths, run_context, base or None, message, within)
            leave(tools.workspaces, run, work, tools.application.queries.flow())
            why = not_taken(work, lost, limits)
            if why:
                words = f"what run {run} left was not taken in: {why}"
                _tell(tools, run, words)
                _note(tools, run_context.item, words)
        _tell_late(tools, run, run_context.item, paths)
        _tear_down(tools, run_context, paths, stopped)
        tools.workspaces.remove(paths, stopped)
    except (MootError, OSError) as error:
        _tell(tools, run, f"what run {run} left in {folder} could not be taken in: {error}")
    return freed


def _as_of_now(tools: Tools, run: str, run_context: RunContext) -> RunContext:
    """Of a run that nobody here renews: once its lease is over, the board is told, where nobody has written since."""
    if tools.application.queries.show(run_context.item).status == "running":
        return run_context
    tools.application.engine.act(ENGINE, SettleItem(), run_context.item)
    return tools.application.queries.run_context(run)


def _free(tools: Tools, run: str, item: str) -> None:
    """The processes of the run are gone, and so is whoever would have reported for it: its lease is not waited for."""
    tools.application.engine.act(ENGINE, LapseRun(died=run), item)
    words = "its worker died: it is given to the next one now, not when its lease is over"
    tools.tell(WorkerEvent("freed", run, item, "", ENGINE_NAME, words))


def _free_unbegun(tools: Tools) -> bool:
    """Runs whose worker died before it had made anything for them."""
    found = [run for run in died(tools) if not os.path.isdir(tools.workspaces.paths(run.run).root)]
    for run in found:
        _free(tools, run.run, run.item)
    return bool(found)


def died(tools: Tools) -> list[LiveRun]:
    """The runs that go on as far as the board knows, and whose worker was a process of this machine that is no more.
    Who only made a clone for an agent from outside may be gone: that one is at work in it."""
    live, home = tools.application.queries.live().runs, tools.workspaces.home
    dead = [run for run in live if is_dead(run.worker, home)]
    return [run for run in dead if not is_ready(run_paths(home, run.run).root)]


def _has_died(root: str) -> bool:
    """Is it known that the process which made it is no more? Where nobody has signed it, that is not known."""
    owner = _said(root, OWNER)
    return owner is not None and not is_alive(owner, os.path.dirname(os.path.dirname(root)))


def _tear_down(tools: Tools, run_context: RunContext, paths: Paths, stopped: Callable[[], bool]) -> None:
    flow = tools.application.queries.flow()
    if not flow.clone.teardown or not tools.workspaces.is_made(paths):
        return
    known = flow.agents.get(run_context.agent) or flow.gates.get(run_context.agent)
    remains = Remains(
        item=run_context.item,
        paths=paths,
        flow=flow,
        sandbox=tools.sandbox_of(flow),
        network=known is None or known.network,
    )
    if why := tear_down(tools, remains, stopped):
        _tell(tools, os.path.basename(paths.root), why)


def _tell_late(tools: Tools, run: str, item: str, paths: Paths) -> None:
    """A report whose worker died, and that nobody brought in while the lease lasted, does not count any more: the item
    is another run's. That it was made is told, so that whoever goes on need not find it out again."""
    said = said_before(paths)
    ended = next((one for one in tools.application.queries.show(item).runs if one.run == run), None)
    if said is None or ended is None or ended.end != "rescued":
        return
    words = f"run {run} had reported {said[0].outcome} ({said[0].summary[:LATE_CHARACTERS]}), and its worker died"
    words += "; its lease ended before that was taken in. What it changed is kept: moot salvage"
    with contextlib.suppress(Refused):  # an item that has ended takes no words
        _note(tools, item, words)


def _tell(tools: Tools, run: str, words: str) -> None:
    tools.tell(WorkerEvent("fault", run, "", "", ENGINE_NAME, words, good=False))


def _note(tools: Tools, item: str, words: str) -> None:
    """On the item too: whoever looks there need not have watched the worker."""
    tools.application.engine.act(ENGINE, AddComment(content=words), item)


def is_owned(root: str) -> bool:
    """Is the process that made it alive? One that has its number now, and was started at another time, is not it."""
    owner = _said(root, OWNER)
    return owner is not None and is_alive(owner, os.path.dirname(os.path.dirname(root)))


def _said(root: str, name: str) -> str | None:
    try:
        with open(os.path.join(root, name), encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, UnicodeDecodeError):
        return None
