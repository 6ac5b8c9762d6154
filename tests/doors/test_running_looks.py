"""What a user sees of agents at work: on the board, on an item, when a board is made and when its flow is checked."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from folkmoot.core.commands import Actor, AddItem, PauseRun, ReportRun, StopBoard
from folkmoot.core.report import Report
from folkmoot.core.work import Touched, Work
from folkmoot.doors.cli.render.setup import CLIENTS
from folkmoot.engine.application import Application
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.ports import WorkerEvent
from tests import stores
from tests.doors.conftest import Moot
from tests.doors.test_looks import through_a_terminal

ADA = Actor("ada")
COMMIT, TREE = "c0ffee" * 6 + "c0ff", "beef" * 10
# Item 1 lands; of item 2 the gate is red; the third is refused, since its files are others.
AGENT = """
case $MOOT_ITEM in
  2) echo bad > two.txt ;;
  *) echo good > f$MOOT_ITEM.txt ;;
esac
echo '{"outcome": "done", "summary": "wrote it"}'
"""
GATE = ["/bin/sh", "-c", "if grep -rq bad *.txt; then seq 30; echo two.txt is bad; exit 1; fi"]
FLOW = {
    "flow": "tiny",
    "columns": {"dev": {"agents": ["dev"], "next": "done", "gate": ["check"]}},
    "agents": {"dev": {"run": {"command": ["/bin/sh", "-c", AGENT]}, "ladder": {"0": "small", "1+": "escalate"}}},
    "gates": {"check": {"run": GATE}},
    "sandbox": "never",
}


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.invalid"]
    ran = subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which agents have really run: an item that has landed, a red one, and one that was refused."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "a.txt").write_text("good\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(json.dumps(FLOW))
    boards = FileBoards()
    board = boards.create(str(folder), "kanban")
    for title, files in (("one", []), ("two", []), ("three", ["other.txt"])):
        board.engine.add(ADA, AddItem(title=title, files=files))
    boards.work(board, slots=1, agents=[], until_idle=True, tell=lambda told: None, begin=lambda view: None)
    board.close()
    return folder


@pytest.fixture
def ran(nowhere: Moot, project: Path, monkeypatch: pytest.MonkeyPatch) -> Moot:
    monkeypatch.setenv("COLUMNS", "80")
    stores.copy(project, nowhere.folder)
    return nowhere


@pytest.fixture
def board(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """An empty board with the same flow but for its gate, in a folder without git."""
    monkeypatch.setenv("COLUMNS", "80")
    (nowhere.folder / ".moot").mkdir()
    flow = {**FLOW, "columns": {"dev": {"agents": ["dev"], "next": "done"}}}
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    board = FileBoards().create(str(nowhere.folder), "kanban")
    yield board
    board.close()


def claimed(board: Application, title: str, *, sandboxed: bool) -> Actor:
    """A run such as a worker begins."""
    board.engine.add(ADA, AddItem(title=title))
    claim = board.engine.claim_next(Actor("worker"), ["dev"], worker="worker", sandboxed=sandboxed)
    return Actor("dev", claim.run, claim.token)


def line_with(words: str, text: str) -> str:
    return next(line for line in text.splitlines() if words in line)


@pytest.mark.ledger("R-21", "R-22")
def test_an_item_that_has_landed_says_where_and_what_proves_it(ran: Moot) -> None:
    shown = ran("show", "1").out
    commit, tree = git(ran.folder, "rev-parse", "main"), git(ran.folder, "rev-parse", "main^{tree}")
    assert f"landed on main at {commit[:12]}" in shown.splitlines()
    proof = " ".join(shown.split("What shows it")[1].split())
    assert "✓ check green in dev: /bin/sh -c if grep" in proof
    assert "exit 0 after " in proof and f"on the tree {tree[:12]}" in proof
    assert "work that has not landed" not in shown and "moot salvage" not in shown
    run = ran.json("show", "1")["runs"][0]["run"]
    assert line_with(run[:6], shown).strip().startswith(f"{run[:6]}  dev with small, done after ")
    assert "1 file changed, not sandboxed" in line_with(run[:6], shown)
    assert "moot diff 1" in shown
    assert "+good" in ran("output", run, "--diff").out


@pytest.mark.ledger("R-21")
def test_a_red_gate_shows_its_last_words_and_where_the_work_is(ran: Moot) -> None:
    shown = ran("show", "2").out
    item = ran.json("show", "2")
    gate = next(run["run"] for run in item["runs"] if run["gate"])
    red = shown.split("What shows it")[1].split("Its runs")[0]
    assert "✗ check  red in dev" in red and "exit 1 after " in " ".join(red.split())
    lines = [line.strip() for line in red.splitlines()]
    assert "two.txt is bad" in lines and "30" in lines and "22" in lines and "21" not in lines
    assert f"all of it: moot output {gate[:6]}" in lines
    assert "21\n" in ran("output", gate).out
    assert f"work that has not landed: {item['head'][:12]}" in shown and "refs/moot/items/2" in shown
    assert "moot salvage RUN" in shown


@pytest.mark.ledger("R-20")
def test_work_that_was_refused_can_be_brought_back(ran: Moot) -> None:
    shown = ran("show", "3").out
    run = next(run["run"] for run in ran.json("show", "3")["runs"] if run["cause"] == "conflict")
    assert "failed (conflict) after" in line_with(run[:6], shown) and "moot salvage RUN" in shown
    ran("salvage", run)
    assert git(ran.folder, "show", f"moot/salvage/{run}:f3.txt") == "good"


def test_a_gate_that_somebody_played_is_shown_by_their_word(nowhere: Moot) -> None:
    flow = {**FLOW, "agents": {"dev": {}}}
    (nowhere.folder / ".moot").mkdir()
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    nowhere("init")
    nowhere("add", "one")
    nowhere.work("dev")
    nowhere.work("check", summary="looked at it", commit="abc123")
    shown = nowhere("show", "1").out
    assert "✓ check  green in dev at abc123: looked at it" in shown and "Its runs" not in shown


def test_the_board_says_who_works_on_what(board: Application, nowhere: Moot) -> None:
    bare, boxed = claimed(board, "one", sandboxed=False), claimed(board, "two", sandboxed=True)
    out = nowhere("board").out
    assert "dev at work with small since " in line_with("#1", out) and line_with("#1", out).endswith("not sandboxed")
    assert "dev at work with small since " in line_with("#2", out) and "sandboxed" not in line_with("#2", out)
    assert [run["run"] for run in nowhere.json("board")["runs"]] == [bare.run, boxed.run]
    assert "nobody is at work" not in out
    shown = nowhere("show", "1").out
    assert "dev with small, at work since " in line_with(str(bare.run)[:6], shown)
    assert "dev with small (not sandboxed) has been at work since" in shown
    assert "not sandboxed" not in nowhere("show", "2").out
    assert "\x1b[31mnot sandboxed" in through_a_terminal(nowhere.folder, "board")
    assert "\x1b[31mnot sandboxed" in through_a_terminal(nowhere.folder, "show", "1")


def test_where_nobody_works_the_board_says_how_to_begin(board: Application, nowhere: Moot) -> None:
    board.engine.add(ADA, AddItem(title="one"))
    assert nowhere("board").out.splitlines()[-1] == " nobody is at work: moot run puts agents on it"
    assert "dev takes it: moot run, or by hand: moot claim dev" in nowhere("show", "1").out


def test_what_waits_for_a_label_is_said_with_the_worker_to_start(
    nowhere: Moot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    (nowhere.folder / ".moot").mkdir()
    agents = {"dev": {**FLOW["agents"]["dev"], "needs": ["gpu", "big"]}}  # type: ignore[index]
    flow = {**FLOW, "columns": {"dev": {"agents": ["dev"], "next": "done"}}, "agents": agents}
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    nowhere("init")
    nowhere("add", "one")
    told = "#1 waits for a worker with label gpu and big"
    assert nowhere("board").out.splitlines()[-1] == f" {told}: moot run --label gpu --label big"
    assert "dev takes it: moot run --label gpu --label big, or by hand" in nowhere("show", "1").out
    assert told in nowhere("status").out and "nobody is at work" not in nowhere("status").out
    ran = nowhere("run", "--until-idle").out
    assert ran.splitlines()[-2:] == ["No run began.", f"{told}: moot run --label gpu --label big"]


def test_a_stopped_board_says_so_and_how_it_goes_on(board: Application, nowhere: Moot) -> None:
    board.engine.add(ADA, AddItem(title="one"))
    board.engine.on_board(ADA, StopBoard(why="the build server is down"))
    for page in (nowhere("board").out, nowhere("show", "1").out):
        assert "■ the board is paused since " in page and "by ada: the build server is down" in page
        assert "moot resume" in page and "nobody is at work" not in page
    nowhere("go")
    assert "stopped" not in nowhere("board").out + nowhere("show", "1").out


def test_a_pool_without_quota_says_until_when(board: Application, nowhere: Moot) -> None:
    run = claimed(board, "one", sandboxed=True)
    board.engine.handle_run(run, PauseRun(why="usage limit reached", seconds=90_000.0, shown=True))
    (pause,) = nowhere.json("board")["pauses"]
    for page in (nowhere("board").out, nowhere("show", "1").out):
        words = line_with("■ dev has no quota until ", page)
        assert words.count("-") == 2, "the day is told where it is another"
        assert ": usage limit reached" in " ".join(page.split())
    assert pause["what"] == "pool:dev"


def test_what_waits_to_land_is_told(board: Application, nowhere: Moot) -> None:
    run = claimed(board, "one", sandboxed=True)
    work = Work(touched=[Touched("f.txt", "created")], commit=COMMIT, tree=TREE)
    board.engine.handle_run(run, ReportRun(report=Report.done("wrote it"), work=work))
    assert line_with("#1", nowhere("board").out).endswith("one  waits to land on main")
    shown = nowhere("show", "1").out
    assert f"work that has not landed: {COMMIT[:12]}, kept as refs/moot/items/1" in shown
    assert "A worker brings its work to main: moot run" in shown
    board.engine.claim_next(Actor("worker"), ["landing"], worker="worker", sandboxed=True)
    assert "is landing on main since " in line_with("#1", nowhere("board").out)


def client(folder: Path, name: str) -> None:
    program = folder / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def test_init_names_the_client_it_found(
    nowhere: Moot, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    client(outside, "goose")
    monkeypatch.setenv("PATH", str(outside / "bin"))
    out = nowhere("init", "--preset", "kanban").out
    assert "  moot run starts its 10 agents with goose, which was found here." in out.splitlines()
    assert out.index("moot add") < out.index("moot run --until-idle") and "moot claim" not in out
    checked = nowhere("apply").out
    assert "moot run starts story-agent, architect-agent," in checked and "with goose." in checked
    assert nowhere.json("apply")["run"]["dev-agent"] == "goose"


def test_init_without_a_client_says_which_are_known(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(nowhere.folder))
    out = nowhere("init", "--preset", "kanban").out
    assert "No coding client was found" in out and "moot demo" in out and "moot claim story-agent" in out
    named = " ".join(out.split()).partition("Known are: ")[2].partition(". Install")[0]
    assert named.split(", ") == sorted(CLIENTS)  # as the flow must write them, not as their programs are called
    assert "people and scripts claim for them" in " ".join(nowhere("apply").out.split())
    assert nowhere.json("apply")["run"] == {}


def test_the_clients_that_are_named_are_those_of_the_catalogue() -> None:
    known = Catalogue.load().clients
    assert {name: one.find[0] for name, one in known.items()} == CLIENTS


def test_check_says_who_cannot_be_run_here(
    nowhere: Moot, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    client(outside, "goose")
    monkeypatch.setenv("PATH", str(outside / "bin"))
    nowhere("init", "--preset", "kanban")
    assert nowhere.json("apply")["unable"] == {}
    (outside / "bin" / "goose").unlink()
    assert "It cannot do so here: goose is not installed (story-agent," in " ".join(nowhere("apply").out.split())
    assert nowhere.json("apply")["unable"]["dev-agent"] == "goose is not installed"


def test_it_is_said_which_folders_are_left_out(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    client(nowhere.folder, "goose")
    bin = nowhere.folder / "bin"
    monkeypatch.setenv("PATH", f"{bin}:/usr/bin:/bin")
    assert "No coding client was found" in nowhere("init").out
    flow = {
        "flow": "one",
        "columns": {"dev": {"agents": ["dev"], "next": "done"}},
        "agents": {"dev": {"run": {"client": "goose"}}},
        "sandbox": "never",
    }
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    checked = " ".join(nowhere("apply").out.split())
    told = f"{bin} of your PATH is left out for agents, gates and setup: work of agents lands in the project"
    assert "".join(f"warning: {told} It is in force".split()) in "".join(checked.split())
    only = (
        f"goose is only in {bin}, a folder of the project, where work of agents lands: nothing is started from there, "
        "so install it outside of the project"
    )
    # A path may be broken in the middle: it is longer than a line where the test's folder is deep.
    assert "".join(f"It cannot do so here: {only} (dev).".split()) in "".join(checked.split())
    ran = " ".join(nowhere("run", "--until-idle").out.split())
    assert "".join(f" {bin} of your PATH is left out: work of agents lands in the project".split()) in "".join(
        ran.split()
    )
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "left out" not in nowhere("apply").out + nowhere("run", "--until-idle").out


def test_check_says_which_agents_are_run_and_by_what(nowhere: Moot) -> None:
    flow = {
        "flow": "mixed",
        "columns": {"dev": {"agents": ["dev"], "next": "look"}, "look": {"agents": ["eye"], "next": "count"}},
        "agents": {
            "dev": {"run": {"client": "codex"}, "ladder": {"0": "cheap", "1": "dear", "2+": "escalate"}},
            "eye": {},
            "sum": {"run": {"python": "crew:count"}},
        },
        "models": {"cheap": {"client": "opencode", "id": "x/y"}},
    }
    flow["columns"]["count"] = {"agents": ["sum"], "next": "done"}  # type: ignore[index]
    (nowhere.folder / ".moot").mkdir()
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    made = nowhere("init").out
    assert "moot run starts dev with opencode and codex." in made and "found here" not in made
    checked = nowhere("apply").out
    assert "moot run starts dev with opencode and codex." in checked
    assert "moot run starts sum with crew:count." in checked and "claim for them: eye" in " ".join(checked.split())


@pytest.mark.parametrize("columns", ["24", "80"])
def test_no_line_is_wider_than_the_screen(ran: Moot, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ran("stop", "--why", "a reason that nobody could say in so few words as there is room for " * 3)
    ran("add", "four")
    for command in ("board", "show 1", "show 2", "show 3", "show 4", "check"):
        lines = ran(*command.split()).out.splitlines()
        assert not [line for line in lines if cell_len(line) > int(columns)], command
        assert not [line for line in lines if line != line.rstrip()], f"a line of {command} ends in spaces"


TABLE = """\
  ✓ #4  four                          1 run  landed on main at COMMIT
  ? #5  A title that no table has…   3 runs  waiting for you: q3 · Again
        and again the work could not be taken: f5.txt is not among its files
