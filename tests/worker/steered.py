"""A person who takes or gives an item, and is killed at a step: `python steered.py BOARD WHAT ITEM STEP`."""

import os
import signal
import sys

from folkmoot import Board
from folkmoot.core.commands import Actor
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.steering.taking import give, take


def main(place: str, what: str, item: str, wanted: str) -> None:
    Board.boards = FileBoards()
    board = Board.open(place)._application

    def step(name: str, run: str) -> None:
        if name == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    if what == "take":
        print(take(board, Actor("ada"), item, print, step).workspace)
    else:
        back = what == "back"
        give(board, Actor("ada"), item, None, back=back, widen=False, unproved=False, tell=print, step=step)


if __name__ == "__main__":
    main(*sys.argv[1:])
