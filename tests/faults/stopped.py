"""A worker that claims an item, and goes on with it when it is told to: `python stopped.py FOLDER`.

Prints its run, waits for a line, then tries all that a run may do and prints what it was told.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from folkmoot import Board, Report
from folkmoot.errors import MootError


def answer(call: Callable[[], Any]) -> str:
    try:
        call()
    except MootError as error:
        return error.code
    return "done"


def main(folder: str) -> None:
    with Board.open(folder) as board:
        run = board.claim("dev-agent", lease=1)
        print(json.dumps({"run": run.id, "token": run.token}), flush=True)
        sys.stdin.readline()
        tries: dict[str, Callable[[], Any]] = {
            "renew": run.renew,
            "comment": lambda: run.comment("still here"),
            "widen": lambda: run.widen("src/other.py"),
            "lock": lambda: run.lock("src/locked.py"),
            "dispatch": lambda: run.dispatch("review-agent", "look at it"),
            "release": run.release,
            "report": lambda: run.report(Report.done("done at last")),
        }
        print(json.dumps({name: answer(call) for name, call in tries.items()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
