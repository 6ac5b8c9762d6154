"""What follows from a flow need not be said twice in it."""

import pytest

from folkmoot.testing.builders import small_flow

FLOW = """
columns: {{plan: {{agents: [planner], next: build}}, build: {{agents: [builder], next: done}}}}
agents: {{planner: {{{planner}}}, builder: {{{builder}}}, wise: {{{wise}}}}}
discover: plan
"""


def flow(planner: str = "", builder: str = "experts: [wise]", wise: str = "") -> dict[str, tuple[bool, list[str]]]:
    read = small_flow(FLOW.format(planner=planner, builder=builder, wise=wise))
    return {name: (agent.expert, agent.may) for name, agent in read.agents.items()}


@pytest.mark.parametrize(
    ("said", "may"), [("", ["ask", "split"]), ("may: []", ["split"]), ("may: [split, ask]", ["split", "ask"])]
)
def test_whoever_watches_the_column_that_splits_may_split(said: str, may: list[str]) -> None:
    assert flow(planner=said)["planner"] == (False, may)
    assert flow(planner=said)["builder"] == (False, ["ask"])


@pytest.mark.parametrize("said", ["", "expert: true"])
def test_whoever_is_named_as_an_expert_and_watches_no_column_is_one(said: str) -> None:
    assert flow(wise=said)["wise"] == (True, [])
