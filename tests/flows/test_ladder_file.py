"""The ladder file of the document is read as it stands there, and puts agents on its ladders."""

import pytest

from folkmoot.core.flow import Rung
from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.ladder_file import check_ladder_file, read_ladder_file
from folkmoot.flows.load import load_flow, read_flow
from folkmoot.flows.preset import read_preset
from tests.documents import LADDER_FILE


@pytest.mark.ledger("K-15")
def test_the_file_of_the_document_loads_unchanged() -> None:
    tests_and_checks = [Rung(0, 1, "sonnet"), Rung(2, 3, "opus"), Rung(4, None, "escalate")]
    assert read_ladder_file(LADDER_FILE, "escalation.yaml") == {
        "dev-agent": [Rung(0, 1, "glm-4"), Rung(2, 3, "sonnet"), Rung(4, 5, "opus"), Rung(6, None, "escalate")],
        "test-architect": tests_and_checks,
        "story-agent": [Rung(0, 2, "haiku"), Rung(3, 4, "sonnet"), Rung(5, None, "escalate")],
        "qa-agent": tests_and_checks,
    }


@pytest.mark.ledger("K-15")
def test_its_ladders_take_the_place_of_the_flows_own_and_leave_the_others() -> None:
    files = read_preset("kanban")
    ladders = read_ladder_file("model_ladder: {dev-agent: {0: tiny, 1+: escalate}, qa-agent: }", "escalation.yaml")
    plain = load_flow(files["flow.yaml"], "flow.yaml", files.get)
    read = read_flow(files["flow.yaml"], "flow.yaml", files.get, ladders)
    assert read.warnings == []
    assert read.flow.agents["dev-agent"].ladder == [Rung(0, 0, "tiny"), Rung(1, None, "escalate")]
    assert read.flow.agents["dev-agent"].escalate_to == "needs-senior-dev"
    del plain.agents["dev-agent"], read.flow.agents["dev-agent"]
    assert read.flow == plain


def test_the_documents_ladders_are_those_of_the_kanban_preset() -> None:
    files = read_preset("kanban")
    plain = load_flow(files["flow.yaml"], "flow.yaml", files.get)
    ladders = read_ladder_file(LADDER_FILE, "escalation.yaml")
    assert load_flow(files["flow.yaml"], "flow.yaml", files.get, ladders) == plain


def test_an_agent_that_the_flow_does_not_have_is_a_warning() -> None:
    flow = "columns: {dev: {agents: [coder], next: done}}\nagents: {coder: }\n"
    ladders = read_ladder_file("model_ladder: {codre: {0: tiny}}", "escalation.yaml")
    read = read_flow(flow, "flow.yaml", lambda path: None, ladders)
    assert read.flow.agents["coder"].ladder == []
    assert read.warnings == [
        "flow.yaml:2:1: agents: the ladder file names 'codre', which is no agent here: that ladder is not used"
        " — did you mean 'coder'?"
    ]


def test_other_keys_of_a_shared_file_are_left_alone() -> None:
    text = "colour: true\nmodel_ladder: {coder: {0+: tiny}}\nnested: {a: [1]}\n"
    assert read_ladder_file(text, "escalation.yaml") == {"coder": [Rung(0, None, "tiny")]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: the file is empty"),
        ("- a\n", "1:1: model_ladder: there are no ladders — begin with model_ladder:"),
        ("model_ladder:\n", "1:1: model_ladder: there are no ladders — begin with model_ladder:"),
        ("model_laddr: {a: {0: b}}\n", "1:1: model_ladder: there are no ladders — write model_ladder for 'mod"),
        ("model_ladder: [a]\n", "1:15: model_ladder: a list stands where keys and values belong"),
        ("model_ladder:\n  dev: opus\n", "2:8: model_ladder.dev: a single value stands where keys"),
        ("model_ladder:\n  dev:\n    0-1: a\n    3+: b\n", "4:5: model_ladder.dev.3+: no model is named for 2"),
        ("model_ladder:\n  dev agent: {0: a}\n", "2:3: model_ladder.'dev agent': this is no name for an agent"),
        ("model_ladder:\n\tdev: {0: a}\n", "2:1: this is not YAML"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_at_its_place(text: str, said: str) -> None:
    with pytest.raises(FlowFaults) as caught:
        read_ladder_file(text, "escalation.yaml")
    assert len(caught.value.faults) == 1
    assert str(caught.value.faults[0]).startswith(f"escalation.yaml:{said}")


COLUMN_STEPS = [
    ("needs-senior-dev", "needs-senior-dev"),
    ("Needs-Senior-Dev", "needs-senior-dev"),
    ("needs senior dev", "needs-senior-dev"),
    ("escalate to needs-human", "needs-human"),
    ("dispute-test-vs-dev", "dispute-test-vs-dev"),
    ("review", "review"),
]


@pytest.mark.ledger("K-09", "K-15")
@pytest.mark.parametrize(("step", "column"), COLUMN_STEPS)
def test_a_step_that_names_a_column_is_no_model(step: str, column: str) -> None:
    """The document's `6: None  # Give up → escalate column`, where the column itself is written."""
    files = read_preset("kanban")
    wrong = files["flow.yaml"].replace("4-5: opus, 6+: escalate", f"4-5: opus, 6+: {step}")
    line = next(number for number, text in enumerate(wrong.splitlines(), 1) if step in text and "6+" in text)
    with pytest.raises(FlowFaults) as found:
        load_flow(wrong, "flow.yaml", files.get)
    said = str(found.value.faults[0])
    assert said.startswith(f"flow.yaml:{line}:50: agents.dev-agent.ladder.6+: '{step}' names the column '{column}'")
    where = column if column.startswith("needs") else "…, a column of kind escalation"
    assert f"write 6+: escalate, and beside the ladder escalate_to: {where}" in said
    flow = load_flow(files["flow.yaml"], "flow.yaml", files.get)
    shared = LADDER_FILE.replace("6+: escalate", f"6+: {step}", 1)
    with pytest.raises(FlowFaults) as found:
        check_ladder_file(shared, "escalation.yaml", flow)
    line = next(number for number, text in enumerate(shared.splitlines(), 1) if step in text)
    assert str(found.value.faults[0]).startswith(f"escalation.yaml:{line}:5: model_ladder.dev-agent.6+: '{step}' names")


@pytest.mark.ledger("K-15")
def test_what_is_named_in_models_is_a_model_and_another_boards_agent_is_not_looked_at() -> None:
    flow = (
        "columns: {dev: {agents: [coder], next: done}}\nmodels: {dev: {id: x}}\n"
        "agents: {coder: {ladder: {0: dev, 1: coder, 2+: escalate}}}\n"
    )
    read = read_flow(flow, "flow.yaml", lambda path: None)
    assert [warning.split(" — ")[0] for warning in read.warnings] == [
        "flow.yaml:3:35: agents.coder.ladder.1: 'coder' is an agent's name, and is taken for a model"
    ]
    assert check_ladder_file("model_ladder: {other: {0: dev}}", "escalation.yaml", read.flow) == []


@pytest.mark.ledger("K-15")
def test_the_agents_of_the_file_are_found_in_any_spelling() -> None:
    files = read_preset("kanban")
    ladders = read_ladder_file("model_ladder: {Dev_Agent: {0: tiny, 1+: escalate}}", "escalation.yaml")
    read = read_flow(files["flow.yaml"], "flow.yaml", files.get, ladders)
    assert read.warnings == [] and read.flow.agents["dev-agent"].ladder[0] == Rung(0, 0, "tiny")
