"""The files in a board's folder that are the user's: into a backup, and out of it again."""

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial

from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.backup.backup import FILES, PRIVATE, can_be_named
from folkmoot.wiring.files.locating import OWN

REPOSITORY = "repo.git"
NAMED_MAX = 10


def copy_to(home: str, folder: str) -> tuple[dict[str, str], list[str]]:
    """Copies of the user's files by their names in a backup, and what is not among them, with the reason.

    Somebody may be writing to a file, and what is summed up must be what is packed.
    """
    found, left_out = users_files(home)
    copies = {}
    for name, path in found.items():
        copy = os.path.join(folder, FILES, *name.split("/"))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        try:
            shutil.copyfile(path, copy)
            os.chmod(copy, stat.S_IMODE(os.stat(path).st_mode) & 0o777)
        except (FileNotFoundError, PermissionError) as fault:
            left_out.append(f"{name}: {fault.strerror}")
        else:
            copies[FILES + name] = copy
    return copies, left_out


def notes_of(left_out: list[str], called: str) -> list[str]:
    more = len(left_out) - NAMED_MAX
    notes = [f"not in {called}: {words}" for words in left_out[:NAMED_MAX]]
    return [*notes, f"and {more} more are not in it"] if more > 0 else notes


def users_files(home: str) -> tuple[dict[str, str], list[str]]:
    """Where each file is: the flow, its ladders, its prompts; no backups. And what a backup cannot hold, and why."""
    found: dict[str, str] = {}
    left_out: list[str] = []

    def closed(fault: OSError) -> None:
        left_out.append(f"{_shown(os.path.relpath(fault.filename, home))}: {fault.strerror}")

    for folder, below, names in os.walk(home, onerror=closed):
        here = os.path.relpath(folder, home)
        at_top = here == os.curdir
        # Folders that begin with a dot are such as are being made.
        below[:] = sorted(name for name in below if not (at_top and (is_own(name) or name.startswith("."))))
        links = [name for name in below if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            if name.endswith(faults.ENDING) or (at_top and is_own(name)):
                continue
            path = os.path.join(folder, name)
            whole = name if at_top else "/".join([*here.split(os.sep), name])
            why = None if can_be_named(whole) else "no backup can hold its name"
            why = why or _no_file(home, path)
            if why is None:
                found[whole] = path
            else:
                left_out.append(f"{_shown(whole)}: {why}")
    return found, left_out


def is_own(name: str) -> bool:
    """Is it what the board makes for itself? Some disks take large letters for small ones."""
    return any(fnmatchcase(name.casefold(), pattern) for pattern in OWN)


def _no_file(home: str, path: str) -> str | None:
    """Why it is not taken for one of the user's files; None if it is. A link stands for the file it leads to."""
    if os.path.islink(path):
        target = os.path.realpath(path)
        inside = os.path.relpath(target, os.path.realpath(home))
        if not os.path.isfile(target):
            return "it is a link, and not to a file"
        if not target.startswith(os.path.join(os.path.dirname(os.path.realpath(home)), "")):
            return "it is a link to a file outside of the project"
        if is_own(inside.split(os.sep)[0]) or inside.endswith(faults.ENDING):
            return "it is a link to what the board makes for itself"
    return None if os.path.isfile(path) else "it is no ordinary file"


def _shown(name: str) -> str:
    """A name that may be no text, in letters that any terminal takes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


class BringBack:
    """Put the files of a backup into the board's folder, and never anywhere else.

    What is in the way is set aside: a file that differs, and where a folder must be a file or a link. Through a link
    something outside would be written.
    """

    def __init__(self, home: str, modes: Mapping[str, int | None], set_aside: Callable[[], str]) -> None:
        self.changed: list[str] = []
        self.notes: list[str] = []
        self._home = home
        self._modes = modes
        self._set_aside = set_aside

    def __call__(self, folder: str) -> None:
        found, _ = users_files(folder)
        for name, source in found.items():
            if not self._is_same(name, source):
                self._guarded(name, partial(self._clear_way, name))
        # Only now: with a folder that was a link, files that were the same went as well.
        for name, source in found.items():
            self._guarded(name, partial(self._bring, name, source))

    def _guarded(self, name: str, step: Callable[[], None]) -> None:
        """The board is back already: a file that cannot come is told, and the others come."""
        try:
            step()
        except OSError as fault:
            words = f"{name} was not brought back: {fault.strerror or fault}"
            if words not in self.notes:
                self.notes.append(words)

    def _place(self, name: str) -> str:
        return os.path.join(self._home, *name.split("/"))

    def _is_same(self, name: str, source: str) -> bool:
        place = self._place(name)
        if not os.path.isfile(place) or os.path.getsize(source) != os.path.getsize(place):
            return False
        with open(source, "rb") as first, open(place, "rb") as second:
            return first.read() == second.read()

    def _clear_way(self, name: str) -> None:
        parts = name.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            place = self._place(above)
            if os.path.lexists(place) and (os.path.islink(place) or not os.path.isdir(place)):
                what = "a link" if os.path.islink(place) else "a file"
                self._move_aside(above)
                self.notes.append(f"{above} was {what} and is a folder in the backup: it was set aside")

    def _move_aside(self, name: str) -> None:
        aside = os.path.join(self._set_aside(), *name.split("/"))
        os.makedirs(os.path.dirname(aside), mode=0o700, exist_ok=True)
        os.rename(self._place(name), aside)

    def _bring(self, name: str, source: str) -> None:
        place, mode = self._place(name), self._modes.get(name)
        if self._is_same(name, source):
            is_ours = os.path.realpath(place) == os.path.join(os.path.realpath(self._home), *name.split("/"))
            if is_ours and mode is not None and stat.S_IMODE(os.stat(place).st_mode) != mode:
                os.chmod(place, mode)
                self.changed.append(name)
            return
        if os.path.lexists(place):
            self._move_aside(name)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        shutil.move(source, place)
        os.chmod(place, PRIVATE if mode is None else mode)
        self.changed.append(name)
