"""A large board moves from a file to PostgreSQL and back: its log and all its rows are the same to the last byte."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.growth import fill
from folkmoot.core.events import type_of_table
from folkmoot.store.codec import encode_row
from folkmoot.store.port import Reading, Store
from folkmoot.store.postgres.address import read_address
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.sqlite.backup.log import export_lines
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.files.on_server import import_log, log_lines
from tests.postgres import Server

FEW, MANY = 2_000, 200_000


def digest(store: Store) -> dict[str, str]:
    """Of the head and of every table, row by row: a large board is not held in memory."""

    def look(reading: Reading) -> dict[str, str]:
        found = {"head": repr(reading.head())}
        for table in type_of_table:
            hashed, count = hashlib.sha256(), 0
            for row in reading.rows(table):
                hashed.update(encode_row(row).encode() + b"\n")
                count += 1
            found[table] = f"{count} rows, {hashed.hexdigest()}"
        return found

    try:
        return store.read(look)
    finally:
        store.close()


def written(lines: Iterable[bytes], path: Path) -> Path:
    with path.open("wb") as file:
        file.writelines(lines)
    return path


def sha256(path: Path) -> str:
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            hashed.update(piece)
    return hashed.hexdigest()


def moves(postgres: Server, folder: Path, items: int) -> None:
    first, there, again = (folder / name for name in ("first", "there", "again"))
    for one in (there, again):
        one.mkdir()
    (first / ".moot").mkdir(parents=True)
    path, address = first / ".moot" / "board.db", postgres.database()
    fill(path, items)
    log = written(export_lines(str(path)), folder / "log.jsonl")
    with log.open("rb") as source:
        told = import_log(str(there), address, source, "log.jsonl")
    assert told.items == items
    back = written(log_lines(read_address(address)), folder / "back.jsonl")
    assert sha256(log) == sha256(back)
    with back.open("rb") as source:
        FileBoards().import_log(str(again), source, "back.jsonl")
    before = digest(SqliteStore.open(path))
    assert digest(PostgresStore.open(address)) == before
    assert digest(SqliteStore.open(again / ".moot" / "board.db")) == before


def test_a_board_of_many_items_moves_to_a_server_and_back(postgres: Server, tmp_path: Path) -> None:
    moves(postgres, tmp_path, FEW)


@pytest.mark.slow
def test_a_board_of_200_000_items_moves_to_a_server_and_back(postgres: Server, tmp_path: Path) -> None:
    moves(postgres, tmp_path, MANY)
