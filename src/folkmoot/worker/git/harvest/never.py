"""What in a change is nobody's to change, whatever its name is: by what lies there, and by the tree that comes of it.

The rules are `NEVER` and `is_repository` of the core. Here is looked at what they are about: the tree that would land,
not the change alone, since the parts of a thing may come in several; and the work trees of the user, where what git
does not know stands beside what lands.
"""

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from folkmoot.core.rules.running.names import GIT, Places, is_environment, is_repository, touches
from folkmoot.core.rules.running.rights import (
    ENGINES_OWN,
    ENVIRONMENT,
    GIT_LED,
    LARGE,
    MIRRORS,
    OF_THE_PATH,
    OTHERS_TREE,
    REPOSITORY,
)
from folkmoot.core.work import LINK
from folkmoot.worker.git.elsewhere.lfs import without_pointer
from folkmoot.worker.git.harvest.blobs import contents
from folkmoot.worker.git.harvest.settings import led_to, of_the_path
from folkmoot.worker.git.places import work_trees
from folkmoot.worker.git.words import readable

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Change, Repository

Told = Callable[[], Callable[[str], str | None]]  # gives what tells, by the board as it is now, the kind of a path
Entries = dict[str, bool]  # of a folder: each name, and whether that is a folder too

FOLDER = "40000"  # as git writes the mode in a tree
PROGRAM = "100755"
ENTRIES_KEPT = 10_000  # what the folders of a change hold is kept where it is no more
TREES = ("diff-tree", "-r", "-t", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=none")


def never(
    repository: "Repository", base: str | None, commit: str, changes: Sequence["Change"], leads: Mapping[str, str]
) -> dict[bytes, str]:
    """Of each path of a change that nobody may change, which kind of `NEVER` it is. `leads`: where links lead."""
    if not changes:
        return {}
    led = Places(led_to(repository))
    of_path = of_the_path(repository)
    programs, at_the_top = Places(of_path), "" in of_path
    kind_of = repository.told()
    folders = dict(_Folders(repository, base, commit).kinds())
    found: dict[bytes, str] = dict.fromkeys(without_pointer(repository, commit, changes), LARGE)
    for change in changes:
        path = readable(change.path)
        links = [_reached(path, leads.get(change.new, ""))] if change.mode == LINK else []
        if touches(path, repository.engines):
            found[change.path] = ENGINES_OWN
        elif led.meet(path):
            found[change.path] = GIT_LED
        elif programs.meet(path) or (at_the_top and _is_program(change)):
            found[change.path] = OF_THE_PATH
        elif any(kind_of(link) == MIRRORS for link in links):
            found[change.path] = MIRRORS
        elif kind := kind_of(path) or next((folders[one] for one in _above(change.path) if one in folders), None):
            found[change.path] = kind
    return found


def _is_program(change: "Change") -> bool:
    """Would it be found by its name, were the top folder of the project in the PATH?"""
    return change.mode in (PROGRAM, LINK) and b"/" not in change.path


def _reached(path: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def _above(path: bytes) -> Iterator[bytes]:
    """The folders that a path lies in, the top one first."""
    steps = path.split(b"/")
    yield from (b"/".join(steps[:number]) for number in range(len(steps)))


class _Folders:
    """The folders that a change reaches into: as they were, as they will be, and as they are in the user's trees."""

    def __init__(self, repository: "Repository", base: str | None, commit: str) -> None:
        self._trees = work_trees(repository.user)
        old = repository.tree_of(base) if base else repository.empty_tree()
        new = repository.tree_of(commit)
        self._ids: dict[bytes, tuple[str, str]] = {b"": (old, new)}
        fields = repository.told_of(old, new, by=(*TREES, "--raw", "-z")).split(b"\0")
        for line, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, mode, before, after, _ = line.decode().removeprefix(":").split(" ")
            if FOLDER in (old_mode.lstrip("0"), mode.lstrip("0")):
                was = before if old_mode.lstrip("0") == FOLDER else ""
                self._ids[path] = (was, after if mode.lstrip("0") == FOLDER else "")
        wanted = [one for both in self._ids.values() for one in both if one.strip("0")]
        known: dict[str, Entries] | None = repository.known.get(asked := ("folders", old, new))
        self._entries = _entries(repository, wanted) if known is None else known
        if known is None and sum(map(len, self._entries.values())) <= ENTRIES_KEPT:
            repository.known.keep(asked, self._entries)  # its landing asks again

    def kinds(self) -> Iterator[tuple[bytes, str]]:
        for folder, (before, after) in self._ids.items():
            was, shall = self._entries.get(before, {}), self._entries.get(after, {})
            if folder and is_repository(shall):
                yield folder, REPOSITORY
                continue
            for tree in self._trees:
                there = _there(tree, folder)
                # What goes with the change is no part of what comes of it.
                both = {**{name: kind for name, kind in there.items() if name not in was}, **shall}
                has_git = GIT in there
                if is_repository(both) and (folder or not has_git):  # at the top git takes its own first
                    yield folder, REPOSITORY
                elif has_git and folder and not was:
                    yield folder, OTHERS_TREE
                elif folder and is_environment(readable(folder), there, was):
                    yield folder, ENVIRONMENT


def _entries(repository: "Repository", wanted: Sequence[str]) -> dict[str, Entries]:
    size = len(repository.none) // 2
    found = {tree: _listed(data, size) for tree, data in contents(repository, wanted)}
    for tree in set(wanted) - found.keys():  # too large to be read together with others
        data = repository("ls-tree", "-z", tree).out
        lines = [line.partition(b"\t") for line in data.split(b"\0") if line]
        found[tree] = {readable(name): facts.startswith(b"040000") for facts, _, name in lines}
    return found


def _listed(data: bytes, size: int) -> Entries:
    """A tree as git stores it: mode, name and id of each entry."""
    found: Entries = {}
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        found[readable(name)] = mode.decode().lstrip("0") == FOLDER
        at = end + 1 + size
    return found


def _there(tree: str, folder: bytes) -> Entries:
    """A folder of the user's; nothing where a link leads elsewhere: no file of a change is put behind one."""
    at = os.path.join(os.fsencode(tree), folder) if folder else os.fsencode(tree)
    if os.path.realpath(at) != at:
        return {}
    try:
        with os.scandir(at) as entries:
            return {readable(entry.name): entry.is_dir(follow_symlinks=False) for entry in entries}
    except OSError:
        return {}
