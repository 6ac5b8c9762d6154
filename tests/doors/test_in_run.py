"""`moot` inside a run: the true command in a process of its own, which has a socket and no board."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.commands import Actor, AddItem
from folkmoot.core.report import Report
from folkmoot.system.relay import RelayServer
from folkmoot.testing.in_json import in_json
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.relay import KEPT, Relay
from tests import forked, stores
from tests.doors.conftest import Answer, environment, starts_otherwise

ADA = Actor("ada")
NOWHERE = os.path.join(os.sep, "no", "such", "board")
DONE = '{"outcome": "done", "summary": "It is done."}'


class Inside:
    """A run of dev-agent on item 1 with its socket; item 2 is worked on by another run."""

    def __init__(self, root: Path, fresh: Path) -> None:
        stores.copy(fresh / ".moot", root / "project" / ".moot")
        self.clone = root / "clone"  # not below the board: walking up finds nothing
        self.clone.mkdir()
        self.board = FileBoards().open(str(root / "project"))
        self.board.engine.add(ADA, AddItem(title="One", column="dev", files=["src/one.py"]))
        self.board.engine.add(ADA, AddItem(title="Two", column="review"))
        self.run = self._claim("dev-agent")
        self.other = self._claim("review-agent")
        self.relay = Relay(self.board, self.run)
        self.server = RelayServer(str(root / "relay" / "s"), self.relay)

    def _claim(self, agent: str) -> Actor:
        view = self.board.engine.claim(ADA, agent, lease=3600.0)
        return Actor(agent, view.run, view.token)

    def close(self) -> None:
        self.server.close()
        self.board.close()

    def env(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        own = {"MOOT_RUN": str(self.run.run), "MOOT_TOKEN": str(self.run.token), "MOOT_BOARD": NOWHERE}
        return environment({**own, "MOOT_SOCKET": self.server.path, **(more or {})})

    def start(
        self, words: list[str], stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.clone,
            env=self.env(env),
            check=False,
            timeout=120,
        )

    def moot(
        self, arguments: Sequence[str], stdin: str, env: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[str]:
        if starts_otherwise(env):
            return self.start([sys.executable, "-m", "folkmoot", *arguments], stdin, env)
        ended = forked.run(arguments, cwd=self.clone, env=self.env(env), input=stdin.encode())
        return subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def __call__(self, *arguments: str, code: int = 0, stdin: str = "", env: Mapping[str, str] | None = None) -> Answer:
        ended = self.moot(arguments, stdin, env)
        assert ended.returncode == code, f"moot {' '.join(arguments)}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
        assert "Traceback" not in ended.stderr
        return Answer(ended.returncode, ended.stdout, ended.stderr)

    def json(self, *arguments: str, stdin: str = "") -> Any:
        return self(*arguments, "--json", stdin=stdin).json

    def error(self, *arguments: str, code: int = 1, stdin: str = "", env: Mapping[str, str] | None = None) -> Any:
        return self(*arguments, "--json", code=code, stdin=stdin, env=env).error

    def live(self, run: Actor) -> bool:
        return any(one.run == run.run for one in self.board.queries.live().runs)


@pytest.fixture
def inside(tmp_path: Path, fresh: Path) -> Iterator[Inside]:
    made = Inside(tmp_path, fresh)
    yield made
    made.close()


@pytest.mark.ledger("R-27")
def test_a_run_speaks_for_itself_and_reads_the_board(inside: Inside) -> None:
    assert inside.json("comment", "1", "The limit is 20 MB")["comments"][-1]["author"] == "dev-agent"
    assert "may write src/two.py" in inside("widen", "src/two.py").out
    held = inside.json("lock", "Makefile", "--for", "5m")["locks"]
    assert ("Makefile", "dev-agent") in {(one["resource"], one["agent"]) for one in held}
    assert "Makefile" in inside("locks").out
    assert "Makefile" not in {one["resource"] for one in inside.json("unlock", "Makefile")["locks"]}
    view = inside.json("show", "1")
    assert view["files"] == ["src/one.py", "src/two.py"] and view == in_json(inside.board.queries.show("1"))
    assert "The limit is 20 MB" in inside("show", "1").out
    assert [item["id"] for item in inside.json("list")["items"]] == ["1", "2"]


def test_the_other_commands_that_read(inside: Inside) -> None:
    assert "One" in inside("board").out and inside.json("board")["flow"] == "kanban"
    assert inside.json("comments", "1") == {"comments": []}
    assert inside.json("log", "1")["events"] == in_json(inside.board.queries.log(item="1").events)
    assert inside("log").out and inside.json("messages") == {"messages": []} and inside.json("lessons")["lessons"] == []
    assert "time_per_agent" in inside.json("metrics")
    assert inside.error("inbox", code=3)["code"] == "no_question"
    assert inside.error("show", "99", code=2)["code"] == "unknown_item"


@pytest.mark.ledger("R-27")
def test_a_report_waits_for_the_end_of_the_process(inside: Inside) -> None:
    said = inside("report", "-", stdin=DONE).out
    assert "#1 reported" in said and "takes effect when this run's process has ended" in " ".join(said.split())
    assert inside.relay.report == Report.done("It is done.") and inside.live(inside.run)
    view = inside.json("report", "-", stdin='{"outcome": "stuck", "summary": "No way"}')
    assert (view["id"], view["status"], view["note"]) == ("1", "running", KEPT)
    assert inside.relay.report == Report(outcome="stuck", summary="No way")
    assert inside.error("report", "-", code=2, stdin="Hello.")["code"] == "unreadable_report"
    assert inside.relay.report.outcome == "stuck" and inside.relay.fault is None
    refused = inside.board.queries.show("1").runs[-1].refused
    assert refused is not None and "Hello." in refused.extra.values()
    assert inside.error("report", "-", code=2, stdin='{"outcome": "asks"}')["code"] == "report_refused"
    assert inside.relay.report.outcome == "stuck"
    assert inside.json("report", "-", "--final", stdin="Hello.")["note"] == KEPT
    assert inside.relay.fault is not None and inside.live(inside.run)


@pytest.mark.ledger("R-27")
def test_to_name_another_run_does_not_help(inside: Inside) -> None:
    theirs, token = str(inside.other.run), str(inside.other.token)
    inside("report", theirs, "--token", token, "-", stdin=DONE)
    assert inside.live(inside.other) and inside.relay.report == Report.done("It is done.")
    claimed = {"MOOT_RUN": theirs, "MOOT_TOKEN": token}
    told = inside.error("comment", "2", "I am the reviewer", env=claimed)
    assert told["code"] == "other_item" and str(inside.run.run) in told["message"]
    assert "works on item 1" in told["message"] and "moot comment 1" in told["hint"], "and not: stop this effort"
    assert inside.error("comment", "2", "Me too", "--run", theirs, "--token", token)["code"] == "other_item"
    inside("widen", theirs, "--token", token, "src/three.py")
    assert inside.board.queries.show("2").files == [] and inside.board.queries.show("2").comments == []
    assert "src/three.py" in inside.board.queries.show("1").files


@pytest.mark.ledger("R-27")
def test_a_run_that_is_over_changes_nothing(inside: Inside) -> None:
    inside.board.engine.report(inside.run, Report.done("by the worker"))
    after = len(inside.board.queries.log().events)
    for words in (["comment", "1", "late"], ["widen", "late.py"], ["lock", "late.py"], ["add", "Late"], ["renew"]):
        assert inside.error(*words)["code"] == "stale_claim", words
    assert inside.error("report", "-", stdin=DONE)["code"] == "stale_claim"
    assert inside.relay.report is None and len(inside.board.queries.log().events) == after


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["move", "1", "qa"], "only_people"),
        (["edit", "1", "--title", "Mine"], "only_people"),
        (["cancel", "2"], "only_people"),
        (["reopen", "2"], "only_people"),
        (["answer", "q1", "yes"], "only_people"),
        (["claim", "dev-agent"], "inside_a_run"),
        (["release"], "only_people"),
        (["init"], "not_in_a_run"),
        (["check"], "not_in_a_run"),
        (["apply", "--move", "qa=review"], "not_in_a_run"),
        (["demo"], "not_in_a_run"),
        (["simulate"], "not_in_a_run"),
        (["doctor"], "not_in_a_run"),
        (["show", "1", "--board", "elsewhere"], "not_in_a_run"),
    ],
)
def test_what_is_for_people_is_refused(inside: Inside, words: list[str], code: str) -> None:
    before = inside.board.queries.log().events
    told = inside.error(*words)
    assert told["code"] == code and told["hint"]
    assert inside.board.queries.log().events == before and os.listdir(inside.clone) == []


def test_no_store_is_opened(inside: Inside) -> None:
    """What is not imported cannot open a file; and where the board is said to be, there is nothing."""
    told = inside.start([sys.executable, "-X", "importtime", "-m", "folkmoot", "show", "1"])
    assert told.returncode == 0 and "One" in told.stdout
    assert "folkmoot.wiring.remote" in told.stderr
    assert "apsw" not in told.stderr and "folkmoot.store.sqlite" not in told.stderr
    assert inside.error("show", "1", code=4, env={"MOOT_SOCKET": ""})["code"] == "no_board"


def test_a_socket_that_nobody_serves_is_said_as_such(inside: Inside) -> None:
    inside.server.close()
    told = inside.error("comment", "1", "Anybody?", code=4)
    assert told["code"] == "no_answer" and inside.server.path in told["message"]


@pytest.mark.ledger("R-27")
def test_the_python_door_inside_a_run(inside: Inside) -> None:
    program = """
