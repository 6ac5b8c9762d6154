"""Which files of the user's keep landed work beside its branch: each is named, as long as it is so."""

import subprocess
from pathlib import Path

import pytest

from folkmoot.wiring.git_status import in_the_way, unmerged_branch


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=u", "-c", "user.email=u@example.org")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository in which work has landed beside its branch: `new.txt` is on `moot/main` only."""
    folder = tmp_path / "project"
    (folder / ".moot").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("a\n")
    git(folder, "add", "a.txt")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "checkout", "-q", "-b", "moot/main")
    (folder / "new.txt").write_text("new\n")
    git(folder, "add", "new.txt")
    git(folder, "commit", "-q", "-m", "work")
    git(folder, "checkout", "-q", "main")
    git(folder, "clone", "-q", "--bare", ".", ".moot/repo.git")
    git(folder / ".moot" / "repo.git", "update-ref", "refs/moot/beside/main", "refs/heads/moot/main")
    return folder


def changed(folder: Path) -> None:
    (folder / "a.txt").write_text("the user is writing\n")


def staged(folder: Path) -> None:
    changed(folder)
    git(folder, "add", "a.txt")


def unknown(folder: Path) -> None:
    (folder / "new.txt").write_text("mine\n")


def both(folder: Path) -> None:
    changed(folder)
    unknown(folder)


def ignored(folder: Path) -> None:
    (folder / ".git" / "info" / "exclude").write_text("*.txt\n")
    unknown(folder)


def elsewhere(folder: Path) -> None:
    (folder / "other.txt").write_text("git does not know it, and the work does not need its place\n")


WAYS = {
    changed: ["a.txt"],
    staged: ["a.txt"],
    unknown: ["new.txt"],
    ignored: ["new.txt"],
    both: ["new.txt", "a.txt"],
    elsewhere: [],
}


@pytest.mark.ledger("R-19")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_file_that_is_in_the_way_is_named(project: Path, way: object) -> None:
    home = str(project / ".moot")
    assert unmerged_branch(home, "main") == "moot/main" and in_the_way(home, "main") == []
    assert callable(way)
    way(project)
    assert in_the_way(home, "main") == WAYS[way]
    assert not list((project / ".moot").glob("look-*")), "nothing is left of the look"


@pytest.mark.ledger("R-19")
def test_a_filter_of_the_users_is_not_run_for_a_look(project: Path) -> None:
    git(project, "config", "filter.mine.clean", f"touch {project}/ran; cat")
    (project / ".git" / "info" / "attributes").write_text("*.txt filter=mine\n")
    changed(project)
    assert in_the_way(str(project / ".moot"), "main") == ["a.txt"]
    assert not (project / "ran").exists()
