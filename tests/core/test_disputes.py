"""Disputes: whose turn it is, where the item goes, how it ends (R-12, K-06, K-07)."""

import pytest

from folkmoot.core.commands import AddComment, CancelItem, MoveItem, ReopenItem, ReportRun
from folkmoot.testing.builders import Story, limited, preset_flow, report

KANBAN = preset_flow()
ARTIFACT = "tests/247-trading-tests.md"
DESIGN = "arch/247.md"
FLAG = "Agents disagree after 3 rounds - human decision needed"


def disputed_by_dev() -> Story:
    """The tests were made in `tests`, after the design in `arch`; the dev disputes the tests."""
    story = Story(KANBAN, "arch")
    story.effort("done", artifacts=[{"name": DESIGN}])
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    remark = {"artifact": ARTIFACT, "target": "test_trade_cancellation", "content": "Assumes sync; arch says async."}
    story.effort("disputed", comments=[remark])
    return story


def reply(story: Story, words: str = "No.") -> None:
    story.effort("disputed", comments=[{"parent": "c001", "content": words}])


def settle(story: Story, resolution: str) -> None:
    story.effort("done", comments=[{"parent": "c001", "content": "so be it", "resolution": resolution}])


@pytest.mark.ledger("K-06", "R-12")
def test_a_dispute_goes_back_to_the_stage_that_made_the_artifact() -> None:
    story = disputed_by_dev()
    assert story.place == ("tests", "ready")
    assert story.it.dispute is not None and story.it.dispute.agents == ["dev-agent"]
    assert story.it.dispute.rounds == 0 and story.it.failure_count == 0
    assert (story.comments[0].target, story.comments[0].status) == ("test_trade_cancellation", "open")


@pytest.mark.ledger("K-06", "R-12")
def test_the_maker_two_stages_back_is_found_by_its_artifact() -> None:
    story = Story(KANBAN, "arch")
    story.effort("done", artifacts=[{"name": "arch.md"}])
    story.effort("done")
    story.effort("disputed", comments=[{"artifact": "arch.md", "content": "This cannot work."}])
    assert story.it.column == "arch"


@pytest.mark.ledger("K-06", "R-12")
def test_an_unknown_artifact_goes_to_the_stage_before() -> None:
    story = Story(KANBAN, "dev")
    story.effort("disputed", comments=[{"artifact": "nobody's.md", "content": "wrong"}])
    assert story.it.column == "tests"


@pytest.mark.ledger("K-06", "R-12")
def test_what_a_third_stage_made_is_a_dispute_of_its_own_also_when_the_item_came_back() -> None:
    story = disputed_by_dev()
    assert story.it.column == "tests"
    story.effort("disputed", comments=[{"artifact": DESIGN, "content": "the design itself is wrong"}])
    assert story.place == ("arch", "ready"), "the test-architect does not dispute its own work, but the stage before"


@pytest.mark.ledger("K-06", "R-12")
def test_the_maker_agrees_and_the_item_flows_forward_from_there() -> None:
    story = disputed_by_dev()
    settle(story, "accepted")
    assert story.place == ("dev", "ready") and story.it.disputes == []
    assert (story.comments[0].status, story.comments[0].resolution) == ("resolved", "accepted")


@pytest.mark.ledger("K-06", "R-12")
def test_the_maker_disagrees_and_it_goes_back_to_the_disputer() -> None:
    story = disputed_by_dev()
    reply(story)
    assert story.place == ("dev", "ready")
    assert story.it.dispute is not None and story.it.dispute.rounds == 1


@pytest.mark.ledger("K-06", "R-12")
def test_the_disputer_gives_in_and_the_item_goes_on() -> None:
    story = disputed_by_dev()
    reply(story)
    settle(story, "rejected")
    assert story.place == ("review", "ready") and story.it.disputes == []
    assert story.comments[0].resolution == "rejected"


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize(("replies", "wrong"), [(0, "rejected"), (1, "accepted")])
def test_a_side_cannot_settle_it_in_the_other_sides_name(replies: int, wrong: str) -> None:
    story = disputed_by_dev()
    for _ in range(replies):
        reply(story)
    settle(story, wrong)
    assert len(story.it.disputes) == 1 and story.it.effort.protocol_faults == 1


@pytest.mark.ledger("R-07", "R-12")
def test_a_thread_left_open_by_done_is_a_protocol_fault() -> None:
    story = disputed_by_dev()
    story.effort("done")
    assert story.place == ("tests", "ready") and len(story.it.disputes) == 1
    assert story.it.told is not None and "c001" in story.it.told


