"""A person takes an agent's work over, and gives it, with real processes: nothing is lost, whatever is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.machine import Given, Taken
from folkmoot.core.commands import Actor
from folkmoot.engine.steering import calls
from folkmoot.errors import NothingToDo, Refused
from folkmoot.wiring.steering import taking
from folkmoot.worker.workspaces import disown, run_paths
from tests.some import some
from tests.worker.test_kill import KILLED, wait_until_gone
from tests.worker.yard import Yard, git

ADA = Actor("ada")
STEERED = Path(__file__).with_name("steered.py")
GATE = ["/bin/sh", "-c", "! grep -rq bug ."]
BUSY = ("write half.txt half a thought", "say here", "wait 300")


def take(yard: Yard, item: str, actor: Actor = ADA) -> Taken:
    """By a command that has ended since: the clone is its person's alone."""
    taken = taking.take(yard.board._application, actor, item, print)
    disown(run_paths(str(yard.folder / ".moot"), taken.run))
    return taken


def give(yard: Yard, item: str | None = None, actor: Actor = ADA, **how: Any) -> Given:
    wish = {"back": False, "widen": False, "unproved": False, **how}
    return taking.give(yard.board._application, actor, item, how.pop("report", None), tell=print, **wish)


def python(script: Path, *words: str) -> list[str]:
    return [sys.executable, str(script), *words]


def env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def worker_at_work(yard: Yard) -> "subprocess.Popen[bytes]":
    """A worker in another process, whose agent has written its first file."""
    worker = subprocess.Popen(python(KILLED, str(yard.folder), "never"), env=env())
    until = time.monotonic() + 60
    while time.monotonic() < until:
        runs = yard.show("1")["runs"]
        if runs and "here" in yard.output(runs[0]["run"]):
            return worker
        time.sleep(0.1)
    worker.kill()
    raise AssertionError("the agent never began")


def workspace(taken: Taken) -> Path:
    return Path(taken.workspace)


