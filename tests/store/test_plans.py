"""No statement reads a whole table or sorts one, but for those that are listed here with their reason.

Plans are asked of the schema as the migrations leave it, with the settings of the store: what is bound does not matter.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import pytest

from folkmoot.store.sqlite.session import QUERIES
from folkmoot.store.sqlite.store import SqliteStore

EVERY_ROW = "shows all rows, for the doctor and for those who copy a board"
WORDS = "looks for a person's words, and ends when enough are found"
FEW_ROWS = "of a table that stays small"

# By statement: the lines of its plan that are allowed, and why. A line that is no longer in the plan fails the test.
ALLOWED: dict[str, tuple[set[str], str]] = {
    "items_with_status": (
        {"SCAN items USING COVERING INDEX items_column"},
        "an index of its own would be written at every claim and every report; this reads no document",
    ),
    "items_open": ({"SCAN items USING INDEX items_open"}, "the index holds nothing but items that have not ended"),
    "items_open_first": (
        {"SCAN items USING INDEX items_open", "USE TEMP B-TREE FOR ORDER BY"},
        "sorts what has not ended by columns that an index would have to be written for at every report; of "
        "documents it reads those that are shown",
    ),
    "open_in": (
        {"SCAN items USING INDEX items_open", "USE TEMP B-TREE FOR GROUP BY"},
        "counts what has not ended; this reads no document",
    ),
    "items_ended": ({"SCAN items USING INDEX items_ended"}, "newest first, and ends at the limit"),
    "ended_in": (
        {"SCAN items USING COVERING INDEX items_ended_in"},
        "counts in an index that is written once for each item; this reads no document",
    ),
    "messages_with_status": (
        {"SCAN messages USING COVERING INDEX messages_to"},
        "an index of its own would be written at every message; this reads no document",
    ),
    "messages_loose": (
        {"SCAN messages USING INDEX messages_loose"},
        "the index holds nothing but open messages about no item",
    ),
    "events_of_item": ({"USE TEMP B-TREE FOR ORDER BY"}, "one item's log is short"),
    "barred": ({"SCAN items USING COVERING INDEX items_barred"}, "the index holds nothing but items that are kept out"),
    "let_all_in": ({"SCAN items USING INDEX items_barred"}, "the same, and a new flow is rare"),
    "open_runs": ({"SCAN runs USING INDEX runs_lease"}, "the index holds nothing but open runs"),
    "next_due": ({"SCAN runs USING INDEX runs_lease"}, "the index holds nothing but open runs; ends at the first"),
    "lessons": ({"SCAN lessons"}, "newest first, and ends at the limit"),
    "pauses": ({"SCAN pauses USING INDEX sqlite_autoindex_pauses_1"}, FEW_ROWS),
    **{f"newest_{table}": ({f"SCAN {table}"}, WORDS) for table in ("items", "comments", "questions", "runs")},
    "rows_items": ({"SCAN items"}, EVERY_ROW),
    "rows_runs": ({"SCAN runs"}, EVERY_ROW),
    "rows_attempts": ({"SCAN attempts"}, EVERY_ROW),
    "rows_comments": ({"SCAN comments"}, EVERY_ROW),
    "rows_questions": ({"SCAN questions"}, EVERY_ROW),
    "rows_messages": ({"SCAN messages"}, EVERY_ROW),
    "rows_holds": ({"SCAN holds"}, EVERY_ROW),
    "rows_lessons": ({"SCAN lessons"}, EVERY_ROW),
    "rows_pauses": ({"SCAN pauses USING INDEX sqlite_autoindex_pauses_1"}, EVERY_ROW),
    "rows_meters": ({"SCAN meters USING INDEX sqlite_autoindex_meters_1"}, EVERY_ROW),
    "rows_flows": ({"SCAN flows"}, EVERY_ROW),
    "rows_clock": ({"SCAN clock"}, EVERY_ROW),
}

INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    store = SqliteStore.create(":memory:")
    yield store._connection
    store.close()


def plan(connection: apsw.Connection, statement: str) -> list[str]:
    numbered = [int(number) for number in re.findall(r"\?(\d+)", statement)]
    values = (1,) * (max(numbered) if numbered else statement.count("?"))
    # Prepared anew each time: a kept one would not notice that an index is gone.
    lines = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values, can_cache=False)
    return [str(line[3]) for line in lines]


def costly(connection: apsw.Connection, statement: str) -> set[str]:
    """The lines of the plan that read a whole table or sort. What a statement makes itself is no table."""
    tables = {str(name) for (name,) in connection.execute(TABLES)}
    found = set()
    for line in plan(connection, statement):
        scanned = re.match(r"SCAN (\w+)", line)
        if (scanned and scanned[1] in tables) or "TEMP B-TREE" in line:
            found.add(line)
    return found


def faults(
    connection: apsw.Connection, statements: dict[str, str], allowed: dict[str, tuple[set[str], str]]
) -> list[str]:
    found = []
    for name, statement in statements.items():
        lines, permitted = costly(connection, statement), allowed.get(name, (set(), ""))[0]
        found += [f"{name} must not: {line}" for line in sorted(lines - permitted)]
        found += [f"{name} is better now, take it off the list: {line}" for line in sorted(permitted - lines)]
    return found + [f"{name} is listed, but is no statement" for name in allowed.keys() - statements.keys()]


@contextmanager
def without(connection: apsw.Connection, index: str) -> Iterator[None]:
    connection.execute("BEGIN")
    connection.execute(f'DROP INDEX "{index}"')
    yield
    connection.execute("ROLLBACK")


def changed_without(connection: apsw.Connection, index: str) -> list[str]:
    """The statements that go another way, or cannot go at all, where the index is not there."""
    before = {name: plan(connection, statement) for name, statement in QUERIES.items()}
    found = []
    with without(connection, index):
        for name, statement in QUERIES.items():
            try:
                if plan(connection, statement) != before[name]:
                    found.append(name)
            except apsw.SQLError:  # it names the index
                found.append(name)
    return found


def test_no_statement_reads_a_whole_table_or_sorts_it(connection: apsw.Connection) -> None:
    assert faults(connection, QUERIES, ALLOWED) == []


def test_plans_do_not_depend_on_what_is_bound(connection: apsw.Connection) -> None:
    assert connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


def test_every_index_is_used(connection: apsw.Connection) -> None:
    indexes = [str(name) for (name,) in connection.execute(INDEXES)]
    assert len(indexes) > 10
    assert [index for index in indexes if not changed_without(connection, index)] == []


def test_an_index_nobody_uses_is_found(connection: apsw.Connection) -> None:
    connection.execute("CREATE INDEX idle ON comments (doc)")
    assert changed_without(connection, "idle") == []


@pytest.mark.parametrize(
    ("index", "statement", "line"),
    [
        ("comments_item", "comments", "SCAN comments"),
        ("edges_needs", "delete_child", "SCAN edges"),
        ("runs_token", "runs", "USE TEMP B-TREE FOR ORDER BY"),
        ("items_asleep", "next_wake", "USE TEMP B-TREE FOR ORDER BY"),
    ],
)
def test_a_dropped_index_is_found(connection: apsw.Connection, index: str, statement: str, line: str) -> None:
    with without(connection, index):
        found = faults(connection, {statement: QUERIES[statement]}, {})
    assert f"{statement} must not: {line}" in found


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT doc FROM comments WHERE doc = ?",
        "SELECT doc FROM events JOIN items ON items.doc = events.body WHERE seq = ?",
        "SELECT doc FROM items WHERE number > ? ORDER BY doc",
        "DELETE FROM keys WHERE at < ?",
        'SELECT "column" FROM items ORDER BY "column", number',
    ],
)
def test_a_statement_that_scans_or_sorts_is_found(connection: apsw.Connection, statement: str) -> None:
    assert faults(connection, {"new": statement}, {})


def test_a_line_of_the_list_that_is_not_needed_is_found(connection: apsw.Connection) -> None:
    statements = {"item": QUERIES["item"]}
    assert faults(connection, statements, {"item": ({"SCAN items"}, "")}) == [
        "item is better now, take it off the list: SCAN items"
    ]
    assert faults(connection, statements, {"gone": (set(), "")}) == ["gone is listed, but is no statement"]


@pytest.mark.parametrize("name", ["insert_item", "update_item", "move_item"])
def test_an_item_is_written_without_a_table_made_for_it(name: str) -> None:
    """SQLite makes one for a list of names in an index's condition, each time a row is written."""
    store = SqliteStore.create(":memory:")
    values = (1,) * QUERIES[name].count("?")
    steps = [row[1] for row in store._connection.execute(f"EXPLAIN {QUERIES[name]}", values)]
    store.close()
    assert "OpenEphemeral" not in steps
