"""PostgreSQL killed under load, writers killed beside it, connections cut at every place (F12 to F19)."""

import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bench.board import fill
from folkmoot import Board, Report
from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.application import Application
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.errors import Unavailable
from folkmoot.store.postgres import place as places
from folkmoot.store.postgres.listening import ServerSignal
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.postgres.wire import Lost
from folkmoot.store.sql.group_commit import COMMIT
from folkmoot.system.clock import SystemIds
from folkmoot.testing.in_json import in_json
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.crowd import kept
from tests.acceptance.test_processes import crowd
from tests.faults.witness import saw
from tests.postgres import Server, waited_for

WRITER = Path(__file__).with_name("writer.py")
PERSON = Actor("ann")
PATIENCE = 120.0


@pytest.fixture(scope="module")
def durable() -> Iterator[Server]:
    try:
        server = Server(durable=True)
    except (OSError, RuntimeError, KeyError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    yield server
    server.remove()


@pytest.fixture
def folder(durable: Server, tmp_path: Path) -> Path:
    FileBoards().create(str(tmp_path), "kanban", None, durable.database()).close()
    return tmp_path


class Follower:
    """Reads the log by its cursor for as long as it is let, through every crash."""

    def __init__(self, address: str) -> None:
        self.seen: list[tuple[int, str]] = []
        self.ended = False
        self._store = PostgresStore.open(address)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self.ended or self._take():
            if not self._take():
                time.sleep(0.005)

    def _take(self) -> int:
        after = len(self.seen)
        with suppress(Unavailable):
            page = self._store.read(lambda reading: reading.events(after))
            self.seen += [(event.seq, event.name) for event in page]
            return len(page)
        return 0

    def end(self) -> list[tuple[int, str]]:
        self.ended = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._store.close()
        return self.seen


class Writers:
    """Processes that change the board for ever, and tell each change that was acknowledged."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._born = 0
        self._processes = [self._another() for _ in range(count)]

    def _another(self) -> "subprocess.Popen[bytes]":
        self._born += 1
        with (self._folder / f"{self._born}.told").open("wb") as told:
            command = [sys.executable, str(WRITER), str(self._folder), f"w{self._born}", str(self._born)]
            return subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT)

    def kill_one(self, chance: random.Random) -> None:
        number = chance.randrange(len(self._processes))
        self._processes[number].kill()
        self._processes[number].wait()
        self._processes[number] = self._another()

    def told(self) -> list[dict[str, Any]]:
        found = []
        for path in self._folder.glob("*.told"):
            found += [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1] if line.startswith(b"{")]
        return found

    def acknowledged(self) -> int:
        return sum(line["did"] != "refused" for line in self.told())

    def end(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def lost(folder: Path, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with Board.open(str(folder)) as board:
        changes = [line for line in told if line["did"] != "refused"]
        views = {item: in_json(board.show(item)) for item in {line["item"] for line in changes}}
        return [line for line in changes if not kept(line, views[line["item"]])]


def address_of(folder: Path) -> str:
    return (folder / ".moot" / "board.db-address").read_text("utf-8").strip()


def crash(durable: Server, folder: Path, crashes: int, seed: int) -> dict[str, int]:
    """Kill the server so often, and a writer with each, while others write; then compare."""
    chance = random.Random(seed)
    follower, writers = Follower(address_of(folder)), Writers(folder, 3)
    try:
        for number in range(crashes):
            before = writers.acknowledged()
            assert waited_for(lambda before=before: writers.acknowledged() > before + 10, 12_000)  # type: ignore[misc]
            if number % 2:
                durable.kill()
            else:
                durable.stop(signal.SIGQUIT)
            durable.start()
            writers.kill_one(chance)
        before = writers.acknowledged()
        assert waited_for(lambda: writers.acknowledged() > before, 12_000)
    finally:
        writers.end()
    seen = follower.end()
    told = writers.told()
    assert lost(folder, told) == []
    store = PostgresStore.open(address_of(folder))
    log = store.read(lambda reading: [(event.seq, event.name) for event in reading.events(0, limit=10**6)])
    wrong = [text for check in examine(Engine(store, store.clock, SystemIds())).checks for text in check.wrong]
    store.close()
    assert wrong == []
    assert seen == log and [seq for seq, _ in log] == list(range(1, len(log) + 1))
    return {"crashes": crashes, "acknowledged": writers.acknowledged(), "events read by a cursor": len(log)}


NOTHING_LOST = "0 acknowledged changes lost, no event missed or doubled, doctor green"


def test_a_server_that_is_killed_under_load_loses_nothing(durable: Server, folder: Path) -> None:
    saw("F12", "three writers, killed too", NOTHING_LOST, **crash(durable, folder, 2, 1))


def test_nothing_of_a_killed_server_is_left(durable: Server) -> None:
    """The instrument itself: who connects at that moment is a process of the server too, and keeps its memory."""
    over = threading.Event()

    def connect() -> None:
        while not over.is_set():
            with suppress(psycopg.OperationalError):
                psycopg.connect(durable.connect("postgres")).close()

    threads = [threading.Thread(target=connect) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.2)
        durable.kill()
        left = durable.processes()
    finally:
        over.set()
        for thread in threads:
            thread.join()
        durable.start()
    assert left == []


@pytest.mark.slow
def test_fifty_crashes_of_the_server_lose_nothing(durable: Server, folder: Path) -> None:
    saw("F12", "three writers, killed too", NOTHING_LOST, **crash(durable, folder, 50, 2))


def test_writers_that_are_killed_lose_nothing(folder: Path) -> None:
    result = crowd("kills", folder, 3, 12, 5)
    assert result["lost"] == []
    saw("F12", "kill -9 of writers alone", "0 acknowledged changes lost", kills=result["kills"])


@pytest.mark.slow
def test_a_thousand_killed_writers_lose_nothing(folder: Path) -> None:
    result = crowd("kills", folder, 6, 1000, 6)
    assert result["lost"] == []
    saw("F12", "kill -9 of writers alone", "0 acknowledged changes lost", kills=result["kills"])


def test_a_connection_that_is_ended_is_made_again(postgres: Server) -> None:
    store = PostgresStore.open(postgres.board())
    store.transact(lambda tx: tx.keep_output("r", 1, "before"))
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
    count = len(postgres.execute(f"{ended} AND datname = '{database_of(store)}'"))
    store.transact(lambda tx: tx.keep_output("r", 2, "after"))
    assert [text for _, text in store.read(lambda reading: reading.output("r"))] == ["before", "after"]
    store.close()
    saw("F13", "between two transactions", "nobody notices", connections=count)


def database_of(store: PostgresStore) -> str:
    return str(store._place.wire().ask(("SELECT current_database()", ()))[0].get)


def test_a_server_that_is_away_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    try:
        store = PostgresStore.open(server.board())
        server.stop()
        monkeypatch.setattr("folkmoot.store.postgres.store.PATIENCE", 0.2)
        with pytest.raises(Unavailable) as away:
            store.transact(lambda tx: tx.keep_output("r", 1, "said"))
        assert away.value.code == "store_unreachable"
        server.start()
        store.transact(lambda tx: tx.keep_output("r", 1, "said"))
        store.close()
    finally:
        server.remove()
    saw("F14", "the server is stopped", "store_unreachable, and the same store goes on when it is back")


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_commit_whose_answer_is_lost_has_one_effect(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    store = PostgresStore.open(postgres.board())
    wire = store._place.wire()
    ask = wire.ask

    def cut(*asked: Any, **more: Any) -> Any:
        if asked == ((COMMIT, ()),):
            if carried_out:
                ask(*asked, **more)
            wire.close()
            raise Lost("cut off")
        return ask(*asked, **more)

    monkeypatch.setattr(wire, "ask", cut)
    fill(store, 0)
    monkeypatch.undo()
    engine = Engine(store, store.clock, SystemIds())
    engine.add(PERSON, AddItem(title="one"), "key")
    assert engine.add(PERSON, AddItem(title="one"), "key").id == "1"
    assert store.read(lambda reading: len(reading.items())) == 1
    assert store.broken_links() == []
    store.close()
    row, case = ("F15", "the commit was made") if carried_out else ("F16", "the commit was not made")
    saw(row, case, "the log is asked, and the change is there once")


class SlowLine:
    """Between a client and the server: what goes through it comes late, and in small pieces."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.pieces = 0
        threading.Thread(target=self._admit, daemon=True).start()

    def _admit(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with source, target, suppress(OSError):
            while data := source.recv(700):
                time.sleep(0.002)
                self.pieces += 1
                target.sendall(data)

    def close(self) -> None:
        self._door.close()


def test_a_slow_line_in_pieces_changes_nothing(postgres: Server) -> None:
    address = postgres.board()
    database = address.partition("?")[0].rpartition("/")[2]
    line = SlowLine(postgres.port)
    store = PostgresStore.open(f"postgresql://postgres@127.0.0.1:{line.port}/{database}?durable=no")
    fill(store, 3)
    with Board(Application(Engine(store, store.clock, SystemIds()), "trial", [])) as board:
        for _ in range(3):
            claim = board.claim("dev-agent")
            claim.renew()
            claim.report(Report.done("done"))
        assert store.broken_links() == []
    line.close()
    saw("F17", "answers come late and in pieces", "claims, renewals and reports are taken", runs=3)


def test_a_dead_client_inside_a_transaction_holds_nobody_up_for_long(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends it: no claim is a lock, and the lock of a commit is let go."""
    address = postgres.board()
    monkeypatch.setattr(places, "IDLE_WRITER", "300ms")
    dead = PostgresStore.open(address)
    monkeypatch.undo()
    store = PostgresStore.open(address)
    session = dead._session()
    session.begin()  # and is never heard of again
    store.transact(lambda tx: tx.keep_output("r", 1, "said"))
    assert store.read(lambda reading: reading.output("r")) == [(1, "said")]
    dead.close()
    store.close()
    saw("F18", "it holds the board's lock", "the server ends it, and the next writer goes on")


def test_work_is_found_by_looking_where_no_wake_up_comes(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = FileBoards().create(str(tmp_path), "kanban", None, postgres.database())
    monkeypatch.setattr(ServerSignal, "listen", lambda _: None)  # as behind a pooler: nothing is heard
    board.look_again = 0.05
    before, seen = board.last(), board.changed(-1, PATIENCE)
    with Board.open(str(tmp_path)) as elsewhere:
        elsewhere.add("one")
    while board.last() == before:
        seen = board.changed(seen, PATIENCE)
    board.close()
    saw("F19", "nobody listens", "who waits looks by itself")
