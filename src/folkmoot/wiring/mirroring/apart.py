"""Which folders show a board, held against the changes of runs; and what of them git tracks.

What stands in such a folder counts as the word of whom it names. So no change comes there, and nothing is taken in that
came with one.
"""

import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from hashlib import sha256

from folkmoot.errors import Unavailable
from folkmoot.mirror.names import MARK, in_mirror
from folkmoot.mirror.tracked import Ask
from folkmoot.system.git import SystemGit
from folkmoot.wiring.reading import write_anew
from folkmoot.wiring.trust import git_for, place_of, project_of, trees_of
from folkmoot.worker.git.places import Place, find

RECORDS = "mirror"  # the folder in .moot that holds what was written, for each folder that is mirrored to
FOLDER = ".folder"  # the end of the name of a file there that tells which folder it is
RECORD, LOCK = ".jsonl", ".lock"  # and of what was written there; and of what keeps a second mirror out
# A file system may not tell names apart that differ in case, and no name is a pattern.
NAMES = {"GIT_LITERAL_PATHSPECS": "0", "GIT_NOGLOB_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1"}


def record_of(home: str, root: str) -> str:
    """The beginning of the names of what is kept about a folder. From now on it is known as a mirror of the board."""
    name = os.path.join(home, RECORDS, sha256(os.fsencode(root)).hexdigest()[:16])
    told = f"{os.path.relpath(root, os.path.realpath(project_of(home)))}\n"  # the same when the project is moved
    with suppress(FileNotFoundError), open(f"{name}{FOLDER}", encoding="utf-8", errors="surrogateescape") as file:
        if file.read() == told:
            return name
    write_anew(f"{name}{FOLDER}", told)
    return name


def forget(home: str, name: str) -> None:
    """Nothing is kept about a folder in which nothing was written. The lock, which is still held, goes last."""
    for end in (RECORD, FOLDER, LOCK):
        with suppress(FileNotFoundError):
            os.unlink(name + end)
    with suppress(OSError):
        os.rmdir(os.path.join(home, RECORDS))  # if there is no other


def mirrors_of(home: str, named: str | None) -> list[str]:
    """The folder that the flow names; and those that the board was ever shown in, until their files are deleted."""
    root = os.path.realpath(project_of(home))
    found = [os.path.join(root, named)] if named is not None else []
    records = os.path.join(home, RECORDS)
    with suppress(FileNotFoundError):
        for name in sorted(os.listdir(records)):
            if name.endswith(FOLDER):
                with open(os.path.join(records, name), encoding="utf-8", errors="surrogateescape") as file:
                    folder = os.path.join(root, file.read().removesuffix("\n"))
                found += [folder] if os.path.lexists(os.path.join(folder, MARK)) else []
    return list(dict.fromkeys(os.path.normpath(folder) for folder in found))


def in_trees(home: str, folders: Sequence[str]) -> list[str]:
    """Folders as paths of a change: from the top of each work tree that they lie in."""
    found: dict[str, None] = {}
    for tree in trees_of(home):
        for folder in folders:
            below = os.path.relpath(folder, tree)
            if below.split(os.sep)[0] != os.pardir:
                found["" if below == os.curdir else below] = None
    return list(found)


def mirrors_now(home: str, named: Callable[[], str | None]) -> Callable[[], Callable[[str], bool]]:
    """What tells whether a path of a change is a mirror's: by the flow, and what is shown where, at that time."""

    def now() -> Callable[[str], bool]:
        folders = in_trees(home, mirrors_of(home, named()))
        return lambda path: any(in_mirror(folder, path) for folder in folders)

    return now


def tracked_in(home: str, root: str) -> Ask:
    """Of paths in a folder those that git tracks: in the index, or in the commit that is checked out."""
    git = git_for(home)

    def ask(paths: Sequence[str]) -> Collection[str]:
        # Its own repository, and that of the board, to which changes come: it may lie above.
        places = {place.git_dir: place for place in (find(root), place_of(home)) if place is not None}
        listed = {path for place in places.values() for path in _listed(git, place, root, paths)}
        return {path for path in paths if path.casefold() in listed}

    return ask


def _listed(git: SystemGit, place: Place, root: str, paths: Sequence[str]) -> set[str]:
    above = os.path.relpath(root, place.work_tree) if place.work_tree else os.pardir
    if above.split(os.sep)[0] == os.pardir or not paths:
        return set()
    begins = "" if above == os.curdir else f"{above}/"

    def said(*words: str) -> bytes:
        names = [f"{begins}{path}" for path in paths]
        return git(*words, "-z", "--", *names, git_dir=place.git_dir, work_tree=place.work_tree, env=NAMES).out

    found = said("ls-files")
    try:
        found += said("diff-index", "--cached", "--name-only", "HEAD")
    except Unavailable:
        if git("rev-parse", "--verify", "--quiet", "HEAD", git_dir=place.git_dir, check=False).code == 0:
            raise
    return {os.fsdecode(name)[len(begins) :].casefold() for name in found.split(b"\0") if name}
