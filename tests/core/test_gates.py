"""Done is a claim until a gate has shown it: green, red, the way to mend and back, gates that fail themselves."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.flow import Flow
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard, limited, preset_flow, small_flow

QUEST = preset_flow("quest")
ASKED = "awaiting-divine-guidance"
# A red gate without `on_red` is the failure of the run it checked.
STRICT = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [lint, test]}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {}, r: {write: none}}
gates: {lint: {run: ["true"]}, test: {run: ["true"]}}
""")
LADDER = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}, senior: {agents: [s], kind: escalation}}
agents: {d: {ladder: {0: small, 1: large, 2+: escalate}, escalate_to: senior}, s: {}}
gates: {ward: {run: ["true"]}}
""")


def proving(board: TrialBoard, column: str = "review", agent: str = "lawbringer") -> str:
    item = board.add("A quest", column=column)
    board.effort(agent, "done", summary="it is done")
    assert board.place(item) == (column, "proving")
    return item


@pytest.mark.ledger("R-21", "R-22")
def test_a_gate_is_claimed_by_its_name_and_by_nobody_else() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        for agent in ("lawbringer", "siegemaster", "spiritmender"):
            with pytest.raises(NothingToDo):
                board.claim(agent)
        run = board.claim("ward")
        assert board.place(item) == ("review", "running")
        board.engine.handle_run(run, commands.RenewRun())
        board.report(run, "done", summary="42 checks")
        assert board.place(item) == ("siege", "ready")
        with pytest.raises(Refused) as caught:
            board.report(run, "done")
        assert caught.value.code == "stale_claim"


@pytest.mark.ledger("R-22")
def test_an_item_with_green_gates_shows_them_as_evidence_and_one_without_says_none() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board, "siege", "siegemaster")
        board.effort("ward", "done", summary="42 checks", commit="abc")
        assert board.place(item) == ("done", "done")
        proof = board.show(item)["evidence"][-1]
        assert (proof["gate"], proof["green"], proof["summary"], proof["commit"]) == ("ward", True, "42 checks", "abc")
    with SoundBoard(small_flow("{columns: {a: {agents: [x], next: done}}, agents: {x: {}}}")) as board:
        item = board.add()
        board.effort("x", "done")
        assert board.show(item)["evidence"] == "none"


@pytest.mark.ledger("R-21", "Q-12")
def test_a_red_ward_goes_to_mend_with_its_findings_and_back_to_the_same_ward() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", "failed", findings=[{"kind": "test", "test": "t1", "issue": "expected 200"}])
        assert board.place(item) == ("mend", "ready")
        assert board.show(item)["findings"][0]["found_by"] == ["ward"]
        board.effort("spiritmender", "done")
        assert board.place(item) == ("review", "proving"), "the same ward again, not the review"
        board.effort("ward", "done")
        assert board.place(item) == ("siege", "ready") and board.show(item)["findings"] == []


@pytest.mark.ledger("R-21", "Q-12", "R-24")
@pytest.mark.parametrize("column", [("weave", "codeweaver"), ("review", "lawbringer"), ("siege", "siegemaster")])
def test_after_three_rounds_of_mending_a_person_is_asked(column: tuple[str, str]) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board, *column)
        for _ in range(3):
            board.effort("ward", "failed", summary="red")
            assert board.place(item) == ("mend", "ready")
            board.effort("spiritmender", "done")
        board.effort("ward", "failed", summary="red")
        assert board.place(item) == (column[0], ASKED)


@pytest.mark.ledger("R-21", "R-18")
def test_guidance_gives_new_rounds_and_each_column_has_its_own() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        for _ in range(2):
            board.effort("ward", "failed")
            board.effort("spiritmender", "done")
        board.effort("ward", "done")
        board.effort("siegemaster", "done")
        for _ in range(3):
            board.effort("ward", "failed")
            assert board.place(item) == ("mend", "ready")
            board.effort("spiritmender", "done")
        board.effort("ward", "failed")
        board.answer(board.inbox()[0], "1")
        assert board.place(item) == ("mend", "ready")
        board.effort("spiritmender", "done")
        assert board.place(item) == ("siege", "proving"), "mended by a person's word, it is proved again all the same"
        board.effort("ward", "failed")
        assert board.place(item) == ("mend", "ready")


@pytest.mark.ledger("R-21", "R-22", "R-16")
def test_a_person_may_accept_what_is_red_and_then_it_goes_on_unproven() -> None:
    with SoundBoard(limited(QUEST, feedback_rounds=1)) as board:
        item = proving(board, "siege", "siegemaster")
        board.effort("ward", "failed", summary="red")
        board.effort("spiritmender", "done")
        board.effort("ward", "failed", summary="red")
        board.answer(board.inbox()[0], "accept it as it is")
        assert board.place(item) == ("done", "done"), "and the gate does not run again"
        assert board.item(item).evidence == "none" and not board.show(item)["evidence"][-1]["green"]


@pytest.mark.ledger("R-21", "R-05")
def test_a_red_gate_without_a_column_for_it_is_the_failed_attempt_of_the_checked_run() -> None:
    with SoundBoard(STRICT) as board:
        item = board.add()
        board.effort("d", "done", commit="one")
        board.effort("lint", "failed", summary="line too long")
        assert board.place(item) == ("dev", "ready")
        shown = board.show(item)
        assert shown["failure_count"] == 1 and shown["failure_history"][0]["agent"] == "d"
        assert "line too long" in shown["failure_history"][0]["reason"]
        assert shown["findings"][0]["issue"] == "line too long"


@pytest.mark.ledger("R-21", "K-09")
def test_red_gates_climb_the_ladder_of_the_agent_they_checked() -> None:
    with SoundBoard(LADDER) as board:
        item = board.add()
        models = []
        for number in range(2):
            claimed = board.claim("d")
            models.append(board.show(item)["runs"][-1]["model"])
            board.report(claimed, "done", commit=f"c{number}")
            board.effort("ward", "failed", summary=f"red {'ab'[number] * 9}", commit=f"c{number}")
        assert models == ["small", "large"] and board.place(item) == ("senior", "ready")
        board.effort("s", "done")
        assert board.place(item)[1] == "proving", "whoever helps passes that stage's gate (R-09)"
        board.effort("ward", "done")
        assert board.place(item) == ("done", "done")


@pytest.mark.ledger("R-21")
def test_gates_run_in_order_and_after_a_red_one_all_again() -> None:
    with SoundBoard(STRICT) as board:
        item = board.add()
        board.effort("d", "done")
        with pytest.raises(NothingToDo):
            board.claim("test")
        board.effort("lint", "done")
        assert board.place(item) == ("dev", "proving")
        board.effort("test", "failed", summary="red")
        board.effort("d", "done")
        with pytest.raises(NothingToDo):
            board.claim("test")
        board.effort("lint", "failed", summary="a long line")
        board.effort("d", "done")
        board.effort("lint", "done")
        assert [f["issue"] for f in board.show(item)["findings"]] == ["red"], "each gate takes back what it found"
        board.effort("test", "done")
        assert board.place(item) == ("look", "ready") and board.show(item)["findings"] == []


@pytest.mark.ledger("R-21", "R-07")
@pytest.mark.parametrize("cause", ["transient", "environment", "quota", "timeout"])
def test_a_passing_fault_of_a_gate_is_tried_again_three_times_and_is_nobodys_attempt(cause: str) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        for _ in range(2):
            board.effort("ward", "failed", cause=cause, summary="no network")
            assert board.place(item) == ("review", "proving")
            with pytest.raises(NothingToDo):
                board.claim("ward")
            board.sleep(60)
        board.effort("ward", "failed", cause=cause, summary="no network")
        assert board.place(item) == ("review", ASKED)
        assert board.show(item)["failure_count"] == 0 and board.item(item).span.reds == {}
        board.answer(board.inbox()[0], "1: the network is back")
        assert board.place(item) == ("review", "proving"), "an answer restores the state before the question"
        board.effort("ward", "done")
        assert board.place(item) == ("siege", "ready")


@pytest.mark.ledger("R-21", "R-29")
def test_a_gate_that_never_reports_is_rescued_and_asks_at_last() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        for _ in range(3):
            board.crash(board.claim("ward"))
        assert board.place(item) == ("review", ASKED)
        assert board.show(item)["failure_count"] == 0


@pytest.mark.ledger("R-21", "R-32")
@pytest.mark.parametrize("outcome", ["asks", "stuck", "disputed", "split", "incomplete", "delegates"])
def test_a_gate_that_says_neither_proves_nothing(outcome: str) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", outcome)
        assert board.place(item) == ("review", "proving")
        board.effort("ward", outcome)
        assert board.place(item) == ("review", ASKED) and board.item(item).proofs == []


@pytest.mark.ledger("R-21", "R-13", "R-15")
def test_what_a_reviewer_asked_for_is_not_forgotten_over_a_red_gate() -> None:
    flow = small_flow("""
