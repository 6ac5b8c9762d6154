"""Reads wait for no writer, and not for each other."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.store.port import Reading, Transaction
from folkmoot.store.sql.base import READERS_MAX
from folkmoot.store.sqlite.store import SqliteStore

LONG = 20.0  # seconds: far more than any step here takes; who waits so long waits for ever


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore.create(tmp_path / "board.db")
    yield made
    made.close()


def test_reads_beside_a_writer_go_on_side_by_side(store: SqliteStore) -> None:
    """Each read waits for all others to have begun: were they one after the other, none would end."""
    writing, over = threading.Event(), threading.Event()
    all_there = threading.Barrier(READERS_MAX)
    met: list[int] = []

    def write(tx: Transaction) -> None:
        writing.set()
        over.wait(LONG)

    def look(reading: Reading) -> int:
        reading.head()
        return all_there.wait(LONG)

    def read() -> None:
        met.append(store.read(look))

    writer = threading.Thread(target=lambda: store.transact(write))
    writer.start()
    assert writing.wait(LONG)
    # One after the other into the store, so that each sees which connections are taken.
    readers = []
    for _ in range(READERS_MAX):
        readers.append(threading.Thread(target=read))
        readers[-1].start()
        while sum(one.thread != 0 for one in store._readers._seats) < len(readers) and readers[-1].is_alive():
            pass
    for reader in readers:
        reader.join(LONG)
    over.set()
    writer.join(LONG)
    assert sorted(met) == list(range(READERS_MAX))


def test_a_read_inside_a_read_is_refused_also_beside_a_writer(store: SqliteStore) -> None:
    def inside(tx: Transaction) -> None:
        with pytest.raises(RuntimeError, match="inside another"):
            store.read(lambda reading: None)

    store.transact(inside)
    writing, over = threading.Event(), threading.Event()

    def write(tx: Transaction) -> None:
        writing.set()
        over.wait(LONG)

    writer = threading.Thread(target=lambda: store.transact(write))
    writer.start()
    assert writing.wait(LONG)
    with pytest.raises(RuntimeError, match="inside another"):
        store.read(lambda reading: store.read(lambda other: None))
    assert store.read(lambda reading: reading.head().seq) == 0, "what was refused leaves the connection free"
    over.set()
    writer.join(LONG)
