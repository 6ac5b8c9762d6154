"""Runs with a clone each that land on main, in a large repository, beside the bare git commands for the same."""

import os
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.folder import Spent, board_in, scratch, timed, work
from folkmoot.worker.ports import WorkerEvent

FILES, FOLDERS = 10_000, 300
SLOTS, ITEMS = 20, 60
ALONE = 5  # rounds of one run alone
SECONDS = 0.2
# Each changes one file of its own; which one, the brief says.
COMMAND = f'sleep {SECONDS}; echo changed >> own/$MOOT_ITEM.txt; echo \'{{\\"outcome\\": \\"done\\"}}\''
FLOW = f"""
flow: bench
start: dev
limits: {{slots: {SLOTS}, lease: 5m, executions: 2}}
columns:
  dev: {{agents: [dev], next: done}}
agents:
  dev: {{run: {{command: [/bin/sh, -c, "{COMMAND}"]}}, write: own}}
"""
NAMES = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0")


def git(folder: Path, *args: str, stdin: str | None = None, index: Path | None = None) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    if index is not None:
        env["GIT_INDEX_FILE"] = str(index)
    ran = subprocess.run(
        ["git", *NAMES, *args], cwd=folder, env=env, input=stdin, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"git {args}: {ran.stderr}")
    return ran.stdout.strip()


def make_repository(folder: Path) -> None:
    """Files of the sizes that source files have, all different, in folders of folders."""
    chance = random.Random(1)
    words = [f"word{number}" for number in range(2000)]
    folders = [folder / f"part{number % 20}" / f"unit{number}" for number in range(FOLDERS - 1)]
    for place in [*folders, folder / "own"]:
        place.mkdir(parents=True)
    for number in range(FILES - ITEMS):
        lines = min(2000, max(3, int(chance.lognormvariate(4.3, 1.0))))
        text = "\n".join(" ".join(chance.choices(words, k=6)) for _ in range(lines))
        (folders[number % len(folders)] / f"file{number}.py").write_text(f"# {number}\n{text}\n")
    for number in range(ITEMS):
        (folder / "own" / f"{number + 1}.txt").write_text(f"{number}\n")
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "repack", "-adq")
    # As a user has it whose agents land on main: something else is checked out.
    git(folder, "checkout", "-q", "-b", "elsewhere")


class Bare:
    """The same by git alone: clone, edit, commit, bring home, merge, move the branch; one landing at a time."""

    def __init__(self, repository: Path, where: Path) -> None:
        self.repository = repository
        self.where = where
        self._landing = threading.Lock()

    def one(self, number: int) -> float:
        """One item; gives the seconds without the command's own."""
        start = time.perf_counter()
        clone = self.where / f"clone{number}"
        git(self.where, "clone", "-q", "--shared", "--no-checkout", "-b", "main", str(self.repository), str(clone))
        git(clone, "checkout", "-q", "-b", f"item{number}")
        began = time.perf_counter()
        subprocess.run(
            ["/bin/sh", "-c", COMMAND.replace("\\", "")],
            cwd=clone,
            env=self._env(number),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        slept = time.perf_counter() - began
        git(clone, "add", "-A")
        git(clone, "commit", "-q", "-m", f"item {number}")
        ref = f"refs/bare/{number}"
        git(self.repository, "fetch", "-q", "--no-tags", str(clone), f"HEAD:{ref}")
        with self._landing:
            main = git(self.repository, "rev-parse", "refs/heads/main")
            tree = git(self.repository, "merge-tree", "--write-tree", main, ref)
            merged = git(self.repository, "commit-tree", tree, "-p", main, "-p", ref, "-m", f"item {number}")
            git(self.repository, "update-ref", "refs/heads/main", merged, main)
        shutil.rmtree(clone)
        return time.perf_counter() - start - slept

    @staticmethod
    def _env(number: int) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "MOOT_ITEM": str(number)}

    def all(self, slots: int, items: range) -> None:
        with ThreadPoolExecutor(slots) as pool:
            list(pool.map(self.one, items))


def landed(repository: Path) -> int:
    changed = git(repository, "diff", "--name-only", "elsewhere", "main", "--", "own")
    return len(changed.splitlines())


def ours(folder: Path, slots: int, items: int) -> Spent:
    board = board_in(folder, FLOW)
    for number in range(items):
        board.add(f"item {number}")
    spent: list[Spent] = []
    with timed(spent):
        work(board, folder, slots)
    board.close()
    if landed(folder) != items:
        raise RuntimeError(f"{landed(folder)} of {items} items have landed")
    return spent[0]


def alone(where: Path, master: Path) -> tuple[float, float]:
    """What one run costs beside its command, from claim to landed; and the bare commands. Medians, taking turns."""
    folder, beside = where / "alone", where / "beside"
    for copy in (folder, beside):
        shutil.copytree(master, copy)
    raw = Bare(beside, where)
    board = board_in(folder, FLOW)
    our_times, raw_times = [], []
    for number in range(ALONE):
        board.add(f"item {number}")
        at: dict[str, float] = {}

        def hear(happening: WorkerEvent, at: dict[str, float] = at) -> None:
            at.setdefault(happening.what, time.perf_counter())

        work(board, folder, 1, hear)
        our_times.append(at["landed"] - at["claimed"] - SECONDS)
        raw_times.append(raw.one(number + 1))
    board.close()
    return statistics.median(our_times[1:]), statistics.median(raw_times[1:])


def run() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-", dir=scratch()) as name:
        where = Path(name)
        master = where / "master"
        master.mkdir()
        make_repository(master)
        shutil.copytree(master, where / "ours")
        shutil.copytree(master, where / "bare")
        raw: list[Spent] = []
        with timed(raw):
            Bare(where / "bare", where).all(SLOTS, range(1, ITEMS + 1))
        if landed(where / "bare") != ITEMS:
            raise RuntimeError("the bare commands did not land")
        spent = ours(where / "ours", SLOTS, ITEMS)
        one, one_raw = alone(where, master)
    most = 1.25 * one_raw + 0.1
    return {
        f"{ITEMS} items, {SLOTS} slots, {FILES} files: landed per second": f"{ITEMS / spent.wall:.2f}",
        "bare git: landed per second": f"{ITEMS / raw[0].wall:.2f}",
        "share of bare git's speed (goal ≥ 0.8)": f"{raw[0].wall / spent.wall:.3f}",
        "CPU per item, multiple of bare git's": f"{(spent.own + spent.others) / (raw[0].own + raw[0].others):.2f}",
        "one run alone, beside its command, ms": f"{one * 1000:.0f}",
        "the bare commands alone, ms": f"{one_raw * 1000:.0f}",
        "one run's overhead, share of 1.25 × bare + 100 ms (goal ≤ 1)": f"{one / most:.2f}",
    }


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
