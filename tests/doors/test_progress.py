"""How `moot run` tells what happens: in a pipe, in terminals of any width, from many threads, to nobody."""

import io
import json
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from folkmoot.core.commands import Actor, AddItem
from folkmoot.doors.cli.render.progress.lines import Teller, span
from folkmoot.doors.cli.render.running import Progress
from folkmoot.wiring.boards import FileBoards
from tests import forked
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown

LONG = "A title that is far too long for eighty columns of any terminal that anybody has ever used"
# Item 1 lands, 2 makes the gate red until somebody is asked, 3 asks, and 4 is not its agent's to change.
AGENT = """
case $MOOT_ITEM in
  2) echo bad > two.txt; echo '{"outcome": "done", "summary": "I am sure"}' ;;
  3) echo '{"outcome": "asks", "question": {"question": "May I?", "options": ["Yes", "No"]}}' ;;
  *) echo good > f$MOOT_ITEM.txt; echo '{"outcome": "done", "summary": "wrote it"}' ;;
esac
"""
FLOW = {
    "flow": "tiny",
    "columns": {"dev": {"agents": ["dev"], "next": "done", "gate": ["check"]}},
    "agents": {
        "dev": {"run": {"command": ["/bin/sh", "-c", AGENT]}, "ladder": {"0": "small", "1": "large", "2+": "escalate"}}
    },
    "gates": {"check": {"run": ["/bin/sh", "-c", "if grep -rq bad *.txt; then echo two.txt is bad; exit 1; fi"]}},
    "target": "main",
}


class Told(Struct):
    what: str
    item: str
    agent: str
    words: str
    model: str | None = None
    run: str = ""


def make(folder: Path, titles: Sequence[str] = ("one", "two", "three", LONG)) -> Path:
    """A repository with a board and items."""
    folder.mkdir()
    (folder / "a.txt").write_text("good\n")
    (folder / ".gitignore").write_text(".moot/\n")
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(json.dumps(FLOW))
    board = FileBoards().create(str(folder), "kanban")
    for title in titles:
        board.engine.add(Actor("ada"), AddItem(title=title))
    board.close()
    return folder


COMMAND = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]


@pytest.mark.ledger("P-08")
def test_in_a_pipe_there_is_a_plain_line_for_each_thing(tmp_path: Path) -> None:
    folder = make(tmp_path / "project")
    ran = subprocess.run(COMMAND, cwd=folder, capture_output=True, env=environment(), check=False, timeout=120)
    told = ran.stdout.decode()
    assert ran.returncode == 0 and ran.stderr == b"", ran.stderr.decode()
    assert "\x1b" not in told and "\r" not in told
    line = r"^ +\d+\.\ds {mark} {who} +{model} +#{item}  .*{words}.*  \d+\.\ds$"
    expected = [
        ("✓", "dev", "small", 1, "done: wrote it"),
        ("✓", "check", "", 1, "green"),
        ("✓", "landing", "", 1, "landed on main"),
        ("✗", "check", "", 2, "red: two.txt is bad"),
        (r"\?", "dev", "small", 3, "asks you q1"),
        ("✓", "landing", "", 4, "landed on main"),
    ]
    for mark, who, model, item, words in expected:
        pattern = line.format(mark=mark, who=who, model=model, item=item, words=words)
        assert re.search(pattern, told, re.MULTILINE), f"{pattern}\n{told}"
    assert re.search(r"↑ dev +large +#2 .*takes over from small", told)
    assert "Question: May I?" in told and "1. Yes" in told and "moot answer q1 1" in told
    end = told[told.index(" of gates and landings in ") :]
    assert re.search(r"#1 +one +1 run  landed on main at [0-9a-f]{8}$", end, re.MULTILINE)
    assert re.search(r"#2 +two +\d runs  waiting for you: q2", end)
    assert re.search(r"#3 +three +1 run  waiting for you: q1", end)
    assert "2 questions wait for you: moot inbox" in end
    ((runs, checks),) = re.findall(r"^(\d+) runs and (\d+) of gates and landings in", told, re.MULTILINE)
    assert told.count(" begins") + told.count("takes over") == int(runs) + int(checks)


@pytest.mark.parametrize("columns, more", [(80, {}), (44, {"NO_COLOR": "1", "TERM": "dumb"})])
def test_in_a_terminal_nothing_is_wider_than_it(tmp_path: Path, columns: int, more: dict[str, str]) -> None:
    folder = make(tmp_path / "project")
    terminal = Terminal(COMMAND, columns=columns, env=environment(more), folder=folder)
    out = terminal.read_to_end()
    told = shown(out)
    assert terminal.code == 0
    assert [line for line in told.splitlines() if len(line) > columns] == []
    assert ("\x1b[32m" in out) == (more == {})
    assert ("\r\x1b[2K" in out) == ("TERM" not in more)
    assert "landed on main" in told and "asks you q1" in told and "moot inbox" in told
    assert LONG not in told and "…" in told
    assert not re.search("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", told), "the live line is gone at the end"


