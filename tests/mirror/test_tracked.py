"""What git tracks is no word of anybody's: it is shown, left where it is, and not taken in (R-04)."""

import json
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.machine import Mirrored
from folkmoot.mirror.folder import Folder
from folkmoot.mirror.tracked import Tracked
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.mirroring.apart import mirrors_of, tracked_in
from tests.acceptance.moot import Moot, new_board
from tests.worker.yard import git

REPORT = json.dumps({"agent": "planner", "item": "1", "outcome": "done", "summary": "planned"})


@pytest.fixture
def moot(tmp_path: Path) -> Moot:
    git(tmp_path, "init", "-q", "-b", "main", ".")
    made = new_board(tmp_path, "handoff")
    made("add", "Add user auth")
    made("mirror")
    return made


def once(folder: Path) -> tuple[Mirrored, list[str]]:
    """The mirror, once: what it did, and what it told."""
    board, told = FileBoards().open(str(folder)), list[str]()
    try:
        return FileBoards().mirror(board, None, watch=False, tell=told.append), told
    finally:
        board.close()


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("how", ["staged", "committed", "gone from the index", "in another case"])
def test_what_git_tracks_is_not_taken_in(tmp_path: Path, moot: Moot, how: str) -> None:
    drop = tmp_path / ".claude/inbox/1.json"
    drop.write_text(REPORT)
    git(tmp_path, "add", "-f", ".claude/inbox/1.json")
    if how != "staged":
        git(tmp_path, "commit", "-q", "-m", "as if it had landed")
    if how == "gone from the index":  # as in the moment in which a branch has moved, and its index not yet
        git(tmp_path, "rm", "-q", "--cached", ".claude/inbox/1.json")
    if how == "in another case":  # what a file system that folds names shows as the same file
        git(tmp_path, "mv", ".claude/inbox/1.json", ".claude/inbox/A.JSON")
        (tmp_path / ".claude/inbox/A.JSON").rename(tmp_path / ".claude/inbox/a.json")
        drop = tmp_path / ".claude/inbox/a.json"
    done, told = once(tmp_path)
    assert (done.taken_in, done.rejected) == (0, 1)
    name = drop.relative_to(tmp_path)
    words = f"git tracks {name}, so it is not taken in: what a commit brings is no word of whom it names"
    assert told == [f"{words}; if it is yours, `git rm --cached {name}`, and write it again"]
    assert moot("show", "1")["column"] == "plan" and drop.read_text() == REPORT
    git(tmp_path, "rm", "-rq", "--cached", "--ignore-unmatch", ".claude")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "it is a person's")
    done, told = once(tmp_path)
    assert done.taken_in == 1 and told == [] and not drop.exists()


@pytest.mark.ledger("R-04")
def test_a_shown_file_that_git_tracks_is_restored(tmp_path: Path, moot: Moot) -> None:
    shown = tmp_path / ".claude/kanban/1.yaml"
    before = shown.read_text("utf-8")
    git(tmp_path, "add", "-f", ".claude/kanban/1.yaml")
    shown.write_text(before.replace("Add user auth", "Something else"), "utf-8")
    done, _ = once(tmp_path)
    assert (done.taken_in, done.rejected) == (0, 1)
    assert shown.read_text("utf-8") == before and moot("show", "1")["title"] == "Add user auth"
    assert "git tracks .claude/kanban/1.yaml" in (tmp_path / ".claude/rejected/1.yaml.why.txt").read_text("utf-8")


def test_a_file_that_came_after_git_was_asked_is_asked_about_again(tmp_path: Path) -> None:
    """A landing may put a file in place while a pass is under way."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    asked: list[list[str]] = []
    landed: set[str] = set()

    def ask(paths: Any) -> set[str]:
        asked.append(list(paths))
        return landed & {*paths}

    folder = Folder(str(tmp_path))
    tracked = Tracked(folder, ask)
    with folder.opened():
        tracked.begin(["a", "b"])
        seen = {name: folder.look(name) for name in ("a", "b")}
        assert not tracked.has("a", seen["a"]) and not tracked.has("b", seen["b"])
        assert asked == [["a", "b"]], "once for all"
        (tmp_path / "b").unlink()
        (tmp_path / "new").write_text("landed")
        (tmp_path / "new").rename(tmp_path / "b")
        landed.add("b")
        assert tracked.has("b", folder.look("b")) and asked[1:] == [["b"]]


def test_where_there_is_no_repository_nothing_is_tracked(tmp_path: Path) -> None:
    new_board(tmp_path, "handoff")("mirror")
    assert tracked_in(str(tmp_path / ".moot"), str(tmp_path / ".claude"))(["inbox/1.json"]) == set()


def test_a_folder_is_a_mirror_until_its_files_are_deleted(tmp_path: Path, moot: Moot) -> None:
    home = str(tmp_path / ".moot")
    moot("mirror", "--dir", str(tmp_path / "shown/here"))
    assert {*mirrors_of(home, None)} == {str(tmp_path / ".claude"), str(tmp_path / "shown/here")}
    (tmp_path / "shown/here/.moot-mirror").unlink()
    assert mirrors_of(home, None) == [str(tmp_path / ".claude")]
    assert mirrors_of(home, "other") == [str(tmp_path / name) for name in ("other", ".claude")]
