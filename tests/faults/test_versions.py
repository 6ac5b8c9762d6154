"""Two programs of different days on one board, and a process that was copied with the board open (F32, F33, F34)."""

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.errors import Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from tests.faults import scenes, traced
from tests.faults.witness import saw

OLD = Path(__file__).parents[1] / "store" / "board_v1.sql"
LATER = "INSERT INTO migrations VALUES (9999, '9999_later', 'abc'); ALTER TABLE board ADD COLUMN later INTEGER"


def contents(folder: Path) -> dict[str, bytes]:
    """All files but what SQLite's readers share, and its log where there is nothing in it."""
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return {name: text for name, text in found.items() if not name.endswith("-shm") and (text or "-wal" not in name)}


def test_an_older_program_leaves_a_newer_board_alone(tmp_path: Path) -> None:
    scenes.with_items(tmp_path)
    connection = apsw.Connection(str(tmp_path / scenes.STORE))
    connection.execute(LATER).fetchall()
    connection.close()
    before = contents(tmp_path / ".moot")
    for words in (["list"], ["add", "x"], ["doctor"]):
        ended = traced.moot(tmp_path, *words)
        assert (ended.code, ended.error) == (4, "store_newer"), ended
    assert contents(tmp_path / ".moot") == before
    saw("F34", "an older program meets a newer board", "refused as store_newer, every file byte for byte as before")


def test_a_newer_program_migrates_while_an_older_one_has_it_open(tmp_path: Path) -> None:
    """The old one reads and writes when the new one comes; it is waited for, and reads on afterwards."""
    path = tmp_path / "old.db"
    old = apsw.Connection(str(path))
    old.execute(OLD.read_text("utf-8")).fetchall()
    old.execute("PRAGMA journal_mode = WAL").fetchall()
    old.execute("BEGIN IMMEDIATE")
    old.execute("UPDATE items SET generation = generation")
    opened: list[SqliteStore] = []
    opening = threading.Thread(target=lambda: opened.append(SqliteStore.open(path)))
    opening.start()
    opening.join(0.3)
    assert not opened, "it waits for who writes"
    old.execute("COMMIT")
    opening.join()
    (store,) = opened
    assert store.broken_links() == []
    store.read(store_contract.log_folds_to_rows)
    assert old.execute("SELECT count(*) FROM items").get == 6
    old.close()
    store.close()
    saw(
        "F34",
        "a newer program migrates a board that an older one has open",
        "it waits for the other's commit, then migrates; the log folds to the rows",
    )


def test_a_board_that_was_migrated_is_not_written_by_who_opened_it_before(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "board.db")
    store.transact(lambda tx: store_contract.save_item(tx, 1, is_new=True))
    newer = apsw.Connection(str(tmp_path / "board.db"))
    newer.execute(LATER).fetchall()
    newer.close()
    with pytest.raises(Unavailable) as found:
        store.transact(lambda tx: store_contract.save_item(tx, 2, is_new=False))
    assert found.value.code == "store_newer"


def test_a_process_that_was_killed_while_migrating_is_followed_by_another(tmp_path: Path) -> None:
    """All migrations are one transaction: at each write of it the old board or the new one is left."""
    path = tmp_path / "old.db"
    old = apsw.Connection(str(path))
    old.execute(OLD.read_text("utf-8")).fetchall()
    old.close()
    command = [traced.MOOT[0], "-c", f"from folkmoot.store.sqlite.store import SqliteStore as S; S.open({str(path)!r})"]
    template = tmp_path / "template"
    template.mkdir()
    shutil.copy(path, template)
    points, ended = traced.points(command, tmp_path, tmp_path / "trace")
    assert ended.code == 0, ended.err
    tried = [point for point in points if point.call in ("pwrite64", "fdatasync")][:: max(1, len(points) // 2)]
    for point in tried:
        shutil.copy(template / "old.db", path)
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        assert traced.struck(command, tmp_path, point).code == -9
        store = SqliteStore.open(path)
        assert store.broken_links() == []
        store.read(store_contract.log_folds_to_rows)
        store.close()
    saw(
        "F34",
        "kill -9 in the middle of a migration",
        "the next process migrates it, the log folds to the rows",
        points=len(tried),
    )


def test_a_child_that_was_forked_cannot_use_or_close_the_board(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "board.db")
    store.transact(lambda tx: store_contract.save_item(tx, 1, is_new=True))
    calls: list[Any] = [
        lambda: store.read(lambda reading: reading.head()),
        lambda: store.transact(lambda tx: tx.head()),
        store.broken_links,
    ]
    child = os.fork()
    if child == 0:  # nothing of pytest may run on in the child
        told = 0
        for call in calls:
            try:
                call()
            except Unavailable as error:
                told += error.code == "forked"
        store.close()
        os._exit(told)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == len(calls)
    store.transact(lambda tx: store_contract.save_item(tx, 2, is_new=False))
    assert store.broken_links() == []
    store.close()
    saw(
        "F33",
        "fork with the board open",
        "each call in the child is refused as forked; the parent goes on, its log is whole",
    )
