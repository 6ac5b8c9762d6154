"""The user's own git while a branch moves that is checked out: it waits, or is refused, and takes nothing back."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from folkmoot.worker.git.trees.placing import IN_HAND
from tests import forked
from tests.some import some
from tests.worker.yard import Yard, git

HALTED = str(Path(__file__).with_name("halted.py"))
MOOT = [sys.executable, "-m", "folkmoot"]
COMMIT, CHECKOUT = ("commit", "-q", "--allow-empty", "-m", "mine"), ("checkout", "feature")


def tried(folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid")
    return subprocess.run(["git", *names, *args], cwd=folder, env=env, capture_output=True, text=True, check=False)


def made(folder: Path) -> tuple[Yard, str]:
    yard = Yard(folder, files={"a.txt": "a\n"}, lease="3s")
    git(yard.folder, "branch", "feature")
    (yard.folder / ".git/info").mkdir(exist_ok=True)
    (yard.folder / ".git/info/exclude").write_text(".moot/\n")
    item = yard.add("one", "write many/b.txt b", "write a.txt changed", "report done")
    return yard, item


def files(yard: Yard, branch: str = "main") -> list[str]:
    return git(yard.folder, "ls-tree", "-r", "--name-only", branch).splitlines()


@pytest.mark.attack(
    "tree",
    "The user commits, stages or changes branch just after the target has moved, before index and files are along",
    "Git refuses: the tree has git's own lock from before the move until both are there. Nothing is taken back",
)
@pytest.mark.parametrize(
    "words, when",
    some(product([COMMIT, CHECKOUT], ["moved", "landed"]), [(COMMIT, "moved"), (CHECKOUT, "landed")]),
)
def test_git_waits_while_index_and_files_come_along(tmp_path: Path, words: tuple[str, ...], when: str) -> None:
    yard, item = made(tmp_path / "yard")
    said: list[str] = []

    def step(name: str, run: str) -> None:
        if name == when:
            ran = tried(yard.folder, *words)
            said.append(f"{ran.returncode} {ran.stderr}")

    yard.run(step=step)
    assert len(said) == 1 and not said[0].startswith("0 ") and "index.lock" in said[0]
    assert yard.status(item) == "done" and "many/b.txt" in files(yard)
    assert git(yard.folder, "status", "--short") == "" and git(yard.folder, "branch", "--show-current") == "main"
    assert tried(yard.folder, *words).returncode == 0
    assert (yard.folder / "a.txt").read_text() == ("a\n" if "checkout" in words else "changed\n")
    assert "many/b.txt" in files(yard) and git(yard.folder, "status", "--short") == ""
    yard.doctor()


@pytest.mark.attack(
    "tree",
    "A worker is killed after the target has moved and before index and files are along; then the user commits",
    "Git is locked until the next worker, or the next `moot` that writes, has finished it; `moot board` says so",
)
@pytest.mark.parametrize(
    "who, when",
    some(
        product(["worker", "command"], ["swap", "moved", "landed"]),
        [("command", "moved"), ("worker", "landed")],
    ),
)
def test_a_killed_move_is_finished_by_whoever_comes_next(tmp_path: Path, when: str, who: str) -> None:
    yard, item = made(tmp_path / "yard")
    was = git(yard.folder, "rev-parse", "main")
    subprocess.run([sys.executable, HALTED, str(yard.folder), when, "kill"], check=False, capture_output=True)
    moved = git(yard.folder, "rev-parse", "main") != was
    assert moved == (when != "swap")
    ran = tried(yard.folder, "commit", "-q", "--allow-empty", "-m", "mine")
    assert ("index.lock" in ran.stderr) == moved
    looked = forked.run(["board"], cwd=yard.folder, env=os.environ)
    assert ("was killed before the files" in looked.stderr.decode()) == moved
    if who == "worker":
        yard.run()
        assert yard.status(item) == "done"
    else:
        assert forked.run(["--as", "me", "comment", item, "hm"], cwd=yard.folder, env=os.environ).returncode == 0
    assert not (yard.folder / ".git/index.lock").exists()
    assert list((yard.folder / ".git").glob("moot-index-*")) == [] or (who == "command" and not moved)
    assert git(yard.folder, "status", "--short") == ""
    git(yard.folder, "commit", "-q", "--allow-empty", "-m", "mine")
    assert ("many/b.txt" in files(yard)) == (moved or who == "worker")


@pytest.mark.attack(
    "tree",
    "A worker is killed while files come along, and the user moves or copies the project before anything else",
    "The lock is known in the new place and finished there; another folder than this project's is not touched",
)
@pytest.mark.parametrize("how", some(["mv", "cp -a", "cp -r"], ["cp -r"]))
def test_a_killed_move_is_finished_where_the_project_is_now(tmp_path: Path, how: str) -> None:
    yard, _ = made(tmp_path / "yard")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    yard.board.close()
    now = tmp_path / "now"
    subprocess.run([*how.split(), str(yard.folder), str(now)], check=True)
    looked = forked.run(["board"], cwd=now, env=os.environ)
    assert f"before the files in {now} came along" in " ".join(looked.stderr.decode().split())
    subprocess.run([*MOOT, "run", "--until-idle"], cwd=now, check=True, capture_output=True)
    assert not list((now / ".git").glob("*index[.-]*lock")) and not list((now / ".git").glob("moot-index-*"))
    assert (now / "many/b.txt").read_text() == "b\n" and git(now, "status", "--short") == ""
    if how != "mv":
        assert (yard.folder / ".git/index.lock").exists() and not (yard.folder / "many").exists()


@pytest.mark.attack(
    "tree",
    "A worker is killed while files come to a linked work tree, which is then moved or removed",
    "Its index is the branch's, wherever it is; every later landing goes on",
)
@pytest.mark.parametrize("how", some(["move", "remove"], ["move"]))
def test_a_tree_that_went_away_holds_up_no_landing(tmp_path: Path, how: str) -> None:
    yard, _ = made(tmp_path / "yard")
    git(yard.folder, "checkout", "-q", "feature")
    linked, now = tmp_path / "linked", tmp_path / "now"
    git(yard.folder, "worktree", "add", "-q", str(linked), "main")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    if how == "move":
        git(yard.folder, "worktree", "move", str(linked), str(now))
    else:
        shutil.rmtree(linked)
    second = yard.add("two", "write c.txt c", "report done")
    yard.run()
    assert yard.status(second) == "done" and "many/b.txt" in files(yard) and "c.txt" in files(yard)
    assert not list((yard.folder / ".git/worktrees").glob("*/index.lock"))
    if how == "move":
        assert git(now, "status", "--short") == "" and (now / "many/b.txt").exists()


@pytest.mark.attack(
    "tree",
    "A worker is killed with files of the tree in hand",
    "The next one removes what git knows; what it does not know is kept, and told of",
)
def test_what_a_killed_move_had_in_hand_does_not_stay(tmp_path: Path) -> None:
    yard, _ = made(tmp_path / "yard")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    home = yard.folder / ".moot"
    (left,) = home.glob(".moot-bring-*")
    (left / "1").write_text("a\n")  # as git knows it
    lost = left.with_name(f"{left.name}x")
    lost.mkdir()
    (home / "repo.git" / IN_HAND / lost.name).touch()
    (lost / "1").write_text("changed in the last moment\n")
    (yard.folder / ".git" / f"moot-index-{left.name.removeprefix('.moot-bring-')}").write_text("")
    yard.run()
    assert list((home / "repo.git" / IN_HAND).iterdir()) == []
    assert list(home.glob(".moot-bring-*")) == [] and list((yard.folder / ".git").glob("moot-index-*")) == []
    (kept,) = (home / "set-aside").glob("moot-bring-*/1")
    assert kept.read_text() == "changed in the last moment\n"
    assert any("that git does not know, are in" in happening.words for happening in yard.told)


def test_a_lock_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    """Killed with the lock; the user removed it, as git advises, and another git of the user's has it now."""
    yard, item = made(tmp_path / "yard")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    lock = yard.folder / ".git/index.lock"
    lock.unlink()
    lock.write_text("the user's")
    yard.run()
    assert lock.read_text() == "the user's"
    lock.unlink()
    assert yard.status(item) == "done"


