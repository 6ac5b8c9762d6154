"""Health: things are really broken here, and it is red for them, soon, and says for what."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from folkmoot.api.health import CheckHealth, Component, Health
from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.engine.application import Application
from folkmoot.engine.checking import health
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow
from folkmoot.wiring.boards import FileBoards
from tests.doors.conftest import Moot
from tests.faults.conftest import MakeDisk
from tests.faults.test_full_disk import fill

pytestmark = pytest.mark.embedded("what may be wrong with the file of a board")

FLOW = "flow: small\nstart: dev\ncolumns: {dev: {agents: [dev], next: done}}\nagents: {dev: {}}\n"


@contextmanager
def board_in(folder: Path, items: int = 3) -> Iterator[Application]:
    (folder / ".moot").mkdir(parents=True)
    (folder / ".moot" / "flow.yaml").write_text(FLOW)
    board = FileBoards().create(str(folder), "simple")
    try:
        for number in range(items):
            board.engine.add(PERSON, commands.AddItem(title=f"Item {number}"))
        yield board
    finally:
        board.close()


def check(board: Application, whole: bool = False) -> Health:
    return board.asked_by(Actor("watcher"), "observer")(CheckHealth(whole=whole))


def part(found: Health, name: str) -> Component:
    return next(one for one in found.components if one.name == name)


def store_of(board: Application) -> Path:
    return Path(board.board_dir) / "board.db"


def change(board: Application, statement: str) -> None:
    """As a bit that flips would: past all that guards the store."""
    connection = apsw.Connection(str(store_of(board)))
    connection.execute(statement).fetchall()
    connection.close()


def test_a_sound_board_is_green_and_names_what_was_looked_at(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        found = check(board)
    assert found.ok, found
    assert [(one.name, one.ok) for one in found.components] == [("store", True), ("chain", True), ("worker", True)]
    assert all(one.words for one in found.components)


def test_an_event_that_was_changed_is_seen_at_once(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        change(board, "UPDATE events SET agent = 'somebody else' WHERE seq = (SELECT max(seq) - 1 FROM events)")
        found = check(board)
    assert not found.ok
    assert not part(found, "chain").ok and "is not what was written" in part(found, "chain").words
    assert part(found, "store").ok


def test_an_old_event_that_was_changed_is_seen_when_the_whole_log_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "NEWEST", 3)
    with board_in(tmp_path, items=8) as board:
        change(board, "UPDATE events SET agent = agent || '!' WHERE seq = 2")
        assert check(board).ok, "the newest are sound"
        found = check(board, whole=True)
        assert not found.ok and "event 2" in part(found, "chain").words
        assert not check(board).ok, "what was found stays"
        change(board, "UPDATE events SET agent = rtrim(agent, '!') WHERE seq = 2")
        assert check(board, whole=True).ok, "until a later look has found it well"
        assert check(board).ok


def test_a_long_log_is_proved_in_slices_each_no_longer_than_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PAGE", 5)
    monkeypatch.setattr(health, "SLICE", 0.0)
    with board_in(tmp_path, items=12) as board:
        last = board.last()
        words = [part(check(board, whole=True), "chain").words for _ in range(last // 5 + 1)]
    assert "5 are proved from the first on: ask again to go on" in words[0]
    assert "10 are proved" in words[1]
    assert f"all {last} were" in words[-1]


def test_a_head_that_does_not_fit_the_log_is_red(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        change(board, "UPDATE board SET seq = seq + 1")
        found = check(board)
    assert not part(found, "chain").ok and "the head names event" in part(found, "chain").words


def test_a_store_that_is_gone_or_no_store_any_more_is_red(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        change(board, "DROP TABLE events")
        found = check(board)
    assert not found.ok
    assert not part(found, "chain").ok


def test_a_full_disk_is_red_and_green_again_when_there_is_space(tmp_path: Path, small_disk: MakeDisk) -> None:
    folder = small_disk(tmp_path / "small", 4096)
    with board_in(folder) as board:
        sound = check(board)
        assert sound.ok and part(sound, "store").warning and "are left on its disk" in part(sound, "store").words
        board.health._written = None  # as after five seconds
        filler = fill(folder)
        found = check(board)
        assert not found.ok and "space" in part(found, "store").words, found
        filler.unlink()
        assert check(board).ok, "a red one is looked at anew each time"


def test_a_store_that_became_read_only_is_red(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a disk is made read-only by mounting it so, and that needs root")
    with board_in(tmp_path / "a") as board:
        assert check(board).ok
        board.health._written = None  # as after five seconds
        place = board.board_dir
        for command in (["mount", "--bind", place, place], ["mount", "-o", "remount,ro,bind", place]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        try:
            found = check(board)
        finally:
            subprocess.run(["umount", "-l", place], check=True)
        assert not found.ok and "cannot be written" in part(found, "store").words, found
        assert check(board).ok


def test_a_store_that_somebody_holds_for_long_is_red(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        holder = apsw.Connection(str(store_of(board)))
        holder.execute("BEGIN IMMEDIATE")
        found = check(board)
        assert not found.ok and "held by another process" in part(found, "store").words, found
        holder.execute("ROLLBACK")
        holder.close()
        assert check(board).ok


def test_a_trial_write_leaves_no_trace_and_is_not_made_at_each_look(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        before = board.last()
        log = Path(f"{store_of(board)}-wal")
        sizes = [log.stat().st_size]
        for _ in range(3):
            check(board)
            sizes.append(log.stat().st_size)
        assert sizes[1] > sizes[0], "something was really written"
        assert sizes[1] == sizes[3], "and only once in five seconds"
        assert board.last() == before
        assert board.engine.store.broken_links() == []


WORKER = """
import os, sys
from folkmoot.core.commands import Actor
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.removing import worker_name

