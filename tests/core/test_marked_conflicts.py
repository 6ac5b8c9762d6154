"""Conflicts that a landing has marked are mended by who may write, and never land as they are (R-19)."""

import pytest

from folkmoot.core import commands
from folkmoot.core.work import Work
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, limited, small_flow

ASKED = "awaiting-divine-guidance"
# The last stage reads, and gives no verdicts: it has no `fix`.
READ = small_flow("""
columns: {dev: {agents: [d], next: test}, test: {agents: [t], next: read}, read: {agents: [r], next: done}}
agents: {d: {}, t: {write: new_tests}, r: {write: none}}
""")
READERS = small_flow("""
columns: {read: {agents: [r], next: done}, aside: {agents: [q], next: done}}
agents: {r: {write: none, may: [ask, dispatch]}, q: {}}
""")


def to_land(board: TrialBoard) -> str:
    item = board.add()
    board.bring("d", work=change("src/a.py"))
    board.effort("t", "done")
    board.effort("r", "done")
    assert board.place(item) == ("done", "proving")
    return item


def conflict(board: TrialBoard, base: str = "c1", commit: str = "m1") -> None:
    board.bring("landing", "failed", cause="conflict", summary="both changed a.py", work=Work(base=base, commit=commit))


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "gates",
    "a conflict is given to a stage that only reads; it says done, and the marks are in the work",
    "it goes to the last stage that may write the files",
)
def test_a_conflict_goes_to_the_last_stage_that_may_write() -> None:
    with SoundBoard(READ) as board:
        item = to_land(board)
        assert board.item(item).made_by == "test", "readers make no work"
        conflict(board)
        assert board.place(item) == ("dev", "ready"), "who writes new tests only cannot mend it"
        assert board.item(item).returns_to == "done"


@pytest.mark.ledger("R-19", "R-03")
@pytest.mark.attack(
    "gates",
    "whoever is to mend a conflict says done and changes nothing",
    "the commit with the marks never lands; after `feedback_rounds` a person is asked",
)
def test_marks_that_nobody_mended_do_not_land() -> None:
    with SoundBoard(limited(READ, feedback_rounds=2)) as board:
        item = to_land(board)
        conflict(board)
        board.effort("d", "done")
        assert board.place(item) == ("dev", "ready"), "the same conflict again"
        board.effort("d", "done")
        assert board.place(item) == ("done", ASKED) and board.item(item).landed is None
        board.answer(board.inbox()[0], "try again")
        assert board.place(item) == ("dev", "ready")
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-16", "R-19")
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_try_again_is_one_effort_in_every_flow(rounds: int) -> None:
    with SoundBoard(limited(READ, feedback_rounds=rounds)) as board:
        item = to_land(board)
        conflict(board)
        for _ in range(rounds):
            board.effort("d", "done")
        for _ in range(2):
            assert board.place(item) == ("done", ASKED)
            board.answer(board.inbox()[0], "try again")
            assert board.place(item) == ("dev", "ready"), "and not the same question at once"
            for _ in range(max(rounds, 1)):
                board.effort("d", "done")
        board.answer(board.inbox()[0], "try again")
        board.bring("d", work=change("src/a.py", base="m1", commit="c2"))
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-19")
def test_a_conflict_that_nobody_may_mend_is_a_persons() -> None:
    with SoundBoard(READERS) as board:
        item = board.add()
        run = board.claim("r")
        sent = board.engine.add(run, commands.DispatchAgent(agent="q", task="make it"))["id"]
        board.bring(board.claim("q", item=sent), work=change("src/b.py", commit="c1", merged="c1"))
        board.bring(run)
        assert board.place(item) == ("done", "proving")
        conflict(board)
        assert board.place(item) == ("done", ASKED)
        board.answer(board.inbox()[0], "try again")
        assert board.place(item) == ("done", ASKED), "it is as it was"


@pytest.mark.ledger("R-19")
def test_a_person_may_land_it_as_it_is() -> None:
    with SoundBoard(READ) as board:
        item = to_land(board)
        conflict(board)
        board.on(item, commands.MoveItem(column="done"))
        assert board.place(item) == ("done", "proving")
        board.bring("landing", commit="m2")
        assert board.place(item) == ("done", "done")
