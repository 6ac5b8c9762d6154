"""Help: every command says what it does, when to use it, and gives examples that work."""

import re
import shlex
import tempfile
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from folkmoot.config import Settings
from folkmoot.core.commands import Actor, AddComment, AddItem
from folkmoot.core.report import AskedQuestion, Choice, Report
from folkmoot.doors.cli.main import COMMANDS, DAILY, PURPOSES
from folkmoot.doors.cli.main import moot as cli
from folkmoot.doors.cli.session import Session
from folkmoot.wiring.boards import FileBoards
from tests import stores
from tests.doors.conftest import Moot

RUN, MESSAGE = "r3f9a2c41b7d0", "6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4"
ADA = Actor("ada")


def help_of(name: str, columns: int = 80) -> str:
    parent = click.Context(cli, info_name="moot")
    command = cli.get_command(parent, name)
    assert command is not None
    return command.get_help(click.Context(command, info_name=name, parent=parent, terminal_width=columns))


def examples(name: str) -> list[str]:
    """The lines below `Examples:`; on a page without that heading, those that begin with the command."""
    text = help_of(name) + "\n"
    found = re.search(r"Examples:\n((?:    .*\n)+)", text)
    lines = found[1].splitlines() if found else re.findall(rf"^  moot {name}\b.*$", text, re.MULTILINE)
    return [line.strip() for line in lines]


def words_of(example: str) -> list[str]:
    """What `moot` gets of an example, behind a pipe or before one."""
    part = next(part for part in re.split(r" \| | < | > ", example) if re.search(r"\bmoot\b", part))
    words = shlex.split(part)
    return words[words.index("moot") + 1 :]