? 3 questions wait for you: moot inbox
"""


def test_the_table_at_the_end_says_how_each_item_stands(ran: Moot) -> None:
    ran("add", "four")
    ran("add", "A title that no table has room for, however much it would like to", "--files", "other.txt")
    told = ran("run", "--until-idle").out
    head, _, table = told[told.index("\n4 runs and 2 of gates and landings in ") :].lstrip("\n").partition("\n")
    assert head.endswith("s, 1 landed, 3 failed") and re.sub(r" at [0-9a-f]{8}\n", " at COMMIT\n", table) == TABLE
    asked = ran.json("inbox")["questions"][-1]["question"]
    assert asked == "Again and again the work could not be taken: f5.txt is not among its files"
    assert ran("run", "--until-idle").out.splitlines()[-2:] == [
        "No run began: nothing is ready for these agents.",
        "? 3 questions wait for you: moot inbox",
    ]


def test_what_a_stop_and_a_salvage_say(ran: Moot) -> None:
    first, second = ran("stop", "--why", "lunch").out.splitlines()
    assert first.startswith("■ the board is paused since ") and first.endswith(" by ada: lunch")
    assert second == "  no run begins; those at work may finish; go on: moot resume"
    assert ran("go").out == "✓ The board goes on.\n  next: moot run puts agents on it\n"
    listed = ran("salvage").out.splitlines()
    assert listed[-1] == "next: moot salvage RUN brings one back as a branch"
    form = r"r\w+  \d\d:\d\d:\d\d  #[23]  dev  (done|failed \(conflict\)) +\w+  \S+"
    assert all(re.fullmatch(form, line) for line in listed[:-1])
    assert [line.split()[1] for line in listed[:-1]] == sorted((li.split()[1] for li in listed[:-1]), reverse=True)
    run = listed[0].split()[0]
    assert f"The work of run {run} is on the branch moot/salvage/{run}" in ran("salvage", run).out


TWO = {
    "flow": "two",
    "columns": {"tests": {"agents": ["tester"], "next": "dev"}, "dev": {"agents": ["builder"], "next": "done"}},
    "agents": {"tester": {"run": {"client": "codex"}}, "builder": {}},
    "sandbox": "never",
}


@pytest.fixture
def two(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> Moot:
    """A board with a ready item for an agent whose client is not installed."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PATH", str(nowhere.folder))
    (nowhere.folder / ".moot").mkdir()
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(TWO))
    nowhere("init")
    nowhere("add", "one")
    return nowhere


