"""Where a repository keeps its files, when its git folder is not in them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.system.git import SystemGit
from folkmoot.worker.git.places import checked_out, find
from tests.worker.yard import Yard, git


def separate(folder: Path) -> tuple[Path, Path]:
    git(folder, "init", "-q", "-b", "main", "--separate-git-dir", str(folder / "apart.git"), "project")
    return folder / "project", folder / "apart.git"


def linked(folder: Path) -> tuple[Path, Path]:
    git(folder, "init", "-q", "-b", "main", "project")
    (folder / "project" / ".git").rename(folder / "apart.git")
    os.symlink("../apart.git", folder / "project" / ".git")
    return folder / "project", folder / "apart.git"


def named_dot_git(folder: Path) -> tuple[Path, Path]:
    git(folder, "init", "-q", "-b", "main", "project")
    (folder / "store").mkdir()
    (folder / "project" / ".git").rename(folder / "store" / ".git")
    os.symlink("../store/.git", folder / "project" / ".git")
    return folder / "project", folder / "store" / ".git"


def moved_setting(folder: Path) -> tuple[Path, Path]:
    """As `git sparse-checkout` leaves a submodule: where its files are stands in a file for this work tree alone."""
    project, apart = separate(folder)
    git(project, "config", "extensions.worktreeConfig", "true")
    git(project, "config", "--worktree", "core.worktree", "../project")
    return project, apart


MAKES = [separate, linked, named_dot_git, moved_setting]


@pytest.mark.attack(
    "tree",
    "a change has `hooks/post-commit` in it, and the repository's git folder lies apart from its files",
    "it lands among the files; the git folder is never taken for a work tree",
)
@pytest.mark.parametrize("make", MAKES)
def test_work_lands_among_the_files_and_not_in_the_git_folder(
    make: Callable[[Path], tuple[Path, Path]], tmp_path: Path
) -> None:
    project, apart = make(tmp_path)
    before = sorted(path.name for path in (apart / "hooks").iterdir())
    yard = Yard(project)
    item = yard.add("one", "write hooks/post-commit x", "report done")
    yard.run()
    assert yard.status(item) == "done"
    assert yard.landed("hooks/post-commit") == "x"
    assert (project / "hooks" / "post-commit").read_text() == "x\n"
    assert sorted(path.name for path in (apart / "hooks").iterdir()) == before
    assert git(project, "status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.parametrize("make", MAKES)
def test_an_empty_repository_is_found_where_its_files_are(
    make: Callable[[Path], tuple[Path, Path]], tmp_path: Path
) -> None:
    project, _ = make(tmp_path)
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    place = find(str(project))
    assert place is not None
    (tree,) = checked_out(SystemGit(), place, "main")
    assert os.path.realpath(tree.path) == os.path.realpath(project) and tree.at_work == ""


def test_files_that_cannot_be_found_are_left_alone(tmp_path: Path) -> None:
    """Asked from a linked work tree, nobody can tell where the main one is: its branch is not moved under it."""
    project, _ = separate(tmp_path)
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "worktree", "add", "-q", "-b", "other", "../other")
    place = find(str(tmp_path / "other"))
    assert place is not None
    (tree,) = checked_out(SystemGit(), place, "main")
    assert not tree.is_found
    yard = Yard(tmp_path / "other", plain=True)
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    assert yard.status(item) == "done"
    assert git(project, "rev-parse", "main") == git(project, "rev-parse", "other"), "main stays where it was"
    assert git(project, "show", "moot/main:a.txt") == "a"
    assert not (tmp_path / "apart.git" / "a.txt").exists() and not (project / "a.txt").exists()
