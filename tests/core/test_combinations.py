"""Rules that meet: dispute, escalation, question, danger, limit, deadline, reopening."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.testing.builders import Story, TrialBoard, limited, line_flow, preset_flow, report

KANBAN = preset_flow()
ASKED = "awaiting-divine-guidance"
ENGINE = Actor("folkmoot")
CRITICAL = {"kind": "security", "severity": "critical", "issue": "SQL injection"}


def disputed() -> Story:
    story = Story(KANBAN, "tests")
    story.effort("done", artifacts=[{"name": "t.md"}])
    story.effort("disputed", comments=[{"artifact": "t.md", "content": "wrong"}])
    return story


@pytest.mark.ledger("R-07", "R-12")
def test_a_report_that_disputes_and_resolves_the_same_thread_is_a_protocol_fault() -> None:
    story = disputed()
    both = [
        {"parent": "c001", "content": "No."},
        {"parent": "c001", "content": "Well, yes.", "resolution": "accepted"},
    ]
    story.effort("disputed", comments=both)
    assert story.place == ("tests", "ready") and story.it.effort.protocol_faults == 1
    assert [dispute.thread for dispute in story.it.disputes] == ["c001"]


@pytest.mark.ledger("R-07", "R-12", "R-27")
@pytest.mark.parametrize(
    ("comments", "column", "faults"), [([], "tests", 1), ([{"parent": "c001", "content": "No."}], "dev", 0)]
)
def test_a_run_that_resolved_a_thread_disputes_it_only_by_a_later_reply(
    comments: list[dict[str, str]], column: str, faults: int
) -> None:
    """A resolution takes effect with the report: until then the run can say otherwise, and must say it."""
    story = disputed()
    actor = story.claim()
    story.do(commands.AddComment(content="Yes.", parent="c001", resolution="accepted"), actor)
    story.do(commands.ReportRun(report=report("disputed", comments=comments), final=True), actor)
    assert story.place == (column, "ready") and story.it.effort.protocol_faults == faults
    assert [dispute.thread for dispute in story.it.disputes] == ["c001"]


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize(
    ("made_in", "reason", "column"),
    [("tests", "tests", "blocked-needs-test-review"), ("arch", "architecture", "needs-arch-clarification")],
)
def test_ones_own_artifact_disputed_from_another_column_goes_to_a_person(
    made_in: str, reason: str, column: str
) -> None:
    story = Story(KANBAN, made_in)
    story.effort("done", artifacts=[{"name": "mine.md"}])
    while story.it.column != "dev":
        story.effort("done")
    story.effort("stuck", reason=reason)
    assert story.it.column == column and KANBAN.watcher(column) == story.it.artifacts["mine.md"].agent
    story.effort("disputed", comments=[{"artifact": "mine.md", "content": "I was wrong"}])
    assert story.place == (column, "needs-human-review"), "nobody disputes with itself"


@pytest.mark.ledger("R-10")
def test_who_fixes_a_critical_finding_is_told_of_it() -> None:
    story = Story(KANBAN, "dev")
    story.effort("done")
    story.effort("changes_requested", findings=[CRITICAL], comments=[{"content": "see line 4"}])
    story.answer("q1", "fix it")
    assert story.place == ("dev", "ready")
    assert [finding.issue for finding in story.it.findings] == ["SQL injection"]
    assert [comment.content for comment in story.comments] == ["see line 4"], "a run's comments are not lost"


@pytest.mark.ledger("R-10", "R-16")
def test_work_whose_risk_a_person_accepted_was_made_by_its_stage() -> None:
    story = Story(KANBAN, "dev")
    story.effort("done", findings=[CRITICAL])
    story.answer("q1", "accept the risk and go on")
    assert story.place == ("review", "ready")
    story.effort("done")
    story.effort("done")
    story.neighbours = {story.it.id: story.neighbour()}
    story.do(commands.ReopenItem())
    assert story.place == ("dev", "ready"), "reopen goes to the stage that made the work"


@pytest.mark.ledger("R-16", "R-18")
@pytest.mark.parametrize("default", [None, "blue"])
def test_a_deadline_does_not_bring_back_what_is_done(default: str | None) -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add(column="qa")
        question = {"question": "which colour?", "blocking": False, "default": default}
        board.effort("qa-agent", "asks", question=question)
        board.effort("qa-agent", "done")
        board.sleep(61)
        assert board.show(item)["status"] == "done"
        board.add("anything at all")
        assert board.show(item)["status"] == "done" and board.wrong() == []


@pytest.mark.ledger("R-03", "R-18")
def test_a_finished_item_whose_cancelled_child_is_asked_about_is_parked_at_the_deadline() -> None:
    with TrialBoard(limited(KANBAN, deadline=60)) as board:
        item = board.add("parent", column="qa")
        actor = board.claim("qa-agent")
        board.on(board.add("child", column="dev", parent=item), commands.CancelItem())
        board.report(actor, "done")
        board.sleep(61)
        board.add("anything at all")
        assert (board.show(item)["column"], board.show(item)["status"]) == ("done", "parked")
        assert board.wrong() == []


@pytest.mark.ledger("R-03", "R-16")
def test_an_item_about_which_a_person_is_asked_is_not_done() -> None:
    with TrialBoard() as board:
        item = board.add("parent", column="qa")
        actor = board.claim("qa-agent")
        child = board.add("child", column="dev", parent=item)
        board.on(child, commands.CancelItem())
        assert board.inbox() == ["q1"]
        board.report(actor, "done")
        assert board.show(item)["status"] == ASKED, "the blocking question whether to go on without it is still open"
        board.answer("q1", "go on without it")
        assert board.show(item)["status"] == "done"


@pytest.mark.ledger("R-16")
def test_reopening_answers_what_was_left_open() -> None:
    story = Story(KANBAN, "dev")
    story.effort("asks", question={"question": "which colour?", "blocking": False})
    for _ in range(3):
        story.effort("done")
    story.neighbours = {story.it.id: story.neighbour()}
    story.do(commands.ReopenItem())
    assert story.place == ("dev", "ready")
    assert story.open_questions == [], "a person's reopen answers, as a move does"


@pytest.mark.ledger("R-06", "R-11")
def test_overruling_does_not_make_a_seventh_attempt() -> None:
    with TrialBoard(line_flow("dev", attempts=2)) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "failed", attempts=[{"approach": letter * 9} for letter in "abc"])
        assert [a["counted"] for a in board.show(item)["failure_history"]] == [True, True, False]
        board.on(item, commands.EditItem(overrule=3))
        assert board.wrong() == []


@pytest.mark.ledger("R-18")
def test_a_deadline_parks_nothing_that_goes_on() -> None:
    story = Story(limited(KANBAN, deadline=60), "dev")
    story.effort("asks", question={"question": "which?", "blocking": False})
    story.do(commands.PassDeadline(question="q1"), ENGINE)
    assert story.place == ("dev", "ready") and len(story.open_questions) == 1
    assert "item_parked" not in story.names(), "the log tells of something that did not happen"


@pytest.mark.ledger("R-12", "R-17", "R-18")
def test_a_flagged_dispute_whose_deadline_passes_is_parked_and_still_decided_by_a_person() -> None:
    story = disputed()
    story.flow = limited(KANBAN, deadline=60, dispute_rounds=1)
    story.effort("disputed", comments=[{"parent": "c001", "content": "No."}])
    story.do(commands.PassDeadline(question="q1"), ENGINE)
    assert story.place == ("tests", "parked") and story.it.flag
    story.answer("q1", "2")
    assert story.place == ("dev", "ready") and story.it.disputes == [] and story.it.flag is None


@pytest.mark.ledger("R-09", "R-12")
def test_a_dispute_goes_on_with_the_senior_who_took_over_the_makers_side() -> None:
    story = disputed()
    story.effort("stuck", reason="unknown")
    assert story.place == ("needs-senior-dev", "ready")
    story.effort("disputed", comments=[{"parent": "c001", "content": "The senior says no."}])
    assert story.place == ("dev", "ready") and story.it.dispute is not None
    assert story.it.dispute.agents == ["dev-agent", "senior-dev-agent"]
    story.effort("done", comments=[{"parent": "c001", "content": "fine", "resolution": "rejected"}])
    assert story.place == ("review", "ready") and story.it.disputes == []


@pytest.mark.ledger("R-09", "R-12")
def test_a_spent_side_of_a_dispute_is_taken_over_by_its_senior() -> None:
    story = disputed()
    for letter in "abcd":
        story.effort("failed", attempts=[{"approach": letter * 9}])
    assert story.place == ("needs-senior-dev", "ready") and len(story.it.disputes) == 1
    story.effort("done", comments=[{"parent": "c001", "content": "fixed", "resolution": "accepted"}])
    assert story.place == ("dev", "ready") and story.it.disputes == []


@pytest.mark.ledger("R-12", "R-16")
def test_cancelling_ends_the_disputes_and_reopening_starts_without_them() -> None:
    story = disputed()
    story.do(commands.CancelItem())
    story.neighbours = {story.it.id: story.neighbour()}
    story.do(commands.ReopenItem())
    assert story.place == ("tests", "ready") and story.it.disputes == [] and story.it.span.disputes == 0
    story.effort("done")
    assert story.place == ("dev", "ready"), "no thread is left that a done would leave open"


@pytest.mark.ledger("R-05")
def test_a_counted_repeat_ends_the_effort_so_repeats_begin_again() -> None:
    story = Story(KANBAN, "dev")
    repeats = []
    for _ in range(5):
        story.effort("failed", attempts=[{"approach": "the same thing again"}])
        repeats.append(story.it.effort.repeats)
    assert repeats == [0, 1, 0, 1, 0]
    assert [attempt.counted for attempt in story.attempts] == [True, False, True, False, True]


@pytest.mark.ledger("R-16")
def test_a_fix_that_a_person_ordered_returns_to_whoever_asked() -> None:
    story = Story(KANBAN, "dev")
    story.effort("done")
    story.effort("done")
    for _ in range(2):
        story.effort("changes_requested", findings=[{"issue": "too slow"}])
        story.effort("done")
        assert story.place == ("qa", "ready")
    story.effort("changes_requested", findings=[{"issue": "still too slow"}])
    story.answer("q1", "fix it")
    assert story.place == ("dev", "ready")
    story.effort("done")
    assert story.place == ("qa", "ready"), "after the fix it returns to whoever asked, and only to them (R-13)"


@pytest.mark.ledger("R-09")
def test_a_person_is_told_which_bound_stopped_the_item() -> None:
    story = Story(KANBAN, "dev")
    for reason in ("concurrency", "performance", "security"):
        story.effort("stuck", reason=reason)
    assert "left dev 2 times" not in story.open_questions[0].question, "three are allowed: it was the depth of two"


@pytest.mark.ledger("R-16", "R-27")
def test_a_run_that_a_person_took_the_item_from_has_not_resolved_anything() -> None:
    story = disputed()
    actor = story.claim()
    story.do(commands.AddComment(content="Yes.", parent="c001", resolution="accepted"), actor)
    story.do(commands.LapseRun(), ENGINE)
    assert story.comments[0].status == "open" and len(story.it.disputes) == 1
    story.effort("done")
    assert story.it.effort.protocol_faults == 1, "what the lost run proposed is not the next one's word"
