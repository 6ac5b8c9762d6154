"""A report that was acknowledged counts, whatever becomes of the process, or of the worker, after it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from folkmoot.errors import Invalid
from folkmoot.wiring.running import tools_of
from folkmoot.worker.jobs import saying
from folkmoot.worker.reclaim import reclaim
from folkmoot.worker.worker import Worker
from folkmoot.worker.workspaces import run_paths
from tests.some import some
from tests.worker.test_kill import KILLED, wait_until_gone
from tests.worker.yard import Yard, git

FLOW = """
flow: said
start: dev
limits:
  {{slots: 2, lease: {lease}, timeout: {timeout}, silence: {silence}, after_report: {after}, executions: {runs},
    own_attempts: {runs}}}
columns:
  dev: {{agents: [dev], next: done}}
agents:
  dev: {{run: {{command: ACTOR}}, write: own}}
"""
# The quest document's report, as it stands there.
COMPLETE = """{
  "status": "complete",
  "output": "files_created_or_modified",
  "report": "what_was_accomplished",
  "nextSteps": "dependencies_or_blockers",
  "retro": "insights_for_system_learning"
}""".replace("\n", " ")
BY_COMMAND = f"shell printf '%s' '{COMPLETE}' | moot report $MOOT_RUN -"
IN_FILE = f"shell printf '%s' '{COMPLETE}' > $MOOT_REPORT"
HANG = "wait 300"
MakeYard = Callable[..., Yard]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeYard]:
    made: list[Yard] = []

    def make(**times: str) -> Yard:
        wish = {"lease": "60s", "timeout": "60s", "silence": "60s", "after": "1s", "runs": "2", **times}
        made.append(Yard(tmp_path / f"yard{len(made)}", flow=FLOW.format(**wish)))
        return made[-1]

    yield make
    for yard in made:
        yard.doctor()
        yard.close()


def efforts(yard: Yard, item: str) -> list[dict[str, Any]]:
    return [run for run in yard.show(item)["runs"] if run["agent"] == "dev"]


AFTERWARDS = {
    "hangs": [HANG],
    "hangs and hears no signal": ["deaf", HANG],
    "crashes": ["exit 3"],
    "is killed": ["shell kill -9 $PPID", HANG],
    "ends": [],
}
SAYINGS = {"by command": BY_COMMAND, "in its file": IN_FILE}


@pytest.mark.ledger("R-32", "Q-06")
@pytest.mark.parametrize(
    "after, said",
    some(
        product(AFTERWARDS, SAYINGS),
        [
            ("hangs and hears no signal", "by command"),
            ("crashes", "in its file"),
            ("is killed", "by command"),
        ],
    ),
)
def test_a_report_counts_however_its_process_ends(make: MakeYard, said: str, after: str) -> None:
    yard = make()
    item = yard.add("one", "write one.txt made", SAYINGS[said], *AFTERWARDS[after])
    yard.run()
    (run,) = efforts(yard, item)
    assert (run["outcome"], run["report"]["summary"]) == ("done", "what_was_accomplished")
    assert yard.status(item) == "done" and yard.landed("one.txt") == "made"


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(
    "said, limit",
    some(product(SAYINGS, ["timeout", "silence"]), [("by command", "silence"), ("in its file", "timeout")]),
)
def test_a_limit_that_is_reached_after_the_report_takes_nothing_from_it(make: MakeYard, said: str, limit: str) -> None:
    yard = make(after="60s", **{limit: "3s"})
    item = yard.add("one", "write one.txt made", SAYINGS[said], HANG)
    yard.run()
    assert [run["outcome"] for run in efforts(yard, item)] == ["done"] and yard.landed("one.txt") == "made"


@pytest.mark.ledger("R-07")
def test_half_a_report_in_the_file_is_none(make: MakeYard) -> None:
    yard = make(silence="2s", runs="1")
    item = yard.add("one", """shell printf '{"outcome": "done", "summ' > $MOOT_REPORT""", HANG)
    yard.run()
    assert [run["cause"] for run in efforts(yard, item)] == ["timeout"]


def test_the_last_report_counts_and_what_is_done_before_the_end_is_taken_in(make: MakeYard) -> None:
    yard = make(after="3s")
    first = BY_COMMAND.replace("complete", "failed")
    item = yard.add("one", first, "write one.txt made", BY_COMMAND, "write two.txt late", HANG)
    yard.run()
    assert [run["outcome"] for run in efforts(yard, item)] == ["done"]
    assert (yard.landed("one.txt"), yard.landed("two.txt")) == ("made", "late")


def test_who_still_speaks_after_writing_its_file_is_left_to_work(make: MakeYard) -> None:
    yard = make(after="2s")
    talk = "shell for i in 1 2 3 4 5 6 7 8; do echo still at work; sleep 0.5; done"
    item = yard.add("one", IN_FILE, talk, "write one.txt made")
    yard.run()
    assert [run["outcome"] for run in efforts(yard, item)] == ["done"] and yard.landed("one.txt") == "made"


def said_by(yard: Yard, word: str) -> None:
    """Waits until the agent has printed it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        runs = yard.show("1")["runs"]
        if runs and word in yard.output(runs[0]["run"]):
            return
        time.sleep(0.1)
    raise AssertionError("the agent did not come so far")


