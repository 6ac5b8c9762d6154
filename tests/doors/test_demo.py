"""`moot demo`: two of them at once, one watched in a terminal by somebody who answers, one alone in a pipe as JSON."""

import fcntl
import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from folkmoot.testing.in_json import in_json
from folkmoot.wiring.boards import FileBoards
from scripts.recording import kept, recorded, told
from tests.doors.conftest import environment
from tests.doors.terminal import Terminal, shown

View = dict[str, Any]


class Played:
    """One demo, and the board it left."""

    def __init__(self, code: int, out: str, story: str, folder: str) -> None:
        self.code, self.out, self.story, self.folder = code, out, story, folder
        board = FileBoards().open(folder)
        try:
            self.events: list[View] = in_json(board.queries.log(limit=100_000).events)
            self.items: dict[str, View] = {i.id: in_json(board.queries.show(i.id)) for i in board.queries.list().items}
        finally:
            board.close()

    def named(self, name: str) -> list[View]:
        return [event for event in self.events if event["event"] == name]

    def git(self, *words: str) -> str:
        return subprocess.run(["git", "-C", self.folder, *words], capture_output=True, check=True, text=True).stdout


def both(folder: Path) -> View:
    command = [sys.executable, "-m", "folkmoot", "demo"]
    env = environment({"TMPDIR": str(folder)})
    piped = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=folder)
    watched = Terminal(command, columns=80, env=env, folder=folder)
    watched.wait_for("or in words")
    watched.type("2")
    out = watched.read_to_end()
    said, story = piped.communicate(timeout=120)
    return {
        "watched": {"code": watched.code, "out": out, "story": out, "folder": _folder(shown(out))},
        "alone": {
            "code": piped.returncode,
            "out": said.decode(),
            "story": story.decode(),
            "folder": json.loads(said)["board"],
        },
    }


