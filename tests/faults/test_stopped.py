"""A worker that stands still for longer than its lease, and then goes on as if nothing had been (F5)."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults import scenes
from tests.faults.witness import saw

STOPPED = str(Path(__file__).with_name("stopped.py"))
PATIENCE = 60.0


@pytest.mark.ledger("R-02")
def test_stopped_for_longer_than_its_lease(tmp_path: Path) -> None:
    moot = scenes.with_items(tmp_path)
    process = subprocess.Popen(
        [sys.executable, STOPPED, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        mine = json.loads(process.stdout.readline())
        item = next(one["id"] for one in moot("list")["items"] if one["status"] == "running")
        process.send_signal(signal.SIGSTOP)
        until = time.monotonic() + PATIENCE
        while moot("show", item)["status"] == "running":
            assert time.monotonic() < until
            time.sleep(0.1)
        moot("add", "the next word on the board, by which time moves")
        ended = [run["end"] for run in moot("show", item)["runs"]]
        before = scenes.last_seq(tmp_path)
        process.send_signal(signal.SIGCONT)
        process.stdin.write("\n")
        process.stdin.flush()
        answers = json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()
    assert mine["token"] == 1 and ended == ["rescued"], "it was rescued by whoever came next"
    assert set(answers.values()) == {"stale_claim"}, answers
    assert scenes.last_seq(tmp_path) == before, "it has changed nothing"
    assert scenes.wrong(tmp_path) == []
    saw(
        "F5",
        "SIGSTOP for longer than the lease, then SIGCONT",
        "rescued; every call of the old run is refused as stale_claim, doctor green",
        calls=len(answers),
    )
