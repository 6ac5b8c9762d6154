"""Making a board: it is there whole, under its name, or not at all."""

import errno
import os
from functools import cache

import apsw

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.sqlite import faults, preflight
from folkmoot.store.sqlite.migrate import migrate

# Said before the first table; a number in the file's header, by which every tool can tell whose file it is.
MARK = f"PRAGMA application_id = {preflight.APPLICATION_ID}"
PARTS = ("", "-wal", "-shm", "-journal")  # a board's file, and what SQLite keeps beside it


def create_file(path: str) -> None:
    """Build it under another name in the same folder, then give it its own. Never replaces a file."""
    if (left := left_behind(path)) is not None:
        raise exists(left)
    preflight.check_mount(path)
    unfinished = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.new"
    try:
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        try:
            build(unfinished)
            sync(unfinished)
            give_name(unfinished, path)
        finally:
            for left in (unfinished, f"{unfinished}-wal", f"{unfinished}-shm"):
                if os.path.lexists(left):
                    os.unlink(left)
        sync_folders(path)
    except apsw.Error as fault:
        raise faults.translate(fault, path) from fault
    except OSError as fault:
        raise cannot_create(path, fault) from fault


def build(path: str) -> None:
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        prepare(connection, path)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
    finally:
        connection.close()


def prepare(connection: apsw.Connection, path: str) -> None:
    """Make an empty database a board."""
    connection.execute(MARK)
    migrate(connection, path)


@cache
def empty_board() -> bytes:
    """A board in memory on which nothing has happened: copying it takes a fifth of the time that migrations take."""
    connection = apsw.Connection(":memory:")
    prepare(connection, ":memory:")
    return connection.serialize("main")


def sync(path: str) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def sync_folders(path: str) -> None:
    """A file's name is safe when its folder is, and the folder, which may be new as well, when the one above it is."""
    folder = os.path.dirname(os.path.abspath(path))
    sync(folder)
    above = os.path.dirname(folder)
    if os.access(above, os.R_OK):  # what we may not even read, we did not just make a folder in
        sync(above)


def left_behind(path: str) -> str | None:
    """A part of a board that is or was here. A log left by an earlier board would be played into a new one."""
    return next((path + part for part in PARTS if _matters(path + part, part)), None)


def _matters(path: str, part: str) -> bool:
    """An empty log and the memory that readers shared say nothing; they stay when a board was closed in peace."""
    if not os.path.lexists(path) or part == "-shm":
        return False
    return part != "-wal" or os.path.islink(path) or os.path.getsize(path) > 0


def give_name(unfinished: str, path: str) -> None:
    if (left := left_behind(path)) is not None:
        raise exists(left)
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise exists(path) from None
    except OSError:
        # A file system without hard links. Between look and rename another may come; a link would have told.
        if os.path.lexists(path):
            raise exists(path) from None
        os.rename(unfinished, path)


def exists(path: str) -> Unavailable:
    words = "{path} exists already; nothing was changed"
    return Unavailable("store_exists", words, "choose another path, or move it away first", path)


def cannot_create(path: str, fault: OSError) -> MootError:
    if isinstance(fault, FileNotFoundError | NotADirectoryError):
        folder = os.path.dirname(path) or "."
        words = "there is no folder {folder} for {path}"
        return Unavailable("store_missing", words, "make the folder first", folder, path)
    if isinstance(fault, PermissionError):
        return faults.read_only(path)
    if fault.errno == errno.ENOSPC:
        return faults.full(path)
    words = "{path} cannot be made: {why}"
    return Unavailable("store_failed", words, "check the disk and the folder", path, str(fault))
