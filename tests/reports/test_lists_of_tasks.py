"""A list of tasks that stands by itself, and sub-agents that are asked for in words."""

import json
from typing import Any

import pytest

from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import TASKS

BOTH: list[dict[str, Any]] = [*TASKS.values()]


@pytest.mark.parametrize(
    "said",
    [
        BOTH,
        [*BOTH, {"task": "User can log out"}],
        [{"title": "Register", "files": ["a.py"]}, {"title": "Reset", "files": ["b.py"], "after": ["Register"]}],
    ],
)
def test_a_list_of_tasks_is_the_same_as_under_tasks(said: list[dict[str, Any]]) -> None:
    assert read_report(json.dumps(said)) == read_report(json.dumps({"tasks": said}))


@pytest.mark.parametrize(
    "said",
    [
        [{"task": "analyze_existing_auth_patterns", "scope": "discovery_only"}],
        [{"title": "E1"}, {"title": "E2"}],
        [{"agent": "codeweaver", "task": "User can log out"}],
    ],
)
def test_a_list_that_may_mean_something_else_is_asked_back_with_where_to_put_it(said: list[dict[str, Any]]) -> None:
    with pytest.raises(Invalid) as raised:
        read_report(json.dumps(said))
    assert "under `tasks`" in str(raised.value)


@pytest.mark.parametrize(
    "other",
    [
        [1, 2],
        [],
        ["a"],
        [{"title": "Missing check", "file": "a.py", "line": 3}],
        [{"outcome": "done", "summary": "it works", "title": "x"}],
    ],
)
def test_other_lists_are_asked_back_as_before(other: list[Any]) -> None:
    with pytest.raises(Invalid) as raised:
        read_report(json.dumps(other))
    assert "under `tasks`" not in str(raised.value)


@pytest.mark.parametrize("shape", ["look", ["look", {"task": "search", "scope": "discovery_only"}]])
def test_a_text_is_the_task_of_a_sub_agent(shape: Any) -> None:
    said = read_report(json.dumps({"decision": "delegate", "subAgents": shape}))
    assert said.outcome == "delegates" and said.delegate[0].task == "look"


def test_sub_agents_under_names_of_their_own_are_each_asked() -> None:
    shape = {
        "Sub-Agent 1": "Analyze existing auth code",
        "Sub-Agent 2": {"task": "Research", "scope": "discovery_only"},
    }
    said = read_report(json.dumps({"decision": "delegate", "subAgents": shape}))
    assert [one.task for one in said.delegate] == ["Analyze existing auth code", "Research"]
    assert said.delegate[1].scope == "discovery_only" and said.extra["subAgents"] == shape


@pytest.mark.parametrize("shape", [[""], [1], [{"scope": "all"}], "  ", {"scope": "all"}, {"Sub-Agent 1": ""}, {}])
def test_what_is_no_task_of_a_sub_agent_is_asked_back(shape: Any) -> None:
    with pytest.raises(Invalid):
        read_report(json.dumps({"decision": "delegate", "subAgents": shape}))