EXAMPLES = [(name, example) for name in COMMANDS for example in examples(name)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    text = help_of(name)
    assert not [line for line in text.splitlines() if cell_len(line) > 80 or line != line.rstrip()]
    assert 2 <= len(examples(name)) <= 4, "two to four examples"
    also = re.findall(r"moot ([a-z]+)", text.partition("See also: ")[2].partition("\n\n")[0])
    assert also and set(also) <= set(COMMANDS) - {name}
    options = text.partition("Options:\n")[2].splitlines()
    silent = [line for line in options if re.fullmatch(r"  --?\S+( \S+)?", line)]
    followed = {line: options[options.index(line) + 1 :][:1] for line in silent}
    assert all(after and after[0].startswith(" " * 10) for after in followed.values()), "an option says what it does"


@pytest.mark.parametrize("name, example", EXAMPLES)
def test_every_example_can_be_read(name: str, example: str) -> None:
    words = words_of(example)
    assert words[0] == name
    context = click.Context(cli, info_name="moot", obj=Session(FileBoards(), Settings()))
    command = cli.get_command(context, name)
    assert command is not None
    with command.make_context(name, words[1:], parent=context):
        pass


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board that has what the examples speak of: item 7 with a comment, a question q3, files to read."""
    folder = tmp_path_factory.mktemp("examples")
    board = FileBoards().create(str(folder), "kanban")
    for number in range(1, 8):
        board.engine.add(ADA, AddItem(title=f"Item {number}", column="dev", tags=["auth"], files=["f" * number]))
    for item in ("1", "2", "3"):
        claim = board.engine.claim(ADA, "dev-agent", item=item)
        question = AskedQuestion(question="Which?", options=[Choice(option="one"), Choice(option="two")])
        run = Actor("dev-agent", claim.run, claim.token)
        board.engine.report(run, Report(outcome="asks", question=question))
    board.engine.handle_item(ADA, "7", AddComment(content="The limit is wrong"))
    board.close()
    (folder / "backlog.md").write_text("- one\n- two\n")
    (folder / "report.md").write_text('{"outcome": "done", "summary": "It is done."}')
    return folder


def run_example(moot: Moot, example: str) -> int:
    """An example as it stands, but with the run that is there."""
    words = words_of(example)
    if RUN in words:
        claim = moot.json("claim", "dev-agent", "--item", "6")
        words = [{RUN: claim["run"], "1": str(claim["token"])}.get(word, word) for word in words]
    stdin = '{"outcome": "done"}' if "report" in words else "Details"
    return moot(*words, code=None, stdin=stdin).code


# Not in a test of a moment: they play, follow, wait for a person, start agents, or write and read copies of a board.
LONG = re.compile(
    r"moot (demo|simulate|run|serve|worker|ask|backup|restore|export|import)\b|"
    r"--follow|--watch|--live|handoff.json|builder|" + MESSAGE
)
REFUSED_HERE = {  # what the board of the test has no ground for
    "moot resume claude-code": 2,
    "moot claim --clone": 1,  # there is no repository
    "moot init": 1,
    "moot reopen": 1,
    "moot edit 7 --overrule 2": 2,
    "moot unlock package.json src/auth/": 1,
    "moot salvage": 1,
    "moot diff": 1,
    "moot end": 1,  # nobody is at work
    "moot hear": 2,
    "moot take": 1,
    "moot end 7": 1,  # nobody works on it
    "moot give --report": 2,
    "moot give": 3,
    "moot output 7": 2,
    "moot ready": 1,
    "moot token revoke": 2,
    "moot token link": 1,
}


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_do_what_they_say(nowhere: Moot, prepared: Path, name: str) -> None:
    for example in examples(name):
        if LONG.search(example):
            continue
        with tempfile.TemporaryDirectory(dir=nowhere.folder) as folder:
            moot = Moot(Path(folder), nowhere._capsys, nowhere._patch)
            stores.copy(prepared, folder)
            if name == "unlock":
                moot("lock", "src/auth/")
            if name == "unpark":
                moot("park", "7")
            expected = next((code for words, code in REFUSED_HERE.items() if example.startswith(words)), 0)
            assert run_example(moot, example) == expected, example


def test_the_first_page_says_how_to_begin_and_fits(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = nowhere("--help").out
    assert page == nowhere().out
    assert page.index("moot init") < page.index("moot add") < page.index("moot run")
    assert not [line for line in page.splitlines() if len(line) > 80 or line != line.rstrip()]
    assert "..." not in page.partition("Options:")[2], "no line about a command is cut"
    shown = [name for name in COMMANDS if f"\n  {name} " in page]
    assert set(shown) == {name for names in DAILY.values() for name in names} and len(shown) <= 18
    assert "moot --help --all" in page


def test_the_other_commands_are_one_word_away(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = nowhere("--help", "--all").out
    assert page == nowhere("help", "--all").out == nowhere("--all", "--help").out == nowhere("--all").out
    assert "..." not in page.partition("Options:")[2], "no line about a command is cut"
    assert [name for name in COMMANDS if f"\n  {name} " not in page] == []
    assert {name for names in PURPOSES.values() for name in names} == set(COMMANDS)
    assert nowhere("help").out == nowhere("--help").out
    assert nowhere("help", "add").out == nowhere("add", "--help").out


@pytest.mark.parametrize(
    "typed, meant",
    [
        (["shwo", "1"], "moot show"),
        (["list", "--colunm", "dev"], "--column"),
        (["list", "--status", "redy"], "ready"),
        (["list", "--column", "revew"], "review"),
        (["add", "x", "--column", "revew"], "review"),
        (["claim", "dev-agnt"], "dev-agent"),
        (["dispatch", "qa-agnt", "x"], "qa-agent"),
        (["messages", "--to", "qa-agnt"], "qa-agent"),
        (["lessons", "--agent", "qa-agnt"], "qa-agent"),
        (["init", "--preset", "knban"], "kanban"),
        (["completion", "bahs"], "bash"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_what_was_meant(moot: Moot, typed: list[str], meant: str) -> None:
    if typed[0] == "init":
        for file in (moot.folder / ".moot").glob("board.db*"):
            file.unlink()
    error = moot(*typed, "--json", code=2).error
    assert re.match(rf"did you mean:? '?{re.escape(meant)}\b", error["hint"]), error["hint"]


@pytest.mark.parametrize(
    "typed, hint",
    [
        (["add", "x", "--text", "y"], "did you mean: --body; see: moot add --help"),
        (["cancel", "1", "--reason", "y"], "did you mean: --why; see: moot cancel --help"),
        (["add", "x", "--reason", "y"], "see: moot add --help"),
        (["restore", "--yes"], "see: moot restore --help"),
    ],
)
def test_an_option_of_another_command_is_answered_with_one_that_means_the_same_or_with_none(
    moot: Moot, typed: list[str], hint: str
) -> None:
    assert moot(*typed, "--json", code=2).error["hint"] == hint


def test_what_is_missing_or_too_much_is_named(moot: Moot) -> None:
    assert "show needs ITEM" in moot("show", code=2).err
    assert "widen needs [RUN] PATH..." in moot("widen", code=2).err
    assert "in quotes" in moot("add", "Reset", "password", code=2).err
