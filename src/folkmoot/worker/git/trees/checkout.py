"""The user's own work tree, when a branch that is checked out in it has moved.

All of it is done with the engine's repository and the user's index and files: the user's configuration, with its
filters and hooks, is not read. Whatever cannot be brought along safely that way is left as it is.
"""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from folkmoot.core.work import LINK, SUBMODULE
from folkmoot.worker.git.harvest.settings import attributes_file, in_force
from folkmoot.worker.git.looking import found_at
from folkmoot.worker.git.places import is_on
from folkmoot.worker.git.trees.holding import Lock, Note, Seen, seen, settle
from folkmoot.worker.git.trees.placing import IN_HAND, Placer, behind_link, clear_above, in_the_way
from folkmoot.worker.git.words import readable
from folkmoot.worker.removing import maker

if TYPE_CHECKING:
    from folkmoot.worker.git.places import Tree
    from folkmoot.worker.git.repository import Change, Repository
    from folkmoot.worker.ports import Ran

LOCK_WAITS = 10
LOCK_PAUSE = 0.05
PATHS_AT_ONCE = 500
FILTERS = ("filter", "working-tree-encoding")  # attributes by which git writes other bytes than it keeps
PATHS_SHOWN = 3
GONE = ("", "")
UNKNOWN = "which git does not know"

# Of the user's settings those that say how files are compared; none of them runs anything.
HOW_FILES_COMPARE = ("filemode", "symlinks", "ignorecase", "trustctime", "checkstat", "autocrlf", "eol")


