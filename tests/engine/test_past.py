"""The past is the log folded up to an event: what was shown then is shown again."""

import random
from typing import Any

import pytest
from msgspec import to_builtins

from folkmoot.api.screen import Past, ShowBoard, ShowPast
from folkmoot.core import commands
from folkmoot.core.events import Event
from folkmoot.engine.screen import past
from folkmoot.errors import MootError
from folkmoot.testing.builders import PERSON, TrialBoard, preset_flow

KANBAN = preset_flow()


def look(board: TrialBoard, seq: int, item: str | None = None) -> Past:
    return board.application.asked_by(PERSON)(ShowPast(seq=seq, item=item))


def live(board: TrialBoard) -> dict[str, Any]:
    """The board as it is now, with its moment that of its last event."""
    shown: dict[str, Any] = to_builtins(board.application.asked_by(PERSON)(ShowBoard()))
    return shown


def story(board: TrialBoard) -> list[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Many things happen; after each the board and its first item, as they are shown."""
    item = board.add(column="dev", files=["src/a.py"])
    other = board.add(column="dev", files=["src/a.py"], after=[])
    seen = []

    def note() -> None:
        seen.append((board.application.last(), live(board), board.show(item)))

    run = board.claim("dev-agent", item=item)
    note()
    board.report(run, "asks", question={"question": "Which?"})
    note()
    board.answer("q1", "the first")
    note()
    board.report(board.claim("dev-agent", item=item), "failed", attempts=[{"approach": "by hand"}], cause="capability")
    note()
    board.on(item, commands.AddComment(content="mind the gap"))
    board.on(item, commands.MoveItem(column="review"))
    note()
    board.report(board.claim("review-agent", item=item), "changes_requested", findings=[{"issue": "It is slow"}])
    note()
    board.on(other, commands.CancelItem())
    note()
    return seen


@pytest.mark.parametrize("step", [1, 3, 2_000])
def test_what_was_shown_is_shown_again_whatever_is_asked_for_first(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "STEP", step)
    monkeypatch.setattr(past, "KEPT", 3)
    with TrialBoard(KANBAN) as board:
        seen = story(board)
        random.Random(step).shuffle(seen)
        for seq, then, item in seen:
            shown = look(board, seq, "1")
            assert (shown.seq, shown.last) == (seq, board.application.last())
            assert to_builtins(shown.item) == item
            assert to_builtins(shown.board) == then
        assert len(board.application.folded._kept) <= 3


def test_what_is_kept_of_a_large_board_is_bounded_by_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "STEP", 5)
    monkeypatch.setattr(past, "ROWS_KEPT", 60)
    with TrialBoard(KANBAN) as board:
        for number in range(50):
            board.add(f"Item {number}", column="dev")
            look(board, board.application.last())
            kept = board.application.folded._kept
            assert sum(len(rows) for state in kept for rows in state.tables.values()) <= 60
        assert len(look(board, 20).board.items) < len(look(board, board.application.last()).board.items) == 50


def test_a_slider_folds_no_more_events_than_lie_between_two_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "STEP", 10)
    with TrialBoard(KANBAN) as board:
        for number in range(60):
            board.add(f"Item {number}", column="dev")
        read: list[int] = []
        fold = past._apply

        def counted(tables: dict[str, dict[str, Any]], event: Event) -> None:
            read.append(event.seq)
            fold(tables, event)

        monkeypatch.setattr(past, "_apply", counted)
        look(board, 60)
        assert len(read) == 60
        for seq in (59, 31, 32, 33, 7, 45):
            read.clear()
            assert len(look(board, seq).board.items) == seq - 2, "the clock and the flow came first"
            assert len(read) <= 10


def test_before_the_log_there_is_nothing_and_after_it_is_now() -> None:
    with TrialBoard(KANBAN) as board:
        board.add(column="dev")
        assert look(board, 10_000).seq == board.application.last()
        for seq, item, code in ((0, None, "bad_cursor"), (1, "1", "unknown_item")):
            with pytest.raises(MootError) as refused:
                look(board, seq, item)
            assert refused.value.code == code
