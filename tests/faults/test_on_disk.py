"""The lock is free before the disk has a commit; nobody is told of it before it has (F12)."""

from collections.abc import Callable, Iterator
from subprocess import CalledProcessError

import pytest

from bench.board import fill
from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.engine import Engine
from folkmoot.errors import Refused, Unavailable
from folkmoot.store.port import Transaction
from folkmoot.store.postgres.session import PostgresSession
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.postgres.wire import Rows
from folkmoot.system.clock import SystemIds
from tests.postgres import Server

SETTINGS = ("wal_writer_delay=10s", "autovacuum=off", "bgwriter_lru_maxpages=0")  # nobody else writes, or to the disk
TRIES = 20  # for it may be just now that ten seconds are over


@pytest.fixture(scope="module")
def lazy() -> Iterator[Server]:
    try:
        server = Server(durable=True, settings=SETTINGS)
    except (OSError, RuntimeError, KeyError, CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    yield server
    server.remove()


def end_without_waiting(session: PostgresSession, statement: str) -> Rows:
    return session._wire.ask((statement, ()))[0]


def add(store: PostgresStore) -> None:
    Engine(store, store.clock, SystemIds()).add(Actor("ann"), AddItem(title="one"))


def look(store: PostgresStore) -> None:
    assert store.read(lambda reading: reading.items())


def is_refused(store: PostgresStore) -> None:
    def work(tx: Transaction) -> None:
        assert tx.items()
        raise Refused("no", "no", "no")

    with pytest.raises(Refused):
        store.transact(work)


def finds_nothing_to_write(store: PostgresStore) -> None:
    assert store.transact(lambda tx: tx.items())


@pytest.mark.parametrize("answered", [look, is_refused, finds_nothing_to_write, add])
def test_what_is_answered_is_on_the_disk(lazy: Server, answered: Callable[[PostgresStore], None]) -> None:
    address = lazy.database()
    PostgresStore.create(address).close()
    writer, other = PostgresStore.open(address), PostgresStore.open(address)
    fill(writer, 0)
    for _ in range(TRIES):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PostgresSession, "_end", end_without_waiting)
            add(writer)
        written, is_ahead = lazy.execute(
            "SELECT pg_current_wal_insert_lsn()::text, pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()"
        )[0]
        answered(other)
        assert lazy.execute(f"SELECT pg_current_wal_flush_lsn() >= '{written}'") == [(True,)]
        if is_ahead:
            break
    else:
        raise AssertionError("the commit alone waits for the disk: others wait for it with the lock")
    writer.close()
    other.close()


def test_a_commit_that_may_not_have_reached_the_disk_is_asked_for_again(
    lazy: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sent behind it fails: the commit was made, and is not made twice."""
    address = lazy.database()
    PostgresStore.create(address).close()
    store = PostgresStore.open(address)
    fill(store, 0)
    with monkeypatch.context() as patch:
        patch.setattr("folkmoot.store.postgres.session.ON_DISK", "SELECT 1 / (random() * 0)::integer")
        with pytest.raises(Unavailable) as told:
            add(store)
        assert told.value.code == "outcome_unknown"
    assert store.read(lambda reading: reading.head().items) == 1
    add(store)
    assert store.read(lambda reading: reading.head().items) == 2
    store.close()
