"""Looking at the end of SQLite's log while others write to it."""

import os
import threading
from pathlib import Path

import apsw
import pytest

from folkmoot.store.sqlite.connecting import BusyHandler, connect
from folkmoot.store.sqlite.proving import wal_check
from folkmoot.store.sqlite.store import SqliteStore

HEAD = 96  # bytes of what is shared about the log: two copies, which differ while one of them is written


def test_who_opens_a_board_waits_while_another_publishes_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "board.db"
    SqliteStore.create(path).close()
    writer, reader = apsw.Connection(str(path)), connect(str(path), False, BusyHandler(10))
    writer.execute("CREATE TABLE something (value)")
    writer.execute("BEGIN IMMEDIATE")
    shared = os.open(f"{path}-shm", os.O_RDWR)
    head = os.pread(shared, HEAD, 0)
    os.pwrite(shared, bytes(HEAD // 2), 0)
    with pytest.raises(apsw.BusyError):  # the harness: SQLite itself does not wait here
        reader.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    published = threading.Timer(0.05, lambda: os.pwrite(shared, head, 0))
    published.start()
    wal_check.check_tail(reader, str(path))
    published.join()
    writer.execute("ROLLBACK")
    for one in (reader, writer):
        one.close()
    os.close(shared)
