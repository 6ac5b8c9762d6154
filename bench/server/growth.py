"""What a board in PostgreSQL with a million items costs beside one of a thousand: a cycle, beside raw on each."""

import sys
import time
from statistics import median
from typing import Any

import psycopg

from bench.board import fill
from bench.growth import FEW, MANY, fill_store
from bench.server.cycles import in_processes, our_client, raw_client, recorded
from folkmoot.store.postgres.store import PostgresStore

CYCLES = 60
ROUNDS = 5


class Size:
    """A board for ours and a copy of it for raw, which leaves no board behind."""

    def __init__(self, server: Any, items: int) -> None:
        self.address: str = server.database()
        store, began = PostgresStore.create(self.address), time.perf_counter()
        fill(store, 0)
        fill_store(store, items)
        store.close()
        self.seconds = time.perf_counter() - began
        self.flushes, _ = recorded(self.address)
        name = self.address.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(server.connect(name), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        self.bytes = server.execute(f"SELECT pg_database_size('{name}')")[0][0]
        server.execute(f"CREATE DATABASE {name}_raw TEMPLATE {name} STRATEGY file_copy")
        server.execute("CHECKPOINT")
        self.spoiled: str = server.address(f"{name}_raw")
        self.ours: list[float] = []
        self.raw: list[float] = []

    def go_on(self, number: int) -> None:
        """Each is the first every other time."""
        for is_ours in (number % 2 == 0, number % 2 == 1):
            if is_ours:
                self.ours.append(CYCLES / in_processes(our_client, 1, self.address, CYCLES))
            else:
                self.raw.append(CYCLES / in_processes(raw_client, 1, self.spoiled, CYCLES, self.flushes))

    @property
    def share(self) -> float:
        return median(ours / raw for ours, raw in zip(self.ours, self.raw, strict=True))


def run(many: int = MANY, rounds: int = ROUNDS) -> dict[str, object]:
    from tests.postgres import Server

    server = Server(durable=True, settings=("max_wal_size=4GB",))
    try:
        small, large = Size(server, FEW), Size(server, many)
        for number in range(rounds):
            small.go_on(number)
            large.go_on(number)
    finally:
        server.remove()
    return {
        f"{many:,} items written by the store, seconds": f"{large.seconds:.0f}",
        f"{many:,} items, bytes of the database for each": round(large.bytes / many),
        f"{FEW:,} items: cycles/s, and raw": f"{median(small.ours):.0f}, {median(small.raw):.0f}",
        f"{many:,} items: cycles/s, and raw": f"{median(large.ours):.0f}, {median(large.raw):.0f}",
        f"speed of a cycle, share of raw, {FEW:,} items": f"{small.share:.2f}",
        f"speed of a cycle, share of raw, {many:,} items": f"{large.share:.2f}",
        "that share at many, part of the share at few (goal ≥ 0.9)": f"{large.share / small.share:.2f}",
    }


if __name__ == "__main__":
    for what, value in run(*map(int, sys.argv[1:])).items():
        print(f"{what:<75} {value}")
