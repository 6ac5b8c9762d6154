"""Where workspaces are made and work is brought home: from a git repository, or in a plain folder."""

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.records import is_run_id
from folkmoot.core.rules.running.work import may_leave
from folkmoot.core.work import Work
from folkmoot.engine.run_context import RunContext, is_fresh
from folkmoot.errors import Invalid, MootError
from folkmoot.worker.git.clone import Clones
from folkmoot.worker.git.harvest.bounds import DIFF_SECONDS, Allowed, Foreign, Overdue, Patience, Stopped, TooMuch
from folkmoot.worker.git.harvest.leaks import leaks
from folkmoot.worker.git.landing import Alone, Landing, Move, told_of
from folkmoot.worker.git.refs import INTENTS, UNSENT, drop, listed
from folkmoot.worker.git.remote.move import RemoteMove
from folkmoot.worker.git.remote.remote import check_remote
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.target import check_branch
from folkmoot.worker.git.words import Author
from folkmoot.worker.output import DIFF_MAX
from folkmoot.worker.ports import Bounds, Paths
from folkmoot.worker.removing import maker, open_up, remove_tree
from folkmoot.worker.setups.included import Included, included, put, still
from folkmoot.worker.setups.kept import KeptSetups

RUNS, SET_ASIDE = "runs", "set-aside"
TRIAL = "-trial"  # behind a run's name: the clone in which gates are tried before a person's work is reported
OWNER, BASE = "owner", "base"  # files in a run's folder: whose it is, and from which commit it began
READY = "ready"  # and that somebody works in its clone whom no worker has started
GONE = "it filled the disk, and what it had written was removed, so that others can go on"


def author_of(agent: str) -> Author:
    return Author(agent, f"{agent}@folkmoot.invalid")


def run_paths(home: str, run: str) -> Paths:
    if not is_run_id(run):
        raise Invalid("unknown_run", "there is no run {run}", "see the runs of an item: <show item>", run)
    root = os.path.join(home, RUNS, run)
    return Paths(
        root=root,
        workspace=os.path.join(root, "workspace"),
        home=os.path.join(root, "home"),
        spool=os.path.join(root, "spool"),
    )


class WorkspaceProvider(Protocol):
    home: str
    readable: list[str]  # what a workspace needs to see beside itself

    def hidden(self, paths: Paths) -> list[str]:
        """What lies in the workspace of a run and is none of its business."""

    def paths(self, run: str) -> Paths: ...
    def is_made(self, paths: Paths) -> bool: ...
    def tree(self, commit: str | None) -> str | None: ...

    def make(self, paths: Paths, run_context: RunContext, commit: str | None, base: str | None = None) -> str | None:
        """Make the workspace at a commit, or where the item's branch is; gives the commit it is at. With `base` the
        change is counted from there."""

    def include(self, paths: Paths, *, before: bool = False) -> list[Included]:
        """Copy the files into it that the user's `.worktreeinclude` names; gives what was copied. `before`: it was done
        when the run began; gives what they are now."""

    def put_back(
        self, paths: Paths, commit: str | None, agent: str, bounds: Bounds, obeyed: Sequence[str]
    ) -> list[str]:
        """After setup: let nothing of it reach what comes after but what git does not track in the workspace, and no
        client obeys. Gives the files that it had changed."""

    def began(self, run_context: RunContext, at: str | None) -> str | None:
        """The commit with which its workspace, which is `at` one, is to be compared to see all work on the item."""

    def harvest(
        self, paths: Paths, run_context: RunContext, base: str | None, message: str, allowed: Allowed
    ) -> tuple[Work | None, str]:
        """What was changed, kept under the run's ref; and why there is nothing, if there is nothing.

        What cannot be taken in, or not in the time that is `allowed`, is put aside as it is: nobody tries it again.
        """

    def diff(self, work: Work, now: Callable[[], float]) -> str: ...
    def remove(self, paths: Paths, stopped: Callable[[], bool] = lambda: False) -> None:
        """Delete all of it; what is left once it is told to stop is for whoever tidies up next (InterruptedError)."""

    def wants_ahead(self) -> bool:
        """Is there anything to make ready?"""

    def look_ahead(self, target: str) -> None:
        """Make ready what the next run will need, while all slots are busy."""

    def close(self) -> None: ...


