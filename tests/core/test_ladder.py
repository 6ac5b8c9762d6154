"""The ladder: which model makes the next effort, and what happens when no rung is left (K-08 to K-10, K-17, K-18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core.commands import ReportRun
from folkmoot.core.explain import tier
from folkmoot.core.flow import Agent, Rung
from folkmoot.testing.builders import Story, limited, line_flow, preset_flow, report

KANBAN = preset_flow()


def fail(story: Story, times: int) -> list[str | None]:
    """Fail in ever new ways; the models that were tried."""
    models = []
    for _ in range(times):
        actor = story.claim()
        assert story.run is not None and actor.run == story.run.id
        models.append(story.run.model)
        told = report("failed", summary="no luck", attempts=[{"approach": chr(97 + story.it.attempt_count) * 9}])
        story.do(ReportRun(report=told), actor)
    return models


@pytest.mark.ledger("K-09")
@pytest.mark.parametrize(
    ("agent", "models"),
    [
        ("dev-agent", ["glm-4", "glm-4", "sonnet", "sonnet", "opus", "opus", "escalate", "escalate"]),
        ("test-architect", ["sonnet", "sonnet", "opus", "opus", "escalate", "escalate"]),
        ("story-agent", ["haiku", "haiku", "haiku", "sonnet", "sonnet", "escalate"]),
        ("qa-agent", ["sonnet", "sonnet", "opus", "opus", "escalate"]),
    ],
)
def test_the_documents_ladders_rung_by_rung(agent: str, models: list[str]) -> None:
    assert [KANBAN.agents[agent].rung(failures) for failures in range(len(models))] == models


@st.composite
def ladders(draw: st.DrawFn) -> list[Rung]:
    """Ranges that follow each other without a gap, the last open."""
    widths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rungs, low = [], 0
    for number, width in enumerate(widths):
        rungs.append(Rung(low, low + width - 1, f"m{number}"))
        low += width
    return [*rungs, Rung(low, None, "escalate")]


@pytest.mark.ledger("K-09")
@given(ladders(), st.integers(0, 40))
def test_every_number_of_failures_has_exactly_one_rung(ladder: list[Rung], failures: int) -> None:
    agent = Agent(name="a", ladder=ladder)
    fitting = [r for r in ladder if r.low <= failures and (r.high is None or failures <= r.high)]
    assert len(fitting) == 1 and agent.rung(failures) == fitting[0].model
    assert agent.model(failures) != "escalate"


@pytest.mark.ledger("K-09", "K-10")
@pytest.mark.parametrize(
    ("ladder", "tries"),
    [
        ([Rung(0, None, "small")], 3),
        ([Rung(0, 1, "small"), Rung(2, None, "large")], 5),
        ([Rung(0, 1, "small"), Rung(2, 2, "large")], 3),
        ([Rung(0, 1, "small"), Rung(2, None, "escalate")], 2),
    ],
    ids=["one step", "a last step without an end", "a last step with an end", "escalate"],
)
def test_every_ladder_ends(ladder: list[Rung], tries: int) -> None:
    """Also one that names nobody to go to: its last step has the tries of an agent without a ladder."""
    flow = line_flow("build")
    flow = replace(flow, agents={"build-agent": replace(flow.agents["build-agent"], ladder=ladder)})
    story = Story(flow, "build")
    assert len(fail(story, tries)) == tries
    assert story.it.column == "build" and [q.kind for q in story.open_questions] == ["decision"]


@pytest.mark.ledger("K-08", "K-09", "K-10", "R-05")
def test_six_failures_climb_and_then_move_to_the_senior_with_a_comment() -> None:
    story = Story(KANBAN, "dev")
    assert fail(story, 6) == ["glm-4", "glm-4", "sonnet", "sonnet", "opus", "opus"]
    assert story.place == ("needs-senior-dev", "ready")
    assert story.it.failure_count == 6
    assert [c.content for c in story.comments] == ["Failed 6 attempts across all model tiers"]
    assert story.names()[-1] == "escalation_triggered"


@pytest.mark.ledger("K-10", "K-16", "K-17")
def test_the_senior_starts_on_its_own_ladder_and_a_person_comes_after_it() -> None:
    story = Story(KANBAN, "dev")
    fail(story, 6)
    assert tier(KANBAN, story.it) == 1
    assert fail(story, 4) == ["sonnet", "sonnet", "opus", "opus"]
    assert story.place == ("needs-human", "awaiting-divine-guidance")
    assert tier(KANBAN, story.it) == 2
    assert [q.kind for q in story.open_questions] == ["decision"]


@pytest.mark.ledger("K-17", "R-09")
def test_at_the_end_of_a_ladder_a_known_reason_picks_the_column() -> None:
    story = Story(KANBAN, "tests")
    story.effort("failed", reason="performance", attempts=[{"approach": "first"}])
    assert story.place == ("tests", "ready"), "a reason alone moves nothing before the ladder ends"
    fail(story, 3)
    assert story.it.column == "needs-perf-tuning"


@pytest.mark.ledger("K-17", "R-09")
def test_a_reason_whose_column_was_tried_already_gives_way_to_the_agents_own() -> None:
    story = Story(KANBAN, "dev")
    story.effort("stuck", reason="performance")
    fail(story, 4)
    assert story.it.column == "needs-human", "the specialist's own escalate_to, not its own column again"


@pytest.mark.ledger("K-18", "R-05")
def test_going_forward_starts_the_next_agent_at_the_bottom() -> None:
    story = Story(KANBAN, "tests")
    fail(story, 2)
    story.effort("done")
    assert story.it.column == "dev" and story.it.failures == {} and story.it.failure_count == 0
    assert fail(story, 1) == ["glm-4"]


@pytest.mark.ledger("K-18", "R-05")
def test_each_agent_climbs_by_its_own_failures() -> None:
    story = Story(KANBAN, "dev")
    fail(story, 2)
    story.effort("stuck", reason="concurrency")
    fail(story, 1)
    assert story.it.failures == {"dev-agent": 2, "concurrency-specialist": 1}
    assert story.it.failure_count == 3
    story.claim()
    assert story.run is not None and story.run.model == "sonnet", "the third failure is not the specialist's third"


@pytest.mark.ledger("R-05")
@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        ("changes_requested", {"findings": [{"issue": "a typo"}]}),
        ("disputed", {"comments": [{"content": "the plan is wrong"}]}),
        ("incomplete", {}),
        ("failed", {"cause": "transient"}),
        ("failed", {"cause": "environment"}),
        ("failed", {"cause": "quota"}),
        ("asks", {"question": {"question": "which one?"}}),
        ("done", {}),
    ],
)
def test_what_is_no_failure(outcome: str, parts: dict[str, object]) -> None:
    story = Story(KANBAN, "review")
    story.effort(outcome, **parts)
    assert story.it.failure_count == 0
    assert story.it.attempt_count == 0


@pytest.mark.ledger("R-05")
def test_returning_resets_nothing() -> None:
    story = Story(KANBAN, "dev")
    fail(story, 2)
    story.effort("stuck", reason="tests")
    assert story.it.column == "blocked-needs-test-review"
    story.effort("done")
    assert story.it.column == "dev" and story.it.failures == {"dev-agent": 2}


@pytest.mark.ledger("R-05", "R-07")
def test_without_a_ladder_own_attempts_end_it() -> None:
    flow = line_flow("build", own_attempts=2)
    story = Story(flow, "build")
    fail(story, 2)
    assert story.place == ("build", "awaiting-divine-guidance"), "nobody is left, so a person is asked in place"


@pytest.mark.ledger("R-11")
def test_six_means_six() -> None:
    flow = line_flow("build", attempts=6)
    story = Story(flow, "build")
    fail(story, 5)
    assert story.place == ("build", "ready")
    fail(story, 1)
    assert story.place == ("build", "awaiting-divine-guidance") and story.it.span.attempts == 6


@pytest.mark.ledger("R-11")
def test_the_sixth_attempt_asks_also_when_the_report_says_stuck() -> None:
    flow = limited(KANBAN, attempts=2)
    story = Story(flow, "dev")
    story.effort("stuck", reason="concurrency", attempts=[{"approach": "alpha"}, {"approach": "beta"}])
    assert story.it.status == "awaiting-divine-guidance"


@pytest.mark.ledger("R-06", "R-11")
def test_attempts_past_the_limit_are_stored_and_not_counted() -> None:
    flow = line_flow("build", attempts=6)
    story = Story(flow, "build")
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    story.effort("failed", attempts=[{"approach": word} for word in words])
    assert len(story.attempts) == 8
    assert story.it.span.attempts == 6
    assert [a.counted for a in story.attempts] == [True] * 6 + [False] * 2
