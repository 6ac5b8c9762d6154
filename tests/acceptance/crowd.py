"""Many real processes on one real board, some of them killed. A program of its own: it forks, and a test must not.

    python crowd.py laps FOLDER PROCESSES ITEMS
    python crowd.py kills FOLDER PROCESSES KILLS SEED

Prints one JSON document: what was acknowledged, and what the board says afterwards.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from folkmoot import Board, Report
from folkmoot.core.enums import Outcome
from folkmoot.errors import NothingToDo, Refused, Unavailable
from folkmoot.testing.in_json import in_json

Acks = list[dict[str, Any]]
Result = TypeVar("Result")
TRIES = 100


class Note:
    """What a process was told: written at once, so that it outlives the process."""

    def __init__(self, folder: Path, name: str) -> None:
        self.file = os.open(folder / f"{name}.acks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **words: Any) -> None:
        os.write(self.file, json.dumps(words).encode() + b"\n")


def acks(folder: Path) -> Acks:
    found: Acks = []
    for path in sorted(folder.glob("*.acks")):
        # The last line may be cut: what was not wholly written was not acknowledged.
        found += [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return found


def patiently(work: Callable[[], Result]) -> Result:
    """Do as the board says where it was busy for too long: try again. How long that takes is up to the machine."""
    for _ in range(TRIES):
        try:
            return work()
        except Unavailable as fault:
            if fault.code != "store_busy":
                raise
    return work()


def lap(folder: Path, name: str, agent: str) -> None:
    """Claim and report until nothing is left; note each claim and how long it took."""
    note = Note(folder, name)
    with patiently(lambda: Board.open(str(folder))) as board:
        while True:
            start = time.monotonic()
            try:
                claim = patiently(lambda: board.claim(agent))
            except NothingToDo:
                return
            note.write(item=claim.item_id, token=claim.token, wait=time.monotonic() - start)
            patiently(partial(claim.report, Report.done("done")))


def laps(folder: Path, processes: int, items: int) -> dict[str, Any]:
    with Board.create(str(folder), "kanban") as board:
        for number in range(items):
            board.add(f"item {number}", column="dev")
    result: dict[str, Any] = {}
    for number, agent in enumerate(("dev-agent", "review-agent"), start=1):
        children = [in_child(lap, folder, f"lap{number}-{child}", agent) for child in range(processes)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        claims = [ack for ack in acks(folder) if ack["token"] == number]
        counted = Counter(ack["item"] for ack in claims)
        result[f"lap {number}"] = {
            "exit codes": sorted(set(codes)),
            "claims": len(claims),
            "items": len(counted),
            "twice": sorted(item for item, times in counted.items() if times > 1),
            "worst wait": round(max((ack["wait"] for ack in claims), default=0.0), 3),
        }
    result["claims"] = len(acks(folder))
    return result


def in_child(work: Any, *arguments: Any) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work(*arguments)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def toil(folder: Path, name: str, seed: int) -> None:
    """Every kind of change, for ever, each acknowledged change noted."""
    chance = random.Random(seed)
    note = Note(folder, name)
    with Board.open(str(folder)) as board:
        while True:
            if chance.random() < 0.4:
                item = board.add(f"{name} {chance.random()}", column=chance.choice(["tests", "dev", "review"]))
                note.write(did="add", item=item.id, title=item.title)
            try:
                claim = board.claim(chance.choice(["test-architect", "dev-agent", "review-agent", "qa-agent"]), lease=1)
                note.write(did="claim", run=claim.id, item=claim.item_id, token=claim.token)
                comment = claim.comment("a remark").comments[-1]
                note.write(did="comment", item=claim.item_id, comment=comment.id)
                outcome: Outcome = chance.choice(["done", "done", "failed", "incomplete"])
                claim.report(Report(outcome=outcome, summary=f"{name} {chance.random()}"))
                note.write(did="report", run=claim.id, item=claim.item_id, outcome=outcome)
            except (NothingToDo, Refused):
                continue


def kills(folder: Path, processes: int, count: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    is_there = (folder / ".moot").exists()  # made by the caller, on a server
    with Board.open(str(folder)) if is_there else Board.create(str(folder), "kanban") as board:
        for number in range(50):
            board.add(f"item {number}", column="dev")
    born = 0

    def another() -> int:
        nonlocal born
        born += 1
        return in_child(toil, folder, f"toil{born}", seed + born)

    children = [another() for _ in range(processes)]
    for _ in range(count):
        time.sleep(chance.uniform(0.005, 0.05))
        victim = chance.randrange(processes)
        os.kill(children[victim], signal.SIGKILL)
        _, status = os.waitpid(children[victim], 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            for child in set(children) - {children[victim]}:
                os.kill(child, signal.SIGKILL)
            raise RuntimeError(f"a process died by itself: {os.waitstatus_to_exitcode(status)}")
        children[victim] = another()
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {"kills": count, "acknowledged": len(acks(folder)), "lost": lost(folder)}


def lost(folder: Path) -> Acks:
    """Every acknowledged change that the board does not show."""
    with Board.open(str(folder)) as board:
        told = acks(folder)
        views = {item: in_json(board.show(item)) for item in {ack["item"] for ack in told}}
        return [ack for ack in told if not kept(ack, views[ack["item"]])]


def kept(ack: dict[str, Any], view: dict[str, Any]) -> bool:
    runs = {run["run"]: run for run in view["runs"]}
    if ack["did"] == "add":
        return bool(view["title"] == ack["title"])
    if ack["did"] == "comment":
        return ack["comment"] in {comment["id"] for comment in view["comments"]}
    run = runs.get(ack["run"], {})
    field = "token" if ack["did"] == "claim" else "outcome"
    return bool(run.get(field) == ack[field])


if __name__ == "__main__":
    what, where, *numbers = sys.argv[1:]
    work: dict[str, Any] = {"laps": laps, "kills": kills}
    print(json.dumps(work[what](Path(where), *map(int, numbers))))
