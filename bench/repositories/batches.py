"""Sixty finished items and a gate of a second: landed together, and one after the other."""

import tempfile
import time
from pathlib import Path

from bench.folder import board_in, scratch, work
from bench.landing import git

ITEMS, SLOTS, SECONDS = 60, 8, 1.0
BATCH = 20
COMMAND = 'echo made > own/$MOOT_ITEM.txt; echo \'{\\"outcome\\": \\"done\\"}\''
# It takes its time only once all work is done: what is measured is landing.
GATE = f"test ! -e all-done || sleep {SECONDS}"
FLOW = """
flow: bench
start: dev
limits: {{slots: {slots}, lease: 5m, executions: 2}}
columns:
  dev: {{agents: [dev], next: sign, gate: [check]}}
  sign: {{human: true, next: done}}
agents:
  dev: {{run: {{command: [/bin/sh, -c, "{command}"]}}, write: own}}
gates: {{check: {{run: [/bin/sh, -c, "{gate}"]}}}}
land: {{batch: {batch}}}
"""


def finished(folder: Path, batch: int, items: int) -> float:
    """Seconds until all have landed, from when their work was done."""
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "0.txt").write_text("first\n")
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", "own")
    git(folder, "commit", "-q", "-m", "first")
    board = board_in(folder, FLOW.format(slots=SLOTS, command=COMMAND, gate=GATE, batch=batch))
    for number in range(items):
        board.add(f"item {number}")
    work(board, folder, SLOTS)
    (folder / "all-done").write_text("now\n")
    git(folder, "add", "all-done")
    git(folder, "commit", "-q", "-m", "now the gate takes its time")
    for question in board.inbox():
        board.answer(question.id, "go on")
    began = time.perf_counter()
    work(board, folder, SLOTS)
    took = time.perf_counter() - began
    done = len(board.list(status="done"))
    board.close()
    there = git(folder, "ls-tree", "--name-only", "main:own").splitlines()
    if done != items or len(there) != items + 1:
        raise RuntimeError(f"{done} of {items} items are done, {len(there) - 1} are on the branch")
    return took


def run() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-", dir=scratch()) as name:
        together = finished(Path(name) / "together", BATCH, ITEMS)
        one_by_one = finished(Path(name) / "alone", 1, ITEMS)
    return {
        f"{ITEMS} items, a gate of {SECONDS:.0f} s, one after the other: seconds": f"{one_by_one:.1f}",
        f"up to {BATCH} together: seconds": f"{together:.1f}",
        "share of one after the other (goal ≤ 0.3)": f"{together / one_by_one:.3f}",
    }


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
