"""kill -9 of the worker at every step: nothing is lost but the effort, nothing lands twice, nobody is left alive."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from folkmoot.wiring.running import tools_of
from folkmoot.worker.reclaim import reclaim
from tests.some import some
from tests.worker.yard import Yard, git

STEPS = ["claim", "clone", "setup", "spawn", "report", "gate", "merge", "move", "moved"]
KILLED = Path(__file__).with_name("killed.py")


def processes_in(folder: Path) -> list[str]:
    """The processes that work below a folder, other than ourselves."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                where, words = os.readlink(entry / "cwd"), (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if where.startswith(str(folder)) or str(folder).encode() in words:
                found.append(f"{entry.name} {words!r}")
    return found


def wait_until_gone(folder: Path) -> None:
    until = time.monotonic() + 10
    while (left := processes_in(folder)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []


def doomed(yard: Yard, step: str) -> int:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(KILLED), str(yard.folder), step]
    return subprocess.run(command, env=env, check=False, capture_output=True, timeout=120).returncode


def reclaim_now(yard: Yard) -> None:
    with tools_of(yard.board._application, str(yard.folder / ".moot"), lambda told: None) as tools:
        reclaim(tools)


def survives(folder: Path, step: str) -> None:
    yard = Yard(folder, lease="2s", agent="setup: [['/bin/true']]", gate=["/bin/sh", "-c", "test -f one.txt"])
    item = yard.add("one", "write one.txt made", "report done")
    before = git(yard.folder, "rev-parse", "main")
    assert doomed(yard, step) == -9, f"the worker was not killed at {step}"
    wait_until_gone(yard.folder)
    after = git(yard.folder, "rev-parse", "main")
    assert (after != before) == (step == "moved")
    yard.run()
    shown = yard.show(item)
    assert shown["status"] == "done", f"killed at {step}: {shown['why']}"
    assert yard.landed("one.txt") == "made"
    changes = git(yard.folder, "log", "--format=%h", f"{before}..main", "--", "one.txt").split()
    assert len(changes) == 1, f"killed at {step}: it landed {len(changes)} times"
    assert git(yard.folder, "status", "--porcelain", "--untracked-files=no") == ""
    assert (yard.folder / "one.txt").read_text() == "made\n"
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-19", "R-29")
def test_killed_at_every_step(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda step: survives(tmp_path / step, step), STEPS))


@pytest.mark.parametrize("step", some(["clone", "spawn", "gate", "merge"], ["spawn", "merge"]))
def test_what_a_killed_worker_had_is_free_at_once_and_not_when_its_lease_is_over(tmp_path: Path, step: str) -> None:
    yard = Yard(tmp_path / "yard", lease="3600s", gate=["/bin/sh", "-c", "test -f one.txt"])
    item = yard.add("one", "write one.txt made", "report done")
    assert doomed(yard, step) == -9
    wait_until_gone(yard.folder)
    yard.run()
    shown = yard.show(item)
    assert shown["status"] == "done", shown["why"]
    lapsed = [event for event in yard.queries.log()["events"] if event["event"] == "run_lapsed"]
    assert [event["context"]["how"] for event in lapsed] == ["its worker died"]
    yard.doctor()
    yard.close()


def test_the_run_of_a_worker_that_lives_is_left_alone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", lease="3600s")
    yard.add("one", "say here", "wait 300")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(KILLED), str(yard.folder), "never"], env=env) as worker:
        until = time.monotonic() + 60
        while not yard.show("1")["runs"] and time.monotonic() < until:
            time.sleep(0.1)
        reclaim_now(yard)
        assert yard.show("1")["status"] == "running"
        worker.kill()
    wait_until_gone(yard.folder)
    reclaim_now(yard)
    assert yard.show("1")["status"] == "ready"
    yard.close()


def test_a_killed_worker_leaves_no_agent_and_no_lost_work(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", lease="2s")
    busy = "deaf\nshell (setsid sleep 300 &) ; sleep 300 &"
    yard.add("long", "write half.txt half a thought", *busy.splitlines(), "say here", "wait 300")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, str(KILLED), str(yard.folder), "never"], env=env)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        runs = yard.show("1")["runs"]
        if runs and "here" in yard.output(runs[0]["run"]):
            break
        time.sleep(0.1)
    assert len(processes_in(yard.folder)) >= 2
    worker.kill()
    worker.wait()
    wait_until_gone(yard.folder)
    # The lease runs out, the next worker takes in what was left, and a person can have it back.
    yard.board.cancel("1")
    time.sleep(2.1)
    yard.run()
    (kept,) = yard.board.boards.unlanded(yard.board._application).unlanded
    assert kept.files == ["half.txt"]
    assert list((yard.folder / ".moot" / "runs").iterdir()) == []
    yard.close()
