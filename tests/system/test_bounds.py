"""How the use of the disk is counted, and how the kernel holds the number of processes."""

import os
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from folkmoot.system.keeper_client import SystemKeeper
from folkmoot.system.processes import groups
from folkmoot.system.processes.bounds import ENTRY_BYTES, Bounds, walk
from folkmoot.worker.ports import Launch
from tests.system.to_end import run_to_end

# Forks as quickly as it can until the kernel refuses; the first to be refused says how many there were.
BOMB = """
import os, time
for number in range(100_000):
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        os.write(1, b"refused after %d\\n" % number)
        time.sleep(600)
"""


def used(folder: Path) -> int:
    return [(0, 0), *walk([str(folder)])][-1][0]


def test_what_is_there_is_counted_once_and_what_is_not_there_not(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"x" * 1_000_000)
    once = used(tmp_path)
    assert 1_000_000 <= once <= 1_100_000
    os.link(tmp_path / "one", tmp_path / "another")
    os.symlink(tmp_path, tmp_path / "round")
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    assert once <= used(tmp_path) <= once + 3 * ENTRY_BYTES + 8192


def test_nothing_is_hidden_by_depth(tmp_path: Path) -> None:
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)
        for _ in range(60):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
        with open("deep", "wb") as file:
            file.write(b"x" * 1_000_000)
    finally:
        os.fchdir(before)
        os.close(before)
    assert used(tmp_path) > 1_000_000


def test_a_disk_that_fills_is_looked_at_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The real disk is everybody's: another test that removes its files in this moment hides what this one has written.
    disk = SimpleNamespace(free=100_000_000_000, size=200_000_000_000, files_free=1_000_000, files=2_000_000)
    monkeypatch.setattr("folkmoot.system.processes.bounds.Room", lambda places: disk)
    monkeypatch.setattr("folkmoot.system.processes.bounds.WALK_SLICE", 60.0)
    bounds = Bounds({"disk": 1_000_000, "places": [str(tmp_path)]})
    (tmp_path / "large").write_bytes(b"x" * 4_000_000)
    assert bounds.over(set()) == ""  # the disk has not been seen to fill, so nobody has walked
    disk.free -= 4_000_000
    assert bounds.over(set()) == "disk"


@pytest.mark.skipif(not groups.above(), reason="no control group can be made here")
@pytest.mark.attack(
    "limits", "an agent forks faster than anybody can look", "the kernel refuses it; the run is ended and named"
)
def test_a_tree_that_forks_without_end_is_held_by_the_kernel() -> None:
    most = 40
    launch = Launch(argv=[sys.executable, "-I", "-S", "-c", BOMB], env={}, cwd="/", bounds={"processes": most})
    with closing(SystemKeeper()) as keeper:
        ended, out, _ = run_to_end(keeper, launch, 60.0, 10_000)
        assert ended.limit == "processes"
    if out:  # else the warden was quicker
        assert int(out.split()[-1]) <= most * groups.TASKS