@pytest.mark.parametrize("words", [["run", "--until-idle"], ["run"], ["worker"]])
def test_a_client_that_is_not_installed_is_named_and_ends_the_run(two: Moot, words: list[str]) -> None:
    ran = two(*words, code=4)
    told = "codex is not installed, so nobody starts tester; #1 waits"
    assert f"! {told}" in ran.out.splitlines() and ran.out.splitlines()[-1] == "No run began."
    assert line_with("without `run`", ran.out).endswith(": builder")
    assert ran.err.startswith(f"moot: {told}\n") and "moot check" in ran.err


def test_a_script_is_told_which_agents_could_not_be_started(two: Moot) -> None:
    ran = two("run", "--until-idle", "--json", code=4)
    assert json.loads(ran.out)["waits"] == [
        {"why": "unable", "reason": "codex is not installed", "agents": ["tester"], "items": ["1"]}
    ]
    assert json.loads(ran.err.splitlines()[-1])["error"]["code"] == "cannot_start"
    two("cancel", "1")
    assert json.loads(two("run", "--until-idle", "--json").out)["waits"] == [], "nothing waits: that is no error"


def test_the_board_does_not_promise_what_cannot_be_started(two: Moot) -> None:
    last = two("board").out.splitlines()[-1]
    assert last == " codex is not installed, so nobody starts tester; #1 waits: moot check"
    two("move", "1", "dev")
    assert two("board").out.splitlines()[-1] == " nothing says how builder is run; #1 waits: moot claim builder"
    ran = two("run", "--until-idle").out
    assert ran.splitlines()[-2:] == ["No run began.", "nothing says how builder is run; #1 waits: moot claim builder"]


