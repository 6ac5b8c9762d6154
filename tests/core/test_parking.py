"""A person puts an item aside and takes it up again: nothing is decided by that, and nothing is lost (R-03)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.records import PARKED
from folkmoot.errors import MootError, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, line_flow

ASKED = {"question": "Which one?", "options": [{"option": "this"}, {"option": "that"}]}


def park(board: TrialBoard, item: str, why: str = "") -> dict[str, Any]:
    view: dict[str, Any] = board.on(item, commands.ParkItem(why=why))
    return view


def unpark(board: TrialBoard, item: str, why: str = "") -> dict[str, Any]:
    view: dict[str, Any] = board.on(item, commands.UnparkItem(why=why))
    return view


def opened(view: dict[str, Any]) -> list[str]:
    return [asked["question"] for asked in view["questions"] if asked["state"] == "open"]


def answer(board: TrialBoard, view: dict[str, Any], words: str) -> str:
    asked = next(asked for asked in view["questions"] if asked["state"] == "open")
    return str(board.answer(asked["id"], words)["status"])


def counted(board: TrialBoard, item: str) -> tuple[Any, ...]:
    row = board.item(item)
    return row.column, row.failure_count, row.failures, row.clarifications, row.span.attempts


@pytest.mark.ledger("R-03")
def test_nobody_takes_what_is_parked_until_it_is_taken_up_as_it_stood() -> None:
    with SoundBoard(line_flow("dev", "review")) as board:
        item = board.add()
        board.effort("dev-agent", "failed", attempts=[{"approach": "by hand"}], cause="capability")
        before = counted(board, item)
        view = park(board, item, "after the release")
        assert view["status"] == "parked" and opened(view) == [PARKED]
        assert "after the release" in view["questions"][-1]["context"]
        with pytest.raises(MootError) as refused:
            board.claim("dev-agent", item=item)
        assert refused.value.code == "not_claimable"
        view = unpark(board, item, "it is out")
        assert view["status"] == "ready" and opened(view) == [] and counted(board, item) == before
        assert [one["content"] for one in view["comments"]] == ["after the release", "it is out"]
        board.report(board.claim("dev-agent"), "done")
        assert board.item(item).column == "review"


@pytest.mark.ledger("R-03")
def test_what_waited_for_an_answer_waits_for_it_again() -> None:
    with SoundBoard(line_flow("dev")) as board:
        item = board.add()
        board.effort("dev-agent", "asks", question=ASKED)
        view = park(board, item)
        assert view["status"] == "parked" and opened(view) == ["Which one?"]
        view = unpark(board, item)
        assert view["status"] == "awaiting-divine-guidance" and opened(view) == ["Which one?"]
        assert answer(board, park(board, item), "this") == "ready", "an answer takes it up too"


def test_what_was_parked_when_it_was_added_or_by_an_answer_is_taken_up_too() -> None:
    with SoundBoard(line_flow("dev")) as board:
        item = board.add(parked=True)
        assert unpark(board, item)["status"] == "ready"
        assert answer(board, park(board, item), "park it") == "parked"
        assert unpark(board, item)["status"] == "ready"
        assert answer(board, park(board, item), "let it be worked on") == "ready"


def test_what_waits_for_others_waits_on_when_it_is_taken_up() -> None:
    with SoundBoard(line_flow("dev")) as board:
        first = board.add()
        item = board.add(after=[first])
        park(board, item)
        assert unpark(board, item)["status"] == "waiting"
        park(board, item)
        board.effort("dev-agent", "done")
        assert board.item(item).status == "parked", "its park outlives what it waited for"
        assert unpark(board, item)["status"] == "ready"


def test_what_cannot_be_parked_or_taken_up_is_refused_with_the_next_step() -> None:
    with SoundBoard(line_flow("dev")) as board:
        item = board.add()

        def refused(act: Any) -> tuple[str, str]:
            with pytest.raises(Refused) as error:
                act(board, item)
            return error.value.code, f"{error.value.hint}"

        code, _ = refused(unpark)
        assert code == "not_parked"
        park(board, item)
        code, hint = refused(park)
        assert code == "item_parked" and "unpark(" in hint
        unpark(board, item)
        run = board.claim("dev-agent")
        code, hint = refused(park)
        assert code == "item_running" and "end_run(" in hint
        board.report(run, "done")
        assert refused(park)[0] == "item_ended"


def test_a_run_parks_nothing() -> None:
    with SoundBoard(line_flow("dev")) as board:
        item = board.add()
        run = board.claim("dev-agent")
        for command in (commands.ParkItem(), commands.UnparkItem()):
            with pytest.raises(Refused) as refused:
                board.on(item, command, run)
            assert refused.value.code == "only_people"


def test_a_person_may_put_an_item_aside_again_and_again() -> None:
    """The board is sound: it is their word each time, and no limit's."""
    with SoundBoard() as board:
        item = board.add()
        for number in (1, 2, 3):
            board.on(item, commands.ParkItem())
            board.answer(f"q{number}", "1")
            assert board.item(item).status == "ready"
