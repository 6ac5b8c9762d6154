"""Reads show the board as the next write will find it, whatever time has made due (R-29)."""

from contextlib import suppress

import pytest
from msgspec import convert, to_builtins

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Flow
from folkmoot.engine.reads import snapshot
from folkmoot.errors import Refused
from folkmoot.testing.builders import TrialBoard, limited, line_flow, preset_flow

KANBAN = preset_flow()
ENGINE = Actor("folkmoot")


def same_after_a_write(board: TrialBoard, item: str) -> None:
    """What is shown now is what stands there once anybody has written."""
    told = ("column", "status", "failure_count", "why")
    seen = {name: board.show(item)[name] for name in told}
    length = len(board.log())
    assert [{n: v[n] for n in told} for v in board.queries.list()["items"] if v["id"] == item] == [seen]
    assert len(board.log()) == length
    board.on(item, commands.AddComment(content="tick"))
    assert {name: board.show(item)[name] for name in told} == seen


@pytest.mark.ledger("R-29")
@pytest.mark.parametrize("blocking", [False, True])
def test_two_deadlines_on_one_item(blocking: bool) -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "asks", question={"question": "a?", "blocking": False, "default": "yes"})
        board.effort("dev-agent", "asks", question={"question": "b?", "blocking": blocking, "default": "no"})
        board.sleep(61)
        same_after_a_write(board, item)


@pytest.mark.ledger("R-29")
def test_a_lease_and_a_deadline_on_one_item() -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "asks", question={"question": "a?", "blocking": False})
        board.claim("dev-agent")
        board.sleep(61)
        shown = board.show(item)
        assert shown["status"] == "ready" and shown["runs"][-1]["end"] == "rescued"


@pytest.mark.ledger("R-29", "E-10")
def test_a_question_that_a_lapse_will_open_is_in_the_inbox_too() -> None:
    with TrialBoard(limited(KANBAN, executions=1)) as board:
        item = board.add(column="dev")
        board.claim("dev-agent")
        board.sleep(61)
        assert [q["state"] for q in board.show(item)["questions"]] == ["open"]
        assert board.inbox() == ["q1"], "show names the question, so a person will look for it in the inbox"


@pytest.mark.ledger("R-29", "R-16")
def test_two_items_that_will_ask_are_not_shown_with_the_same_question() -> None:
    with TrialBoard(limited(KANBAN, executions=1)) as board:
        items = [board.add(column="dev") for _ in range(2)]
        for item in items:
            board.claim("dev-agent", item=item)
        board.sleep(61)
        seen = {item: [q["id"] for q in board.show(item)["questions"]] for item in items}
        board.add("tick")
        asked = {item: [q["id"] for q in board.show(item)["questions"]] for item in items}
        assert all(ids in ([], asked[item]) for item, ids in seen.items()), "an answer would go to the other item"


@pytest.mark.ledger("R-29")
def test_a_list_of_a_column_holds_what_is_in_it_by_now() -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add(column="qa")
        tried = [{"approach": letter * 9} for letter in "abcd"]
        board.effort("qa-agent", "asks", question={"question": "a?", "default": "go on"}, attempts=tried)
        board.sleep(61)
        assert board.show(item)["column"] == "needs-senior-dev", "the default was taken, and the ladder was spent"
        for column in ("qa", "needs-senior-dev"):
            assert {view["column"] for view in board.queries.list(column=column)["items"]} <= {column}
        assert [view["id"] for view in board.queries.list(column="needs-senior-dev")["items"]] == [item]


@pytest.mark.ledger("R-27")
def test_a_stale_run_claims_nothing() -> None:
    with TrialBoard() as board:
        for _ in range(2):
            board.add(column="dev")
        actor = board.claim("dev-agent")
        board.report(actor, "done")
        with pytest.raises(Refused) as caught:
            board.engine.claim(actor, "dev-agent")
        assert caught.value.code == "stale_claim"


@pytest.mark.ledger("R-03", "R-16")
@pytest.mark.parametrize("ended", ["cancelled", "done"])
def test_an_item_whose_column_the_flow_has_no_more_can_be_reopened(ended: str) -> None:
    with TrialBoard(line_flow("a", "b")) as board:
        item = board.add(column="b")
        if ended == "done":
            board.effort("b-agent", "done")
        else:
            board.on(item, commands.CancelItem())
        board.engine.adopt_flow(ENGINE, line_flow("a"), "without b")
        board.on(item, commands.ReopenItem())
        assert board.show(item)["column"] == "a" and board.wrong() == []