@pytest.mark.ledger("R-12", "R-27")
def test_a_resolution_given_during_the_run_settles_it_with_the_report() -> None:
    story = disputed_by_dev()
    actor = story.claim()
    story.do(AddComment(content="fixed", parent="c001", resolution="accepted"), actor)
    assert story.comments[0].status == "open" and len(story.it.disputes) == 1
    story.do(ReportRun(report=report("done")), actor)
    assert story.place == ("dev", "ready") and story.comments[0].resolution == "accepted"


@pytest.mark.ledger("R-27")
def test_a_resolution_of_a_plain_thread_takes_effect_with_any_verdict() -> None:
    story = Story(KANBAN, "review")
    story.do(AddComment(content="please look at the error texts"))
    remark = {"parent": "c001", "content": "looked", "resolution": "accepted"}
    story.effort("changes_requested", comments=[remark], findings=[{"issue": "a typo"}])
    assert (story.comments[0].status, story.comments[0].resolution) == ("resolved", "accepted")


@pytest.mark.ledger("K-07", "R-12")
def test_after_three_rounds_it_is_flagged_in_place() -> None:
    story = disputed_by_dev()
    for _ in range(3):
        assert story.it.status == "ready"
        reply(story)
    assert story.place == ("tests", "needs-human-review")
    assert story.it.flag == FLAG
    assert story.it.dispute is not None and story.it.dispute.rounds == 3
    assert story.it.dispute.agents == ["dev-agent", "test-architect", "dev-agent", "test-architect"]
    assert [q.kind for q in story.open_questions] == ["dispute"]


@pytest.mark.ledger("K-07")
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_number_of_rounds_is_the_flows(rounds: int) -> None:
    story = disputed_by_dev()
    story.flow = limited(KANBAN, dispute_rounds=rounds)
    for _ in range(rounds):
        assert story.it.status == "ready"
        reply(story)
    assert story.it.status == "needs-human-review" and story.it.dispute and story.it.dispute.rounds == rounds


@pytest.mark.ledger("K-07", "R-12")
@pytest.mark.parametrize(
    ("answer", "to", "column", "resolution"),
    [
        ("Dev-agent is right.", None, "tests", "accepted"),
        ("test-architect", None, "dev", "rejected"),
        ("1, the tests must change", "tests", "tests", "accepted"),
        ("1", None, "tests", "accepted"),
        ("2", None, "dev", "rejected"),
        ("2, the tests stay", "dev", "dev", "rejected"),
        ("1, and I have changed the tests", "dev", "dev", "accepted"),
    ],
)
def test_the_person_names_the_side_that_goes_on(answer: str, to: str | None, column: str, resolution: str) -> None:
    story = disputed_by_dev()
    for _ in range(3):
        reply(story)
    story.answer("q1", answer, to)
    assert story.place == (column, "ready")
    assert story.it.disputes == [] and story.it.flag is None
    assert story.comments[0].resolution == resolution


@pytest.mark.ledger("R-12")
def test_a_fourth_dispute_is_flagged_at_once() -> None:
    story = Story(KANBAN, "dev")
    for number in range(1, 4):
        story.effort("disputed", comments=[{"content": f"concern {number}"}])
        thread = story.it.disputes[0].thread
        story.effort("done", comments=[{"parent": thread, "content": "ok", "resolution": "accepted"}])
        assert story.place == ("dev", "ready")
    story.effort("disputed", comments=[{"content": "concern 4"}])
    assert story.place == ("dev", "needs-human-review") and story.it.flag


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize(("column", "artifact"), [("stories", None), ("dev", "mine.py")])
def test_ones_own_work_and_the_first_stage_go_to_a_person(column: str, artifact: str | None) -> None:
    story = Story(KANBAN, column)
    if artifact:
        story.effort("failed", artifacts=[{"name": artifact}])
    story.effort("disputed", comments=[{"content": "this is wrong", "artifact": artifact}])
    assert story.place == (column, "needs-human-review")
    story.answer("q1", "1, do it again")
    assert story.place == (column, "ready") and story.comments[0].status == "resolved"


