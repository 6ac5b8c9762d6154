"""Done is a claim until shown (R-22): beside high findings or failed tests a checker's done asks for changes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.enums import SEVERITIES
from folkmoot.core.flow import Column
from folkmoot.core.report import Finding, Tests
from folkmoot.core.rules.sharing.findings import GRAVE, against_done, identity, merged
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow

PIPELINE, KANBAN, HANDOFF, QUEST = (preset_flow(name) for name in ("pipeline", "kanban", "handoff", "quest"))
RED = {"total": 10, "passed": 8, "failed": 2}
GREEN = {"total": 10, "passed": 10, "failed": 0}


def found(severity: str, **more: Any) -> dict[str, Any]:
    return {"severity": severity, "file": "a.py", "line": 4, "issue": f"a {severity} thing", **more}


WEIGHED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "done"),
    "green tests": ({"tests": GREEN}, "done"),
    "a low remark": ({"findings": [found("low")]}, "done"),
    "a medium remark": ({"findings": [found("medium")], "tests": GREEN}, "done"),
    "a high finding": ({"findings": [found("low"), found("high")]}, "changes_requested"),
    "a critical finding": ({"findings": [found("critical")]}, "changes_requested"),
    "failed tests": ({"tests": RED}, "changes_requested"),
    "failed tests and a low remark": ({"tests": RED, "findings": [found("low")]}, "changes_requested"),
    "a test that failed": ({"findings": [found("medium", kind="test", test="TestX")]}, "changes_requested"),
    "a test of little weight": ({"findings": [found("low", kind="test", test="TestX")]}, "done"),
}
# Who checks in which flow, where it goes from there, and who fixes.
CHECKERS = {
    "pipeline test": (PIPELINE, "test", "test-executor", "done", "implement"),
    "kanban review": (KANBAN, "review", "review-agent", "qa", "dev"),
    "kanban qa": (KANBAN, "qa", "qa-agent", "done", "dev"),
    "handoff review": (HANDOFF, "review", "reviewer", "done", "fix"),
    "quest siege": (QUEST, "siege", "siegemaster", "siege", "mend"),
    "quest review": (QUEST, "review", "lawbringer", "review", "mend"),
}


@pytest.mark.ledger("R-22", "R-13")
@pytest.mark.parametrize("checker", CHECKERS.values(), ids=CHECKERS.keys())
@pytest.mark.parametrize(("beside", "verdict"), WEIGHED.values(), ids=WEIGHED.keys())
def test_what_stands_beside_done_decides_what_it_means(checker: Any, beside: dict[str, Any], verdict: str) -> None:
    flow, column, agent, forward, fix = checker
    with SoundBoard(flow) as board:
        item = board.add("It", column=column)
        view = board.effort(agent, "done", summary="all fine", **beside)
        assert view["runs"][-1]["outcome"] == verdict
        critical = any(finding["severity"] == "critical" for finding in beside.get("findings", []))
        asked = critical and flow.questions.critical
        assert (view["status"] == "awaiting-divine-guidance") == asked, "where the flow says so a person decides (P-07)"
        if asked:
            view = board.answer(board.inbox()[0], "fix it")
        assert view["column"] == (forward if verdict == "done" else fix)
        if verdict != "done" and not asked:
            assert "though it says done" in view["why"] and "all fine" in view["why"]
            assert board.log(item)[-1]["event"] != "phase_completed"
            completed = next(event for event in board.log(item) if event["event"] == "agent_completed")
            assert completed["context"]["said"] == "done"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(("beside", "verdict"), WEIGHED.values(), ids=WEIGHED.keys())
def test_whoever_makes_the_work_is_taken_at_its_word(beside: dict[str, Any], verdict: str) -> None:
    """What it calls critical a person sees first (P-07)."""
    with SoundBoard(KANBAN) as board:
        board.add("It", column="dev")
        view = board.effort("dev-agent", "done", **beside)
        critical = any(finding["severity"] == "critical" for finding in beside.get("findings", []))
        assert (view["status"] == "awaiting-divine-guidance") == critical
        if critical:
            view = board.answer(board.inbox()[0], "accept the risk and go on")
        assert (view["runs"][-1]["outcome"], view["column"]) == ("done", "review")
        assert all(finding["remark"] for finding in view["findings"])


@pytest.mark.ledger("R-22", "R-14")
@pytest.mark.parametrize(("beside", "verdict"), WEIGHED.values(), ids=WEIGHED.keys())
def test_a_part_of_a_group_is_weighed_as_well(beside: dict[str, Any], verdict: str) -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "done", **beside)
        board.effort("devils-advocate", "done")
        for question in board.inbox():
            board.answer(question, "fix it")
        assert board.place(item)[0] == ("test" if verdict == "done" else "implement")


@pytest.mark.ledger("R-22", "R-09")
@pytest.mark.parametrize("column", ["needs-senior-dev", "blocked"])
@pytest.mark.parametrize(("beside", "verdict"), WEIGHED.values(), ids=WEIGHED.keys())
def test_who_helps_a_checking_stage_out_is_weighed_as_that_stage(
    column: str, beside: dict[str, Any], verdict: str
) -> None:
    """In an escalation column, or in one column for all that is stuck, where a tag says who acts (K-13)."""
    senior = replace(KANBAN.columns["needs-senior-dev"], tags=["unknown"] if column == "blocked" else [])
    columns = {**KANBAN.columns, "needs-senior-dev": senior, "blocked": Column(name="blocked", kind="backflow")}
    flow = replace(KANBAN, columns=columns, reasons={**KANBAN.reasons, "unknown": column})
    with SoundBoard(flow) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "stuck", reason="unknown", blockers="too deep")
        assert board.place(item)[0] == column
        view = board.effort("senior-dev-agent", "done", **beside)
        assert view["runs"][-1]["outcome"] == verdict
        assert view["column"] == ("qa" if verdict == "done" else "dev")
        if verdict != "done":
            assert board.item(item).returns_to == "review"


@pytest.mark.ledger("R-22", "R-08")
def test_an_expert_looks_and_gives_no_verdict() -> None:
    agents = {**KANBAN.agents, "oracle": replace(KANBAN.agents["dev-agent"], expert=True, write="none", experts=[])}
    agents["review-agent"] = replace(agents["review-agent"], experts=["oracle"], may=["ask", "delegate"])
    with SoundBoard(replace(KANBAN, agents=agents)) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "delegates", delegate=[{"to": "oracle", "task": "Is it safe?"}])
        board.effort("oracle", "done", summary="no", findings=[found("high")])
        assert [output.outcome for output in board.item(item).outputs.values()] == ["done"]


@pytest.mark.ledger("R-21", "R-22")
def test_a_gate_that_counts_failed_tests_is_red() -> None:
    with SoundBoard(QUEST) as board:
        board.add("It", column="siege")
        board.effort("siegemaster", "done")
        view = board.effort("ward", "done", tests=RED)
        assert view["column"] == "mend" and view["evidence"][-1]["green"] is False


@pytest.mark.ledger("R-22")
def test_a_done_that_would_be_refused_is_not_let_through_as_another_verdict() -> None:
    with SoundBoard(KANBAN) as board:
        board.add("It", column="review")
        board.effort("review-agent", "done", artifacts=[{"name": "review.md"}])
        board.effort("qa-agent", "disputed", comments=[{"content": "no", "artifact": "review.md"}])
        view = board.effort("review-agent", "done", findings=[found("high")])
        assert view["runs"][-1]["cause"] == "protocol" and "leaves open" in view["told"]


@pytest.mark.ledger("R-13", "R-22")
def test_a_remark_is_shown_and_nobody_is_told_that_it_must_change() -> None:
    with SoundBoard(KANBAN) as board:
        item = board.add("It", column="review")
        board.effort("review-agent", "done", findings=[found("low"), {**found("medium"), "line": 9}])
        assert [(one["severity"], one["remark"]) for one in board.show(item)["findings"]] == [
            ("low", True),
            ("medium", True),
        ]
        brief = board.engine.claim(PERSON, "qa-agent")["brief"]
        assert brief["findings"] == [] and [one["severity"] for one in brief["remarks"]] == ["low", "medium"]


@pytest.mark.ledger("R-13", "R-15")
def test_a_fixer_who_remarks_something_does_not_hide_what_was_asked_for() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "changes_requested", findings=[found("high")])
        board.effort("fixer", "done", findings=[found("low"), {**found("low"), "file": "b.py"}])
        assert [(f.file, f.severity, f.remark) for f in board.item(item).findings] == [
            ("a.py", "high", False),
            ("b.py", "low", True),
        ]
        board.effort("reviewer", "done")
        assert board.item(item).findings == []


@pytest.mark.ledger("R-14")
def test_what_one_lets_pass_and_another_wants_changed() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "done", findings=[found("low", issue="a name", line=1), found("low", line=4)])
        board.effort("devils-advocate", "changes_requested", findings=[found("medium", line=4)])
        assert board.place(item) == ("implement", "ready")
        assert {f.line: f.remark for f in board.item(item).findings} == {1: True, 4: False}


@pytest.mark.ledger("R-14", "P-05")
def test_the_findings_of_an_earlier_round_go_when_the_group_approves() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "changes_requested", findings=[found("high")])
        board.effort("devils-advocate", "done")
        board.effort("implementer", "done")
        board.effort("reviewer", "done")
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("test", "ready") and board.item(item).findings == []


@pytest.mark.ledger("R-14", "P-05")
def test_two_recommendations_about_one_place_are_both_kept() -> None:
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "changes_requested", findings=[found("high", recommendation="Check for null")])
        board.effort("devils-advocate", "changes_requested", findings=[found("high", recommendation="Use a type")])
        (one,) = board.item(item).findings
        assert one.recommendation == "Check for null\nUse a type" and one.found_by == ["reviewer", "devils-advocate"]
        told = board.engine.claim(PERSON, "implementer")["brief"]["findings"]
        assert told[0]["recommendation"] == one.recommendation


@pytest.mark.ledger("R-14", "R-10")
def test_a_risk_that_was_taken_leaves_the_word_of_the_part() -> None:
    """It said done beside a critical finding and a remark: without the finding its word is done again."""
    with SoundBoard(PIPELINE) as board:
        item = board.add("It", column="review")
        board.effort("reviewer", "done", findings=[found("critical"), {**found("low"), "line": 9}])
        board.answer(board.inbox()[0], "accept the risk and go on")
        board.effort("devils-advocate", "done")
        assert board.place(item) == ("test", "ready")


findings = st.builds(
    Finding,
    kind=st.sampled_from(["review", "test", "security"]),
    severity=st.sampled_from(SEVERITIES),
    issue=st.sampled_from(["a", "b"]),
    file=st.sampled_from(["a.py", "b.py", None]),
    line=st.sampled_from([1, 2, None]),
    recommendation=st.sampled_from(["x", "y", "z", None]),
    remark=st.booleans(),
)


@pytest.mark.ledger("R-22")
@given(st.lists(findings), st.integers(0, 5))
def test_nothing_grave_passes_and_nothing_light_is_held_up(said: list[Finding], failed: int) -> None:
    against = against_done(said, Tests(total=5, passed=5 - failed, failed=failed))
    assert (against is not None) == (failed > 0 or any(finding.severity in GRAVE for finding in said))


@pytest.mark.ledger("R-14")
@given(st.lists(findings))
def test_one_list_loses_no_word_and_no_demand(said: list[Finding]) -> None:
    one = merged(("somebody", finding) for finding in said)
    assert len({(identity(finding), finding.issue) for finding in one}) == len(one), "each stands there once"
    for finding in said:
        (kept,) = (f for f in one if identity(f)[1:] == identity(finding)[1:] and f.issue == finding.issue)
        assert finding.recommendation is None or finding.recommendation in (kept.recommendation or "").split("\n")
        assert finding.remark or not kept.remark
    assert merged(("somebody", finding) for finding in one) == one
