"""A handoff is its stage's: accepted until the stage has done its work, in every brief until then (R-26)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import AcceptMessage, Actor, CompleteMessage, RejectMessage, SendMessage
from folkmoot.core.enums import Outcome
from folkmoot.core.records import Message
from folkmoot.errors import Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, preset_flow, small_flow

HANDOFF, PIPELINE = preset_flow("handoff"), preset_flow("pipeline")
GATED = small_flow("""
start: plan
limits: {executions: 9, feedback_rounds: 9, own_attempts: 9}
columns:
  plan:  {agents: [planner], next: build}
  build: {agents: [builder], next: review, gate: [unit]}
  review: {agents: [reviewer], next: done, fix: mend, gate: [lint], on_red: mend}
  mend:  {agents: [fixer], kind: backflow}
  senior: {agents: [master], kind: escalation}
agents: {planner: {}, builder: {}, reviewer: {}, fixer: {}, master: {}}
reasons: {hard: senior}
gates: {unit: {run: [a]}, lint: {run: [b]}}
messages:
  task_handoff: {from: [planner], to: [builder]}
  review_request: {from: [builder, master, fixer], to: [reviewer]}
  fix_request: {from: [reviewer], to: [fixer]}
  escalation: {from: [any], to: [orchestrator]}
""")
# Ends of a run that leave the work of its stage to be done.
NOT_ENDED: dict[str, dict[str, Any]] = {
    "failed": {"summary": "no idea"},
    "transient": {"cause": "transient"},
    "conflict": {"cause": "conflict"},
    "protocol": {"cause": "protocol"},
    "incomplete": {"summary": "half of it"},
    "asks": {"question": {"question": "which?"}},
    "requirement": {"cause": "requirement", "summary": "says nothing"},
}


def messages(board: TrialBoard, **which: Any) -> list[Message]:
    found = board.engine.store.read(lambda reading: reading.messages(limit=1000))
    return [m for m in found if all(getattr(m, name) == value for name, value in which.items())]


def send(board: TrialBoard, actor: Actor = PERSON, **fields: Any) -> dict[str, Any]:
    return board.engine.send(actor, SendMessage(**fields))


def claimed(board: TrialBoard, agent: str) -> tuple[Actor, list[str]]:
    view = board.engine.claim(PERSON, agent)
    return Actor(agent, view["run"], view["token"]), [m["message_id"] for m in view["brief"]["messages"]]


def handed(board: TrialBoard) -> tuple[str, str]:
    item = board.add("Add user auth")
    board.effort("planner", "done")
    return item, messages(board, type="task_handoff")[0].id


def end(board: TrialBoard, run: Actor, how: str) -> None:
    """Some end of a run that is not the end of its stage."""
    if how == "crash":
        board.crash(run)
    elif how == "release":
        board.engine.handle_run(run, commands.ReleaseRun())
    elif how == "unreadable":
        board.engine.report(run, board_report("failed"), fault="no report could be read")
    else:
        outcome = how if how in ("failed", "incomplete", "asks") else "failed"
        board.report(run, outcome, **NOT_ENDED[how])
    for question in board.inbox():
        board.answer(question)
    board.sleep(600)


def board_report(outcome: Outcome) -> Any:
    from folkmoot.core.report import Report

    return Report(outcome=outcome)


@pytest.mark.ledger("R-26", "H-07")
@pytest.mark.parametrize("how", [*NOT_ENDED, "crash", "release", "unreadable"])
def test_a_run_that_does_not_end_its_stage_completes_nothing(how: str) -> None:
    with SoundBoard(HANDOFF) as board:
        _, handoff = handed(board)
        run, told = claimed(board, "builder")
        assert told == [handoff]
        end(board, run, how)
        assert messages(board, id=handoff)[0].status == "accepted"
        run, told = claimed(board, "builder")
        assert handoff in told, "it is in every brief of its stage"
        board.report(run, "done")
        assert messages(board, id=handoff)[0].status == "completed"


@pytest.mark.ledger("R-26", "R-21")
def test_a_red_gate_does_not_complete_the_handoff_and_a_green_one_does() -> None:
    with SoundBoard(GATED) as board:
        item, handoff = handed(board)
        board.effort("builder", "done")
        assert board.place(item) == ("build", "proving") and messages(board, id=handoff)[0].status == "accepted"
        board.effort("unit", "failed", summary="red")
        run, told = claimed(board, "builder")
        assert told == [handoff]
        board.report(run, "done")
        board.effort("unit", "done")
        assert messages(board, id=handoff)[0].status == "completed"
        (request,) = messages(board, type="review_request")
        board.effort("reviewer", "done")
        board.effort("lint", "failed", summary="red")
        assert board.place(item) == ("mend", "ready")
        assert messages(board, id=request.id)[0].status == "accepted", "the review is not over: its gate is red"
        board.effort("fixer", "done")
        board.effort("lint", "done")
        assert messages(board, id=request.id)[0].status == "completed" and board.place(item) == ("done", "done")


@pytest.mark.ledger("R-26", "R-09")
def test_whoever_helps_out_gets_what_the_stage_was_handed() -> None:
    with SoundBoard(GATED) as board:
        item, handoff = handed(board)
        board.effort("builder", "stuck", reason="hard", summary="too hard")
        assert board.place(item) == ("senior", "ready") and messages(board, id=handoff)[0].status == "accepted"
        run, told = claimed(board, "master")
        assert told == [handoff]
        board.report(run, "done")
        board.effort("unit", "done")
        assert board.place(item) == ("review", "ready") and messages(board, id=handoff)[0].status == "completed"


@pytest.mark.ledger("R-26", "R-12")
def test_a_disputed_report_rejects_what_its_run_was_handed() -> None:
    with SoundBoard(HANDOFF) as board:
        item, handoff = handed(board)
        board.effort("builder", "disputed", comments=[{"content": "the spec names no errors"}])
        (row,) = messages(board, id=handoff)
        assert (row.status, row.why) == ("rejected", "the spec names no errors")
        assert board.place(item) == ("plan", "ready")


@pytest.mark.ledger("R-26", "H-03")
def test_pending_is_never_completed_and_only_the_receiver_accepts() -> None:
    with SoundBoard(HANDOFF) as board:
        _, handoff = handed(board)
        for actor in (PERSON, Actor("builder"), Actor("reviewer")):
            with pytest.raises(Refused) as caught:
                board.engine.on_message(actor, CompleteMessage(message=handoff))
            assert caught.value.code == "not_accepted" and caught.value.next[0].args["as"] == "builder"
        for actor in (PERSON, Actor("planner"), Actor("orchestrator")):
            with pytest.raises(Refused) as caught:
                board.engine.on_message(actor, AcceptMessage(message=handoff))
            assert caught.value.code == "not_for_you"
        assert board.engine.on_message(Actor("Builder"), AcceptMessage(message=handoff))["status"] == "accepted"
        run, told = claimed(board, "builder")
        assert told == [handoff], "accepted by hand, it is the run's all the same"
        board.report(run, "done")
        assert messages(board, id=handoff)[0].status == "completed"


@pytest.mark.ledger("R-26", "R-12")
def test_rejecting_outside_of_a_run_is_the_receivers_dispute() -> None:
    with SoundBoard(HANDOFF) as board:
        item, handoff = handed(board)
        board.engine.on_message(PERSON, RejectMessage(message=handoff, why="no limits are named"))
        assert board.place(item) == ("plan", "ready")
        view = board.show(item)
        assert view["dispute_agents"] == ["builder"]
        assert [(c["author"], c["content"]) for c in view["comments"]] == [("builder", "no limits are named")]
        thread = view["comments"][0]["id"]
        board.effort("planner", "done", comments=[{"content": "named", "parent": thread, "resolution": "accepted"}])
        assert board.place(item) == ("build", "ready")


@pytest.mark.ledger("R-26", "R-12")
def test_rejecting_what_no_stage_handed_over_asks_a_person() -> None:
    with SoundBoard(PIPELINE) as board:
        sent = send(board, sender="orchestrator", to="implementer", type="task_assignment", payload={"title": "X"})
        board.engine.on_message(PERSON, RejectMessage(message=sent["message_id"], why="not ours"))
        assert board.place(sent["item"])[1] == "needs-human-review"
        assert "not ours" in board.queries.inbox()["questions"][0]["question"]


@pytest.mark.ledger("R-26")
def test_rejecting_what_is_not_the_turn_of_its_receiver_is_a_comment() -> None:
    with SoundBoard(HANDOFF) as board:
        item, _ = handed(board)
        sent = send(board, sender="builder", to="reviewer", type="review_request", context={"item": item})
        board.engine.on_message(PERSON, RejectMessage(message=sent["message_id"], why="too early"))
        assert board.place(item) == ("build", "ready") and board.show(item)["dispute_agents"] == []
        assert [c["content"] for c in board.show(item)["comments"]] == ["too early"]


@pytest.mark.ledger("R-26")
def test_nobody_rejects_what_a_live_run_has_accepted_but_that_run() -> None:
    with SoundBoard(HANDOFF) as board:
        item, handoff = handed(board)
        board.claim("builder")
        with pytest.raises(Refused) as caught:
            board.engine.on_message(PERSON, RejectMessage(message=handoff, why="no"))
        assert caught.value.code == "item_running" and board.place(item) == ("build", "running")


@pytest.mark.ledger("P-03", "R-15")
def test_what_is_mended_already_is_not_asked_for_again() -> None:
    with SoundBoard(HANDOFF) as board:
        handed(board)
        board.effort("builder", "done", summary="built")
        found = [{"issue": "no limit", "file": "a.py"}, {"issue": "no check", "file": "b.py", "fixed": "resolved"}]
        board.effort("reviewer", "changes_requested", findings=found)
        asked = messages(board, type="fix_request")[0].payload["description"]
        assert "no limit" in asked and "no check" not in asked


@pytest.mark.ledger("R-26", "P-03", "H-14")
def test_a_handoff_carries_what_the_agent_returned() -> None:
    with SoundBoard(HANDOFF) as board:
        handed(board)
        board.effort(
            "builder",
            "done",
            summary="built",
            commit="abc123",
            tests={"total": 3, "passed": 3, "failed": 0},
            artifacts=[{"name": "notes.md", "path": "docs/notes.md"}],
            extra={"status": "completed", "spec": "specs/auth.md", "reviewers": ["ann"]},
        )
        payload = messages(board, type="review_request")[0].payload
        assert (payload["status"], payload["commit"], payload["spec"]) == ("completed", "abc123", "specs/auth.md")
        assert payload["tests"] == {"total": 3, "passed": 3, "failed": 0} and payload["reviewers"] == ["ann"]
        assert payload["artifacts"] == [{"name": "notes.md", "path": "docs/notes.md"}]
        found = {"issue": "no limit", "file": "a.py", "line": 7, "recommendation": "add one", "severity": "high"}
        board.effort("reviewer", "changes_requested", findings=[found], extra={"status": "needs_fixes", "issues": 1})
        asked = messages(board, type="fix_request")[0].payload
        assert (asked["status"], asked["issues"]) == ("needs_fixes", 1)
        assert found.items() <= asked["findings"][0].items()
        assert "high: no limit at a.py:7" in asked["description"] and "add one" in asked["description"]
        told = messages(board, sender="reviewer", to="orchestrator")
        assert told == [], "a verdict has no type of its own that goes to the orchestrator in this flow"
        board.effort("fixer", "done", extra={"status": "fixes_applied"})
        (last,) = messages(board, sender="fixer", to="orchestrator")
        assert (last.type, last.payload["status"], last.status) == ("completion", "fixes_applied", "completed")


@pytest.mark.ledger("R-26", "P-03")
def test_a_message_made_from_a_report_keeps_its_fields() -> None:
    with SoundBoard(PIPELINE) as board:
        board.add("Feature X", column="test")
        finding = {"kind": "test", "test": "TestAPI", "issue": "expected 200", "file": "t.go", "line": 42}
        extra = {"type": "test_failures", "source": "test-executor", "round": 2, "max_rounds": 3}
        board.effort("test-executor", "changes_requested", findings=[finding], extra=extra)
        (told,) = messages(board, type="test_failures")
        assert told.status == "completed" and (told.payload["round"], told.payload["max_rounds"]) == (2, 3)
        assert told.payload["source"] == "test-executor" and told.payload["findings"][0]["line"] == 42


@pytest.mark.ledger("R-05", "H-14")
def test_the_first_look_is_iteration_one_and_the_second_two() -> None:
    with SoundBoard(HANDOFF) as board:
        item, _ = handed(board)
        seen = [board.show(item)["iteration"]]
        board.effort("builder", "done")
        seen.append(board.show(item)["iteration"])
        claim = board.engine.claim(PERSON, "reviewer")
        assert (claim["brief"]["round"], claim["brief"]["messages"][0]["context"]["iteration"]) == (1, 1)
        run = Actor("reviewer", claim["run"], claim["token"])
        board.report(run, "asks", question={"question": "which?"})
        seen.append(board.show(item)["iteration"])
        board.answer(board.inbox()[0])
        board.effort("reviewer", "changes_requested", findings=[{"issue": "x"}])
        seen.append(board.show(item)["iteration"])
        board.effort("fixer", "done")
        claim = board.engine.claim(PERSON, "reviewer")
        assert (claim["item"]["iteration"], claim["brief"]["round"]) == (2, 2)
        assert [m["context"]["iteration"] for m in claim["brief"]["messages"]] == [2]
        board.report(Actor("reviewer", claim["run"], claim["token"]), "done")
        seen.append(board.show(item)["iteration"])
        assert seen == [0, 1, 1, 1, 2] and board.place(item) == ("done", "done")


@pytest.mark.ledger("R-26", "R-30")
def test_a_flow_without_messages_leaves_none_open() -> None:
    with SoundBoard(HANDOFF) as board:
        item, handoff = handed(board)
        run = board.claim("builder")
        board.adopt(replace(HANDOFF, messages={}))
        board.report(run, "done")
        assert messages(board, id=handoff)[0].status == "completed" and board.place(item) == ("review", "ready")
        board.on(item, commands.CancelItem())


ends = st.lists(st.sampled_from([*NOT_ENDED, "crash", "release"]), max_size=4)


@pytest.mark.ledger("R-26")
@settings(max_examples=25, deadline=None)
@given(ends)
def test_whatever_runs_end_in_between_the_handoff_is_in_every_brief_until_the_stage_ends(path: list[str]) -> None:
    with SoundBoard(HANDOFF) as board:
        item, handoff = handed(board)
        for how in path:
            if board.item(item).status != "ready":
                break
            run, told = claimed(board, "builder")
            assert handoff in told
            end(board, run, how)
            assert messages(board, id=handoff)[0].status == "accepted"
        if board.item(item).status == "ready" and board.item(item).column == "build":
            board.effort("builder", "done")
            assert messages(board, id=handoff)[0].status == "completed"
