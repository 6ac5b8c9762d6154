"""What a process that was killed leaves in the board's folder is removed, and nothing that belongs to a living one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.worker import removing
from folkmoot.worker.removing import is_alive, is_left, maker
from tests.worker.yard import Yard, git

MAKES = """
import os, signal, sys, tempfile
from folkmoot.worker.git import clone
real = tempfile.mkdtemp
def killed(*args, **named):
    real(*args, **named)
    os.kill(os.getpid(), signal.SIGKILL)
tempfile.mkdtemp = killed
from folkmoot.wiring.running import open_repository
kind, home = sys.argv[1:]
made = open_repository(home, "main")
if kind == "spare":
    clone.Clones(made).prepare_spare(made.tip("main"))
"""


def left(folder: Path) -> list[str]:
    names = [path.name for path in folder.iterdir() if path.name.startswith(("look-", "repo.git."))]
    return names + [path.name for path in (folder / "spares").glob(".making-*")]


@pytest.mark.attack("damage", "a process is killed over a folder that it makes aside", "the next worker removes it")
@pytest.mark.parametrize("kind", ["repo", "spare"])
def test_what_is_made_aside_does_not_stay(kind: str, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    home = yard.folder / ".moot"
    if kind == "spare":
        yard.run()  # makes the repository, so that only the spare is left half made
    ran = subprocess.run([sys.executable, "-c", MAKES, kind, str(home)])
    assert ran.returncode == -signal.SIGKILL
    assert len(left(home)) == 1
    yard.run()
    assert left(home) == []


@pytest.mark.attack(
    "damage", "a look at the work tree is killed", "its copy of the index is removed, a living one's is not"
)
def test_a_look_that_was_killed_does_not_stay(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    home = yard.folder / ".moot"
    code = "import sys, tempfile\nfrom folkmoot.worker.removing import maker\n"
    code += "print(tempfile.mkdtemp(prefix=f'look-{maker()}-', dir=sys.argv[1]), flush=True)\n"
    dead = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    code += "sys.stdin.read()\n"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as living:
        assert living.stdout is not None
        kept = living.stdout.readline().strip()
        yard.run()
        assert [str(home / name) for name in left(home)] == [kept]
        assert dead.stdout.strip() != kept
        living.kill()
    yard.run()
    assert left(home) == []


@pytest.mark.attack("damage", "another process gets the number of a killed worker", "what the worker left is removed")
def test_a_number_that_is_used_again_keeps_nothing(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    folder = yard.folder / ".moot" / "runs" / "r-left"
    (folder / "home").mkdir(parents=True)
    pid, started, boot = maker().split(".")
    (folder / "owner").write_text(f"{pid}.{int(started) - 1}.{boot}")
    yard.run()
    assert not (folder / "home").exists()


def test_who_made_it_is_known_by_number_time_and_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    pid, started, boot = maker().split(".")
    assert is_alive(maker()) and is_alive(pid)
    assert not is_alive(f"{pid}.{int(started) + 1}.{boot}") and not is_alive(f"{pid}.{started}.00000000")
    assert not is_alive("") and not is_alive("x") and not is_alive("4194305.1." + boot)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    mark = f"{child.pid}.{removing._started(child.pid)}.{boot}"
    assert is_alive(mark)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(mark)  # dead, and not yet waited for
    child.wait()


def test_a_folder_of_an_older_version_is_left_when_it_is_old(tmp_path: Path) -> None:
    folder = tmp_path / "look-ab12cd_3"
    folder.mkdir()
    os.utime(folder, (1000, 1000))
    assert is_left(str(folder), "look-", 1001)
    assert not is_left(str(folder), "look-", 1000) and not is_left(str(folder), "look-", None)
    assert not is_left(str(tmp_path / "look-ab12cd_4"), "look-", 1001)


@pytest.mark.attack("damage", "a user moves the board's repository away within its folder", "no worker removes it")
def test_a_repository_that_was_moved_away_stays(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    for name in ("repo.git.old", "repo.git.20260101", "look-at-me"):
        (yard.folder / ".moot" / name).mkdir()
        os.utime(yard.folder / ".moot" / name, (1, 1))
    yard.run()
    assert sorted(left(yard.folder / ".moot")) == ["look-at-me", "repo.git.20260101", "repo.git.old"]


def test_what_a_board_makes_aside_is_no_part_of_the_project(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    home = yard.folder / ".moot"
    before = git(yard.folder, "status", "--porcelain", "-uall")
    for name in (f"look-{maker()}-x", f"repo.git.{maker()}-x"):
        (home / name).mkdir()
        (home / name / "index").write_text("x")
    (home / "notified").write_text("q1\n")
    assert git(yard.folder, "status", "--porcelain", "-uall") == before
