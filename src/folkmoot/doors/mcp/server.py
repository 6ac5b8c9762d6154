"""The server as the SDK runs it, on whichever transport: which tools and resources there are, and what they answer.

Only here and in `stdio` and `http` is the SDK imported; it takes longer to import than most commands take.
"""

from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Literal, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from folkmoot.doors.mcp import resources, tools
from folkmoot.doors.mcp.caller import CallerOf
from folkmoot.doors.mcp.desk import Desk, Told
from folkmoot.doors.mcp.words import error_text
from folkmoot.engine import registry
from folkmoot.errors import MootError

Result = TypeVar("Result")
NAME, TITLE = "folkmoot", "Folkmoot"
CALLS_MAX = 16  # at once: each takes a thread while it speaks to the board
SLOW_MAX = 8  # at once of those that may make clones or run git: nobody else waits for them
WAITS_MAX = 100  # at once: they sleep, and keep no other call waiting


Kind = Literal["short", "slow", "waits"]
AT_ONCE: dict[Kind, int] = {"short": CALLS_MAX, "slow": SLOW_MAX, "waits": WAITS_MAX}


def kind_of(tool: str) -> Kind:
    """A tool has the name of the call that it makes; one that only waits is no call."""
    call = registry.BY_NAME.get(tool)
    if call is None:
        return "waits"
    return "slow" if call.is_slow is not None else "short"


def instructions() -> str:
    return files(__package__).joinpath("instructions.md").read_text("utf-8").strip()


class Handlers:
    """Each request of the protocol becomes a call of the desk, in a thread: the board is spoken to without waiting."""

    def __init__(self, desk: Desk, caller_of: CallerOf) -> None:
        self._desk = desk
        self._caller_of = caller_of
        self._limiters: dict[Kind, anyio.CapacityLimiter] = {}

    async def list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        role = self._caller_of(context).role
        return types.ListToolsResult(tools=[as_tool(tool) for tool in tools.tools_for(role)])

    async def call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools.BY_NAME:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}")
        caller, given = self._caller_of(context), params.arguments or {}
        told: Told = await self._apart(lambda: self._desk.call(caller, params.name, given), kind_of(params.name))
        text = types.TextContent(type="text", text=told.text)
        return types.CallToolResult(content=[text], structured_content=told.data, is_error=told.is_error)

    async def list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        caller = self._caller_of(context)
        found = await self._apart(lambda: resources.listed(self._desk, caller))
        return types.ListResourcesResult(resources=[types.Resource(**one) for one in found])

    async def list_templates(self, context: Any, params: Any) -> types.ListResourceTemplatesResult:
        made = [
            types.ResourceTemplate(uri_template=uri, name=name, description=words, mime_type="text/plain")
            for uri, name, words in resources.TEMPLATES
        ]
        return types.ListResourceTemplatesResult(resource_templates=made)

    async def read_resource(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller, uri = self._caller_of(context), str(params.uri)
        try:
            text = await self._apart(lambda: resources.read(self._desk, caller, uri))
        except MootError as error:
            raise MCPError(types.INVALID_PARAMS, error_text(error), {"uri": uri}) from error
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _apart(self, call: Callable[[], Result], kind: Kind = "short") -> Result:
        """In a thread; one that waits is left alone when its client gives up, and ends by itself soon after."""
        if kind not in self._limiters:
            self._limiters[kind] = anyio.CapacityLimiter(AT_ONCE[kind])
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=kind == "waits", limiter=self._limiters[kind])


def as_tool(tool: tools.Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations.model_validate(tool.annotations),
    )


def server(desk: Desk, caller_of: CallerOf) -> Server[Any]:
    handlers = Handlers(desk, caller_of)
    return Server(
        NAME,
        version=version(NAME),
        title=TITLE,
        instructions=instructions(),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )
