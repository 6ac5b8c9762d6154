"""Statements are found in one file, each is used, and the hot ones walk their index."""

import re
from pathlib import Path

import apsw
import pytest

from folkmoot.core.events import type_of_table
from folkmoot.store.sql import statements
from folkmoot.store.sqlite import session
from folkmoot.store.sqlite.connecting import STATEMENTS
from folkmoot.store.sqlite.session import QUERIES
from folkmoot.store.sqlite.store import SqliteStore

FOLDER = Path(session.__file__).parent

# Statement, the index it must walk, and whether it may sort.
PLANS = [
    ("next_ready", "items_next", False),
    ("next_starved", "items_starved", False),
    ("next_wake", "items_asleep", False),
    ("due_runs", "runs_lease", False),
    ("due_questions", "questions_deadline", False),
    ("open_run", "runs_open", False),
    ("runs", "runs_token", False),
    ("runs_ended", "runs_ended", False),
    ("dependents", "edges_needs", False),
    ("children", "PRIMARY KEY", False),
    ("items_in_column", "items_column", False),
    ("comments", "comments_item", False),
    ("questions", "questions_item", False),
    ("inbox", "questions_open", False),
    ("events_of_item", "events_version", True),
    ("all_starved", "items_starved", False),
    ("all_ready", "items_next", False),
    ("starved_files", "items_filed", False),
    ("waiters", "edges_needs", False),
    ("child_items", "PRIMARY KEY", False),
    ("message", "sqlite_autoindex_messages_1", False),
    ("messages_all", "PRIMARY KEY", False),
    ("messages_of_item", "messages_item", False),
    ("messages_to", "messages_to", False),
    ("messages_with_status", "COVERING INDEX messages_to", False),
    ("messages_loose", "messages_loose", False),
    ("holds", "holds_until", False),
    ("hold_place", "sqlite_autoindex_holds_1", False),
]


def plan(statement: str) -> str:
    store = SqliteStore.create(":memory:")
    connection = store._connection
    values = (1,) * len(set(re.findall(r"\?\d*", statement))) if "?1" in statement else (1,) * statement.count("?")
    lines = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    store.close()
    return "\n".join(str(line[3]) for line in lines)


@pytest.mark.parametrize(("name", "index", "sorts"), PLANS)
def test_a_hot_statement_walks_its_index(name: str, index: str, sorts: bool) -> None:
    found = plan(QUERIES[name])
    assert index in found and not re.search("SCAN (items|edges|holds)", found), found
    assert ("TEMP B-TREE" in found) == sorts, found


@pytest.mark.parametrize(("statement", "name"), [("rows_messages", "messages"), ("lessons", "lessons")])
def test_a_list_in_the_order_written_needs_no_sorting(statement: str, name: str) -> None:
    assert plan(QUERIES[statement]) == f"SCAN {name}"


def test_more_statements_are_kept_prepared_than_there_are() -> None:
    assert len(QUERIES) < STATEMENTS


def test_every_statement_is_used() -> None:
    verbs = Path(statements.__file__).parent
    code = "".join(file.read_text("utf-8") for folder in (FOLDER, verbs) for file in folder.glob("**/*.py"))
    named = {name for name in QUERIES if f'"{name}"' in code}
    by_table = {f"{verb}_{table}" for verb in ("rows", "newest") for table in type_of_table}
    assert QUERIES.keys() - named - by_table == set()


def test_every_statement_can_be_prepared_and_says_why() -> None:
    store = SqliteStore.create(":memory:")
    for name, statement in QUERIES.items():
        # An explained statement does nothing; the values are missing on purpose.
        with pytest.raises(apsw.BindingsError) if "?" in statement else _nothing():
            store._connection.execute(f"EXPLAIN {statement}").fetchall()
        text = (FOLDER / "queries.sql").read_text("utf-8").split(f"-- name: {name}\n")[1]
        assert text.startswith("-- "), name
    store.close()


class _nothing:  # noqa: N801
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


@pytest.mark.parametrize("text", ["-- name: a\n-- why\n", "-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n"])
def test_a_mistake_in_the_file_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "q.sql").write_text(text, "utf-8")
    with pytest.raises(ValueError, match="'a'"):
        statements.load(tmp_path / "q.sql")


def test_statements_are_read_without_comments(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("-- intro\n\n-- name: a\n-- why\nSELECT 1,\n    2;\n", "utf-8")
    assert statements.load(tmp_path / "q.sql") == {"a": "SELECT 1, 2"}
