"""The user's own work tree, when a branch that is checked out in it has moved.

All of it is done with the engine's repository and the user's index and files: the user's configuration, with its
filters and hooks, is not read. Whatever cannot be brought along safely that way is left as it is.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from folkmoot.core.work import LINK, SUBMODULE
from folkmoot.worker.removing import maker

if TYPE_CHECKING:
    from folkmoot.worker.git.places import Tree
    from folkmoot.worker.git.repository import Change, Repository
    from folkmoot.worker.ports import Ran

LOCK_WAITS = 10
LOCK_PAUSE = 0.05
PATHS_AT_ONCE = 500
GONE = ("", "")

# Of the user's settings those that say how files are compared; none of them runs anything.
HOW_FILES_COMPARE = ("filemode", "symlinks", "ignorecase", "trustctime", "checkstat", "autocrlf", "eol")


class Checkout:
    """One work tree of the user's."""

    def __init__(self, repository: "Repository", tree: "Tree", pause: Callable[[float], object]) -> None:
        self._repository = repository
        self._tree = tree
        self.path = tree.path
        self._pause = pause
        self._own = self._settings()

    def _settings(self) -> list[str]:
        names = "|".join(HOW_FILES_COMPARE)
        ran = self._repository.git(
            "config", "--local", "--get-regexp", f"^core\\.({names})$", git_dir=self._tree.git_dir, check=False
        )
        said = [line.partition(" ")[::2] for line in ran.out.decode("utf-8", "replace").splitlines()]
        return [part for name, value in said if value.isalnum() for part in ("-c", f"{name}={value}")]

    def _git(self, *args: str, index: str | None = None, stdin: bytes = b"", check: bool = True) -> "Ran":
        where = index or self._tree.index
        return self._repository(*self._own, *args, work_tree=self.path, index=where, stdin=stdin, check=check)

    def in_the_way(self, old: str | None, new: str) -> str:
        """Why the tree cannot simply be brought from one commit to another; empty if it can."""
        if self._tree.at_work:
            return f"{self._tree.at_work} is going on there"
        if not self._unlocked():
            return "git is busy there (index.lock)"
        before = old or self._repository.empty_tree()
        with tempfile.TemporaryDirectory(prefix=f"look-{maker()}-", dir=self._repository.home) as folder:
            copy = os.path.join(folder, "index")
            if os.path.exists(self._tree.index):
                # With its time, by which git knows which files may have changed since.
                shutil.copy2(self._tree.index, copy)
            listed = self._git("ls-files", "-z", "-t", index=copy, check=False)
            if listed.code:
                return "its index cannot be read"
            if listed.out.startswith(b"S ") or b"\0S " in listed.out:
                return "only a part of it is checked out"
            if self._git("update-index", "--ignore-submodules", "--refresh", index=copy, check=False).code:
                return "it has changes that are not committed"
            if self._staged_over(before, copy):
                return "it has changes that are staged but not committed"
            if self._filtered(before, new, copy):
                return "files that change there go through a filter of yours"
            if self._git("read-tree", "-m", "-u", "-n", before, new, index=copy, check=False).code:
                return "files that git does not know stand in the way"
        return ""

    def _staged_over(self, commit: str, index: str) -> bool:
        flags = ("--cached", "--quiet", "--ignore-submodules=none")
        return self._git("diff-index", *flags, commit, index=index, check=False).code != 0

    def _filtered(self, old: str, new: str, index: str) -> bool:
        # The engine's attributes say there are no filters, so the files that name them are read here.
        changes = self._repository.changes(old, new)
        ran = self._repository.git(
            "check-attr", "--cached", "-z", "--stdin", "filter",
            git_dir=self._tree.git_dir, work_tree=self.path, index=index, check=False,
            stdin=b"".join(change.path + b"\0" for change in changes),
        )  # fmt: skip
        values = ran.out.split(b"\0")[2::3]
        return any(value not in (b"unspecified", b"unset") for value in values)

    def _unlocked(self) -> bool:
        for _ in range(LOCK_WAITS):
            if not os.path.lexists(f"{self._tree.index}.lock"):
                return True
            self._pause(LOCK_PAUSE)
        return False

    def forward(self, old: str | None, new: str) -> list[str]:
        """Bring index and files along. Gives back the paths that were left as they are."""
        before = old or self._repository.empty_tree()
        if self._unlocked() and self._git("read-tree", "-m", "-u", before, new, check=False).code == 0:
            return []
        return self.finish(old, new)

    def finish(self, old: str | None, new: str) -> list[str]:
        """Do the rest of a `forward` that was cut off: only what is still as it was, or already as it shall be."""
        changes = self._repository.changes(old, new)
        if not self._unlocked():
            return [os.fsdecode(change.path) for change in changes]
        staged = self._staged(changes)
        left, wrong = [], []
        for change in changes:
            was, shall = state(change.old_mode, change.old), state(change.mode, change.new)
            listed, there = staged.get(change.path, GONE), self._on_disk(change.path)
            if SUBMODULE in (change.old_mode, change.mode) or listed not in (was, shall) or there not in (was, shall):
                left.append(os.fsdecode(change.path))
            elif (listed, there) != (shall, shall):
                wrong.append(change)
        if wrong:
            self._put(wrong)
        return left

    def _staged(self, changes: "list[Change]") -> dict[bytes, tuple[str, str]]:
        found = {}
        for first in range(0, len(changes), PATHS_AT_ONCE):
            names = [os.fsdecode(change.path) for change in changes[first : first + PATHS_AT_ONCE]]
            for line in filter(None, self._git("ls-files", "-z", "-s", "--", *names).out.split(b"\0")):
                facts, _, path = line.partition(b"\t")
                mode, blob, stage = facts.decode().split(" ")
                found[path] = (mode, blob if stage == "0" else "conflict")
        return found

    def _on_disk(self, name: bytes) -> tuple[str, str]:
        """Mode and blob of a file as git would write them; a folder, or what is behind a link, is never either."""
        path = os.path.join(os.fsencode(self.path), name)
        above = os.path.dirname(name)
        while above:
            if os.path.islink(os.path.join(os.fsencode(self.path), above)):
                return ("link", "")
            above = os.path.dirname(above)
        try:
            mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        if stat.S_ISLNK(mode):
            return LINK, self._blob(os.readlink(path))
        if not stat.S_ISREG(mode):
            return ("other", "")
        with open(path, "rb") as file:
            return "100755" if mode & stat.S_IXUSR else "100644", self._blob(file.read())

    def _blob(self, content: bytes) -> str:
        return hashlib.new(self._repository.form, b"blob %d\0" % len(content) + content).hexdigest()

    def _put(self, changes: "list[Change]") -> None:
        gone = [change for change in changes if change.status == "D"]
        stay = [change for change in changes if change.status != "D"]
        lines = [b"0 %s\t%s" % (self._repository.none.encode(), change.path) for change in gone]
        lines += [b"%s %s\t%s" % (change.mode.encode(), change.new.encode(), change.path) for change in stay]
        self._git("update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))
        for change in gone:
            self._delete(os.path.join(os.fsencode(self.path), change.path))
        names = b"".join(change.path + b"\0" for change in stay)
        if names:
            self._git("checkout-index", "-f", "-u", "-z", "--stdin", stdin=names)

    def _delete(self, path: bytes) -> None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(path)
        folder, top = os.path.dirname(path), os.fsencode(self.path)
        with contextlib.suppress(OSError):  # the first folder that still holds something ends it
            while folder != top:
                os.rmdir(folder)
                folder = os.path.dirname(folder)


def state(mode: str, blob: str) -> tuple[str, str]:
    return GONE if not blob.strip("0") else (mode, blob)
