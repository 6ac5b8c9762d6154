"""Putting files into a work tree of the user's without ever overwriting or removing what git does not know.

Two rules hold for every file. What is there is taken away by renaming it, and is put back unless it turns out to be
what git knows. What comes is put there by a step that fails where anything is, whoever put it there, and when.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from folkmoot.core.work import SUBMODULE
from folkmoot.worker.git.looking import found_at
from folkmoot.worker.git.words import readable

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Change

BRINGING = ".moot-bring-"  # the beginning of the name of a folder of ours, in which a landing has files in hand
IN_HAND = "in-hand"  # in the engine's repository: a note for each such folder, of its name
Known = Callable[[bytes], bool]  # is the file at this path what git knows?


def in_the_way(root: str, changes: "Iterable[Change]", *, fold: bool) -> str:
    """A path that git does not know, ignored or not, where the changes need the place; nothing if there is none.

    `fold`: names that differ in case only are one name there.
    """
    changes = list(changes)
    gone = {change.path for change in changes if change.status == "D"}
    look = _Look(os.fsencode(root), gone, fold)
    for change in changes:
        found = look.at(change) if change.status != "D" else None
        if found is not None:
            return readable(found)
    return ""


class _Look:
    def __init__(self, root: bytes, gone: set[bytes], fold: bool) -> None:
        self._root, self._gone, self._fold = root, gone, fold
        self._names: dict[bytes, list[bytes]] = {}

    def at(self, change: "Change") -> bytes | None:
        if change.status == "A":
            return self._over(change.path, folder_is_fine=change.mode == SUBMODULE)
        if change.old_mode == SUBMODULE and change.mode != SUBMODULE:
            return self._inside(change.path)
        return None

    def _over(self, path: bytes, *, folder_is_fine: bool) -> bytes | None:
        """What stands where a path comes, or where a folder above it must be."""
        parts = path.split(b"/")
        for number in range(1, len(parts) + 1):
            here = b"/".join(parts[:number])
            twin = self._twin(here) if self._fold else None
            if twin is not None:
                return twin
            there = found_at(os.path.join(self._root, here))
            if there is None:
                return None
            if not stat.S_ISDIR(there.st_mode):
                return here if here not in self._gone else None  # a file that goes makes room for a folder
        return None if folder_is_fine else self._inside(path)

    def _twin(self, path: bytes) -> bytes | None:
        folder, name = os.path.split(path)
        wanted = os.fsdecode(name).casefold()
        for other in self._listed(folder):
            if other != name and os.fsdecode(other).casefold() == wanted:
                twin = os.path.join(folder, other)
                if twin not in self._gone and self._inside(twin, itself=True) is not None:
                    return twin
        return None

    def _listed(self, folder: bytes) -> list[bytes]:
        if folder not in self._names:
            try:
                self._names[folder] = os.listdir(os.path.join(self._root, folder))
            except OSError:
                self._names[folder] = []
        return self._names[folder]

    def _inside(self, folder: bytes, *, itself: bool = False) -> bytes | None:
        """Something in a folder that does not go with the change. Folders with nothing in them are nobody's."""
        top = os.path.join(self._root, folder)
        if not os.path.isdir(top) or os.path.islink(top):
            return folder if itself else None
        for at, folders, files in os.walk(top):
            links = [name for name in folders if os.path.islink(os.path.join(at, name))]
            for name in [*files, *links]:
                path = os.path.relpath(os.path.join(at, name), self._root)
                if path not in self._gone:
                    return path
        return None


class Placer:
    """Takes files away and puts files there, below one root. `here` is a folder of ours on the same disk; that it is
    ours is noted in `notes` as long as it is there, since a name says nothing: anybody can give it."""

    def __init__(self, root: str, places: Iterable[str], maker: str, notes: str) -> None:
        self._root = os.fsencode(root)
        os.makedirs(notes, mode=0o700, exist_ok=True)
        handle, self._note = tempfile.mkstemp(prefix=f"{BRINGING}{maker}-", dir=notes)
        os.close(handle)
        self.here = os.path.join(_on_same_disk(root, places), os.path.basename(self._note))
        os.mkdir(self.here, 0o700)
        self.new = os.path.join(self.here, "new")
        self._number = 0
        self._stays = False  # something of the user's is in there that could not be put back

    def close(self) -> None:
        if not self._stays:
            shutil.rmtree(self.here, ignore_errors=True)
            if not os.path.lexists(self.here):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._note)

    def take_away(self, path: bytes, known: Known) -> bytes | None:
        """Rename what is there to a place of ours; None where it is not what git knows, and then it is back."""
        self._number += 1
        aside = os.path.join(os.fsencode(self.here), b"%d" % self._number)
        there = os.path.join(self._root, path)
        try:
            if os.path.isdir(there) and not os.path.islink(there):
                return None
            os.rename(there, aside)
        except OSError:
            return None
        if known(aside):
            return aside
        self.put_back(aside, path)
        return None

    def put_back(self, aside: bytes, path: bytes) -> None:
        there = os.path.join(self._root, path)
        try:
            if os.path.isdir(aside) and not os.path.islink(aside):
                os.rename(aside, there)  # a folder replaces nothing but an empty one
                return
            os.link(aside, there, follow_symlinks=False)
            os.unlink(aside)
        except OSError:
            self._stays = True  # somebody has put another one there: both are kept

    def put(self, path: bytes) -> bool:
        """Put the new file there; False where something is, or a folder above it is not one."""
        target, source = os.path.join(self._root, path), os.path.join(os.fsencode(self.new), path)
        if behind_link(self._root, path):
            return False
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            remove_empty(target)
            os.link(source, target, follow_symlinks=False)
        except OSError:
            return False
        return True

    def make_folder(self, path: bytes) -> None:
        if not behind_link(self._root, path):
            with contextlib.suppress(OSError):
                os.makedirs(os.path.join(self._root, path), exist_ok=True)


def clear_above(root: bytes, path: bytes) -> None:
    """Remove the folders above a path that went, as long as they hold nothing."""
    folder = os.path.dirname(path)
    with contextlib.suppress(OSError):  # the first folder that still holds something ends it
        while folder and not behind_link(root, path):
            os.rmdir(os.path.join(root, folder))
            folder = os.path.dirname(folder)


def behind_link(root: bytes, path: bytes) -> bytes | None:
    """The first link on the way from the root to a path, which leads elsewhere than the path says."""
    parts = path.split(b"/")
    for number in range(1, len(parts)):
        above = b"/".join(parts[:number])
        if os.path.islink(os.path.join(root, above)):
            return above
    return None


def remove_empty(path: bytes) -> None:
    """Remove a folder in which there are only folders, if it is one."""
    if os.path.isdir(path) and not os.path.islink(path):
        for at, _, _ in os.walk(path, topdown=False):
            os.rmdir(at)


def _on_same_disk(root: str, places: Iterable[str]) -> str:
    disk = os.stat(root).st_dev
    return next((place for place in places if os.stat(place).st_dev == disk), root)
