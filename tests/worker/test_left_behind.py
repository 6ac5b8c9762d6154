"""What a process that was killed leaves in the board's folder is removed, and nothing that belongs to a living one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from folkmoot.worker import removing
from folkmoot.worker.removing import forget_dead, is_alive, is_left, maker
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

TIDIES = """
import sys
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of
from folkmoot.worker.reclaim import forget_logins, reclaim
board = FileBoards().open(sys.argv[1])
with tools_of(board, sys.argv[1] + "/.moot", print) as tools:
    forget_logins(tools)
    reclaim(tools)
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
    code += "print(tempfile.mkdtemp(prefix=f'look-{maker(sys.argv[1])}-', dir=sys.argv[1]), flush=True)\n"
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
    pid, started, *rest = maker(str(yard.folder / ".moot")).split(".")
    (folder / "owner").write_text(".".join([pid, str(int(started) - 1), *rest]))
    yard.run()
    assert not (folder / "home").exists()


def test_who_made_it_is_known_by_number_time_and_boot(tmp_path: Path) -> None:
    home = str(tmp_path)
    pid, started, boot, _ = maker(home).split(".")
    for mark in (maker(home), pid, f"{pid}.{started}.{boot}"):
        assert is_alive(mark, home)
    for mark in (f"{pid}.{int(started) + 1}.{boot}", f"{pid}.{started}.00000000", "", "x", f"4194305.1.{boot}"):
        assert not is_alive(mark, home)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    mark = f"{child.pid}.{removing._started(child.pid)}.{boot}"
    assert is_alive(mark, home)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(mark, home)  # dead, and not yet waited for
    child.wait()


def test_who_lives_in_another_namespace_is_known_by_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys\nfrom folkmoot.worker import removing\nremoving._namespace = lambda: 7\n"
    code += "print(removing.maker(sys.argv[1]), flush=True)\nsys.stdin.read()\n"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        mark = other.stdout.readline().strip()
        monkeypatch.setattr(removing, "_started", lambda pid: None)  # its number says nothing here
        forget_dead(str(tmp_path))
        assert mark.endswith(".7") and is_alive(mark, str(tmp_path))
        other.kill()
        other.wait()
        assert not is_alive(mark, str(tmp_path))
        forget_dead(str(tmp_path))
        assert os.listdir(tmp_path / "spares" / ".alive") == []


@pytest.mark.attack(
    "damage",
    "a second worker is in another process namespace (a container), beside a run that works",
    "the run keeps its folders; what it writes after its report is not lost",
)
@pytest.mark.parametrize("acts", [[], ['shell echo \'{"outcome": "done"}\' | moot report -']])
def test_a_worker_in_another_namespace_is_no_dead_one(tmp_path: Path, acts: list[str]) -> None:
    if subprocess.run(["unshare", "-p", "-f", "--mount-proc", "true"], capture_output=True, check=False).returncode:
        pytest.skip("NOT TESTED: namespaces of processes cannot be made here")
    yard = Yard(tmp_path / "yard", more="sandbox: never")
    flow = yard.folder / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text().replace("limits: {", "limits: {after_report: 30s, "))
    seen = tmp_path / "seen"
    wait = f"shell echo precious > $HOME/state; touch {seen}; while [ ! -e {seen}.go ]; do sleep 0.1; done"
    item = yard.add("one", "write a.txt a", *acts, wait, "shell cat $HOME/state", "report done")
    moot = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]
    with subprocess.Popen(moot, cwd=yard.folder, stdout=subprocess.DEVNULL) as first:
        while not seen.exists():
            assert first.poll() is None
            time.sleep(0.05)
        tidied = ["unshare", "-p", "-f", "--mount-proc", sys.executable, "-c", TIDIES, str(yard.folder)]
        subprocess.run(tidied, check=True, capture_output=True)
        (tmp_path / "seen.go").touch()
    assert "precious" in yard.output(yard.show(item)["runs"][0]["run"])
    assert yard.status(item) == "done"


def test_a_folder_of_an_older_version_is_left_when_it_is_old(tmp_path: Path) -> None:
    folder, home = tmp_path / "look-ab12cd_3", str(tmp_path)
    folder.mkdir()
    os.utime(folder, (1000, 1000))
    assert is_left(str(folder), "look-", 1001, home)
    assert not is_left(str(folder), "look-", 1000, home) and not is_left(str(folder), "look-", None, home)
    assert not is_left(str(tmp_path / "look-ab12cd_4"), "look-", 1001, home)


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
    mark = maker(str(home))
    for name in (f"look-{mark}-x", f"repo.git.{mark}-x"):
        (home / name).mkdir()
        (home / name / "index").write_text("x")
    (home / "notified").write_text("q1\n")
    assert git(yard.folder, "status", "--porcelain", "-uall") == before