@pytest.mark.ledger("R-02", "R-32")
@pytest.mark.parametrize("said", [BY_COMMAND, IN_FILE], ids=["by command", "in its file"])
def test_another_worker_brings_in_what_was_said_before_the_worker_was_killed(make: MakeYard, said: str) -> None:
    yard = make(after="600s", silence="600s")
    item = yard.add("one", "write one.txt made", said, "say all is said", HANG)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, str(KILLED), str(yard.folder), "never"], env=env)
    said_by(yard, "all is said")
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait_until_gone(yard.folder)
    yard.run()
    assert [run["outcome"] for run in efforts(yard, item)] == ["done"], "nobody did it again"
    assert yard.landed("one.txt") == "made"
    assert list((yard.folder / ".moot" / "runs").iterdir()) == []


KEY = "Tr0ub4dor-horse-9931"
KEYED = """
flow: keyed
start: dev
limits: {slots: 1, lease: 60s, timeout: 60s, silence: 600s, after_report: 600s, executions: 2}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {client: mine}, write: own}}
clients: {mine: {command: ACTOR, speaks: text, env: [MINE_KEY]}}
"""


@pytest.mark.attack(
    "secrets",
    "a run writes its key into a file and its report, its worker is killed, and the next one was never given the key",
    "that worker sees that it does not know the key: it takes in neither, and says so",
)
@pytest.mark.ledger("Q-03", "R-20")
@pytest.mark.parametrize("next_key", [None, KEY], ids=["none", "the same"])
def test_a_worker_that_does_not_know_the_key_of_a_run_takes_nothing_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, next_key: str | None
) -> None:
    yard = Yard(tmp_path / "yard", flow=KEYED)
    said = """shell echo "{\\"outcome\\": \\"done\\", \\"summary\\": \\"with $MINE_KEY\\"}" > $MOOT_REPORT"""
    hang = 'shell test -z "$MINE_KEY" || sleep 300'
    item = yard.add("one", "shell echo password = $MINE_KEY > a.ini", said, "say all is said", hang)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MINE_KEY": KEY}
    worker = subprocess.Popen([sys.executable, str(KILLED), str(yard.folder), "never"], env=env)
    said_by(yard, "all is said")
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait_until_gone(yard.folder)
    monkeypatch.delenv("MINE_KEY", raising=False)
    if next_key is not None:
        monkeypatch.setenv("MINE_KEY", next_key)
    yard.run()
    first = efforts(yard, item)[0]
    assert KEY not in git(yard.folder, "log", "-p", "main") and KEY not in str(yard.show(item))
    assert first["outcome"] == "failed" and "MINE_KEY" in first["report"]["summary"], first
    assert first["cause"] == ("environment" if next_key is None else "conflict")
    yard.doctor()
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes()


def test_a_report_that_nobody_brought_in_before_its_lease_ended_is_told_to_who_goes_on(make: MakeYard) -> None:
    yard = make(after="600s", silence="600s", lease="2s")
    item = yard.add("one", "write one.txt made", BY_COMMAND, "say all is said", HANG)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, str(KILLED), str(yard.folder), "never"], env=env)
    said_by(yard, "all is said")
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait_until_gone(yard.folder)
    until = time.monotonic() + 30
    while yard.status(item) == "running" and time.monotonic() < until:
        time.sleep(0.1)
    yard.board.comment(item, "what is due is applied")
    application = yard.board._application
    with tools_of(application, str(yard.folder / ".moot"), yard.told.append) as tools:
        reclaim(tools)
    (words,) = [one["content"] for one in yard.show(item)["comments"] if "had reported" in one["content"]]
    assert "had reported done (what_was_accomplished)" in words and "moot salvage" in words


def test_who_has_reported_is_taken_in_also_where_the_worker_is_to_stop_at_once(make: MakeYard) -> None:
    yard = make(after="600s", silence="600s")
    item = yard.add("one", "write one.txt made", BY_COMMAND, "say all is said", HANG)
    application = yard.board._application
    with tools_of(application, str(yard.folder / ".moot"), yard.told.append) as tools:
        worker = Worker(tools, "worker", slots=1)
        thread = threading.Thread(target=worker.run)
        thread.start()
        said_by(yard, "all is said")
        worker.interrupt()
        worker.interrupt()
        thread.join()
    assert [run["outcome"] for run in efforts(yard, item)] == ["done"]


@pytest.mark.attack(
    "time",
    "an agent writes its report file anew all the time, with what takes seconds to read and is no report",
    "it is looked at the less often, the longer that takes: the worker has its time for others",
)
def test_what_is_slow_to_read_is_seldom_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, time_now, looks = run_paths(str(tmp_path), "r1"), [0.0], []

    def slow(text: str) -> None:
        looks.append(text)
        time_now[0] += 3.0
        raise Invalid("unreadable", "no report")

    monkeypatch.setattr(saying, "read_report", slow)
    os.makedirs(paths.spool)
    file = saying.ReportFile(paths, lambda: time_now[0])
    while time_now[0] < 180.0:
        Path(paths.spool, saying.REPORT_FILE).write_text(f"{time_now[0]}")
        assert not file.look()
        time_now[0] += 0.5
    assert len(looks) == 3


@pytest.mark.attack(
    "gates",
    "a run prints that it is done, and its client then says that the context is full",
    "what was only printed was no last word: the run has failed by its size, and nothing lands",
)
def test_what_was_printed_before_the_context_was_full_is_no_report(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    full = "shell echo 'Error: context window exceeded' >&2"
    item = yard.add("one", "write a.txt half", "report done", full, "exit 1")
    yard.run()
    first = yard.show(item)["runs"][0]
    assert (first["outcome"], first["report"]["cause"]) == ("failed", "size"), first
    assert yard.commits() == ["first"]
    yard.close()
