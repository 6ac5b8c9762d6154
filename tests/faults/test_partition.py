"""Hosts in network namespaces of their own, and the line between them and PostgreSQL cut (F14, F16, F18).

What is sent on a cut line is lost, and nobody is told: neither end sees its connection close.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest

from bench.board import fill
from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.errors import Unavailable
from folkmoot.store.postgres.address import read_address
from folkmoot.store.postgres.listening import ServerSignal
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.system.clock import SystemIds
from tests.faults.witness import saw
from tests.networks import Host, Network, NoNetworks
from tests.postgres import Server, waited_for
from tests.some import some

PERSON = Actor("ann")
NOTICED = 5.0  # seconds
BUSY = 2.0  # seconds more that a busy machine may take
PATIENCE = 120.0


class Site:
    """A server on a host of its own, and hosts that use it."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.home = net.host()
        self.server = Server(on=self.home)

    def board(self) -> str:
        made = self.server.board()
        return self.server.address(made.partition("?")[0].rpartition("/")[2], self.home.address)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    try:
        net = Network()
        found = Site(net)
    except (NoNetworks, OSError, RuntimeError, KeyError) as fault:
        pytest.skip(f"no hosts of their own can be made here: {str(fault)[:200]}")
    yield found
    found.server.remove()
    net.close()


@pytest.fixture
def hosts(site: Site) -> Iterator[list[Host]]:
    yield (made := [site.net.host(), site.net.host()])
    for host in made:
        mend(host, site.home)


WAYS: dict[str, Callable[[Host, Host], None]] = {
    "nothing comes through": lambda host, home: host.cut(),
    "what the host sends is lost": lambda host, home: host.lose_all_for(home),
    "what the server sends is lost": lambda host, home: home.lose_all_for(host),
}


def mend(host: Host, home: Host) -> None:
    host.mend()
    host.lose_nothing_for(home)
    home.lose_nothing_for(host)


def open_on(host: Host, address: str) -> PostgresStore:
    with host.inside():
        return PostgresStore.open(address)


def add(store: PostgresStore, title: str, key: str | None = None) -> str:
    return Engine(store, store.clock, SystemIds()).add(PERSON, AddItem(title=title), key).id


def titles(store: PostgresStore) -> list[str]:
    return [item.title for item in store.read(lambda reading: reading.items())]


