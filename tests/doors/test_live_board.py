"""`moot board --live`: the board stays on the screen, follows what happens, and takes answers."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from folkmoot.doors.cli.looking.live import ENTER, LEAVE, Screen
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import COLOURS, Terminal

ASKS = {"question": "Net or gross?", "options": ["net", "gross"]}
PLACED = re.compile(r"\x1b\[(\d+)H([^\x1b\n]*(?:\x1b\[[0-9;]*m[^\x1b\n]*)*)")


def live(folder: Path, columns: int = 80, **env: str) -> Terminal:
    said = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "30", **env}
    return Terminal(
        [sys.executable, "-m", "folkmoot", "board", "--live"], columns=columns, env=environment(said), folder=folder
    )


def screen_of(terminal: Terminal) -> dict[int, str]:
    """What stands on the screen now, by its line."""
    return {int(line): COLOURS.sub("", words) for line, words in PLACED.findall(terminal.said.decode())}


def on_screen(terminal: Terminal, words: str) -> None:
    while words not in "\n".join(screen_of(terminal).values()):
        assert terminal.read_some(), f"{words!r} never came: {screen_of(terminal)}"


@pytest.fixture
def board(nowhere: Moot) -> Moot:
    nowhere("init")
    nowhere("add", "Sum up the cart")
    return nowhere


def test_it_follows_what_others_write_and_gives_the_screen_back(board: Moot) -> None:
    terminal = live(board.folder)
    on_screen(terminal, "Nobody waits for you")
    on_screen(terminal, "Sum up the cart")
    board("add", "Print the receipt")
    on_screen(terminal, "Print the receipt")
    board("claim", "coder", "--lease", "10m")
    on_screen(terminal, "1 working")
    terminal.type("q")
    said = terminal.read_to_end()
    assert terminal.code == 0 and said.startswith(ENTER) and said.endswith(LEAVE)


@pytest.mark.parametrize("columns", [80, 48])
def test_it_fits_the_screen_and_has_no_colour_where_none_is_wanted(board: Moot, columns: int) -> None:
    board("add", "A title that is far too long for any screen " * 4)
    board.work("coder", outcome="asks", question=ASKS)
    terminal = live(board.folder, columns, NO_COLOR="1")
    on_screen(terminal, "Needs you (1)")
    on_screen(terminal, "q ends it")
    terminal.type("q")
    said = terminal.read_to_end()
    assert all(len(line) <= columns for line in screen_of(terminal).values())
    assert max(screen_of(terminal)) <= 30 and not COLOURS.search(said.replace("\x1b[0m", ""))


def test_a_number_answers_the_question_that_stands_first(board: Moot) -> None:
    board.work("coder", outcome="asks", question=ASKS)
    terminal = live(board.folder)
    on_screen(terminal, "1-2 answers q1")
    terminal.type("2")
    on_screen(terminal, "Nobody waits for you")
    terminal.type("q")
    terminal.read_to_end()
    assert board.json("show", "1")["questions"][0]["answer"] == "gross"


def test_words_answer_too_and_q_is_a_letter_among_them(board: Moot) -> None:
    board.work("coder", outcome="asks", question={"question": "Which port?"})
    terminal = live(board.folder)
    on_screen(terminal, "a answers q1")
    terminal.type("a")
    on_screen(terminal, "answer q1 #1 (words, Enter: later)")
    terminal.type("quite any\n")
    on_screen(terminal, "Nobody waits for you")
    terminal.type("q")
    terminal.read_to_end()
    assert terminal.code == 0 and board.json("show", "1")["questions"][0]["answer"] == "quite any"


@pytest.mark.parametrize(("how", "code"), [("\x03", 0), (signal.SIGTERM, 143)])
def test_however_it_ends_the_screen_is_given_back(board: Moot, how: str | int, code: int) -> None:
    terminal = live(board.folder)
    on_screen(terminal, "q ends it")
    if isinstance(how, str):
        terminal.type(how)
    else:
        os.kill(terminal.pid, how)
    assert terminal.read_to_end().endswith(LEAVE) and terminal.code == code


def test_without_a_terminal_it_says_what_to_use(board: Moot) -> None:
    assert board("board", "--live", "--json", code=2).error["code"] == "bad_usage"
    assert "draws on a terminal" in board("board", "--live", code=2).err


def test_only_lines_that_changed_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen.__new__(Screen)
    screen._lines = []
    screen._show(["one", "two", "three"])
    assert capsys.readouterr().out.count("\x1b[K") == 3
    screen._show(["one", "two", "three"])
    assert capsys.readouterr().out == ""
    screen._show(["one", "2"])
    assert capsys.readouterr().out == "\x1b[2H2\x1b[0m\x1b[K\x1b[3H\x1b[J"