board = FileBoards().open(sys.argv[1])
name = worker_name(os.uname().nodename, board.board_dir)
board.engine.claim(Actor("worker"), "dev", worker=name, show=False)
print("claimed", flush=True)
sys.stdin.read()
"""


def test_a_worker_that_was_killed_is_red_until_its_run_is_taken_up(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        started = [sys.executable, "-c", WORKER, board.board_dir]
        worker = subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert worker.stdin is not None and worker.stdout is not None
        try:
            assert worker.stdout.readline() == "claimed\n"
            alive = check(board)
            assert alive.ok and not part(alive, "worker").warning, alive
        finally:
            worker.kill()
            worker.wait()
            worker.stdin.close()
            worker.stdout.close()
        found = check(board)
        assert not found.ok, found
        assert "the worker of run" in part(found, "worker").words and "(item 1) is dead" in part(found, "worker").words
        (run,) = board.queries.live().runs
        board.engine.act(ENGINE, commands.LapseRun(died=run.run), run.item)
        assert check(board).ok


def test_a_claim_with_a_clone_outlives_the_process_that_took_it(tmp_path: Path) -> None:
    with board_in(tmp_path) as board:
        script = WORKER.replace("show=False", "show=False, cloned=True")
        subprocess.run([sys.executable, "-c", script, board.board_dir], input="", text=True, check=True)
        assert board.queries.live().runs
        assert check(board).ok


def test_a_lease_that_is_over_and_that_nobody_has_taken_up_is_red() -> None:
    with TrialBoard(line_flow("plan")) as board:
        board.add()
        board.claim("plan-agent", lease=60)
        board.sleep(70)
        assert check(board.application).ok, "whoever looks for work next may be about to take it up"
        board.sleep(60)
        found = check(board.application)
        assert not found.ok and "the lease of run r1 (item 1) is over" in part(found, "worker").words
        board.add("anything that is written takes it up")
        assert check(board.application).ok


def test_ready_items_without_a_worker_are_a_warning_and_not_red(tmp_path: Path) -> None:
    """A board may be worked on by people, or by nobody at night: nothing is broken."""
    with board_in(tmp_path) as board:
        found = check(board)
        assert found.ok
        worker = part(found, "worker")
        assert worker.warning and worker.words == "3 items are ready and no worker runs here"
        board.engine.on_board(PERSON, commands.StopBoard())
        assert not part(check(board), "worker").warning, "a board that was paused has no need of one"


def test_a_store_that_does_not_answer_is_red_in_time_and_costs_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LONGEST", 0.2)
    with TrialBoard(line_flow("plan")) as board:
        application, hangs = board.application, threading.Event()
        sound = application.engine.store.prove
        monkeypatch.setattr(application.engine.store, "prove", lambda *_: (hangs.wait(), sound(-1, 5))[1])
        before = threading.active_count()
        found = [check(application) for _ in range(3)]
        assert [one.ok for one in found] == [False] * 3
        assert "did not answer" in part(found[2], "chain").words and part(found[2], "store").ok
        assert threading.active_count() == before + 1
        hangs.set()
        for thread in threading.enumerate():
            if thread.name == "moot-health-chain":
                thread.join()
        assert check(application).ok


def test_whoever_may_look_may_ask_for_health(tmp_path: Path) -> None:
    with TrialBoard() as board:
        for role in ("owner", "person", "observer", "run"):
            assert board.application.asked_by(PERSON, role)(CheckHealth()).ok


def test_a_person_is_shown_each_part_and_a_program_gets_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with board_in(tmp_path, items=12) as board:
        moot = Moot(tmp_path, capsys, monkeypatch)
        shown = moot("health").out
        assert "it can be read and written" in shown and "12 items are ready and no worker runs here" in shown
        monkeypatch.setattr(health, "NEWEST", 3)
        monkeypatch.setattr(health, "PAGE", 3)
        monkeypatch.setattr(health, "SLICE", 0.0)
        assert f"all {board.last()} were" in moot("health", "--whole").out, "it goes on until it is through"
        change(board, "UPDATE events SET agent = agent || '!' WHERE seq = 3")
        assert moot("health", "--json", code=0).json["ok"]
        red = moot("health", "--whole", code=4)
    assert "event 3" in red.out and "not sound: chain" in red.err and "moot doctor" in red.err
