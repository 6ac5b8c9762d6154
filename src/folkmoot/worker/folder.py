"""A plain folder without git: agents work in the folder itself, and what they touched shows by comparing."""

import contextlib
import os
import stat
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.core.rules.running.names import in_board, in_git, is_repository
from folkmoot.core.work import LINK, SUBMODULE, Touched, Work
from folkmoot.engine.run_context import RunContext
from folkmoot.worker.git.harvest.bounds import Allowed
from folkmoot.worker.git.looking import SPECIAL
from folkmoot.worker.ports import Bounds, Paths
from folkmoot.worker.setups.included import Included
from folkmoot.worker.workspaces import SET_ASIDE, own, private, private_anew, remove_rest, run_paths, write_note

TRUSTED = "boards"  # a file in a run's folder: which other boards and repositories there were
# What tools leave behind and nobody means.
BY_PRODUCTS = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "node_modules"}

# Bytes in the path of a folder that is looked into: so the kernel takes the path of whatever is in it.
DEEP_MAX = 3_700


class Entry(Struct, frozen=True):
    """A file as it is listed; two that are equal are taken for the same file."""

    size: int
    mtime_ns: int
    mode: str
    link: str | None = None
    trusted: int = 0  # the inode of a repository or a board: git, or `moot`, runs by what is in it


class Folder:
    """`home` is the folder of the board that works here; any other board below is somebody else's. `is_apart` tells
    the paths that others write while a run works, such as the board's files: they are no part of its change."""

    def __init__(self, root: str, home: str = "", is_apart: Callable[[str], bool] = lambda path: False) -> None:
        self.root = os.path.abspath(root)
        self._is_apart = is_apart
        self._home = os.path.relpath(home, self.root) if home else ".moot"

    def prepare(self, paths: Paths) -> Paths:
        """The same folders of a run, but for the workspace: that is the folder itself."""
        return msgspec.structs.replace(paths, workspace=self.root)

    def listing(self) -> dict[str, Entry]:
        """Every file below the folder. No link is followed; what cannot be looked into is left out. What is too deep is
        one thing. Of by-products only the repositories and boards in them are listed: those matter wherever they lie.
        """
        found: dict[str, Entry] = {}
        waiting = [("", False)]
        while waiting:
            folder, by_product = waiting.pop()
            if len(os.fsencode(os.path.join(self.root, folder))) > DEEP_MAX:
                found[folder.partition(os.sep)[0]] = Entry(
                    0, 0, SUBMODULE
                )  # told by its top: it is no file of a change
                continue
            try:
                with os.scandir(os.path.join(self.root, folder)) as entries:
                    listed = list(entries)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue  # it went away while we looked, or is closed to us as it is to the agent
            if folder and is_repository({entry.name: entry.is_dir(follow_symlinks=False) for entry in listed}):
                with contextlib.suppress(FileNotFoundError):
                    found[folder] = Entry(0, 0, SUBMODULE, trusted=os.lstat(os.path.join(self.root, folder)).st_ino)
                continue
            for entry in listed:
                path = os.path.join(folder, entry.name)
                if path == self._home or self._is_apart(path):
                    continue
                if in_git(entry.name) or in_board(entry.name):
                    # Not looked into; but that one came is seen: the user's own git, or the next `moot` that is called
                    # there, would run what it names.
                    found[path] = Entry(0, 0, SUBMODULE, trusted=entry.inode())
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append((path, by_product or entry.name in BY_PRODUCTS))
                elif not by_product:
                    with contextlib.suppress(FileNotFoundError):
                        found[path] = listed_as(entry)
        return found

    def trusted(self) -> dict[str, int]:
        """What `moot` or git would read and run by when a user calls it there: other boards and repositories below the
        folder, and whatever would be taken for one. The inode tells one that was put in the place of another."""
        return trusted_of(self.listing())

    def set_aside(self, paths: list[str], place: str) -> None:
        """Move what a run left there to a place where nobody takes it for such. Nothing is lost by it."""
        for number, path in enumerate(paths):
            os.makedirs(place, mode=0o700, exist_ok=True)
            kind = "board" if in_board(os.path.basename(path)) else "git"
            with contextlib.suppress(FileNotFoundError):
                os.rename(os.path.join(self.root, path), os.path.join(place, f"{kind}-{number}"))

    def work(self, before: dict[str, Entry], after: dict[str, Entry]) -> Work:
        """What differs between two listings. There is no commit."""
        touched = []
        for path in sorted(before.keys() | after.keys()):
            old, new = before.get(path), after.get(path)
            if old == new:
                continue
            there = new or old
            assert there is not None
            how = "created" if old is None else "deleted" if new is None else "modified"
            name = os.fsencode(path).decode("utf-8", "backslashreplace")
            touched.append(Touched(name, how, there.mode, new.link if new else None))
        return Work(touched=touched)


