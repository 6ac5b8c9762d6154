"""One run with a gate in a large public project that lands on a checked-out main, beside the bare git commands.

The project is a source distribution, fetched by pip and put under git. `MOOT_BENCH_PACKAGE` names another one.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from bench.folder import board_in, scratch, work
from bench.landing import git
from folkmoot import Board
from folkmoot.worker.ports import WorkerEvent

PACKAGE = os.environ.get("MOOT_BENCH_PACKAGE", "ansible")
FILES_MIN = 5_000
ROUNDS = 6  # the first of them counts for nobody: caches are cold
COMMAND = ["/bin/sh", "-c", 'echo changed >> moot-bench.txt; echo \'{"outcome": "done"}\'']
CHECK = ["/bin/sh", "-c", "test -s moot-bench.txt"]
FLOW = f"""
flow: bench
start: dev
limits: {{slots: 1, lease: 5m, executions: 2}}
columns: {{dev: {{agents: [dev], next: done, gate: [check]}}}}
agents: {{dev: {{run: {{command: {json.dumps(COMMAND)}}}}}}}
gates: {{check: {{run: {json.dumps(CHECK)}}}}}
"""


def fetch(where: Path, package: str = PACKAGE) -> Path:
    """The folder of a source distribution, unpacked. Only that package is taken as source: what builds it is not."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package, "-d", str(where)]
    if subprocess.run([*command, package], check=False, capture_output=True).returncode:
        # An environment without pip of its own: the one it was made from has it.
        command[0] = os.path.join(sys.base_prefix, "bin", "python3")
        subprocess.run([*command, package], check=True, capture_output=True)
    packed = next(where.glob("*.tar.gz"))
    with tarfile.open(packed) as archive:
        archive.extractall(where / "unpacked", filter="data")
    packed.unlink()
    return next((where / "unpacked").iterdir())


def put_under_git(folder: Path) -> int:
    """Gives the number of files."""
    (folder / "moot-bench.txt").write_text("first\n")
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", "--force", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "repack", "-adq")
    return len(git(folder, "ls-files").splitlines())


def bare(repository: Path, where: Path, number: int) -> float:
    """The same by git alone: clone, edit, commit, bring home, clone for the check, merge into the checked-out main."""
    start = time.perf_counter()
    clone, checked = where / f"clone{number}", where / f"checked{number}"
    git(where, "clone", "-q", "--shared", "-b", "main", str(repository), str(clone))
    git(clone, "checkout", "-q", "-b", f"item{number}")
    subprocess.run(COMMAND, cwd=clone, check=True, stdout=subprocess.DEVNULL)
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", f"item {number}")
    git(repository, "fetch", "-q", "--no-tags", str(clone), f"HEAD:refs/heads/item{number}")
    shutil.rmtree(clone)
    git(where, "clone", "-q", "--shared", "-b", f"item{number}", str(repository), str(checked))
    subprocess.run(CHECK, cwd=checked, check=True)
    shutil.rmtree(checked)
    git(repository, "merge", "-q", "--no-edit", f"item{number}")
    return time.perf_counter() - start


def ours(board: Board, folder: Path, number: int) -> tuple[float, dict[str, float]]:
    """From the claim to the landing; and when what was told."""
    board.add(f"item {number}")
    at: dict[str, float] = {}

    def hear(happening: WorkerEvent) -> None:
        at.setdefault(f"{happening.agent} {happening.what}", time.perf_counter())

    work(board, folder, 1, hear)
    return at["landing landed"] - at["dev claimed"], at


def measured(where: Path, package: str = PACKAGE, rounds: int = ROUNDS) -> tuple[int, list[float], list[float]]:
    """How many files it has, and the seconds of each round: ours and the bare ones, taking turns."""
    master = fetch(where, package)
    files = put_under_git(master)
    folder, beside = where / "ours", where / "beside"
    for copy in (folder, beside):
        git(where, "clone", "-q", str(master), str(copy))
    board = board_in(folder, FLOW)
    our_times, raw_times = [], []
    for number in range(rounds):
        our_times.append(ours(board, folder, number)[0])
        raw_times.append(bare(beside, where, number))
    board.close()
    lines = rounds + 1
    for repository in (folder, beside):
        if len((repository / "moot-bench.txt").read_text().splitlines()) != lines or git(
            repository, "status", "--porcelain", "-uno"
        ):
            raise RuntimeError(f"not all of {rounds} changes are in {repository}")
    return files, our_times[1:], raw_times[1:]


def run() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-", dir=scratch()) as name:
        files, our_times, raw_times = measured(Path(name))
    if files < FILES_MIN:
        raise RuntimeError(f"{PACKAGE} has only {files} files")
    one, raw = statistics.median(our_times), statistics.median(raw_times)
    return {
        f"{PACKAGE}, {files} files: one item, from claim to landed, ms": f"{one * 1000:.0f}",
        "the bare commands, ms": f"{raw * 1000:.0f}",
        "multiple of the bare commands": f"{one / raw:.2f}",
        "overhead, share of 1.25 × bare + 100 ms (goal ≤ 1)": f"{one / (1.25 * raw + 0.1):.2f}",
    }


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