@pytest.mark.ledger("R-12")
def test_a_new_dispute_makes_the_older_one_wait() -> None:
    story = disputed_by_dev()
    story.effort("disputed", comments=[{"artifact": DESIGN, "content": "the design says otherwise"}])
    assert story.it.column == "arch" and [d.thread for d in story.it.disputes] == ["c001", "c002"]
    story.effort("done", comments=[{"parent": "c002", "content": "true", "resolution": "accepted"}])
    assert story.it.column == "tests" and [d.thread for d in story.it.disputes] == ["c001"]
    story.effort("done")
    assert story.it.effort.protocol_faults == 1, "the older one is still to be settled"


@pytest.mark.ledger("R-12")
def test_a_stage_that_takes_no_part_cannot_settle_a_dispute() -> None:
    story = disputed_by_dev()
    story.effort("disputed", comments=[{"artifact": DESIGN, "content": "the design says otherwise"}])
    both = [
        {"parent": "c002", "content": "true", "resolution": "accepted"},
        {"parent": "c001", "content": "and I say no to this", "resolution": "rejected"},
    ]
    story.effort("done", comments=both)
    assert "c001" in [d.thread for d in story.it.disputes], "the architect is on neither side of it"


@pytest.mark.ledger("R-12")
def test_a_senior_that_disputes_can_answer_the_reply() -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    story.effort("stuck", reason="unknown")
    story.effort("disputed", comments=[{"artifact": ARTIFACT, "content": "wrong"}])
    reply(story)
    assert story.it.column == "needs-senior-dev" and story.it.origins == ["dev"]
    reply(story, "It is.")
    assert story.place == ("tests", "ready"), "it was the senior's turn"
    assert story.it.dispute is not None and story.it.dispute.rounds == 2


@pytest.mark.ledger("R-12")
def test_a_senior_that_disputes_cannot_leave_its_thread_open() -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    story.effort("stuck", reason="unknown")
    story.effort("disputed", comments=[{"artifact": ARTIFACT, "content": "wrong"}])
    reply(story)
    story.effort("done")
    assert story.it.column == "needs-senior-dev" and story.it.effort.protocol_faults == 1


@pytest.mark.ledger("R-09", "R-12", "R-16")
def test_the_person_who_sides_with_a_senior_gives_it_back_with_its_origin() -> None:
    story = Story(KANBAN, "tests")
    story.flow = limited(KANBAN, dispute_rounds=1)
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    story.effort("stuck", reason="unknown")
    story.effort("disputed", comments=[{"artifact": ARTIFACT, "content": "wrong"}])
    reply(story)
    story.answer("q1", "2")
    assert story.place == ("needs-senior-dev", "ready")
    story.effort("done")
    assert story.place == ("review", "ready"), "the senior does the work of dev"


@pytest.mark.ledger("R-12")
def test_a_finding_is_disputed_with_its_author_and_accepting_ends_the_request() -> None:
    story = Story(KANBAN, "dev")
    story.effort("done")
    story.effort("changes_requested", findings=[{"issue": "use a mutex"}])
    assert story.it.column == "dev"
    story.effort("disputed", comments=[{"content": "one thread only: no mutex is needed"}])
    assert story.it.column == "review"
    story.effort("done", comments=[{"parent": "c001", "content": "right", "resolution": "accepted"}])
    assert story.place == ("qa", "ready") and story.it.returns_to is None and story.it.findings == []


@pytest.mark.ledger("R-03", "R-12", "R-16")
def test_a_finished_item_with_an_open_dispute_is_asked_about_once() -> None:
    story = disputed_by_dev()
    story.effort("asks", question={"question": "who is right?"})
    story.answer("q1", "leave it, go on", to="dev")
    for _ in range(3):
        story.effort("done")
    assert story.place == ("done", "awaiting-divine-guidance")
    story.answer(story.open_questions[0].id, "yes")
    assert story.place == ("done", "done") and story.open_questions == []


@pytest.mark.ledger("R-12", "R-16")
def test_a_persons_move_ends_the_dispute() -> None:
    story = disputed_by_dev()
    for _ in range(3):
        reply(story)
    story.do(MoveItem(column="dev"))
    assert story.place == ("dev", "ready") and story.it.disputes == [] and story.it.flag is None
    assert story.open_questions == [] and story.comments[0].status == "resolved"


@pytest.mark.ledger("R-12", "R-16")
def test_a_flag_does_not_outlive_its_dispute_over_cancel_and_reopen() -> None:
    story = disputed_by_dev()
    for _ in range(3):
        reply(story)
    story.do(CancelItem())
    story.neighbours = {story.it.id: story.neighbour()}
    story.do(ReopenItem())
    assert story.it.disputes == [] and story.it.flag is None


