"""A board for the benchmarks, and copies of it that all begin in the same state."""

import shutil
from pathlib import Path

from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.engine import Engine
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import read_preset
from folkmoot.store.port import Store
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds

PERSON = Actor("bench")


def engine_on(store: Store) -> Engine:
    return Engine(store, SystemClock(), SystemIds())


def make_board(path: Path, items: int) -> None:
    store = SqliteStore.create(path)
    fill(store, items)
    store.close()


def fill(store: Store, items: int) -> None:
    files = read_preset("kanban")
    engine = engine_on(store)
    engine.adopt_flow(PERSON, load_flow(files["flow.yaml"], "flow.yaml", files.get), "bench")
    for number in range(items):
        engine.add(PERSON, AddItem(title=f"item {number}", column="dev"))


def copy_of(board: Path, name: str) -> Path:
    """A closed board is one file: its log of writes was folded in when it was closed."""
    copy = board.with_name(name)
    shutil.copy(board, copy)
    return copy
