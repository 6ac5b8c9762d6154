"""Having a board's file alone, and giving it another content."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from folkmoot.errors import Refused, Unavailable
from folkmoot.store.sqlite import preflight
from folkmoot.store.sqlite.backup.log import telling
from folkmoot.store.sqlite.create import PARTS, sync
from folkmoot.store.sqlite.proving.wal_check import LOOK, check_tail

PATIENCE = 3_000  # milliseconds: a command that is just running may end
CHUNK = 1 << 20
RAW = ("", "-wal", "-journal")  # the parts that hold something; the shared memory is made anew from the log


@contextmanager
def leaving_the_log(path: str) -> Iterator[apsw.Connection]:
    """A connection that does not play the log into the file when it closes: a damaged one must be seen before that."""
    preflight.check_file(path)
    with telling(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(PATIENCE)
            connection.execute("PRAGMA trusted_schema = OFF")
            yield connection
        finally:
            connection.close()


@contextmanager
def alone(path: str, proven: bool = True) -> Iterator[apsw.Connection]:
    """Hold the file so that nobody else has it open, reads it, or opens it, until the block ends.

    A connection in WAL mode holds a shared lock for as long as it lives, and leaving that mode needs it gone: so
    SQLite itself tells whether anybody else has the file open. An idle worker counts; it would go on with what it
    remembers of a board that is no more. With `proven` a file whose log is damaged is refused, and nothing changes.
    """
    with leaving_the_log(path) as connection:
        if proven:
            connection.execute(LOOK).fetchall()
            check_tail(connection, path)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            # Takes the lock where the file was not in WAL mode; with this locking mode it stays.
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except apsw.BusyError as fault:
            raise in_use(path) from fault
        yield connection


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of a file that SQLite cannot read any more: whoever opened it when it was sound has it still.

    Through SQLite's own file layer, which knows of the other stores of this process as well.
    """
    if not os.path.isfile(path):
        yield
        return
    with telling(path):
        file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_MAIN_DB, 0])
        try:
            try:
                file.xLock(apsw.SQLITE_LOCK_SHARED)
                file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
            except apsw.BusyError as fault:
                raise in_use(path) from fault
            yield
        finally:
            file.xUnlock(apsw.SQLITE_LOCK_NONE)
            file.xClose()


def damage_of_log(path: str) -> Unavailable | None:
    """What is wrong with the log beside a file, if its middle is damaged. Nothing is changed by looking."""
    with leaving_the_log(path) as connection:
        connection.execute(LOOK).fetchall()
        try:
            check_tail(connection, path)
        except Unavailable as fault:
            return fault
    return None


def in_use(path: str) -> Refused:
    words = "another process has {path} open: a worker, or a program that uses the board"
    return Refused("board_in_use", words, "end it (Ctrl-C where `<run>` works), then repeat", path)


def snapshot(connection: apsw.Connection, target: str) -> None:
    """A copy of the file as it is at this moment, in one step.

    In one step SQLite reads from one point of its write-ahead log, and writers are not kept waiting. In several, each
    commit of another process in between makes it begin anew, and on a busy board it would never end. `VACUUM INTO`
    took as long (92 MB: 0.33 s against 0.30 s), but it cannot copy what is damaged, and that is to be set aside too.
    """
    copy = apsw.Connection(target)
    try:
        copy.execute("PRAGMA synchronous = OFF")
        with copy.backup("main", connection, "main") as backup:
            backup.step(-1)
    finally:
        copy.close()
    one_file(target)


def one_file(path: str) -> None:
    """Let a file be whole by itself, with no write-ahead log beside it."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    finally:
        connection.close()
    sync(path)


def put_in_place(connection: apsw.Connection, new: str) -> None:
    """Give the file that we have alone the content of another: wholly, or after a crash not at all.

    The file stays the same file. If another took its name, a process that has just opened it and waits for our lock
    would write to the old one, beside the new one's write-ahead log.
    """
    one_file(new)
    source = apsw.Connection(new, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        with connection.backup("main", source, "main") as backup:
            backup.step(-1)
    finally:
        source.close()


def copy_raw(path: str, folder: str) -> None:
    """The bytes of a damaged file and of its logs."""
    for part in RAW:
        if os.path.isfile(path + part):
            _copy_bytes(path + part, os.path.join(folder, os.path.basename(path) + part))


def _copy_bytes(path: str, target: str) -> None:
    """Through SQLite's own file layer: closing a plain file would drop our lock."""
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    try:
        with open(target, "xb") as copy:
            size, at = file.xFileSize(), 0
            while at < size:
                part = file.xRead(min(CHUNK, size - at), at)
                copy.write(part)
                at += len(part)
            copy.flush()
            os.fsync(copy.fileno())
    finally:
        file.xClose()


def move_aside(path: str, folder: str) -> None:
    """The file and what belongs to it, if it is there. A log left behind would be played into the next board."""
    for part in PARTS:
        if os.path.lexists(path + part):
            shutil.move(path + part, os.path.join(folder, os.path.basename(path) + part))