class GitWorkspaces:
    """Clones of the user's repository."""

    def __init__(
        self,
        repository: Repository,
        pause: Callable[[float], object],
        alone: Alone | None = None,
        has_filled: Callable[[str], bool] = lambda folder: False,
    ) -> None:
        """`has_filled` tells whether the disk is full, and by this folder."""
        self.repository = repository
        self.clones = Clones(repository)
        self.setups = KeptSetups(repository.home)
        self.landing = Landing(repository.local(), pause, alone)
        self.home = repository.home
        self.readable = [os.path.join(repository.git_dir, "objects")]
        self._has_filled = has_filled
        self._making = threading.Lock()  # the target is fetched by one at a time

    def hidden(self, paths: Paths) -> list[str]:
        return []  # a clone holds nothing but what is committed

    def paths(self, run: str) -> Paths:
        return run_paths(self.home, run)

    def is_made(self, paths: Paths) -> bool:
        return os.path.exists(os.path.join(paths.root, "made"))

    def tree(self, commit: str | None) -> str | None:
        return self.repository.tree_of(commit) if commit else None

    def base(self, run_context: RunContext) -> str | None:
        """Its own branch, else that of the item its work is for, else the target: the newest work that concerns it."""
        return run_context.head or run_context.begins_from or self.tip(run_context.target)

    def tip(self, target: str) -> str | None:
        """What the next landing builds on. Refused where the target is gone: nothing makes it anew."""
        with self._making:
            theirs = self.repository.fetched(target)
            if target not in theirs:
                self._check_target(target)
            return self.repository.tip_of(target, theirs)

    def _check_target(self, target: str) -> None:
        if (remote := self.repository.base_now()) is not None:
            check_remote(self.repository, remote, target)
        else:
            check_branch(self.repository.git, self.repository.user, target)

    def plan(self, target: str, old: str | None, new: str, why: str) -> "Move | RemoteMove":
        """How the branch that work lands on moves: the remote's, where the flow names one."""
        if (remote := self.repository.remote_now()) is not None:
            return RemoteMove(self.repository, remote, self.landing, target, new).plan(old)
        return self.landing.plan(target, old, new, why)

    def finish(self, target: str, old: str | None, new: str) -> str:
        """After a landing that died once its branch had moved: let the user's files come along. Gives what to say."""
        if self.repository.base_now() is not None:
            moved = self.landing.follow(target, new)
            return " ".join(filter(None, [moved.note, told_of(target, moved.left)]))
        return told_of(target, self.landing.finish_checkout(target, old, new))

    def forget_intent(self, item: str, run: str) -> None:
        """It is known what came of a landing."""
        drop(self.repository, INTENTS + item)
        if (remote := self.repository.remote_now()) is not None:
            remote.forget(INTENTS + run)

    def bring(self, run_context: RunContext, *more: str | None) -> None:
        """Have the commits here that the board names for a run: another machine may have made them."""
        if (remote := self.repository.remote_now()) is not None:
            intent = run_context.landing.new if run_context.landing else None
            named = (run_context.head, run_context.begins_from, run_context.parent_head, run_context.marked, intent)
            remote.bring((*named, *more))

    def leave(self, run: str, commit: str) -> bool:
        """Keep a run's commit on the remote too, for whoever looks on another machine; gives whether it is there. Where
        the remote cannot be reached now, it is sent later (`send_left`)."""
        remote = self.repository.remote_now()
        if remote is None:
            return True
        try:
            remote.send({self.repository.run_ref(run): commit})
        except MootError:
            self.repository.keep(UNSENT + run, commit)
            return False
        return True

    def send_left(self) -> None:
        """Send what could not be sent when it was made."""
        remote = self.repository.remote_now()
        for run, commit in listed(self.repository, UNSENT).items() if remote is not None else ():
            if self.leave(run, commit):
                drop(self.repository, UNSENT + run)

    def branch_with(self, target: str, commit: str) -> str | None:
        """On which branch of the user's a landed commit is: the target, or the one beside it; None: on neither."""
        with self._making:
            theirs = self.repository.fetched(target)
        for branch in (target, f"moot/{target}"):
            if branch in theirs and self.repository.contains(theirs[branch], commit):
                return branch
        return None

    def make(self, paths: Paths, run_context: RunContext, commit: str | None, base: str | None = None) -> str | None:
        self.bring(run_context, commit, base)
        commit = commit or self.base(run_context)
        os.makedirs(paths.root, mode=0o700, exist_ok=True)
        own(paths)
        write_note(paths, BASE, base or commit or "")
        self.clones.make(paths, commit, run_context.item, author_of(run_context.agent))
        private(paths)
        return commit

    def include(self, paths: Paths, *, before: bool = False) -> list[Included]:
        return still(paths, self.repository) if before else put(paths, included(self.repository))

    def put_back(
        self, paths: Paths, commit: str | None, agent: str, bounds: Bounds, obeyed: Sequence[str]
    ) -> list[str]:
        private_anew(paths)
        return self.clones.put_back(paths, commit, author_of(agent), bounds, obeyed)

    def began(self, run_context: RunContext, at: str | None) -> str | None:
        """Where it left the branch that its work is for; whoever only looks is shown the whole way from the target."""
        if at is None or is_fresh(run_context):
            return at
        writes = run_context.write != "none" and run_context.parent is not None
        if writes and run_context.head is None:
            return at
        try:
            other = run_context.parent_head if writes and run_context.parent_head else self.tip(run_context.target)
        except MootError:
            return None  # the target is gone: that is for whoever lands to say
        return self.repository.fork(other, at)

    def harvest(
        self, paths: Paths, run_context: RunContext, base: str | None, message: str, allowed: Allowed
    ) -> tuple[Work | None, str]:
        lost = self.clones.lost(paths)
        if lost:
            return None, lost
        ref = self.repository.run_ref(os.path.basename(paths.root))
        try:
            work = self.clones.snapshot(paths, base, message, author_of(run_context.agent), ref, allowed)
            return self._searched(paths, work, allowed), ""
        except TooMuch as much:
            return self._set_aside(paths, Work(base=base, files=much.files, bytes=much.size))
        except Stopped:
            raise
        except (Overdue, Foreign) as error:
            return self._set_aside(paths, Work(base=base, why=error.message))
        except (MootError, OSError) as error:
            work, lost = self._set_aside(paths, Work(base=base))
            return work, lost or f"what it left could not be taken in, and is in {work and work.aside}: {error}"

    def _searched(self, paths: Paths, work: Work | None, allowed: Allowed) -> Work | None:
        """With the places of secrets in it."""
        if work is None or work.commit is None or work.commit == work.base or allowed.known is None:
            return work
        bound = self.repository.within(allowed.bounds)
        secrets = leaks(bound, paths.workspace, work.base, work.commit, allowed.known, allowed.bounds)
        return replace(work, secrets=secrets)

    def _set_aside(self, paths: Paths, work: Work) -> tuple[Work | None, str]:
        """Move the workspace as it is to where nobody works on it any more: that is one step, however large it is. What
        filled the disk is removed instead: to keep it would keep everybody else from working."""
        if self._has_filled(paths.workspace):
            remove_tree(paths.workspace)
            return None, GONE
        run = os.path.basename(paths.root)
        folder = os.path.join(self.home, SET_ASIDE)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(open_up(paths.workspace))
        os.rename(paths.workspace, os.path.join(folder, run))
        return replace(work, aside=f"{os.path.basename(self.home)}/{SET_ASIDE}/{run}"), ""

    def diff(self, work: Work, now: Callable[[], float]) -> str:
        if not (work.commit and work.touched):
            return ""
        repository = self.repository.within(Patience("the diff", DIFF_SECONDS, now))
        try:
            return repository.diff(work.base, work.commit, DIFF_MAX)
        except Overdue:
            many = len(work.touched)
            return f"too large to show: git needs more than {DIFF_SECONDS:.0f} s to compare its {many} files\n"

    def wants_ahead(self) -> bool:
        return not self.clones.spares()

    def look_ahead(self, target: str) -> None:
        """One clone ahead: the next run only has to be moved to its own commit."""
        if not self.clones.spares():
            tip = self.tip(target)
            if tip is not None:
                self.clones.prepare_spare(tip)

    def close(self) -> None:
        self.clones.drop_spares()

    def keep_item(self, item: str, head: str | None) -> None:
        """The row says where the item's branch is; the ref keeps git from collecting it."""
        if head is not None:
            self.repository.keep(self.repository.item_ref(item), head)

    def remove(self, paths: Paths, stopped: Callable[[], bool] = lambda: False) -> None:
        self.clones.remove(paths, stopped)
        remove_rest(paths, stopped)


