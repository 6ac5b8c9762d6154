"""The preset `kanban` is the board of the document."""

import pytest

from folkmoot.core.flow import Flow
from folkmoot.errors import Invalid
from folkmoot.flows.load import load_flow, read_flow
from folkmoot.flows.preset import preset_names, read_preset
from folkmoot.testing.builders import TrialBoard

STAGES = ["ready", "stories", "arch", "tests", "dev", "review", "qa", "done"]
ESCALATION = {
    "needs-senior-dev": "senior-dev-agent",
    "needs-concurrency-expert": "concurrency-specialist",
    "needs-security-review": "security-specialist",
    "needs-perf-tuning": "performance-specialist",
    "needs-arch-clarification": "architect-agent",
    "needs-human": None,
}
BACKFLOW = {
    "blocked-needs-story-clarification": "story-agent",
    "blocked-needs-arch-clarification": "architect-agent",
    "blocked-needs-test-review": "test-architect",
}
DISPUTE = {
    "dispute-test-vs-dev": ["test-architect", "dev-agent"],
    "dispute-story-vs-arch": ["story-agent", "architect-agent"],
}
SPECIALISTS = ["senior-dev-agent", "concurrency-specialist", "security-specialist", "performance-specialist"]

# From the cheapest to the strongest.
MODELS = ["glm-4", "haiku", "sonnet", "opus"]


@pytest.fixture(scope="module")
def kanban() -> Flow:
    files = read_preset("kanban")
    return load_flow(files["flow.yaml"], "flow.yaml", files.get)


def test_it_loads_without_a_warning() -> None:
    files = read_preset("kanban")
    assert read_flow(files["flow.yaml"], "flow.yaml", files.get).warnings == []


@pytest.mark.ledger("K-12")
def test_the_columns_are_those_of_the_document(kanban: Flow) -> None:
    assert kanban.name == "kanban"
    assert kanban.stages() == STAGES
    assert list(kanban.columns) == [*STAGES, *ESCALATION, *BACKFLOW, *DISPUTE]
    assert {c.name: kanban.watcher(c.name) for c in kanban.columns.values() if c.kind == "escalation"} == ESCALATION
    assert {c.name: kanban.watcher(c.name) for c in kanban.columns.values() if c.kind == "backflow"} == BACKFLOW
    assert {c.name: c.agents for c in kanban.columns.values() if c.kind == "dispute"} == DISPUTE
    assert kanban.columns["needs-human"].human


@pytest.mark.ledger("K-12")
@pytest.mark.parametrize(
    ("maker", "disputer", "column", "reason"),
    [
        ("test-architect", "dev-agent", "tests", "test-vs-dev"),
        ("story-agent", "architect-agent", "stories", "story-vs-arch"),
    ],
)
def test_two_agents_settle_a_dispute_in_its_column(
    kanban: Flow, maker: str, disputer: str, column: str, reason: str
) -> None:
    with TrialBoard(kanban) as board:
        board.add(column=column)
        board.effort(maker, "done", artifacts=[{"name": "its.md"}])
        remark = {"artifact": "its.md", "content": "This cannot be meant."}
        disputed = board.effort(disputer, "disputed", reason=reason, comments=[remark])
        assert disputed["column"] == f"dispute-{reason}"
        agreed = {"parent": disputed["comments"][0]["id"], "resolution": "accepted", "content": "It was not."}
        assert board.effort(maker, "done", comments=[agreed])["dispute_rounds"] == 0
        assert board.wrong() == []


def test_every_column_is_reached_by_the_flow_by_a_reason_or_by_escalating(kanban: Flow) -> None:
    reached = {*kanban.stages(), *kanban.reasons.values()} | {agent.escalate_to for agent in kanban.agents.values()}
    assert reached == set(kanban.columns)


@pytest.mark.ledger("K-02")
def test_each_stage_is_watched_by_its_agent(kanban: Flow) -> None:
    assert [kanban.watcher(column) for column in STAGES] == [
        None,
        "story-agent",
        "architect-agent",
        "test-architect",
        "dev-agent",
        "review-agent",
        "qa-agent",
        None,
    ]


