"""The last word to git: short, once, and without a trace where it is not given."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.system.git import SystemGit
from folkmoot.worker.git.swap import NotMoved, Stale, Swap
from tests.worker.git.ground import Ground, plain

HANGS = """#!/bin/sh
case "$*" in
*--stdin*) exec sh -c 'read a; echo start: ok; read b; read c; exec sleep 60' ;;
*) exec {git} "$@" ;;
esac
"""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def swap_of(ground: Ground, files: dict[str, str]) -> tuple[Swap, str]:
    old, new = ground.repository.tip(), ground.worked(files)
    ground.repository.give(new)
    return Swap(ground.repository, "main", old, new, "moot: landed"), new


def locks(ground: Ground) -> list[Path]:
    return list((ground.user / ".git/refs").rglob("*.lock"))


@pytest.mark.ledger("R-19")
def test_nothing_moves_before_the_last_word_and_nothing_is_locked(ground: Ground) -> None:
    swap, new = swap_of(ground, {"a.txt": "new\n"})
    old = ground.tip()
    swap.ready()
    assert ground.tip() == old and locks(ground) == []
    swap.make(new)
    swap.make(new)  # again: nothing
    assert ground.tip() == new and locks(ground) == []
    swap.drop()


def test_who_hangs_up_moves_nothing(ground: Ground) -> None:
    swap, new = swap_of(ground, {"a.txt": "new\n"})
    old = ground.tip()
    swap.ready()
    swap.drop()
    assert ground.tip() == old and locks(ground) == []
    with pytest.raises(NotMoved):
        swap.make(new)
    with pytest.raises(Unavailable, match="cannot be moved"):
        swap.look()


def test_another_commit_than_the_one_it_is_for_is_refused(ground: Ground) -> None:
    swap, _ = swap_of(ground, {"a.txt": "new\n"})
    swap.ready()
    with pytest.raises(NotMoved, match="not to"):
        swap.make("0" * 40)
    swap.drop()


def test_a_branch_that_moved_meanwhile_is_stale(ground: Ground) -> None:
    swap, new = swap_of(ground, {"a.txt": "new\n"})
    swap.ready()
    moved = ground.person_commits({"z.txt": "z\n"})
    with pytest.raises(NotMoved):
        swap.make(new)
    with pytest.raises(Stale):
        swap.look()
    assert ground.tip() == moved and locks(ground) == []


@pytest.mark.attack(
    "fence",
    "A git that was killed has left the lock of the branch behind",
    "The landing fails with git's own words and what to do, and the branch stays where it is",
)
def test_a_lock_that_was_left_is_told(ground: Ground) -> None:
    swap, new = swap_of(ground, {"a.txt": "new\n"})
    old = ground.tip()
    (ground.user / ".git/refs/heads/main.lock").touch()
    swap.ready()
    with pytest.raises(NotMoved):
        swap.make(new)
    with pytest.raises(Unavailable, match=r"main\.lock") as told:
        swap.look()
    assert told.value.code == "branch_stuck" and ".lock, remove that file" in told.value.hint and ground.tip() == old


@pytest.mark.attack(
    "fence",
    "Git hangs in the very step in which the branch moves, while the board waits for it",
    "It is ended within seconds, the report is undone, and the branch stays where it is",
)
def test_a_git_that_hangs_is_ended(ground: Ground, tmp_path: Path) -> None:
    swap, new = swap_of(ground, {"a.txt": "new\n"})
    old = ground.tip()
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin/git"
    wrapper.write_text(HANGS.format(git=subprocess.check_output(["which", "git"], text=True).strip()))
    wrapper.chmod(0o755)
    ground.repository.git = SystemGit(path=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    swap.ready()
    began = time.monotonic()
    with pytest.raises(NotMoved):
        swap.make(new)
    assert time.monotonic() - began < 30  # not the minute for which it sleeps
    with pytest.raises(Unavailable, match="cannot be moved"):
        swap.look()
    assert ground.tip() == old


def test_a_worker_that_is_killed_with_git_waiting_leaves_no_lock(ground: Ground) -> None:
    new = ground.worked({"a.txt": "new\n"})
    old = ground.tip()
    ground.repository.give(new)
    pid = os.fork()
    if pid == 0:
        swap = Swap(ground.repository, "main", old, new, "moot: landed")
        swap.ready()
        assert swap._talk is not None
        swap._talk.say("prepare")
        if swap._talk.hear(60) == "prepare: ok" and locks(ground):
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    until = time.monotonic() + 60
    while locks(ground) and time.monotonic() < until:
        time.sleep(0.02)
    assert locks(ground) == [] and ground.tip() == old
    plain(ground.user, "commit", "-q", "--allow-empty", "-m", "the user goes on")