def leave(workspaces: WorkspaceProvider, run: str, work: Work | None, flow: Flow) -> None:
    """Let other machines have what a run left that did not report; not what the board would refuse outright."""
    if not isinstance(workspaces, GitWorkspaces) or work is None or work.commit is None:
        return
    if work.touched and may_leave(work, flow):
        workspaces.leave(run, work.commit)


def write_note(paths: Paths, name: str, text: str) -> None:
    with open(os.path.join(paths.root, name), "w", encoding="ascii") as file:
        file.write(text)


def own(paths: Paths) -> None:
    """From now on it is this process's to see to."""
    write_note(paths, OWNER, maker(os.path.dirname(os.path.dirname(paths.root))))


def is_ready(root: str) -> bool:
    return os.path.exists(os.path.join(root, READY))


def disown(paths: Paths) -> None:
    """Whoever tidies up next shall see to it, as if its worker had died."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(paths.root, OWNER))


def private(paths: Paths) -> None:
    for folder in (paths.home, paths.spool):
        os.makedirs(folder, mode=0o700, exist_ok=True)


def private_anew(paths: Paths) -> None:
    """Without a sandbox setup could reach them: nothing that it put there is to be found there."""
    for folder in (paths.home, paths.spool):
        if os.path.islink(folder) or not os.path.isdir(folder):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(folder)
        elif os.listdir(folder):
            remove_tree(folder)
    private(paths)


def remove_rest(paths: Paths, stopped: Callable[[], bool]) -> None:
    """What a run leaves beside its workspace: nothing of it is work."""
    with contextlib.suppress(FileNotFoundError):
        remove_tree(paths.root, stopped)
