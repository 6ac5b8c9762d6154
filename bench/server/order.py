"""Four ways to number events without gaps and in the order of commits, on one PostgreSQL server.

Each transaction reads the head, looks for work, thinks as long as the rules do, and writes an event. What differs is
when the others are kept out: from the first statement on (by a lock of the transaction, or by the head's row), or only
for the last one, with the look repeated under the lock where somebody else has written since. The fourth does not
look again, and is no way at all: two clients may take the same item. It shows what keeping order costs.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

from bench.server.cycles import in_processes
from folkmoot.store.postgres.address import read_address
from folkmoot.store.postgres.wire import Wire

CLIENTS = (1, 4, 16)
TRANSACTIONS = 320  # of one round, shared among the clients
ROUNDS = 3
THINKING = 0.0003  # seconds of the processor that the rules need for half a cycle

TABLES = (
    "CREATE TABLE head (id integer PRIMARY KEY, seq bigint NOT NULL) WITH (fillfactor = 10)",
    "INSERT INTO head VALUES (1, 0)",
    "CREATE TABLE log (seq bigint PRIMARY KEY, body text NOT NULL)",
)
HEAD, LOOK = "SELECT seq FROM head", "SELECT max(seq) FROM log"
LOCK, LOCK_ROW = "SELECT pg_advisory_xact_lock(1)", "SELECT seq FROM head FOR UPDATE"
WRITE, MOVE = "INSERT INTO log VALUES ($1, $2)", "UPDATE head SET seq = $1"
LAST = "WITH moved AS (UPDATE head SET seq = seq + 1 RETURNING seq) INSERT INTO log SELECT seq, $1 FROM moved"
BODY = "x" * 600
Way = Callable[[Wire], None]


def think() -> None:
    until = perf_counter() + THINKING
    while perf_counter() < until:
        pass


def ask(wire: Wire, *statements: str) -> list[Any]:
    return wire.ask(*((statement, ()) for statement in statements))


def written(wire: Wire, seq: int) -> None:
    wire.queue(WRITE, (seq + 1, BODY))
    wire.queue(MOVE, (seq + 1,))
    ask(wire, "COMMIT")


def lock_first(wire: Wire) -> None:
    seq = ask(wire, "BEGIN", LOCK, HEAD)[2].get
    ask(wire, LOOK)
    think()
    written(wire, seq)


def row_first(wire: Wire) -> None:
    seq = ask(wire, "BEGIN", LOCK_ROW)[1].get
    ask(wire, LOOK)
    think()
    written(wire, seq)


def lock_last(wire: Wire) -> None:
    seen = ask(wire, "BEGIN", HEAD)[1].get
    ask(wire, LOOK)
    think()
    seq = ask(wire, LOCK, HEAD)[1].get
    if seq != seen:  # somebody has written: what was found may be gone
        ask(wire, LOOK)
        think()
    written(wire, seq)


def unproved(wire: Wire) -> None:
    ask(wire, "BEGIN", HEAD)
    ask(wire, LOOK)
    think()
    wire.queue(LAST, (BODY,))
    ask(wire, "COMMIT")


WAYS: dict[str, Way] = {
    "a lock first": lock_first,
    "the head's row first": row_first,
    "a lock last, look again": lock_last,
    "the counter last, unproved": unproved,
}


def client(address: str, name: str, count: int) -> Iterator[None]:
    wire, way = Wire(read_address(address).connect), WAYS[name]
    ask(wire, "SELECT 1")
    yield
    for _ in range(count):
        way(wire)
    wire.close()


def run(rounds: int = ROUNDS) -> dict[str, int]:
    """Transactions per second, the median of the rounds; the ways take turns."""
    from tests.postgres import Server

    server = Server(durable=True)
    speeds: dict[str, list[float]] = {}
    try:
        for _ in range(rounds):
            for name in WAYS:
                address = server.database()
                wire = Wire(read_address(address).connect)
                ask(wire, *TABLES)
                for clients in CLIENTS:
                    seconds = in_processes(client, clients, address, name, TRANSACTIONS // clients)
                    speeds.setdefault(f"{name}, {clients} clients", []).append(TRANSACTIONS / seconds)
                count, last = wire.ask(("SELECT count(*), max(seq) FROM log", ()))[0].get
                assert count == last == TRANSACTIONS * len(CLIENTS), "the log has gaps"
                wire.close()
    finally:
        server.remove()
    return {name: round(median(found)) for name, found in speeds.items()}


if __name__ == "__main__":
    for name, speed in run().items():
        print(f"{name:40} {speed:6d} transactions/s")
