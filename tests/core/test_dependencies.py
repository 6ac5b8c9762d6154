"""What waits for what: circles, cancelled dependencies, parents, reopening (R-03, R-16)."""

import pytest

from folkmoot.core import commands
from folkmoot.errors import Invalid, Refused
from folkmoot.testing.builders import TrialBoard, preset_flow

KANBAN = preset_flow()
ASKED = "awaiting-divine-guidance"


def finish(board: TrialBoard, item: str) -> None:
    board.on(item, commands.MoveItem(column="done"))


@pytest.mark.ledger("R-03")
@pytest.mark.parametrize("length", [1, 2, 3, 50])
def test_a_circle_is_refused_and_named(length: int) -> None:
    with TrialBoard() as board:
        items = [board.add(column="dev")]
        while len(items) < length:
            items.append(board.add(column="dev", after=[items[-1]]))
        seq = len(board.log())
        with pytest.raises(Refused) as caught:
            board.on(items[0], commands.EditItem(after=[items[-1]]))
        assert caught.value.code == "circle"
        assert all(item in caught.value.message for item in (items[0], items[-1]))
        assert len(board.log()) == seq and board.wrong() == []


@pytest.mark.ledger("R-03")
def test_a_circle_through_a_child_is_refused() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        child = board.add("child", column="dev", parent=parent)
        with pytest.raises(Refused, match=f"{child} → {parent}"):
            board.on(child, commands.EditItem(after=[parent]))
        with pytest.raises(Refused, match="the parent would wait for its child"):
            board.add("another child", parent=parent, after=[parent])
        behind = board.add("behind", column="dev", after=[parent])
        with pytest.raises(Refused, match="the parent would wait for its child"):
            board.add("another child", parent=parent, after=[behind])


@pytest.mark.ledger("R-03")
def test_what_is_not_there_or_given_up_cannot_be_waited_for() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        with pytest.raises(Invalid, match="no item 99"):
            board.add("x", after=["99"])
        board.on(item, commands.CancelItem())
        with pytest.raises(Refused, match="is cancelled"):
            board.add("x", after=[item])


@pytest.mark.ledger("R-03")
def test_an_item_waits_until_all_it_comes_after_is_done() -> None:
    with TrialBoard() as board:
        first, second = board.add(column="dev"), board.add(column="dev")
        last = board.add("last", column="qa", after=[first, second, first])
        assert (board.show(last)["status"], board.show(last)["waits_for"]) == ("waiting", [first, second])
        finish(board, first)
        assert (board.show(last)["status"], board.show(last)["waits_for"]) == ("waiting", [second])
        finish(board, second)
        assert board.show(last)["status"] == "ready" and board.wrong() == []


@pytest.mark.ledger("R-03")
def test_words_that_name_no_way_do_not_decide_about_a_cancelled_dependency() -> None:
    with TrialBoard() as board:
        first = board.add("first", column="dev")
        second = board.add("second", column="dev", after=[first])
        board.on(first, commands.CancelItem())
        with pytest.raises(Invalid, match="1 go on without it, 2 cancel this one too"):
            board.answer("q1", "no, cancel this one too please")
        assert board.show(second)["status"] == ASKED


@pytest.mark.ledger("R-03")
@pytest.mark.parametrize(("answer", "status"), [("1", "ready"), ("2", "cancelled"), ("go on without it", "ready")])
def test_a_cancelled_dependency_asks_with_the_ways_to_go_on(answer: str, status: str) -> None:
    with TrialBoard() as board:
        first = board.add("first", column="dev")
        second = board.add("second", column="dev", after=[first])
        third = board.add("third", column="dev", after=[second])
        board.on(first, commands.CancelItem())
        asked = board.queries.inbox()["questions"]
        assert [(q["task_id"], q["kind"]) for q in asked] == [(second, "decision")]
        assert [o["option"] for o in asked[0]["options"]] == ["go on without it", "cancel this one too"]
        assert f"edit item {second}" in asked[0]["help"], "replacing it is the third way"
        assert board.show(second)["status"] == ASKED and board.show(third)["status"] == "waiting"
        board.answer("q1", answer)
        assert board.show(second)["status"] == status
        # Cancelling it too passes the question on to what waits for this one.
        assert board.show(third)["status"] == (ASKED if status == "cancelled" else "waiting")
        assert board.wrong() == []


@pytest.mark.ledger("R-03", "R-16")
def test_replacing_a_cancelled_dependency_withdraws_the_question() -> None:
    with TrialBoard() as board:
        first, other = board.add("first", column="dev"), board.add("other", column="dev")
        second = board.add("second", column="dev", after=[first])
        board.on(first, commands.CancelItem())
        board.on(second, commands.EditItem(after=[other]))
        shown = board.show(second)
        assert (shown["status"], shown["after"], shown["waits_for"]) == ("waiting", [other], [other])
        assert board.inbox() == [] and board.wrong() == []


@pytest.mark.ledger("R-03")
def test_edit_replaces_all_that_an_item_comes_after_but_not_its_children() -> None:
    with TrialBoard() as board:
        first, other = board.add("first", column="dev"), board.add("other", column="dev")
        item = board.add("item", column="qa", after=[first])
        child = board.add("child", column="dev", parent=item)
        board.on(item, commands.EditItem(after=[other]))
        assert board.show(item)["waits_for"] == [other, child]
        board.on(item, commands.EditItem(after=[]))
        assert board.show(item)["waits_for"] == [child]


