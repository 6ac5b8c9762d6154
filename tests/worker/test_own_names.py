"""Names that moot gives what it makes: no change of a run has one, and nothing is removed for its name alone."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.core.rules.running.rights import danger
from folkmoot.core.work import LINK, Touched
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.removing import remove_tree
from tests.worker.test_moving_trees import HALTED, made
from tests.worker.yard import Yard, git

DEAD = ".moot-bring-1.1.00000000.1-aaaaaaaa"  # as if a process had made it that is long dead
SPELLINGS = [
    f"{DEAD}/notes.txt",
    f"src/{DEAD}/notes.txt",
    ".Moot-Bring-1.1.00000000.1-aaaaaaaa/x",
    ".moot-\u200bbring-1.1.00000000.1-aaaaaaaa",
    "．moot-bring-1.1.00000000.1-aaaaaaaa",
    "MOOT-B~1/x",
    ".moot-x1y2.tmp",
    "docs/.MOOT-abc.tmp",
    ".moot-mirror",
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_name_of_moots_own_never_lands(path: str) -> None:
    assert danger(Touched(path, "created", "100644")) == "has a name that moot keeps for its own (`.moot-…`)"
    assert danger(Touched("link", "created", LINK, path)) is not None


@pytest.mark.parametrize("path", ["moot-bring/x", ".mooter", ".moots-x", "a.moot-b", "moot-notes.md", "src/moot-x.tmp"])
def test_other_names_land(path: str) -> None:
    assert danger(Touched(path, "created", "100644")) is None


@pytest.mark.attack(
    "tree",
    "a change brings a folder, or a link, with the name of one that a killed landing left",
    "it is refused; moot would take it for its own and remove it from the user's tree",
)
@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("how", ["folder", "link"])
def test_no_run_lands_what_would_be_taken_for_moots_own(tmp_path: Path, how: str) -> None:
    yard = Yard(tmp_path / "yard", files={"src/a.py": "x\n"})
    act = f"write {DEAD}/notes.txt x" if how == "folder" else f"shell ln -s src {DEAD}"
    item = yard.add("bring", act, "report done")
    yard.run()
    last = yard.show(item)["runs"][-1]
    assert (last["outcome"], last["cause"]) == ("failed", "conflict")
    assert f"{DEAD}{'/notes.txt' if how == 'folder' else ''} has a name that moot keeps for its own" in str(last)
    assert git(yard.folder, "status", "--short") == "?? .moot/" and not os.path.lexists(yard.folder / DEAD)
    left_out = FileBoards().salvage(yard.board._application, last["run"], None).left_out
    assert len(left_out) == 1 and left_out[0].startswith(DEAD)
    yard.close()


@pytest.mark.attack(
    "tree",
    "a folder, a tracked one or a link of the user's has the name of one that a killed landing left",
    "it stays: only what a landing of this board has noted is removed, and never through a link",
)
@pytest.mark.parametrize("how", ["folder", "tracked", "link"])
def test_what_no_landing_has_noted_is_not_removed(tmp_path: Path, how: str) -> None:
    yard = Yard(tmp_path / "yard", files={"src/a.py": "x\n"})
    yard.add("one", "write b.txt x", "report done")
    (yard.folder / "src").chmod(0o755)
    there = yard.folder / DEAD
    if how == "link":
        there.symlink_to("src")
    else:
        there.mkdir()
        (there / "notes.txt").write_text("mine\n")
    if how == "tracked":
        git(yard.folder, "add", "-A")
        git(yard.folder, "commit", "-q", "-m", "mine")
    yard.run()
    assert os.path.lexists(there) and (how == "link" or (there / "notes.txt").read_text() == "mine\n")
    assert stat.S_IMODE((yard.folder / "src").stat().st_mode) == 0o755
    assert [told.words for told in yard.told if told.what == "fault"] == []
    yard.close()


@pytest.mark.parametrize("how", ["link", "tracked"])
def test_what_is_noted_and_is_not_what_was_made_is_not_removed(tmp_path: Path, how: str) -> None:
    """A landing was killed; since then the user has put something else in that place, or has committed it."""
    yard, _ = made(tmp_path / "yard")
    subprocess.run([sys.executable, HALTED, str(yard.folder), "landed", "kill"], check=False, capture_output=True)
    (left,) = (yard.folder / ".moot").glob(".moot-bring-*")
    there = yard.folder / left.name
    remove_tree(str(left))
    mine = yard.folder / "mine"
    mine.mkdir(mode=0o755)
    (mine / "x").write_text("mine\n")
    if how == "link":
        there.symlink_to("mine")
    else:
        mine.rename(there)
        (yard.folder / ".git/index.lock").unlink()
        git(yard.folder, "add", "-f", left.name)
    yard.run()
    assert (there / "x").read_text() == "mine\n"
    assert stat.S_IMODE((yard.folder / there).stat().st_mode) == 0o755
    yard.close()


def test_deleting_a_tree_changes_no_mode_behind_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(outside)
    with pytest.raises(NotADirectoryError):
        remove_tree(str(tmp_path / "link"))
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755 and outside.is_dir()
