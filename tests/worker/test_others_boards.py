"""A board that another user of the machine has left above the folder in which moot is called."""

import os
from pathlib import Path

import pytest

from folkmoot import Board
from folkmoot.errors import Refused
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.reading import check_owner


def made(folder: Path) -> Path:
    folder.mkdir()
    Board.boards = FileBoards()
    Board.create(str(folder)).close()
    (folder / "below").mkdir()
    return folder / ".moot"


@pytest.mark.attack(
    "board",
    "another user leaves a board in a folder above, such as one that all may write",
    "it is refused unless it is named: its flow would decide what is run",
)
@pytest.mark.parametrize("whose", [".moot", ".moot/board.db"])
def test_a_board_of_another_user_is_taken_only_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    home = made(tmp_path / "project")
    monkeypatch.chdir(home.parent / "below")
    FileBoards().open(None).close()
    monkeypatch.setattr(os, "geteuid", lambda: os.lstat(home).st_uid + 1)
    with pytest.raises(Refused) as told:
        FileBoards().open(None)
    assert told.value.code == "board_of_another" and told.value.details["board"] == str(home.parent)
    FileBoards().open(str(home)).close()


def test_root_by_sudo_may_use_the_callers_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.lstat(tmp_path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "lstat", lambda path: os.stat_result((0o40700, 0, 0, 1, owner + 7, 0, 0, 0, 0, 0)))
    for caller, is_theirs in ((str(owner + 7), True), (str(owner + 8), False), ("none", False), ("", False)):
        monkeypatch.setenv("SUDO_UID", caller)
        if is_theirs:
            check_owner([str(tmp_path)])
        else:
            with pytest.raises(Refused, match="belongs to another user"):
                check_owner([str(tmp_path)])
