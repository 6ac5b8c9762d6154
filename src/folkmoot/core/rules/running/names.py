"""Names that belong to git or to a board, however a file system spells them: no change of a run may hold one."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

from folkmoot.core.vocabulary.patterns import pattern

BOARD, GIT = ".moot", ".git"
INCLUDES = ".worktreeinclude"  # names the ignored files of the user's tree that every clone gets
ENVIRONMENTS = {"pyvenv.cfg", "conda-meta"}  # what marks a folder as one
MODULES = "node_modules"

# Code points without a look of their own (Default_Ignorable_Code_Point). A file system that folds case, like ext4 with
# `casefold` or Apple's, leaves them out when it compares names.
UNSEEN = frozenset(
    {0xAD, 0x34F, 0x61C, 0x3164, 0xFEFF, 0xFFA0}
    | {*range(0x115F, 0x1161), *range(0x17B4, 0x17B6), *range(0x180B, 0x1810), *range(0x200B, 0x2010)}
    | {*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9)}
    | {*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B)}
)
TAGS = range(0xE0000, 0xE1000)
# The second, short name that Windows gives a file: by number, and from the fifth on by a sum of the long name.
SHORT = {name: pattern(rf"{name[1:]}~\d+|{name[1:3]}[0-9a-f]{{4}}~\d+") for name in (BOARD, GIT)}

# Settings of clients that count in the top folder of a project alone. All others count in any folder: a client looks
# where it is started and on the way up from there, and some look below, where the files lie that they work with.
AT_THE_TOP = frozenset({".config", ".env", ".github", "lsp.json", "tui.json", "tui.jsonc"})

# What moot calls what it makes beside its board, for a moment or for good: folders of landings, files of the mirror.
OWN = pattern(rf"{re.escape(BOARD)}-.*|{BOARD[1:]}-.~\d+", re.DOTALL)


def parts(path: str) -> list[str]:
    """The steps of a path, each as the most careless file system reads it."""
    if not path.isascii():
        path = unicodedata.normalize("NFKC", path)  # which may show a slash, or a dot
    return [_plain(part) for part in path.replace("\\", "/").split("/") if part not in ("", ".")]


def _plain(part: str) -> str:
    """A name in any case, without what some file system ignores in names: unseen letters, a stream, an end in dots."""
    if part == "..":
        return part
    seen = part
    if not part.isascii():
        seen = "".join(letter for letter in part if not _is_unseen(letter))
    seen = seen.casefold()
    if not seen.isascii():
        seen = unicodedata.normalize("NFKC", seen)
    return seen.partition(":")[0].strip().rstrip(". ") or part


def _is_unseen(letter: str) -> bool:
    code = ord(letter)
    return code in UNSEEN or code in TAGS or unicodedata.category(letter) == "Cf"


def is_gits(part: str) -> bool:
    """Is a step of a path, as `parts` gives it, git's own?"""
    return part == GIT or SHORT[GIT].fullmatch(part) is not None


def is_boards(part: str) -> bool:
    """Is a step of a path, as `parts` gives it, a board's own?"""
    return part == BOARD or SHORT[BOARD].fullmatch(part) is not None


def is_moots(part: str) -> bool:
    """Is a step of a path, as `parts` gives it, a name that moot keeps for what it makes itself?"""
    return OWN.fullmatch(part) is not None


def in_git(path: str) -> bool:
    """Does some step of a path lead into what is git's own?"""
    return any(is_gits(part) for part in parts(path))


def in_board(path: str) -> bool:
    """Does some step of a path lead into a board?"""
    return any(is_boards(part) for part in parts(path))


def in_moots(path: str) -> bool:
    """Does some step of a path have a name that moot keeps for its own?"""
    return any(is_moots(part) for part in parts(path))


def is_repository(entries: Mapping[str, bool]) -> bool:
    """Would git take a folder with these entries, each a folder or not, for a repository, and run what its config
    names? It wants a HEAD that it can read, and objects and refs, here or where `commondir` says. What those are does
    not matter to it much, and not at all here: a link or a program will do."""
    found = {_plain(name) for name in entries}
    has_head = any(_plain(name) == "head" and not is_folder for name, is_folder in entries.items())
    return has_head and ({"objects", "refs"} <= found or "commondir" in found)


def is_environment(path: str, entries: Collection[str], tracked: Collection[str]) -> bool:
    """Is a folder, by what lies in it and by what of that git tracks, an environment that the user has made beside the
    project's files: a virtual environment of Python, conda's, Node's modules, or the programs of such modules?"""
    found = {_plain(name) for name in entries} - {_plain(name) for name in tracked}
    if found & ENVIRONMENTS:
        return True
    steps = parts(path)
    return bool(found) and not tracked and (steps[-1:] == [MODULES] or steps[-2:] == [MODULES, ".bin"])


class Places:
    """Paths of a project that something else is made to trust: many, and asked about for each path of a change."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._whole = {tuple(steps) for path in paths if (steps := parts(path))}
        self._above = {steps[:number] for steps in self._whole for number in range(1, len(steps))}

    def meet(self, path: str) -> bool:
        """Does a path lie in one of them, or stand in the way to it?"""
        return self.hold(tuple(parts(path)))

    def hold(self, steps: tuple[str, ...]) -> bool:
        """The same for the steps of a path."""
        return steps in self._above or any(steps[:number] in self._whole for number in range(1, len(steps) + 1))


class Below:
    """Where a client finds settings in any folder but the top one: paths as from the top, looked for further down."""

    def __init__(self, paths: Iterable[str]) -> None:
        paths = [path for path in paths if (steps := parts(path)) and steps[0] not in AT_THE_TOP]
        self._places = Places(paths)
        self._firsts = {parts(path)[0] for path in paths}

    def begin_with(self, name: str) -> bool:
        """May a path of settings begin with this name?"""
        return parts(name)[:1] != [] and parts(name)[0] in self._firsts

    def meet(self, path: str) -> bool:
        if path.isascii() and not any(first in path.lower() for first in self._firsts):
            return False  # most are so, and there may be many
        steps = tuple(parts(path))
        return any(steps[at] in self._firsts and self._places.hold(steps[at:]) for at in range(1, len(steps)))


def touches(path: str, places: list[list[str]]) -> bool:
    """Does a path lie in one of these places (as `parts` gives them), or stand in the way to it?"""
    steps = parts(path) if places else []
    return any(steps[: len(place)] == place[: len(steps)] for place in places)
