"""What SQLite complains about, in the words of Folkmoot. The one place where its errors are read."""

import errno
import os
import re

import apsw

from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.store.codec import Unreadable


class NoSuchRow(Exception):
    """A row that should be changed is not there."""


class Undone(Exception):
    """Another work in the same transaction took this one with it."""

    def __init__(self) -> None:
        super().__init__("another change of the same moment failed and took this one with it; nothing was changed")


# What `transact` and `read` translate; everything else that `work` raises is the caller's own and passes through.
STORE_FAULTS = (apsw.Error, Unreadable, UnicodeDecodeError, NoSuchRow, Undone)

BACKUPS, ENDING = "backups", ".moot"  # where backups lie beside a store, and how their names end
MOMENT = re.compile(r"(\d{8}T\d{9}Z)-")  # how the names begin that a backup gets by itself
REOPEN = "close the store, open it again and verify it with `moot doctor`"


def translate(fault: Exception, path: str) -> MootError:
    if isinstance(fault, Unreadable | UnicodeDecodeError | apsw.CorruptError | apsw.NotADBError) or not_ours(fault):
        return Unavailable("store_damaged", f"{path} is damaged: {fault}", restore(path))
    if isinstance(fault, apsw.BusyError | apsw.LockedError):
        return busy(path)
    if is_full(fault):
        return full(path)
    if isinstance(fault, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return read_only(path)
    if isinstance(fault, apsw.ConstraintError | NoSuchRow):
        return Refused(
            "conflict",
            f"{path} holds something else than was thought: {fault}; nothing was changed",
            "read the item again, then repeat",
        )
    if isinstance(fault, Undone):
        return Unavailable("store_undone", f"{fault} in {path}", "repeat it")
    return Unavailable("store_failed", f"{path} failed: {type(fault).__name__}: {fault}", REOPEN)


def not_ours(fault: Exception) -> bool:
    """Our statements fit the tables that we made: where SQLite does not find those, they are not there any more."""
    words = ("unsupported file format", "no such table", "no such column", "no such index")
    return isinstance(fault, apsw.SQLError) and any(part in str(fault) for part in words)


def is_fatal(fault: BaseException) -> bool:
    """After a failed write or fsync nobody knows what the disk holds, so this connection must not go on."""
    return isinstance(fault, apsw.IOError | apsw.CorruptError | apsw.NotADBError)


def is_full(fault: Exception) -> bool:
    """SQLite says it plainly of the store and its log, but not of the memory that its readers share."""
    if isinstance(fault, OSError):
        return fault.errno == errno.ENOSPC
    code = getattr(fault, "extendedresult", None)
    return isinstance(fault, apsw.FullError) or (isinstance(fault, apsw.IOError) and code == apsw.SQLITE_IOERR_SHMSIZE)


def full(path: str) -> Unavailable:
    return Unavailable(
        "store_full", f"no space left on the disk of {path}; nothing was changed", "free some space, then repeat"
    )


def busy(path: str) -> Unavailable:
    return Unavailable(
        "store_busy", f"{path} is held by another process for too long; nothing was changed", "try again in a moment"
    )


def read_only(path: str) -> Unavailable:
    return Unavailable(
        "store_read_only",
        f"{path} cannot be written by this user",
        "check the rights of the file, its folder and its mount",
    )


def broken(path: str) -> Unavailable:
    return Unavailable("store_failed", f"{path} failed earlier in this process and is not used any more", REOPEN)


def closed(path: str) -> Unavailable:
    return Unavailable("store_closed", f"{path} was closed in this process", "open it again")


def forked(path: str) -> Unavailable:
    return Unavailable(
        "forked", f"{path} was opened by the process this one was forked from", "open the store again in this process"
    )


def damaged(path: str, what: str) -> Unavailable:
    return Unavailable("store_damaged", f"{path} is damaged: {what}", restore(path))


def damage_is(fault: MootError) -> bool:
    """Whether it is the store itself that is broken, and not the way to it."""
    return fault.code in ("store_damaged", "not_a_board")


def newest_backup(path: str) -> str | None:
    """The youngest backup beside a store, as a user in this folder would type it."""
    folder = os.path.join(os.path.dirname(path) or os.curdir, BACKUPS)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(ENDING)]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    if not names:
        return None
    newest = os.path.join(folder, max(names, key=lambda name: (_made_at(folder, name), name)))
    try:
        shown = os.path.relpath(newest)
    except FileNotFoundError:  # the folder we are in is gone
        return newest
    return newest if shown.startswith(os.pardir) else shown


def _made_at(folder: str, name: str) -> str:
    """By the name where a backup chose it itself; else somebody chose it, and what it holds tells."""
    if (found := MOMENT.match(name)) is not None:
        return found[1]
    from folkmoot.store.sqlite.backup.backup import made_at

    return made_at(os.path.join(folder, name))


def restore(path: str) -> str:
    """What to do about damage."""
    newest = newest_backup(path)
    if newest is not None:
        from shlex import quote

        return f"go back to the newest backup: moot restore {quote(newest)}"
    return "there is no backup of it; what its own log can bring back: moot doctor"
