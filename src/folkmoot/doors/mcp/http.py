"""The same server as an ASGI application: streamable HTTP, without sessions, for any number of callers at once.

Whoever mounts it has let the caller in before, and has put a `Caller` into `scope["state"]["caller"]`. Host, Origin,
rates and tokens are looked at there, and not here.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from folkmoot.doors.mcp.caller import Caller
from folkmoot.doors.mcp.desk import Desk
from folkmoot.doors.mcp.runs import Seal, SealedRuns, Unseal
from folkmoot.doors.mcp.server import server

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

Message = MutableMapping[str, Any]
BODY_BYTES_MAX = 2_000_000  # a report may have a million characters, and each may be an escape


class McpApp:
    """For one endpoint, like `/mcp`. Requests are answered while `run` is entered, which its host's lifespan does."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        serving = server(desk, caller_of)
        self._manager = StreamableHTTPSessionManager(
            serving, stateless=True, json_response=True, max_request_body_size=BODY_BYTES_MAX
        )

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        # Space around a header's value is no part of it (RFC 9110, 5.5); not every server takes it away.
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        await self._manager.handle_request({**scope, "headers": headers}, receive, send)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with self._manager.run():
            try:
                yield
            finally:
                self._desk.waiter.over = True  # whoever waits is let go


def caller_of(context: Any) -> Caller:
    """Who was let in with this request; nobody is let in here."""
    scope = getattr(context.request, "scope", None) or {}
    caller = scope.get("state", {}).get("caller")
    if not isinstance(caller, Caller):
        raise MCPError(types.INVALID_REQUEST, "nobody was let in with this request")
    return caller


def mcp_app(board: "Application", seal: Seal, unseal: Unseal) -> McpApp:
    """`seal` makes of a run and its fencing token the text by which a claimant proves the run; `unseal` reads it, and
    raises for one that was not made here."""
    return McpApp(Desk(board, SealedRuns(board, seal, unseal)))
