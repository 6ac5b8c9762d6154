"""The presets are the boards of the documents: columns, agents, rights, messages, prompts that say how to report."""

import re

import pytest

from folkmoot.core.flow import Flow, Gate, MessageRule
from folkmoot.errors import Invalid
from folkmoot.flows.load import read_flow
from folkmoot.flows.preset import preset_names, read_preset
from folkmoot.reports.read import read_report

NAMES = ["escalation", "handoff", "kanban", "pipeline", "quest", "simple"]
# The ways on the board, from column to column: by next, or by the first claim.
WAYS = {
    "escalation": ["available", "implementing", "done"],
    "handoff": ["plan", "build", "review", "done"],
    "kanban": ["ready", "stories", "arch", "tests", "dev", "review", "qa", "done"],
    "pipeline": ["implement", "review", "test", "done"],
    "quest": ["discover", "weave", "review", "siege", "done"],
    "simple": ["code", "review", "done"],
}
# One line in each preset says how all agents are started: `moot init` writes it with the client that it finds.
RUN = re.compile(r"^# (run: \{client: claude-code\} {12}# how agents are started; .+)$", re.MULTILINE)
COMMENTED = re.compile(r"^# ((?:run|target): .+)$", re.MULTILINE)
BLOCK = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(\{[^`]*\})`", re.DOTALL)


def load(name: str) -> Flow:
    files = read_preset(name)
    return read_flow(files["flow.yaml"], "flow.yaml", files.get).flow


def watchers(flow: Flow) -> dict[str, list[str]]:
    return {name: column.agents for name, column in flow.columns.items()}


def way(flow: Flow) -> list[str]:
    column: str | None = flow.start
    passed = []
    while column is not None:
        passed.append(column)
        column = flow.columns[column].work or flow.columns[column].next
    return passed


def prompts() -> list[tuple[str, str]]:
    return [
        (f"{name}/{path}", text) for name in NAMES for path, text in read_preset(name).items() if path.endswith("md")
    ]


def test_there_is_one_for_each_document_and_a_simple_one() -> None:
    assert preset_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_loads_without_a_warning_and_leads_to_the_end(name: str) -> None:
    files = read_preset(name)
    read = read_flow(files["flow.yaml"], "flow.yaml", files.get)
    assert read.warnings == []
    assert read.flow.name == name
    assert way(read.flow) == WAYS[name]


@pytest.mark.parametrize("name", NAMES)
def test_its_prompts_are_those_its_agents_use(name: str) -> None:
    assert set(read_preset(name)) == {"flow.yaml"} | {agent.prompt for agent in load(name).agents.values()}


@pytest.mark.parametrize("name", NAMES)
def test_by_itself_a_preset_starts_nobody_and_one_line_starts_all(name: str) -> None:
    files = read_preset(name)
    text = files["flow.yaml"]
    assert [agent for agent in load(name).agents.values() if agent.run] == []
    assert len(RUN.findall(text)) == 1
    started = read_flow(RUN.sub(r"\1", text), "flow.yaml", files.get, known_clients=["claude-code"])
    assert started.warnings == []
    assert {str(agent.run) for agent in started.flow.agents.values()} == {"{'client': 'claude-code'}"}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_preset_offers_in_comments_can_be_taken_as_it_stands(name: str) -> None:
    files = read_preset(name)
    text, taken = COMMENTED.subn(r"\1", files["flow.yaml"])
    read = read_flow(text, "flow.yaml", files.get, known_clients=["claude-code"])
    assert taken == 2
    assert read.warnings == []
    assert read.flow.target == "main"


def test_who_judges_writes_nothing_and_who_writes_beside_the_code_may() -> None:
    rights = {name: {agent.name: agent.write for agent in load(name).agents.values()} for name in NAMES}
    assert rights["kanban"] == {
        "story-agent": "any",
        "architect-agent": "any",
        "test-architect": "any",
        "dev-agent": "own",
        "review-agent": "none",
        "qa-agent": "none",
        "senior-dev-agent": "any",
        "concurrency-specialist": "any",
        "security-specialist": "any",
        "performance-specialist": "any",
    }
    assert rights["handoff"] == {"planner": "any", "builder": "own", "reviewer": "none", "fixer": "own"}
    assert rights["pipeline"] == {
        "implementer": "own",
        "reviewer": "none",
        "devils-advocate": "none",
        "test-executor": "none",
    }


def test_escalation_has_a_developer_and_three_experts() -> None:
    flow = load("escalation")
    assert watchers(flow) == {"available": ["developer"], "implementing": ["developer"], "done": []}
    assert flow.columns["available"].work == "implementing"
    assert (flow.limits.attempts, flow.limits.own_attempts) == (6, 3)
    developer = flow.agents["developer"]
    assert developer.experts == ["crypto-expert", "protocol-expert", "database-expert"]
    assert developer.may == ["ask", "delegate"]
    assert developer.ladder == []
    for name in developer.experts:
        assert flow.agents[name].expert
        assert (flow.agents[name].may, flow.agents[name].write) == ([], "none")


def test_handoff_has_four_agents_and_the_six_messages() -> None:
    flow = load("handoff")
    assert watchers(flow) == {
        "plan": ["planner"],
        "build": ["builder"],
        "review": ["reviewer"],
        "done": [],
        "fix": ["fixer"],
    }
    assert flow.columns["review"].fix == "fix"
    assert flow.columns["fix"].kind == "backflow"
    assert flow.messages == {
        "task_handoff": MessageRule(senders=["planner"], receivers=["builder"]),
        "review_request": MessageRule(senders=["builder"], receivers=["reviewer"]),
        "fix_request": MessageRule(senders=["reviewer"], receivers=["fixer"]),
        "rereview_request": MessageRule(senders=["fixer"], receivers=["reviewer"]),
        "completion": MessageRule(senders=["any"], receivers=["orchestrator"]),
        "escalation": MessageRule(senders=["any"], receivers=["orchestrator"]),
    }


def test_pipeline_reviews_with_two_at_once_and_has_the_messages_of_the_document() -> None:
    flow = load("pipeline")
    assert watchers(flow) == {
        "implement": ["implementer"],
        "review": ["reviewer", "devils-advocate"],
        "test": ["test-executor"],
        "done": [],
    }
    assert [flow.columns[name].fix for name in ("review", "test")] == ["implement", "implement"]
    assert {name: "dispatch" in agent.may for name, agent in flow.agents.items()} == {
        "implementer": False,
        "reviewer": True,
        "devils-advocate": True,
        "test-executor": True,
    }
    assert {kind: rule.senders for kind, rule in flow.messages.items()} == {
        "task_assignment": ["orchestrator"],
        "review_findings": ["reviewer"],
        "security_issues": ["devils-advocate"],
        "test_failures": ["test-executor"],
        "test_results": ["test-executor"],
        "clarification_request": ["any"],
    }
    assert flow.messages["task_assignment"].receivers == list(flow.agents)
    assert flow.messages["test_failures"].receivers == ["orchestrator", "implementer"]


@pytest.mark.ledger("Q-02")
def test_quest_has_the_five_roles_with_their_rights() -> None:
    flow = load("quest")
    assert watchers(flow) == {
        "discover": ["pathseeker"],
        "weave": ["codeweaver"],
        "review": ["lawbringer"],
        "siege": ["siegemaster"],
        "done": [],
        "mend": ["spiritmender"],
    }
    assert {name: (agent.write, agent.may) for name, agent in flow.agents.items()} == {
        "pathseeker": ("none", ["ask", "split", "delegate"]),
        "codeweaver": ("own", ["ask"]),
        "lawbringer": ("any", ["ask"]),
        "siegemaster": ("new_tests", ["ask"]),
        "spiritmender": ("any", ["ask"]),
    }


def test_the_ward_of_a_quest_stands_after_each_phase() -> None:
    flow = load("quest")
    assert flow.gates == {"ward": Gate(name="ward", run=["make", "check"], timeout=600.0)}
    guarded = {name: column.on_red for name, column in flow.columns.items() if column.gate == ["ward"]}
    assert guarded == {"weave": "mend", "review": "mend", "siege": "mend"}
    assert flow.columns["mend"].kind == "backflow"
    assert (flow.discover, flow.arbiter) == ("discover", "discover")


# Each of the eight practices, in the words of the prompts.
PRACTICES = [
    "Exactly: the path, the line, the very words of the error.",
    "So that somebody can act on it:",
    "Short: the finding, not the log",
    "As data where the board reads it: JSON",
    "With its ground: what goes wrong",
    "With a way out: a problem comes with the repair",
    "With what comes next: who must do what",
    "Once: what another agent has found already is not found again.",
]


@pytest.mark.ledger("P-12")
@pytest.mark.parametrize("agent", ["implementer", "reviewer", "devils-advocate", "test-executor"])
def test_the_practices_of_the_document_are_in_each_prompt_of_the_pipeline(agent: str) -> None:
    text = read_preset("pipeline")[f"prompts/{agent}.md"]
    assert [practice for practice in PRACTICES if practice not in text] == []


@pytest.mark.parametrize(("path", "text"), prompts(), ids=[path for path, _ in prompts()])
def test_a_prompt_is_short_says_its_role_and_when_to_stop(path: str, text: str) -> None:
    lines = text.splitlines()
    assert 15 <= len(lines) <= 40
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("# ")
    assert " stop" in text
    if not path.startswith("kanban/"):
        assert "## How to report" in text
        assert "## When to stop" in text


@pytest.mark.parametrize(("path", "text"), prompts(), ids=[path for path, _ in prompts()])
def test_a_prompt_quoted_back_is_no_report(path: str, text: str) -> None:
    for quoted in [text, *BLOCK.findall(text), *INLINE.findall(text)]:
        with pytest.raises(Invalid):
            read_report(quoted)