class Checkout:
    """One work tree of the user's."""

    def __init__(self, repository: "Repository", tree: "Tree", pause: Callable[[float], object]) -> None:
        self._repository = repository
        self._tree = tree
        self.path, self.git_dir = tree.path, tree.git_dir
        self._pause = pause
        self._seen: Seen = None  # how the index was when it was looked at
        self._lock: Lock | None = None
        self._placer: Placer | None = None
        self._changes: list[Change] = []

    @cached_property
    def _settings(self) -> dict[str, str]:
        """Read once, when it is first looked at: one and the same answer for the whole of a move."""
        return in_force(self._repository, self._tree.git_dir)

    @cached_property
    def _own(self) -> list[str]:
        said = [(f"core.{name}", self._settings.get(f"core.{name}", "")) for name in HOW_FILES_COMPARE]
        return [part for name, value in said if value.isalnum() for part in ("-c", f"{name}={value.lower()}")]

    def _git(self, *args: str, index: str | None = None, stdin: bytes = b"", check: bool = True) -> "Ran":
        where = index or self._tree.index
        return self._repository(*self._own, *args, work_tree=self.path, index=where, stdin=stdin, check=check)

    def in_the_way(self, old: str | None, new: str) -> str:
        """Why the tree cannot simply be brought from one commit to another; empty if it can."""
        if not self._tree.is_found:
            return "where its files are cannot be told"
        if self._tree.at_work:
            return f"{self._tree.at_work} is going on there"
        if not self._unlocked():
            return "git is busy there (index.lock)"
        self._seen = seen(self._tree.index)
        before = old or self._repository.empty_tree()
        with tempfile.TemporaryDirectory(
            prefix=f"look-{maker(self._repository.home)}-", dir=self._repository.home
        ) as folder:
            copy = os.path.join(folder, "index")
            if os.path.exists(self._tree.index):
                # With its time, by which git knows which files may have changed since.
                shutil.copy2(self._tree.index, copy)
            listed = self._git("ls-files", "-z", "-t", index=copy, check=False)
            if listed.code:
                return "its index cannot be read"
            if listed.out.startswith(b"S ") or b"\0S " in listed.out:
                return "only a part of it is checked out"
            if self._filtered(before, new, copy):
                return "files that change there go through a filter of yours"
            if self._git("update-index", "--ignore-submodules", "--refresh", index=copy, check=False).code:
                return f"it has changes that are not committed{self._named('diff-files', index=copy)}"
            if self._staged_over(before, copy):
                staged = self._named("diff-index", "--cached", before, index=copy)
                return f"it has changes that are staged but not committed{staged}"
            path = in_the_way(
                self.path, self._repository.changes(before, new), fold="core.ignorecase=true" in self._own
            )
            if path:
                return f"{path} is there, {UNKNOWN}, and the work needs its place"
            if self._git("read-tree", "-m", "-u", "-n", before, new, index=copy, check=False).code:
                return "files that git does not know stand in the way"
        return ""

    def _named(self, *words: str, index: str) -> str:
        """The first of the files that differ, for a sentence."""
        said = self._git(words[0], "--name-only", "--ignore-submodules", "-z", *words[1:], index=index, check=False)
        paths = [readable(path) for path in said.out.split(b"\0") if path]
        more = f" and {len(paths) - PATHS_SHOWN} more" if len(paths) > PATHS_SHOWN else ""
        return f" ({', '.join(paths[:PATHS_SHOWN])}{more})" if paths else ""

    def _staged_over(self, commit: str, index: str) -> bool:
        flags = ("--cached", "--quiet", "--ignore-submodules=none")
        return self._git("diff-index", *flags, commit, index=index, check=False).code != 0

    def _filtered(self, old: str, new: str, index: str) -> bool:
        """By what the tree says now, and by what it will say: a change may bring a rule together with its files."""
        changes = self._repository.changes(old, new)
        if self._names_filter(changes, index):
            return True
        if not any(os.path.basename(change.path) == b".gitattributes" for change in changes):
            return False
        after = f"{index}-after"
        if os.path.exists(index):
            shutil.copy2(index, after)
        self._git("update-index", "-z", "--index-info", index=after, stdin=index_lines(self._repository, changes))
        return self._names_filter(changes, after)

    def _names_filter(self, changes: "list[Change]", index: str) -> bool:
        # The engine's attributes say there are no filters, so the files that name them are read here.
        attributes = f"core.attributesFile={attributes_file(self._settings)}"
        ran = self._repository.git(
            "-c", attributes, "check-attr", "--cached", "-z", "--stdin", *FILTERS,
            git_dir=self._tree.git_dir, work_tree=self.path, index=index, check=False, env={"GIT_ATTR_NOSYSTEM": "0"},
            stdin=b"".join(change.path + b"\0" for change in changes),
        )  # fmt: skip
        values = ran.out.split(b"\0")[2::3]
        return any(value not in (b"unspecified", b"unset") for value in values)

    @property
    def is_locked(self) -> bool:
        return os.path.lexists(f"{self._tree.index}.lock")

    def _unlocked(self) -> bool:
        for _ in range(LOCK_WAITS):
            if not self.is_locked:
                return True
            self._pause(LOCK_PAUSE)
        return False

    def prepare(self, old: str | None, new: str) -> None:
        """All that takes time, before the lock is taken: the new index and the new files, beside the old ones.

        The index must be as it was when `in_the_way` looked, or the lock is not got.
        """
        self._begin(old, new, self._repository.changes(old, new))

    def _begin(self, old: str | None, new: str, listed: "list[Change]") -> None:
        changes = self._repository.changes(old, new)
        note = Note(self._tree.branch, old, new, self.path, self._tree.git_dir, "")
        self._lock = lock = Lock(self._repository.git_dir, note, self._seen)
        self._changes = changes
        self._git("update-index", "-z", "--index-info", index=lock.ours, stdin=index_lines(self._repository, listed))
        self._placer = self._placing()
        # The lock's own index has them already, where nothing of the change is left out of it.
        self._write_new(changes, self._placer, lock.ours if listed == changes else "")
        lock.write_down()

    def _placing(self) -> Placer:
        home = self._repository.home
        notes = os.path.join(self._repository.git_dir, IN_HAND)
        return Placer(self.path, [home, self._tree.git_dir], maker(home), notes)

    def hold(self) -> bool:
        """Take git's lock. False where it is taken, or the tree is not as it was looked at: nothing was changed."""
        if self._lock is None or not self._lock.take():
            return False
        if is_on(self._tree):
            return True
        self.let_go()
        return False

    def let_go(self) -> None:
        """Leave index and files as they are."""
        lock, self._lock = self._lock, None
        placer, self._placer = self._placer, None
        if placer is not None:
            placer.close()
        if lock is not None:
            lock.drop()

    def forward(self, old: str | None, new: str) -> list[str]:
        """Bring index and files along. Gives back the paths that were left as they are."""
        if self._lock is None or not self._lock.note.is_locked:
            return self.finish(old, new)
        if not self._has(new):
            self.let_go()  # somebody has put the branch elsewhere: what is there is of the old one
            return []
        return self._bring()

    def finish(self, old: str | None, new: str) -> list[str]:
        """Bring along what nobody holds: only what is still as it was, or gone, or already as it shall be."""
        self.let_go()
        changes = self._repository.changes(old, new)
        every = [readable(change.path) for change in changes]
        if not self._tree.is_found or not self._unlocked():
            return every
        self._seen = seen(self._tree.index)
        staged = self._staged(changes)
        is_as = {change.path: staged.get(change.path, GONE) for change in changes}
        ours = [one for one in changes if is_as[one.path] in (state(one.old_mode, one.old), state(one.mode, one.new))]
        wait = [one for one in ours if is_as[one.path] != state(one.mode, one.new)]
        if not wait and not any(self._there(one, set()) == "was" for one in ours):
            return sorted(readable(one.path) for one in changes if one not in ours or not self._there(one, set()))
        try:
            self._begin(old, new, wait)
            if not self.hold():
                return every
            self._changes = ours
            return sorted([*self._bring(), *(readable(one.path) for one in changes if one not in ours)])
        finally:
            self.let_go()

    def mend(self, note: Note) -> list[str]:
        """Finish what a process began that died with the lock, or undo it where the branch is not there any more."""
        forward = self._has(note.new)
        if not self._tree.is_found:
            # There are no files any more. With the branch's index nothing is taken back if they come again.
            settle(note, forward=forward)
            return []
        old, new = (note.old, note.new) if forward else (note.new, note.old)
        self._changes = self._repository.changes(old, new)
        self._placer = self._placing()
        try:
            self._write_new(self._changes, self._placer)
            left = self._put_all()
        finally:
            self.let_go()
        settle(note, forward=forward)
        self._refresh()
        return left if forward else []

    def _has(self, commit: str) -> bool:
        """Is the commit in what is checked out?"""
        words = ("merge-base", "--is-ancestor", commit, "HEAD")
        return self._repository.git(*words, git_dir=self._tree.git_dir, check=False).code == 0

    def _bring(self) -> list[str]:
        try:
            try:
                left = self._put_all()
            except OSError:
                # The index is that of the branch all the same: what is missing then shows, and no commit takes it back.
                left = sorted(readable(change.path) for change in self._changes)
            if self._lock is not None:
                self._lock.finish()
                self._lock = None
        finally:
            self.let_go()
        self._refresh()
        return left

    def _refresh(self) -> None:
        """Nothing depends on it: git would find out by itself that the files are as the index says."""
        self._git("update-index", "-q", "--ignore-submodules", "--refresh", check=False)

    def _put_all(self) -> list[str]:
        changes, left, todo = self._changes, [], []
        going: set[bytes] = set()  # what makes room: a link that goes is no way to somewhere else any more
        for change in sorted(changes, key=lambda one: one.status != "D"):
            there = self._there(change, going)
            if there and change.status == "D":
                going.add(change.path)
            if not there:
                left.append(change.path)
            elif there == "was":
                todo.append(change)
        if todo:
            done = self._place(todo)
            left += [change.path for change in todo if change not in done]
        for change in changes:
            if change.status == "D" and change.path not in left:
                clear_above(os.fsencode(self.path), change.path)
        return [readable(path) for path in sorted(left)]

    def _there(self, change: "Change", going: set[bytes]) -> str:
        """How the file is: `was`, as before the change, or gone; `shall`, as after it; empty: as it is the user's."""
        path = os.path.join(os.fsencode(self.path), change.path)
        if SUBMODULE in (change.old_mode, change.mode):
            return "was"
        was, shall = state(change.old_mode, change.old), state(change.mode, change.new)
        link = behind_link(os.fsencode(self.path), change.path)
        if link is not None:
            return "was" if shall == GONE or (was == GONE and link in going) else ""
        if self._is(path, change.path, shall):
            return "shall"
        # A file that is missing is no work of the user's: whoever took it away to bring the new one may have died.
        return "was" if self._is(path, change.path, was) or self._is(path, change.path, GONE) else ""

    def _is(self, path: bytes, name: bytes, wanted: tuple[str, str]) -> bool:
        """Is the file there as git would have it, with the line endings that the user wants?"""
        there = found_at(path)
        if there is None:
            return wanted == GONE
        found, (mode, blob) = there.st_mode, wanted
        if stat.S_ISDIR(found):
            return wanted == GONE  # whether it is in the way is seen when the file is put there
        if wanted == GONE or stat.S_ISLNK(found) != (mode == LINK):
            return False
        if stat.S_ISLNK(found):
            return self._blob(os.readlink(path)) == blob
        if not stat.S_ISREG(found) or (
            "core.filemode=false" not in self._own and bool(found & stat.S_IXUSR) != (mode == "100755")
        ):
            return False
        with open(path, "rb") as file:
            if self._blob(file.read()) == blob:
                return True
        words = ("hash-object", f"--path={os.fsdecode(name)}", "--", os.fsdecode(path))
        return self._git(*words, check=False).out.decode().strip() == blob

    def _place(self, changes: "list[Change]") -> "list[Change]":
        """Put the files there, what goes first. Gives back those with which all went well."""
        placer = self._placer
        assert placer is not None
        return [change for change in sorted(changes, key=lambda one: one.status != "D") if self._one(change, placer)]

    def _one(self, change: "Change", placer: Placer) -> bool:
        was = state(change.old_mode, change.old)
        if SUBMODULE in (change.old_mode, change.mode):
            if change.mode == SUBMODULE:
                placer.make_folder(change.path)
            return change.mode == SUBMODULE or change.status == "D" or placer.put(change.path)
        aside = None
        path = os.path.join(os.fsencode(self.path), change.path)
        if was != GONE and os.path.lexists(path) and not behind_link(os.fsencode(self.path), change.path):
            aside = placer.take_away(change.path, lambda taken: self._is(taken, change.path, was))
            if aside is None:
                return False
        if change.status == "D":
            return True
        if placer.put(change.path):
            return True
        if aside is not None:
            placer.put_back(aside, change.path)
        return False

    def _write_new(self, changes: "list[Change]", placer: Placer, index: str = "") -> None:
        """The new files, beside the tree, as git would write them into it. `index`: one that has them, if there is."""
        wanted = [change for change in changes if change.status != "D" and change.mode != SUBMODULE]
        if not wanted:
            return
        if not index:
            index = os.path.join(placer.here, "index")
            if os.path.exists(self._tree.index):
                shutil.copy2(self._tree.index, index)
            self._git("update-index", "-z", "--index-info", index=index, stdin=index_lines(self._repository, changes))
        names = b"".join(change.path + b"\0" for change in wanted)
        os.mkdir(placer.new)
        self._git("checkout-index", "-z", "--stdin", f"--prefix={placer.new}/", index=index, stdin=names)

    def _staged(self, changes: "list[Change]") -> dict[bytes, tuple[str, str]]:
        found = {}
        for first in range(0, len(changes), PATHS_AT_ONCE):
            names = [os.fsdecode(change.path) for change in changes[first : first + PATHS_AT_ONCE]]
            for line in filter(None, self._git("ls-files", "-z", "-s", "--", *names).out.split(b"\0")):
                facts, _, path = line.partition(b"\t")
                mode, blob, stage = facts.decode().split(" ")
                found[path] = (mode, blob if stage == "0" else "conflict")
        return found

    def _blob(self, content: bytes) -> str:
        return hashlib.new(self._repository.form, b"blob %d\0" % len(content) + content).hexdigest()


def index_lines(repository: "Repository", changes: "list[Change]") -> bytes:
    """What goes first: a file may come where a folder was."""
    gone = [b"0 %s\t%s\0" % (repository.none.encode(), change.path) for change in changes if change.status == "D"]
    stay = [change for change in changes if change.status != "D"]
    lines = [b"%s %s\t%s\0" % (change.mode.encode(), change.new.encode(), change.path) for change in stay]
    return b"".join([*gone, *lines])


def state(mode: str, blob: str) -> tuple[str, str]:
    return GONE if not blob.strip("0") else (mode, blob)
