"""What agents write between two looks of the mirror counts in the order in which it was said (H-04, H-05, H-07)."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.mirror.desk import Desk, View

FIX: View = {"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": ["no salt", "no limit"]}}
REVIEW: View = {"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"commit": "abc123"}}
BUILD: View = {
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "payload": {"summary": "Use JWT"},
    "context": {"workflow": "feature", "spec": "specs/auth.md"},
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    made.look()
    yield made
    made.close()


def moves(desk: Desk, kind: str, source: str, target: str) -> None:
    """As `mv` does it: the file keeps the time at which it was written."""
    for file in (desk.dir / "handoffs" / source).iterdir():
        if json.loads(file.read_text("utf-8"))["type"] == kind:
            os.rename(file, desk.dir / "handoffs" / target / file.name)


def in_hand(desk: Desk, column: str, kind: str) -> None:
    """An item in this column, whose handoff its agent has accepted."""
    desk.moot("add", "Add user auth")
    desk.moot.speak("planner", {"status": "completed", "spec": "specs/auth.md"})
    if column == "review":
        desk.moot.speak("builder", {"status": "completed", "commit": "abc123"})
    desk.look()
    moves(desk, kind, "pending", "accepted")
    desk.look()
    assert desk.moot("show", "1")["status"] == "running"


def both(steps: list[Callable[[], None]], order: str) -> None:
    for step in steps if order == "as printed" else reversed(steps):
        step()


@pytest.mark.ledger("H-04", "H-07")
@pytest.mark.parametrize("order", ["as printed", "the other way"])
def test_a_review_that_asks_for_fixes_and_is_completed_in_one_look_is_no_approval(desk: Desk, order: str) -> None:
    in_hand(desk, "review", "review_request")
    asks = partial(desk.put, "handoffs/pending/fix.json", FIX)
    both([asks, partial(moves, desk, "review_request", "accepted", "completed")], order)
    desk.look()
    item = desk.moot("show", "1")
    assert (item["column"], item["status"]) == ("fix", "ready")
    assert desk.handoffs()["pending"] == ["fix_request"] and desk.reasons() == []


@pytest.mark.ledger("H-04", "H-07")
@pytest.mark.parametrize("order", ["as printed", "the other way"])
@pytest.mark.parametrize("wrong", [{"priority": "urgent"}, {"issues": 2}, {"from": "Reviewer", "status": "open"}])
def test_a_review_beside_a_fix_request_that_cannot_be_read_is_not_completed(
    desk: Desk, wrong: View, order: str
) -> None:
    in_hand(desk, "review", "review_request")
    asks = partial(desk.put, "handoffs/pending/fix.json", {**FIX, **wrong})
    both([asks, partial(moves, desk, "review_request", "accepted", "completed")], order)
    desk.look()
    assert (desk.moot("show", "1")["column"], desk.handoffs()["accepted"]) == ("review", ["review_request"])
    assert any("what reviewer sent beside it was refused" in why for why in desk.reasons())
    desk.put("handoffs/pending/fix.json", FIX)
    moves(desk, "review_request", "accepted", "completed")
    desk.look()
    assert desk.moot("show", "1")["column"] == "fix", "mended, both hold"


@pytest.mark.ledger("H-05", "H-07")
def test_an_agent_whose_fix_request_cannot_be_read_is_not_completed_in_the_state(desk: Desk) -> None:
    in_hand(desk, "review", "review_request")
    state = desk.json("state.json")
    desk.put("handoffs/pending/fix.json", {**FIX, "priority": "urgent"})
    desk.put("state.json", {**state, "agents": {**state["agents"], "reviewer": {"status": "completed"}}})
    desk.look()
    assert desk.moot("show", "1")["column"] == "review"
    assert any("what reviewer sent beside it was refused" in why for why in desk.reasons())


@pytest.mark.ledger("H-04", "H-07")
@pytest.mark.parametrize("order", ["as printed", "the other way"])
def test_a_handover_beside_the_end_of_its_stage_is_not_written_a_second_time(desk: Desk, order: str) -> None:
    in_hand(desk, "build", "task_handoff")
    hands_on = partial(desk.put, "handoffs/pending/review.json", REVIEW)
    both([hands_on, partial(moves, desk, "task_handoff", "accepted", "completed")], order)
    desk.look()
    assert desk.moot("show", "1")["column"] == "review"
    assert desk.handoffs()["pending"] == ["review_request"] and desk.reasons() == []


@pytest.mark.ledger("H-05", "H-07")
@pytest.mark.parametrize("before", ["idle", "active"])
@pytest.mark.parametrize("order", ["as printed", "the other way"])
def test_a_handoff_and_completed_in_the_state_end_the_stage_in_one_look(desk: Desk, order: str, before: str) -> None:
    desk.moot("add", "Add user auth")
    desk.look()

    def says(status: str) -> None:
        state = desk.json("state.json")
        desk.put("state.json", {**state, "agents": {**state["agents"], "planner": {"status": status}}})

    if before == "active":
        says("active")
        desk.look()
    both([partial(desk.put, "handoffs/pending/plan.json", BUILD), partial(says, "completed")], order)
    desk.look()
    item = desk.moot("show", "1")
    assert (item["column"], item["status"], item["spec"]) == ("build", "ready", "specs/auth.md")
    assert len(desk.moot("list")["items"]) == 1, "the handoff is about the item that it was planned for"
    assert desk.handoffs()["pending"] == ["task_handoff"] and desk.reasons() == []


YAML = "from: reviewer\nto: fixer\ntype: fix_request\npayload: {issues: [no salt]}\n"
ELSEWHERE = {
    "handoffs/fix.json": json.dumps(FIX),
    "handoffs/Pending/fix.json": json.dumps(FIX),
    "inbox/fix.json": json.dumps(FIX),
    "inbox/fix.md": "Please mend the salt.\n",
    "handoffs/pending/fix.yaml": YAML,
    "handoffs/pending/fix.json": json.dumps({name: value for name, value in FIX.items() if name != "from"}),
}


@pytest.mark.ledger("H-04", "H-07")
@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_review_is_not_completed_beside_a_word_of_its_agent_that_lies_in_the_wrong_place(
    desk: Desk, path: str
) -> None:
    in_hand(desk, "review", "review_request")
    (desk.dir / path).parent.mkdir(exist_ok=True)
    desk.put(path, ELSEWHERE[path])
    moves(desk, "review_request", "accepted", "completed")
    desk.look()
    assert desk.moot("show", "1")["column"] == "review", "nobody has approved it"
    assert any("what reviewer sent beside it was refused" in why for why in desk.reasons())
    assert len(desk.reasons()) == 2 and not (desk.dir / path).exists()
    desk.put("handoffs/pending/fix.json", FIX)
    moves(desk, "review_request", "accepted", "completed")
    desk.look()
    assert desk.moot("show", "1")["column"] == "fix"


@pytest.mark.ledger("H-05")
@pytest.mark.parametrize("more", [{"result": "needs_fixes", "issues": ["no salt"]}, {"verdict": "rejected"}])
def test_what_an_agent_says_beside_completed_in_the_state_is_not_passed_over(desk: Desk, more: View) -> None:
    in_hand(desk, "review", "review_request")
    state = desk.json("state.json")
    desk.put("state.json", {**state, "agents": {**state["agents"], "reviewer": {"status": "completed", **more}}})
    desk.look()
    assert desk.moot("show", "1")["column"] == "review"
    (why,) = desk.reasons()
    assert f"agents: reviewer: {', '.join(more)}: " in why and "a report in inbox/" in why


APPROVED: View = {"from": "reviewer", "to": "orchestrator", "type": "completion", "payload": {"status": "approved"}}


def completes(desk: Desk, by: str) -> None:
    """As the document prints it, with no word on what was found."""
    if by == "move":
        moves(desk, "review_request", "accepted", "completed")
    else:
        state = desk.json("state.json")
        desk.put("state.json", {**state, "agents": {**state["agents"], "reviewer": {"status": "completed"}}})
    desk.look()


@pytest.mark.ledger("H-04", "H-05", "H-07")
@pytest.mark.parametrize("by", ["move", "state"])
def test_a_review_that_is_only_completed_approves_nothing(desk: Desk, by: str) -> None:
    in_hand(desk, "review", "review_request")
    completes(desk, by)
    item = desk.moot("show", "1")
    assert (item["column"], item["status"], desk.handoffs()["accepted"]) == ("review", "running", ["review_request"])
    (why,) = desk.reasons()
    assert "report approved, or needs_fixes" in why and "inbox/" in why and '"agent": "reviewer"' in why
    desk.put("handoffs/pending/fix.json", FIX)
    desk.look()
    completes(desk, by)
    assert desk.moot("show", "1")["column"] == "fix", "what it found one look later is heard"


@pytest.mark.ledger("H-04", "H-05", "H-07")
@pytest.mark.parametrize("by", ["move", "state"])
def test_a_review_that_is_completed_beside_an_approval_is_done(desk: Desk, by: str) -> None:
    in_hand(desk, "review", "review_request")
    desk.put("handoffs/pending/approved.json", APPROVED)
    completes(desk, by)
    assert desk.moot("show", "1")["column"] == "done"


@pytest.mark.ledger("H-04")
def test_a_review_set_aside_is_approved_by_the_documents_return(desk: Desk) -> None:
    in_hand(desk, "review", "review_request")
    completes(desk, "move")
    desk.put("inbox/approved.json", {"agent": "reviewer", "status": "approved"})
    desk.look()
    assert desk.moot("show", "1")["column"] == "done"
