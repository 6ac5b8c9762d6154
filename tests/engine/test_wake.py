"""When time alone may give an agent something to do: what whoever waits sleeps until."""

from collections.abc import Callable

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.errors import NothingToDo
from folkmoot.testing.builders import SoundBoard, limited, small_flow

FLOW = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents:
  d: {ladder: {0+: small}, may: [ask]}
  r: {write: none}
models: {small: {pool: cheap}}
pools: {cheap: {slots: 9}}
""")
SLOW = limited(FLOW, starts=1, window=90.0)
ADA = Actor("ada")


def lock(board: SoundBoard, *paths: str, seconds: float = 40.0) -> None:
    board.engine.lock(ADA, commands.LockPaths(paths=list(paths), seconds=seconds))


def nothing_there(board: SoundBoard) -> None:
    pass


def too_many_starts(board: SoundBoard) -> None:
    board.add()
    board.effort("d", "done")
    board.add()
    board.sleep(30.0)


def too_many_starts_and_nothing_ready(board: SoundBoard) -> None:
    board.add()
    board.effort("d", "done")


def a_lock_on_its_path(board: SoundBoard) -> None:
    board.add(files=["src/a.py"])
    lock(board, "src/")
    lock(board, "docs/", seconds=5.0)


def two_locks(board: SoundBoard) -> None:
    board.add(files=["src/a.py"])
    board.add(files=["src/b.py"])
    lock(board, "src/a.py", seconds=40.0)
    lock(board, "src/b.py", seconds=25.0)


def a_lock_of_nothing_it_wants(board: SoundBoard) -> None:
    lock(board, "src/")
    board.add(files=["docs/a.md"])
    board.claim("d", lease=60.0)


def a_lock_and_a_reader(board: SoundBoard) -> None:
    board.add(column="look", files=["src/a.py"])
    board.claim("r", lease=50.0)
    lock(board, "src/")


def a_lock_that_is_over(board: SoundBoard) -> None:
    board.add(files=["src/a.py"])
    lock(board, "src/", seconds=10.0)
    board.sleep(11.0)


def a_lease(board: SoundBoard) -> None:
    board.add()
    board.claim("d", lease=20.0)


def a_pool_without_quota(board: SoundBoard) -> None:
    board.add()
    board.engine.handle_run(board.claim("d"), commands.PauseRun(why="429", seconds=120.0))


def a_question_with_a_deadline(board: SoundBoard) -> None:
    board.add()
    question = {"question": "Which?", "options": [{"option": "a"}], "default": "a"}
    board.report(board.claim("d"), "asks", question=question)


EXAMPLES = [
    (FLOW, nothing_there, "d", None),
    (SLOW, too_many_starts, "d", 60.0),
    (SLOW, too_many_starts, "r", None),
    (SLOW, too_many_starts_and_nothing_ready, "d", None),
    (FLOW, a_lock_on_its_path, "d", 40.0),
    (FLOW, a_lock_on_its_path, "r", None),
    (FLOW, two_locks, "d", 25.0),
    (FLOW, a_lock_of_nothing_it_wants, "d", 60.0),
    (FLOW, a_lock_and_a_reader, "r", 50.0),
    (FLOW, a_lock_that_is_over, "d", None),
    (FLOW, a_lease, "d", 20.0),
    (FLOW, a_lease, "r", 20.0),
    (FLOW, a_pool_without_quota, "d", 120.0),
    (limited(FLOW, deadline=300.0), a_question_with_a_deadline, "d", 300.0),
]


@pytest.mark.parametrize(
    ("flow", "happens", "agent", "seconds"), EXAMPLES, ids=[f"{one[1].__name__}-{one[2]}" for one in EXAMPLES]
)
def test_how_long_an_agent_need_not_look(
    flow: Flow, happens: Callable[[SoundBoard], None], agent: str, seconds: float | None
) -> None:
    with SoundBoard(flow) as board:
        happens(board)
        assert board.queries.next_wake([agent]) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(("flow", "happens"), [(SLOW, too_many_starts), (FLOW, a_lock_on_its_path), (FLOW, two_locks)])
def test_at_that_time_there_is_something_to_claim_and_not_before(
    flow: Flow, happens: Callable[[SoundBoard], None]
) -> None:
    with SoundBoard(flow) as board:
        happens(board)
        wait = board.queries.next_wake(["d"])
        assert wait is not None
        board.sleep(wait - 0.5)
        with pytest.raises(NothingToDo):
            board.claim("d")
        assert board.queries.next_wake(["d"]) == pytest.approx(0.5)
        board.sleep(0.5)
        assert board.claim("d")


def test_the_next_end_is_that_of_a_lock_or_a_lease() -> None:
    with SoundBoard(FLOW) as board:
        assert board.queries.next_end() is None
        lock(board, "src/", seconds=100.0)
        assert board.queries.next_end() == pytest.approx(100.0)
        board.add(files=["docs/"])
        board.claim("d", lease=30.0)
        assert board.queries.next_end() == pytest.approx(30.0)
        before = board.queries.last()
        board.engine.lock(ADA, commands.UnlockPaths(paths=["src/"]))
        assert board.queries.last() == before + 1 == board.log()[-1]["seq"]