def test_a_run_that_ends_for_want_of_quota_says_so(board: Application, nowhere: Moot) -> None:
    run = claimed(board, "one", sandboxed=True)
    board.engine.handle_run(run, PauseRun(why="usage limit reached", seconds=3_000.0))
    # Before midnight the time has a date, and the line is folded.
    ended = " ".join(nowhere("run", "--until-idle").out.split())
    said = r"No run began\. ended: dev has no quota until [-0-9: ]+; without --until-idle it would wait"
    assert re.search(f"{said}$", ended)
    assert "nobody is at work" not in nowhere("board").out, "moot run would begin nothing"
    assert "moot resume" in line_with("or try now", nowhere("board").out)


def test_work_that_landed_beside_the_branch_says_how_to_take_it_in(ran: Moot) -> None:
    words = "a.txt in your tree is in the way: work waits on moot/main, and all later work goes there too"
    merge = "commit, stash or move away what is yours, then: git merge moot/main"
    free = "work waits on moot/main, and nothing of yours is in its way now: git merge moot/main"

    def said(*command: str) -> str:
        return " ".join(ran(*command).out.split())

    was = (ran.folder / "a.txt").read_text()
    (ran.folder / "a.txt").write_text("the user is writing\n")
    ran("add", "four")
    assert f"{words} {merge}" in said("run", "--until-idle")
    assert f"{words} {merge}" in said("board")
    told = ran.json("board")
    assert (told["aside"], told["in_the_way"]) == ("moot/main", ["a.txt"])
    assert words in said("show", "4") and words not in said("show", "1")
    why = ran.json("show", "4")["runs"][-1]["report"]["summary"]
    assert "not committed (a.txt). The work is on moot/main instead, and all later work goes there too" in why
    (ran.folder / "a.txt").write_text(was)
    assert free in said("board") and free in said("show", "4")
    git(ran.folder, "merge", "-q", "moot/main")
    assert "git merge moot/main" not in ran("board").out and free not in said("show", "4"), "it was taken in"


