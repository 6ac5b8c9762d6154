"""What a run has sent for stands on its item until it has ended, and however it ends its item hears of it."""

from collections.abc import Callable

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.testing.builders import SoundBoard, TrialBoard, change, small_flow

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
