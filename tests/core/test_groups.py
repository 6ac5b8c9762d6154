"""Several agents look at the same work at once: parts, the strictest verdict, rounds, critical findings."""

from itertools import permutations
from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.rules.children.parts import STRICTNESS
from folkmoot.errors import NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, limited, preset_flow, small_flow

PIPELINE = preset_flow("pipeline")
ASKED = "awaiting-divine-guidance"
BOTH = ("reviewer", "devils-advocate")

HIGH = {"severity": "high", "file": "a.py", "line": 4, "issue": "no check"}
LEAK = {"kind": "security", "severity": "critical", "file": "a.py", "line": 9, "issue": "a leak"}
HOLE = {"kind": "security", "severity": "critical", "file": "b.py", "line": 2, "issue": "a hole"}

# What a part says, by the verdict it stands for.
SAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "done": ("done", {}),
    "changes_requested": ("changes_requested", {"findings": [HIGH]}),
    "disputed": ("disputed", {"comments": [{"content": "it is the wrong thing"}]}),
    "failed": ("stuck", {"summary": "cannot say"}),
}
# Where the item is when the strictest verdict has fallen.
LEADS = {
    "done": ("test", "ready"),
    "changes_requested": ("implement", "ready"),
    "disputed": ("implement", "ready"),
    "failed": ("review", ASKED),
}


def in_review(board: TrialBoard, **built: Any) -> str:
    item = board.add("Build it")
    board.effort("implementer", "done", **built)
    return item


def part_of(board: TrialBoard, item: str, agent: str) -> str:
    """The newest part of that agent."""
    return next(part.id for part in reversed(board.children(item, "part")) if part.agent == agent)


@pytest.mark.ledger("R-14", "P-05")
def test_each_agent_of_the_column_gets_a_part_that_only_it_may_claim() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        parts = board.children(item, "part")
        assert [part.agent for part in parts] == list(BOTH)
        assert {part.column for part in parts} == {"review"}
        assert board.place(item) == ("review", "waiting")
        with pytest.raises(Refused) as caught:
            board.claim("reviewer", item=parts[1].id)
        assert caught.value.code == "not_claimable"
        with pytest.raises(Refused):
            board.claim("reviewer", item=item)
        first, second = board.claim("reviewer"), board.claim("devils-advocate")
        assert board.item(item).run is None, "the item itself has no run while its parts have"
        board.report(first, "done")
        board.report(second, "done")
        assert board.place(item) == ("test", "ready")


@pytest.mark.ledger("R-14")
@pytest.mark.parametrize("verdicts", [(a, b) for a in STRICTNESS for b in STRICTNESS])
def test_the_strictest_verdict_wins_whoever_gives_it(verdicts: tuple[str, str]) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        for agent, verdict in zip(BOTH, verdicts, strict=True):
            outcome, parts = SAYS[verdict]
            board.effort(agent, outcome, **parts)
        strictest = min(verdicts, key=STRICTNESS.index)
        assert board.place(item) == LEADS[strictest]
        merged = next(event for event in board.log(item) if event["event"] == "parts_merged")
        assert merged["context"]["verdict"] == strictest


@pytest.mark.ledger("R-14", "P-05")
def test_what_two_say_about_one_place_is_one_finding_with_both_wordings() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "changes_requested", findings=[HIGH, {"file": "c.py", "line": 1, "issue": "a typo"}])
        board.effort("devils-advocate", "changes_requested", findings=[{**HIGH, "severity": "low", "issue": "unsafe"}])
        found = board.show(item)["findings"]
        assert [(f["file"], f["line"], f["found_by"]) for f in found] == [
            ("a.py", 4, ["reviewer", "devils-advocate"]),
            ("c.py", 1, ["reviewer"]),
        ]
        assert (found[0]["issue"], found[0]["wordings"], found[0]["severity"]) == ("no check", ["unsafe"], "high")


@pytest.mark.ledger("R-14")
@pytest.mark.parametrize("command", [commands.MoveItem(column="test"), commands.ReopenItem()])
def test_parts_never_move_and_are_never_reopened(command: commands.Command) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        part = part_of(board, item, "reviewer")
        if isinstance(command, commands.ReopenItem):
            board.effort("reviewer", "done")
        with pytest.raises(Refused) as caught:
            board.on(part, command)
        assert caught.value.code == "bound"


