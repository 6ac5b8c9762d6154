"""Disputes in a column of their own: the side whose turn it is claims the item there."""

import pytest

from folkmoot.core import commands
from folkmoot.errors import NothingToDo
from folkmoot.testing.builders import SoundBoard, TrialBoard, preset_flow

KANBAN = preset_flow("kanban")
COLUMN = "dispute-test-vs-dev"
ASKED = "awaiting-divine-guidance"
NO = {"parent": "c001", "content": "no"}
YES = {"parent": "c001", "content": "you are right"}


def disputed(board: TrialBoard) -> str:
    """dev-agent disputes what the test-architect made, in the dispute column."""
    item = board.add(column="tests")
    board.effort("test-architect", "done", artifacts=[{"name": "tests/a.md"}])
    said = [{"artifact": "tests/a.md", "content": "it assumes sync"}]
    board.effort("dev-agent", "disputed", comments=said, reason="test-vs-dev")
    return item


@pytest.mark.ledger("R-12", "K-12")
def test_the_side_whose_turn_it_is_claims_the_item_in_the_dispute_column() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        assert board.place(item) == (COLUMN, "ready")
        with pytest.raises(NothingToDo):
            board.claim("dev-agent")
        board.effort("test-architect", "disputed", comments=[NO])
        assert board.place(item) == (COLUMN, "ready")
        with pytest.raises(NothingToDo):
            board.claim("test-architect")
        board.effort("dev-agent", "disputed", comments=[NO])
        assert board.place(item) == (COLUMN, "ready") and board.show(item)["dispute_rounds"] == 2


@pytest.mark.ledger("R-12", "K-12", "K-06")
def test_who_agrees_there_sends_the_item_forward_from_its_own_stage() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        board.effort("test-architect", "done", comments=[{**YES, "resolution": "accepted"}])
        assert board.place(item) == ("dev", "ready") and board.show(item)["dispute_agents"] == []
        assert board.item(item).origins == []


@pytest.mark.ledger("R-12", "K-12", "K-06")
def test_who_gives_in_there_goes_on_from_its_own_stage() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        board.effort("test-architect", "disputed", comments=[NO])
        board.effort("dev-agent", "done", comments=[{**YES, "resolution": "rejected"}])
        assert board.place(item) == ("review", "ready")


@pytest.mark.ledger("R-12", "K-07")
@pytest.mark.parametrize(
    ("way", "column"),
    [("1", "tests"), ("2", "dev"), ("dev-agent is right", "tests"), ("Test-architect is right!", "dev")],
)
def test_at_the_limit_it_is_flagged_in_place_and_a_person_names_the_side(way: str, column: str) -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        for agent in ("test-architect", "dev-agent", "test-architect"):
            board.effort(agent, "disputed", comments=[NO])
        assert board.place(item) == (COLUMN, "needs-human-review")
        assert board.show(item)["flag"] == "Agents disagree after 3 rounds - human decision needed"
        for agent in ("test-architect", "dev-agent"):
            with pytest.raises(NothingToDo):
                board.claim(agent)
        board.answer(board.inbox()[0], way)
        assert board.place(item) == (column, "ready") and board.show(item)["dispute_rounds"] == 0


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize("reason", [None, "concurrency", "nothing known"])
def test_a_reason_that_names_no_column_where_both_may_speak_leads_to_the_makers_stage(reason: str | None) -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add(column="tests")
        board.effort("test-architect", "done")
        board.effort("dev-agent", "disputed", comments=[{"content": "no"}], reason=reason)
        assert board.place(item) == ("tests", "ready")


@pytest.mark.ledger("K-12", "R-03")
@pytest.mark.parametrize("way", ["add", "move", "stuck"])
def test_an_item_without_a_dispute_in_a_dispute_column_asks_where_to(way: str) -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add(column=COLUMN if way == "add" else "dev")
        if way == "move":
            board.on(item, commands.MoveItem(column=COLUMN))
        elif way == "stuck":
            board.effort("dev-agent", "stuck", reason="test-vs-dev")
        assert board.place(item)[1] == ASKED
        board.answer(board.inbox()[0], "there", to="dev")
        assert board.place(item) == ("dev", "ready")


@pytest.mark.ledger("R-12", "R-16")
def test_moved_out_of_its_dispute_by_a_person_it_is_over() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        live = board.claim("test-architect")
        board.on(item, commands.MoveItem(column="dev"))
        assert board.place(item) == ("dev", "ready") and board.show(item)["dispute_agents"] == []
        assert board.show(item)["comments"][0]["status"] == "resolved"
        assert board.item(item).run != live.run


@pytest.mark.ledger("R-12", "R-05", "K-10")
def test_who_fails_in_the_dispute_column_climbs_its_own_ladder_and_its_senior_takes_its_side() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        for way in ("rewrite it all", "ask the oracle", "count backwards", "delete the file"):
            board.effort("test-architect", "failed", attempts=[{"approach": way}])
        assert board.place(item) == ("needs-senior-dev", "ready")
        board.effort("senior-dev-agent", "done", comments=[{**YES, "resolution": "accepted"}])
        assert board.place(item) == ("dev", "ready"), "the senior did the work of the tests' stage"


@pytest.mark.ledger("R-12", "R-09")
def test_a_side_that_asks_there_goes_on_there() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        board.effort("test-architect", "asks", question={"question": "sync or async?"})
        assert board.place(item) == (COLUMN, ASKED)
        board.answer(board.inbox()[0], "async")
        assert board.place(item) == (COLUMN, "ready")
        board.effort("test-architect", "done", comments=[{**YES, "resolution": "accepted"}])
        assert board.place(item) == ("dev", "ready")


@pytest.mark.ledger("R-12", "R-09")
def test_who_gives_in_there_and_asks_a_person_has_the_answer_in_its_own_column() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        board.effort("test-architect", "disputed", comments=[NO])
        given_in = [{**YES, "resolution": "rejected"}]
        board.effort("dev-agent", "asks", question={"question": "how many?"}, comments=given_in)
        assert board.place(item) == (COLUMN, ASKED)
        board.answer(board.inbox()[0], "three")
        assert board.place(item) == ("dev", "ready") and board.inbox() == []
        assert board.item(item).origins == []


@pytest.mark.ledger("R-12", "R-32")
def test_a_done_that_leaves_the_thread_open_is_told() -> None:
    with SoundBoard(KANBAN) as board:
        item = disputed(board)
        board.effort("test-architect", "done")
        assert board.place(item) == (COLUMN, "ready") and "c001" in board.show(item)["told"]


@pytest.mark.ledger("K-12")
def test_the_other_dispute_column_works_for_its_own_two() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add(column="stories")
        board.effort("story-agent", "done")
        board.effort("architect-agent", "disputed", comments=[{"content": "no"}], reason="story-vs-arch")
        assert board.place(item) == ("dispute-story-vs-arch", "ready")
        board.effort("story-agent", "done", comments=[{**YES, "resolution": "accepted"}])
        assert board.place(item) == ("arch", "ready")