@pytest.mark.ledger("R-03")
def test_a_parent_that_once_came_after_its_child_still_waits_for_it() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        child = board.add("child", column="arch", parent=parent)
        board.on(parent, commands.EditItem(after=[child]))
        board.on(parent, commands.EditItem(after=[]))
        assert (board.show(parent)["status"], board.show(parent)["waits_for"]) == ("waiting", [child])


@pytest.mark.ledger("R-03")
def test_a_parent_waits_for_its_children_and_goes_on_when_all_have_ended() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        children = [board.add(f"child {n}", column="dev", parent=parent) for n in range(2)]
        assert board.show(parent)["children"] == children
        for child in children:
            assert board.show(parent)["status"] == "waiting"
            finish(board, child)
        assert board.show(parent)["status"] == "ready" and board.wrong() == []


@pytest.mark.ledger("R-03")
@pytest.mark.parametrize("how", ["a child is added", "a dependency is reopened"])
def test_a_run_that_is_going_on_may_end_but_its_item_then_waits(how: str) -> None:
    with TrialBoard() as board:
        other = board.add("other", column="dev")
        finish(board, other)
        item = board.add("item", column="arch", after=[other])
        actor = board.claim("architect-agent")
        if how == "a child is added":
            other = board.add("child", column="dev", parent=item)
        else:
            board.on(other, commands.ReopenItem())
        assert board.show(item)["status"] == "running"
        board.report(actor, "done")
        shown = board.show(item)
        assert (shown["column"], shown["status"], shown["waits_for"]) == ("tests", "waiting", [other])
        finish(board, other)
        assert board.show(item)["status"] == "ready" and board.wrong() == []


@pytest.mark.ledger("R-03")
def test_a_parent_is_not_done_before_its_children() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="qa")
        actor = board.claim("qa-agent")
        child = board.add("child", column="dev", parent=parent)
        board.report(actor, "done")
        assert board.show(parent)["status"] == "waiting", "a child was added while the last run went on"
        finish(board, child)
        assert board.show(parent)["status"] == "done"


@pytest.mark.ledger("R-16")
def test_cancel_takes_the_children_with_it_and_asks_nobody() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        done, child = (board.add(name, column="dev", parent=parent) for name in ("done", "child"))
        grandchild = board.add("grandchild", column="dev", parent=child)
        finish(board, done)
        board.on(parent, commands.CancelItem())
        statuses = [board.show(item)["status"] for item in (parent, done, child, grandchild)]
        assert statuses == ["cancelled", "done", "cancelled", "cancelled"]
        assert board.inbox() == [] and board.wrong() == []


@pytest.mark.ledger("R-16")
def test_reopen_is_refused_for_the_child_of_an_ended_parent() -> None:
    with TrialBoard() as board:
        parent = board.add("parent", column="dev")
        child = board.add("child", column="arch", parent=parent)
        board.on(parent, commands.CancelItem())
        with pytest.raises(Refused) as caught:
            board.on(child, commands.ReopenItem())
        assert caught.value.code == "parent_ended"
        with pytest.raises(Refused) as caught:
            board.add("another", parent=parent)
        assert caught.value.code == "parent_ended"
        board.on(parent, commands.ReopenItem())
        board.on(child, commands.ReopenItem())
        assert board.show(parent)["waits_for"] == [child] and board.wrong() == []


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("column", ["arch", "review", "needs-senior-dev", "blocked-needs-test-review"])
def test_a_cancelled_item_is_reopened_in_the_column_where_it_was_cancelled(column: str) -> None:
    with TrialBoard() as board:
        item = board.add(column=column)
        board.on(item, commands.CancelItem())
        board.on(item, commands.ReopenItem())
        assert (board.show(item)["column"], board.show(item)["status"]) == (column, "ready")


@pytest.mark.ledger("R-09", "R-16")
def test_a_cancelled_item_off_the_flow_still_knows_where_it_came_from_when_it_is_reopened() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "stuck", reason="concurrency")
        board.on(item, commands.CancelItem())
        board.on(item, commands.ReopenItem())
        board.effort("concurrency-specialist", "done")
        assert board.show(item)["column"] == "review"


@pytest.mark.ledger("R-03", "R-16")
def test_reopening_makes_what_came_after_it_wait_again() -> None:
    with TrialBoard() as board:
        first = board.add("first", column="dev")
        second = board.add("second", column="dev", after=[first])
        finish(board, first)
        assert board.show(second)["status"] == "ready"
        board.on(first, commands.ReopenItem())
        assert (board.show(second)["status"], board.show(second)["waits_for"]) == ("waiting", [first])


@pytest.mark.ledger("R-16")
def test_only_what_has_ended_can_be_reopened_and_what_has_ended_cannot_be_moved_or_cancelled() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        with pytest.raises(Refused, match="is ready"):
            board.on(item, commands.ReopenItem())
        finish(board, item)
        for command in (commands.MoveItem(column="dev"), commands.CancelItem()):
            with pytest.raises(Refused, match="is done"):
                board.on(item, command)


@pytest.mark.ledger("R-03", "R-16")
def test_a_reopened_item_whose_dependency_was_cancelled_meanwhile_is_asked_about() -> None:
    with TrialBoard() as board:
        first = board.add("first", column="dev")
        second = board.add("second", column="dev", after=[first])
        board.on(second, commands.CancelItem())
        board.on(first, commands.CancelItem())
        board.on(second, commands.ReopenItem())
        assert board.show(second)["status"] == ASKED, "a cancelled dependency asks a human; nobody was asked yet"
