"""A claim behind ten thousand items that cannot be taken, beside the same claim on a board without them.

Each claim has one item that is free, with files of its own, and behind all others in its queue; it is added before and
cancelled after, which is not measured. Both boards take turns; what a claim reads is read again raw beside it.
"""

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import apsw

from bench.board import PERSON, engine_on, make_board
from bench.cycle import Cost, Statement, measured, replay
from folkmoot.core.commands import AddItem, CancelItem, LockPaths
from folkmoot.engine.engine import Engine
from folkmoot.store.sqlite.store import SqliteStore

BLOCKED = 10_000
CLAIMS = 200
DAY = 86_400.0


def fill(path: Path, blocked: int, below: bool) -> None:
    """So many items on paths that a person has locked: one path for all, or for each its own below a folder."""
    make_board(path, 0)
    store = SqliteStore.open(path, durable=False)
    engine = engine_on(store)
    engine.lock(PERSON, LockPaths(paths=["src/"], seconds=DAY))
    for number in range(blocked):
        files = [f"src/part{number}.py" if below else "src/hot.py"]
        engine.add(PERSON, AddItem(title=f"item {number}", column="dev", files=files))
    store.close()


def free_item(engine: Engine, number: int) -> str:
    command = AddItem(title="free", column="dev", priority="low", files=[f"docs/{number}.md"])
    found: str = engine.add(PERSON, command).id
    return found


class Claims:
    """One board, and what its claims cost."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore.open(path)
        self.engine = engine_on(self.store)
        self.costs: list[Cost] = []
        self.raw_costs: list[Cost] = []
        self.first = self._claim(-1)  # finds out what keeps the others out

    def _claim(self, number: int) -> Cost:
        item = free_item(self.engine, number)
        taken: list[str] = []

        def claim() -> None:
            taken.append(self.engine.claim(PERSON, "dev-agent").brief["task"]["id"])

        cost = measured(claim)
        if taken != [item]:
            raise RuntimeError("the claim did not get the free item")
        self.engine.handle_item(PERSON, item, CancelItem(why="measured"))
        return cost

    def go_on(self, number: int) -> None:
        statements: list[Statement] = []
        if number % 10 == 0:  # else the tracing would be measured

            def trace(cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
                statements.append((sql, bindings))
                return True

            self.store._connection.exec_trace = trace
            self._claim(number)
            self.store._connection.exec_trace = None
            begin = next(n for n, (sql, _) in reversed(list(enumerate(statements))) if "INTO runs" in sql)
            start = max(n for n, (sql, _) in enumerate(statements[:begin]) if sql.startswith("BEGIN"))
            end = next(n for n, (sql, _) in enumerate(statements) if n > begin and sql.startswith("COMMIT"))
            reads = [(sql, bindings) for sql, bindings in statements[start : end + 1] if _reads(sql)]
            self.raw_costs.append(measured(lambda: replay(self.store._connection, reads)))
            return
        self.costs.append(self._claim(number))

    def close(self) -> None:
        self.store.close()


def _reads(sql: str) -> bool:
    """A claim cannot be written twice; what it reads can be read again."""
    return sql.lstrip().upper().startswith(("SELECT", "WITH", "BEGIN", "COMMIT"))


def run(blocked: int = BLOCKED, claims: int = CLAIMS) -> dict[str, object]:
    told: dict[str, object] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        for name, below in (("one path", False), ("paths of their own", True)):
            boards = []
            for count in (0, blocked):
                path = Path(folder) / f"{count}{below}.db"
                fill(path, count, below)
                boards.append(Claims(path))
            for number in range(claims):
                for board in boards if number % 2 else reversed(boards):
                    board.go_on(number)
            none, many = boards
            ratio = median(b.cpu for b in many.costs) / median(a.cpu for a in none.costs)
            wall = median(b.wall for b in many.costs) / median(a.wall for a in none.costs)
            told[f"{name}: a claim with none blocked, µs of CPU"] = round(median(a.cpu for a in none.costs) * 1e6)
            told[f"{name}: its reads again raw, µs of CPU"] = round(median(a.cpu for a in none.raw_costs) * 1e6)
            told[f"{name}: reads again raw with {blocked:,} blocked, µs of CPU"] = round(
                median(a.cpu for a in many.raw_costs) * 1e6
            )
            told[f"{name}: a claim with {blocked:,} blocked, multiple in CPU (goal ≤ 1.5)"] = f"{ratio:.2f}"
            told[f"{name}: a claim with {blocked:,} blocked, multiple in time (goal ≤ 1.5)"] = f"{wall:.2f}"
            told[f"{name}: the first claim, which finds out what keeps them out, ms"] = round(many.first.wall * 1e3)
            for board in boards:
                board.close()
    return told


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