def test_a_run_that_was_cut_off_says_where_its_work_is(ran: Moot) -> None:
    ran("add", "four")
    board = FileBoards().open(str(ran.folder))
    claim = board.engine.claim_next(Actor("worker"), ["dev"], worker="worker", lease=60.0, sandboxed=True)
    board.close()
    made = git(ran.folder, "rev-parse", "HEAD")
    kept = ["update-ref", f"refs/moot/runs/{claim.run}", made]
    git(ran.folder / ".moot" / "repo.git", "fetch", "-q", str(ran.folder), "main")
    git(ran.folder / ".moot" / "repo.git", *kept)
    assert "its work:" not in ran("show", "4").out, "it still runs"
    ran("release", claim.run, "--token", str(claim.token))
    assert f"its work: moot salvage {claim.run[:6]}" in " ".join(ran("show", "4").out.split())


def test_check_says_of_a_script_that_no_clone_has_it(ran: Moot) -> None:
    script = ran.folder / "my-agent.sh"
    script.write_text("#!/bin/sh\n")
    flow = {**FLOW, "agents": {"dev": {"run": {"command": ["./my-agent.sh", "a.txt"]}}}}
    (ran.folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    (warning,) = ran.json("apply")["warnings"]
    assert warning == "./my-agent.sh is not in git yet, so dev will not find it: commit it to main"
    git(ran.folder, "add", "my-agent.sh")
    assert ran.json("apply")["warnings"] == [warning], "a clone has what is committed"
    git(ran.folder, "commit", "-qm", "an agent")
    assert ran.json("apply")["warnings"] == []


SILENT = {
    "flow": "silent",
    "columns": {"dev": {"agents": ["dev"], "next": "done"}},
    "agents": {
        "dev": {"run": {"command": ["/bin/sh", "-c", "echo nothing"]}, "ladder": {"0-2": "m", "3+": "escalate"}}
    },
    "limits": {"repeats": 1},
    "sandbox": "never",
}


def test_a_silent_agent_is_told_of_shortly(nowhere: Moot) -> None:
    (nowhere.folder / ".moot").mkdir()
    (nowhere.folder / ".moot" / "flow.yaml").write_text(json.dumps(SILENT))
    nowhere("init")
    nowhere("add", "one")
    told = nowhere("run", "--until-idle").out
    assert "the run ended without a report" in told
    assert "in the form the brief shows" not in told, "that is for the agent"
    runs = nowhere.json("show", "1")["runs"]
    (asked,) = nowhere.json("inbox")["questions"]
    assert asked["question"].startswith("Two runs of dev brought no report that could be taken. The last one printed")
    assert len(runs) == 2
    assert asked["help"] == f"The output of run {runs[-1]['run']} shows what the last run printed"
    shown = nowhere("show", "1").out
    assert "failed (protocol)" in shown and "fault (protocol)" not in shown


def test_a_stop_is_told_by_nobody_that_looks_like_a_machine(board: Application) -> None:
    board.engine.add(ADA, AddItem(title="one"))
    heard: list[WorkerEvent] = []

    def tell(told: WorkerEvent) -> None:
        heard.append(told)
        if told.what == "claimed":
            os.kill(os.getpid(), signal.SIGINT)

    FileBoards().work(board, slots=1, agents=[], until_idle=True, tell=tell, begin=lambda view: None)
    (stopping,) = [told for told in heard if told.what == "stopping"]
    assert stopping.agent == "folkmoot" and "agents may finish" in stopping.words
