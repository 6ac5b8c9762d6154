"""A board in PostgreSQL: claim with brief, then report with a comment, beside the very same statements sent raw.

The server is one of our own, with synchronous commits on the disk of this machine. Raw sends what the engine sent, in
the same flushes, from as many clients: each begins with the same lock, since without it the log would have gaps. Each
client is a process with a connection of its own; `threads` are callers in one process, who share commits.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count as counter
from statistics import median
from typing import Any

import psycopg

from bench.board import PERSON, fill
from folkmoot.core.commands import AddItem
from folkmoot.core.report import Remark, Report
from folkmoot.doors.python import Board
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.store.postgres.address import read_address
from folkmoot.store.postgres.session import ON_DISK, QUERIES
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.postgres.wire import Wire
from folkmoot.store.sql.group_commit import COMMIT, ROLLBACK
from folkmoot.system.clock import SystemIds

CLIENTS = (1, 4, 16, 32, 64)
CYCLES = 192  # of one round, shared among the clients
ROUNDS = 3
REPORT = Report(outcome="done", summary="done", comments=[Remark(content="a note on the work")])
COUNT = counter()
Flush = list[tuple[str, Sequence[Any]]]


def engine_on(store: PostgresStore) -> Engine:
    return Engine(store, store.clock, SystemIds())


def cycles(store: PostgresStore, count: int) -> None:
    board = Board(Application(engine_on(store), "bench", []))
    for _ in range(count):
        board.claim("dev-agent", lease=60).report(REPORT)


def recorded(address: str) -> tuple[list[Flush], int]:
    """What one cycle sends, flush by flush; and how many round trips it takes."""
    store = PostgresStore.open(address)
    cycles(store, 1)
    flushes: list[Flush] = []
    wire = store._place.wire()
    ask = wire.ask

    def noted(*asked: Any, behind: str | None = None) -> Any:
        flushes.append([*((sql, values) for sql, values, _ in wire._queued), *asked])
        return ask(*asked, behind=behind)

    def ended(statement: str) -> None:
        flushes.append([])  # a view ends, and nobody waits for it
        tell(statement)

    tell = wire.tell
    wire.ask, wire.tell = noted, ended  # type: ignore[method-assign]
    before = store.round_trips
    cycles(store, 1)
    trips = store.round_trips - before
    store.close()
    return flushes, trips


def raw_client(address: str, count: int, flushes: list[Flush]) -> Iterator[None]:
    """The statements as they were, with values of this client's own where two rows must not be alike."""
    wire, number = Wire(read_address(address).connect), os.getpid()
    wire.ask(("SELECT 1", ()))
    yield
    inserts = {QUERIES["insert_event"], QUERIES["insert_run"], QUERIES["insert_comment"]}
    for cycle in range(count):
        for flush in flushes:
            if not flush:
                wire.tell(ROLLBACK)
                continue
            own = ((sql, _own(sql, values, number, cycle) if sql in inserts else values) for sql, values in flush)
            wire.ask(*own, behind=ON_DISK if flush[-1][0] == COMMIT else None)
    wire.close()


def _own(sql: str, values: Sequence[Any], number: int, cycle: int) -> Sequence[Any]:
    mark = number * 10**4 + cycle
    if sql == QUERIES["insert_event"]:
        seq = mark * 100 + next(COUNT) % 100
        return (seq, *values[1:4], seq, *values[5:])
    if sql == QUERIES["insert_run"]:
        return (f"r{mark}", mark, *values[2:])
    return (f"c{mark}", *values[1:])


def our_client(address: str, count: int) -> Iterator[None]:
    store = PostgresStore.open(address)
    yield
    cycles(store, count)
    store.close()


def in_processes(work: Callable[..., Iterator[None]], clients: int, *arguments: Any) -> float:
    """Seconds, from when all of them are ready."""
    context = multiprocessing.get_context("fork")
    ready, go = context.Semaphore(0), context.Event()

    def child() -> None:
        steps = work(*arguments)
        next(steps)
        ready.release()
        go.wait()
        for _ in steps:
            raise AssertionError("it goes to its end")

    children = [context.Process(target=child) for _ in range(clients)]
    for one in children:
        one.start()
    for _ in children:
        ready.acquire()
    start = time.perf_counter()
    go.set()
    for one in children:
        one.join()
    if any(one.exitcode for one in children):
        raise RuntimeError("a client failed")
    return time.perf_counter() - start


def in_threads(address: str, callers: int, count: int) -> float:
    store = PostgresStore.open(address)
    cycles(store, 1)
    threads = [threading.Thread(target=cycles, args=(store, count)) for _ in range(callers)]
    start = time.perf_counter()
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    seconds = time.perf_counter() - start
    store.close()
    return seconds


def filled(server: Any, items: int) -> str:
    address: str = server.database()
    store = PostgresStore.create(address)
    fill(store, 0)
    engine = engine_on(store)
    adders = [
        threading.Thread(
            target=lambda: [engine.add(PERSON, AddItem(title="item", column="dev")) for _ in range(items // 16 + 1)]
        )
        for _ in range(16)
    ]
    for one in adders:
        one.start()
    for one in adders:
        one.join()
    store.close()
    with psycopg.connect(server.connect(address.partition("?")[0].rpartition("/")[2]), autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return address


def run(rounds: int = ROUNDS) -> dict[str, float]:
    """Medians over the rounds; ours and raw take turns on the same server."""
    from tests.postgres import Server

    server = Server(durable=True)
    found: dict[str, float] = {}
    try:
        flushes, trips = recorded(filled(server, 10))
        found["round trips per cycle (goal ≤ 10)"] = trips
        ours: dict[int, list[float]] = {clients: [] for clients in CLIENTS}
        raw: dict[int, list[float]] = {clients: [] for clients in CLIENTS}
        shared: dict[int, list[float]] = {clients: [] for clients in CLIENTS}
        for _ in range(rounds):
            address = filled(server, CYCLES * 2 * len(CLIENTS) + 50)
            spoiled = filled(server, 50)  # raw leaves no board behind
            for clients in CLIENTS:
                each = CYCLES // clients
                ours[clients].append(CYCLES / in_processes(our_client, clients, address, each))
                raw[clients].append(CYCLES / in_processes(raw_client, clients, spoiled, each, flushes))
                shared[clients].append(CYCLES / in_threads(address, clients, each))
        for clients in CLIENTS:
            found[f"{clients} processes, cycles/s"] = round(median(ours[clients]))
            found[f"{clients} processes, raw cycles/s"] = round(median(raw[clients]))
            goal = " (goal ≥ 0.6)" if clients == 4 else ""
            found[f"{clients} processes, share of raw{goal}"] = _multiple(ours[clients], raw[clients])
            found[f"{clients} threads of one process, cycles/s"] = round(median(shared[clients]))
        found["32 threads, multiple of one (goal ≥ 4, or the server's limit)"] = _multiple(shared[32], shared[1])
        found["the server's limit: raw from 32 processes, multiple of raw from one"] = _multiple(raw[32], raw[1])
        found["32 threads, multiple of raw from 32 processes"] = _multiple(shared[32], raw[32])
    finally:
        server.remove()
    return found


def _multiple(ours: list[float], others: list[float]) -> float:
    return round(median(one / other for one, other in zip(ours, others, strict=True)), 2)


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name:48} {value}")
