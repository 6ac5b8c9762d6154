"""Writers on the store, writers on the files, and readers that look all the time: each a process of its own.

    python -m tests.mirror.crowd ROLE FOLDER NUMBER FILE     until FILE is there

What each has done is printed at its end as JSON, and compared with the board by the test.
"""

import json
import os
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from folkmoot import Board
from folkmoot.errors import MootError

STATUSES = ("pending", "accepted", "completed", "rejected")
View = dict[str, Any]


def on_store(root: Path, number: int, is_over: Callable[[], bool]) -> View:
    """Adds, comments, sends and accepts, as fast as it can."""
    done: View = {"sent": [], "comments": []}
    with Board.open(str(root), f"person-{number}") as board:
        turn = 0
        while not is_over():
            turn += 1
            _step(board, number, turn, done)
            time.sleep(0.1)
    return done


def _step(board: Board, number: int, turn: int, done: View) -> None:
    try:
        sent = board.send({"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"n": turn}})
        done["sent"].append(sent.message_id)
        words = f"store {number}.{turn}"
        board.comment("1", words, artifact=f"specs/{number % 4}.md")
        done["comments"].append(words)
        if turn % 3 == 0:
            board.accept(sent.message_id, agent="reviewer")
        if turn % 6 == 0:
            board.complete(sent.message_id)
        if turn % 10 == 0:
            board.lock(f"src/{number}/", seconds=60)
            board.unlock(f"src/{number}/")
    except MootError:
        return


def on_files(root: Path, number: int, is_over: Callable[[], bool]) -> View:
    """Drops handoffs and adds comments with plain writes and renames."""
    done: View = {"dropped": [], "said": []}
    folder = root / ".claude"
    turn = 0
    while not is_over():
        turn += 1
        message = str(uuid.uuid4())
        envelope = {"message_id": message, "from": "fixer", "to": "reviewer", "type": "rereview_request"}
        _rename_in(folder / "handoffs" / "pending" / f"drop-{message}.json", json.dumps(envelope))
        done["dropped"].append(message)
        words = f"file {number}.{turn}"
        if _comment(folder / f"specs/{number}.meta.yaml", words, is_over):
            done["said"].append(words)
        if turn % 4 == 0:
            _move_on(folder, message, is_over)
        time.sleep(0.1)
    return done


def _rename_in(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, "utf-8")
        os.rename(beside, path)
    except FileNotFoundError:
        return


def _comment(path: Path, words: str, is_over: Callable[[], bool]) -> bool:
    """Reads the file, adds to it, and renames it over what is there by then."""
    while not is_over():
        text = _read(path)
        if text is not None:
            said = f"  - author: fixer\n    content: |-\n      {words}\n    status: open\n"
            _rename_in(path, text.replace("comments: []\n", "comments:\n") + said)
            return True
        time.sleep(0.02)
    return False


def _move_on(folder: Path, message: str, is_over: Callable[[], bool]) -> None:
    name = f"handoff-{message}.json"
    for source, target in (("pending", "accepted"), ("accepted", "completed")):
        for _ in range(100):
            if is_over():
                return
            try:
                os.rename(folder / "handoffs" / source / name, folder / "handoffs" / target / name)
                break
            except FileNotFoundError:
                time.sleep(0.02)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None


def reading(root: Path, number: int, is_over: Callable[[], bool]) -> View:
    """Reads everything, again and again. What cannot be parsed, or is there twice, is told."""
    folder, faults, looked = root / ".claude", [], 0
    while not is_over():
        seen: dict[str, Path] = {}
        for status in STATUSES:
            for file in (folder / "handoffs" / status).glob("handoff-*.json"):
                looked += 1
                faults += _parsed(file, json.loads)
                first = seen.setdefault(file.name, file)
                if first != file and first.exists() and file.exists() and first.exists():
                    faults.append(f"{file.name} is in {first.parent.name} and {status}")
        for file in folder.glob("specs/*.meta.yaml"):
            faults += _parsed(file, yaml.safe_load)
        for file in folder.glob("kanban/*.yaml"):
            faults += _parsed(file, yaml.safe_load)
        faults += _parsed(folder / "state.json", json.loads)
        faults += _parsed(folder / "events.jsonl", lambda text: [json.loads(line) for line in text.splitlines()])
    return {"faults": faults[:20], "looked": looked}


def _parsed(file: Path, read: Callable[[str], Any]) -> list[str]:
    text = _read(file)
    if text is None:
        return []
    try:
        read(text)
    except (ValueError, yaml.YAMLError) as error:
        return [f"{file.name}: {error}"]
    return []


ROLES = {"store": on_store, "files": on_files, "reader": reading}


def main() -> None:
    role, root, number, stop = sys.argv[1:5]
    Path(f"{stop}-{role}-{number}").touch()  # it is there
    print(json.dumps(ROLES[role](Path(root), int(number), Path(stop).exists)))


if __name__ == "__main__":
    main()
