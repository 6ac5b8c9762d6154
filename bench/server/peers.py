"""Four clients of ours beside Procrastinate, PgQueuer, DBOS and LangGraph on the same PostgreSQL server, in turn.

Theirs is the nearest equal work, and less than ours: a job or a step that does nothing, no brief, no log, no proof.
Their four callers are in one process, so four threads of one process of ours are the equal; processes are shown too.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.peers import FAILED, PATIENCE, PLACE, PeerFailed, is_made
from bench.server.cycles import filled, in_processes, in_threads, our_client

CALLERS = 4
CYCLES = 192
ROUNDS = 3
PROGRAM = Path(__file__).parent.parent / "peer" / "on_postgres.py"
PEERS = {"Procrastinate": "procrastinate", "PgQueuer": "pgqueuer", "LangGraph": "langgraph", "DBOS": "dbos"}


def per_second(python: Path, peer: str, server: Any, count: int) -> float:
    name = server.database().partition("?")[0].rpartition("/")[2]
    url = f"postgresql://postgres@127.0.0.1:{server.port}/{name}"
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LANGSMITH_TRACING": "false"}
        command = [str(python), str(PROGRAM), peer, url, str(count), str(CALLERS)]
        ran = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, timeout=PATIENCE)
    if ran.returncode != 0:
        raise PeerFailed((ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1][:200])
    return float(json.loads(ran.stdout.splitlines()[-1])["per second"])


def compare(python: Path, name: str, server: Any, rounds: int) -> dict[str, object]:
    address = filled(server, 2 * CYCLES * rounds + 50)
    ours, apart, theirs = [], [], []
    for _ in range(rounds):
        ours.append(CYCLES / in_threads(address, CALLERS, CYCLES // CALLERS))
        apart.append(CYCLES / in_processes(our_client, CALLERS, address, CYCLES // CALLERS))
        theirs.append(per_second(python, PEERS[name], server, CYCLES * 2))
    ratio = median(here / there for here, there in zip(ours, theirs, strict=True))
    return {
        f"{name}: jobs or steps per second": f"{median(theirs):.0f}",
        f"{name}: our cycles per second beside it, threads and processes": f"{median(ours):.0f}, {median(apart):.0f}",
        f"{name}: ours in threads, multiple of theirs (goal > 1)": f"{ratio:.2f}",
    }


def run(rounds: int = ROUNDS, python: Path = PLACE / "bin" / "python") -> dict[str, object]:
    from tests.postgres import Server

    if not is_made():
        why = FAILED.read_text("utf-8").strip() if FAILED.is_file() else "run: python -m bench.peers install"
        return {f"**NOT RUN: {name}**": f"its environment is not there: {why}" for name in PEERS}
    server, told = Server(durable=True), dict[str, object]()
    try:
        for name in PEERS:
            try:
                told |= compare(python, name, server, rounds)
            except PeerFailed as fault:
                told[f"**NOT RUN: {name}**"] = str(fault)
    finally:
        server.remove()
    return told


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
