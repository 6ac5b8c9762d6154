"""A pool whose runs cannot work: one pause, one question for all of its items, and nothing is counted against any."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.enums import POOL_CAUSES, PoolCause
from folkmoot.core.rules.running.pauses import OUTAGES_MAX
from folkmoot.core.work import Evidence
from folkmoot.errors import NothingToDo
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, small_flow

FLOW = small_flow("""
columns:
  dev: {agents: [d], next: look}
  look: {agents: [r, s], next: done, fix: dev}
agents:
  d: {run: {client: codex}, ladder: {0: small, 1+: small}}
  r: {run: {client: codex}, write: none}
  s: {run: {client: goose}, write: none}
models: {small: {client: codex}}
""")
HOUR = 3_600.0


def meet(board: TrialBoard, run: Actor, cause: PoolCause = "environment", **more: Any) -> None:
    board.engine.handle_run(run, commands.PauseRun(why="it does not work", cause=cause, **more))


def pauses(board: TrialBoard) -> dict[str, float | None]:
    """What is paused, and for how much longer; None: without an end."""
    reading = board.engine.store
    now = reading.read(lambda tx: tx.head().time)
    held = [one for one in reading.read(lambda tx: tx.pauses()) if one.on and (one.until is None or one.until > now)]
    return {one.id: None if one.until is None else round(one.until - now) for one in held}


# What the client shows, and how long its pool pauses each time; after which pause a person is asked, once.
TABLE: dict[PoolCause, tuple[list[float | None], int]] = {
    "quota": ([300, 600, 1_200], 3),
    "outage": ([10, 30, 90, 270, 300, 300], 3),
    "environment": ([None], 1),
}


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("cause", POOL_CAUSES)
def test_the_cause_says_how_long_a_pool_pauses_and_when_a_person_is_asked(cause: PoolCause) -> None:
    waits, asked = TABLE[cause]
    with SoundBoard(FLOW) as board:
        items = [board.add() for _ in range(6)]
        for count, wait in enumerate(waits, 1):
            run = board.claim("d")
            meet(board, run, cause)
            assert pauses(board) == {"pool:codex": wait}
            assert len(board.inbox()) == (1 if count >= asked else 0)
            with pytest.raises(NothingToDo):
                board.claim("d")
            board.sleep(wait or HOUR)
        for item in items:
            row = board.item(item)
            assert (row.effort.executions, row.failures, row.attempt_count) == (0, {}, 0)


@pytest.mark.ledger("R-07")
def test_six_items_that_are_not_signed_in_cost_six_runs_at_most_and_one_question() -> None:
    with SoundBoard(FLOW) as board:
        items = [board.add() for _ in range(6)]
        for run in [board.claim("d") for _ in range(4)]:
            meet(board, run, login=True)
        (question,) = board.inbox()
        words = "codex is not signed in: it does not work. 6 items of codex wait. Sign in, then answer: retry"
        assert _asked(board, question) == words
        assert {board.place(item)[1] for item in items} == {"ready"}
        board.sleep(100 * HOUR)
        with pytest.raises(NothingToDo):
            board.claim("d")  # no time mends it
        board.answer(question, "retry")
        assert pauses(board) == {} and board.claim("d").run is not None


@pytest.mark.ledger("R-07")
def test_the_question_of_a_pool_counts_only_what_could_go_on() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.add("waits for another item", after=[item])
        meet(board, board.claim("d", item=item))
        (question,) = board.inbox()
        assert "1 item of codex waits. When that is mended, answer: retry" in _asked(board, question)


@pytest.mark.ledger("R-03", "R-07")
@pytest.mark.parametrize("how", ["retry", "resume", "move", "cancel", "cancelled", "another column"])
def test_whatever_closes_the_question_lets_the_pool_go_on(how: str) -> None:
    with SoundBoard(FLOW) as board:
        item, other = board.add(), board.add()
        meet(board, board.claim("d", item=item))
        (question,) = board.inbox()
        match how:
            case "resume":
                board.engine.on_board(PERSON, commands.ResumeBoard(pool="codex"))
            case "move":
                board.on(item, commands.MoveItem(column="look"))
            case "cancelled":
                board.on(item, commands.CancelItem())
            case "another column":
                board.answer(question, "go", to="look")
            case _:
                board.answer(question, "cancel it" if how == "cancel" else how)
        assert pauses(board) == {} and board.inbox() == []
        assert board.claim("d", item=other).run is not None


@pytest.mark.ledger("R-07")
def test_parked_items_wait_until_the_question_is_answered() -> None:
    with SoundBoard(FLOW) as board:
        item, other = board.add(), board.add()
        meet(board, board.claim("d", item=item))
        (question,) = board.inbox()
        board.answer(question, "park these items")
        assert pauses(board) == {"pool:codex": None} and board.place(item)[1] == "parked"
        board.answer(question, "retry")
        assert pauses(board) == {}
        assert {board.claim("d").run, board.claim("d").run} == {board.item(item).run, board.item(other).run}


@pytest.mark.ledger("R-07", "R-14")
def test_a_part_that_cannot_run_waits_and_its_item_asks() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(column="look")
        meet(board, board.claim("r"), login=True)
        (question,) = board.inbox()
        assert board.item(item).open_questions == [question]
        board.effort("s", "done")  # another pool
        with pytest.raises(NothingToDo):
            board.claim("r")
        board.answer(question, "retry")
        board.effort("r", "done")
        assert board.place(item)[0] == "done"


@pytest.mark.ledger("R-07")
def test_an_outage_that_is_over_takes_its_question_back() -> None:
    with SoundBoard(FLOW) as board:
        items = [board.add() for _ in range(6)]
        for _ in range(4):
            meet(board, board.claim("d"), "outage")
            board.sleep(300)
        assert len(board.inbox()) == 1
        board.effort("d", "done")
        assert board.inbox() == [] and pauses(board) == {}
        assert all(board.place(item)[1] in ("ready", "waiting") for item in items)


@pytest.mark.ledger("R-07")
def test_28_seconds_of_outage_ask_nobody_and_count_nothing() -> None:
    with SoundBoard(FLOW) as board:
        items = [board.add() for _ in range(6)]
        over, runs = 28.0, 0
        began = board.clock.time
        while board.clock.time - began < over:
            for run in [board.claim("d") for _ in items]:
                meet(board, run, "outage")
                runs += 1
            (wait,) = pauses(board).values()
            board.sleep(wait or 0)
        assert runs <= 12 and board.inbox() == []
        for _ in items:
            board.effort("d", "done")


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(("hung", "free"), [(False, OUTAGES_MAX), (True, 1)])
def test_what_one_item_meets_again_and_again_while_others_work_is_its_own(hung: bool, free: int) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for count in range(free + 1):
            other = board.add()
            meet(board, board.claim("d", item=item), "outage", hung=hung)
            board.sleep(HOUR)
            row = board.item(item)
            assert (row.effort.executions or row.attempt_count) == (1 if count == free else 0)
            board.report(board.claim("d", item=other), "done")


@pytest.mark.ledger("R-07")
def test_a_hang_is_no_failed_attempt_while_nobody_else_works_either() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        for _ in range(5):
            meet(board, board.claim("d"), "outage", hung=True)
            board.sleep(300)
        assert board.item(item).attempt_count == 0 and len(board.inbox()) == 1


@pytest.mark.ledger("R-07")
@settings(max_examples=60, deadline=None)
@given(
    met=st.lists(
        st.tuples(
            st.sampled_from(POOL_CAUSES), st.sampled_from([None, 20.0, 9 * HOUR]), st.booleans(), st.integers(0, 3)
        ),
        max_size=14,
    )
)
def test_no_pool_waits_for_a_person_who_was_not_asked(
    met: list[tuple[PoolCause, float | None, bool, int]],
) -> None:
    """Whatever its clients show, in whatever order: at most one question, and one while the pause has no end."""
    with SoundBoard(FLOW) as board:
        for _ in range(4):
            board.add()
        for cause, seconds, shown, sleeps in met:
            try:
                run = board.claim("d")
            except NothingToDo:
                if board.inbox():
                    board.answer(board.inbox()[0], "1")
                continue
            meet(board, run, cause, seconds=seconds, shown=shown)
            held = pauses(board)
            assert len(board.inbox()) <= 1
            assert held and (None not in held.values() or len(board.inbox()) == 1)
            board.sleep(sleeps * HOUR)


def _asked(board: TrialBoard, question: str) -> str:
    found = board.engine.store.read(lambda tx: tx.question(question))
    assert found is not None
    return str(found.question)


GATED = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {}, r: {write: none}}
gates: {ward: {run: ["true"]}}
""")


