"""What SQLite complains about, in the words of Folkmoot. The one place where its errors are read."""

import apsw

from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.store.codec import Unreadable


class NoSuchRow(Exception):
    """A row that should be changed is not there."""


# What `transact` and `read` translate; everything else that `work` raises is the caller's own and passes through.
STORE_FAULTS = (apsw.Error, Unreadable, UnicodeDecodeError, NoSuchRow)

RESTORE = "restore the file from a backup; `moot doctor` says what is wrong with it"
REOPEN = "close the store, open it again and verify it with `moot doctor`"


def translate(fault: Exception, path: str) -> MootError:
    if isinstance(fault, Unreadable | UnicodeDecodeError | apsw.CorruptError | apsw.NotADBError):
        return Unavailable("store_damaged", f"{path} is damaged: {fault}", RESTORE)
    if isinstance(fault, apsw.BusyError | apsw.LockedError):
        return busy(path)
    if isinstance(fault, apsw.FullError):
        return Unavailable(
            "store_full", f"no space left on the disk of {path}; nothing was changed", "free some space, then repeat"
        )
    if isinstance(fault, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return read_only(path)
    if isinstance(fault, apsw.ConstraintError | NoSuchRow):
        return Refused(
            "conflict",
            f"{path} holds something else than was thought: {fault}; nothing was changed",
            "read the item again, then repeat",
        )
    return Unavailable("store_failed", f"{path} failed: {type(fault).__name__}: {fault}", REOPEN)


def is_fatal(fault: BaseException) -> bool:
    """After a failed write or fsync nobody knows what the disk holds, so this connection must not go on."""
    return isinstance(fault, apsw.IOError | apsw.CorruptError | apsw.NotADBError)


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
    return Unavailable("store_damaged", f"{path} is damaged: {what}", RESTORE)
