"""The embedded store keeps the contract, in a file and in memory."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.create(tmp_path / "board.db" if request.param == "file" else ":memory:", durable=False)
    yield store
    store.close()


@pytest.mark.ledger("R-31")
@pytest.mark.parametrize("seed", range(6))
def test_answers_as_the_model(store: SqliteStore, seed: int) -> None:
    store_contract.answers_as_the_model(store, random.Random(seed), steps=60)


@pytest.mark.ledger("R-31")
@settings(max_examples=25)
@given(chance=st.randoms(use_true_random=False))
def test_answers_as_the_model_whatever_is_drawn(chance: random.Random) -> None:
    store = SqliteStore.create(":memory:")
    store_contract.answers_as_the_model(store, chance, steps=12)
    store.close()


@pytest.mark.ledger("K-03")
def test_a_double_claim_cannot_be_written(store: SqliteStore) -> None:
    store_contract.refuses_what_cannot_be(store)


def test_half_a_save_is_never_committed(store: SqliteStore) -> None:
    store_contract.undoes_what_was_caught(store)


def test_the_log_is_proved_in_parts_and_a_trial_write_leaves_no_trace(store: SqliteStore) -> None:
    store_contract.is_proved_in_parts(store)


def test_threads_may_share_a_store(store: SqliteStore) -> None:
    store.transact(lambda tx: store_contract.save_item(tx, 1, is_new=True))

    def write() -> None:
        for _ in range(50):
            store.transact(lambda tx: store_contract.save_item(tx, store_contract.known(tx).version + 1, is_new=False))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read(lambda reading: reading.head().seq) == 201
    assert store.broken_links() == []


def test_a_view_ends_with_its_transaction(store: SqliteStore) -> None:
    view = store.read(lambda reading: reading)
    with pytest.raises(RuntimeError, match="begin a new one"):
        view.inbox()


def test_no_transaction_inside_another(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match="inside another"):
        store.transact(lambda tx: store.read(lambda reading: reading.inbox()))
    assert store.read(lambda reading: reading.inbox()) == []
