"""A board of the first version opens: it gains what is new and keeps what it had."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.core.records import Hold, Message
from folkmoot.errors import Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract

DUMP = Path(__file__).with_name("board_v1.sql")
COLUMNS = """
    SELECT m.name, c.name, c.type, c."notnull" FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'
"""
INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index'"


@pytest.fixture
def old_board(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    connection = apsw.Connection(str(path))
    connection.execute(DUMP.read_text("utf-8")).fetchall()
    connection.close()
    return path


def ask(path: Path, statement: str) -> list[Any]:
    connection = apsw.Connection(str(path))
    found: list[Any] = connection.execute(statement).fetchall()
    connection.close()
    return found


def test_the_old_board_is_of_the_first_version(old_board: Path) -> None:
    assert [number for (number,) in ask(old_board, "SELECT number FROM migrations")] == [1]


@pytest.mark.ledger("R-31")
def test_an_old_board_opens_and_keeps_what_it_had(old_board: Path) -> None:
    documents = "SELECT doc FROM items UNION ALL SELECT doc FROM runs UNION ALL SELECT body FROM events"
    before = ask(old_board, documents)
    store = SqliteStore.open(old_board)
    head = store.read(lambda reading: reading.head())
    assert (head.seq, head.items, head.comments, head.questions, head.open_questions) == (24, 6, 2, 1, 1)
    assert (head.messages, head.lessons, head.filed, head.held) == (0, 0, 3, 0)
    items = store.read(lambda reading: reading.items())
    assert [item.id for item in items if item.files] == ["1", "2", "6"]
    # Item 1 waits for a person and 2 for item 1, so only 6 stands in a queue.
    assert [item.id for item in store.read(lambda reading: reading.starved(1e9, 10))] == ["6"]
    assert store.read(lambda reading: (reading.messages(), reading.holds(0.0), reading.lessons(9))) == ([], [], [])
    store.read(store_contract.log_folds_to_rows)
    assert store.broken_links() == []
    store.close()
    assert ask(old_board, documents) == before


def test_an_old_board_gets_the_schema_of_a_new_one(old_board: Path, tmp_path: Path) -> None:
    SqliteStore.open(old_board).close()
    SqliteStore.create(tmp_path / "new.db").close()
    for statement in (COLUMNS, INDEXES, "SELECT * FROM migrations"):
        assert sorted(ask(old_board, statement)) == sorted(ask(tmp_path / "new.db", statement))


def test_an_old_board_is_written_on(old_board: Path) -> None:
    store = SqliteStore.open(old_board)
    message = Message(id="m1", sender="dev-agent", to="review-agent", type="task_handoff", item="1")
    hold = Hold(id="h1", path="src/auth/", owner="dev-agent", item="1")
    store.transact(lambda tx: tx.save([], [("messages", message, True), ("holds", hold, True)], {}))
    store.close()
    again = SqliteStore.open(old_board)
    head = again.read(lambda reading: reading.head())
    assert (head.messages, head.filed, head.held) == (1, 3, 1)
    assert again.read(lambda reading: (reading.messages(item="1"), reading.holds(0.0))) == ([message], [hold])
    again.close()


@pytest.mark.ledger("R-03", "R-31")
def test_a_task_of_an_old_board_that_waits_for_its_whole_is_seen_to_wait(old_board: Path) -> None:
    ask(
        old_board,
        """UPDATE items SET doc = json_set(doc, '$.parent', '1', '$.waits_for', json('["1"]')) WHERE number = 6""",
    )
    ask(old_board, "INSERT INTO edges (item, needs, why) VALUES (1, 6, 'child')")
    before = ask(old_board, "SELECT * FROM edges")
    store = SqliteStore.open(old_board)
    assert "6" in store.read(lambda reading: reading.waiters("1"))
    assert "6" not in store.read(lambda reading: reading.dependents("1"))
    assert [fault for fault in store.broken_links() if "needs" in fault] == []
    store.close()
    assert sorted(ask(old_board, "SELECT * FROM edges")) == sorted([*before, (6, 1, "whole")])


@pytest.mark.parametrize("doc", ["{", "[]", '{"files": 3}', '{"files": {"a": 1}}', '{"parent": "2", "waits_for": "2"}'])
def test_a_damaged_document_does_not_keep_the_doctor_out(old_board: Path, doc: str) -> None:
    ask(old_board, f"UPDATE items SET doc = '{doc}' WHERE number = 1")
    store = SqliteStore.open(old_board, verify=False)
    assert store.read(lambda reading: reading.head()).filed == 2
    with pytest.raises(Unavailable) as found:
        store.read(lambda reading: reading.item("1"))
    assert found.value.code == "store_damaged"
    store.close()
