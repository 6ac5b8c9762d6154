"""Making a board: it is there whole, under its name, or not at all."""

import os

import apsw

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.sqlite import faults, ground
from folkmoot.store.sqlite.migrate import migrate

# Said before the first table; a number in the file's header, by which every tool can tell whose file it is.
MARK = f"PRAGMA application_id = {ground.APPLICATION_ID}"


def create_file(path: str) -> None:
    """Build it under another name in the same folder, then give it its own. Never replaces a file."""
    for taken in (path, f"{path}-wal"):
        # A log left behind by an earlier board would be played into the new one.
        if os.path.lexists(taken):
            raise exists(taken)
    ground.check_mount(path)
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
        sync(os.path.dirname(path) or ".")
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


def sync(path: str) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def give_name(unfinished: str, path: str) -> None:
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
    return Unavailable(
        "store_exists", f"{path} exists already; nothing was changed", "choose another path, or move it away first"
    )


def cannot_create(path: str, fault: OSError) -> MootError:
    if isinstance(fault, FileNotFoundError | NotADirectoryError):
        folder = os.path.dirname(path) or "."
        return Unavailable("store_missing", f"there is no folder {folder} for {path}", "make the folder first")
    if isinstance(fault, PermissionError):
        return faults.read_only(path)
    return Unavailable("store_failed", f"{path} cannot be made: {fault}", "check the disk and the folder")