def attempts(board: TrialBoard, item: str) -> int:
    return len(board.engine.store.read(lambda tx: tx.attempts(item)))


LIKE_BEFORE = Evidence(gate="ward", green=False, command=["true"], exit_code=1, before="1 failed")


@pytest.mark.ledger("R-07", "R-21")
def test_a_gate_that_was_red_before_asks_once_for_all_and_counts_against_nobody() -> None:
    with SoundBoard(GATED) as board:
        items = [board.add(f"Item {number}", column="dev") for number in range(4)]
        for _ in range(2):
            board.effort("d", "done")
        runs = [board.claim("ward"), board.claim("ward")]
        for run in runs:
            board.bring(run, "failed", evidence=[LIKE_BEFORE], summary="true: exit 1: 1 failed")
        (question,) = board.queries.inbox()["questions"]
        assert "was red before any agent worked" in question["question"] and "4 items wait" in question["question"]
        assert not any(attempts(board, item) for item in items)
        assert pauses(board) == {"pool:the gate ward": None}
        for agent in ("ward", "d"):  # what cannot be proved need not be made either
            with pytest.raises(NothingToDo):
                board.claim(agent)
        board.answer(question["id"], "1")
        assert pauses(board) == {}
        for _ in range(2):
            board.effort("ward", "done")
        assert [board.show(item)["column"] for item in items] == ["look", "look", "dev", "dev"]
        board.claim("d")


def test_a_gate_that_is_red_otherwise_than_before_counts_against_the_work() -> None:
    with SoundBoard(GATED) as board:
        item = board.add("One", column="dev")
        board.effort("d", "done")
        evidence = [replace(LIKE_BEFORE, before="")]
        board.bring("ward", "failed", evidence=evidence, summary="true: exit 1: 2 failed")
        assert not board.queries.inbox()["questions"] and attempts(board, item) == 1


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("end", ["cancel", "resume", "move"])
def test_a_shut_gate_goes_on_when_its_question_is_gone_however(end: str) -> None:
    with SoundBoard(GATED) as board:
        item = board.add("One", column="dev")
        board.effort("d", "done")
        board.bring("ward", "failed", evidence=[LIKE_BEFORE], summary="true: exit 1: 1 failed")
        command = {"cancel": commands.CancelItem(), "move": commands.MoveItem(column="look")}.get(end)
        if command is None:
            board.engine.on_board(PERSON, commands.ResumeBoard(pool="the gate ward"))
        else:
            board.on(item, command)
        assert pauses(board) == {}
