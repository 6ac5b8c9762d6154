"""How pages look: never wider than the screen, in colour only where that helps, quick where agents wait."""

import json
import os
import pty
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len

from folkmoot.core.events import EVENTS
from folkmoot.doors.cli.render.events import SAYS
from tests.doors.conftest import Moot, environment

LONG = "A title so long that no terminal has room for it on one line, since people write what they think of " * 4


@pytest.fixture
def full(disputed: Moot) -> Moot:
    """A board on which everything is longer than it should be."""
    long = LONG.strip()
    disputed(
        "add",
        long,
        "--column",
        "review",
        "--tag",
        long[:200],
        "--files",
        "src/" + "x" * 200 + "/" + "x" * 99,
        "--priority",
        "critical",
    )
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


BOARD = """\
kanban  1 ready · 1 for you

 ? q1 #1  dev-agent and test-architect disagree about tests/test_reset.py. Who
          is right?
   moot answer q1 1
   all that is needed to decide: moot inbox

 stories  story-agent
 arch     architect-agent
 tests    test-architect
   ? #1  Users can reset a forgotten password  dispute q1
 dev      dev-agent
   ○ #2  Reset links expire after one hour
 review   review-agent
 qa       qa-agent
 done     0
"""
LIST = """\
? #1  tests  Users can reset a forgotten password  dispute
○ #2  dev    Reset links expire after one hour
"""
INBOX = """\
1 question for you

#1  Users can reset a forgotten password
  ? q1  folkmoot asks · dispute · 12:34:56
      Context   dev-agent: The test contradicts the story.
                test-architect: It does not.
                dev-agent: It does.
                test-architect: No.
      Question  dev-agent and test-architect disagree about tests/test_reset.py.
                Who is right?
      Options   1. dev-agent is right → goes to tests, the dispute accepted
                2. test-architect is right → goes to dev, the dispute rejected
                3. park it → rests until you answer again
                4. cancel it → ends, with its runs and children
      Help      who finds neither right can send it elsewhere, to another column
                (--to COLUMN)
      Answer    moot answer q1 1  and, if you like, words for the agent: "…"
"""
SHOW = """\
#2  Reset links expire after one hour
○ ready in dev · medium feature

  Queued in dev for dev-agent (glm-4), because ada added it.

What happened
  2026-01-02
  12:34:56  ada    added it → dev

What happens next
  dev-agent takes it: moot claim dev-agent
"""
LOG = """\
4  12:34:56  #2  ada  added it → dev
"""
COMMENTS = """\
c001  dev-agent · 12:34:56 · tests/test_reset.py
      The test contradicts the story.
  c002  test-architect · 12:34:56
        It does not.
  c003  dev-agent · 12:34:56
        It does.
  c004  test-architect · 12:34:56
        No.
"""


PAGES = {"board": BOARD, "list": LIST, "inbox": INBOX, "show 2": SHOW, "log 2": LOG, "comments 1": COMMENTS}


