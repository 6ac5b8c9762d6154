"""A worker in a plain folder with many slots, beside the same commands started bare: what the running itself costs."""

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from folkmoot import Board
from folkmoot.wiring import running
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.ports import WorkerEvent

SLOTS = 20
ITEMS = 400
SECONDS = 0.2
MEMORY, ROOM = "/dev/shm", 8 * 1024**3
COMMAND = ["/bin/sh", "-c", f'sleep {SECONDS}; echo \'{{"outcome": "done", "summary": "nothing had to change"}}\'']


def flow(sandbox: str) -> str:
    return f"""
flow: bench
start: dev
sandbox: {sandbox}
limits: {{slots: {SLOTS}, lease: 60s, executions: 2}}
columns:
  dev: {{agents: [dev], next: done}}
agents:
  dev: {{run: {{command: {json.dumps(COMMAND)}}}, write: none}}
"""


class Spent(Struct, frozen=True):
    wall: float
    own: float  # CPU of this process
    others: float  # CPU of what it started and waited for


@contextmanager
def timed(into: list[Spent]) -> Iterator[None]:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before = [resource.getrusage(kind) for kind in kinds]
    start = time.perf_counter()
    yield
    wall = time.perf_counter() - start
    spent = [
        now.ru_utime + now.ru_stime - then.ru_utime - then.ru_stime
        for now, then in zip((resource.getrusage(kind) for kind in kinds), before, strict=True)
    ]
    into.append(Spent(wall, *spent))


def board_in(folder: Path, flow: str) -> Board:
    (folder / ".moot").mkdir(parents=True)
    (folder / ".moot" / "flow.yaml").write_text(flow)
    Board.boards = FileBoards()
    return Board.create(str(folder), "kanban", actor="bench")


def scratch() -> str | None:
    """In memory where that can be: what is measured is ours, not how a disk takes thousands of files made and removed.

    And never in this checkout, which is a repository: there, every run of a plain folder would get a clone of it.
    """
    roomy = os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > ROOM
    return MEMORY if roomy else None


def work(board: Board, folder: Path, slots: int, hear: Callable[[WorkerEvent], None] = lambda happening: None) -> None:
    """What `moot run` does, until nothing is left to do; whatever it complained of stops the measuring."""
    faults: list[str] = []

    def tell(happening: WorkerEvent) -> None:
        hear(happening)
        if happening.what == "fault" or happening.good is False:
            faults.append(happening.words)

    home = str(folder / ".moot")
    running.work(
        board._application, home, slots=slots, agents=[], until_idle=True, tell=tell, begin=lambda introduction: None
    )
    if faults:
        raise RuntimeError(f"{len(faults)} faults, the first: {faults[0]}")


def bare(folder: Path, count: int = ITEMS) -> None:
    """The commands alone, as many at once."""

    def one(_: int) -> None:
        done = subprocess.run(COMMAND, cwd=folder, env={"PATH": os.environ["PATH"]}, capture_output=True, check=True)
        if b"done" not in done.stdout:
            raise RuntimeError("the command said nothing")

    with ThreadPoolExecutor(SLOTS) as pool:
        list(pool.map(one, range(count)))


def measured(where: Path, name: str, sandbox: str, items: int = ITEMS) -> Spent:
    folder = where / name
    board = board_in(folder, flow(sandbox))
    for number in range(items):
        board.add(f"item {number}")
    spent: list[Spent] = []
    with timed(spent):
        work(board, folder, SLOTS)
    done = len(board.list(status="done"))
    board.close()
    if done != items:
        raise RuntimeError(f"{done} of {items} items are done")
    return spent[0]


def told(name: str, spent: Spent, raw: Spent) -> dict[str, str]:
    ideal = ITEMS / SLOTS * SECONDS
    return {
        f"{name}: share of the ideal (goal ≥ 0.95)": f"{ideal / spent.wall:.3f}",
        f"{name}: share of the bare commands' speed": f"{raw.wall / spent.wall:.3f}",
        f"{name}: CPU of the worker per run, ms": f"{spent.own / ITEMS * 1000:.2f}",
        f"{name}: CPU of keeper and commands per run, ms": f"{spent.others / ITEMS * 1000:.2f}",
    }


def run() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-", dir=scratch()) as name:
        where = Path(name)
        boxed = measured(where, "boxed", "auto")
        plain = measured(where, "plain", "never")
        raw: list[Spent] = []
        with timed(raw):
            bare(where)
    ideal = ITEMS / SLOTS * SECONDS
    return {
        f"{ITEMS} commands of {SECONDS} s bare, {SLOTS} at once: share of the ideal": f"{ideal / raw[0].wall:.3f}",
        "bare: CPU per command, ms": f"{(raw[0].own + raw[0].others) / ITEMS * 1000:.2f}",
        **told("without sandbox", plain, raw[0]),
        **told("with sandbox", boxed, raw[0]),
    }


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