def held_by_verdict() -> Story:
    """The dev disputes a finding; the reviewer does not answer, and asks for the same change again."""
    story = Story(KANBAN, "dev")
    story.effort("done")
    story.effort("changes_requested", findings=[{"issue": "use a mutex"}])
    story.effort("disputed", comments=[{"content": "one thread only: no mutex is needed"}])
    story.effort("changes_requested", findings=[{"issue": "use a mutex"}])
    assert story.place == ("dev", "ready") and [dispute.thread for dispute in story.it.disputes] == ["c001"]
    return story


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize("more", [{}, {"resolution": "rejected"}])
def test_the_disputer_speaks_again_where_the_other_side_has_only_given_its_verdict(more: dict[str, str]) -> None:
    story = held_by_verdict()
    story.effort("disputed", comments=[{"parent": "c001", "content": "I have counted the threads", **more}])
    assert story.place == ("review", "ready") and len(story.it.disputes) == 1
    assert story.it.disputes[0].rounds == 1 and story.it.disputes[0].turn == 1
    story.effort("disputed", comments=[{"parent": "c001", "content": "there are two"}])
    assert story.place == ("dev", "ready") and story.it.disputes[0].rounds == 2
    reply(story)
    assert story.it.status == "needs-human-review", "the limit of rounds holds for statements of either side"


@pytest.mark.ledger("R-12")
def test_the_disputer_gives_in_to_a_verdict() -> None:
    story = held_by_verdict()
    settle(story, "rejected")
    assert story.place == ("review", "ready") and story.it.disputes == []
    assert (story.comments[0].status, story.comments[0].resolution) == ("resolved", "rejected")
    story.effort("done")
    assert story.place == ("qa", "ready")


@pytest.mark.ledger("R-12")
def test_the_disputer_cannot_accept_its_own_concern() -> None:
    story = held_by_verdict()
    settle(story, "accepted")
    assert len(story.it.disputes) == 1 and story.it.told is not None and "resolution rejected" in story.it.told


@pytest.mark.ledger("R-12", "R-13")
def test_who_decides_after_the_last_round_reads_what_is_disputed() -> None:
    story = held_by_verdict()
    story.effort("disputed", comments=[{"parent": "c001", "content": "I have counted the threads"}])
    story.effort("changes_requested", findings=[{"issue": "use a mutex"}])
    [question] = story.open_questions
    assert "one thread only: no mutex is needed" in question.context
    assert "I have counted the threads" in question.context


@pytest.mark.ledger("R-12")
@pytest.mark.parametrize(
    ("held", "left"),
    [
        ({"parent": "c002", "content": "B is still wrong"}, "c002"),
        ({"artifact": ARTIFACT, "target": "c", "content": "and C"}, "c005"),
    ],
)
def test_a_disputer_gives_in_on_one_concern_and_holds_another(held: dict[str, str], left: str) -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    concerns = [{"artifact": ARTIFACT, "target": "a", "content": "A is wrong"}]
    concerns += [{"artifact": ARTIFACT, "target": "b", "content": "B is wrong"}] if left == "c002" else []
    story.effort("disputed", comments=concerns)
    threads = [dispute.thread for dispute in story.it.disputes]
    story.effort("disputed", comments=[{"parent": thread, "content": "it is right"} for thread in threads])
    gives_in = {"parent": "c001", "content": "Agreed, I withdraw A.", "status": "resolved", "resolution": "rejected"}
    story.effort("disputed", comments=[gives_in, held])
    assert (story.comments[0].status, story.comments[0].resolution) == ("resolved", "rejected")
    assert "c001" not in [dispute.thread for dispute in story.it.disputes] and len(story.it.disputes) == 1
    assert story.place == ("tests", "ready")


@pytest.mark.ledger("R-12")
def test_two_refusals_of_a_disputer_give_nothing_up() -> None:
    story = Story(KANBAN, "tests")
    story.effort("done", artifacts=[{"name": ARTIFACT}])
    concerns = [{"artifact": ARTIFACT, "target": one, "content": f"{one} is wrong"} for one in ("a", "b")]
    story.effort("disputed", comments=concerns)
    story.effort("disputed", comments=[{"parent": thread, "content": "it is right"} for thread in ("c001", "c002")])
    no = [{"parent": thread, "content": "No.", "resolution": "rejected"} for thread in ("c001", "c002")]
    story.effort("disputed", comments=no)
    assert len(story.it.disputes) == 2 and {dispute.rounds for dispute in story.it.disputes} == {2}
