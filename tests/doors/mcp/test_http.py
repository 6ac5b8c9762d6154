"""The server over HTTP as `moot serve` mounts it: a real socket, callers that were let in before, no sessions."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount

from folkmoot.api.requests import Add, AnswerQuestion, Show
from folkmoot.core.commands import Actor
from folkmoot.doors.mcp.caller import Caller
from folkmoot.doors.mcp.http import McpApp, mcp_app
from folkmoot.engine.application import Application
from folkmoot.errors import Refused
from tests.doors.mcp.conftest import ADA, ERAS, House, Tools, within

CALLERS = {
    "Bearer ada": Caller("owner", ADA, "token"),
    "Bearer bob": Caller("person", Actor("bob"), "token"),
    "Bearer eve": Caller("observer", Actor("eve"), "token"),
}


def seal(run: str, token: int) -> str:
    return f"sealed-{run}-{token}"


def unseal(text: str) -> Actor:
    mark, _, rest = text.partition("-")
    run, _, token = rest.rpartition("-")
    if mark != "sealed":
        raise Refused("stale_claim", "this names no run", "")
    return Actor(run, run, int(token))


class LettingIn:
    """Knows callers by a header; one without is still handed on, as a host never would."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            caller = CALLERS.get(headers.get(b"authorization", b"").decode())
            scope = {**scope, "state": {**scope.get("state", {}), **({"caller": caller} if caller else {})}}
        await self._app(scope, receive, send)


def hosted(app: McpApp) -> Any:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with app.run():
            yield

    return LettingIn(Starlette(routes=[Mount("/mcp", app)], lifespan=lifespan))


@contextmanager
def served(board: Application) -> Iterator[str]:
    """The address of a server on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(hosted(mcp_app(board, seal, unseal)), log_level="error", lifespan="on")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp/"
        finally:
            running.should_exit = True
            thread.join(60)


@pytest.fixture
def address(house: House) -> Iterator[str]:
    house.board.asked_by(ADA)(Add(title="One", column="dev"))
    house.board.asked_by(ADA)(Add(title="Two", column="dev"))
    with served(house.board) as address:
        yield address


@asynccontextmanager
async def client(address: str, era: str = "2026-07-28", who: str = "ada") -> AsyncIterator[Tools]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {who}"}, timeout=90) as http,
        Client(streamable_http_client(address, http_client=http), mode=ERAS[era]) as connected,
    ):
        assert connected.protocol_version == era
        yield Tools(connected)


def test_a_run_goes_from_claim_to_report_by_its_sealed_text(house: House, address: str, era: str) -> None:
    async def play() -> None:
        async with client(address, era) as tools:
            run = (await tools("claim", item="1"))["run"]
            assert run.startswith("sealed-")
            assert (await tools.refused("comment", content="whose?"))["code"] == "no_run"
        async with client(address, era) as tools:  # nothing is kept between requests
            await tools("comment", content="begun", run=run)
            asked = await tools("ask", question="Which?", run=run)
            answer = AnswerQuestion(question=asked["question"], answer="the first")
            await anyio.to_thread.run_sync(lambda: house.board.asked_by(ADA)(answer))
            assert (await tools("wait", question=asked["question"], run=run))["answer"] == "the first"
            assert (await tools("report", outcome="done", summary="x", run=run))["item"] == "1"

    within(play)
    assert house.board.asked_by(ADA)(Show(item="1")).runs[0].outcome == "done"


def test_each_request_is_its_callers(address: str, era: str) -> None:
    async def play() -> None:
        async with client(address, era) as ada, client(address, era, "bob") as bob, client(address, era, "eve") as eve:
            assert await eve.names() == ["board", "show", "wait"] and len(await bob.names()) == 8
            await ada("comment", item="1", content="from ada")
            await bob("comment", item="1", content="from bob")
            said = (await eve("show", item="1"))["comments"]
            assert [(one["author"], one["content"]) for one in said] == [("ada", "from ada"), ("bob", "from bob")]
            assert (await eve.refused("comment", item="1", content="x"))["code"] == "not_for_role"

    within(play)


def test_a_request_with_which_nobody_was_let_in_is_refused(address: str, era: str) -> None:
    async def play() -> None:
        async with client(address, era, "nobody") as tools:
            for asked in (tools.names, lambda: tools.told("show", item="1"), tools.client.list_resources):
                with pytest.raises(MCPError, match="nobody was let in"):
                    await asked()

    within(play)


def test_a_call_of_a_run_keeps_its_lease(house: House, address: str) -> None:
    async def play() -> None:
        async with client(address) as tools:
            run = (await tools("claim", item="1"))["run"]
            before = house.board.queries.live().runs[0].lease_expires_at
            await tools("wait", run=run, seconds=0)
            after = house.board.queries.live().runs[0].lease_expires_at
            assert before is not None and after is not None and after > before

    within(play)


def test_a_seal_that_was_made_by_somebody_else_is_refused(address: str) -> None:
    async def play() -> None:
        async with client(address) as tools:
            await tools("claim", item="1")
            error = await tools.refused("report", outcome="done", summary="x", run="r1:1")
            assert error["code"] == "stale_claim"

    within(play)


def test_waiting_clients_keep_no_other_waiting(house: House, address: str) -> None:
    async def play() -> None:
        async with client(address) as tools, anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(lambda: tools("wait", item="1", seconds=60))
            assert (await tools("show", item="2"))["item"] == "2"
            await tools("comment", item="1", content="now")

    within(play, 59.0)


def test_no_session_is_made(address: str) -> None:
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    headers = {"Authorization": "Bearer ada", "Accept": "application/json, text/event-stream"}
    answer = httpx2.post(address, json=request, headers=headers)
    assert answer.status_code == 200 and "mcp-session-id" not in answer.headers
    assert json.loads(answer.text)["result"]["serverInfo"]["name"] == "folkmoot"
