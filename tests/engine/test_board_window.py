"""A board with very many items: a screen gets the first of each column, and is told when others come among them."""

import random
from typing import Any

import pytest

from folkmoot.api.screen import ShowBoard, ShowToday
from folkmoot.core import commands
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow, preset_flow
from tests.engine.test_board import ids, look, rows_read


def test_of_what_has_not_ended_the_board_reads_no_more_than_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(preset_flow()) as board:
        for _ in range(40):
            board.add(column="dev")
        urgent = board.add(column="dev", priority="critical")
        look(board, each=5)
        with rows_read(monkeypatch) as read:
            view = look(board, each=5)
        assert [card.id for card in view.items] == ["1", "2", "3", "4", urgent], "by urgency, then by age"
        assert read.count("items") == 5
        assert (view.open, view.totals["dev"], view.whole) == ({"dev": 41}, 41, True)


def test_what_is_at_work_or_waits_for_a_person_is_shown_wherever_it_stands_and_with_it_its_whole() -> None:
    with TrialBoard(line_flow("dev")) as board:
        first = board.add(priority="critical")
        whole = board.add(priority="low")
        part, asking, other = board.add(parent=whole), board.add(), board.add()
        board.claim("dev-agent", item=part)
        board.report(board.claim("dev-agent", item=asking), "asks", question={"question": "Which one?"})
        view = look(board, each=1)
        assert [card.id for card in view.items] == [first, whole, part, asking]
        assert [run.item for run in view.runs] == [part] and view.open == {"dev": 5}
        assert other in ids(board)


def change(board: TrialBoard, chance: random.Random) -> None:
    """One of the things that move items in and out of the first of a column."""
    open_items = [
        item.id for item in board.application.queries.list().items if item.status not in ("done", "cancelled")
    ]
    kind = chance.choice(["add", "add", "cancel", "urgent", "move"])
    if kind == "add" or not open_items:
        board.add(column=chance.choice(["dev", "review"]), priority=chance.choice(["low", "medium", "high"]))
    elif kind == "cancel":
        board.on(chance.choice(open_items), commands.CancelItem())
    elif kind == "urgent":
        level: Any = chance.choice(["low", "medium", "critical"])
        board.on(chance.choice(open_items), commands.EditItem(priority=level))
    else:
        board.on(chance.choice(open_items), commands.MoveItem(column=chance.choice(["dev", "review"])))


@pytest.mark.parametrize("seed", range(4))
def test_whoever_takes_what_has_changed_has_all_that_a_whole_look_shows(seed: int) -> None:
    chance = random.Random(seed)
    with TrialBoard(line_flow("dev", "review")) as board:
        for _ in range(12):
            change(board, chance)
        view = look(board, each=3, ended=2)
        known = {card.id: card for card in view.items}
        for _ in range(25):
            for _ in range(chance.randint(0, 4)):
                change(board, chance)
            view = look(board, each=3, ended=2, since=view.seq)
            assert not view.whole
            known |= {card.id: card for card in view.items}
            first = [card for card in look(board, each=3, ended=2).items if card.status not in ("done", "cancelled")]
            assert [known.get(card.id) for card in first] == first


def test_what_today_came_to_is_told_without_reading_an_item(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(line_flow("dev")) as board:
        board.add()
        board.effort("dev-agent", "done", usage={"cost_usd": 0.25})
        with rows_read(monkeypatch) as read:
            today = board.application.asked_by(PERSON)(ShowToday())
        assert (today.runs, today.failed, today.cost_usd) == (1, 0, 0.25) and "items" not in read
        assert today == board.application.queries.status().today


def test_nothing_is_cut_where_nobody_asks_for_it() -> None:
    with TrialBoard(line_flow("dev")) as board:
        added = [board.add() for _ in range(12)]
        assert ids(board) == added and ShowBoard().each is None
