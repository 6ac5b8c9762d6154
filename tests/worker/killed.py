"""A worker that is killed, as by kill -9, when it comes to a step: `python killed.py BOARD STEP`."""

import os
import signal
import sys

from folkmoot import Board
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.worker.git.harvest import rules
from folkmoot.worker.worker import Worker


def main(place: str, wanted: str) -> None:
    Board.boards = FileBoards()
    board = Board.open(place)

    def step(name: str, run: str) -> None:
        if name == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    if os.environ.get("NO_LOOK"):
        rules.STARS_MAX = 1_000  # ignore rules that nobody has foreseen
    with tools_of(board._application, os.path.join(place, ".moot"), lambda told: None, step) as tools:
        worker = Worker(tools, worker_name(tools.workspaces.home), until_idle=True)

        def interrupt(number: int, frame: object) -> None:
            worker.interrupt()
            os.write(1, b"interrupted\n")

        signal.signal(signal.SIGINT, interrupt)
        worker.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
