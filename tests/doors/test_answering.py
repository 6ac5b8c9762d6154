"""Questions that are answered at the terminal of `moot run`, and what an idle worker says."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.requests import AnswerQuestion, ListQuestions
from folkmoot.core.commands import Actor, AddItem
from folkmoot.doors.cli.keyboard.answering import SETTLES, Answering
from folkmoot.engine.application import Application
from folkmoot.wiring.boards import FileBoards
from tests.doors.conftest import environment
from tests.doors.terminal import Terminal, shown
from tests.doors.test_running_looks import git
from tests.some import some

ADA = Actor("ada")
# Item 1 asks once, with options; item 2 asks with words alone; the others are done at once.
AGENT = r"""
if grep -q '"guidance": *\[ *{' $MOOT_BRIEF || grep -q '"guidance":\[{' $MOOT_BRIEF; then
  echo said > said-$MOOT_ITEM.txt
  echo '{"outcome": "done", "summary": "as you said"}' > $MOOT_REPORT
elif [ $MOOT_ITEM = 1 ]; then
  echo '{"outcome": "asks", "question": {"question": "Net or gross?", "options": ["net", "gross"]}}' > $MOOT_REPORT
elif [ $MOOT_ITEM = 2 ]; then
  echo '{"outcome": "asks", "question": {"question": "Which port?"}}' > $MOOT_REPORT
else
  echo made > made-$MOOT_ITEM.txt
  echo '{"outcome": "done", "summary": "nothing to ask"}' > $MOOT_REPORT
fi
"""
FLOW: dict[str, Any] = {
    "flow": "tiny",
    "columns": {"dev": {"agents": ["dev"], "next": "done"}},
    "agents": {"dev": {"run": {"command": ["/bin/sh", "-c", AGENT]}}},
    "limits": {"slots": 1},
    "sandbox": "never",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("good\n")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / ".moot").mkdir()
    (tmp_path / ".moot" / "flow.yaml").write_text(json.dumps(FLOW))
    return tmp_path


@pytest.fixture
def board(folder: Path) -> Application:
    return FileBoards().create(str(folder), "kanban")


def terminal(folder: Path, *words: str, columns: int = 100) -> Terminal:
    command = [sys.executable, "-m", "folkmoot", *words]
    return Terminal(
        command, columns=columns, env=environment({"TERM": "xterm", "COLUMNS": str(columns)}), folder=folder
    )


@pytest.mark.parametrize("columns", some([80, 120], [80]))
def test_a_question_is_answered_where_it_stands_and_others_go_on(
    folder: Path, board: Application, columns: int
) -> None:
    for title in ("one", "two", "three"):
        board.engine.add(ADA, AddItem(title=title))
    board.close()
    seen = terminal(folder, "run", "--no-input", "--until-idle", columns=columns).read_to_end()
    assert "Enter: later" not in seen and "landed" in seen
    running = terminal(folder, "run", columns=columns)
    running.wait_for("answer q1 #1 (1-2 or words, Enter: later)")
    running.type("2")
    running.wait_for("answer q2 #2 (words, Enter: later)")
    running.type("80x\x7f80\n")
    while running.said.count(b"as you said") < 2:
        assert running.read_some()
    running.type("\x03")
    screen = shown(running.read_to_end())
    assert running.code == 0 and "Net or gross?" in screen
    assert not [line for line in screen.splitlines() if len(line) > columns]
    again = FileBoards().open(str(folder))
    given = {question.id: question.answer for item in ("1", "2") for question in again.queries.show(item).questions}
    assert given == {"q1": "gross", "q2": "8080"}
    again.close()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def asked(board: Application, *titles: str) -> None:
    for title in titles:
        board.engine.add(ADA, AddItem(title=title))
    boards = FileBoards()
    boards.work(board, slots=1, agents=[], until_idle=True, tell=lambda told: None, begin=lambda view: None)


def test_enter_leaves_a_question_for_later_and_what_is_pasted_behind_answers_no_other(board: Application) -> None:
    asked(board, "one", "two")
    clock, ask = Clock(), board.asked_by(ADA)
    person = Answering(ask, clock)
    person.look()
    assert person.prompt() == "", "what is typed now was meant for something else"
    person.typed("2")
    clock.now = SETTLES
    person.typed("\x1b[A7 and\x15so\n")
    assert person.prompt(200).startswith("'so' is none of the options of q1")
    person.typed("gross\n")
    assert [one.id for one in ask(ListQuestions()).questions] == ["q2"]
    clock.now += SETTLES
    person.typed("\n1\n")
    assert person.asked is None and person.prompt() == ""
    assert [one.id for one in ask(ListQuestions()).questions] == ["q2"], "it waits in the inbox"
    board.close()


def test_what_is_no_answer_is_said_and_can_be_said_again(board: Application) -> None:
    asked(board, "one")
    clock, ask = Clock(), board.asked_by(ADA)
    person = Answering(ask, clock)
    question = person.look()
    assert question is not None
    clock.now = SETTLES
    ask(AnswerQuestion(question=question.id, answer="1"))
    person.typed("2")
    assert person.asked is None, "somebody else was quicker"
    long = "x" * 300
    asked(board, "two")
    person.look()
    clock.now += SETTLES
    person.typed(long)
    assert len(person.prompt(60)) <= 60 and person.prompt(60).endswith("x_")
    board.close()


def test_an_idle_worker_says_what_it_waits_for(folder: Path, board: Application) -> None:
    board.engine.add(ADA, AddItem(title="three", files=["a.txt"]))
    held = board.engine.add(ADA, AddItem(title="four", files=["a.txt"]))
    claim = board.engine.claim(ADA, "dev", item="1", lease=600.0)
    running = terminal(folder, "run")
    running.wait_for(f"#{held.id} waits: ")
    running.wait_for(f"#1 is held by dev ({claim.run[:6]}), its lease until")
    running.type("\x03")
    running.read_to_end()
    board.close()
