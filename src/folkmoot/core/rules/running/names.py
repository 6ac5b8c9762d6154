"""Names that belong to git or to a board, however a file system spells them: no change of a run may hold one."""

import re
import unicodedata

BOARD, GIT = ".moot", ".git"

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
SHORT = {name: re.compile(rf"{name[1:]}~\d+|{name[1:3]}[0-9a-f]{{4}}~\d+") for name in (BOARD, GIT)}


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


def in_git(path: str) -> bool:
    """Does some step of a path lead into what is git's own?"""
    return any(is_gits(part) for part in parts(path))


def in_board(path: str) -> bool:
    """Does some step of a path lead into a board?"""
    return any(is_boards(part) for part in parts(path))


def touches(path: str, places: list[list[str]]) -> bool:
    """Does a path lie in one of these places (as `parts` gives them), or stand in the way to it?"""
    steps = parts(path) if places else []
    return any(steps[: len(place)] == place[: len(steps)] for place in places)