def _folder(told: str) -> str:
    found = re.search(r"^  cd (\S+)$", told, re.MULTILINE)
    assert found is not None, told
    return found[1]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    """Played once in a whole test run, however many processes share the tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith(("crew", "popen-")) else base
    with open(shared / "demo.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = shared / "demo.json"
        if not kept.exists():
            (shared / "demo").mkdir()
            kept.write_text(json.dumps(both(shared / "demo")), "utf-8")
    return {name: Played(**one) for name, one in json.loads(kept.read_text("utf-8")).items()}


@pytest.fixture(params=["watched", "alone"])
def demo(request: pytest.FixtureRequest, played: dict[str, Played]) -> Played:
    return played[request.param]


@pytest.mark.embedded("the demo has its board in a file, wherever it is played")
def test_it_ends_well(demo: Played) -> None:
    assert demo.code == 0, demo.story
    assert {item["status"] for item in demo.items.values()} == {"done"}
    assert "Traceback" not in demo.story


@pytest.mark.ledger("R-19", "R-22")
def test_all_is_on_main_and_the_tests_of_the_project_are_green(demo: Played) -> None:
    argv = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
    ran = subprocess.run(argv, cwd=demo.folder, capture_output=True, check=False, text=True)
    assert ran.returncode == 0 and "Ran 15 tests" in ran.stderr, ran.stderr
    assert demo.git("status", "--porcelain") == ""
    tip = demo.git("rev-parse", "main").strip()
    landed = [item["landed"] for item in demo.items.values() if item["parent"] is None]
    assert len(landed) == 3 and tip in landed
    for commit in landed:
        assert demo.git("merge-base", commit, tip).strip() == commit
    for item in demo.items.values():
        if item["parent"] is None:
            assert [proof["green"] for proof in item["evidence"]][-1:] == [True]
    # The project was red at its start, so that the agents have really done it.
    first = demo.git("rev-list", "--max-parents=0", "main").strip()
    assert "NotImplementedError" in demo.git("show", f"{first}:till/receipt.py")


@pytest.mark.ledger("R-24")
def test_the_work_was_split_into_tasks_that_share_no_file(demo: Played) -> None:
    (split,) = demo.named("work_split")
    tasks = [demo.items[child] for child in split["context"]["children"]]
    assert len(tasks) == 3 and {task["parent"] for task in tasks} == {"1"}
    for one, other in combinations(tasks, 2):
        assert one["files"] and not set(one["files"]) & set(other["files"])
    for task in tasks:
        assert task["landed_on"] == "item 1"
        changed = {change["path"] for run in task["runs"] for change in run["changed"]}
        assert changed == set(task["files"])


def test_agents_worked_at_the_same_time(demo: Played) -> None:
    tasks = demo.named("work_split")[0]["context"]["children"]
    spans = [
        (run["started_at"], run["ended_at"], item["id"])
        for item in demo.items.values()
        for run in item["runs"]
        if not run["gate"]
    ]
    pairs = [(one, other) for one, other in combinations(spans, 2) if one[0] < other[1] and other[0] < one[1]]
    assert pairs
    assert any(one[2] in tasks and other[2] in tasks for one, other in pairs), spans


@pytest.mark.ledger("K-06")
def test_two_agents_disputed_and_settled_it(demo: Played) -> None:
    (opened,), (settled,) = demo.named("dispute_opened"), demo.named("dispute_settled")
    assert opened["context"]["by"] == "builder" and opened["context"]["with"] == "tester"
    assert settled["context"]["agents"] == ["builder", "tester", "builder"]
    assert settled["context"]["resolution"] == "accepted" and settled["agent"] == "tester"
    item = demo.items[opened["item"]]
    assert len(item["comments"]) == 4
    # What they argued about was a file, and the one who was wrong has mended it.
    assert '"0.125")), 13)' in demo.git("show", "main:tests/prices/test_rounding.py")
    versions = demo.git("log", "--format=%H", "main", "--", "tests/prices/test_rounding.py").split()
    assert len(versions) == 2


@pytest.mark.ledger("K-09")
def test_a_model_failed_and_the_next_one_did_it(demo: Played) -> None:
    item = next(item for item in demo.items.values() if item["failure_history"])
    assert [run["model"] for run in item["runs"]] == ["small", "medium"]
    assert [run["outcome"] for run in item["runs"]] == ["failed", "done"]
    (attempt,) = item["failure_history"]
    assert attempt["counted"] and "2 of 3 tests red" in attempt["outcome"]
    # The wrong edit was a real one: it is kept, and it is not what landed.
    wrong, right = (run["commit"] for run in item["runs"])
    assert wrong and right and wrong != right
    assert "round(" not in demo.git("show", "main:till/discount.py")


@pytest.mark.ledger("R-21")
def test_a_red_gate_was_healed(demo: Played) -> None:
    (red,) = demo.named("gate_failed")
    item = demo.items[red["item"]]
    proofs = [proof for proof in item["evidence"] if proof["column"] == "weave"]
    assert [proof["green"] for proof in proofs] == [False, True]
    assert proofs[0]["evidence"]["exit_code"] == 1 and proofs[1]["evidence"]["exit_code"] == 0
    assert proofs[0]["evidence"]["tree"] != proofs[1]["evidence"]["tree"]
    between = [run["agent"] for run in item["runs"] if run["outcome"] == "done"]
    assert "mender" in between


def test_whoever_watches_answers_by_a_key(played: dict[str, Played]) -> None:
    demo = played["watched"]
    (answer,) = demo.named("divine_response_received")
    assert answer["agent"] == "you" and answer["context"]["answer"] == "It comes on top"
    assert demo.named("default_taken") == []
    assert "comes on top" in demo.git("show", "main:till/tax.py")


def test_without_anybody_the_default_holds(played: dict[str, Played]) -> None:
    demo = played["alone"]
    (taken,) = demo.named("default_taken")
    assert taken["context"]["answer"] == "It is in the price"
    assert demo.named("divine_response_received") == []
    assert "is in a price" in demo.git("show", "main:till/tax.py")


def test_as_json_it_gives_one_document(played: dict[str, Played]) -> None:
    demo = played["alone"]
    view = json.loads(demo.out)
    assert view["ok"] and view["doctor"]["ok"] and len(view["items"]) == 6
    assert view["runs"] == sum(len(item["runs"]) for item in demo.items.values())
    assert view["events"] == len(demo.events)
    assert [len(view[name]) for name in ("disputes", "climbs", "red_gates", "questions", "tasks", "landed")] == [
        *(1, 1, 1, 1, 3, 3)
    ]
    assert view["climbs"] == [{"item": "5", "agent": "builder", "from": "small", "to": "medium"}]
    assert view["questions"][0]["answered_by"] == "default" and view["red_gates"][0]["healed"]
    assert view["at_once"] >= 2 and view["seconds"] > 0
    assert view["commits"] == len(demo.git("rev-list", "main").split())
    assert view["tests"]["before"]["failed"] == 9 and view["tests"]["after"] == {
        **{"total": 15, "passed": 15, "failed": 0, "exit_code": 0}
    }


def test_in_a_pipe_it_is_plain(played: dict[str, Played]) -> None:
    story = played["alone"].story
    assert "\x1b" not in story and "\r" not in story
    order = ["11 tests, 9 of them red", "split into #4 #5 #6", "agrees → code", "What happened", "15 of 15 tests green"]
    found = [story.index(words) for words in order]
    assert found == sorted(found)
    for words in (
        "disputes it → test",
        "failed: 2 of 3 tests red",
        "takes over from small",
        "red → mend",
        "landed on main",
    ):
        assert words in story


def test_in_a_terminal_it_shows_who_works_now_and_fits(played: dict[str, Played]) -> None:
    out = played["watched"].out
    assert "\x1b[32m" in out
    drawn = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in out.split("\r\x1b[2K")]
    # Two at once, one of them a builder: `⠹ tester #2 0.3s · builder #4 0.1s`
    assert any(re.match(r"\S \w+ #\d \d+\.\ds · .*#\d \d+\.\ds", line) for line in drawn)
    told = shown(out)
    assert [line for line in told.splitlines() if len(line) > 80] == []
    assert not re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", told), "the live line is gone at the end"
    assert "Look at it" in told and "show 1" in told and "answered q1" in told


def test_every_run_says_whether_it_was_in_a_sandbox(played: dict[str, Played]) -> None:
    view = json.loads(played["alone"].out)
    runs = [run for item in played["alone"].items.values() for run in item["runs"] if not run["gate"]]
    assert {run["sandboxed"] for run in runs} == {view["sandboxed"]}
    assert ("not sandboxed" in played["alone"].story) != view["sandboxed"]


def test_the_recording_of_the_readme_tells_what_a_demo_tells_now(played: dict[str, Played]) -> None:
    now = told(kept(played["watched"].out))
    assert told(recorded()) == now, "draw it again: python -m scripts.recording"
