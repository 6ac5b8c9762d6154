"""Which store the boards of tests are in: `MOOT_TEST_STORE=postgres` puts them on a server.

No test says where its board is, unless that is what it is about. On a server each board is a database of its own, and
its folder names it, so that a process that a test starts finds the same board. A test of the embedded store's own files
says so: `@pytest.mark.embedded("why")`. It is not run on a server, and its reason is told; any other test that opens an
embedded store there fails.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from folkmoot.store.sqlite.store import MEMORY, SqliteStore
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.files.locating import ADDRESS, FOLDER, has_board
from tests.forked import SERVER

if TYPE_CHECKING:
    from folkmoot.store.port import Store
    from folkmoot.store.postgres.store import PostgresStore
    from tests.postgres import Databases

CHOSEN = "MOOT_TEST_STORE"

_on: "Databases | None" = None
_kept: set[str] = set()
_embedded: list[str] = []  # files of the embedded store that were opened
_opened: list["PostgresStore"] = []


def on_a_server() -> bool:
    return os.environ.get(CHOSEN) == "postgres"


def put_boards_on(server: "Databases", patch: pytest.MonkeyPatch) -> None:
    """From now on, each board that is made in this process and does not say where."""
    global _on
    from folkmoot.store.postgres.store import PostgresStore
    from folkmoot.testing.builders import TrialBoard

    create, begin, begin_there = FileBoards.create, SqliteStore.__init__, PostgresStore.__init__

    def made(self: FileBoards, folder: str, preset: str, gate: str | None = None, place: str | None = None) -> Any:
        if "://" not in (place or "") and not has_board(os.path.join(folder, FOLDER)):
            place = server.board()
        return create(self, folder, preset, gate, place)

    def begun(self: SqliteStore, connection: Any, path: str, *more: Any) -> None:
        if path != MEMORY:  # what a flow is tried on is never anywhere else
            _embedded.append(path)
        begin(self, connection, path, *more)

    def begun_there(self: PostgresStore, *more: Any) -> None:
        _opened.append(self)
        begin_there(self, *more)

    _on = server
    patch.setattr(TrialBoard, "new_store", staticmethod(lambda: PostgresStore.open(server.board())))
    patch.setattr(FileBoards, "create", made)
    patch.setattr(SqliteStore, "__init__", begun)
    patch.setattr(PostgresStore, "__init__", begun_there)
    patch.setenv(SERVER, f"{server.folder}:{server.port}")


def put_boards_where_told() -> None:
    """For a process that was started by one of tests, and makes boards as its parent does."""
    from tests.postgres import Databases

    folder, _, port = os.environ[SERVER].rpartition(":")
    put_boards_on(Databases(Path(folder), int(port)), pytest.MonkeyPatch())


def copy(source: Path, to: Path | str) -> None:
    """A folder with a board, or its `.moot`, for another test: with a board of its own."""
    target = Path(to)
    shutil.copytree(source, target, dirs_exist_ok=True)
    for kept in (target / ADDRESS, target / FOLDER / ADDRESS):
        if kept.exists():
            assert _on is not None
            template = kept.read_text().partition("?")[0].rpartition("/")[2]
            kept.write_text(f"{_on.copy(template)}\n")


def new_store(folder: Path) -> "Store":
    """Of an empty board that has no folder of its own."""
    if _on is None:
        return SqliteStore.create(folder / "board.db")
    from folkmoot.store.postgres.store import PostgresStore

    return PostgresStore.open(_on.board())


@contextmanager
def kept() -> Iterator[None]:
    """What is made meanwhile is copied by tests of other modules: it stays."""
    before = _on.names() if _on else set()
    yield
    if _on:
        _kept.update(_on.names() - before)


@contextmanager
def removed_afterwards() -> Iterator[None]:
    server, before = _on, _on.names() if _on else set()
    yield
    if server:
        for name in server.names() - before - _kept - {"empty"}:
            server.remove_database(name)


class Opened:
    """The stores that one test opened."""

    def __init__(self) -> None:
        self.embedded = _embedded
        self.on_server = 0


@contextmanager
def of_one_test() -> Iterator[Opened]:
    """What it leaves open on a server is closed: a file needs no such care."""
    _embedded.clear()
    _opened.clear()
    opened = Opened()
    try:
        yield opened
    finally:
        opened.on_server = len(_opened)
        for store in _opened:
            store.close()
        _opened.clear()
