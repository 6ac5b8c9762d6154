"""Can a commit be made? Only a write that goes all the way to the disk tells: the disk may be full."""

import os
from time import monotonic

import apsw

from folkmoot.store.sql.group_commit import COMMIT
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.connecting import DURABLE, BusyHandler, configure
from folkmoot.store.sqlite.fair_lock import FairFileLock
from folkmoot.store.sqlite.session import QUERIES

TRIAL = (QUERIES["begin_write"], QUERIES["try_put"], QUERIES["try_take"], COMMIT)


def try_write(path: str, seconds: float) -> int | None:
    """Put a row in and take it out again in one transaction. Gives the bytes that are free on the disk."""
    until = monotonic() + seconds
    try:
        gate = FairFileLock(f"{path}-gate")
    except OSError as fault:
        raise (faults.full(path) if faults.is_full(fault) else faults.read_only(path)) from fault
    try:
        entered = gate.enter(seconds)
        try:
            _write(path, max(until - monotonic(), 0.0))
        finally:
            if entered:
                gate.leave()
    finally:
        gate.close()
    try:
        free = os.statvfs(path)
    except OSError:
        return None
    return free.f_bavail * free.f_frsize


def _write(path: str, seconds: float) -> None:
    connection: apsw.Connection | None = None
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_handler(BusyHandler(seconds))
        if connection.readonly("main"):
            raise faults.read_only(path)
        configure(connection)
        connection.execute(DURABLE)
        for statement in TRIAL:
            connection.execute(statement).fetchall()
    except faults.STORE_FAULTS as fault:
        raise faults.translate(fault, path) from fault
    finally:
        if connection is not None:
            connection.close()
