"""An agent without a sandbox that kills all who keep it at once: nothing of ours is left to act, until the next run."""

import sys
from pathlib import Path

import pytest

from tests.worker.test_kill import doomed, processes_in
from tests.worker.yard import Yard

# Leaves somebody behind in another session, then kills its warden, the server and the worker, all at once.
KILLER = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])
pids = [os.getppid()]
for _ in range(2):
    pids.append(parent(pids[-1]))
for pid in pids:
    os.kill(pid, signal.SIGSTOP)
for pid in reversed(pids):
    os.kill(pid, signal.SIGKILL)
time.sleep(600)
"""


@pytest.mark.attack(
    "keeper",
    "an unsandboxed agent kills its warden, the server and the worker at once, and leaves a process",
    "the next `moot run` kills what it left, by its run's HOME, before it takes in the files",
)
def test_the_next_worker_ends_what_a_killed_one_could_not(tmp_path: Path) -> None:
    flow = f"""
flow: killer
start: dev
sandbox: never
limits: {{lease: 2s, executions: 1, own_attempts: 1}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: [{sys.executable}, killer.py]}}}}}}
"""
    yard = Yard(tmp_path / "yard", files={"killer.py": KILLER}, flow=flow)
    item = yard.add("one")
    assert doomed(yard, "no step") == -9
    assert processes_in(yard.folder), "one was left, or the test shows nothing"
    yard.board.cancel(item)
    yard.run()
    assert processes_in(yard.folder) == []
    assert [told.words for told in yard.told if "were still there, and were killed" in told.words]
    yard.doctor()
