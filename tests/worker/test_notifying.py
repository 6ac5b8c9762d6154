"""People hear of every question: also of the last one, and of one that opened while no worker ran."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.records import Question
from folkmoot.engine.reads.views import question_view
from folkmoot.wiring import notifying
from folkmoot.wiring.notifying import Notifier
from folkmoot.wiring.running import work
from tests.worker.yard import Yard

WRITES = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))"


def worked(yard: Yard) -> list[Any]:
    told: list[Any] = []
    application = yard.board._application
    home = str(yard.folder / ".moot")
    work(application, home, slots=2, agents=[], until_idle=True, tell=told.append, begin=lambda said: None)
    return told


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


ASKS = json.dumps({"outcome": "asks", "question": {"question": "which colour?"}})


@pytest.mark.attack("damage", "the last run before the worker ends asks something", "people are told, and told once")
def test_the_question_of_the_last_run_is_told_once(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps([sys.executable, '-c', WRITES, str(heard)])}")
    item = yard.add("one", f"say {ASKS}")
    worked(yard)
    assert yard.status(item) == "awaiting-divine-guidance"
    assert lines(heard) == [f"item {item}: which colour?"]
    worked(yard)  # it is open still, and known
    assert len(lines(heard)) == 1
    other = yard.add("two", f"say {ASKS}")
    worked(yard)
    assert lines(heard)[1:] == [f"item {other}: which colour?"]


def test_a_question_that_opened_before_the_first_look_is_told(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps([sys.executable, '-c', WRITES, str(heard)])}")
    item = yard.add("one", f"say {ASKS}")
    yard.run()  # a worker that notifies nobody
    worked(yard)
    assert lines(heard) == [f"item {item}: which colour?"]


@pytest.mark.parametrize("command", [["/no/such/program"], [sys.executable, "-c", "raise SystemExit(3)"]])
def test_a_command_that_fails_is_told_once_and_tried_again_by_the_next_worker(
    command: list[str], tmp_path: Path
) -> None:
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps(command)}")
    for name in "abc":
        yard.add(name, f"say {ASKS}")
    faults = [one.words for one in worked(yard) if one.what == "fault"]
    assert len(faults) == 1 and faults[0].startswith(f"nobody could be notified by {command[0]}: ")
    assert not (yard.folder / ".moot" / "notified").exists()
    assert len([one for one in worked(yard) if one.what == "fault"]) == 1


def started(command: list[str], words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*command, words], stdin=subprocess.DEVNULL, start_new_session=True)


def test_it_waits_for_no_command_leaves_no_child_unreaped_and_ends_one_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many questions, a command that never ends: few run at once, and what hangs is ended."""
    monkeypatch.setattr(notifying, "PATIENCE", 0.0)
    monkeypatch.setattr(notifying, "AT_ONCE", 3)
    asked = [question_view(Question(id=f"q{n}", item=str(n), kind="decision", question="?")) for n in range(5)]
    faults: list[str] = []
    hangs = [sys.executable, "-c", "import time; time.sleep(600)"]
    notifier = Notifier(lambda: hangs, lambda words: started(hangs, words), str(tmp_path), lambda: asked, faults.append)
    notifier()
    first = [call.process.pid for call in notifier._calls]
    assert len(first) == 3
    notifier()
    assert len(notifier._calls) == 2 and len(faults) == 1
    assert not any(os.path.exists(f"/proc/{pid}") for pid in first)
    notifier.finish()
    assert notifier._calls == [] and not (tmp_path / "notified").exists()


def test_what_still_runs_at_the_end_is_left_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifying, "LAST_PATIENCE", 0.0)
    ends = tmp_path / "end"
    code = f"import os, time\nwhile not os.path.exists({str(ends)!r}): time.sleep(0.01)"
    questions = [question_view(Question(id="q1", item="1", kind="decision", question="?"))]
    waits = [sys.executable, "-c", code]
    notifier = Notifier(
        lambda: waits, lambda words: started(waits, words), str(tmp_path), lambda: questions, lambda words: None
    )
    notifier()
    process = notifier._calls[0].process
    notifier.finish()
    assert process.poll() is None and lines(tmp_path / "notified") == ["q1"]
    ends.touch()
    assert process.wait(600) == 0
