"""Where the user's repository is, and which of its branches are checked out where.

Found by looking at files, never by letting git look: git would climb to whatever repository lies above.
"""

import os
import re
import tempfile
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from folkmoot.worker.ports import Git

POINTER_MAX = 8_192
CONFIG_MAX = 1_000_000
NONE_KNOWN: "Mapping[str, str]" = {}
WORK_TREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)


class Place(Struct, frozen=True):
    """A repository as it was found."""

    git_dir: str  # of this work tree: its HEAD and its index
    common: str  # of the repository: its objects and branches
    work_tree: str | None  # None: a bare repository


class Tree(Struct, frozen=True):
    """A work tree of the user in which a branch is checked out, or being rebased."""

    path: str
    git_dir: str
    branch: str = ""
    at_work: str = ""  # what git was left in the middle of
    is_found: bool = True  # False: where its files are cannot be told, and nothing may be put anywhere

    @property
    def index(self) -> str:
        return os.path.join(self.git_dir, "index")


def find(root: str) -> Place | None:
    """The repository of a folder: in it, or in the nearest folder above that has one."""
    return next(all_around(root), None)


def all_around(root: str) -> "Iterator[Place]":
    """Every repository that a folder lies in, the nearest first. A commit can bring a folder that looks like a bare
    one, so the nearest alone does not say where the folder came from."""
    folder = os.path.realpath(root)
    while True:
        found = _repository_in(folder)
        if found:
            yield found
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def excluded_by(place: Place) -> list[str]:
    """What the user ignores in this repository, by a file that is not in its tree."""
    theirs = os.path.join(place.common, "info", "exclude")
    if not os.path.isfile(theirs):
        return []
    with open(theirs, encoding="utf-8", errors="surrogateescape") as file:
        return file.read().splitlines()


def work_trees(place: Place) -> list[str]:
    """All work trees of a repository: this one, the main one, the linked ones. By their files alone, so that it can be
    asked before each run."""
    found = [place.work_tree, _main_tree(place), *(tree for tree, _ in _linked(place.common))]
    return list(dict.fromkeys(os.path.realpath(tree) for tree in found if tree and os.path.isdir(tree)))


def _main_tree(place: Place) -> str:
    try:
        with open(os.path.join(place.common, "config"), encoding="utf-8", errors="surrogateescape") as file:
            told = WORK_TREE.search(file.read(CONFIG_MAX))
    except OSError:
        told = None
    if told is not None:
        return os.path.normpath(os.path.join(place.common, told[1].strip().strip('"')))
    return os.path.dirname(place.common) if os.path.basename(place.common) == ".git" else ""


def own_trees(place: Place) -> list[tuple[str, str]]:
    """Folder and git folder of each work tree of a repository, by their files alone. No folder where it cannot be told,
    or where another repository is by now: what a copy keeps about linked trees leads to those of its original."""
    main = _main_tree(place)
    found = [(main if os.path.isdir(main) else "", place.common)]
    for tree, git_dir in _linked(place.common):
        there = _repository_in(tree) if tree else None
        found.append((tree if there is not None and _is_same(there.git_dir, git_dir) else "", git_dir))
    return found


def _linked(common: str) -> "Iterator[tuple[str, str]]":
    """Of each linked work tree the folder that its repository names, if any, and its git folder."""
    folder = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        git_dir = os.path.join(folder, name)
        led = pointer(os.path.join(git_dir, "gitdir"))
        yield os.path.dirname(os.path.normpath(os.path.join(git_dir, led))) if led else "", git_dir


def private_places(root: str) -> list[str]:
    """What of the repositories around a folder is nobody's business: their work trees, with what is not committed in
    them, and their own folders, whose configuration may hold a password."""
    found: list[str] = []
    folder = os.path.realpath(root)
    while (place := find(folder)) is not None:
        found += [*work_trees(place), place.common, place.git_dir]
        above = os.path.dirname(place.work_tree or place.common)
        if above == folder:
            break
        folder = above
    return list(dict.fromkeys(os.path.realpath(path) for path in found))


def _repository_in(folder: str) -> Place | None:
    inside = os.path.join(folder, ".git")
    if os.path.isdir(inside):
        return Place(inside, common_of(inside), folder) if _looks_like_git(inside) else None
    if os.path.isfile(inside):
        pointed = pointer(inside, "gitdir: ")
        led = os.path.normpath(os.path.join(folder, pointed)) if pointed else ""
        return Place(led, common_of(led), folder) if led and _looks_like_git(led) else None
    return Place(folder, common_of(folder), None) if _looks_like_git(folder) else None


