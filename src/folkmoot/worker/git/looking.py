"""A look at a work tree that an agent left: what in it must not be taken for a file of the project.

Nothing is opened and no link is followed. Folders that were closed are opened again, or git would see what is in
them as deleted.
"""

import errno
import os
import stat
from typing import TYPE_CHECKING

from folkmoot.core.rules.running.names import in_git
from folkmoot.core.work import SUBMODULE
from folkmoot.worker.ports import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

# As git writes modes; it knows no such files, so a change with one of these is never one it made.
RULES = "rules"  # instead of a mode: a file by which git decides what it does with others
RULE_NAMES = frozenset({".gitignore", ".gitattributes"})
SPECIAL = {
    stat.S_IFIFO: "010000",
    stat.S_IFCHR: "020000",
    stat.S_IFBLK: "060000",
    stat.S_IFSOCK: "140000",
}

TOO_DEEP = "040000"  # a folder with paths in it that are too long for any program

OPEN = stat.S_IRWXU


def oddities(top: str, bounds: Bounds) -> "Iterator[tuple[str, str]]":
    """Path and mode of what is no file, folder or link, and of folders that are repositories of their own; and of files
    with rules for git."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _entries(os.path.join(top, folder))
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            yield folder.partition("/")[0], TOO_DEEP
            continue
        with entries:
            for entry in entries:
                bounds.left()
                path = os.path.join(folder, entry.name)
                if entry.name.casefold() == ".git" and not folder:
                    if entry.name != ".git":
                        yield path, SUBMODULE
                    continue
                if in_git(entry.name):
                    # Of a folder with a repository in it the folder is named; odd spellings are named themselves.
                    yield (folder if entry.name == ".git" else path), SUBMODULE
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.name in RULE_NAMES and entry.is_file(follow_symlinks=False):
                    yield path, RULES
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                    yield path, SPECIAL.get(kind, SUBMODULE)


def _entries(folder: str) -> "os._ScandirIterator[str]":
    """One by one: nobody knows how many there are."""
    mode = os.lstat(folder).st_mode
    if mode & OPEN != OPEN:
        os.chmod(folder, stat.S_IMODE(mode) | OPEN)
    return os.scandir(folder)


def open_file(path: str) -> None:
    """Make a file readable that its owner closed."""
    mode = os.lstat(path).st_mode
    if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
        os.chmod(path, stat.S_IMODE(mode) | stat.S_IRUSR)


def behind_link(top: str, path: str, known: dict[str, bool]) -> bool:
    """Does a link stand in the way to a path? Then it is not a path of this tree. `known`: folders seen before."""
    folder, passed = os.path.dirname(path), []
    while folder and folder not in known:
        passed.append(folder)
        if os.path.islink(os.path.join(top, folder)):
            known[folder] = True
            break
        folder = os.path.dirname(folder)
    behind = known.get(folder, False)
    known.update(dict.fromkeys(passed, behind))
    return behind


def found_at(path: bytes) -> "os.stat_result | None":
    """What is at a path, itself and not what it leads to; None where nothing can be: above it may be a file, or a
    link that leads to itself."""
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