def trusted_of(listing: dict[str, Entry]) -> dict[str, int]:
    return {path: entry.trusted for path, entry in sorted(listing.items()) if entry.trusted}


def listed_as(entry: os.DirEntry[str]) -> Entry:
    there = entry.stat(follow_symlinks=False)
    kind = stat.S_IFMT(there.st_mode)
    if kind == stat.S_IFREG:
        mode = "100755" if there.st_mode & stat.S_IXUSR else "100644"
        return Entry(there.st_size, there.st_mtime_ns, mode)
    if kind == stat.S_IFLNK:
        lead = os.fsencode(os.readlink(entry.path)).decode("utf-8", "backslashreplace")
        return Entry(there.st_size, there.st_mtime_ns, LINK, lead)
    return Entry(0, 0, SPECIAL.get(kind, SUBMODULE))


class FolderWorkspaces:
    """The project's folder itself: no clones, so only one writer at a time, on this machine and in all its workers."""

    def __init__(
        self,
        root: str,
        home: str,
        alone: Callable[[], contextlib.AbstractContextManager[object]],
        is_apart: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self.home = home
        self.readable: list[str] = []
        self._folder = Folder(root, home, is_apart)
        self._alone = alone
        self._writing: dict[str, tuple[contextlib.AbstractContextManager[object], dict[str, Entry]]] = {}

    def hidden(self, paths: Paths) -> list[str]:
        return [os.path.join(self._folder.root, path) for path in _trusted_before(paths) or []]

    def paths(self, run: str) -> Paths:
        return self._folder.prepare(run_paths(self.home, run))

    def is_made(self, paths: Paths) -> bool:
        return True

    def tree(self, commit: str | None) -> str | None:
        return None

    def make(self, paths: Paths, run_context: RunContext, commit: str | None, base: str | None = None) -> str | None:
        os.makedirs(paths.root, mode=0o700, exist_ok=True)
        own(paths)  # and no base: what was done stays in the folder anyway
        private(paths)
        if run_context.write != "none":
            alone = self._alone()
            alone.__enter__()
            # Not before: until then the run before this one may be there, with what it has planted.
            self._writing[paths.root] = (alone, self._folder.listing())
            trusted = trusted_of(self._writing[paths.root][1])
        else:
            trusted = self._folder.trusted()
        told = msgspec.json.encode([(os.fsencode(path), inode) for path, inode in trusted.items()])
        write_note(paths, TRUSTED, told.decode())
        return None

    def include(self, paths: Paths, *, before: bool = False) -> list[Included]:
        return []  # all are there

    def put_back(
        self, paths: Paths, commit: str | None, agent: str, bounds: Bounds, obeyed: Sequence[str]
    ) -> list[str]:
        private_anew(paths)
        return []  # nobody can tell which files of the folder were meant

    def began(self, run_context: RunContext, at: str | None) -> str | None:
        return None

    def harvest(
        self, paths: Paths, run_context: RunContext, base: str | None, message: str, allowed: Allowed
    ) -> tuple[Work | None, str]:
        if paths.root not in self._writing:
            return None, ""  # it reads; others may write at the same time, so nothing could be told apart
        return self._folder.work(self._writing[paths.root][1], self._folder.listing()), ""

    def diff(self, work: Work, now: Callable[[], float]) -> str:
        return ""

    def wants_ahead(self) -> bool:
        return False  # everybody works in the same folder

    def look_ahead(self, target: str) -> None:
        pass

    def close(self) -> None:
        pass

    def remove(self, paths: Paths, stopped: Callable[[], bool] = lambda: False) -> None:
        try:
            before = _trusted_before(paths)
            if before is not None:
                new = [path for path, inode in self._folder.trusted().items() if before.get(path) != inode]
                self._folder.set_aside(new, os.path.join(self.home, SET_ASIDE, os.path.basename(paths.root)))
            remove_rest(paths, stopped)
        finally:
            alone, _ = self._writing.pop(paths.root, (None, None))
            if alone is not None:
                alone.__exit__(None, None, None)


def _trusted_before(paths: Paths) -> dict[str, int] | None:
    """The other boards and repositories that were there when a run began; None if it did not come so far."""
    try:
        with open(os.path.join(paths.root, TRUSTED), "rb") as file:
            found: list[tuple[bytes, int]] = reader(list[tuple[bytes, int]])(file.read())
            return {os.fsdecode(path): inode for path, inode in found}
    except (FileNotFoundError, msgspec.DecodeError):
        return None
