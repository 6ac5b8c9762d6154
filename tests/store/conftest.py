"""A board with some history for the tests that copy, cut and spoil it."""

import random
import shutil
from pathlib import Path

import pytest

from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.scribe import Scribe


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with a short history, closed, to be copied."""
    path = tmp_path_factory.mktemp("history") / "board.db"
    store = SqliteStore.create(path, durable=False)
    scribe = Scribe(store, random.Random(1))
    for _ in range(30):
        scribe.step()
    store.close()
    return path


@pytest.fixture
def board(tmp_path: Path, history: Path) -> Path:
    return Path(shutil.copy(history, tmp_path))
