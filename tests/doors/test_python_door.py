"""The Python door for locks, messages, dispatch, numbers and prompts."""

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from folkmoot import Board, Report
from folkmoot.core.report import Remark
from folkmoot.errors import Invalid, Refused


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    with Board.create(str(tmp_path), "pipeline", actor="ada") as made:
        yield made


@pytest.mark.ledger("H-06")
def test_locks(board: Board) -> None:
    (lock,) = board.lock("src/", seconds=60)
    assert lock.resource == "src/" and lock.agent == "ada" and board.locks() == [lock]
    board.add("One", files=["src/a.py"])
    assert board.list(status="blocked")[0].id == "1"
    assert board.unlock("src/") == []
    run = board.claim("implementer")
    with pytest.raises(Refused) as refused:
        board.lock("src/a.py", wait=0.2)
    assert refused.value.code == "path_held"
    assert run.widen("docs/").files == ["src/a.py", "docs/"]
    assert [held.resource for held in run.lock("Makefile")] == ["src/a.py", "docs/", "Makefile"]
    run.report(Report.done("built"))
    assert {held.resource for held in board.locks()} == {"src/a.py", "docs/"}


@pytest.mark.ledger("H-01", "H-03")
def test_messages(board: Board) -> None:
    sent = board.send(
        {"from": "orchestrator", "to": "implementer", "type": "task_assignment", "payload": {"task": "X"}}
    )
    assert sent.status == "pending" and board.show(sent.item or "").title == "X"
    assert [one.message_id for one in board.messages(to="implementer", status="pending")] == [sent.message_id]
    with pytest.raises(Refused):
        board.accept(sent.message_id)
    assert board.accept(sent.message_id, agent="implementer").status == "accepted"
    assert board.complete(sent.message_id).status == "completed"
    with pytest.raises(Refused):
        board.reject(sent.message_id, "late")
    with pytest.raises(Invalid) as wrong:
        board.send({"to": "implementer", "type": "task_assignment"})
    assert "from: missing" in wrong.value.message


@pytest.mark.ledger("P-02", "H-13", "Q-13")
def test_dispatch_metrics_lessons_and_the_prompt(board: Board) -> None:
    board.add("Feature X", column="test")
    run = board.claim("test-executor")
    assert "Feature X" in run.prompt()
    made = run.dispatch("implementer", "Fix the check", purpose="test_failure")
    assert made.kind == "dispatch" and made.agent == "implementer"
    run.report(Report.done("green", lessons=["Run them twice"]))
    assert [lesson.text for lesson in board.lessons("test-executor")] == ["Run them twice"]
    assert board.metrics().runs.total == 1
    assert board.dispatch("implementer", "Which limit?", purpose="question").kind == "dispatch"


def test_a_report_that_is_refused_leaves_the_run_as_it_was(board: Board) -> None:
    board.add("One")
    with board.claim("implementer", lease=60) as run:
        with pytest.raises(Invalid):
            run.report(Report.done("built"), key="k" * 100_000)
        run.renew()
        run.report(Report.done("built"))
    assert board.show("1").column == "review"


def test_a_block_whose_report_was_refused_ends_its_run(board: Board) -> None:
    board.add("One")
    with pytest.raises(Invalid), board.claim("implementer", lease=60) as run:
        run.report(Report.done("built"), key="k" * 100_000)
    assert board.show("1").status != "running"


@pytest.mark.ledger("R-32")
def test_a_report_that_breaks_the_form_can_be_said_better_in_the_same_block(board: Board) -> None:
    board.add("One")
    with board.claim("implementer", lease=60) as run:
        with pytest.raises(Invalid) as caught:
            run.report(Report(outcome="asks", summary="which?", comments=[Remark(content="two readings")]), key="k")
        assert caught.value.code == "report_refused"
        assert [comment.content for comment in run.item.comments] == ["two readings"]
        run.report(Report.done("built"), key="k")
    assert board.show("1").column == "review" and len(board.show("1").comments) == 1


@pytest.mark.ledger("R-32", "R-07")
@pytest.mark.parametrize("caught", [True, False])
def test_a_block_that_ends_after_a_refusal_tells_the_next_run_what_was_wrong(board: Board, caught: bool) -> None:
    board.add("One")
    inside = suppress(Invalid) if caught else nullcontext()
    outside = nullcontext() if caught else pytest.raises(Invalid, match="asks needs a question")
    with outside, board.claim("implementer", lease=60) as run, inside:
        run.report(Report(outcome="asks", summary="which?"))
    item = board.show("1")
    assert (item.status, item.runs[-1].cause, item.told) == ("ready", "protocol", "asks needs a question")
