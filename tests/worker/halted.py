"""A worker that dies or stands still when a landing comes to a step: `python halted.py BOARD STEP kill|stop`."""

import os
import signal
import sys
import threading
from typing import Any

from folkmoot import Board
from folkmoot.core.flow import LANDING
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of
from folkmoot.worker.worker import Worker

ONLY_LANDINGS = ("merge", "move", "swap", "moved", "landed")


def main(place: str, wanted: str, how: str) -> None:
    Board.boards = FileBoards()
    board = Board.open(place)
    number = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[how]
    halted: list[str] = []
    store: Any = board._application.engine.store
    transact, writing = store.transact, threading.RLock()

    def one_at_a_time(work: Any, *, alone: bool = False) -> Any:
        with writing:
            return transact(work, alone=alone)

    store.transact = one_at_a_time

    def step(name: str, run: str) -> None:
        if name != wanted or halted:
            return
        # Inside a transaction nothing else can be asked of the board, and none of these is of another run.
        if name in ONLY_LANDINGS or board._application.queries.run_context(run).agent == LANDING:
            halted.append(run)
            with writing:  # only what is halted holds up the board, not whatever else was being written
                signal.pthread_kill(threading.get_ident(), number)  # by its thread: it comes no further than this line

    with tools_of(board._application, os.path.join(place, ".moot"), lambda told: None, step) as tools:
        Worker(tools, f"halted at {wanted}", until_idle=True).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
