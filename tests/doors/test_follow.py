"""Who waits is woken by what others write: `--follow`, `--wait`, and the same from Python."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot import Board, Report
from folkmoot.core.commands import Actor, AddItem
from folkmoot.engine.application import LOOK_AGAIN, Application
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from folkmoot.wiring.wal_watch import BoardSignal
from tests import stores
from tests.doors.conftest import Moot, environment

MOOT = [sys.executable, "-m", "folkmoot"]


def moot(folder: Path, *arguments: str) -> None:
    subprocess.run([*MOOT, *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.ledger("K-14")
def test_what_others_do_is_shown_as_it_happens(tmp_path: Path) -> None:
    moot(tmp_path, "init")
    with subprocess.Popen([*MOOT, "log", "--follow"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        moot(tmp_path, "add", "written meanwhile")
        # The log is endless: reading stops at the line that is waited for, or the pipe ends and the test fails.
        seen = next((line for line in following.stdout if "written meanwhile" in line or "added" in line), "")
        following.terminate()
    assert "#1" in seen


def test_an_endless_log_is_no_document(tmp_path: Path) -> None:
    moot(tmp_path, "init")
    done = subprocess.run(
        [*MOOT, "log", "--follow", "--json"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "bad_usage" in done.stderr


# From Python. A board that looks again only after ten minutes must be woken, or the test ends badly.
WOKEN, PATIENCE = 600.0, 60.0


@pytest.fixture
def place(tmp_path: Path, fresh: Path) -> Path:
    stores.copy(fresh / ".moot", tmp_path / ".moot")
    return tmp_path


def opened(place: Path, look_again: float = WOKEN) -> Board:
    board = Board.open(str(place))
    board._application.look_again = look_again
    return board


def in_a_thread(work: Callable[[], Any]) -> Callable[[], Any]:
    """Begin the work; what is returned gives what came out of it."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(work())
        except Exception as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def end() -> Any:
        thread.join(PATIENCE)
        assert came, "nobody has woken it"
        return came[0]

    return end


def sleeps(board: Board) -> None:
    """Until somebody sleeps on this board."""
    for _ in range(int(PATIENCE * 1000)):
        if board._application.change_signal._sleepers:
            return
        threading.Event().wait(0.001)
    raise AssertionError("nobody sleeps")


def test_a_claim_waits_for_an_item_that_another_thread_adds(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoardSignal, "_listen", lambda self: None)  # the kernel tells nothing: the bell alone wakes
    with opened(place) as board:
        waits = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
        sleeps(board)
        board.add("for somebody else", column="review")
        sleeps(board)
        board.add("One", column="dev")
        assert waits().item_id == "2"


@pytest.mark.parametrize("touches", [True, False])
@pytest.mark.embedded("what is written to its file wakes those who wait")
def test_a_claim_waits_for_an_item_that_another_process_adds(place: Path, touches: bool) -> None:
    """Two open boards know as little of each other as two processes; one of them has a store that touches nothing."""
    store = SqliteStore.open(place / ".moot" / "board.db")
    path = str(place / ".moot" / "board.db")
    store.change_signal = BoardSignal(path) if touches else ChangeSignal()
    with opened(place) as board:
        waits = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
        sleeps(board)
        Engine(store, SystemClock(), SystemIds()).add(Actor("ada"), AddItem(title="One", column="dev"))
        assert waits().item_id == "1"
    store.close()


def test_a_ring_is_heard_in_other_processes_and_no_ring_is_answered(place: Path) -> None:
    path = str(place / ".moot" / "board.db")
    (place / ".moot" / "board.db-wal").touch()
    bells = [BoardSignal(path) for _ in range(3)]
    for change_signal in bells:
        assert change_signal.wait(-1, WOKEN) == 0
    bells[0].notify()
    assert all(change_signal.wait(0, PATIENCE) for change_signal in bells)
    # Its own echo may come back to it, and that is all.
    assert [change_signal.wait(1, 0.05) for change_signal in bells[1:]] == [1, 1] and bells[0].wait(2, 0.05) in (1, 2)
    for change_signal in bells:
        change_signal.close()


def test_of_many_who_wait_each_gets_one_item(place: Path) -> None:
    with opened(place) as board, opened(place) as other:
        waits = [in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN).item_id) for _ in range(6)]
        for number in range(6):
            other.add(str(number), column="dev")
        assert sorted(end() for end in waits) == ["1", "2", "3", "4", "5", "6"]


