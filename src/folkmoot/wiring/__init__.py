"""The composition root and the entry point: puts the parts together and starts the command line."""

import sys
from typing import TYPE_CHECKING

from folkmoot import __version__

if TYPE_CHECKING:
    from folkmoot.doors.board import Board


def main() -> None:
    """The entry point of the command `moot`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Answered before anything is imported: agents call this to see whether we are here.
        print(f"moot {__version__}")
        return
    import os

    from folkmoot.config import read_settings
    from folkmoot.doors.cli.main import run
    from folkmoot.wiring.boards import FileBoards

    sys.exit(run(sys.argv[1:], FileBoards(), read_settings(os.environ)))


def board_class() -> "type[Board]":
    """The Python door, told how to find boards."""
    from folkmoot.doors.board import Board
    from folkmoot.wiring.boards import FileBoards

    Board.boards = FileBoards()
    return Board
