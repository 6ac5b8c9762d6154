"""Why a run failed decides what happens (R-07), and what bounds it (R-05, R-33)."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.core.item import Item
from folkmoot.core.report import Report
from folkmoot.errors import Refused
from folkmoot.testing.builders import Story, limited, preset_flow

KANBAN = preset_flow()
ASKED = "awaiting-divine-guidance"


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(
    ("cause", "parts", "place", "counted"),
    [
        (None, {}, ("dev", "ready"), 1),
        ("capability", {}, ("dev", "ready"), 1),
        ("transient", {}, ("dev", "ready"), 0),
        ("environment", {}, ("dev", "ready"), 0),
        ("quota", {}, ("dev", "ready"), 0),
        ("timeout", {}, ("dev", "ready"), 0),
        ("protocol", {}, ("dev", "ready"), 0),
        ("requirement", {}, ("dev", ASKED), 0),
        ("requirement", {"reason": "story"}, ("blocked-needs-story-clarification", "ready"), 0),
        ("requirement", {"reason": "concurrency"}, ("dev", ASKED), 0),
        ("size", {}, ("dev", ASKED), 0),
        ("conflict", {}, ("dev", "ready"), 0),
    ],
)
def test_the_first_failure_of_each_cause(
    cause: str | None, parts: dict[str, Any], place: tuple[str, str], counted: int
) -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", cause=cause, **parts)
    assert story.place == place
    assert story.it.failure_count == counted


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("cause", ["transient", "environment", "quota"])
def test_a_passing_fault_is_tried_three_times_with_growing_pauses_and_then_asked_about(cause: str) -> None:
    story = Story(KANBAN, "dev")
    pauses = []
    for _ in range(2):
        story.effort("failed", cause=cause)
        pauses.append(story.it.wake_at - story.now)
    assert pauses[0] > 0 and pauses[1] == 2 * pauses[0]
    story.effort("failed", cause=cause)
    assert story.it.status == ASKED and story.it.failure_count == 0


@pytest.mark.ledger("R-07")
def test_nobody_can_claim_during_the_pause() -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", cause="transient")
    story.now = story.it.wake_at - 0.001
    with pytest.raises(Refused):
        story.do(commands.ClaimItem(agent="dev-agent", lease=60))
    story.now = story.it.wake_at
    story.do(commands.ClaimItem(agent="dev-agent", lease=60))


@pytest.mark.ledger("R-07")
def test_the_second_timeout_is_a_failure() -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", cause="timeout")
    story.effort("failed", cause="timeout")
    assert story.it.failure_count == 1 and story.attempts[0].cause == "timeout"


@pytest.mark.ledger("R-07", "R-32")
def test_a_protocol_fault_gets_one_more_run_that_is_told_and_then_counts() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(2):
        actor = story.claim()
        report = commands.ReportRun(report=Report.failed("broken"), fault="the JSON ends too early")
        story.do(report, actor)
        assert story.it.told == "the JSON ends too early"
    assert story.it.failure_count == 1
    assert [run.cause for run in story.rows["runs"].values()] == ["protocol", "protocol"]


@pytest.mark.ledger("R-07")
def test_what_was_wrong_is_told_to_the_next_run_only() -> None:
    story = Story(KANBAN, "dev")
    story.do(commands.ReportRun(report=Report.failed("x"), fault="broken"), story.claim())
    assert story.it.told == "broken"
    story.effort("failed", summary="a report in good form")
    assert story.it.told is None


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("delegates", {}),
        ("split", {}),
        ("asks", {}),
        ("disputed", {}),
        ("disputed", {"comments": [{"content": "  "}]}),
        ("disputed", {"comments": [{"content": "x", "parent": "c099"}]}),
        ("done", {"comments": [{"content": "x", "resolution": "accepted"}]}),
    ],
)
def test_what_an_agent_may_not_say_is_a_protocol_fault(outcome: str, parts: dict[str, Any]) -> None:
    story = Story(KANBAN, "dev")
    story.effort(outcome, **parts)
    assert story.place == ("dev", "ready")
    assert story.it.effort.protocol_faults == 1 and story.it.told


@pytest.mark.ledger("R-07")
def test_a_conflict_is_tried_twice_again_and_then_asked_about() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(2):
        story.effort("failed", cause="conflict")
        assert story.place == ("dev", "ready")
    story.effort("failed", cause="conflict")
    assert story.it.status == ASKED and story.open_questions[0].kind == "conflict"


@pytest.mark.ledger("R-07")
def test_a_third_release_in_a_row_is_a_passing_fault() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(3):
        assert story.it.effort.executions == 0
        story.do(commands.ReleaseRun(), story.claim())
    assert story.it.effort.executions == 1 and story.it.wake_at > story.now


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("between", ["lapse", "report"])
def test_releases_with_a_run_in_between_are_not_in_a_row(between: str) -> None:
    story = Story(KANBAN, "dev")
    for _ in range(2):
        story.do(commands.ReleaseRun(), story.claim())
    if between == "lapse":
        story.claim()
        story.do(commands.LapseRun())
    else:
        story.effort("incomplete")
    executions = story.it.effort.executions
    story.do(commands.ReleaseRun(), story.claim())
    assert story.it.effort.executions == executions, "one release after a real run is no fault"


@pytest.mark.ledger("R-07")
def test_three_incomplete_runs_ask() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(2):
        story.effort("incomplete")
        assert story.place == ("dev", "ready")
    story.effort("incomplete")
    assert story.it.status == ASKED


@pytest.mark.ledger("R-05")
@pytest.mark.parametrize("ends", ["an attempt is counted", "the item leaves the column"])
def test_an_effort_ends_only_when_an_attempt_counts_or_the_item_leaves(ends: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", cause="transient")
    story.effort("failed", cause="timeout")
    story.do(commands.ReportRun(report=Report.failed("x"), fault="broken"), story.claim())
    effort = story.it.effort
    assert (effort.executions, effort.timeouts, effort.protocol_faults) == (2, 1, 1)
    if ends == "an attempt is counted":
        story.effort("failed")
    else:
        story.effort("stuck", reason="concurrency")
    assert story.it.effort == type(effort)()


@pytest.mark.ledger("R-10")
@pytest.mark.parametrize("outcome", ["failed", "incomplete", "changes_requested", "done"])
def test_every_stated_security_concern_reaches_a_person(outcome: str) -> None:
    story = Story(KANBAN, "review")
    story.effort(outcome, reason="security", summary="the token is logged")
    assert story.it.status == ASKED
    assert "the token is logged" in story.open_questions[0].question + story.open_questions[0].context


@pytest.mark.ledger("R-10", "K-11")
def test_stuck_for_security_goes_to_its_column() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="security")
    assert story.place == ("needs-security-review", "ready")


@pytest.mark.ledger("R-10")
@pytest.mark.parametrize("outcome", ["done", "changes_requested", "failed", "incomplete", "stuck"])
def test_a_critical_security_finding_reaches_a_person_whatever_the_outcome(outcome: str) -> None:
    story = Story(KANBAN, "review")
    story.effort(outcome, findings=[{"kind": "security", "severity": "critical", "issue": "SQL injection"}])
    assert story.it.status == ASKED and "SQL injection" in story.open_questions[0].question
    assert [o.option for o in story.open_questions[0].options][-1] == "abort"


@pytest.mark.ledger("R-10")
def test_a_critical_security_finding_in_a_faulty_report_reaches_a_person() -> None:
    story = Story(KANBAN, "review")
    found = [{"kind": "security", "severity": "critical", "issue": "SQL injection"}]
    story.effort("done", findings=found, comments=[{"content": "ok", "resolution": "accepted"}])
    assert story.it.status == ASKED


@pytest.mark.ledger("R-33")
def test_the_fuse_asks_before_the_next_run() -> None:
    story = Story(limited(KANBAN, runs=5), "stories")
    for _ in range(5):
        assert story.it.status == "ready"
        story.effort("done")
    assert story.place == ("qa", ASKED) and story.open_questions[0].kind == "budget"
    assert story.it.span.runs == 5
    story.answer("q1", "go on")
    assert story.place == ("qa", "ready") and story.it.span.runs == 0


@pytest.mark.ledger("R-33")
@pytest.mark.parametrize(("generation", "status"), [(0, "ready"), (2, "ready"), (3, "parked")])
def test_the_fourth_generation_is_added_parked_with_a_question(generation: int, status: str) -> None:
    story = Story(KANBAN)
    story.maker = Item(id="7", title="A maker", column="dev", status="running", generation=generation)
    story.do(commands.AddItem(title="made by a run"), commands.Actor("dev-agent", "r9", 4))
    assert story.it.generation == generation + 1
    assert story.it.status == status
    assert len(story.open_questions) == (status == "parked")


@pytest.mark.parametrize(
    "words", ["done: validation; left: storage", "Passed the unit tests, then it broke", "pending"]
)
def test_a_failure_whose_summary_begins_with_a_success_counts_as_one(words: str) -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", summary=words)
    assert story.it.failure_count == 1
