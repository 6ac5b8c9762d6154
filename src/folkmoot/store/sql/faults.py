"""What can go wrong in every store that speaks SQL, in our words. Each store says which of its errors is which.

`path` is what the store is called: a file, or an address without its password.
"""

from folkmoot.errors import Refused, Unavailable

REOPEN = "close the store, open it again and verify it with `<doctor>`"


class NoSuchRow(Exception):
    """A row that should be changed is not there."""


class Undone(Exception):
    """Another work in the same transaction took this one with it."""

    def __init__(self) -> None:
        super().__init__("another change of the same moment failed and took this one with it; nothing was changed")


class OutcomeUnknown(Exception):
    """The connection was lost at the commit, and nobody can be asked what became of it."""


def missing(table: str, row: str) -> NoSuchRow:
    return NoSuchRow(f"{row} is not in {table}")


def conflict(path: str, why: str) -> Refused:
    words = "{path} holds something else than was thought: {why}; nothing was changed"
    return Refused("conflict", words, "read the item again, then repeat", path, why)


def undone(path: str, why: str) -> Unavailable:
    return Unavailable("store_undone", "{why} in {path}", "repeat it", why, path)


def failed(path: str, kind: str, why: str) -> Unavailable:
    return Unavailable("store_failed", "{path} failed: {kind}: {why}", REOPEN, path, kind, why)


def full(path: str) -> Unavailable:
    words = "no space left on the disk of {path}; nothing was changed"
    return Unavailable("store_full", words, "free some space, then repeat", path)


def busy(path: str) -> Unavailable:
    words = "{path} is held by another process for too long; nothing was changed"
    return Unavailable("store_busy", words, "try again in a moment", path)


def broken(path: str) -> Unavailable:
    words = "{path} failed earlier in this process and is not used any more"
    return Unavailable("store_failed", words, REOPEN, path)


def closed(path: str) -> Unavailable:
    return Unavailable("store_closed", "{path} was closed in this process", "open it again", path)


def forked(path: str) -> Unavailable:
    words = "{path} was opened by the process this one was forked from"
    return Unavailable("forked", words, "open the store again in this process", path)


def newer(path: str, number: int) -> Unavailable:
    words = "{path} was written by a newer Folkmoot (its migration {number} is unknown here)"
    return Unavailable("store_newer", words, "update Folkmoot, then open it again", path, number)
