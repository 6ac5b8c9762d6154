"""Every store keeps the contract: the embedded one in a file and in memory, and the one in PostgreSQL."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.store.port import Store
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from tests.postgres import Server
from tests.some import some

STEPS = {"file": 60, "memory": 60, "postgres": 8}  # each step asks hundreds of questions, which a server answers slower


@pytest.fixture(params=["file", "memory", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store
    if kind == "postgres":
        store = PostgresStore.open(request.getfixturevalue("postgres").board())
    else:
        store = SqliteStore.create(tmp_path / "board.db" if kind == "file" else ":memory:", durable=False)
    yield store
    store.close()


@pytest.mark.ledger("R-31")
@pytest.mark.parametrize("seed", some(range(6), range(2)))
def test_answers_as_the_model(store: Store, kind: str, seed: int) -> None:
    store_contract.answers_as_the_model(store, random.Random(seed), steps=STEPS[kind])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 12))
def test_a_long_life_in_postgresql_is_as_the_model_says(postgres: Server, seed: int) -> None:
    store = PostgresStore.open(postgres.board())
    store_contract.answers_as_the_model(store, random.Random(seed), steps=60)
    store.close()


@pytest.mark.ledger("R-31")
@settings(max_examples=25)
@given(chance=st.randoms(use_true_random=False))
def test_answers_as_the_model_whatever_is_drawn(chance: random.Random) -> None:
    store = SqliteStore.create(":memory:")
    store_contract.answers_as_the_model(store, chance, steps=12)
    store.close()


@pytest.mark.ledger("K-03")
def test_a_double_claim_cannot_be_written(store: Store) -> None:
    store_contract.refuses_what_cannot_be(store)


def test_half_a_save_is_never_committed(store: Store) -> None:
    store_contract.undoes_what_was_caught(store)


def test_rows_are_taken_one_by_one_while_others_are_read(store: Store) -> None:
    store_contract.reads_on_between_rows(store)


def test_the_log_is_proved_in_parts_and_a_trial_write_leaves_no_trace(store: Store) -> None:
    store_contract.is_proved_in_parts(store)


def test_threads_may_share_a_store(store: Store) -> None:
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


def test_a_view_ends_with_its_transaction(store: Store) -> None:
    view = store.read(lambda reading: reading)
    with pytest.raises(RuntimeError, match="begin a new one"):
        view.inbox()


def test_no_transaction_inside_another(store: Store) -> None:
    with pytest.raises(RuntimeError, match="inside another"):
        store.transact(lambda tx: store.read(lambda reading: reading.inbox()))
    assert store.read(lambda reading: reading.inbox()) == []
