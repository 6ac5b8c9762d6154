"""One caller: claim with brief, then report with a comment, beside the very same statements replayed raw."""

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from bench.board import copy_of, engine_on, make_board
from folkmoot.core.report import Remark, Report
from folkmoot.doors.python import Board
from folkmoot.engine.application import Application
from folkmoot.store.sqlite.store import SqliteStore

ITEMS = 1000
CYCLES = 100
ROUNDS = 40
Statement = tuple[str, Any]


class Cost(Struct, frozen=True):
    wall: float
    cpu: float


def measured(work: Callable[[], None]) -> Cost:
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    work()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def cycles(store: SqliteStore, count: int) -> None:
    board = Board(Application(engine_on(store), "bench", []))
    report = Report(outcome="done", summary="done", comments=[Remark(content="a note on the work")])
    for _ in range(count):
        board.claim("dev-agent", lease=60).report(report)


def record(board: Path, work: Callable[[SqliteStore], None]) -> list[Statement]:
    """Every statement the engine gives to SQLite for the work, with its values."""
    statements: list[Statement] = []
    store = SqliteStore.open(copy_of(board, "recorded.db"))

    def trace(cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        statements.append((sql, bindings))
        return True

    store._connection.exec_trace = trace
    work(store)
    store._connection.exec_trace = None
    store.close()
    return statements


def replay(connection: apsw.Connection, statements: Sequence[Statement]) -> None:
    execute = connection.cursor().execute
    for sql, bindings in statements:
        execute(sql, bindings).fetchall()


def run() -> dict[str, float]:
    """Medians over the rounds; engine and raw take turns, each on a fresh copy of the same board."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        board = Path(folder) / "board.db"
        make_board(board, ITEMS)
        statements = record(board, partial(cycles, count=CYCLES))
        engine_costs, raw_costs = [], []
        for number in range(ROUNDS):
            store = SqliteStore.open(copy_of(board, f"engine{number}.db"))
            engine_costs.append(measured(partial(cycles, store, CYCLES)))
            store.close()
            # The same class opens the raw one, so that the settings are the same; only the statements are run.
            raw = SqliteStore.open(copy_of(board, f"raw{number}.db"))
            raw_costs.append(measured(partial(replay, raw._connection, statements)))
            raw.close()
    speed = [raw.wall / ours.wall for raw, ours in zip(raw_costs, engine_costs, strict=True)]
    # Both take turns, so the median of their ratios round by round is steadier than a ratio of two lucky minima.
    cpu = [ours.cpu / raw.cpu for raw, ours in zip(raw_costs, engine_costs, strict=True)]
    return {
        "cycles per second": round(CYCLES / statistics.median(c.wall for c in engine_costs)),
        "raw cycles per second": round(CYCLES / statistics.median(c.wall for c in raw_costs)),
        "statements per cycle": round(len(statements) / CYCLES, 1),
        "CPU of a raw cycle, µs": round(statistics.median(cost.cpu for cost in raw_costs) / CYCLES * 1e6),
        "speed, share of raw (goal ≥ 0.6)": round(statistics.median(speed), 2),
        "CPU, multiple of raw (goal ≤ 1.7)": round(statistics.median(cpu), 2),
    }