import json
from folkmoot import Board
from folkmoot.errors import Refused

def code(attempt):
    try:
        attempt()
    except Refused as error:
        return error.code

with Board.open() as board:
    board.comment("1", "From Python")
    held = board.lock("docs/")
    refused = [code(lambda: board.move("1", "qa")), code(lambda: board.claim("dev-agent"))]
    refused += [code(lambda: Board.create(".")), code(lambda: Board.open("elsewhere"))]
    held = [{"resource": one.resource, "agent": one.agent} for one in held]
    print(json.dumps({"author": board.show("1").comments[-1].author, "refused": refused, "held": held}))
"""
    ended = inside.start([sys.executable, "-c", program])
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert told["author"] == "dev-agent" and "docs/" in {one["resource"] for one in told["held"]}
    assert told["refused"] == ["only_people", "inside_a_run", "not_in_a_run", "not_in_a_run"]


def boxed(hidden: str, shown: str, words: list[str]) -> list[str]:
    """A box without network in which nothing can be written, one folder is empty, and one of those in it is there."""
    box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-all", "--die-with-parent", "--chdir", "/"]
    return [*box, "--tmpfs", hidden, "--ro-bind", shown, shown, "--remount-ro", hidden, "--", *words]


def box_works() -> bool:
    if shutil.which("bwrap") is None:
        return False
    words = boxed(tempfile.gettempdir(), "/usr", ["true"])
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not box_works(), reason="no bubblewrap here, or it may not make a box")
def test_the_socket_is_reached_from_inside_a_box(inside: Inside, tmp_path: Path) -> None:
    def from_the_box(*words: str) -> subprocess.CompletedProcess[str]:
        return inside.start(boxed(str(tmp_path), inside.server.folder, list(words)))

    assert from_the_box("ls", str(tmp_path)).stdout.split() == ["relay"]
    ended = from_the_box(sys.executable, "-m", "folkmoot", "comment", "1", "From the box", "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["comments"][-1]["content"] == "From the box"
