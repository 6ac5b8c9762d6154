"""Which role has which tools, and what none of them can do."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from folkmoot import Board
from folkmoot.api.call import ROLES, Role
from folkmoot.api.requests import Add, Claim
from folkmoot.core.commands import Actor
from folkmoot.doors.mcp import desk as desk_module
from folkmoot.doors.mcp.tools import BY_NAME, TOOLS
from folkmoot.engine.registry import CALLS
from folkmoot.wiring.boards import FileBoards
from tests.doors.mcp.conftest import ADA, House, within

ALL = ["board", "show", "add", "claim", "report", "comment", "ask", "wait"]
OF: dict[Role, list[str]] = {
    "owner": ALL,
    "person": ALL,
    "run": ["show", "report", "comment", "ask", "wait"],
    "observer": ["board", "show", "wait"],
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "add": {"items": [{"title": "One"}]},
    "comment": {"content": "x", "item": "1"},
    "ask": {"question": "x"},
    "report": {"outcome": "done", "summary": "x"},
    "wait": {"seconds": 0},
    "show": {"item": "1"},
}


def run_on(house: House, title: str) -> Actor:
    ask = house.board.asked_by(ADA)
    item = ask(Add(title=title, column="dev")).id
    view = ask(Claim(agent="dev-agent", item=item))
    return Actor(view.run, view.run, view.token)


@pytest.mark.parametrize("role", ROLES)
def test_a_client_sees_the_tools_of_its_role_and_no_other(house: House, role: Role, era: str) -> None:
    actor = run_on(house, "One") if role == "run" else ADA

    async def play() -> None:
        async with house.client(role, actor, era) as tools:
            assert await tools.names() == OF[role]

    within(play)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("tool", ALL)
def test_a_tool_of_another_role_is_refused_though_its_name_is_known(house: House, role: Role, tool: str) -> None:
    actor = run_on(house, "One") if role == "run" else ADA

    async def play() -> None:
        async with house.client(role, actor) as tools:
            told = await tools.told(tool, **ARGUMENTS.get(tool, {}))
            assert ("not_for_role" in told.text) == (tool not in OF[role])

    within(play)


def test_a_run_speaks_for_itself_whatever_run_it_names(house: House) -> None:
    own, other = run_on(house, "One"), run_on(house, "Two")

    async def play() -> None:
        async with house.client("run", own) as tools:
            await tools("comment", content="from the first", run=f"{other.run}:{other.token}")
            ended = await tools("report", outcome="done", summary="mine", run=f"{other.run}:{other.token}")
            assert ended["item"] == "1"
            assert (await tools("show"))["item"] == "1"
        async with house.client("run", other) as tools:
            shown = await tools("show")
            assert shown["status"] == "running" and "comments" not in shown

    within(play)


def test_a_token_that_was_guessed_changes_nothing(house: House) -> None:
    own = run_on(house, "One")

    async def play() -> None:
        async with house.client() as tools:
            wrong = f"{own.run}:{(own.token or 0) + 1}"
            assert (await tools.refused("report", outcome="done", summary="x", run=wrong))["code"] == "stale_claim"
            assert (await tools("show", item="1"))["status"] == "running"

    within(play)


def test_no_tool_calls_what_only_people_decide() -> None:
    """Answering, moving, reopening, cancelling, pausing: no request of these is even named by the door."""
    folder = Path(str(desk_module.__file__)).parent
    source = "\n".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    used = set(re.findall(r"requests\.(\w+)", source))
    only_people = {call.request.__name__ for call in CALLS if call.writes and not call.allows("run")}
    assert {"AnswerQuestion", "Move", "Reopen", "Cancel", "Pause", "Resume"} <= only_people
    assert used & only_people == {"Claim"}


def test_every_role_is_thought_of() -> None:
    assert set(OF) == set(get_args(Role)) and [tool.name for tool in TOOLS] == ALL == list(BY_NAME)


FLOW = """
flow: gated
columns: {dev: {agents: [dev], next: done, gate: tests}}
agents: {dev: {}}
gates: {tests: {run: ["false"]}}
"""


@pytest.mark.attack(
    "gates",
    "an agent from outside claims the gate itself by MCP, where there is no git repository, and says that it is green",
    "it is refused: whoever plays agents plays no gate and no landing, with a clone or without one",
)
@pytest.mark.parametrize("name", ["tests", "Tests", "landing"])
def test_no_tool_plays_a_gate_or_a_landing(tmp_path: Path, name: str) -> None:
    (tmp_path / ".moot").mkdir()
    (tmp_path / ".moot" / "flow.yaml").write_text(FLOW)
    Board.boards = FileBoards()
    Board.create(str(tmp_path), actor="ada").close()
    house = House(tmp_path)

    async def play() -> None:
        async with house.client() as tools:
            await tools("add", items=[{"title": "One"}])
            await tools("report", run=(await tools("claim"))["run"], outcome="done", summary="made it")
            assert (await tools.refused("claim", agent=name))["code"] == "unknown_agent"
            assert (await tools("show", item="1"))["status"] == "proving"

    within(play)
    house.close()