columns:
  dev: {agents: [d], next: look, gate: [ward], on_red: mend}
  look: {agents: [r], next: done, fix: dev}
  mend: {agents: [m], kind: backflow}
agents: {d: {}, r: {write: none}, m: {}}
gates: {ward: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item = board.add()
        board.effort("d", "done")
        board.effort("ward", "done")
        board.effort("r", "changes_requested", findings=[{"file": "a.py", "line": 3, "issue": "no check"}])
        board.effort("d", "done", files={"modified": ["b.py"]})
        board.effort("ward", "failed", summary="red")
        assert {f["issue"] for f in board.show(item)["findings"]} == {"no check", "red"}
        board.effort("m", "done", files={"modified": ["c.py"]})
        board.effort("ward", "done")
        assert board.place(item) == ("look", "ready")
        assert [f["issue"] for f in board.show(item)["findings"]] == ["no check"]
        board.effort("r", "changes_requested", findings=[{"file": "a.py", "line": 3, "issue": "still no check"}])
        assert board.place(item) == ("dev", "ready"), "it repeats an open finding: that is in scope"


@pytest.mark.ledger("R-16", "R-21")
@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("then", [commands.MoveItem(column="siege"), commands.CancelItem()])
def test_move_and_cancel_end_the_gate(live: bool, then: commands.Command) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        run = board.claim("ward") if live else None
        board.on(item, then)
        assert board.item(item).proving is None or board.item(item).status == "cancelled"
        if run is not None:
            with pytest.raises(Refused) as caught:
                board.report(run, "done")
            assert caught.value.code == "stale_claim"
        with pytest.raises(NothingToDo):
            board.claim("ward")


@pytest.mark.ledger("R-16", "R-21")
def test_what_a_person_moves_back_into_the_column_is_worked_on_before_it_is_proved() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.on(item, commands.MoveItem(column="review"))
        assert board.place(item) == ("review", "ready")


@pytest.mark.ledger("R-21", "R-16")
def test_a_cancelled_item_that_was_proving_is_reopened_as_work() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.on(item, commands.CancelItem())
        board.on(item, commands.ReopenItem())
        assert board.place(item) == ("review", "ready")


@pytest.mark.ledger("R-21", "R-09")
def test_a_mender_at_its_end_asks_and_the_answer_leads_back_to_the_ward() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", "failed", summary="red")
        for way in ("one thing", "quite another matter", "a third approach"):
            board.effort("spiritmender", "failed", attempts=[{"approach": way}])
        assert board.place(item) == ("mend", ASKED)
        board.answer(board.inbox()[0], "try again, and look at the logs")
        assert board.place(item) == ("mend", "ready")
        board.effort("spiritmender", "done")
        assert board.place(item) == ("review", "proving")


@pytest.mark.ledger("R-16", "R-21")
def test_an_answer_may_send_what_is_in_mend_elsewhere_and_past_the_ward() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", "failed", summary="red")
        board.effort("spiritmender", "asks", question={"question": "why?"})
        board.answer(board.inbox()[0], "start over", to="discover")
        assert board.place(item) == ("discover", "ready") and board.item(item).proving is None
        board.effort("pathseeker", "done")
        assert board.place(item) == ("weave", "ready")


def without_ward(gates: str = "") -> Flow:
    return small_flow(f"""
start: review
columns:
  review: {{agents: [lawbringer], next: siege{gates}}}
  siege: {{agents: [siegemaster], next: done}}
  mend: {{agents: [spiritmender], kind: backflow}}
agents: {{lawbringer: {{}}, siegemaster: {{}}, spiritmender: {{}}}}
{"gates: {other: {run: ['true']}}" if gates else ""}
""")


@pytest.mark.ledger("R-30", "R-03", "R-21")
@pytest.mark.parametrize("gates", ["", ", gate: [other]"])
@pytest.mark.parametrize("live", [True, False])
def test_a_flow_without_the_gate_that_an_item_must_pass_is_refused(live: bool, gates: str) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        run = board.claim("ward") if live else None
        board.adopt(limited(QUEST, slots=9))
        with pytest.raises(Refused) as caught:
            board.adopt(without_ward(gates))
        assert caught.value.code == "gate_in_use"
        board.report(run or board.claim("ward"), "done")
        assert board.place(item) == ("siege", "ready")
        board.adopt(without_ward(gates))


@pytest.mark.ledger("R-30", "R-21")
def test_an_item_in_mend_still_comes_back_to_its_ward_under_a_changed_flow() -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", "failed", summary="red")
        with pytest.raises(Refused):
            board.adopt(without_ward())
        board.adopt(limited(QUEST, slots=9))
        board.effort("spiritmender", "done")
        assert board.place(item) == ("review", "proving")


@pytest.mark.ledger("R-33", "R-21")
def test_runs_of_gates_blow_the_fuse_too() -> None:
    with SoundBoard(limited(QUEST, runs=4, feedback_rounds=50)) as board:
        item = proving(board)
        said: list[tuple[str, str, dict[str, Any]]] = [("ward", "failed", {}), ("spiritmender", "done", {})]
        for agent, outcome, parts in said:
            board.effort(agent, outcome, **parts)
        board.effort("ward", "failed")
        assert board.place(item)[1] == ASKED
        assert "4 runs" in board.queries.inbox()["questions"][0]["question"]


@pytest.mark.ledger("R-21")
def test_a_gate_cannot_be_asked_for_in_a_column_it_does_not_guard() -> None:
    with SoundBoard(QUEST) as board:
        proving(board)
        with pytest.raises(Invalid) as caught:
            board.claim("ward", column="discover")
        assert caught.value.code == "not_watched"
        assert board.claim("ward", column="review")


@pytest.mark.ledger("R-12", "R-21")
def test_a_dispute_that_is_accepted_goes_forward_through_the_gate_of_the_makers_stage() -> None:
    with SoundBoard(QUEST) as board:
        item = board.add(column="siege")
        board.effort("siegemaster", "disputed", comments=[{"content": "untestable"}])
        assert board.place(item) == ("review", "ready")
        board.effort("lawbringer", "done", comments=[{"content": "yes", "parent": "c001", "resolution": "accepted"}])
        assert board.place(item) == ("review", "proving")
        board.effort("ward", "done")
        assert board.place(item) == ("siege", "ready")


@pytest.mark.ledger("R-21", "R-22", "R-13")
def test_a_red_gate_that_sends_work_to_a_stage_gets_it_back_also_while_changes_are_asked_for() -> None:
    flow = small_flow("""
columns: {draft: {agents: [a], next: build}, build: {agents: [b], next: check, gate: [suite], on_red: draft},
          check: {agents: [c], next: done, fix: build}}
agents: {a: {}, b: {}, c: {write: none}}
gates: {suite: {run: ["true"]}}
""")
    with SoundBoard(flow) as board:
        item = board.add(column="build")
        board.effort("b", "done")
        board.effort("suite", "done")
        board.effort("c", "changes_requested", findings=[{"issue": "no header row"}])
        board.effort("b", "done")
        board.effort("suite", "failed", summary="red")
        assert board.place(item) == ("draft", "ready")
        board.effort("a", "done")
        assert board.place(item) == ("build", "proving"), "not past the gate to whoever asked"
        board.effort("suite", "done")
        assert board.place(item) == ("check", "ready")


@pytest.mark.ledger("R-21", "R-22")
@pytest.mark.parametrize(("severity", "green"), [("critical", False), ("high", False), ("medium", True), ("low", True)])
def test_a_gate_that_says_done_beside_a_grave_finding_is_red_and_a_lesser_one_is_a_remark(
    severity: str, green: bool
) -> None:
    with SoundBoard(QUEST) as board:
        item = proving(board)
        board.effort("ward", "done", summary="ward ran", findings=[{"severity": severity, "issue": "2 tests fail"}])
        assert board.place(item)[0] == ("siege" if green else "mend")
        (found,) = board.item(item).findings
        assert (found.issue, found.found_by, found.remark) == ("2 tests fail", ["ward"], green)
        next_one = "siegemaster" if green else "spiritmender"
        brief = board.engine.claim(commands.Actor("alice"), next_one)["brief"]
        assert "2 tests fail" in str(brief)
