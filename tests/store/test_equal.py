"""The same commands, whatever keeps the board: equal answers, equal logs to the last byte, equal rows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.core.events import Row
from folkmoot.sim.run import Outcome, simulate
from folkmoot.store.port import BoardHead, Reading, Store
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from tests.postgres import Server

STEPS, LONG = 120, 10_000

Life = tuple[Outcome, BoardHead, dict[str, list[Row]], list[tuple[int, str]]]


class KeptOpen:
    """A store that a world cannot close: it is looked at after the world is over."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def close(self) -> None: ...


def lived(seed: int, store: Store, steps: int) -> Life:
    """What was answered is in the trace: whoever acts in a world acts on what it is told."""
    outcome = simulate(seed, steps=steps, agents=6, items=20, stores=[KeptOpen(store)], to_the_end=False)  # type: ignore[list-item]

    def look(reading: Reading) -> Life:
        head, rows = store_contract.whole(reading)
        events = [(event.seq, repr(event)) for event in reading.events(0, limit=1_000_000)]
        return outcome, head, rows, events

    try:
        assert outcome.red == []
        return store.read(look)
    finally:
        store.close()


def compare(seed: int, steps: int, stores: dict[str, Callable[[], Store]]) -> None:
    lives = {name: lived(seed, make(), steps) for name, make in stores.items()}
    first = lives.pop("memory")
    for name, life in lives.items():
        for one, other, what in zip(first, life, ("answers", "heads", "rows", "events"), strict=True):
            assert one == other, f"{name} has other {what} than memory has"


def stores_in(folder: Path, postgres: Server) -> dict[str, Callable[[], Store]]:
    return {
        "memory": lambda: SqliteStore.create(":memory:", durable=False),
        "file": lambda: SqliteStore.create(folder / "board.db", durable=False),
        "postgres": lambda: PostgresStore.open(postgres.board()),
    }


@pytest.mark.parametrize("seed", range(3))
def test_a_life_is_the_same_on_every_store(tmp_path: Path, postgres: Server, seed: int) -> None:
    compare(seed, STEPS, stores_in(tmp_path, postgres))


@pytest.mark.slow
def test_ten_thousand_commands_are_the_same_on_every_store(tmp_path: Path, postgres: Server) -> None:
    compare(7, LONG, stores_in(tmp_path, postgres))
