"""Many callers on one store, claim with brief and report with a comment, beside one caller's statements replayed raw.

Also on a disk that is slow to flush, and with the works that share one commit counted.
"""

import ctypes
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import apsw
from msgspec import Struct

from bench.board import copy_of, engine_on, make_board
from bench.cycle import Cost, Statement, measured, record, replay
from folkmoot.core.report import Remark, Report
from folkmoot.doors.python import Board
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.store.sqlite.store import SqliteStore

CALLERS = (1, 8, 32)
ITEMS = 1000
CYCLES = 640  # of one round, shared among the callers
ROUNDS = 15
SLOW_CYCLES = 320
SLOW_ROUNDS = 5
SLOW = 0.005  # seconds that a flush of the slow disk takes longer
REPORT = Report(outcome="done", summary="done", comments=[Remark(content="a note on the work")])

Cycle = Callable[[], object]  # two works of one caller: to take something and to give it back
Kind = Callable[[Engine, int], Cycle]  # for the caller with that number


class Round(Struct, frozen=True):
    cost: Cost
    waits: list[float]  # seconds of each cycle; raw has none


class Trial(Struct, frozen=True):
    """What is compared with raw: which cycles, how many in a round, on what kind of disk."""

    kind: Kind
    callers: Sequence[int]
    cycles: int
    goals: dict[int, float]  # by callers: the multiple of raw that is wanted
    sync: float | None = None  # seconds that a flush takes longer; with 0.0 it is replaced but not slower
    name: str = ""

    def statements(self, board: Path) -> list[Statement]:
        """What one caller alone gives to SQLite."""

        def alone(store: SqliteStore) -> None:
            cycle = self.kind(engine_on(store), 0)
            for _ in range(self.cycles):
                cycle()

        return record(board, alone)


def claim_and_report(engine: Engine, caller: int) -> Cycle:
    board = Board(Application(engine, "bench", []))
    return lambda: board.claim("dev-agent", lease=60).report(REPORT)


