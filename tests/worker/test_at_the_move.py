"""What holds at the very move of a branch: proofs, rights and holds as they are then; and what an agent can read."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.worker.git.repository import REACHED
from tests.worker.yard import Yard, git

SECRETS = ("PRIVATE-BRANCH-5512", "STASHED-UNTRACKED-77421", "STAGED-ONLY-93187")
STEAL = (
    "shell git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)' | grep blob | cut -d' ' -f1"
    " | git cat-file --batch > stolen.txt; true"
)


def once(wanted: str, do: Callable[[], object]) -> Callable[[str, str], None]:
    done: list[str] = []

    def step(name: str, run: str) -> None:
        if name == wanted and not done:
            done.append(run)
            do()

    return step


@pytest.mark.attack(
    "fence",
    "A gate gets a stricter command after a landing was written down, before its branch moves",
    "It is asked again in the transaction that moves the branch: the gate runs by its new command",
)
def test_a_gate_that_is_stricter_by_the_move_counts(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "true"])
    item = yard.add("one", "write w.txt EVIL", "report done")
    flow = yard.folder / ".moot/flow.yaml"

    def stricter() -> None:
        flow.write_text(flow.read_text().replace("'true'", "'! grep -q EVIL w.txt'"))
        yard.board.boards.apply(str(yard.folder), {}, ENGINE)

    yard.run(step=once("move", stricter))
    assert "w.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    assert yard.status(item) != "done"
    yard.doctor()


@pytest.mark.attack(
    "fence",
    "Somebody locks a path after a landing on it was written down, before its branch moves",
    "The landing waits until the lock is given up",
)
def test_a_path_that_is_locked_by_the_move_is_waited_for(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "write w.txt w", "report done")
    yard.run(step=once("move", lambda: yard.board.lock("w.txt")))
    assert yard.status(item) != "done" and "w.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    yard.board.unlock("w.txt")
    yard.run()
    assert yard.status(item) == "done" and yard.landed("w.txt") == "w"
    yard.doctor()


def hide(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "private")
    (folder / "p").write_text(SECRETS[0])
    git(folder, "add", "p")
    git(folder, "commit", "-q", "-m", "p")
    git(folder, "checkout", "-q", "main")
    (folder / ".env").write_text(SECRETS[1])
    git(folder, "stash", "push", "-q", "-u", "--", ".env")
    (folder / "secrets.yml").write_text(SECRETS[2])
    git(folder, "add", "secrets.yml")
    git(folder, "gc", "-q")
    git(folder, "rm", "-q", "--cached", "secrets.yml")
    (folder / "secrets.yml").unlink()


@pytest.mark.attack(
    "sandbox",
    "An agent reads all objects that its clone borrows, for what the user has stashed, staged, or on another branch",
    "There is none of it: the engine's repository fetches what the target reaches, and no more",
)
@pytest.mark.parametrize("board", ["new", "of an older version"])
def test_what_the_target_does_not_reach_is_not_there(tmp_path: Path, board: str) -> None:
    yard = Yard(tmp_path / "yard")
    (yard.folder / ".git/info/exclude").write_text(".moot/\n")
    hide(yard.folder)
    ours = yard.folder / ".moot/repo.git"
    if board != "new":
        first = yard.add("first", "write f.txt f", "report done")
        yard.run()
        assert yard.status(first) == "done"
        for pack in (yard.folder / ".git/objects/pack").glob("pack-*"):
            if pack.suffix in (".pack", ".idx") and not (ours / "objects/pack" / pack.name).exists():
                os.link(pack, ours / "objects/pack" / pack.name)
        (ours / REACHED).unlink()
        words = ["git", "cat-file", "--batch", "--batch-all-objects"]
        everything = subprocess.run(words, cwd=ours, capture_output=True, check=True)
        assert all(secret.encode() in everything.stdout for secret in SECRETS)
    item = yard.add("one", STEAL, "report done")
    yard.run()
    assert yard.status(item) == "done"
    stolen = yard.landed("stolen.txt")
    assert "a project" in stolen and not [secret for secret in SECRETS if secret in stolen]
    assert board == "new" or yard.landed("f.txt") == "f"