def test_a_branch_put_back_while_the_tree_is_locked_leaves_the_tree_at_the_old_one(tmp_path: Path) -> None:
    yard, _ = made(tmp_path / "yard")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    git(yard.folder, "update-ref", "refs/heads/main", "main~1")
    yard.run()
    assert git(yard.folder, "status", "--short") == "" and files(yard) == ["README.md", "a.txt"]


def test_the_user_stages_between_the_look_and_the_move_and_it_lands_aside(tmp_path: Path) -> None:
    yard, item = made(tmp_path / "yard")
    (yard.folder / "new.txt").write_text("mine\n")
    said: list[int] = []

    def step(name: str, run: str) -> None:
        if name == "swap" and not said:
            said.append(tried(yard.folder, "add", "new.txt").returncode)

    yard.run(step=step)
    assert said == [0] and yard.show(item)["landed_on"] == "moot/main"
    assert git(yard.folder, "status", "--short") == "A  new.txt"


def test_a_linked_tree_with_its_own_index_is_locked_and_the_others_are_not(tmp_path: Path) -> None:
    yard, item = made(tmp_path / "yard")
    git(yard.folder, "checkout", "-q", "feature")
    git(yard.folder, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    said: list[tuple[int, int]] = []

    def step(name: str, run: str) -> None:
        if name == "landed":
            words = ("commit", "-q", "--allow-empty", "-m", "mine")
            said.append((tried(yard.folder, *words).returncode, tried(tmp_path / "linked", *words).returncode))

    yard.run(step=step)
    assert len(said) == 1 and said[0][0] == 0 and said[0][1] != 0
    assert yard.status(item) == "done" and (tmp_path / "linked/many/b.txt").read_text() == "b\n"
    assert git(tmp_path / "linked", "status", "--short") == ""


@pytest.mark.parametrize("kind", ["split", "sparse", "untracked cache"])
def test_other_kinds_of_index_stay_whole(tmp_path: Path, kind: str) -> None:
    yard, item = made(tmp_path / "yard")
    match kind:
        case "split":
            git(yard.folder, "update-index", "--split-index")
        case "sparse":
            git(yard.folder, "sparse-checkout", "set", "--no-cone", "/a.txt")
        case "untracked cache":
            git(yard.folder, "update-index", "--force-untracked-cache")
    yard.run()
    branch = str(yard.show(item)["landed_on"])
    assert yard.status(item) == "done" and branch == ("main" if kind == "untracked cache" else "moot/main")
    assert "many/b.txt" in files(yard, branch) and git(yard.folder, "status", "--short") == ""
    git(yard.folder, "commit", "-q", "--allow-empty", "-m", "mine")
    assert ("many/b.txt" in files(yard)) == (branch == "main")
