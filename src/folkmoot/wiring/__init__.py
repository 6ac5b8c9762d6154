"""The composition root and the entry point: puts the parts together and starts the command line."""

import sys
from typing import TYPE_CHECKING

from folkmoot import __version__

if TYPE_CHECKING:
    from folkmoot.config import Settings
    from folkmoot.doors.python import Board
    from folkmoot.engine.application import Boards


def main() -> None:
    """The entry point of the command `moot`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Answered before anything is imported: agents call this to see whether we are here.
        print(f"moot {__version__}")
        return
    import gc
    import os

    gc.disable()  # what is imported stays: to look through it for what could go costs a tenth of the start
    from folkmoot.config import read_settings
    from folkmoot.doors.cli.main import run
    from folkmoot.system.processes.signals import begin_as_usual

    begin_as_usual()
    settings = read_settings(os.environ)
    boards = boards_for(settings)
    gc.freeze()
    gc.enable()
    sys.exit(run(sys.argv[1:], boards, settings, _git_name))


def _git_name(board_dir: str | None) -> str | None:
    from folkmoot.wiring.looking.speaker import git_name  # only who changes something is asked for a name

    return git_name(board_dir)


def board_class() -> "type[Board]":
    """The Python door, told how to find boards."""
    import os

    from folkmoot.config import read_settings
    from folkmoot.doors.python import Board

    Board.boards = boards_for(read_settings(os.environ))
    return Board


def boards_for(settings: "Settings") -> "Boards":
    """Boards in folders; inside a run, the one board at the other end of its socket."""
    if settings.socket is not None:
        from folkmoot.wiring.remote import RemoteBoards

        return RemoteBoards(settings.socket, settings.board)
    from folkmoot.wiring.boards import FileBoards

    return FileBoards()
