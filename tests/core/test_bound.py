"""Parts, experts, sub-agents and dispatched items make their effort where they are, whatever comes up (R-08, R-14)."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, preset_flow, small_flow

GUILD = small_flow("""
start: cut
discover: cut
arbiter: cut
columns:
  cut:   {agents: [carver], next: make}
  make:  {agents: [mason], next: done}
  clear: {agents: [carver], kind: backflow}
agents: {carver: {may: [ask, split]}, mason: {may: [ask, delegate]}}
reasons: {story: clear}
""")
CRITICAL = {"kind": "security", "severity": "critical", "issue": "anyone may read it"}


@pytest.mark.ledger("R-08", "R-25")
@pytest.mark.parametrize("cause", ["size", "conflict", "requirement"])
def test_a_sub_agent_whose_task_is_no_task_ends_where_it_is(cause: str) -> None:
    with SoundBoard(GUILD) as board:
        item = board.add(column="make")
        board.effort("mason", "delegates", delegate=[{"task": "look at it"}])
        (sub,) = board.children(item, "sub")
        while board.item(sub.id).status == "ready":
            board.report(board.claim("mason", item=sub.id), "failed", cause=cause, reason="story", summary="no")
        assert board.place(sub.id) == ("make", "failed")
        assert board.place(item) == ("make", "ready") and board.inbox() == []


@pytest.mark.ledger("R-08", "R-10")
def test_a_dispatched_item_never_moves_not_even_by_an_answer_about_a_danger() -> None:
    with SoundBoard(preset_flow("kanban")) as board:
        order = commands.DispatchAgent(agent="qa-agent", task="try it out")
        item = board.engine.add(Actor("ann"), order)["id"]
        board.effort("qa-agent", "changes_requested", findings=[CRITICAL])
        (question,) = board.inbox()
        with pytest.raises(Refused, match="never moves"):
            board.answer(question, "let others mend it", to="dev")
        board.answer(question, "1")
        assert board.place(item) == ("qa", "ready")


@pytest.mark.ledger("R-08")
def test_a_running_helper_goes_on_without_what_was_cancelled() -> None:
    with SoundBoard(GUILD) as board:
        item = board.add(column="make")
        board.effort("mason", "delegates", delegate=[{"task": "look at it"}])
        (sub,) = board.children(item, "sub")
        run = board.claim("mason", item=sub.id)
        more = board.engine.add(run, commands.AddItem(title="more", parent=sub.id))["id"]
        board.on(more, commands.CancelItem())
        assert board.item(sub.id).status == "running" and board.item(sub.id).waits_for == []
        board.report(run, "done")
        assert board.place(item) == ("make", "ready")


@pytest.mark.ledger("R-12", "R-14")
@pytest.mark.parametrize("parent", ["c999", None])
def test_a_part_that_disputes_what_nobody_said_opens_a_dispute_that_can_be_ended(parent: str | None) -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        item = board.add()
        board.effort("implementer", "done")
        board.effort("reviewer", "disputed", comments=[{"content": "this is wrong", "parent": parent}])
        board.effort("devils-advocate", "done")
        (dispute,) = board.item(item).disputes
        agreed = {"content": "yes", "parent": dispute.thread, "resolution": "accepted"}
        board.effort("implementer", "done", comments=[agreed])
        assert board.item(item).disputes == [] and board.item(item).column == "review"


@pytest.mark.ledger("R-27")
def test_a_lost_run_that_sends_for_others_hears_that_it_is_lost() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        board.add()
        run = board.claim("implementer")
        board.report(run, "done")
        with pytest.raises(Refused) as refusal:
            board.engine.add(run, commands.DispatchAgent(agent="reviewer", task="look", purpose="coordination"))
        assert refusal.value.code == "stale_claim"