def test_with_every_wake_up_lost_things_go_on(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LOOK_AGAIN <= 5
    monkeypatch.setattr(BoardSignal, "_listen", lambda self: None)
    with opened(place, look_again=0.05) as board, opened(place) as other:
        events = board.follow()
        while next(events).event != "flow_adopted":
            pass
        follows = in_a_thread(lambda: next(events))
        sleeps(board)
        other.add("One", column="review")
        assert follows().item == "1"
        claims = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
        sleeps(board)
        other.add("Two", column="dev")
        assert claims().item_id == "2"
        Board(other._application, "ada").lock("a.py")
        locks = in_a_thread(lambda: board.lock("a.py", wait=WOKEN))
        sleeps(board)
        Board(other._application, "ada").unlock("a.py")
        assert [hold.resource for hold in locks()] == ["a.py"]


def test_a_lock_that_ends_by_itself_ends_the_wait(place: Path) -> None:
    """Nobody writes anything then: only its time wakes who wants the path, or an item that needs it."""
    with opened(place) as board:
        board.add("One", column="dev", files=["b.py"])
        Board(board._application, "ada").lock("a.py", "b.py", seconds=1.0)
        claims = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
        locks = in_a_thread(lambda: board.lock("a.py", wait=WOKEN))
        assert [hold.agent for hold in locks() if hold.resource == "a.py"] == ["someone"]
        assert claims().item_id == "1"


def test_who_waits_sleeps(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it costs to wait is counted in wake-ups, not in seconds."""
    woken: list[int] = []
    wait = Application.changed

    def counted(application: Application, seen: int, seconds: float) -> int:
        woken.append(seen)
        return wait(application, seen, seconds)

    monkeypatch.setattr(Application, "changed", counted)
    with opened(place) as board:
        assert [event.event for event in board.follow(idle=0.3)][-1] == "flow_adopted"
        assert len(woken) <= 3, "once to begin, once for all of the wait, once at its very end"
        with pytest.raises(NothingToDo, match="no item is ready for dev-agent") as late:
            board.claim("dev-agent", wait=0.3)
        assert "0.3s" in late.value.message and len(woken) <= 6
        Board(board._application, "ada").lock("a.py")
        with pytest.raises(Refused, match="held by ada"):
            board.lock("a.py", wait=0.3)
        assert len(woken) <= 10, "one more, for the lock itself"


def test_what_changes_nothing_for_it_wakes_a_claim_but_asks_for_nothing(place: Path) -> None:
    with opened(place) as board:
        tries: list[int] = []
        claim = board._application.engine.claim

        def counted(*given: Any, **named: Any) -> Any:
            tries.append(1)
            return claim(*given, **named)

        board._application.engine.claim = counted  # type: ignore[method-assign]
        waits = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
        for _ in range(20):
            sleeps(board)
            board._application.change_signal.notify()  # somebody has written, but no event
        sleeps(board)
        assert len(tries) == 1
        board.add("One", column="dev")
        waits()
        assert len(tries) == 2


def test_closing_the_board_ends_every_wait(place: Path) -> None:
    board = opened(place)
    waits = in_a_thread(lambda: board.claim("dev-agent", wait=WOKEN))
    sleeps(board)
    board.close()
    assert getattr(waits(), "code", "") == "store_closed"


def test_a_time_that_nobody_can_wait_is_refused(place: Path) -> None:
    with opened(place) as board:
        for wait in (-1.0, float("nan")):
            with pytest.raises(Invalid) as refused:
                board.claim("dev-agent", wait=wait)
            assert refused.value.code == "bad_wait"


WRITES = """
import sys
from folkmoot import Board
with Board.open(sys.argv[1]) as board:
    for number in range(int(sys.argv[2])):
        board.add(f"item {number}", column="dev", priority="low")
        print(number, flush=True)
"""


def writer(place: Path, items: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITES, str(place), str(items)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())


def test_a_follower_gets_every_event_once_and_in_order_whoever_is_killed(place: Path) -> None:
    """The first writer is killed while it writes, and the follower goes away and comes back where it was."""
    seen: list[int] = []

    def follow(enough: Callable[[], bool]) -> None:
        with opened(place) as board:
            for event in board.follow(after=seen[-1] if seen else 0):
                seen.append(event.seq)
                if enough():
                    return

    with writer(place, 10_000) as killed:
        assert killed.stdout is not None
        follow(lambda: len(seen) > 20)
        follow(lambda: len(seen) > 40)
        killed.kill()
    with writer(place, 20) as last:
        wrote, _ = last.communicate(timeout=PATIENCE)
    assert len(wrote.split()) == 20
    with opened(place) as board:
        events = board._application.queries.last()
        follow(lambda: len(seen) >= events)
    assert seen == list(range(1, events + 1))


@pytest.fixture
def claiming(moot: Moot) -> Iterator["subprocess.Popen[str]"]:
    command = [*MOOT, "claim", "dev-agent", "--wait", "10m", "--json"]
    with subprocess.Popen(command, cwd=moot.folder, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        yield process
        process.kill()


def test_the_command_waits_for_an_item(moot: Moot, claiming: "subprocess.Popen[str]") -> None:
    late = moot("claim", "dev-agent", "--wait", "0.2s", "--json", code=3).error
    assert late["code"] == "nothing_ready" and "0.2s" in late["message"]
    moot("add", "One", "--column", "dev")
    out, _ = claiming.communicate(timeout=PATIENCE)
    assert (claiming.returncode, json.loads(out)["item"]["id"]) == (0, "1")


def test_the_answer_to_a_question_ends_the_wait_for_it(place: Path) -> None:
    with opened(place) as board:
        board.add("One", column="dev")
        run = board.claim("dev-agent")
        named = ["--run", run.id, "--token", str(run.token)]
        command = [*MOOT, "ask", "Which?", "--wait", "10m", *named]
        with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True, env=environment()) as asking:
            asked = next(event for event in board.follow() if event.event == "agent_seeks_guidance")
            board.say("1", "mind the docs")
            board.answer(asked.context["question"], "the second")
            out, _ = asking.communicate(timeout=PATIENCE)
        assert (asking.returncode, out.splitlines()[0]) == (0, "the second") and "mind the docs" in out
        assert out.count("the second") == 1 and run.hear() == [], "the run was told all of it"
        run.report(Report.done("It is done."))


def test_what_a_run_prints_is_shown_while_it_runs(place: Path) -> None:
    with opened(place) as board:
        board.add("One", column="dev")
        run = board.claim("dev-agent")
        keep = board._application.engine.keep_output
        command = [*MOOT, "output", run.id, "--follow"]
        with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True, env=environment()) as following:
            assert following.stdout is not None
            for number in range(3):
                keep(Actor("dev-agent", run.id, run.token), [(number, f"line {number}\n")])
                assert following.stdout.readline() == f"line {number}\n"
            run.report(Report.done("It is done."))
            assert following.wait(PATIENCE) == 0
