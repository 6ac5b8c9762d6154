"""A board, and a client of the official SDK that is connected to it: in this process, in both eras of the protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult

from folkmoot.api.call import Role
from folkmoot.core.commands import Actor
from folkmoot.doors.mcp.caller import Caller, always
from folkmoot.doors.mcp.desk import Desk
from folkmoot.doors.mcp.runs import OwnRuns
from folkmoot.doors.mcp.server import server
from folkmoot.wiring.boards import FileBoards
from tests import stores

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
ADA = Actor("ada")


class Told:
    """What a tool answered; its text and its data were compared already."""

    def __init__(self, result: CallToolResult) -> None:
        self.text = "".join(part.text for part in result.content if part.type == "text")
        self.data: dict[str, Any] = result.structured_content or {}
        self.is_error = bool(result.is_error)
        for value in leaves(self.data if not self.is_error else {}):
            assert value in self.text, f"the data says {value!r}, and the text does not:\n{self.text}"


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    else:
        yield str(value)


class Tools:
    """The tools of a client that is connected."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        told = await self.told(tool, **arguments)
        assert not told.is_error, told.text
        return told.data

    async def told(self, tool: str, **arguments: Any) -> Told:
        return Told(await self.client.call_tool(tool, arguments))

    async def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that must be refused."""
        told = await self.told(tool, **arguments)
        assert told.is_error, told.text
        error: dict[str, Any] = told.data["error"]
        assert error["message"] in told.text and error["code"] in told.text
        return error

    async def names(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]


class House:
    """A board in a folder, with a desk; clients of any role may come."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.board = FileBoards().open(str(folder))
        self.runs = OwnRuns(self.board)
        self.desk = Desk(self.board, self.runs)

    @asynccontextmanager
    async def client(self, role: Role = "owner", actor: Actor = ADA, era: str = "2026-07-28") -> AsyncIterator[Tools]:
        async with Client(server(self.desk, always(Caller(role, actor))), mode=ERAS[era]) as client:
            assert client.protocol_version == era
            yield Tools(client)

    def close(self) -> None:
        self.runs.close()
        self.board.close()


@pytest.fixture
def house(tmp_path: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    stores.copy(fresh / ".moot", tmp_path / "project" / ".moot")
    house = House(tmp_path / "project")
    yield house
    house.close()


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def within(play: Callable[[], Awaitable[None]], seconds: float = 60.0) -> None:
    """Play an async part of a test; it fails if that takes longer than any machine needs."""

    async def bounded() -> None:
        with anyio.fail_after(seconds):
            await play()

    anyio.run(bounded)
