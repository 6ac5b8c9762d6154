"""PostgreSQL fails over to a standby, and its disk is full (F12, F21)."""

import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bench.board import fill
from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.errors import MootError, Unavailable
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.system.clock import SystemIds
from tests.faults.conftest import MakeDisk
from tests.faults.witness import saw
from tests.postgres import Server, waited_for

PERSON = Actor("ann")
PATIENCE = 120.0


def add(store: PostgresStore, title: str, key: str | None = None, body: str = "") -> str:
    return Engine(store, store.clock, SystemIds()).add(PERSON, AddItem(title=title, body=body), key).id


def sound(store: PostgresStore) -> None:
    checks = examine(Engine(store, store.clock, SystemIds())).checks
    assert [text for check in checks for text in check.wrong] == []


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary, and a standby that has each commit on its disk before it is acknowledged."""
    try:
        primary = Server(durable=True, settings=("wal_level=replica", "synchronous_standby_names=*"))
    except (OSError, RuntimeError, KeyError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    standby = None
    try:
        standby = Server(durable=True, standby_of=primary)
        yield primary, standby
    finally:
        primary.remove()
        if standby is not None:
            standby.remove()


def both(primary: Server, standby: Server, database: str) -> str:
    """One address with both servers: whoever takes writes is meant."""
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    return f"postgresql://postgres@{hosts}/{database}?target_session_attrs=read-write"


class Adders:
    """Threads that add items for ever, each under a key that is repeated until it is answered."""

    def __init__(self, address: str, count: int) -> None:
        self.told: dict[str, str] = {}
        self.ended = False
        self._threads = [threading.Thread(target=self._go, args=(address, n), daemon=True) for n in range(count)]
        for thread in self._threads:
            thread.start()

    def _go(self, address: str, name: int) -> None:
        store, number = PostgresStore.open(address), 0
        while not self.ended:
            title = f"{name} {number}"
            with suppress(Unavailable):
                self.told[title] = add(store, title, f"key of {title}")
                number += 1
        store.close()

    def end(self) -> dict[str, str]:
        self.ended = True
        for thread in self._threads:
            thread.join(PATIENCE)
        return self.told


def test_a_standby_takes_over_and_nothing_acknowledged_is_lost(pair: tuple[Server, Server]) -> None:
    """The clients need nobody's help: their address names both servers."""
    primary, standby = pair
    primary.execute("CREATE DATABASE team")
    address = both(primary, standby, "team")
    store = PostgresStore.create(address)
    fill(store, 0)
    adders = Adders(address, 3)
    assert waited_for(lambda: len(adders.told) > 20)
    primary.kill()
    standby.promote()
    before = len(adders.told)
    assert waited_for(lambda: len(adders.told) > before + 20, 6000)
    told = adders.end()
    there = {item.title: item.id for item in store.read(lambda reading: reading.items(limit=100_000))}
    assert told.items() <= there.items()
    assert len(there) == store.read(lambda reading: reading.head().items), "none was made twice"
    sound(store)
    store.close()
    saw("F12", "a standby takes over", "0 acknowledged changes lost, none made twice, doctor green")


def test_a_server_whose_disk_is_full_is_named_and_got_over(
    small_disk: MakeDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it refuses one statement or goes down altogether is the server's to decide."""
    monkeypatch.setattr("folkmoot.store.postgres.store.PATIENCE", 1.0)
    settings = ("min_wal_size=32MB", "max_wal_size=32MB")
    try:
        server = Server(durable=True, settings=settings, disk=lambda folder: small_disk(folder, 160_000))
    except (OSError, RuntimeError, KeyError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    try:
        store = PostgresStore.create(server.database())
        fill(store, 0)
        ballast = server.folder / "data" / "ballast"
        with ballast.open("wb") as file:
            file.truncate(0)
            left = shutil.disk_usage(server.folder / "data").free - (2 << 20)
            file.write(bytes(left))
        told, codes = [], set()
        for number in range(200):
            try:
                told.append(add(store, f"item {number}", body=noise(number)))
            except MootError as fault:
                codes.add(fault.code)
                if len(codes) > 1 or number > 190:
                    break
        assert codes and codes <= {"store_full", "store_unreachable", "outcome_unknown"}, codes
        ballast.unlink()
        if not server.runs:
            server.start()
        assert waited_for(lambda: can_add(store, told))
        there = [item.id for item in store.read(lambda reading: reading.items(limit=100_000))]
        assert set(told) <= set(there)
        sound(store)
        store.close()
    finally:
        server.remove()
    saw("F21", "no space for PostgreSQL", "refused by name, nothing acknowledged lost, goes on when there is space")


def noise(seed: int) -> str:
    """What the server cannot make smaller."""
    return random.Random(seed).randbytes(20_000).hex()


def can_add(store: PostgresStore, told: list[str]) -> bool:
    with suppress(Unavailable):
        told.append(add(store, "after"))
        return True
    return False
