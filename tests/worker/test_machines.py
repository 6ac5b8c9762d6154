"""Several machines on one board: the store says which commit, the remote has the objects; nothing else is shared."""

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.screen import ShowChange
from folkmoot.core.commands import Actor, StopBoard
from folkmoot.errors import Refused
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.looking.changes import change
from folkmoot.wiring.running import salvage, unlanded
from folkmoot.worker.jobs.job import Job
from tests.some import some
from tests.worker.machines import Machine, Shared
from tests.worker.yard import ACTOR, git

LOOK: dict[str, Any] = {
    "after": "look",
    "more": "  look: {agents: [look], next: done}",
    "agents": f"  look: {{run: {{command: {ACTOR}}}, write: none}}",
}


def ended(worker: "subprocess.Popen[bytes]") -> tuple[int, str]:
    out, _ = worker.communicate(timeout=120)
    return worker.returncode, out.decode()


def objects_of(machine: Machine, commit: str) -> bool:
    repository = Path(machine.home) / "repo.git"
    there = ["git", "--git-dir", str(repository), "cat-file", "-e", commit]
    return subprocess.run(there, capture_output=True, check=False).returncode == 0


def test_work_lands_on_the_remote_and_the_users_own_branch_follows(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    item = shared.add("one", "write one.txt made", "report done")
    one, two = shared.machines
    one.run()
    assert shared.show(item)["status"] == "done", (shared.show(item)["why"], one.words())
    assert shared.landed("one.txt") == "made"
    assert (one.folder / "one.txt").read_text() == "made\n"
    assert git(one.folder, "rev-parse", "main") == git(shared.remote, "rev-parse", "main")
    assert git(one.folder, "status", "--porcelain", "--untracked-files=no") == ""
    assert git(shared.remote, "for-each-ref", "refs/moot/intents") == ""
    # The other machine builds on it, though its own branch is where it was.
    second = shared.add("two", "shell cat one.txt > two.txt", "report done")
    two.run()
    assert shared.show(second)["status"] == "done", (shared.show(second)["why"], two.words())
    assert shared.landed("two.txt") == "made"
    assert (two.folder / "one.txt").read_text() == "made\n"
    shared.doctor()


def test_what_is_in_the_way_of_the_users_own_branch_keeps_nothing_from_landing(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    (one.folder / "README.md").write_text("not committed\n")
    item = shared.add("one", "write README.md landed", "report done")
    one.run()
    assert shared.show(item)["status"] == "done"
    assert shared.landed("README.md") == "landed"
    assert (one.folder / "README.md").read_text() == "not committed\n"
    assert git(one.folder, "branch", "--list", "moot/*") == ""
    assert "git pull" in one.words()
    shared.doctor()


def test_a_second_machine_goes_on_from_the_commit_of_one_that_was_killed(tmp_path: Path) -> None:
    shared = Shared(tmp_path, lease="2s", **LOOK)
    one, two = shared.machines
    item = shared.add("one", "write one.txt made", "report done")
    worker = one.started("spawn-look")
    code, out = ended(worker)
    assert code == -9, out
    head = shared.show(item)["head"]
    assert head is not None
    assert not objects_of(two, head)
    two.run()
    shown = shared.show(item)
    assert shown["status"] == "done", (shown["why"], two.words())
    assert objects_of(two, head)
    assert shared.landed("one.txt") == "made"
    assert shared.times_landed("one.txt") == 1
    runs = [run["agent"] for run in shown["runs"]]
    assert runs == ["dev", "look", "look", "landing"], "nobody makes again what was made"
    shared.doctor()


@pytest.mark.parametrize("step", some(["merge", "report", "move", "swap", "moved"], ["swap", "moved"]))
def test_a_machine_that_is_killed_at_any_step_of_a_landing_leaves_it_to_another(tmp_path: Path, step: str) -> None:
    shared = Shared(tmp_path, lease="2s")
    one, two = shared.machines
    item = shared.add("one", "write one.txt made", "report done")
    before = git(shared.remote, "rev-parse", "main")
    code, out = ended(one.started(step))
    assert code == -9, out
    assert (git(shared.remote, "rev-parse", "main") != before) == (step == "moved")
    two.run()
    shown = shared.show(item)
    assert shown["status"] == "done", (shown["why"], two.words())
    assert shared.landed("one.txt") == "made"
    assert shared.times_landed("one.txt") == 1
    assert git(shared.remote, "for-each-ref", "refs/moot/intents") == ""
    shared.doctor()


def test_a_landing_whose_item_was_cancelled_after_the_push_is_told_by_another_machine(tmp_path: Path) -> None:
    shared = Shared(tmp_path, lease="2s")
    one, two = shared.machines
    item = shared.add("one", "write one.txt made", "report done")
    assert ended(one.started("moved"))[0] == -9
    shared.board.cancel(item, why="not wanted")
    two.run()
    shown = shared.show(item)
    assert shown["status"] == "cancelled"
    assert shown["landed"] == git(shared.remote, "rev-parse", "main")
    assert git(shared.remote, "for-each-ref", "refs/moot/intents") == ""
    shared.doctor()


def test_a_remote_that_is_away_in_the_middle_of_a_landing_is_waited_for(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    item = shared.add("one", "write one.txt made", "report done")
    gone = tmp_path / "gone.git"
    back = threading.Timer(4.0, lambda: os.rename(gone, shared.remote))
    hidden: list[str] = []

    def step(name: str, run: str) -> None:
        if name == "swap" and not hidden:
            hidden.append(run)
            os.rename(shared.remote, gone)
            back.start()

    one.run(step=step)
    back.join()
    shown = shared.show(item)
    assert shown["status"] == "done", (shown["why"], one.words())
    assert hidden and [run["agent"] for run in shown["runs"]] == ["dev", "landing"]
    assert shared.times_landed("one.txt") == 1
    shared.doctor()


@pytest.mark.parametrize("step", some(["clone", "report", "merge"], ["report"]))
def test_a_remote_that_stays_away_is_an_outage_and_nothing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(Job, "remote_patience", 0.0)
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    item = shared.add("one", "write one.txt made", "report done")
    gone = tmp_path / "gone.git"
    met: list[str] = []

    def hide(name: str, run: str) -> None:
        # Before the clone; before the report; and when its landing begins.
        if name == step and not met:
            met.append(run)
            os.rename(shared.remote, gone)

    def bring_back() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if any(event.what == "released" for event in list(one.told)) and gone.exists():
                os.rename(gone, shared.remote)
                return
            time.sleep(0.1)

    helper = threading.Thread(target=bring_back)
    helper.start()
    one.run(step=hide)
    helper.join()
    until = time.monotonic() + 60
    while shared.show(item)["status"] != "done" and time.monotonic() < until:
        time.sleep(0.5)  # its pause passes by itself
        one.run()
    shown = shared.show(item)
    assert shown["status"] == "done", (shown["why"], one.words())
    assert any(run["cause"] == "outage" for run in shown["runs"])
    names = {event["event"] for event in shared.board.log()}
    assert not names & {"attempt_counted", "attempt_noted", "error_occurred", "escalation_triggered"}
    assert shared.board.inbox() == []
    assert shared.times_landed("one.txt") == 1
    shared.doctor()


@pytest.mark.slow  # as users have them: test_machines_on_a_server.py
def test_three_machines_work_one_board_and_every_item_lands_exactly_once(tmp_path: Path) -> None:
    """One is killed for good in the middle, and the remote is away for some seconds."""
    shared = Shared(tmp_path, machines=3, lease="3s", gate=["/bin/sh", "-c", "test -f README.md"])
    names = [f"file{number}.txt" for number in range(6)]
    items = [shared.add(name, f"write {name} made", "shell sleep 0.2", "report done", files=[name]) for name in names]
    gone = tmp_path / "gone.git"
    workers = [machine.started() for machine in shared.machines[:2]]
    doomed = shared.machines[2].started("swap")
    until = time.monotonic() + 60
    while shared.times_landed(names[0]) + shared.times_landed(names[1]) == 0 and time.monotonic() < until:
        time.sleep(0.2)
    os.rename(shared.remote, gone)
    time.sleep(4)
    os.rename(gone, shared.remote)
    said = [ended(worker)[1] for worker in [*workers, doomed]]
    shared.machines[0].run()  # what was rescued after the others had nothing left to do
    for item, name in zip(items, names, strict=True):
        shown = shared.show(item)
        assert shown["status"] == "done", (shown["why"], *said)
        assert shared.times_landed(name) == 1
    hosts = {run["worker"] for item in items for run in shared.show(item)["runs"]}
    assert len(hosts) >= 2, "more than one machine has worked"
    assert shared.board.inbox() == []
    assert git(shared.remote, "for-each-ref", "refs/moot/intents") == ""
    shared.doctor()


def test_work_that_did_not_land_is_found_on_every_machine(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    one, two = shared.machines
    item = shared.add("one", "write one.txt half", "exit 3")
    one.run()
    run = shared.show(item)["runs"][0]["run"]
    assert run in [kept.run for kept in unlanded(two.application, two.home).unlanded]
    branch = salvage(two.application, two.home, run, None).branch
    assert git(two.folder, "show", f"{branch}:one.txt") == "half"


def test_what_a_run_printed_and_changed_is_read_on_every_machine(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    one, two = shared.machines
    item = shared.add("one", "say here it is", "write one.txt made", "report done")
    one.run()
    run = shared.show(item)["runs"][0]["run"]
    parts = two.application.queries.output(run).parts
    assert "here it is" in "".join(part.text for part in parts)
    shown = change(two.application, ShowChange(item=item))
    assert "+made" in shown.diff


def test_the_flow_that_one_machine_takes_in_holds_on_the_others(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    two = shared.machines[1]
    flow = Path(shared.machines[0].home) / "flow.yaml"
    flow.write_text(flow.read_text().replace("write: own", "write: own, needs: [gpu]"))
    FileBoards().apply(shared.machines[0].home, {}, Actor("somebody"))
    item = shared.add("one", "write one.txt made", "report done")
    two.run()
    assert shared.show(item)["status"] == "ready"
    two.run(labels=["gpu"])
    assert shared.show(item)["status"] == "done"


def test_an_item_that_needs_a_label_is_worked_on_where_it_is(tmp_path: Path) -> None:
    """Its agent and its gate run there alone, and its work lands from there; the other machine does the rest."""
    shared = Shared(tmp_path, gate=["/bin/sh", "-c", "test -f README.md"])
    one, two = shared.machines
    first = shared.add("trained", "write gpu.txt made", "report done", needs=["gpu"])
    second = shared.add("plain", "write plain.txt made", "report done")
    one.run()
    assert [shared.show(item)["status"] for item in (first, second)] == ["ready", "done"]
    assert "on a worker with label gpu" in shared.show(first)["why"]
    two.run(labels=["gpu"])
    assert shared.show(first)["status"] == "done", (shared.show(first)["why"], two.words())
    assert shared.landed("gpu.txt") == "made"
    assert len({run["worker"] for run in shared.show(first)["runs"]}) == 1
    shared.doctor()


def test_one_stop_ends_the_runs_of_every_machine(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    items = [shared.add(name, f"write {name} made", "wait 300") for name in ("one", "two", "three", "four")]
    workers = [machine.started() for machine in shared.machines]
    until = time.monotonic() + 60
    while time.monotonic() < until and not all(shared.show(item)["status"] == "running" for item in items):
        time.sleep(0.2)
    shared.machines[0].application.engine.on_board(Actor("somebody"), StopBoard(now=True))
    while time.monotonic() < until and any(shared.show(item)["status"] == "running" for item in items):
        time.sleep(0.2)
    assert [shared.show(item)["status"] for item in items] == ["ready"] * 4
    for worker in workers:
        assert ended(worker)[0] == 0


def test_a_remote_that_has_no_branch_to_land_on_is_refused_with_what_to_do(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    git(shared.remote, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(Refused) as refused:
        one.run()
    assert refused.value.code == "no_target"
    assert "git push origin main" in refused.value.hint
    git(one.folder, "remote", "remove", "origin")
    with pytest.raises(Refused) as refused:
        one.run()
    assert refused.value.code == "no_remote"
    assert "git remote add origin" in refused.value.hint


def test_a_branch_that_the_remote_protects_asks_a_person_and_loses_nothing(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    hook = shared.remote / "hooks" / "update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/*) echo "reviewed pushes only" >&2; exit 1;; esac\n')
    hook.chmod(0o755)
    item = shared.add("one", "write one.txt made", "report done")
    one = shared.machines[0]
    one.run()
    until = time.monotonic() + 60
    while shared.show(item)["status"] == "proving" and time.monotonic() < until:
        time.sleep(0.5)
        one.run()
    (question,) = shared.board.inbox()
    assert "does not take it" in question["question"]
    assert shared.show(item)["head"] is not None
