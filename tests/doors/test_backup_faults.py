"""Backups when something in the board's folder is not as it should be, as people meet it."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from folkmoot import Board
from tests.doors.conftest import Moot
from tests.doors.test_backup import elsewhere, git
from tests.store.test_keeping_faults import flip_in_log

pytestmark = pytest.mark.embedded("a board in a file is kept and brought back by moot, one on a server by the server")


def killed(moot: Moot) -> Moot:
    """The board in another folder, as it is when a process is killed that has written to it; then a bit has flipped."""
    other = elsewhere(moot)
    with Board(Board.open(str(moot.folder))._application) as board:
        for number in range(8):
            board.add(f"Later {number}")
        shutil.copytree(moot.folder / ".moot", other.folder / ".moot")
    (other.folder / ".moot" / "board.db-shm").unlink()
    flip_in_log(other.folder / ".moot" / "board.db")
    return other


def test_a_damaged_log_of_changes_is_told_and_kept(moot: Moot) -> None:
    moot("add", "One")
    kept = moot.json("backup")["path"]
    other = killed(moot)
    bytes_of_it = (other.folder / ".moot" / "board.db-wal").read_bytes()
    for command in (["backup"], ["export", "log.jsonl"]):
        error = other(*command, "--json", code=4).error
        assert error["code"] == "store_damaged" and error["hint"].endswith(f"moot restore {kept}")
    assert not (other.folder / "log.jsonl").exists()
    back = other.json("restore")
    assert back["backup"] is None and "breaks off" in back["notes"][0]
    assert (other.folder / back["set_aside"] / "board.db-wal").read_bytes() == bytes_of_it
    assert [item["title"] for item in other.json("list")["items"]] == ["One"]
    other("doctor")


def test_up_to_where_a_damaged_log_breaks_off_the_board_can_go_back(moot: Moot) -> None:
    moot("add", "One")
    other = killed(moot)
    back = other.json("restore", "--at", "6")
    assert back["at"] == 6 and (other.folder / back["set_aside"] / "board.db-wal").exists()
    assert [item["title"] for item in other.json("list")["items"]] == ["One", "Later 0"]
    other("doctor")


@pytest.mark.parametrize("what", ["nothing", "half"])
def test_a_repository_that_is_none_stops_neither_backup_nor_restore(moot: Moot, what: str) -> None:
    repository = moot.folder / ".moot" / "repo.git"
    git(moot.folder, "init", "-q", "--bare", "good.git")
    made = git(moot.folder / "good.git", "commit-tree", git(moot.folder / "good.git", "mktree"), "-m", "work")
    git(moot.folder / "good.git", "update-ref", "refs/moot/items/1", made)
    shutil.copytree(moot.folder / "good.git", repository)
    moot("backup", "good.moot")
    shutil.rmtree(repository)
    repository.mkdir()
    if what == "half":
        (repository / "objects").mkdir()
    kept = moot("backup", "other.moot")
    assert "note: the work in git is not in the backup: git for-each-ref" in kept.err
    assert moot.json("restore", "other.moot")["missing"] == []
    back = moot.json("restore", "good.moot")
    assert any("was no repository: it was set aside" in note for note in back["notes"])
    assert git(repository, "rev-parse", "refs/moot/items/1") == made
    assert (moot.folder / back["set_aside"] / "repo.git").is_dir()


def test_what_a_backup_cannot_hold_is_named_and_the_rest_is_kept(moot: Moot) -> None:
    home = moot.folder / ".moot"
    (home / "a\\b").write_text("odd")
    Path(os.fsdecode(os.fsencode(home) + b"/caf\xe9.md")).write_text("odd")
    (moot.folder.parent / "outside.md").write_text("of others")
    (home / "far.md").symlink_to("../../outside.md")
    (home / "folder").symlink_to("prompts")
    (home / "own").symlink_to("board.db")
    os.mkfifo(home / "pipe")
    (moot.folder / "shared.md").write_text("ours")
    (home / "near.md").symlink_to("../shared.md")
    kept = moot.json("backup", "kept.moot")
    assert [words.split(":")[0] for words in kept["left_out"]] == [
        "a\\b",
        "caf\\xe9.md",
        "far.md",
        "folder",
        "own",
        "pipe",
    ]
    assert "note: not in the backup: far.md: it is a link to a file outside" in moot("backup").err
    moot("restore", "--at", "2")
    other = elsewhere(moot)
    files = other.json("restore", str(moot.folder / "kept.moot"))["files"]
    assert "near.md" in files and (other.folder / ".moot" / "near.md").read_text() == "ours"
    assert not {"far.md", "folder", "own", "pipe"} & set(os.listdir(other.folder / ".moot"))


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_who_may_do_what_with_a_file_comes_back_with_it(moot: Moot) -> None:
    modes = {"check.sh": 0o750, "secret.env": 0o600, "open.txt": 0o644}
    for name, mode in modes.items():
        (moot.folder / ".moot" / name).write_text(name)
        (moot.folder / ".moot" / name).chmod(mode)
    moot("backup", "kept.moot")
    other = elsewhere(moot)
    other("restore", str(moot.folder / "kept.moot"))
    assert {name: mode_of(other.folder / ".moot" / name) for name in modes} == modes
    (moot.folder / ".moot" / "check.sh").chmod(0o600)
    assert moot.json("restore", "kept.moot")["files"] == ["check.sh"]
    assert mode_of(moot.folder / ".moot" / "check.sh") == 0o750


def test_files_come_back_into_the_boards_folder_and_nowhere_else(moot: Moot) -> None:
    home, shared = moot.folder / ".moot", moot.folder / "shared"
    (home / "notes").mkdir()
    (home / "notes" / "x").write_text("x")
    moot("backup", "kept.moot")
    shutil.move(home / "prompts", shared)
    (home / "prompts").symlink_to("../shared")
    (shared / "dev-agent.md").write_text("edited outside")
    shutil.rmtree(home / "notes")
    (home / "notes").write_text("a file now")
    prompts = set(os.listdir(shared))
    back = moot.json("restore", "kept.moot")
    assert (shared / "dev-agent.md").read_text() == "edited outside" and set(os.listdir(shared)) == prompts
    assert not (home / "prompts").is_symlink() and set(os.listdir(home / "prompts")) == prompts
    assert (home / "notes" / "x").read_text() == "x"
    aside = moot.folder / back["set_aside"]
    assert (aside / "notes").read_text() == "a file now" and (aside / "prompts").is_symlink()
    assert sorted(back["notes"]) == [
        "not in the backup that undoes this: prompts: it is a link, and not to a file",
        "notes was a file and is a folder in the backup: it was set aside",
        "prompts was a link and is a folder in the backup: it was set aside",
    ]
    moot("doctor")


def test_a_folder_that_is_a_link_stays_while_nothing_in_it_differs(moot: Moot) -> None:
    home, shared = moot.folder / ".moot", moot.folder / "shared"
    moot("backup", "kept.moot")
    shutil.move(home / "prompts", shared)
    (home / "prompts").symlink_to("../shared")
    (shared / "dev-agent.md").chmod(0o640)
    back = moot.json("restore", "kept.moot")
    assert back["files"] == [] and (home / "prompts").is_symlink()
    assert mode_of(shared / "dev-agent.md") == 0o640
