"""What `moot run` says to whoever sees it for the first time: true reasons, titles, and a question at once."""

import io
import json
import sys
import threading
from pathlib import Path

import pytest

from folkmoot.core.commands import Actor, AddItem
from folkmoot.doors.cli.keyboard.answering import SETTLES, Answering
from folkmoot.doors.cli.render import running
from folkmoot.wiring.boards import FileBoards
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown
from tests.doors.test_running_looks import git

ADA = Actor("ada")


def project(folder: Path, agent: str) -> None:
    (folder / "a.txt").write_text("good\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / ".moot").mkdir()
    flow = {
        "columns": {"dev": {"agents": ["dev"], "next": "done"}},
        "agents": {"dev": {"run": {"command": ["/bin/sh", "-c", agent]}}},
        "sandbox": "never",
    }
    (folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    board = FileBoards().create(str(folder), "simple")
    board.engine.add(ADA, AddItem(title="Paint the door"))
    board.close()


def test_done_without_a_change_says_why_it_failed_and_not_how_well_it_went(tmp_path: Path) -> None:
    project(tmp_path, """echo '{"outcome": "done", "summary": "all is fine"}'""")
    command = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]
    terminal = Terminal(command, columns=120, env=environment({"TERM": "dumb", "COLUMNS": "120"}), folder=tmp_path)
    said = shown(terminal.read_to_end())
    failed = [line for line in said.splitlines() if "failed (protocol)" in line]
    assert failed and not any("all is fine" in line for line in failed)
    assert "failed (protocol): “you reported done, but no file changed”" in said


def test_lines_name_the_item_at_eighty_columns(tmp_path: Path) -> None:
    project(tmp_path, """echo x > x.txt; echo '{"outcome": "done", "summary": "painted"}'""")
    command = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]
    terminal = Terminal(command, columns=80, env=environment({"TERM": "xterm", "COLUMNS": "80"}), folder=tmp_path)
    said = shown(terminal.read_to_end())
    assert any("Paint the door" in line and "done: painted" in line for line in said.splitlines()), said
    assert max(map(len, said.splitlines())) <= 80


class Screen(io.StringIO):
    """A terminal that says when something is on it."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self.awaited, self.seen = awaited, threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.awaited in text:
            self.seen.set()
        return super().write(text)


def test_a_question_that_was_open_before_can_be_answered_at_once(
    nowhere: Moot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(running, "LOOK_SECONDS", 1000.0)  # nobody tells anything meanwhile
    nowhere("init", "--preset", "escalation")
    nowhere("add", "Verify signatures")
    nowhere.tell("developer", {"outcome": "asks", "question": {"question": "Which curve?"}})
    board = FileBoards().open(str(nowhere.folder))
    moments = iter(range(1_000_000))
    screen, ask = Screen("Enter: later"), board.asked_by(ADA)
    progress = running.Progress(screen, ask)
    progress.answering = Answering(ask, lambda: next(moments) * SETTLES)
    progress.start()
    assert screen.seen.wait(60)
    progress.stop()
    board.close()
