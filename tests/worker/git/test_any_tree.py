"""Whatever becomes of files, links and folders: a clean tree of the user's is clean after a landing."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest

from tests.some import some
from tests.worker.git.ground import Ground, plain

LANDINGS = 20
NAMES = ("a", "b", "c")
LINKS = ("a", "b", "b/a", "../a", "nowhere")


def grow(folder: Path, chance: Random, depth: int = 0) -> None:
    """Fill a folder with files, links and folders whose names are few, so that they take each other's places."""
    for name in NAMES:
        at, kind = folder / name, chance.choice(("none", "file", "program", "link", "folder", "folder"))
        if kind == "folder" and depth < 2:
            at.mkdir()
            grow(at, chance, depth + 1)
            if not os.listdir(at):
                at.rmdir()  # git knows no empty folders
        elif kind == "link":
            at.symlink_to(chance.choice(LINKS))
        elif kind in ("file", "program"):
            at.write_text(f"{chance.randrange(3)}\n")
            at.chmod(0o755 if kind == "program" else 0o644)


def seen(top: Path) -> dict[str, str]:
    found = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in (".git", ".moot")]
        for name in (*files, *folders):
            path = Path(folder, name)
            if path.is_symlink():
                found[path.relative_to(top).as_posix()] = f"link to {os.readlink(path)}"
            elif path.is_file():
                found[path.relative_to(top).as_posix()] = f"{path.read_text()}, {os.access(path, os.X_OK)}"
    return found


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("seed", some(range(2), [0]))
def test_a_clean_tree_is_clean_after_any_landing(tmp_path: Path, seed: int) -> None:
    ground, chance = Ground(tmp_path, {"keep.txt": "x\n", ".gitignore": ".moot/\n"}), Random(seed)
    for number in range(LANDINGS):
        old, run = ground.repository.tip(), f"r{number}"
        workspace = ground.make(run)
        for name in NAMES:
            at = workspace / name
            shutil.rmtree(at) if at.is_dir() and not at.is_symlink() else at.unlink(missing_ok=True)
        grow(workspace, chance)
        (workspace / "keep.txt").write_text(f"{number}\n")
        wanted, work = seen(workspace), ground.snapshot(run, old).commit
        assert work is not None
        moved = ground.landing.move("main", old, work)
        assert (moved.branch, plain(ground.user, "status", "--short")) == ("main", ""), (number, moved)
        assert seen(ground.user) == wanted, number
