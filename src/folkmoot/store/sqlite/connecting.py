"""Opening a connection: its settings, and how long it waits for a lock."""

import os
from array import array
from time import monotonic, sleep

import apsw

from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.migrate import known_migrations, migrate, pending

PATIENCE = 10.0  # seconds a writer waits for the others
LOOK_OFTEN, LOOK_SELDOM = 0.0002, 0.003

# FULL: in WAL mode anything less loses acknowledged commits when the power goes.
DURABLE = "PRAGMA synchronous = FULL"
FLEETING = "PRAGMA synchronous = OFF"
SETTINGS = """
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA journal_size_limit = 16777216;
"""
STATEMENTS = 128  # kept prepared; more than there are in queries.sql


class BusyHandler:
    """How long SQLite may wait for a lock. Asked by SQLite each time it meets one.

    With the gate only one of our writers stands here at a time, so it may look often; SQLite's own sleeps get long.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = monotonic()
        if tries == 0:
            self._since = now
        if now - self._since >= self.seconds:
            return False
        sleep(LOOK_OFTEN if tries < 50 else LOOK_SELDOM * (1 + os.urandom(1)[0] / 256))
        return True


def configure(connection: apsw.Connection) -> None:
    # Plans must not depend on bound values: else SQLite prepares a statement anew for each of them (70 µs for `due`).
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(SETTINGS).fetchall()


def connect(path: str, durable: bool, patience: BusyHandler) -> apsw.Connection:
    """Nothing is written before it is known that the file is ours and not newer than we are."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=STATEMENTS)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        # SQLite's log and the memory its readers share stay when the last one closes: on a full disk there would be no
        # room to make them again, and so nothing could be read.
        keep = array("i", [1])
        connection.file_control("main", apsw.SQLITE_FCNTL_PERSIST_WAL, keep.buffer_info()[0])
        connection.set_busy_handler(patience)
        if connection.readonly("main"):
            raise faults.read_only(path)
        configure(connection)
        connection.execute(DURABLE if durable else FLEETING)
        pending(connection, path, known_migrations())
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        migrate(connection, path, before=_keep)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep(connection: apsw.Connection, path: str) -> None:
    from folkmoot.store.sqlite.backup.backup import keep_before_migration  # seldom needed, and slow to import

    keep_before_migration(connection, path)


def connect_again(path: str, patience: BusyHandler) -> apsw.Connection:
    """A second connection of this process, for reading beside the one that writes."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=STATEMENTS)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_handler(patience)
        configure(connection)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection
