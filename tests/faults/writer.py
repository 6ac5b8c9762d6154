"""A process that changes a board for ever and says so after each change, line by line, on standard output.

    python writer.py FOLDER NAME SEED [fleeting]

`fleeting` opens the store without syncing, which loses acknowledged changes at a power cut, so that a test can be seen
to see it. What the store refuses is said too, and tried again on the same board.
"""

import json
import random
import sys
from typing import Any

from folkmoot import Board, Report
from folkmoot.core.enums import Outcome
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.errors import MootError, NothingToDo, Refused, Unavailable
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds

AGENTS = ["test-architect", "dev-agent", "review-agent", "qa-agent"]


def tell(**words: Any) -> None:
    print(json.dumps(words), flush=True)


def toil(board: Board, name: str, chance: random.Random) -> None:
    """One round of changes, each told as soon as the board has said that it is done."""
    item = board.add(f"{name} {chance.random()}", column=chance.choice(["tests", "dev", "review"]))
    tell(did="add", item=item.id, title=item.title)
    try:
        claim = board.claim(chance.choice(AGENTS), lease=30)
        tell(did="claim", run=claim.id, item=claim.item_id, token=claim.token)
        comment = claim.comment("a remark").comments[-1]
        tell(did="comment", item=claim.item_id, comment=comment.id)
        outcome: Outcome = chance.choice(["done", "done", "failed", "incomplete"])
        claim.report(Report(outcome=outcome, summary=f"{name} {chance.random()}"))
        tell(did="report", run=claim.id, item=claim.item_id, outcome=outcome)
    except (NothingToDo, Refused):
        return


def fleeting(folder: str) -> Board:
    engine = Engine(SqliteStore.open(f"{folder}/.moot/board.db", durable=False), SystemClock(), SystemIds())
    return Board(Application(engine, folder, []))


def main(folder: str, name: str, seed: str, how: str = "") -> None:
    chance = random.Random(int(seed))
    board = fleeting(folder) if how == "fleeting" else Board.open(folder)
    refused = 0
    while refused < 3:
        try:
            toil(board, name, chance)
        except (Unavailable, MootError) as error:
            refused += 1
            tell(did="refused", code=error.code, message=error.message)


if __name__ == "__main__":
    main(*sys.argv[1:])
