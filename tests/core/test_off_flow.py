"""Columns off the flow: where `done` leads from there, and how often an item may go (R-09, K-11, K-16, K-17)."""

import pytest
from msgspec import structs

from folkmoot.core.commands import MoveItem
from folkmoot.core.explain import tier
from folkmoot.testing.builders import Story, preset_flow

KANBAN = preset_flow()
ASKED = "awaiting-divine-guidance"


@pytest.mark.ledger("K-11", "K-16", "K-17")
@pytest.mark.parametrize(
    ("reason", "column", "agent", "tier_there"),
    [
        ("concurrency", "needs-concurrency-expert", "concurrency-specialist", 1),
        ("security", "needs-security-review", "security-specialist", 1),
        ("performance", "needs-perf-tuning", "performance-specialist", 1),
        ("architecture", "needs-arch-clarification", "architect-agent", 1),
        ("unknown", "needs-senior-dev", "senior-dev-agent", 1),
        ("story", "blocked-needs-story-clarification", "story-agent", 0),
        ("tests", "blocked-needs-test-review", "test-architect", 0),
    ],
)
def test_the_reason_picks_the_column_and_its_watcher(reason: str, column: str, agent: str, tier_there: int) -> None:
    story = Story(KANBAN, "dev")
    assert tier(KANBAN, story.it) == 0
    story.effort("stuck", reason=reason)
    assert story.place == (column, "ready") and story.it.escalation_reason == reason
    assert tier(KANBAN, story.it) == tier_there
    assert story.claim().name == agent
    assert KANBAN.agents[agent].instructions.strip()


@pytest.mark.ledger("K-11", "R-09")
@pytest.mark.parametrize("reason", [None, "performance"])
def test_stuck_without_a_mapped_reason_is_the_end_of_the_ladder(reason: str | None) -> None:
    """One that the documents name, and that this flow leads nowhere; one that nobody knows is named back."""
    mapped = {name: column for name, column in KANBAN.reasons.items() if name != "performance"}
    story = Story(structs.replace(KANBAN, reasons=mapped), "dev")
    story.effort("stuck", reason=reason, summary="it will not build")
    assert story.place == ("needs-senior-dev", "ready")
    assert "it will not build" in story.comments[-1].content


@pytest.mark.ledger("R-09")
def test_a_specialist_does_the_stages_work_so_done_goes_to_the_stage_after() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="concurrency")
    story.effort("done", artifacts=[{"name": "lock.py"}])
    assert story.place == ("review", "ready") and story.it.origins == []
    assert story.it.artifacts["lock.py"].column == "dev", "the work is the stage's, also when a specialist did it"


@pytest.mark.ledger("R-09")
def test_a_backflow_column_answers_so_done_returns() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="arch")
    story.effort("done")
    assert story.place == ("dev", "ready") and story.it.origins == []


@pytest.mark.ledger("R-09")
def test_a_senior_in_a_backflow_column_still_returns_to_who_asked() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="arch")
    story.effort("stuck", reason="unknown")
    assert story.it.origins == ["dev", "blocked-needs-arch-clarification"]
    story.effort("done")
    assert story.place == ("dev", "ready")


@pytest.mark.ledger("R-09")
@pytest.mark.parametrize("column", ["needs-senior-dev", "blocked-needs-test-review"])
def test_without_an_origin_done_asks_where_to(column: str) -> None:
    story = Story(KANBAN, column)
    story.effort("done")
    assert story.place == (column, ASKED)
    ways = [option.to for option in story.open_questions[0].options]
    assert ways == ["stories", "arch", "tests", "dev", "review", "qa", None, None], "and to park or to cancel it"
    story.answer("q1", "4")
    assert story.place == ("dev", "ready")


@pytest.mark.ledger("R-09")
def test_at_most_three_moves_off_the_flow_from_one_stage() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(3):
        story.effort("stuck", reason="story")
        assert story.it.column == "blocked-needs-story-clarification"
        story.effort("done")
    story.effort("stuck", reason="story")
    assert story.place == ("dev", ASKED)


@pytest.mark.ledger("R-09")
def test_another_stage_has_three_moves_of_its_own_and_guidance_gives_new_ones() -> None:
    story = Story(KANBAN, "tests")
    for _ in range(3):
        story.effort("stuck", reason="story")
        story.effort("done")
    story.effort("done")
    story.effort("stuck", reason="story")
    assert story.it.column == "blocked-needs-story-clarification"
    story.do(MoveItem(column="tests"))
    story.effort("stuck", reason="story")
    assert story.it.column == "blocked-needs-story-clarification"


@pytest.mark.ledger("R-09")
def test_at_most_two_deep_and_then_a_person() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="concurrency")
    story.effort("stuck", reason="performance")
    assert story.it.origins == ["dev", "needs-concurrency-expert"]
    story.effort("stuck", reason="security")
    assert story.place == ("needs-perf-tuning", ASKED)


@pytest.mark.ledger("R-09")
def test_never_into_the_column_the_item_is_in() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="concurrency")
    story.effort("stuck", reason="concurrency")
    assert story.place == ("needs-human", ASKED), "the specialist is at its end: where it escalates to"


@pytest.mark.ledger("R-09", "R-16")
def test_a_person_who_sends_the_item_off_the_flow_by_an_answer_leaves_its_origin_known() -> None:
    story = Story(KANBAN, "dev")
    story.effort("asks", question={"question": "how?"})
    story.answer("q1", "let the senior do it", to="needs-senior-dev")
    assert story.place == ("needs-senior-dev", "ready")
    story.effort("done")
    assert story.place == ("review", "ready"), "it came from dev, whose work the senior did"


@pytest.mark.ledger("R-09", "R-16")
def test_a_person_who_sends_the_item_off_the_flow_by_a_move_leaves_its_origin_known() -> None:
    story = Story(KANBAN, "dev")
    story.do(MoveItem(column="needs-senior-dev"))
    story.effort("done")
    assert story.place == ("review", "ready")


@pytest.mark.ledger("K-16", "R-16")
def test_out_of_a_human_column_it_goes_back_to_where_it_came_from() -> None:
    story = Story(KANBAN, "dev")
    story.do(MoveItem(column="needs-human"))
    assert story.place == ("needs-human", ASKED) and tier(KANBAN, story.it) == 2
    story.answer(story.open_questions[0].id, "back to dev, and use the new API")
    assert story.place == ("dev", "ready") and tier(KANBAN, story.it) == 0


@pytest.mark.ledger("R-03")
def test_an_item_added_where_nobody_acts_flows_on_or_asks() -> None:
    assert Story(KANBAN, "ready").place == ("stories", "ready")
    story = Story(KANBAN, "needs-human")
    assert story.place == ("needs-human", ASKED) and len(story.open_questions) == 1
