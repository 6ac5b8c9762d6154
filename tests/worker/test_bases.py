"""A child's work begins at the branch of the nearest item above it that has work: with real agents and real git."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.some import some
from tests.worker.yard import Yard, git

QUEST = """
flow: small-quest
start: discover
discover: discover
arbiter: discover
limits: {slots: 2, lease: 60s, timeout: 60s, silence: 60s}
columns:
  discover: {agents: [seeker], next: weave}
  weave: {agents: [weaver], next: done, gate: [ward]}
agents:
  seeker: {run: {command: ACTOR}, write: none, may: [split, delegate]}
  weaver: {run: {command: ACTOR}, write: own, may: [ask, delegate], experts: [sage]}
  sage: {run: {command: ACTOR}, expert: true, write: none}
gates: {ward: {run: ["/bin/sh", "-c", "test -f seen.txt"]}}
"""
PIPELINE = """
flow: small-pipeline
start: implement
limits: {slots: 3, lease: 60s, timeout: 60s, silence: 60s}
columns:
  implement: {agents: [implementer], next: review}
  review: {agents: [reviewer, devils-advocate], next: test, fix: implement}
  test: {agents: [test-executor], next: done, fix: implement}
agents:
  implementer: {run: {command: ACTOR}}
  reviewer: {run: {command: ACTOR}, write: none, may: [dispatch]}
  devils-advocate: {run: {command: ACTOR}, write: none}
  test-executor: {run: {command: ACTOR}, write: none, may: [dispatch]}
"""
SIZE = 'only weaver report failed {"cause": "size"}'
MakeYard = Callable[..., Yard]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeYard]:
    made: list[Yard] = []

    def make(**wish: Any) -> Yard:
        made.append(Yard(tmp_path / f"yard{len(made)}", **wish))
        return made[-1]

    yield make
    for yard in made:
        yard.doctor()
        yard.close()


def splits(*tasks: dict[str, Any]) -> str:
    return f"only seeker report split {json.dumps({'tasks': tasks})}"


def task(key: str, *lines: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "title": key, "body": "\n".join(lines), **more}


@pytest.mark.ledger("R-19", "R-24")
def test_tasks_of_a_task_that_was_split_twice_begin_with_what_the_quest_has(make: MakeYard) -> None:
    yard = make(flow=QUEST)
    deepest = task("deepest", "shell cp first.txt seen.txt", "report done", files=["seen.txt"])
    deeper = task("deeper", SIZE, splits(deepest))
    deep = task("deep", SIZE, splits(deeper), after=["first"])
    first = task("first", "write first.txt by the first", "report done", files=["first.txt"])
    quest = yard.add("quest", splits(first, deep))
    yard.run()
    (leaf,) = [item for item in yard.board.list() if item["title"] == "deepest"]
    assert yard.show(str(leaf["id"]))["status"] == "done"
    assert yard.status(quest) == "done", yard.show(quest)["why"]
    assert yard.landed("seen.txt") == "by the first"


LOOK = "shell test -f half.txt && echo sees the half\nreport done"
HELP = {"sub": {"task": "look at it", "scope": LOOK}, "expert": {"to": "sage", "task": LOOK}}


@pytest.mark.ledger("R-19", "R-08", "R-25")
@pytest.mark.parametrize("kind", HELP)
def test_whoever_helps_looks_at_the_work_of_the_item_it_helps(make: MakeYard, kind: str) -> None:
    yard = make(flow=QUEST)
    asks, done = json.dumps({"outcome": "delegates", "delegate": [HELP[kind]]}), json.dumps({"outcome": "done"})
    helped = task(
        "helped",
        "shell test -f half.txt && cp half.txt seen.txt",
        "shell test -f half.txt || echo half > half.txt",
        f"shell test -f seen.txt && printf '%s' '{done}' || printf '%s' '{asks}'",
    )
    yard.add("quest", splits(helped))
    yard.run()
    (helper,) = [item for item in yard.board.list() if item["kind"] == kind]
    (run,) = yard.show(str(helper["id"]))["runs"]
    assert "sees the half" in yard.output(run["run"])
    assert yard.landed("seen.txt") == "half"


@pytest.mark.ledger("R-14", "R-19")
def test_parts_look_at_their_items_work(make: MakeYard) -> None:
    yard = make(flow=PIPELINE)
    sees = "shell test -f made.txt && echo sees it"
    item = yard.add("feature", "only implementer write made.txt x", sees, "report done")
    yard.run()
    assert yard.status(item) == "done"
    parts = [one for one in yard.board.list() if one["kind"] == "part"]
    assert len(parts) == 2
    for part in parts:
        (run,) = yard.show(str(part["id"]))["runs"]
        assert "sees it" in yard.output(run["run"]), part["agent"]


@pytest.mark.ledger("P-02", "R-19", "R-25")
@pytest.mark.parametrize("asker", some(["reviewer", "test-executor"], ["reviewer"]))
def test_a_dispatched_fix_works_on_the_askers_branch_and_its_result_comes_back(make: MakeYard, asker: str) -> None:
    yard = make(flow=PIPELINE)
    fix = r"say Fix the following issues found by reviewer:\n\nshell cat made.txt >> fixed.txt\nreport done"
    sent = f"only {asker} shell test -f fixed.txt || printf '{fix}' | moot dispatch implementer - --purpose fix"
    item = yard.add(
        "feature",
        "only implementer write made.txt the work",
        sent,
        f"only {asker} shell until moot show 4 --json | grep -q 'landed_on.*item 1'; do sleep 0.1; done",
        "report done",
        files=["made.txt", "fixed.txt"],
    )
    yard.run()
    shown = yard.show("4")
    assert (shown["kind"], shown["purpose"], shown["dispatched_by"]) == ("dispatch", "fix", item)
    (run,) = [run for run in shown["runs"] if run["agent"] == "implementer"]
    base = git(yard.folder / ".moot" / "repo.git", "show", f"{run['commit']}^1:made.txt")
    assert base == "the work", "it began with what the asker's branch had"
    assert shown["files"] == ["made.txt", "fixed.txt"], "it may change what the asker may"
    assert yard.landed("fixed.txt") == "the work"
    assert yard.status(item) == "done"
    told = yard.board.log(item=item)
    (sent_for,) = [event["context"] for event in told if event["event"] == "agent_dispatched"]
    assert (sent_for["child"], sent_for["to"], sent_for["purpose"]) == ("4", "implementer", "fix")
    (output,) = [one for one in yard.show(item)["outputs"] if one["kind"] == "dispatch"]
    assert (output["item"], output["outcome"], output["summary"]) == ("4", "done", "said done")
    assert yard.show(item)["dispatched"] == [], "it has ended"
