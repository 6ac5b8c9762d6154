"""Many write at once, and the mirror is killed again and again: nothing is torn, lost, or taken in twice (R-04)."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import SOURCE, new_board
from tests.mirror.desk import fresh_tree, start, tree, until

ROOT = Path(__file__).parents[2]


def begin(role: str, root: Path, number: int, stop: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.mirror.crowd", role, str(root), str(number), str(stop)]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def killed_again_and_again(root: Path, *, on_store: int, on_files: int, seconds: float, every: float) -> None:
    moot = new_board(root, "handoff")
    moot("add", "Add user auth")
    for number in range(max(on_files, 4)):
        moot("comment", "1", "The first word", "--artifact", f"specs/{number}.md")
    moot("mirror", "--dir", str(root / ".claude"))
    stop = root / "stop"
    mirror = start(root)
    roles = {"store": on_store, "files": on_files, "reader": 1}
    crowd = {role: [begin(role, root, number, stop) for number in range(many)] for role, many in roles.items()}
    try:
        for role, many in roles.items():
            for number in range(many):
                until(Path(f"{stop}-{role}-{number}").exists)
        end, number = time.monotonic() + seconds, 0
        while time.monotonic() < end or number < 3:
            number += 1
            _wait_for_its_work(root)
            time.sleep(every * (number % 7) / 7)  # how long it has worked when it is killed is what is tried here
            mirror.kill()
            mirror.wait()
            mirror = start(root)
    finally:
        stop.touch()
        told = {role: [one.communicate()[0] for one in processes] for role, processes in crowd.items()}
        mirror.kill()
        mirror.wait()
    moot("mirror", "--dir", str(root / ".claude"))
    _check(root, moot, {role: [json.loads(one) for one in said] for role, said in told.items()})


def _wait_for_its_work(root: Path) -> None:
    """On a busy machine a mirror needs its time to begin; one that has done nothing yet is not worth killing."""
    (record,) = (root / ".moot/mirror").glob("*.jsonl")
    size = record.stat().st_size
    until(lambda: record.stat().st_size != size)


def _check(root: Path, moot: Any, told: dict[str, list[Any]]) -> None:
    assert [fault for one in told["reader"] for fault in one["faults"]] == []
    assert all(one["looked"] > 0 for one in told["reader"])
    assert [file.read_text("utf-8") for file in (root / ".claude/rejected").glob("*.why.txt")] == []
    messages = Counter(m["message_id"] for m in moot("messages")["messages"])
    wanted = [m for one in told["files"] for m in one["dropped"]] + [m for one in told["store"] for m in one["sent"]]
    assert wanted and [message for message in wanted if messages[message] != 1] == []
    comments = Counter(c["content"] for c in moot("comments", "1", "--limit", "10000")["comments"])
    said = [words for one in told["files"] for words in one["said"]]
    said += [words for one in told["store"] for words in one["comments"]]
    assert said and [words for words in said if comments[words] != 1] == []
    assert [words for words, count in comments.items() if count > 1 and words != "The first word"] == []
    assert tree(root / ".claude") == fresh_tree(root, "again"), "at rest it is what a fresh mirror writes, byte by byte"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-04", "H-04", "K-05")
def test_nothing_is_torn_lost_or_taken_in_twice(tmp_path: Path) -> None:
    killed_again_and_again(tmp_path, on_store=2, on_files=2, seconds=4, every=1.5)


@pytest.mark.slow
@pytest.mark.ledger("R-04", "H-04", "K-05")
def test_eight_on_the_store_and_four_on_the_files_for_a_minute(tmp_path: Path) -> None:
    killed_again_and_again(tmp_path, on_store=8, on_files=4, seconds=60, every=1.0)


def test_a_second_mirror_of_the_same_folder_is_refused(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "handoff")
    mirror = start(tmp_path)
    try:
        until(lambda: (tmp_path / ".claude/state.json").exists())
        assert moot.say("mirror", "--dir", str(tmp_path / ".claude")).error == "mirror_running"
    finally:
        mirror.kill()
        mirror.wait()