@pytest.mark.parametrize("columns", ["80", ""])
def test_pages_look_as_they_should(disputed: Moot, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    for command, page in PAGES.items():
        shown = re.sub(r"\d\d:\d\d:\d\d", "12:34:56", disputed(*command.split()).out)
        assert re.sub(r"20\d\d-\d\d-\d\d", "2026-01-02", shown) == page


def test_a_long_column_is_cut_for_a_screen_and_whole_for_grep(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    moot("add", "--from", "-", stdin="\n".join(f"- Item {number} {LONG.strip()[:90]}" for number in range(1, 31)))
    moot("claim", "story-agent", "--item", "30")
    whole = moot("board").out
    assert whole.count(LONG.strip()[:90]) == 30
    monkeypatch.setenv("COLUMNS", "80")
    shown = moot("board").out
    assert shown.count("Item ") == 20 and "     and 10 more: moot list --column stories\n" in shown
    assert "   ○  #1  Item 1 " in shown and "▶ #30  Item 30" in shown, "what happens now is never left out"


def test_a_long_title_does_not_hide_what_a_glance_should_tell(full: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asking = full("list").out.splitlines()[2]
    assert cell_len(asking) in (79, 80) and asking.endswith("…  asks · 1 failure · critical")


def test_every_script_is_shown_and_nothing_moves_the_cursor(moot: Moot) -> None:
    family, flag = "\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308"
    moot("add", f"{family} {flag} می\u200cخواهم שלום 漢字", "--column", "dev")
    moot("add", "evil \x1b[31m \x07 \u202e \u200b \x9b", "--column", "dev")
    good, bad = moot("list").out.splitlines()
    assert good.endswith(f"{family} {flag} می\u200cخواهم שלום 漢字")
    assert bad.endswith("evil �[31m � � � �")


def test_the_plain_locale_gets_nothing_but_ascii(full: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", "C")
    for command in ("board", "list", "show 1", "show 3", "inbox", "log", "comments 3", "doctor"):
        shown = full(*command.split()).out
        assert shown.isascii() and shown, command
        assert not [line for line in shown.splitlines() if len(line) > 80 or line != line.rstrip()], command
    assert full.process("board", env={"LC_ALL": "C"}).stdout.isascii()


def test_an_error_is_broken_between_words_on_a_screen(disputed: Moot) -> None:
    lines = through_a_terminal(disputed.folder, "move", "1", "revew", env={"NO_COLOR": "1", "COLUMNS": "60"}).split(
        "\r\n"
    )
    assert lines[:2] == [
        "moot: there is no column 'revew'",
        "  next: did you mean: review; columns: ready, stories, arch,",
    ]
    assert all(len(line) <= 60 for line in lines) and lines[2].startswith("        tests, dev,")
    assert len(disputed("move", "1", "revew", code=2).err.splitlines()) == 2, "a script gets a line for each"


def test_another_day_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from folkmoot.doors.cli.render.page import time_of, today, when

    now = datetime.now().astimezone()
    assert when(now.isoformat()) == time_of(now.isoformat()) or when(now.isoformat())[:10] != today()
    assert when((now - timedelta(days=2)).isoformat()) == (now - timedelta(days=2)).strftime("%Y-%m-%d %H:%M")


def test_prose_that_was_broken_for_another_width_is_broken_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from folkmoot.doors.cli.render.page import Page

    monkeypatch.setenv("COLUMNS", "40")
    code = "```\ncode\nstays\n```"
    words = f"# Head\nThis is longer than forty cells are\nand goes on.\n\n- a list\n  of two\n1. first\n{code}"
    Page().prose(words)
    broken = "# Head\nThis is longer than forty cells are and\ngoes on.\n\n- a list of two\n1. first\n"
    assert capsys.readouterr().out == f"{broken}{code}\n"


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
    for command in ("board", "inbox", "comments 1", "doctor"):
        coloured = through_a_terminal(disputed.folder, *command.split(), env={"COLUMNS": "80"})
        piped = disputed.process(*command.split(), env={"COLUMNS": "80"}).stdout.decode()
        assert "\x1b[" in coloured
        assert "\x1b" not in piped
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("\r\n", "\n") == piped


@pytest.mark.parametrize("arguments", [["board"], ["show", "1"], ["inbox"], ["show", "99"], ["frobnicate"], ["stop"]])
def test_no_color_means_no_codes_at_all(disputed: Moot, arguments: list[str]) -> None:
    assert "\x1b" not in through_a_terminal(disputed.folder, *arguments, env={"NO_COLOR": "1"})


def test_a_dumb_terminal_gets_no_codes(disputed: Moot) -> None:
    assert "\x1b" not in through_a_terminal(disputed.folder, "board", env={"TERM": "dumb"})


@pytest.mark.parametrize(
    "command", ["claim dev-agent", "list", "show 1", "board", "add x", "inbox", "lock a.py", "locks", "messages"]
)
@pytest.mark.embedded("a server's client loads asyncio by itself")
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
        "folkmoot.engine.checking.doctor",
        "folkmoot.engine.reads.metrics",
    }
    heavy = ("folkmoot.doors.cli.render.", "folkmoot.worker.", "folkmoot.wiring.steering.")
    assert not [name for name in loaded if name.startswith(heavy)]


def test_every_event_has_words_and_no_words_are_left_over() -> None:
    assert SAYS.keys() == EVENTS.keys(), "give a new event its words in say/events.py"


@pytest.mark.parametrize("columns", ["0", "00", ""])
def test_a_screen_that_says_it_has_no_columns_is_written_to(
    moot: Moot, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert "a title" in moot("add", "a title").out and "a title" in moot("board").out


def test_json_holds_nothing_that_a_terminal_obeys(moot: Moot) -> None:
    words = "x \x9b31mRED \x9b2J \u202egnp.exe \x7f \x85 \u2028 \U000e0001 \u200d 漢"
    moot("add", "one")
    moot("comment", "1", words)
    out = moot("comments", "1", "--json").out
    assert all(letter.isprintable() or letter in "\n\u200d" for letter in out) and "漢" in out
    assert json.loads(out)["comments"][0]["content"] == words