@pytest.mark.ledger("K-09")
@pytest.mark.parametrize(
    ("agent", "models"),
    [
        ("dev-agent", ["glm-4"] * 2 + ["sonnet"] * 2 + ["opus"] * 2 + ["escalate"] * 2),
        ("test-architect", ["sonnet"] * 2 + ["opus"] * 2 + ["escalate"] * 2),
        ("story-agent", ["haiku"] * 3 + ["sonnet"] * 2 + ["escalate"] * 2),
        ("qa-agent", ["sonnet"] * 2 + ["opus"] * 2 + ["escalate"] * 2),
    ],
)
def test_the_ladders_are_those_of_the_document(kanban: Flow, agent: str, models: list[str]) -> None:
    assert [kanban.agents[agent].rung(failures) for failures in range(len(models))] == models


def test_the_other_ladders_are_those_of_the_contract(kanban: Flow) -> None:
    for agent in ["architect-agent", "review-agent", *SPECIALISTS]:
        rungs = [kanban.agents[agent].rung(failures) for failures in range(6)]
        assert rungs == ["sonnet", "sonnet", "opus", "opus", "escalate", "escalate"]


def test_workers_escalate_to_the_senior_and_helpers_to_a_person(kanban: Flow) -> None:
    for agent in kanban.agents.values():
        assert agent.escalate_to == ("needs-human" if agent.name in SPECIALISTS else "needs-senior-dev")


@pytest.mark.ledger("K-11")
def test_each_reason_of_the_document_has_its_column(kanban: Flow) -> None:
    assert kanban.reasons == {
        "concurrency": "needs-concurrency-expert",
        "security": "needs-security-review",
        "performance": "needs-perf-tuning",
        "architecture": "needs-arch-clarification",
        "unknown": "needs-senior-dev",
        "story": "blocked-needs-story-clarification",
        "arch": "blocked-needs-arch-clarification",
        "tests": "blocked-needs-test-review",
        "test-vs-dev": "dispute-test-vs-dev",
        "story-vs-arch": "dispute-story-vs-arch",
    }


@pytest.mark.ledger("K-17")
@pytest.mark.parametrize("specialist", SPECIALISTS)
def test_specialists_start_higher_and_have_instructions_of_their_own(kanban: Flow, specialist: str) -> None:
    first = {name: MODELS.index(agent.rung(0) or "") for name, agent in kanban.agents.items()}
    assert first[specialist] > first["dev-agent"]
    assert first[specialist] >= max(first[worker] for worker in kanban.agents if worker not in SPECIALISTS)
    others = [agent.instructions for agent in kanban.agents.values() if agent.name != specialist]
    assert kanban.agents[specialist].instructions not in ["", *others]


def test_review_and_checks_send_changes_to_the_developer(kanban: Flow) -> None:
    assert {c.name: c.fix for c in kanban.columns.values() if c.fix} == {"review": "dev", "qa": "dev"}


def test_every_prompt_is_short_used_and_says_what_may_be_reported(kanban: Flow) -> None:
    files = read_preset("kanban")
    assert set(files) == {"flow.yaml"} | {agent.prompt for agent in kanban.agents.values()}
    for agent in kanban.agents.values():
        lines = agent.instructions.splitlines()
        assert 10 <= len(lines) <= 32, agent.name
        assert all(f"`{word}`" in agent.instructions for word in ("done", "disputed", "failed", "stuck", "asks"))
        assert agent.instructions.count("## When to stop") == 1
        sends_back = any(kanban.columns[column].fix for column in kanban.watched_by(agent.name))
        assert ("`changes_requested`" in agent.instructions) == sends_back


def test_the_preset_is_found_by_name() -> None:
    assert "kanban" in preset_names()
    with pytest.raises(Invalid) as caught:
        read_preset("kanbna")
    assert caught.value.hint == "did you mean 'kanban'?"
    with pytest.raises(Invalid):
        read_preset("../kanban")
