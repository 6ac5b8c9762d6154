"""The way of items through the columns, told again from the log."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.engine.reads.plots import replay
from folkmoot.testing.builders import TrialBoard, line_flow

FLOW = line_flow("dev", "review")


def test_the_steps_end_where_the_items_stand() -> None:
    with TrialBoard(FLOW) as board:
        first, second = board.add("First"), board.add("Second")
        board.effort("dev-agent", "done")
        board.effort("review-agent", "done")
        board.on(second, commands.MoveItem(column="review", why="as it is"), Actor("alice"))
        found, more = board.application.engine.store.read(replay.steps)
        last = {step.item: (step.column, step.status) for step in found}
        assert last == {first: board.place(first), second: board.place(second)} and not more
        assert [step.seq for step in found] == sorted(step.seq for step in found)
        way = [step.column for step in found if step.item == first]
        assert way[0] == "dev" and way[-1] == "done" and "review" in way


def test_only_the_items_asked_for_are_told_and_no_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(FLOW) as board:
        first, _ = board.add("First"), board.add("Second")
        found, _ = board.application.engine.store.read(lambda reading: replay.steps(reading, {first}))
        assert {step.item for step in found} == {first}
        monkeypatch.setattr(replay, "STEPS_MAX", 1)
        found, more = board.application.engine.store.read(replay.steps)
        assert len(found) == 1 and more
