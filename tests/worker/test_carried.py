"""A board moves between a file and a server with its work, where no remote has that: export, import, and on it goes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.postgres import Server
from tests.some import some
from tests.worker.yard import ACTOR, git

FLOW = f"""
flow: moved
target: main
start: dev
limits: {{slots: 1, lease: 60s, timeout: 60s, silence: 30s}}
columns:
  dev: {{agents: [dev], next: look}}
  look: {{agents: [look], next: done}}
agents:
  dev: {{run: {{command: {ACTOR}}}, write: own}}
  look: {{run: {{command: {ACTOR}}}, write: none}}
"""


class Place:
    """A folder with the project, and a board in it or on a server."""

    def __init__(self, folder: Path, board: str | None = None) -> None:
        self.folder = folder
        self.env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "USER": "ann"}
        self.env.pop("MOOT_BOARD", None)
        self.env |= {"MOOT_BOARD": board} if board else {}

    def say(self, *words: str, code: int = 0) -> Any:
        ran = forked.run([*words, "--json"], cwd=self.folder, env=self.env)
        assert ran.returncode == code, (ran.stdout.decode(), ran.stderr.decode())
        if code:
            return json.loads(ran.stderr.splitlines()[-1])
        return json.loads(ran.stdout) if ran.stdout else None

    def works(self, *words: str) -> None:
        self.say("run", "--until-idle", "--anyway", "--no-input", *words)

    def has(self, commit: str) -> bool:
        asked = ["git", "--git-dir", str(self.folder / ".moot" / "repo.git"), "cat-file", "-e", commit]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def begun(folder: Path) -> tuple[Place, str]:
    """A board in a file, with an item whose work is done and was looked at by nobody."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", ".")
    (folder / "README.md").write_text("a project\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    place = Place(folder)
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(FLOW)
    place.say("init")
    item = place.say("add", "first", "--body", "write one.txt made\nreport done")["id"]
    place.works("--agent", "dev")
    head = place.say("show", item)["head"]
    assert head is not None and place.say("show", item)["column"] == "look"
    return place, head


def another(folder: Path, name: str, board: str | None = None) -> Place:
    """The project, as its own repository has it: without anything of the board."""
    git(folder.parent, "clone", "-q", str(folder), name)
    return Place(folder.parent / name, board)


def test_work_goes_with_a_board_to_a_server_and_back(postgres: Server, tmp_path: Path) -> None:
    first, head = begun(tmp_path / "one")
    log, back = tmp_path / "log.jsonl", tmp_path / "back.jsonl"
    told = first.say("export", str(log))
    assert told["work"] == f"{log}.work" and told["missing"] == []
    there = another(first.folder, "two", postgres.database())
    told = there.say("import", str(log))
    assert (told["work"], told["missing"], told["notes"]) == (f"{log}.work", [], [])
    assert there.say("show", "1")["head"] == head and there.has(head)
    assert there.say("export", str(back))["missing"] == []
    again = another(first.folder, "three")
    assert again.say("import", str(back))["missing"] == []
    assert back.read_bytes() == log.read_bytes() and again.has(head)
    for place in (there, again):
        place.works()
        assert place.say("show", "1")["status"] == "done", place.say("show", "1")["why"]
        assert git(place.folder, "show", "main:one.txt") == "made"
        assert place.say("doctor")["ok"]


def test_a_log_alone_makes_the_board_and_names_what_is_missing(tmp_path: Path) -> None:
    first, head = begun(tmp_path / "one")
    first.say("export", "../log.jsonl")
    (tmp_path / "log.jsonl.work").unlink()
    alone = another(first.folder, "two")
    told = alone.say("import", "../log.jsonl")
    assert (told["work"], told["missing"]) == (None, ["1"])
    assert not alone.has(head) and alone.say("doctor")["ok"]


@pytest.mark.parametrize("how", some(["another log", "damaged", "cut off"], ["damaged"]))
def test_work_that_is_not_that_of_the_log_is_not_taken_in(tmp_path: Path, how: str) -> None:
    first, head = begun(tmp_path / "one")
    first.say("export", "../log.jsonl")
    work = tmp_path / "log.jsonl.work"
    if how == "another log":
        first.say("add", "second")
        first.say("export", "../later.jsonl")
        (tmp_path / "later.jsonl.work").replace(work)
    else:
        data = work.read_bytes()
        work.write_bytes(data[:-40] if how == "cut off" else data[:-40] + bytes(b ^ 1 for b in data[-40:]))
    place = another(first.folder, "two")
    told = place.say("import", "../log.jsonl")
    (note,) = told["notes"]
    assert told["missing"] == ["1"] and "log.jsonl.work" in note and "not taken in" in note
    assert not place.has(head) and place.say("doctor")["ok"]


@pytest.mark.attack(
    "harvest",
    "beside a log that is imported lies a pipe where its work would be",
    "it is refused by name, and nobody waits for it",
)
def test_a_pipe_in_the_place_of_the_work_is_not_waited_for(tmp_path: Path) -> None:
    first, _ = begun(tmp_path / "one")
    first.say("export", "../log.jsonl")
    (tmp_path / "log.jsonl.work").unlink()
    os.mkfifo(tmp_path / "log.jsonl.work")
    assert another(first.folder, "two").say("import", "../log.jsonl", code=2)["error"]["code"] == "bad_log"


def test_what_is_no_work_leaves_no_board(tmp_path: Path) -> None:
    first, _ = begun(tmp_path / "one")
    first.say("export", "../log.jsonl")
    (tmp_path / "log.jsonl.work").write_text("what is this?\n")
    place = another(first.folder, "two")
    assert place.say("import", "../log.jsonl", code=2)["error"]["code"] == "bad_log"
    assert not (place.folder / ".moot").exists()
    assert first.say("export", "../log.jsonl", code=1)["error"]["code"] == "file_exists"
    (tmp_path / "log.jsonl").unlink()
    assert first.say("export", "../log.jsonl", code=1)["error"]["code"] == "file_exists", "nor is the work replaced"
    assert not (tmp_path / "log.jsonl").exists()
