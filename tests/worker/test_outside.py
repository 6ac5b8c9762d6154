"""An agent that nobody here started claims an item with a clone, and its report does what a worker's run does."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from folkmoot import Board
from folkmoot.api.requests import Claim, Release, SendReport
from folkmoot.api.views import ClaimView, ItemView
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.doors.waiting import when_ready
from folkmoot.engine.application import Application
from folkmoot.errors import MootError, NothingToDo, Refused
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of
from folkmoot.wiring.steering import taking
from folkmoot.worker.reclaim import reclaim
from tests.some import some
from tests.worker.yard import Yard, git

ADA = Actor("ada")
GATE = ["/bin/sh", "-c", "! grep -rq bug ."]
KEY = "fk-93jd82kd02ksl2920dk"
OUTSIDER = Path(__file__).with_name("outsider.py")
SECONDS = 60.0


def board_of(yard: Yard) -> Application:
    application: Application = yard.board._application
    return application


def claim(yard: Yard, agent: str | None = None, key: str | None = None, **wish: Any) -> ClaimView:
    return board_of(yard).asked_by(ADA)(Claim(agent=agent, clone=True, **wish), key)


def speaker(view: ClaimView) -> Actor:
    return Actor(view.run, view.run, view.token)


def report(yard: Yard, view: ClaimView, said: Report | None = None, key: str | None = None, **how: Any) -> ItemView:
    request = SendReport(report=said or Report.done("wrote it"), **how)
    return board_of(yard).asked_by(speaker(view))(request, key)


def clones(yard: Yard) -> list[str]:
    folder = yard.folder / ".moot" / "runs"
    return os.listdir(folder) if folder.exists() else []


def workspace(view: ClaimView) -> Path:
    assert view.workspace is not None
    return Path(view.workspace)


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < until, "it never came about"
        time.sleep(0.05)


def attended(yard: Yard, what: Callable[[], bool]) -> None:
    """Somebody sees to gates and landings until it has come about."""
    with FileBoards().attend(board_of(yard), yard.told.append):
        wait_for(what)


def test_what_an_agent_from_outside_changed_goes_through_its_gate_and_lands(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("one")
    view = claim(yard)
    assert (view.agent, view.base) == ("dev", git(yard.folder, "rev-parse", "main"))
    assert view.prompt == (workspace(view).parent / "spool" / "prompt.txt").read_text()
    assert (workspace(view) / "README.md").read_text() == "a project\n"
    (workspace(view) / "new.txt").write_text("from outside\n")
    after = report(yard, view)
    assert after.status == "proving"
    assert not workspace(view).parent.exists(), "the board has the work"
    attended(yard, lambda: yard.status(item) == "done")
    assert yard.landed("new.txt") == "from outside"
    runs = yard.show(item)["runs"]
    assert next((run["agent"], run["outcome"], run["person"]) for run in runs) == ("dev", "done", None)
    yard.doctor()
    yard.close()


def test_a_red_gate_sends_it_back_as_after_a_workers_run(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("one")
    view = claim(yard, "dev")
    (workspace(view) / "new.txt").write_text("a bug\n")
    report(yard, view)
    attended(yard, lambda: yard.status(item) == "ready")
    assert yard.commits() == ["first"]
    again = claim(yard)
    assert (workspace(again) / "new.txt").read_text() == "a bug\n", "it begins with the work so far"
    assert again.brief["findings"], "it is told what was red"
    (workspace(again) / "new.txt").write_text("mended\n")
    report(yard, again)
    attended(yard, lambda: yard.status(item) == "done")
    assert yard.landed("new.txt") == "mended"
    yard.doctor()
    yard.close()


def test_a_change_outside_of_the_items_files_is_refused_and_counted_as_a_workers_is(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    ours, theirs = (
        yard.add("ours", files=["a.txt"]),
        yard.add("theirs", "write b.txt b", "report done", files=["a.txt"]),
    )
    view = claim(yard, item=ours)
    (workspace(view) / "b.txt").write_text("b\n")
    after = report(yard, view)
    yard.run()  # the other by a worker, whose agent does the same
    by_hand, by_worker = yard.show(ours)["runs"][0], yard.show(theirs)["runs"][0]
    told = [(run["outcome"], run["cause"], run["commit"] is None) for run in (by_hand, by_worker)]
    assert told[0] == told[1] and told[0][0] == "failed"
    assert "b.txt" in by_hand["report"]["summary"]
    assert after.status == "ready" and yard.commits() == ["first"]
    assert not workspace(view).parent.exists()
    yard.doctor()
    yard.close()


def test_a_report_that_breaks_the_form_leaves_run_and_clone_and_may_be_said_better(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "new.txt").write_text("half\n")
    with pytest.raises(MootError) as refused:
        report(yard, view, Report(outcome="asks", summary="but what?"))
    assert refused.value.code == "report_refused"
    assert yard.status(item) == "running"
    (workspace(view) / "new.txt").write_text("whole\n")
    report(yard, view)
    yard.run()
    assert yard.landed("new.txt") == "whole"
    yard.doctor()
    yard.close()


def test_two_claims_at_once_get_two_clones(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one"), yard.add("two")
    views: list[ClaimView] = []
    threads = [threading.Thread(target=lambda: views.append(claim(yard))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, two = views
    assert one.workspace != two.workspace
    for number, view in enumerate(views):
        (workspace(view) / f"{number}.txt").write_text(f"{number}\n")
    threads = [threading.Thread(target=report, args=(yard, view)) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(NothingToDo, match="any agent of the flow"):
        claim(yard)
    yard.run()
    assert (yard.landed("0.txt"), yard.landed("1.txt")) == ("0", "1")
    yard.doctor()
    yard.close()


def test_a_stale_runs_report_changes_nothing_and_says_so(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", lease="1s")
    item = yard.add("one")
    view = claim(yard, lease=1.0)
    (workspace(view) / "late.txt").write_text("late\n")
    wrong = Actor(view.run, view.run, view.token + 1)
    with pytest.raises(Refused, match="is not the current run"):
        board_of(yard).asked_by(wrong)(SendReport(report=Report.done("not mine")))
    assert (workspace(view) / "late.txt").exists(), "who has another token does nothing to the clone"
    wait_for(lambda: yard.status(item) != "running")
    with pytest.raises(Refused, match="is not the current run") as refused:
        report(yard, view)
    assert "nothing was changed" in refused.value.remedy
    assert yard.show(item)["head"] is None and not workspace(view).parent.exists()
    (kept,) = yard.board.boards.unlanded(board_of(yard)).unlanded
    assert kept.files == ["late.txt"], "the work is kept"
    yard.doctor()
    yard.close()


def test_what_is_given_back_is_kept_and_its_item_is_ready(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "half.txt").write_text("half\n")
    after = board_of(yard).asked_by(speaker(view))(Release())
    assert after.status == "ready" and after.head is None
    assert not workspace(view).parent.exists()
    assert yard.show(item)["runs"][0]["outcome"] == "released"
    (kept,) = yard.board.boards.unlanded(board_of(yard)).unlanded
    assert (kept.run, kept.files) == (view.run, ["half.txt"])
    yard.doctor()
    yard.close()


def test_the_same_key_claims_and_reports_once(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one"), yard.add("two")
    first, second = claim(yard, key="k"), claim(yard, key="k")
    assert (first.run, first.workspace, first.prompt, first.base) == (
        second.run,
        second.workspace,
        second.prompt,
        second.base,
    )
    (workspace(first) / "new.txt").write_text("new\n")
    after = report(yard, first, key="done")
    assert report(yard, first, key="done") == after
    with pytest.raises(Refused, match="is not the current run"):
        claim(yard, key="k")
    yard.run()
    assert yard.commits().count("one") == 1
    yard.doctor()
    yard.close()


def test_no_value_of_a_secret_variable_lands_or_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", KEY)
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "new.txt").write_text(f"{KEY}\n")
    report(yard, view, Report.done(f"it is {KEY}"))
    yard.run()
    assert yard.status(item) == "awaiting-divine-guidance" and yard.commits() == ["first"]
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes()
    yard.close()


# -- who may have a clone, and where


def test_nothing_is_claimed_where_there_is_no_repository(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", plain=True)
    item = yard.add("one")
    with pytest.raises(Refused, match="no git repository") as refused:
        claim(yard)
    assert refused.value.code == "no_repository"
    assert (yard.status(item), yard.show(item)["runs"]) == ("ready", [])
    yard.close()


def test_a_process_without_files_gives_no_clone_and_reports_for_none(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard)
    board_of(yard).open_workplace = None
    for call in (lambda: claim(yard), lambda: report(yard, view)):
        with pytest.raises(Refused) as refused:
            call()
        assert refused.value.code == "no_workplace"
    assert yard.status(item) == "running" and workspace(view).exists()
    yard.close()


def test_gates_and_landings_are_given_to_no_agent_from_outside(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "new.txt").write_text("new\n")
    report(yard, view)
    assert yard.status(item) == "proving"
    with pytest.raises(NothingToDo):
        claim(yard)
    for agent in ("check", "landing"):
        with pytest.raises(MootError, match="no agent"):
            claim(yard, agent)
    with pytest.raises(MootError):
        claim(yard, item=item)
    assert yard.status(item) == "proving"
    yard.close()


def test_where_the_setup_fails_the_item_is_given_back_and_the_error_says_why(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", more='clone: {setup: [["/bin/sh", "-c", "echo no such wheel; exit 3"]]}')
    item = yard.add("one")
    with pytest.raises(MootError, match="no such wheel") as failed:
        claim(yard)
    assert failed.value.code == "clone_failed"
    assert yard.status(item) == "ready" and yard.show(item)["runs"][0]["outcome"] == "released"
    assert clones(yard) == []
    yard.doctor()
    yard.close()


# -- what is killed


def ended(
    yard: Yard, what: str, step: str, view: ClaimView | None = None, lease: str = ""
) -> "subprocess.CompletedProcess[bytes]":
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LEASE": lease}
    if view is not None:
        env |= {"MOOT_RUN": view.run, "MOOT_TOKEN": str(view.token)}
    command = [sys.executable, str(OUTSIDER), str(yard.folder), what, step]
    return subprocess.run(command, env=env, capture_output=True, check=False)


def claim_when_ready(yard: Yard) -> ClaimView:
    """A run that was lost is followed by a rest."""
    return when_ready(board_of(yard), None, SECONDS, lambda: claim(yard))


def tidied(yard: Yard) -> None:
    with tools_of(board_of(yard), str(yard.folder / ".moot"), yard.told.append) as tools:
        reclaim(tools)


def test_the_clone_outlives_the_process_that_made_it_and_goes_with_its_lease(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    made = ended(yard, "claim", "never", lease="5")
    assert made.returncode == 0, made.stderr
    run = made.stdout.decode().strip()
    clone = yard.folder / ".moot" / "runs" / run
    (clone / "workspace" / "half.txt").write_text("half\n")
    (clone / "spool" / "report").write_text('{"outcome": "done"}')  # that is for no worker to take
    tidied(yard)
    assert yard.status(item) == "running" and (clone / "workspace" / "half.txt").exists()
    wait_for(lambda: yard.status(item) != "running")
    tidied(yard)
    assert not clone.exists(), yard.told
    assert [one["end"] for one in yard.show(item)["runs"]] == ["rescued"]
    (kept,) = yard.board.boards.unlanded(board_of(yard)).unlanded
    assert kept.files == ["half.txt"]
    assert claim_when_ready(yard).brief["task"]["id"] == item
    yard.doctor()
    yard.close()


@pytest.mark.parametrize("step", some(["claimed", "prepare", "cloned", "ready"], ["cloned"]))
def test_killed_while_the_clone_is_made_the_item_is_free_at_once(tmp_path: Path, step: str) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    assert ended(yard, "claim", step).returncode == -9
    assert yard.status(item) == "running"
    tidied(yard)
    assert yard.status(item) != "running"
    assert clones(yard) == []
    view = claim_when_ready(yard)
    (workspace(view) / "new.txt").write_text("new\n")
    report(yard, view)
    yard.run()
    assert yard.landed("new.txt") == "new"
    yard.doctor()
    yard.close()


@pytest.mark.parametrize(
    "what, step",
    some(
        product(["report", "release"], ["harvest", "submit", "submitted"]),
        [("release", "submit"), ("report", "submitted")],
    ),
)
def test_killed_while_it_is_taken_in_nothing_is_lost(tmp_path: Path, what: str, step: str) -> None:
    yard = Yard(tmp_path / "yard", gate=GATE)
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "new.txt").write_text("new\n")
    assert ended(yard, what, step, view).returncode == (0 if (what, step) == ("release", "harvest") else -9)
    tidied(yard)
    if yard.status(item) == "running":
        assert (workspace(view) / "new.txt").read_text() == "new\n"
        report(yard, view)
    elif what == "release":
        (kept,) = yard.board.boards.unlanded(board_of(yard)).unlanded
        assert kept.files == ["new.txt"]
        again = claim(yard)
        (workspace(again) / "new.txt").write_text("new\n")
        report(yard, again)
    assert clones(yard) == []
    attended(yard, lambda: yard.status(item) == "done")
    assert yard.landed("new.txt") == "new"
    yard.doctor()
    yard.close()


# -- attending


def test_whoever_attends_takes_in_what_an_agent_left_whose_lease_is_over(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard, lease=1.0)
    (workspace(view) / "half.txt").write_text("half\n")
    wait_for(lambda: yard.status(item) != "running")
    attended(yard, lambda: not workspace(view).parent.exists())
    (kept,) = yard.board.boards.unlanded(board_of(yard)).unlanded
    assert kept.files == ["half.txt"]
    yard.doctor()
    yard.close()


def test_whoever_attends_runs_no_agent_and_ends_a_gate_promptly(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "test -e quick.txt || sleep 600"], timeout="900s")
    item, other = yard.add("one"), yard.add("two", "report done", after=["1"])
    view = claim(yard)
    (workspace(view) / "new.txt").write_text("new\n")
    report(yard, view)
    boards, idle = FileBoards(), yard.add("three", "write three.txt 3", "report done")
    assert not boards.worker_alive(board_of(yard))
    began, threads = time.monotonic(), set(threading.enumerate())
    with boards.attend(board_of(yard), yard.told.append):
        wait_for(lambda: boards.worker_alive(board_of(yard)))
        wait_for(lambda: any(run["gate"] and run["ended_at"] is None for run in yard.show(item)["runs"]))
    assert time.monotonic() - began < SECONDS, "it did not wait for the gate"
    assert not boards.worker_alive(board_of(yard))
    assert [run["outcome"] for run in yard.show(item)["runs"]] == ["done", "released"]
    assert (yard.status(idle), yard.show(other)["runs"]) == ("ready", [])
    # Who watches over processes looks once more, and finds none.
    wait_for(lambda: not [one for one in set(threading.enumerate()) - threads if one.name.startswith("moot-")])
    yard.close()


def test_a_program_claims_with_a_clone_and_a_block_that_fails_reports_that(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    with Board.open(str(yard.folder), actor="ada") as board:
        run = board.claim(clone=True)
        clone = Path(run.workspace or "")
        assert run.prompt() == (clone.parent / "spool" / "prompt.txt").read_text()
        with pytest.raises(FileNotFoundError), run:
            (clone / "missing.txt").read_text()
        assert not clone.exists() and yard.show(item)["runs"][0]["outcome"] == "failed"
        with board.claim("dev", clone=True, wait=SECONDS) as run:
            Path(run.workspace or "", "new.txt").write_text("new\n")
            run.report(Report.done("wrote it"))
    yard.run()
    assert yard.landed("new.txt") == "new"
    yard.doctor()
    yard.close()


def test_a_setup_that_takes_too_long_is_ended_and_the_lease_lasts_until_then(tmp_path: Path) -> None:
    more = 'clone: {setup: [["/bin/sh", "-c", "sleep 600"]]}'
    yard = Yard(tmp_path / "yard", timeout="4s", more=more)
    item = yard.add("one")
    with pytest.raises(MootError, match=r"its setup was ended \(timeout\)"):
        claim(yard, lease=2.0)
    (run,) = yard.show(item)["runs"]
    assert (run["outcome"], yard.status(item), clones(yard)) == ("released", "ready", [])
    yard.close()


def test_a_change_that_is_too_large_is_judged_as_a_workers_and_a_refused_report_leaves_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", lease="60s, change_files: 3")
    item = yard.add("one")
    view = claim(yard)
    for number in range(5):
        (workspace(view) / f"{number}.txt").write_text("x\n")
    with pytest.raises(MootError):
        report(yard, view, Report(outcome="asks"))
    assert (workspace(view) / "4.txt").exists(), "it was not taken, so it is where it was"
    report(yard, view)
    (run,) = yard.show(item)["runs"]
    assert run["outcome"] == "failed" and "change_files" in run["report"]["summary"]
    assert clones(yard) == []
    yard.close()


def test_a_person_takes_over_what_an_agent_from_outside_has_begun(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("one")
    view = claim(yard)
    (workspace(view) / "half.txt").write_text("half\n")
    taken = taking.take(board_of(yard), ADA, item, print)
    assert Path(taken.workspace, "half.txt").read_text() == "half\n"
    assert clones(yard) == [taken.run]
    with pytest.raises(Refused, match="is not the current run"):
        report(yard, view)
    yard.close()


def test_an_agent_that_the_flow_does_not_say_how_to_start_can_be_somebody_from_outside(tmp_path: Path) -> None:
    flow = "flow: own\nstart: dev\ncolumns: {dev: {agents: [dev], next: done}}\nagents: {dev: {write: own}}\n"
    yard = Yard(tmp_path / "yard", flow=flow)
    yard.add("one")
    view = claim(yard)
    (workspace(view) / "new.txt").write_text("new\n")
    report(yard, view)
    yard.run()
    assert yard.landed("new.txt") == "new"
    yard.close()