def _looks_like_git(folder: str) -> bool:
    """As git does: what it would not take for a repository must not be one here either."""
    has_head, common = os.path.lexists(os.path.join(folder, "HEAD")), common_of(folder)
    return has_head and all(os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs"))


def common_of(git_dir: str) -> str:
    """A linked work tree keeps objects and branches where its main one does."""
    name = pointer(os.path.join(git_dir, "commondir"))
    return os.path.normpath(os.path.join(git_dir, name)) if name else git_dir


def pointer(file: str, start: str = "") -> str:
    """What a one-line file of git says; nothing if it is missing or is something else."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as text:
            line = text.read(POINTER_MAX).rstrip("\n")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
    return line[len(start) :] if line.startswith(start) else ""


def checked_out(git: "Git", place: Place, branch: str, known: "Mapping[str, str]" = NONE_KNOWN) -> list[Tree]:
    """The user's work trees that stand on a branch, by a fresh look. Of those that are `known`, by their git folder,
    where their files are is not asked again: whoever has them in hand goes on with that place."""
    ref = f"refs/heads/{branch}"
    found = []
    for listed, git_dir, head in _work_trees(git, place):
        rebased = _rebased(git_dir) == ref
        if head == ref or rebased:
            path = known.get(git_dir)
            if path is None:
                path = _main_files(git, place, listed) if git_dir == place.common else listed
            at_work = f"a rebase of {branch}" if rebased else _at_work(git_dir)
            found.append(Tree(path or git_dir, git_dir, branch, at_work, is_found=os.path.isdir(path)))
    return found


def is_on(tree: Tree) -> bool:
    """Does a work tree still stand on its branch, with nothing going on in it?"""
    head = pointer(os.path.join(tree.git_dir, "HEAD"), "ref: refs/heads/")
    return head == tree.branch and not _rebased(tree.git_dir) and not _at_work(tree.git_dir)


def _work_trees(git: "Git", place: Place) -> "Iterator[tuple[str, str, str]]":
    """Folder, git folder and branch of each, as git lists them."""
    said = git("worktree", "list", "--porcelain", "-z", git_dir=place.common).out.decode("utf-8", "surrogateescape")
    for number, entry in enumerate(said.split("\0\0")):
        lines = dict(line.partition(" ")[::2] for line in entry.split("\0") if line)
        if "worktree" not in lines or "bare" in lines:
            continue
        head = lines.get("branch", "")
        if number == 0:  # the main one always comes first
            yield lines["worktree"], place.common, head
            continue
        linked = _repository_in(lines["worktree"])
        if linked is not None and _is_same(linked.common, place.common):
            yield lines["worktree"], linked.git_dir, head
        elif "locked" in lines and not os.path.lexists(lines["worktree"]):
            # On a disk that is away: its files cannot be brought along.
            yield from ((lines["worktree"], own, head) for own in _kept_for(place, lines["worktree"]))


def _kept_for(place: Place, folder: str) -> "Iterator[str]":
    """What the repository keeps about a linked work tree, which need not be there."""
    with os.scandir(os.path.join(place.common, "worktrees")) as entries:
        for entry in entries:
            if pointer(os.path.join(entry.path, "gitdir")) == os.path.join(folder, ".git"):
                yield entry.path


def _main_files(git: "Git", place: Place, listed: str) -> str:
    """The folder of the main work tree: as its repository is set, or one whose `.git` leads to this repository. Empty
    where it cannot be told: what git lists may be its own folder, where files would be hooks and settings."""
    own = git("config", "--get", "core.worktree", git_dir=place.common, check=False).out.decode().rstrip("\n")
    named = os.path.normpath(os.path.join(place.common, own)) if own else ""
    for folder in filter(None, (named, place.work_tree, listed)):
        there = _repository_in(folder)
        leads_here = there is not None and there.work_tree and _is_same(there.git_dir, place.common)
        inside = os.path.realpath(folder).startswith(os.path.realpath(place.common) + os.sep)
        if (leads_here or folder == named) and not inside and os.path.isdir(folder):
            return folder
    return ""


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _rebased(git_dir: str) -> str:
    """The branch that a rebase was left in the middle of: it moves when that goes on."""
    names = [pointer(os.path.join(git_dir, name, "head-name")) for name in ("rebase-merge", "rebase-apply")]
    return next(filter(None, names), "")


def _at_work(git_dir: str) -> str:
    """What is going on in a work tree that a moving branch would spoil."""
    marks = {"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert"}
    return next((words for mark, words in marks.items() if os.path.exists(os.path.join(git_dir, mark))), "")


def current_branch(root: str) -> str | None:
    """The branch that is checked out in a folder; None without a repository, or where no branch is."""
    place = find(root)
    return pointer(os.path.join(place.git_dir, "HEAD"), "ref: refs/heads/") or None if place else None


def write(file: str, text: str) -> None:
    """Write a file so that a reader meets the old one or the new one, never a part."""
    handle, aside = tempfile.mkstemp(prefix=f"{os.path.basename(file)}.", dir=os.path.dirname(file))
    with open(handle, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(aside, file)