@pytest.mark.parametrize("way", some(WAYS, ["what the server sends is lost"]))
def test_a_cut_line_is_noticed_within_five_seconds(
    site: Site, hosts: list[Host], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """By who speaks, and by who only listens; and both go on by themselves when the line is whole again."""
    host, address = hosts[0], site.board()
    heard = threading.Event()
    with host.inside():
        store = PostgresStore.open(address)
        fill(store, 0)
        add(store, "before")
        signal = ServerSignal(read_address(address), heard.set)
        signal.listen()
        assert heard.wait(PATIENCE)
        heard.clear()
        WAYS[way](host, site.home)
        began = time.monotonic()
        with monkeypatch.context() as patch:
            patch.setattr("folkmoot.store.postgres.store.PATIENCE", 0.2)
            with pytest.raises(Unavailable) as told:
                add(store, "nobody hears it")
        took = time.monotonic() - began
        assert told.value.code == "store_unreachable" and took < NOTICED + BUSY
        mend(host, site.home)
        add(store, "after")
        assert heard.wait(PATIENCE), "whoever listens listens again, and looks"
        assert titles(store) == ["before", "after"]
    signal.close()
    store.close()
    saw("F14", f"between hosts: {way}", "store_unreachable within 5 s, and the same store goes on when it is mended")


@pytest.mark.parametrize("moment", some(["it has the lock", "it is given the lock"], ["it has the lock"]))
def test_a_host_that_is_cut_off_in_the_middle_of_a_write_stops_nobody_for_long(
    site: Site, hosts: list[Host], moment: str
) -> None:
    """Its server connection would be there for hours: the server must find out by itself."""
    address = site.board()
    stores = [open_on(host, address) for host in hosts]
    with hosts[0].inside():
        fill(stores[0], 1)
    session = stores[0]._session()
    if moment == "it has the lock":
        session.begin()
        hosts[0].cut()
    else:  # it waits for the lock while it is cut off, and the server gives it to nobody who hears of it
        with hosts[1].inside():
            holder = stores[1]._session()
            holder.begin()
            waits = threading.Thread(target=partial(suppressed, session.begin), daemon=True)
            waits.start()
            asked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            assert waited_for(lambda: site.server.execute(asked) == [(1,)])
            hosts[0].cut()
            holder.execute("ROLLBACK")
            waited_for(lambda: site.server.execute(asked) == [(0,)])
    began = time.monotonic()
    with hosts[1].inside():
        add(stores[1], "second")
    took = time.monotonic() - began
    assert took < NOTICED + BUSY, took
    for store in stores:
        store.close()
    saw("F18", f"cut off when {moment}", "the server ends it within 5 s, and the next writer goes on")


def suppressed(work: Callable[[], object]) -> None:
    with suppress(Exception):
        work()


class Adder:
    """A thread on a host that adds items for ever, each under a key that it repeats until it is answered."""

    def __init__(self, host: Host, address: str, name: str) -> None:
        self.name = name
        self.told: dict[str, str] = {}
        self.ended = False
        self._host, self._address = host, address
        self.thread = threading.Thread(target=self._go, daemon=True)
        self.thread.start()

    def _go(self) -> None:
        store = open_on(self._host, self._address)
        with self._host.inside():
            while not self.ended:
                title = f"{self.name} {len(self.told)}"
                with suppress(Unavailable):
                    self.told[title] = add(store, title, f"key of {title}")
        store.close()


def flip(site: Site, hosts: list[Host], flips: int, longest: float, seed: int) -> dict[str, int]:
    """Break one line after the other while each host writes; then compare what was told with what is there."""
    chance, address = random.Random(seed), site.board()
    with hosts[0].inside():
        watch = PostgresStore.open(site.server.address(address.rpartition("/")[2].partition("?")[0]))
    fill(watch, 0)
    adders = [Adder(host, address, f"host {number}") for number, host in enumerate(hosts)]
    for _ in range(flips):
        host = chance.choice(hosts)
        WAYS[chance.choice(list(WAYS))](host, site.home)
        time.sleep(chance.uniform(0.1, longest))
        mend(host, site.home)
        before = [len(adder.told) for adder in adders]
        assert waited_for(lambda: all(len(one.told) > was for one, was in zip(adders, before, strict=True)), 6000)  # noqa: B023
    for adder in adders:
        adder.ended = True
        adder.thread.join(PATIENCE)
    there = {item.title: item.id for item in watch.read(lambda reading: reading.items(limit=10**6))}
    told = {title: item for adder in adders for title, item in adder.told.items()}
    assert {title: item for title, item in there.items() if title in told} == told
    assert len(there) == watch.read(lambda reading: reading.head().items), "no item is there twice"
    assert watch.read(lambda reading: [event.seq for event in reading.events(0, limit=10**6)]) == list(
        range(1, watch.read(lambda reading: reading.head().seq) + 1)
    )
    assert [text for check in examine(Engine(watch, watch.clock, SystemIds())).checks for text in check.wrong] == []
    watch.close()
    return {"cuts": flips, "acknowledged": len(told)}


WHOLE = "0 acknowledged changes lost, none made twice, doctor green"


def test_lines_that_break_while_hosts_write_lose_and_double_nothing(site: Site, hosts: list[Host]) -> None:
    saw("F16", "lines between hosts break, both ways and one way", WHOLE, **flip(site, hosts, 3, 1.0, 1))


@pytest.mark.slow
def test_lines_that_break_for_long_lose_and_double_nothing(site: Site, hosts: list[Host]) -> None:
    saw("F16", "lines between hosts break, both ways and one way", WHOLE, **flip(site, hosts, 40, 8.0, 2))
