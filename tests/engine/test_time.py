"""Time moves by writing; reads show the state as of now and write nothing (R-29, R-02)."""

import pytest

from folkmoot.core import commands
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import TrialBoard, limited, preset_flow

KANBAN = preset_flow()


@pytest.mark.ledger("R-29", "K-01")
def test_an_expired_lease_is_shown_as_free_and_rescued_by_the_next_write() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        lost = board.claim("dev-agent")
        board.sleep(61)
        length = len(board.log())
        shown = board.show(item)
        assert shown["status"] == "ready" and len(board.log()) == length, "a read writes nothing"
        board.add("anything at all")
        assert [event["event"] for event in board.log(item)][-2:] == ["run_lapsed", "error_occurred"]
        assert board.show(item)["status"] == "ready"
        with pytest.raises(Refused):
            board.report(lost, "done")
        board.sleep(60)
        assert board.claim("dev-agent").token == 2


@pytest.mark.ledger("R-29")
def test_a_renewed_lease_lives_on() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        actor = board.claim("dev-agent")
        for _ in range(5):
            board.sleep(50)
            board.engine.handle_run(actor, commands.RenewRun())
        assert board.show(item)["status"] == "running"
        board.report(actor, "done")
        assert board.show(item)["column"] == "review"


@pytest.mark.ledger("R-29", "R-18")
def test_a_default_whose_time_has_come_is_shown_as_taken() -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "asks", question={"question": "which?", "default": "the first"})
        board.sleep(61)
        length = len(board.log())
        assert board.show(item)["status"] == "ready"
        assert board.inbox() == [], "what the default has answered is not put to a person"
        assert len(board.log()) == length
        board.add("anything at all")
        assert board.show(item)["status"] == "ready" and board.inbox() == []


@pytest.mark.ledger("R-29")
def test_a_third_rescue_that_will_ask_is_shown_with_its_question() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        for _ in range(3):
            board.claim("dev-agent")
            board.sleep(1000)
            seen = board.show(item)
            board.add("tick", column="qa")
            board.sleep(100)
        assert board.show(item)["status"] == "awaiting-divine-guidance"
        assert seen["status"] == "awaiting-divine-guidance"
        assert [q["state"] for q in seen["questions"]] == ["open"], "the read shows what the write then did"
        assert seen["runs"][-1]["ended_at"] is not None


@pytest.mark.ledger("R-02", "R-29", "R-31")
def test_a_cancelled_item_with_a_run_does_not_stop_the_board() -> None:
    with TrialBoard() as board:
        first = board.add("first", column="qa")
        second = board.add("second", column="dev", after=[first])
        board.effort("qa-agent", "done")
        board.claim("dev-agent", item=second)
        board.on(first, commands.ReopenItem())
        board.on(first, commands.CancelItem())
        board.answer("q1", "cancel this one too")
        assert board.wrong() == []
        board.sleep(1000)
        board.add("the board still takes items")


@pytest.mark.ledger("R-16", "R-31")
@pytest.mark.parametrize("what", ["move", "answer", "cancel", "edit", "comment"])
def test_a_persons_word_on_a_running_item_is_recorded_as_theirs_and_the_board_is_sound(what: str) -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "asks", question={"question": "which?", "blocking": False})
        board.claim("dev-agent")
        length = len(board.log())
        if what == "answer":
            board.answer("q1", "this one")
        else:
            command: commands.Command = {
                "move": commands.MoveItem(column="arch"),
                "cancel": commands.CancelItem(),
                "edit": commands.EditItem(title="another"),
                "comment": commands.AddComment(content="hello"),
            }[what]
            board.on(item, command)
        assert {(event["agent"], event["run"]) for event in board.log()[length:]} == {("alice", None)}
        assert board.wrong() == []


@pytest.mark.ledger("R-16")
def test_move_leaves_the_children_a_person_added() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        child = board.add("child", parent=parent)
        board.on(parent, commands.MoveItem(column="tests"))
        assert board.show(child)["status"] == "ready"
        assert board.show(parent)["waits_for"] == [child]
        assert (board.show(parent)["column"], board.show(parent)["status"]) == ("tests", "waiting")
        assert board.inbox() == [] and board.wrong() == []


@pytest.mark.ledger("R-17")
@pytest.mark.parametrize("pause_all", [False, True])
def test_a_question_holds_its_own_item_or_all_if_the_flow_says_so(pause_all: bool) -> None:
    with TrialBoard(limited(KANBAN, pause_all=pause_all)) as board:
        asking = board.add("asks", column="dev")
        waiting = board.add("waits for it", column="qa", after=[asking])
        board.add("another", column="arch")
        board.effort("dev-agent", "asks", question={"question": "which?"})
        for agent in ("dev-agent", "qa-agent"):
            with pytest.raises(NothingToDo):
                board.claim(agent)
        if pause_all:
            with pytest.raises(NothingToDo):
                board.claim("architect-agent")
            board.answer("q1", "this one")
        board.claim("architect-agent")
        assert board.show(waiting)["status"] == "waiting"


@pytest.mark.ledger("R-03", "R-16")
def test_a_question_about_a_dependency_goes_when_the_dependency_is_back() -> None:
    with TrialBoard() as board:
        first = board.add("first", column="qa")
        second = board.add("second", column="dev", after=[first])
        board.on(first, commands.CancelItem())
        assert board.inbox() == ["q1"]
        board.on(first, commands.ReopenItem())
        assert board.inbox() == [], "it asks whether to go on without an item that is there again"
        assert board.show(second)["status"] == "waiting"