@pytest.mark.ledger("R-14", "R-08")
@pytest.mark.parametrize("outcome", ["split", "delegates"])
def test_a_part_that_wants_to_split_or_delegate_is_told_that_it_cannot(outcome: str) -> None:
    flow = small_flow("""
columns: {build: {agents: [b], next: look}, look: {agents: [x, y], next: done, fix: build}}
agents: {b: {}, x: {may: [ask, split, delegate]}, y: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("b", "done")
        parts: dict[str, Any] = {"tasks": [{"title": "a"}], "delegate": [{"task": "a", "to": "b"}]}
        board.effort("x", outcome, **parts)
        part = board.item(part_of(board, item, "x"))
        assert part.status == "ready" and "cannot end with" in (part.told or "")
        assert board.children(part.id) == []


@pytest.mark.ledger("R-14", "P-07")
def test_a_critical_finding_asks_at_once_while_the_others_run_on() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        other = board.claim("reviewer")
        board.effort("devils-advocate", "changes_requested", findings=[LEAK])
        assert board.place(item) == ("review", ASKED)
        question = board.queries.inbox()["questions"][0]
        assert "a leak" in question["question"]
        assert [o["option"] for o in question["options"]] == ["fix it", "accept the risk and go on", "abort"]
        board.engine.handle_run(other, commands.RenewRun())
        board.report(other, "done")
        assert board.place(item) == ("review", ASKED), "every question of theirs must be answered"
        board.answer(question["id"], "1")
        assert board.place(item) == ("implement", "ready")


@pytest.mark.ledger("R-14", "P-07", "R-16")
def test_abort_revokes_the_parts() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        other = board.claim("reviewer")
        board.effort("devils-advocate", "changes_requested", findings=[LEAK])
        board.answer(board.inbox()[0], "abort")
        assert board.place(item)[1] == "cancelled"
        assert board.item(part_of(board, item, "reviewer")).status == "cancelled"
        with pytest.raises(Refused) as caught:
            board.report(other, "done")
        assert caught.value.code == "stale_claim"


@pytest.mark.ledger("R-14", "P-07")
@pytest.mark.parametrize("verdict", ["done", "changes_requested"])
def test_accepting_the_risk_is_no_reason_to_change_anything(verdict: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("devils-advocate", verdict, findings=[LEAK])
        board.effort("reviewer", "done")
        board.answer(board.inbox()[0], "2")
        assert board.place(item) == ("test", "ready")


@pytest.mark.ledger("R-14", "P-05", "P-07")
@pytest.mark.parametrize("more", [[], [{"severity": "high", "issue": "no check", "file": "b.py", "line": 7}]])
def test_an_accepted_risk_is_a_remark_for_whoever_goes_on(more: list[dict[str, Any]]) -> None:
    """It was gone with all that was said of it: where it is, how it is used, and how it would be mended."""
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        hole = {**LEAK, "file": "a.py", "line": 3, "exploit": "a name with a quote", "recommendation": "parameters"}
        board.effort("devils-advocate", "changes_requested", findings=[hole, *more])
        board.effort("reviewer", "done")
        board.answer(board.inbox()[0], "accept the risk and go on", more="internal only")
        assert board.place(item) == ("implement" if more else "test", "ready")
        taken, *others = board.item(item).findings
        assert (taken.file, taken.line, taken.exploit) == ("a.py", 3, "a name with a quote")
        assert taken.remark and taken.fixed == "no, a person took the risk"
        assert [one.remark for one in others] == [False for _ in more]
        board.effort("implementer" if more else "test-executor", "done")
        assert board.inbox() == [], "it is not asked about again"


@pytest.mark.ledger("R-14", "P-07")
@pytest.mark.parametrize("answer", ["1", "fix it", "Fix it - close that hole first"])
def test_a_critical_finding_is_fixed_unless_a_person_takes_the_risk_even_if_its_finder_said_done(answer: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "done")
        board.effort("devils-advocate", "done", findings=[LEAK])
        board.answer(board.inbox()[0], answer)
        assert board.place(item) == ("implement", "ready")
        assert [f["issue"] for f in board.show(item)["findings"]] == ["a leak"]


@pytest.mark.ledger("R-14", "P-07", "R-10")
def test_the_question_names_every_critical_finding_so_that_no_risk_is_taken_unseen() -> None:
    with SoundBoard(PIPELINE) as board:
        in_review(board)
        board.effort("devils-advocate", "changes_requested", findings=[LEAK, HOLE])
        asked = board.queries.inbox()["questions"]
        words = " ".join(f"{question['question']} {question['context']}" for question in asked)
        assert "a leak" in words and "a hole" in words


@pytest.mark.ledger("R-14", "R-16")
def test_accepting_the_risk_of_one_does_not_accept_that_of_the_other() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("devils-advocate", "changes_requested", findings=[LEAK])
        board.effort("reviewer", "changes_requested", findings=[{**HIGH, "severity": "critical"}])
        first, second = board.inbox()
        board.answer(first, "2")
        assert board.place(item) == ("review", ASKED)
        board.answer(second, "1")
        assert board.place(item) == ("implement", "ready")
        assert [f["issue"] for f in board.show(item)["findings"] if not f["remark"]] == ["no check"]


@pytest.mark.ledger("R-14", "R-08")
def test_a_part_asks_through_its_item_and_speaks_again_after_the_answer() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "asks", question={"question": "which style?"})
        assert board.item(part_of(board, item, "reviewer")).status == "done"
        assert board.place(item) == ("review", ASKED)
        board.effort("devils-advocate", "done")
        board.answer(board.inbox()[0], "ours")
        assert board.place(item) == ("review", "waiting")
        claimed = board.engine.claim(PERSON, "reviewer")
        assert "ours" in str(claimed["brief"]), "the part that speaks again is told the answer"
        board.report(Actor("reviewer", claimed["run"], claimed["token"]), "done")
        assert board.place(item) == ("test", "ready")


@pytest.mark.ledger("R-14")
def test_two_questions_at_once_and_both_must_be_answered() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "asks", question={"question": "which style?"})
        board.effort("devils-advocate", "asks", question={"question": "which threat?"})
        first, second = board.inbox()
        board.answer(second, "all")
        assert board.place(item) == ("review", ASKED)
        with pytest.raises(NothingToDo):
            board.claim("reviewer")
        board.answer(first, "ours")
        for agent in BOTH:
            board.effort(agent, "done")
        assert board.place(item) == ("test", "ready")


@pytest.mark.ledger("R-14", "R-16")
def test_an_answer_that_sends_the_item_elsewhere_ends_its_live_parts() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        live = board.claim("reviewer")
        board.effort("devils-advocate", "asks", question={"question": "what now?"})
        board.answer(board.inbox()[0], "build it again", to="implement")
        assert board.place(item) == ("implement", "ready")
        with pytest.raises(Refused) as caught:
            board.report(live, "done")
        assert caught.value.code == "stale_claim"
        board.effort("implementer", "done")
        assert len(board.children(item, "part")) == 4, "the group begins again with parts of its own"


@pytest.mark.ledger("R-14", "R-16")
def test_the_last_answer_with_a_column_wins_though_parts_are_live() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "asks", question={"question": "one?"})
        board.effort("devils-advocate", "asks", question={"question": "two?"})
        first, second = board.inbox()
        board.answer(first, "there", to="test")
        board.answer(second, "no, there", to="implement")
        assert board.place(item) == ("implement", "ready")


@pytest.mark.ledger("R-14", "R-16")
@pytest.mark.parametrize("then", [commands.MoveItem(column="test"), commands.CancelItem()])
def test_move_and_cancel_take_the_parts_along(then: commands.Command) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "done")
        live = board.claim("devils-advocate")
        board.on(item, then)
        statuses = {part.agent: part.status for part in board.children(item, "part")}
        assert statuses == {"reviewer": "done", "devils-advocate": "cancelled"}
        with pytest.raises(Refused):
            board.engine.handle_run(live, commands.RenewRun())
        assert board.item(item).made == {} or board.item(item).status == "cancelled"


@pytest.mark.ledger("R-14", "R-16", "R-03")
@pytest.mark.parametrize("way", ["abort and reopen", "move to where it is"])
def test_a_group_that_a_person_begins_anew_deals_every_part_again(way: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "done")
        board.effort("devils-advocate", "changes_requested", findings=[LEAK])
        if way == "move to where it is":
            board.on(item, commands.MoveItem(column="review"))
        else:
            board.answer(board.inbox()[0], "abort")
            board.on(item, commands.ReopenItem())
        assert board.place(item) == ("review", "waiting")
        assert [part.agent for part in board.children(item) if part.status == "ready"] == list(BOTH)


@pytest.mark.ledger("R-14")
def test_a_part_that_a_person_cancels_has_failed() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.on(part_of(board, item, "reviewer"), commands.CancelItem())
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("review", ASKED)
        board.answer(board.inbox()[0], "try again")
        assert [p.agent for p in board.children(item, "part") if p.status == "ready"] == ["reviewer"]
        board.effort("reviewer", "done")
        assert board.place(item) == ("test", "ready"), "what the other said still holds"


@pytest.mark.ledger("R-14", "R-08")
@pytest.mark.parametrize("way", ["crashes", "fails"])
def test_a_part_whose_agent_is_at_its_end_fails_and_its_item_asks(way: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("devils-advocate", "changes_requested", findings=[HIGH])
        for number in range(3):
            run = board.claim("reviewer")
            if way == "crashes":
                board.crash(run)
            else:
                board.report(run, "failed", attempts=[{"approach": f"way {'abc'[number] * 9}"}])
        assert board.item(part_of(board, item, "reviewer")).status == "failed"
        assert board.place(item) == ("review", ASKED)
        assert len(board.inbox()) == 1
        assert [f["issue"] for f in board.show(item)["findings"] if not f["remark"]] == ["no check"]


@pytest.mark.ledger("R-13", "P-06")
def test_changes_go_to_the_fix_column_and_return_only_to_who_asked() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        for agent in BOTH:
            board.effort(agent, "done")
        board.effort("test-executor", "changes_requested", findings=[{"kind": "test", "test": "t1", "issue": "red"}])
        assert board.place(item) == ("implement", "ready")
        claimed = board.engine.claim(PERSON, "implementer")
        assert claimed["brief"]["findings"][0]["issue"] == "red"
        board.report(Actor("implementer", claimed["run"], claimed["token"]), "done")
        assert board.place(item) == ("test", "ready"), "it returns past the review, to whoever asked"
        board.effort("test-executor", "done")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("P-06", "R-14")
def test_the_third_round_of_a_group_asks_and_guidance_begins_the_count_again() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        for number in (1, 2, 3):
            board.effort("reviewer", "changes_requested", findings=[HIGH])
            board.effort("devils-advocate", "done")
            assert board.show(item)["iteration"] == number
            if number < 3:
                board.effort("implementer", "done")
                parts = [part for part in board.children(item, "part") if part.status == "ready"]
                assert {board.show(part.id)["iteration"] for part in parts} == {number + 1}, "its look is the item's"
        assert board.place(item) == ("review", ASKED)
        board.answer(board.inbox()[0], "1")
        assert board.place(item) == ("implement", "ready") and board.show(item)["iteration"] == 0
        board.effort("implementer", "done")
        assert board.place(item) == ("review", "waiting"), "fixed, it returns to whoever asked"


@pytest.mark.ledger("R-14")
def test_the_gate_of_a_group_runs_once_after_the_merge() -> None:
    flow = small_flow("""
columns: {build: {agents: [b], next: look}, look: {agents: [x, y], next: done, fix: build, gate: [ward]}}
agents: {b: {}, x: {}, y: {}}
gates: {ward: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("b", "done")
        board.effort("x", "done")
        with pytest.raises(NothingToDo):
            board.claim("ward")
        board.effort("y", "done")
        assert board.place(item) == ("look", "proving")
        assert {part.status for part in board.children(item)} == {"done"}
        board.effort("ward", "done")
        assert board.place(item) == ("done", "done")
        assert len(board.item(item).proofs) == 1


@pytest.mark.ledger("R-14", "R-21")
def test_a_red_gate_after_the_merge_is_nobodys_attempt_so_a_person_is_asked() -> None:
    flow = small_flow("""
columns: {build: {agents: [b], next: look}, look: {agents: [x, y], next: done, fix: build, gate: [ward]}}
agents: {b: {}, x: {}, y: {}}
gates: {ward: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("b", "done")
        board.effort("x", "done")
        board.effort("y", "done")
        board.effort("ward", "failed", summary="3 tests fail")
        assert board.place(item) == ("look", ASKED)
        board.answer(board.inbox()[0], "1")
        assert board.place(item) == ("build", "ready")


@pytest.mark.ledger("R-12", "R-14")
@pytest.mark.parametrize("order", list(permutations(BOTH)))
def test_a_dispute_of_one_part_does_not_swallow_the_changes_that_the_other_asked_for(order: tuple[str, str]) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        says = {
            "reviewer": ("disputed", {"comments": [{"content": "it is the wrong thing"}]}),
            "devils-advocate": ("changes_requested", {"findings": [HIGH]}),
        }
        for agent in order:
            outcome, parts = says[agent]
            board.effort(agent, outcome, **parts)  # type: ignore[arg-type]
        board.effort("implementer", "disputed", comments=[{"content": "it is not", "parent": "c001"}])
        assert board.place(item) == ("review", "waiting")
        board.effort("reviewer", "done", comments=[{"content": "well", "parent": "c001", "resolution": "rejected"}])
        assert board.show(item)["dispute_rounds"] == 0
        assert board.place(item) == ("review", "waiting"), "the other's request is not over"
        board.effort("devils-advocate", "changes_requested", findings=[HIGH])
        assert board.place(item) == ("implement", "ready")


@pytest.mark.ledger("R-12", "R-14")
def test_only_the_part_whose_turn_it_is_speaks_in_its_dispute() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "disputed", comments=[{"content": "wrong"}])
        board.effort("devils-advocate", "done")
        assert board.show(item)["dispute_agents"] == ["reviewer"]
        board.effort("implementer", "disputed", comments=[{"content": "right", "parent": "c001"}])
        assert [p.agent for p in board.children(item, "part") if p.status == "ready"] == ["reviewer"]
        board.effort("reviewer", "disputed", comments=[{"content": "wrong still", "parent": "c001"}])
        assert board.place(item) == ("implement", "ready")
        assert board.show(item)["dispute_agents"] == ["reviewer", "implementer", "reviewer"]
        board.effort("implementer", "disputed", comments=[{"content": "no", "parent": "c001"}])
        assert board.place(item) == ("implement", "needs-human-review") and board.show(item)["flag"]


@pytest.mark.ledger("R-12", "R-14")
@pytest.mark.parametrize("order", list(permutations(BOTH)))
def test_what_each_part_disputes_must_be_answered(order: tuple[str, str]) -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        for agent in order:
            board.effort(agent, "disputed", comments=[{"content": f"{agent} says no"}])
        assert board.place(item) == ("implement", "ready")
        assert {c["author"]: c["content"] for c in board.show(item)["comments"]} == {a: f"{a} says no" for a in BOTH}
        assert len(board.item(item).disputes) == 2
        agreed = [
            {"content": "so be it", "parent": d.thread, "resolution": "accepted"} for d in board.item(item).disputes
        ]
        board.effort("implementer", "done", comments=agreed[:1])
        assert board.item(item).told is not None and board.item(item).column == "implement"
        board.effort("implementer", "done", comments=agreed)
        assert board.place(item) == ("review", "waiting") and board.item(item).disputes == []


@pytest.mark.ledger("R-15")
def test_a_later_finding_outside_the_fix_becomes_an_item_of_its_own() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board, files={"created": ["a.py", "z.py"]})
        board.effort("reviewer", "changes_requested", findings=[HIGH])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "done", files={"modified": ["a.py"]})
        late = {"severity": "low", "file": "z.py", "line": 1, "issue": "an old typo"}
        board.effort("reviewer", "changes_requested", findings=[HIGH, late])
        board.effort("devils-advocate", "done")
        aside = [e for e in board.log(item) if e["event"] == "finding_set_aside"]
        assert len(aside) == 1
        new = board.show(aside[0]["context"]["items"][0])
        assert (new["column"], new["kind"], new["priority"]) == ("implement", "item", "low")
        assert [f["issue"] for f in new["findings"]] == ["an old typo"]
        assert [f["issue"] for f in board.show(item)["findings"] if not f["remark"]] == ["no check"]
        assert board.place(item) == ("implement", "ready")


@pytest.mark.ledger("R-15")
def test_if_all_that_is_found_later_is_about_something_else_the_work_is_done_here() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "changes_requested", findings=[HIGH])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "done", files={"modified": ["a.py"]})
        board.effort("reviewer", "changes_requested", findings=[{"file": "z.py", "line": 1, "issue": "old"}])
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("test", "ready")


@pytest.mark.ledger("R-15")
def test_a_fix_that_does_not_say_what_it_touched_may_be_about_everything() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board, files={"created": ["a.py"]})
        board.effort("reviewer", "changes_requested", findings=[HIGH])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "done", summary="fixed, somewhere")
        board.effort("reviewer", "changes_requested", findings=[{"file": "b.py", "line": 1, "issue": "you broke it"}])
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("implement", "ready")
        assert [f["issue"] for f in board.show(item)["findings"]] == ["you broke it"]


@pytest.mark.ledger("R-15", "R-10")
def test_what_is_critical_is_never_set_aside() -> None:
    with SoundBoard(PIPELINE) as board:
        item = in_review(board)
        board.effort("reviewer", "changes_requested", findings=[HIGH])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "done", files={"modified": ["a.py"]})
        board.effort("devils-advocate", "changes_requested", findings=[HOLE])
        board.effort("reviewer", "done")
        board.answer(board.inbox()[0], "fix it")
        assert board.place(item) == ("implement", "ready")
        assert [f["issue"] for f in board.show(item)["findings"]] == ["a hole"]


@pytest.mark.ledger("R-33", "R-14", "R-08")
def test_the_parts_of_an_item_far_from_its_person_are_worked_on_once_a_person_has_allowed_it() -> None:
    flow = small_flow("""
columns: {look: {agents: [x, y], next: done}, build: {agents: [b], next: look}}
start: build
agents: {b: {}, x: {}, y: {}}
""")
    with SoundBoard(flow) as board:
        item = board.add("first", column="build")
        for number in range(4):
            run = board.claim("b", item=item)
            added = board.engine.add(run, commands.AddItem(title=f"made {number}", column="build"))["id"]
            board.report(run, "done")
            item = added
        assert board.place(item) == ("build", "parked")
        board.answer(board.inbox()[-1], "yes")
        board.effort("b", "done")
        mine = [part.status for part in board.children(item, "part")]
        assert mine == ["ready", "ready"]


@pytest.mark.ledger("R-30", "R-14")
def test_a_flow_with_another_agent_in_the_group_deals_it_a_part_too() -> None:
    flow = """
columns: {{build: {{agents: [b], next: look}}, look: {{agents: [{watchers}], next: done}}}}
agents: {{b: {{}}, x: {{}}, y: {{}}, z: {{}}}}
"""
    with SoundBoard(small_flow(flow.format(watchers="x, y").replace(", z: {}", ""))) as board:
        item = board.add()
        board.effort("b", "done")
        board.effort("x", "done")
        board.adopt(small_flow(flow.format(watchers="x, y, z")))
        assert [part.agent for part in board.children(item)] == ["x", "y", "z"]
        board.effort("y", "done")
        assert board.place(item) == ("look", "waiting")
        board.effort("z", "done")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-30", "R-14")
def test_a_flow_that_makes_a_single_column_of_a_group_takes_the_verdicts_there_are() -> None:
    flow = """
columns: {{build: {{agents: [b], next: look}}, look: {{agents: [{w}], next: done}}}}
agents: {{b: {{}}, {a}}}
"""
    with SoundBoard(small_flow(flow.format(w="x, y", a="x: {}, y: {}"))) as board:
        item = board.add()
        board.effort("b", "done")
        live = board.claim("y")
        board.effort("x", "done")
        with pytest.raises(Refused) as caught:
            board.adopt(small_flow(flow.format(w="x", a="x: {}")))
        assert caught.value.code == "agent_in_use"
        board.engine.handle_run(live, commands.ReleaseRun())
        board.adopt(small_flow(flow.format(w="x", a="x: {}")))
        assert board.item(part_of(board, item, "y")).status == "failed"
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-05", "R-14")
def test_rounds_are_counted_per_column_and_the_last_look_is_the_iteration() -> None:
    with SoundBoard(limited(PIPELINE, feedback_rounds=5)) as board:
        item = in_review(board)
        for _ in range(2):
            board.effort("reviewer", "changes_requested", findings=[HIGH])
            board.effort("devils-advocate", "done")
            board.effort("implementer", "done")
        assert board.show(item)["iteration"] == 3, "the third look is under way"
        for agent in BOTH:
            board.effort(agent, "done")
        assert board.show(item)["iteration"] == 1, "the first look of the tests"
        board.effort("test-executor", "done")
        assert board.item(item).span.rounds == {"review": 3, "test": 1} and board.show(item)["iteration"] == 1