def work_together(store: SqliteStore, trial: Trial, callers: int) -> Round:
    """All begin at once and share the cycles; each makes its own one after the other."""
    engine = engine_on(store)
    waits: list[list[float]] = [[] for _ in range(callers)]
    faults: list[BaseException] = []
    start = threading.Barrier(callers + 1)

    def work(caller: int) -> None:
        cycle, mine = trial.kind(engine, caller), waits[caller]
        start.wait()
        try:
            for _ in range(trial.cycles // callers):
                began = time.perf_counter()
                cycle()
                mine.append(time.perf_counter() - began)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()

    def all_of_it() -> None:
        start.wait()
        for thread in threads:
            thread.join()

    cost = measured(all_of_it)
    if faults:
        raise faults[0]
    return Round(cost, [wait for mine in waits for wait in mine])


def one_round(
    board: Path,
    trial: Trial,
    callers: int,
    statements: Sequence[Statement] = (),
    prepare: Callable[[SqliteStore], object] = lambda store: None,
) -> Round:
    """On a fresh copy of the board. No callers: the statements alone."""
    store = SqliteStore.open(copy_of(board, "round.db"))
    replaced = [] if trial.sync is None else slow_down(store._connection, trial.sync)
    try:
        prepare(store)
        if callers:
            return work_together(store, trial, callers)
        return Round(measured(partial(replay, store._connection, statements)), [])
    finally:
        store.close()
        del replaced  # not before: SQLite calls it until it is closed


def works_per_commit(board: Path, trial: Trial, callers: int) -> float:
    """In a round of its own: to count costs a little."""
    commits = [0]

    def counted() -> bool:
        commits[0] += 1
        return False

    found = one_round(board, trial, callers, prepare=lambda store: store._connection.set_commit_hook(counted))
    return 2 * len(found.waits) / commits[0]


def compare(board: Path, trial: Trial, rounds: int) -> dict[str, object]:
    """All take turns, raw among them; medians over the rounds."""
    statements = trial.statements(board)
    found: dict[int, list[Round]] = {callers: [] for callers in (0, *trial.callers)}
    for _ in range(rounds):
        for callers, those in found.items():
            those.append(one_round(board, trial, callers, statements))
    raw = found.pop(0)
    told: dict[str, object] = {f"{trial.name}raw cycles per second, one at a time": per_second(trial, raw)}
    for callers, ours in found.items():
        label = f"{trial.name}{callers} caller{'s' if callers > 1 else ''}"
        speed = median(there.cost.wall / here.cost.wall for there, here in zip(raw, ours, strict=True))
        cpu = median(here.cost.cpu for here in ours) / trial.cycles * 1e6
        waits = quantiles([wait * 1000 for here in ours for wait in here.waits], n=100)
        goal = f" (goal ≥ {trial.goals[callers]:g})" if callers in trial.goals else ""
        told |= {
            f"{label}: cycles per second": per_second(trial, ours),
            f"{label}: multiple of raw{goal}": f"{speed:.2f}",
            f"{label}: CPU per cycle, µs": round(cpu),
            f"{label}: works per commit": f"{works_per_commit(board, trial, callers):.1f}",
            f"{label}: a cycle takes, p50 / p99 ms": f"{waits[49]:.2f} / {waits[98]:.2f}",
        }
    return told


def per_second(trial: Trial, rounds: list[Round]) -> int:
    return round(trial.cycles / median(here.cost.wall for here in rounds))


def price_of_slowing(board: Path, rounds: int) -> dict[str, object]:
    """How all fare with a flush that is replaced but sleeps not at all: near one, or the slow rows mean nothing."""
    plain = Trial(claim_and_report, CALLERS, CYCLES, {})
    replaced = Trial(claim_and_report, CALLERS, CYCLES, {}, sync=0.0)
    statements = plain.statements(board)
    told: dict[str, object] = {}
    for callers in (0, CALLERS[-1]):
        turns = [
            [one_round(board, one, callers, statements).cost.wall for one in (plain, replaced)] for _ in range(rounds)
        ]
        who = f"{callers} callers" if callers else "raw"
        share = median(before / after for before, after in turns)
        told[f"{who} with a flush that is replaced and does not sleep, share of speed"] = f"{share:.2f}"
    return told


def run(rounds: int = ROUNDS, slow_rounds: int = SLOW_ROUNDS) -> dict[str, object]:
    quick = Trial(claim_and_report, CALLERS, CYCLES, {8: 1.1, 32: 1.4})
    name = f"flush + {SLOW * 1000:.0f} ms, "
    slow = Trial(claim_and_report, (8, 32), SLOW_CYCLES, {8: 3.5, 32: 9}, sync=SLOW, name=name)
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        board = Path(folder) / "board.db"
        make_board(board, ITEMS)
        return {**compare(board, quick, rounds), **price_of_slowing(board, rounds), **compare(board, slow, slow_rounds)}


# A disk whose flush takes longer. SQLite keeps a table of functions for each open file; we give the file a copy of its
# table with another `xSync`; all else stays SQLite's own. A whole VFS in Python would stand in the way of every page.

FUNCTIONS = 18  # in the third version of the table
SYNC = 5  # its place there: the version's number and close, read, write, truncate come before it
SyncFunction = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


def slow_down(connection: apsw.Connection, seconds: float, sleep: Callable[[float], None] = time.sleep) -> list[Any]:
    """From now on a flush takes that much longer. What it gives must be kept until the connection is closed."""
    connection.execute("SELECT 1 FROM board").fetchall()  # the log of writes is opened by the first who reads
    files = (apsw.SQLITE_FCNTL_FILE_POINTER, apsw.SQLITE_FCNTL_JOURNAL_POINTER)
    return [replace_sync(file_of(connection, which), seconds, sleep) for which in files]


def file_of(connection: apsw.Connection, which: int) -> int:
    found = ctypes.c_void_p()
    if not connection.file_control("main", which, ctypes.addressof(found)) or not found.value:
        raise RuntimeError("SQLite does not tell where its file is")
    return found.value


def replace_sync(file: int, seconds: float, sleep: Callable[[float], None]) -> tuple[Any, Any]:
    methods = ctypes.c_void_p.from_address(file)  # the first field of an open file
    if not methods.value or ctypes.c_int.from_address(methods.value).value != 3:
        raise RuntimeError("this SQLite has another table of functions than the one known here")
    pointers = ctypes.c_void_p * (FUNCTIONS + 1)
    table = pointers.from_buffer_copy(ctypes.string_at(methods.value, ctypes.sizeof(pointers)))
    real = SyncFunction(table[SYNC] or 0)

    def sync(file: int, flags: int) -> int:
        if seconds:
            sleep(seconds)
        return int(real(file, flags))

    slow = SyncFunction(sync)
    table[SYNC] = ctypes.cast(slow, ctypes.c_void_p).value
    methods.value = ctypes.addressof(table)
    return table, slow


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
