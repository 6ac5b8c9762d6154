"""How pages look: never wider than the screen, in colour only where that helps, quick where agents wait."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from folkmoot.core.events import EVENTS
from folkmoot.doors.cli.say.events import SAYS
from tests.doors.conftest import Moot, environment

LONG = "A title so long that no terminal has room for it on one line, since people write what they think of " * 4


@pytest.fixture
def full(disputed: Moot) -> Moot:
    """A board on which everything is longer than it should be."""
    long = LONG.strip()
    disputed("add", long, "--column", "review", "--tag", long, "--files", "src/" + "x" * 300, "--priority", "critical")
    disputed.work(
        "review-agent", outcome="changes_requested", summary=long, findings=[{"issue": long, "file": "y" * 200}]
    )
    disputed("comment", "3", "漢字" * 100)
    disputed.work("dev-agent", outcome="failed", summary=long, attempts=[{"approach": long, "outcome": "z" * 400}])
    disputed("move", "2", "tests")
    disputed.work(
        "dev-agent", outcome="asks", question={"question": long, "context": long, "options": [long, "w" * 300]}
    )
    disputed("claim", "test-architect", "--item", "2")
    return disputed


@pytest.mark.parametrize("columns", ["24", "40", "80", "100", "200"])
def test_no_line_is_longer_than_the_screen(full: Moot, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in (
        "show 1",
        "show 2",
        "show 3",
        "board",
        "inbox",
        "list",
        "log",
        "comments 3",
        "doctor",
        "check",
        "locks",
        "metrics",
    ):
        lines = full(*command.split()).out.splitlines()
        assert not [line for line in lines if cell_len(line) > int(columns)], command
        assert not [line for line in lines if line != line.rstrip()], f"a line of {command} ends in spaces"


@pytest.mark.parametrize("columns", ["24", "80"])
def test_no_page_about_sharing_is_wider_than_the_screen(
    nowhere: Moot, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    long = LONG.strip()
    nowhere("init", "--preset", "quest")
    nowhere("add", "The quest")
    tasks = [{"title": long[:400], "files": ["src/" + "x" * 200], "contracts": ["y" * 90]}, {"title": "b"}]
    points = {"z" * 90: long}
    contracts = [{"name": "y" * 90, "text": long}]
    nowhere.work("pathseeker", outcome="split", tasks=tasks, contracts=contracts, integration_points=points)
    nowhere.work("codeweaver", summary=long, lessons=[long])
    nowhere("lock", "w" * 200, "--as", "v" * 90)
    nowhere("dispatch", "codeweaver", long, "--purpose", "question")
    nowhere("claim", "codeweaver", "--item", "3")
    monkeypatch.setenv("COLUMNS", columns)
    pages = ["show 1", "show 2", "show 4", "board", "list", "log", "locks", "lessons", "metrics", "messages"]
    for command in pages:
        lines = nowhere(*command.split()).out.splitlines()
        assert not [line for line in lines if cell_len(line) > int(columns)], command
        assert not [line for line in lines if line != line.rstrip()], f"a line of {command} ends in spaces"


def test_in_a_pipe_a_list_is_not_cut(full: Moot) -> None:
    assert LONG.strip()[:400] in full("list").out
    assert len(full("list").out.splitlines()) == 3


def through_a_terminal(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """What the command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "folkmoot", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment(env),
    )
    os.close(theirs)
    heard = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how a terminal says that its last writer has gone
            break
        if not part:
            break
        heard += part
    os.close(ours)
    process.wait()
    return heard.decode()


def test_a_terminal_gets_colour_and_the_same_words_as_a_pipe(disputed: Moot) -> None:
    import re

    for command in ("board", "inbox", "comments 1", "doctor"):
        coloured = through_a_terminal(disputed.folder, *command.split(), env={"COLUMNS": "80"})
        piped = disputed.process(*command.split(), env={"COLUMNS": "80"}).stdout.decode()
        assert "\x1b[" in coloured
        assert "\x1b" not in piped
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("\r\n", "\n") == piped


@pytest.mark.parametrize("arguments", [["board"], ["show", "1"], ["inbox"], ["show", "99"], ["frobnicate"]])
def test_no_color_means_no_codes_at_all(disputed: Moot, arguments: list[str]) -> None:
    assert "\x1b" not in through_a_terminal(disputed.folder, *arguments, env={"NO_COLOR": "1"})


def test_a_dumb_terminal_gets_no_codes(disputed: Moot) -> None:
    assert "\x1b" not in through_a_terminal(disputed.folder, "board", env={"TERM": "dumb"})


@pytest.mark.parametrize(
    "command", ["claim dev-agent", "list", "show 1", "board", "add x", "inbox", "lock a.py", "locks", "messages"]
)
def test_nothing_that_only_people_need_is_loaded_for_json(disputed: Moot, command: str) -> None:
    script = (
        "import sys\nfrom folkmoot.wiring import main\n"
        "try:\n    main()\nfinally:\n    print(*sorted(sys.modules), sep='\\n', file=sys.stderr)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", script, *command.split(), "--json"],
        capture_output=True,
        cwd=disputed.folder,
        env=environment(),
        text=True,
        check=True,
    )
    loaded = set(process.stderr.split())
    assert "folkmoot.engine.engine" in loaded
    assert not loaded & {
        "rich",
        "yaml",
        "difflib",
        "asyncio",
        "folkmoot.doors.cli.say",
        "folkmoot.engine.checking.doctor",
        "folkmoot.engine.measures",
    }


def test_every_event_has_words_and_no_words_are_left_over() -> None:
    assert SAYS.keys() == EVENTS.keys(), "give a new event its words in say/events.py"
