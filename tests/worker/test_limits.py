"""What a run may use up: memory, processes, open files, the disk. Real hogs, with limits that any machine can bear."""

import sys
from itertools import product
from pathlib import Path

import pytest

from tests.some import some
from tests.worker.yard import Yard

FLOW = """
flow: limits
start: dev
sandbox: {sandbox}
limits: {{executions: 1, own_attempts: 1, {limits}}}
columns: {{dev: {{agents: [dev], next: done{gate}}}}}
agents: {{dev: {{write: any, run: {{command: [{python}, hog.py]}}}}}}
gates: {{check: {{run: [{python}, hog.py]}}}}
"""
DONE = 'print(\'{"outcome": "done", "summary": "nothing had to change"}\', flush=True)\n'
MEMORY = "import time\nheld = [bytearray(1 << 20) for _ in range(400)]\n" + DONE + "time.sleep(600)\n"
# Shared among many, so that it is counted once for all of them and not once for each.
SHARED = """
import os, time
held = bytearray(60 << 20)
for at in range(0, len(held), 4096): held[at] = 1
for _ in range(8):
    if os.fork() == 0: time.sleep(2); os._exit(0)
time.sleep(2)
"""
BOMB = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(9):  # at most 512 of them
    time.sleep(0.05)
    try:
        if os.fork() == 0: os.setsid()
    except OSError: pass
time.sleep(600)
"""
DISK = """
import time
for n in range(2000):
    with open(f"large-{n}", "wb") as file: file.write(b"x" * (1 << 20)); file.flush()
    time.sleep(0.01)
time.sleep(600)
"""
SCRATCH = """
import time
for n in range(400):
    with open(f"/tmp/large-{n}", "wb") as file: file.write(b"x" * (1 << 20))
    time.sleep(0.002)
time.sleep(600)
"""
FILES = """
held = []
try:
    while len(held) < 5000: held.append(open("/dev/null"))
except OSError as error: print(error.errno)
print(len(held) < 100)
held.clear()
"""


def hogged(tmp_path: Path, hog: str, limits: str, sandbox: str = "auto", gate: str = "") -> tuple[Yard, str]:
    flow = FLOW.format(python=sys.executable, limits=limits, sandbox=sandbox, gate=gate)
    yard = Yard(tmp_path / "yard", files={"hog.py": hog}, flow=flow)
    item = yard.add("one")
    yard.run()
    return yard, item


HOGS = {
    "memory": (MEMORY, "memory: 200MB"),
    "processes": (BOMB, "processes: 60"),
    "disk": (DISK, "disk: 100MB"),
}


@pytest.mark.attack("limits", "a run takes all memory, forks without end, or fills the disk", "it is ended, with words")
@pytest.mark.parametrize(
    "limit, sandbox",
    some(product(HOGS, ["auto", "never"]), [("memory", "never"), ("processes", "auto"), ("disk", "never")]),
)
def test_a_run_that_uses_too_much_is_ended_and_said_why(tmp_path: Path, limit: str, sandbox: str) -> None:
    yard, item = hogged(tmp_path, *HOGS[limit], sandbox)
    run = yard.show(item)["runs"][0]
    assert run["outcome"] == "failed", "what it said before it was ended does not count"
    words = run["report"]["summary"]
    assert f"it used more {limit} than it may" in words and f"raises `{limit}` under `limits`" in words
    yard.doctor()


def test_what_lies_in_a_box_own_tmp_is_memory(tmp_path: Path) -> None:
    yard, item = hogged(tmp_path, SCRATCH, "memory: 200MB")
    run = yard.show(item)["runs"][0]
    if not run["sandboxed"]:
        pytest.skip("NOT TESTED: there is no sandbox here")
    assert "it used more memory than it may" in run["report"]["summary"]


def test_memory_that_many_share_is_counted_once(tmp_path: Path) -> None:
    yard, item = hogged(tmp_path, SHARED + DONE, "memory: 200MB")
    assert yard.status(item) == "done", yard.show(item)["runs"]


def test_the_kernel_holds_the_open_files(tmp_path: Path) -> None:
    yard, item = hogged(tmp_path, FILES + DONE, "open_files: 64")
    assert yard.status(item) == "done"
    assert "24\nTrue\n" in yard.output(yard.show(item)["runs"][0]["run"])


def test_a_gate_that_uses_too_much_is_red(tmp_path: Path) -> None:
    calm = "import os, sys\nif 'MOOT_GATE' not in os.environ:\n    " + DONE + "    sys.exit()\n"
    yard, item = hogged(tmp_path, calm + BOMB, "processes: 60", gate=", gate: [check]")
    gate = next(run for run in yard.show(item)["runs"] if run["agent"] == "check")
    assert gate["outcome"] == "failed" and "more processes than it may" in gate["report"]["summary"]


def test_no_limit_is_no_limit(tmp_path: Path) -> None:
    limits = "memory: null, processes: null, disk: null, open_files: null"
    yard, item = hogged(tmp_path, DONE, limits)
    assert yard.status(item) == "done"
    assert yard.board._application.queries.flow().limits.memory is None
