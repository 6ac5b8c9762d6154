"""Landings that are killed, stand still past their lease, or are cancelled, at every step, with a git that is slow."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from folkmoot.errors import Refused
from tests.worker.yard import Yard, git

HALTED = Path(__file__).with_name("halted.py")
STEPS = ("merge", "move", "report", "swap", "moved", "landed")
IN_TRANSACTION = ("swap", "moved")  # whoever stands still there has the board to itself
WAYS = ("kill", "freeze", "cancel", "kill and cancel")
LEASE = 2.0
SLOW_GIT = """#!/bin/sh
sleep 0.0$(($$ % 4))
exec {git} "$@"
"""


def slow_git(folder: Path) -> str:
    """A PATH on which git thinks before each of its commands."""
    folder.mkdir(parents=True, exist_ok=True)
    real = shutil.which("git")
    assert real is not None
    (folder / "git").write_text(SLOW_GIT.format(git=real))
    (folder / "git").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


class Fence:
    """One board after whose landings somebody always looks: what git shows and what the board says."""

    def __init__(self, folder: Path, path: str) -> None:
        self.yard = Yard(folder, lease=f"{LEASE:g}s")
        self.path = path
        self.tally: dict[str, int] = {}
        self.workers: list[subprocess.Popen[bytes]] = []

    def halted(self, step: str, how: str) -> "subprocess.Popen[bytes]":
        """A worker that has come to the step, and is dead or stands still there."""
        env = {**os.environ, "PATH": self.path, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, str(HALTED), str(self.yard.folder), step, how]
        worker = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.workers.append(worker)
        _, status = os.waitpid(worker.pid, os.WUNTRACED)
        if how == "stop":
            assert os.WIFSTOPPED(status), f"it did not come to {step}"
        else:
            worker.returncode = os.waitstatus_to_exitcode(status)
            assert worker.returncode == -signal.SIGKILL, f"it did not come to {step}"
        return worker

    def tip(self) -> str:
        return git(self.yard.folder, "rev-parse", "main")

    def landings(self, name: str) -> int:
        """How often the file came onto the branch."""
        return len(git(self.yard.folder, "log", "--format=%h", "main", "--", name).split())

    def mover(self, item: str) -> str:
        """The run that moved the branch for an item, as git's own log of the branch has it."""
        lines = git(self.yard.folder, "reflog", "--format=%gs", "main").splitlines()
        (run,) = [line.split(" ")[-1] for line in lines if f" item {item} by " in line]
        return run

    def land(self, number: int, step: str, way: str) -> None:
        """One item, one landing to which something happens, and then a worker to which nothing does."""
        name = f"file{number}.txt"
        item = self.yard.add(f"item {number}", f"write {name} made", "report done")
        getattr(self, f"_{way.replace(' ', '_')}")(item, name, step)
        self.yard.run()
        self.check(item, name, f"{way} at {step}")

    def _kill(self, item: str, name: str, step: str) -> None:
        self.halted(step, "kill")
        self._wait_for_lease()

    def _kill_and_cancel(self, item: str, name: str, step: str) -> None:
        """What the dead one moved stays moved; nothing else moves after the word was given."""
        self.halted(step, "kill")
        self._cancel_item(item, name)

    def _freeze(self, item: str, name: str, step: str) -> None:
        """Past its lease; where others can write, the board takes it back, or another lands the item meanwhile."""
        worker = self.halted(step, "stop")
        self._wait_for_lease()
        if step not in IN_TRANSACTION:
            if int(item) % 2:
                self.yard.board.comment(item, "whoever writes takes back what is overdue")
            else:
                self.yard.run()
                assert self.yard.status(item) == "done", self.yard.show(item)["why"]
        self._wake(worker)

    def _cancel(self, item: str, name: str, step: str) -> None:
        worker = self.halted(step, "stop")
        if step in IN_TRANSACTION:
            # The word must wait until the transaction is over, and then it comes too late.
            os.kill(worker.pid, signal.SIGCONT)
            self._cancel_item(item, name)
            worker.wait(60)
            return
        self._cancel_item(item, name)
        before = self.tip()
        self._wake(worker)
        assert self.tip() == before, f"the run of a cancelled item moved the branch after {step}"

    def _cancel_item(self, item: str, name: str) -> None:
        there = self.landings(name)
        refused = ""
        try:
            self.yard.board.cancel(item)
        except Refused as error:
            refused = error.code
        if refused:
            assert refused == "item_ended" and self.yard.status(item) == "done"
        else:
            assert self.landings(name) == there

    def _wake(self, worker: "subprocess.Popen[bytes]") -> None:
        os.kill(worker.pid, signal.SIGCONT)
        worker.wait(60)

    def _wait_for_lease(self) -> None:
        time.sleep(LEASE + 0.2)  # a lease is over by the clock and by nothing else

    def check(self, item: str, name: str, what: str) -> None:
        """The board says what git shows, for this item; and the user's tree is as the branch is."""
        shown, times = self.yard.show(item), self.landings(name)
        assert times <= 1, f"{what}: it landed {times} times"
        assert shown["status"] in ("done", "cancelled"), f"{what}: {shown['status']}: {shown['why']}"
        assert (shown["landed"] is not None) == bool(times), f"{what}: {shown['why']}, and git shows {times} landings"
        if shown["landed"]:
            mover = next(run for run in shown["runs"] if run["run"] == self.mover(item))
            died = what.startswith("kill") and what.endswith("at moved")
            assert mover["outcome"] == "done" or died, f"{what}: the branch was moved by a run that {mover['end']}"
            git(self.yard.folder, "merge-base", "--is-ancestor", shown["landed"], "main")
        assert not (shown["status"] == "done" and not times), f"{what}: it is done, and nothing landed"
        assert git(self.yard.folder, "status", "--porcelain", "--untracked-files=no") == "", what
        assert (self.yard.folder / name).exists() == bool(times), what
        assert list((self.yard.folder / ".git" / "refs" / "heads").glob("*.lock")) == []
        end = f"{what}: {shown['status']}{', landed' if times else ''}"
        self.tally[end] = self.tally.get(end, 0) + 1

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.yard.close()


def cases(count: int, seed: int) -> list[tuple[str, str]]:
    """Every step in every way, again and again, each time in another order."""
    chance = random.Random(seed)
    found: list[tuple[str, str]] = []
    while len(found) < count:
        all_of_them = [(step, way) for step in STEPS for way in WAYS]
        chance.shuffle(all_of_them)
        found += all_of_them
    return found[:count]


def play(folder: Path, some: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, boards: int) -> dict[str, int]:
    """Spread over several boards, since most of the time a lease is waited for."""
    path = slow_git(folder / "bin")
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr("folkmoot.worker.git.landing.ALONE_SECONDS", 0.2)

    def on_one(board: int) -> dict[str, int]:
        fence = Fence(folder / f"yard{board}", path)
        try:
            for number, (step, way) in enumerate(some[board::boards]):
                fence.land(number, step, way)
            fence.yard.doctor()
        finally:
            fence.close()
        return fence.tally

    with ThreadPoolExecutor(boards) as pool:
        tallies = list(pool.map(on_one, range(boards)))
    return {what: sum(tally.get(what, 0) for tally in tallies) for tally in tallies for what in tally}
