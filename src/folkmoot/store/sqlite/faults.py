"""What SQLite complains about, in the words of Folkmoot. The one place where its errors are read."""

import errno
import os
import re

import apsw

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.codec import Unreadable
from folkmoot.store.sql.faults import NoSuchRow, Undone, broken, busy, closed, conflict, failed, forked, full, undone

__all__ = ["broken", "busy", "closed", "conflict", "failed", "forked", "full", "undone"]

# What `transact` and `read` translate; everything else that `work` raises is the caller's own and passes through.
STORE_FAULTS = (apsw.Error, Unreadable, UnicodeDecodeError, NoSuchRow, Undone)

BACKUPS, ENDING = "backups", ".moot"  # where backups lie beside a store, and how their names end
MOMENT = re.compile(r"(\d{8}T\d{9}Z)-")  # how the names begin that a backup gets by itself


def translate(fault: Exception, path: str) -> MootError:
    if isinstance(fault, Unreadable | UnicodeDecodeError | apsw.CorruptError | apsw.NotADBError) or not_ours(fault):
        return damaged(path, str(fault))
    if isinstance(fault, apsw.BusyError | apsw.LockedError):
        return busy(path)
    if is_full(fault):
        return full(path)
    if isinstance(fault, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return read_only(path)
    if isinstance(fault, apsw.ConstraintError | NoSuchRow):
        return conflict(path, str(fault))
    if isinstance(fault, Undone):
        return undone(path, str(fault))
    return failed(path, type(fault).__name__, str(fault))


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


def read_only(path: str) -> Unavailable:
    words = "{path} cannot be written by this user"
    return Unavailable("store_read_only", words, "check the rights of the file, its folder and its mount", path)


def damaged(path: str, what: str) -> Unavailable:
    remedy, more = restore(path)
    return Unavailable("store_damaged", "{path} is damaged: {why}", remedy, path, what, **more)


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
    from folkmoot.store.sqlite.backup.archive import made_at

    return made_at(os.path.join(folder, name))


def restore(path: str) -> tuple[str, dict[str, str]]:
    """What to do about damage, and with what."""
    newest = newest_backup(path)
    if newest is not None:
        return "go back to the newest backup: <restore backup>", {"backup": newest}
    return "there is no backup of it; what its own log can bring back: <doctor>", {}
