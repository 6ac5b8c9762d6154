"""`notify` tells of every question, whoever or whatever opened it: also with --until-idle, and while agents run on."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.doors.conftest import environment
from tests.worker.yard import Yard

PATIENCE = 120.0
WRITES = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))"
ASKS = json.dumps({"outcome": "asks", "question": {"question": "which colour?"}})
FLOW = """
flow: yard
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 1, own_attempts: 1}
columns:
  dev: {agents: [dev], next: done, gate: [check]}
  sign: {human: true, next: done}
agents:
  dev: {run: {command: ACTOR}}
gates:
  check: {run: ["/bin/sh", "-c", "if [ -e bad.txt ]; then exit 1; fi"]}
sandbox: never
questions: {deadline: DEADLINE}
notify: NOTIFY
"""


def yard_of(folder: Path, notify: list[str], deadline: str = "null") -> Yard:
    return Yard(folder, flow=FLOW.replace("NOTIFY", json.dumps(notify)).replace("DEADLINE", deadline))


def moot(yard: Yard, *words: str) -> str:
    ran = forked.run(words, cwd=yard.folder, env=environment(), timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode()


def heard(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.ledger("E-08")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(f"say {ASKS}", "which colour?", id="an agent"),
        pytest.param('report stuck {"blockers": "no key"}', "", id="a rule", marks=pytest.mark.slow),
        pytest.param("write bad.txt x\nreport done", "", id="a gate", marks=pytest.mark.slow),
        pytest.param('moot ask which-one\nreport done {"files": {}}', "which-one", id="an agent that goes on"),
    ],
)
def test_what_a_run_brings_about_is_told_once(body: str, words: str, tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", [sys.executable, "-c", WRITES, str(tmp_path / "heard")])
    item = yard.add("one", body)
    told = moot(yard, "run", "--until-idle")
    asked = [question for question in yard.show(item)["questions"] if question["state"] == "open"]
    assert [f"item {item}: {one['question']}" for one in asked] == heard(tmp_path / "heard") != [], told
    assert words in asked[0]["question"]
    assert told.count("WAITING FOR YOU") == 1, "and the screen says so too"
    moot(yard, "run", "--until-idle")
    assert len(heard(tmp_path / "heard")) == 1


@pytest.mark.ledger("E-08")
@pytest.mark.parametrize("words", [("move", "1", "sign"), ("cancel", "2")])
def test_what_a_person_brings_about_is_told_by_the_next_worker(words: tuple[str, ...], tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", [sys.executable, "-c", WRITES, str(tmp_path / "heard")])
    yard.add("one", "report done")
    second = yard.add("two", "report done")
    yard.add("three", "report done", after=[second])
    moot(yard, "stop")
    moot(yard, *words)
    moot(yard, "run", "--until-idle")
    asked = json.loads(moot(yard, "inbox", "--json"))["questions"]
    assert [f"item {one['task_id']}: {one['question']}" for one in asked] == heard(tmp_path / "heard") != []


@pytest.mark.ledger("E-08", "R-18")
def test_a_question_that_is_parked_at_its_deadline_stays_known(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", [sys.executable, "-c", WRITES, str(tmp_path / "heard")], "1s")
    item = yard.add("one", f"say {ASKS}")
    moot(yard, "run", "--until-idle")
    other = yard.add("two", "wait 1.2\nreport done")  # time passes, and is written down
    moot(yard, "run", "--until-idle")
    assert (yard.status(item), yard.status(other)) == ("parked", "done")
    assert heard(tmp_path / "heard") == [f"item {item}: which colour?"]


class Running:
    """A worker that goes on, and a pipe into which its notices are written."""

    def __init__(self, yard: Yard, pipe: Path) -> None:
        self._pipe = os.open(pipe, os.O_RDWR)  # so that its end never comes
        command = [sys.executable, "-m", "folkmoot", "run"]
        self.process = subprocess.Popen(
            command, cwd=yard.folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def hears(self) -> str:
        assert select.select([self._pipe], [], [], PATIENCE)[0], "nobody was told"
        return os.read(self._pipe, 65_536).decode().strip()

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 0
        assert self.process.stderr is not None
        self.process.stderr.close()
        os.close(self._pipe)


@pytest.mark.ledger("E-08", "R-29")
def test_a_worker_that_runs_on_tells_what_a_person_or_the_clock_brings_about(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    yard = yard_of(tmp_path / "yard", [sys.executable, "-c", WRITES, str(pipe)])
    lost = yard.add("one", "report done")
    moved = yard.add("two", "wait 600")
    moot(yard, "claim", "dev", "--item", lost, "--lease", "1s")  # whoever took it is never heard of again
    running = Running(yard, pipe)
    try:
        assert running.hears().startswith(f"item {lost}: ")
        moot(yard, "move", moved, "sign")
        assert running.hears().startswith(f"item {moved}: ")
    finally:
        running.end()