def test_as_json_progress_is_on_the_other_stream(tmp_path: Path) -> None:
    folder = make(tmp_path / "project", ["one"])
    command = [*COMMAND, "--json"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, env=environment(), check=False, timeout=120)
    view = json.loads(ran.stdout)
    told = {name: view[name] for name in ("landed", "runs", "agent_runs", "failed", "questions", "interrupted")}
    assert (
        told
        == {
            **{"landed": 1, "runs": 3, "agent_runs": 1, "failed": 0, "questions": 0},
            "interrupted": False,
        }
        and view["seconds"] > 0
    )
    assert "landed on main" in ran.stderr.decode()


def test_work_goes_on_when_the_reader_has_gone(tmp_path: Path) -> None:
    folder = make(tmp_path / "project", ["one"])
    process = subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.wait(120)
    process.stderr.close()
    assert "Traceback" not in errors
    board = FileBoards().open(str(folder))
    states = [item.status for item in board.queries.list().items]
    board.close()
    assert states == ["done"]


def test_many_threads_tell_at_once_and_every_line_is_whole(moot: Moot) -> None:
    board = FileBoards().open(str(moot.folder))
    screen = io.StringIO()
    progress = Progress(screen, board.asked_by(Actor("ada")))
    progress.start()
    words = "the store could not be reached, and will be asked again"

    def tell(number: int) -> None:
        for turn in range(50):
            progress.tell(Told("fault", "", f"worker-{number}", f"{words} {turn}"))

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    progress.stop()
    board.close()
    lines = screen.getvalue().splitlines()
    assert len(lines) == 400
    # A stream without an encoding may be able to show no more than ASCII.
    assert all(re.fullmatch(rf" +\d+\.\ds [■!] worker-\d +{words} \d+", line) for line in lines), lines[:3]


def test_what_went_wrong_while_telling_is_not_lost(moot: Moot) -> None:
    board = FileBoards().open(str(moot.folder))

    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise RuntimeError("the screen is broken")

    progress = Progress(Broken(), board.asked_by(Actor("ada")))
    progress.start()
    progress.tell(Told("fault", "", "worker", "words"))
    with pytest.raises(RuntimeError, match="the screen is broken"):
        progress.stop()
    board.close()


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7])
def test_what_was_there_before_is_no_news(moot: Moot, length: int) -> None:
    for number in range(length):
        moot("add", f"item {number}")
    board = FileBoards().open(str(moot.folder))
    teller = Teller(board.asked_by(Actor("ada")))
    teller.skip()
    assert teller.news() == []
    added = board.engine.add(Actor("ada"), AddItem(title="new"))
    (news,), later = teller.news(), teller.news()
    board.close()
    assert [(line.who, line.item) for line in news[1]] == [("ada", added.id)] and later == []


@pytest.mark.parametrize(
    "seconds, words", [(0, "0.0s"), (-1, "0.0s"), (99.9, "99.9s"), (100, "1:40"), (3599, "59:59"), (3725, "1:02:05")]
)
def test_a_time_in_few_letters(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_what_an_agent_was_told_can_be_read_afterwards(tmp_path: Path) -> None:
    folder = make(tmp_path / "project", ["one", "two", "three"])

    def moot(*words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        ran = forked.run(words, cwd=folder, env=environment())
        assert ran.returncode == code, ran.stderr
        return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    moot("run", "--until-idle")
    told = moot("answer", "q1", "1", "It must lie in data/").stdout
    assert "The next run on it is told." in told and "nobody is at work: moot run puts agents on it" in told
    first, *_ = (run["run"] for run in json.loads(moot("show", "3", "--json").stdout)["runs"])
    assert "data/" not in moot("output", first, "--prompt").stdout
    moot("run", "--until-idle")
    prompt = moot("output", "3", "--prompt").stdout
    assert "three" in prompt and "It must lie in data/" in prompt
    assert json.loads(moot("output", "3", "--prompt", "--json").stdout)["text"] in prompt
    assert "data/" not in moot("output", "3").stdout, "it is not among what was printed"
    assert "give it alone" in moot("output", "3", "--prompt", "--raw", code=2).stderr
    gate = next(r["run"] for r in json.loads(moot("show", "1", "--json").stdout)["runs"] if r["agent"] == "landing")
    assert "nothing is kept of what run" in moot("output", gate, "--prompt", code=2).stderr


def test_a_board_without_open_items_is_told_so(tmp_path: Path) -> None:
    folder = make(tmp_path / "project", [])
    ran = subprocess.run(COMMAND, cwd=folder, capture_output=True, env=environment(), check=False, timeout=120)
    assert 'No run began: no item is open. moot add "…" brings one' in ran.stdout.decode()