@pytest.mark.ledger("R-03", "R-33")
@pytest.mark.parametrize("limit", ["runs", "attempts", "dispute_rounds"])
def test_a_lower_limit_holds_for_what_is_on_the_board(limit: str) -> None:
    with TrialBoard() as board:
        board.add(column="tests")
        board.effort("test-architect", "done", artifacts=[{"name": "t.md"}])
        for letter in "ab":
            board.effort("dev-agent", "failed", attempts=[{"approach": letter * 9}])
        board.effort("dev-agent", "disputed", comments=[{"artifact": "t.md", "content": "wrong"}])
        board.effort("test-architect", "disputed", comments=[{"parent": "c001", "content": "No."}])
        board.engine.adopt_flow(
            ENGINE,
            convert({**to_builtins(KANBAN), "limits": {**to_builtins(KANBAN.limits), limit: 1}}, Flow),
            "stricter",
        )
        board.add("tick")
        assert board.wrong() == []


@pytest.mark.ledger("R-03", "K-07")
@pytest.mark.parametrize("column", ["needs-human", "done"])
def test_a_flow_can_be_changed_while_a_person_is_asked(column: str) -> None:
    with TrialBoard() as board:
        if column == "needs-human":
            item = board.add(column="needs-human")
        else:
            item = board.add(column="tests")
            board.effort("test-architect", "done", artifacts=[{"name": "t.md"}])
            board.effort("dev-agent", "disputed", comments=[{"artifact": "t.md", "content": "wrong"}])
            board.effort("test-architect", "asks", question={"question": "who is right?"})
            board.answer("q1", "leave it", to="qa")
            board.effort("qa-agent", "done")
        assert (board.show(item)["column"], board.show(item)["status"]) == (column, "awaiting-divine-guidance")
        assert board.engine.adopt_flow(ENGINE, limited(KANBAN, slots=5), "another") == 2
        assert board.wrong() == []


def without(flow: Flow, column: str) -> Flow:
    """The flow with a stage less: the one before it leads to the one after it."""
    plain = to_builtins(flow)
    gone = plain["columns"].pop(column)
    for other in plain["columns"].values():
        other["next"] = gone.get("next") if other.get("next") == column else other.get("next")
    return convert(plain, Flow)


@pytest.mark.ledger("R-03", "R-09")
def test_an_item_off_the_flow_whose_stage_is_gone_can_still_be_worked_on() -> None:
    with TrialBoard() as board:
        item = board.add(column="tests")
        board.effort("test-architect", "stuck", reason="concurrency")
        with suppress(Refused):  # refusing the flow is the other way to leave nothing without a place
            board.engine.adopt_flow(ENGINE, without(KANBAN, "tests"), "without tests")
        board.effort("concurrency-specialist", "done")
        assert board.show(item)["status"] in ("ready", "awaiting-divine-guidance") and board.wrong() == []


@pytest.mark.ledger("R-03")
def test_an_item_that_should_return_to_a_stage_that_is_gone_can_still_be_worked_on() -> None:
    with TrialBoard(line_flow("a", "b", "c")) as board:
        item = board.add(column="a")
        board.effort("a-agent", "done")
        board.effort("b-agent", "changes_requested", findings=[{"issue": "x"}])
        with suppress(Refused):
            board.engine.adopt_flow(ENGINE, line_flow("a", "c"), "without b")
        board.effort("a-agent", "done")
        assert board.show(item)["status"] in ("ready", "awaiting-divine-guidance") and board.wrong() == []


@pytest.mark.parametrize("status", ["cancelled", "blocked", "ready"])
def test_what_is_asked_for_is_found_however_far_behind_it_stands(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "PAGE", 2)
    with TrialBoard(KANBAN) as board:
        others = [board.add(column="dev", files=["free.py"] if status == "blocked" else []) for _ in range(5)]
        wanted = board.add(column="dev", files=["held.py"])
        if status == "cancelled":
            board.on(wanted, commands.CancelItem())
        elif status == "blocked":
            board.engine.lock(Actor("bob"), commands.LockPaths(paths=["held.py"], seconds=600))
        else:
            for other in others:
                board.on(other, commands.CancelItem())
        found = board.queries.list(status=status)
        assert [item["id"] for item in found["items"]] == [wanted]
