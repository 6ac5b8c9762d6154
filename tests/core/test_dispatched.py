"""What a run has sent for stands on its item until it has ended, and however it ends its item hears of it."""

from collections.abc import Callable
from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

ASKED = "awaiting-divine-guidance"
FLOW = small_flow("""
columns:
  dev:  {agents: [d], next: look}
  look: {agents: [a, b], next: done, fix: dev}
agents:
  d: {may: [ask, dispatch], ladder: {0: small, 1+: escalate}}
  a: {write: none, may: [dispatch]}
  b: {write: none}
""")


def from_an_item(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole", files=["src/a.py"])
    return item, board.claim("d")


def from_a_part(board: TrialBoard) -> tuple[str, Actor]:
    item = board.add("whole", column="look", files=["src/a.py"])
    return item, board.claim("a")


# How it ends, and what its asker hears.


def done(board: TrialBoard, sent: str) -> tuple[str, str]:
    board.bring(board.claim("d", item=sent), summary="mended")
    return "done", "mended"


def failed(board: TrialBoard, sent: str) -> tuple[str, str]:
    board.report(board.claim("d", item=sent), "failed", summary="no way", attempts=[{"approach": "this"}])
    return "failed", "no way"


def cancelled(board: TrialBoard, sent: str) -> tuple[str, str]:
    board.on(sent, commands.CancelItem(why="not any more"))
    return "failed", "it was cancelled: not any more"


@pytest.mark.ledger("P-02", "R-25")
@pytest.mark.parametrize("end", [done, failed, cancelled])
@pytest.mark.parametrize("asker", [from_an_item, from_a_part])
def test_the_asking_item_names_it_and_hears_how_it_ended(
    asker: Callable[[TrialBoard], tuple[str, Actor]], end: Callable[[TrialBoard, str], tuple[str, str]]
) -> None:
    with SoundBoard(FLOW) as board:
        item, run = asker(board)
        sent = board.engine.add(run, commands.DispatchAgent(agent="d", task="mend it"))["id"]
        assert board.item(item).sent == {sent: "d"} and board.item(sent).files == ["src/a.py"]
        if asker is from_an_item:
            board.bring(run, "incomplete")  # while its run writes, nobody else does
        outcome, words = end(board, sent)
        row = board.item(item)
        assert row.sent == {}
        assert (row.outputs[sent].outcome, row.outputs[sent].kind) == (outcome, "dispatch")
        assert words in row.outputs[sent].summary
        told = [event["event"] for event in board.log(item)]
        assert told.index("agent_dispatched") < told.index("output_received")


@pytest.mark.ledger("R-19")
def test_it_begins_at_the_newest_work_of_the_item_that_asked() -> None:
    with SoundBoard(FLOW) as board:
        item, run = from_an_item(board)
        sent = board.engine.add(run, commands.DispatchAgent(agent="d", task="mend it"))["id"]
        board.bring(run, "incomplete", work=change("src/a.py"))
        assert board.item(item).head == "c1"
        fix = board.claim("d", item=sent)
        assert board.queries.run_context(fix.run or "").begins_from == "c1"


@pytest.mark.ledger("P-02", "R-03")
@pytest.mark.parametrize(
    "said",
    [
        {"outcome": "asks", "question": {"question": "Is nil allowed?"}},
        {"outcome": "stuck", "blockers": "Is nil allowed?"},
    ],
)
def test_whoever_is_stuck_after_its_asker_has_ended_asks_a_person(said: dict[str, Any]) -> None:
    """No brief tells what came of it any more: it ended where nobody looks."""
    with SoundBoard(FLOW) as board:
        item, run = from_an_item(board)
        sent = board.engine.add(run, commands.DispatchAgent(agent="d", task="mend it"))["id"]
        board.report(run, "done")
        board.effort("a", "done")
        board.effort("b", "done")
        assert board.place(item) == ("done", "done")
        fix = board.claim("d", item=sent)
        board.report(fix, **said)
        assert board.place(sent)[1] == ASKED
        question = board.queries.inbox()["questions"][0]
        assert "Is nil allowed?" in question["question"]
        board.answer(question["id"], "yes" if said["outcome"] == "asks" else "try again")
        assert board.place(sent) == ("dev", "ready")


@pytest.mark.ledger("P-02", "R-25")
def test_a_verdict_that_was_sent_for_is_its_askers_to_act_on() -> None:
    """Whether a reader changed files decides nothing about who hears of what it found."""
    with SoundBoard(FLOW) as board:
        item, run = from_an_item(board)
        sent = board.engine.add(run, commands.DispatchAgent(agent="a", task="look at it"))["id"]
        board.report(board.claim("a", item=sent), "changes_requested", findings=[{"issue": "a leak"}])
        assert board.place(sent) == ("look", "done")
        assert [one.issue for one in board.item(item).outputs[sent].findings] == ["a leak"]
