"""An agent from outside, killed at a step: `python outsider.py BOARD WHAT STEP`; WHAT is claim, report or release.

`report` and `release` speak for the run that MOOT_RUN and MOOT_TOKEN name.
"""

import os
import signal
import sys

from folkmoot import Board
from folkmoot.api.requests import Claim, Release, SendReport
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.steering.outside import Outside


def main(place: str, what: str, wanted: str) -> None:
    Board.boards = FileBoards()
    board = Board.open(place)._application

    def step(name: str, run: str) -> None:
        if name == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    board.open_workplace = lambda board: Outside(board, step)
    if what == "claim":
        lease = float(os.environ["LEASE"]) if os.environ["LEASE"] else None
        print(board.asked_by(Actor("ada"))(Claim(clone=True, lease=lease)).run)
        return
    run = board.asked_by(Actor(os.environ["MOOT_RUN"], os.environ["MOOT_RUN"], int(os.environ["MOOT_TOKEN"])))
    run(SendReport(report=Report.done("wrote it")) if what == "report" else Release())


if __name__ == "__main__":
    main(*sys.argv[1:])
