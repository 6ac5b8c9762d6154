"""Ours with 32 callers beside the steps of Huey, LangGraph and DBOS on SQLite, all with full flushes, in turn.

A peer's step is one durable step of a workflow of three that do nothing: it writes less than our cycle does, and reads
no history. The peers live in an environment of their own, which `make bench` makes: `python -m bench.peers install`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from msgspec import Struct

from bench.board import make_board
from bench.together import CYCLES, ITEMS, Trial, claim_and_report, one_round

CALLERS = 32
ROUNDS = 5
PATIENCE = 600.0  # seconds for one peer, or for making the environment

ROOT = Path(__file__).parent.parent
NEEDED = Path(__file__).with_name("peers.txt")
PLACE = ROOT / ".bootstrap" / "peers"
STAMP = PLACE / "made-from.txt"  # a copy of what was installed; written last
FAILED = PLACE.with_name("peers.failed")  # why the last try to make it failed


class Peer(Struct, frozen=True):
    name: str
    program: str
    workflows: int  # of one round: a second or two
    goal: float


class PeerFailed(Exception):
    """Said in the table, so it is one line. What others do must not keep us from measuring the rest."""


PEERS = [
    Peer("Huey", "huey_steps.py", 1000, 1.2),
    Peer("LangGraph, durability sync", "langgraph_steps.py", 300, 3),
    Peer("DBOS", "dbos_steps.py", 200, 6),
]


def is_made() -> bool:
    return STAMP.is_file() and STAMP.read_bytes() == NEEDED.read_bytes()


def install() -> bool:
    """Whether the peers' environment is there afterwards. With the machine's own pip, so that its mirrors count."""
    if is_made():
        return True
    print("bench: making the environment of the peers", flush=True)
    python = os.environ.get("PYTHON", "python3")
    program = str(PLACE / "bin" / "python")
    try:
        for command in (
            [python, "-m", "venv", "--clear", "--without-pip", str(PLACE)],
            [python, "-m", "pip", "--python", program, "install", "--quiet", "--no-deps", "-r", str(NEEDED)],
        ):
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as fault:
        said = (getattr(fault, "stderr", None) or str(fault)).strip().splitlines()
        FAILED.parent.mkdir(exist_ok=True)
        FAILED.write_text(f"{said[-1] if said else fault}\n", "utf-8")
        print(f"\n*** NOT RUN: the peers: {FAILED.read_text('utf-8')}", file=sys.stderr, flush=True)
        return False
    STAMP.write_bytes(NEEDED.read_bytes())
    FAILED.unlink(missing_ok=True)
    return True


def steps_per_second(peer: Peer, python: Path, folder: Path, workflows: int) -> dict[str, float]:
    """By its mode; in a process of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        command = [str(python), str(Path(__file__).parent / "peer" / peer.program), name, str(workflows)]
        # Nothing of the user's settings, and no tracing to the outside.
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LANGSMITH_TRACING": "false"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise PeerFailed((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(peer: Peer, python: Path, board: Path, rounds: int, share: float) -> dict[str, object]:
    """Ours and theirs in turn; of theirs the best mode counts."""
    trial = Trial(claim_and_report, [CALLERS], CYCLES, {})
    ours: list[float] = []
    theirs: list[dict[str, float]] = []
    for _ in range(rounds):
        ours.append(CYCLES / one_round(board, trial, CALLERS).cost.wall)
        theirs.append(steps_per_second(peer, python, board.parent, max(1, round(peer.workflows * share))))
    modes = {mode: median(found[mode] for found in theirs) for mode in theirs[0]}
    best = max(modes, key=lambda mode: modes[mode])
    ratio = median(here / there[best] for here, there in zip(ours, theirs, strict=True))
    return {
        f"{peer.name}: steps per second": ", ".join(f"{speed:.0f} ({mode})" for mode, speed in modes.items()),
        f"{peer.name}: our cycles per second beside it": round(median(ours)),
        f"{peer.name}: ours, multiple of its best (goal ≥ {peer.goal:g})": f"{ratio:.2f}",
    }


def run(rounds: int = ROUNDS, share: float = 1.0, python: Path = PLACE / "bin" / "python") -> dict[str, object]:
    """`share` makes a quick round; `python` may be of another environment that has the peers."""
    if python.is_relative_to(PLACE) and not is_made():
        why = FAILED.read_text("utf-8").strip() if FAILED.is_file() else "run: python -m bench.peers install"
        return {f"**NOT RUN: {peer.name}**": f"its environment is not there: {why}" for peer in PEERS}
    told: dict[str, object] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        board = Path(folder) / "board.db"
        make_board(board, ITEMS)
        for peer in PEERS:
            try:
                told |= compare(peer, python, board, rounds, share)
            except PeerFailed as fault:
                told[f"**NOT RUN: {peer.name}**"] = str(fault)
    return told


if __name__ == "__main__":
    if sys.argv[1:] == ["install"]:
        install()
    else:
        for what, value in run().items():
            print(f"{what:<75} {value}")