def test_a_person_takes_over_from_an_agent_of_another_process_and_gives(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("long", *BUSY)
    worker = worker_at_work(yard)
    try:
        taken = take(yard, item)
        assert (workspace(taken) / "half.txt").read_text() == "half a thought\n", "its work so far"
        assert yard.show(item)["taken"] == "ada"
        (workspace(taken) / "whole.txt").write_text("the rest\n")
        given = give(yard, item)
        assert sorted(given.changed) == ["half.txt", "whole.txt"]
        assert worker.wait(60) == 0, "it had nothing left to do"
    finally:
        worker.kill()
        worker.wait()
    wait_until_gone(yard.folder)
    yard.run()
    assert yard.status(item) == "done"
    assert (yard.landed("half.txt"), yard.landed("whole.txt")) == ("half a thought", "the rest")
    assert not workspace(taken).exists()
    yard.doctor()
    yard.close()


def test_whoever_takes_over_from_a_dead_worker_keeps_its_agents_work(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("long", *BUSY)
    worker = worker_at_work(yard)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    run = yard.show(item)["runs"][0]["run"]
    taken = take(yard, run)
    assert taken.took == run
    assert (workspace(taken) / "half.txt").read_text() == "half a thought\n"
    wait_until_gone(yard.folder / ".moot" / "runs" / run)
    yard.run()
    assert yard.show(item)["taken"] == "ada", "no agent begins it"
    again = take(yard, item)
    assert (again.run, again.workspace, again.again) == (taken.run, taken.workspace, True)
    give(yard)
    yard.run()
    assert yard.landed("half.txt") == "half a thought"
    yard.doctor()
    yard.close()


def test_a_red_gate_or_a_file_too_many_leaves_the_clone_and_reports_nothing(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("short", files=["a.txt"])
    taken = take(yard, item)
    (workspace(taken) / "a.txt").write_text("a bug\n")
    with pytest.raises(Refused, match="the gate check is red on your change"):
        give(yard)
    (workspace(taken) / "a.txt").write_text("fine\n")
    (workspace(taken) / "b.txt").write_text("too\n")
    with pytest.raises(Refused, match=r"b\.txt") as refused:
        give(yard)
    assert refused.value.code == "change_refused"
    assert [run["end"] for run in yard.show(item)["runs"]] == [None]
    assert (workspace(taken) / "b.txt").read_text() == "too\n"
    give(yard, widen=True)
    yard.run()
    assert yard.landed("b.txt") == "too"
    assert sorted(yard.show(item)["files"]) == ["a.txt", "b.txt"]
    with pytest.raises(NothingToDo, match="ada has taken nothing"):
        give(yard)
    yard.doctor()
    yard.close()


def test_a_change_that_is_too_large_stays_where_it_is(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("large")
    taken = take(yard, item)
    for number in range(2_100):
        (workspace(taken) / f"{number}.txt").write_text("x\n")
    limits = yard.board._application.queries.flow().limits
    if limits.change_files < 2_100:
        with pytest.raises(Refused, match="2100 files"):
            give(yard)
    (workspace(taken) / "0.txt").write_text("still here\n")
    for number in range(1, 2_100):
        (workspace(taken) / f"{number}.txt").unlink()
    give(yard)
    yard.run()
    assert yard.landed("0.txt") == "still here"
    yard.close()


def test_given_back_the_agent_goes_on_from_the_persons_work(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("both", "shell cp mine.txt theirs.txt", "report done")
    taken = take(yard, item)
    (workspace(taken) / "mine.txt").write_text("by hand\n")
    assert give(yard, back=True).status == "ready"
    yard.run()
    assert (yard.landed("mine.txt"), yard.landed("theirs.txt")) == ("by hand", "by hand")
    yard.doctor()
    yard.close()


@pytest.mark.parametrize(
    ("what", "step"),
    some(
        [(what, step) for what in ("give", "back") for step in ("give", "given")]
        + [("take", step) for step in ("taken", "prepare", "cloned")],
        [("give", "given"), ("back", "give"), ("take", "taken"), ("take", "cloned")],
    ),
)
def test_killed_at_any_step_nothing_is_lost(tmp_path: Path, what: str, step: str) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("one", "report done")
    place = str(yard.folder)
    if what != "take":
        taken = take(yard, item)
        (workspace(taken) / "mine.txt").write_text("by hand\n")
    ran = subprocess.run(python(STEERED, place, what, item, step), env=env(), capture_output=True, check=False)
    if (what, step) == ("back", "given"):
        assert ran.returncode == 0, "there is no such step"
    else:
        assert ran.returncode == -9, ran.stderr
    if what == "take":
        assert yard.show(item)["taken"] == "ada"
        taken = take(yard, item)
        (workspace(taken) / "mine.txt").write_text("by hand\n")
    if yard.show(item)["taken"]:
        assert (workspace(taken) / "mine.txt").read_text() == "by hand\n"
        give(yard)
    yard.run()
    assert (yard.status(item), yard.landed("mine.txt")) == ("done", "by hand")
    assert os.listdir(yard.folder / ".moot" / "runs") == []
    assert git(yard.folder, "log", "--format=%h", "--", "mine.txt").count("\n") == 0, "it landed once"
    yard.doctor()
    yard.close()


def test_nothing_is_taken_where_there_is_no_repository(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True)
    item = yard.add("one", "report done")
    with pytest.raises(Refused, match="no git repository"):
        take(yard, item)
    assert yard.show(item)["taken"] is None
    yard.close()


def test_a_sentence_reaches_a_command_by_hear_or_else_its_next_brief(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one", "moot hear", "write a.txt made", "report done")
    calls.say(yard.board._application.engine, ADA, item, "mind the tests")
    yard.run()
    run = yard.show(item)["runs"][0]["run"]
    assert "nothing was said since" in yard.output(run), "its brief had told it"
    assert yard.show(item)["said"][0]["heard"] == run
    assert yard.status(item) == "done"
    yard.close()


ACP = """
flow: talk
start: dev
limits: {{lease: 60s, timeout: 60s, silence: 50s}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents:
  dev: {{run: {{acp: {argv}}}, write: any}}
"""


def test_an_agent_of_the_protocol_hears_a_sentence_at_its_next_turn_and_no_other_run_is_needed(tmp_path: Path) -> None:
    said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": '{"outcome": "done"}'}}
    acts = [{"do": "update", "update": said}, {"do": "end", "with": {"result": {"stopReason": "end_turn"}}}]
    agent = [sys.executable, str(Path(__file__).parent / "clients" / "acp_agent.py"), "plan.json", "diary"]
    yard = Yard(tmp_path / "yard", flow=ACP.format(argv=agent), files={"plan.json": json.dumps({"acts": acts})})
    item = yard.add("talk")
    engine = yard.board._application.engine

    def step(name: str, run: str) -> None:
        if name == "spawn":
            calls.say(engine, ADA, item, "use the helper")

    yard.run(step=step)
    shown = yard.show(item)
    assert shown["status"] == "done", shown["why"]
    runs = [run for run in shown["runs"] if run["agent"] == "dev"]
    assert len(runs) == 1
    assert shown["said"][0]["heard"] == runs[0]["run"]
    notes = [json.loads(line) for line in yard.landed("diary").splitlines()]
    prompts = [note["params"]["prompt"][0]["text"] for note in notes if note.get("method") == "session/prompt"]
    assert len(prompts) == 2
    assert "use the helper" not in prompts[0]
    assert "ada: use the helper" in prompts[1]
    yard.doctor()
    yard.close()
