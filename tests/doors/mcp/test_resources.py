"""Items and briefs as resources, for clients that read them."""

import pytest
from mcp import MCPError

from folkmoot.api.requests import Add
from tests.doors.mcp.conftest import ADA, House, Tools, within
from tests.doors.mcp.test_roles import run_on


async def text(tools: Tools, uri: str) -> str:
    (contents,) = (await tools.client.read_resource(uri)).contents
    return str(getattr(contents, "text", ""))


def test_items_are_listed_and_read(house: House, era: str) -> None:
    house.board.asked_by(ADA)(Add(title="Reset links expire", body="After one hour.", column="dev"))

    async def play() -> None:
        async with house.client("observer", era=era) as tools:
            (found,) = (await tools.client.list_resources()).resources
            assert (str(found.uri), found.title) == ("moot://item/1", "Reset links expire")
            assert "After one hour." in await text(tools, "moot://item/1")
            templates = (await tools.client.list_resource_templates()).resource_templates
            assert [one.uri_template for one in templates] == ["moot://item/{item}", "moot://run/{run}/brief"]

    within(play)


def test_a_brief_is_read_by_its_own_run_only(house: House) -> None:
    other = run_on(house, "One")
    house.board.asked_by(ADA)(Add(title="Two", column="dev"))

    async def play() -> None:
        async with house.client() as tools:
            claimed = await tools("claim", item="2")
            brief = f"moot://run/{claimed['run']}/brief"
            assert await text(tools, brief) == claimed["prompt"]
        async with house.client("run", other) as tools:
            for uri in (brief, f"moot://run/{claimed['run'].partition(':')[0]}/brief"):
                with pytest.raises(MCPError, match="there is nothing at"):
                    await text(tools, uri)

    within(play)


@pytest.mark.parametrize(
    "uri", ["moot://item/77", "moot://item/", "moot://run/r1:1/brief", "moot://flow", "file:///etc"]
)
def test_what_is_not_there_is_an_error_of_the_protocol(house: House, uri: str, era: str) -> None:
    async def play() -> None:
        async with house.client(era=era) as tools:
            with pytest.raises(MCPError):
                await text(tools, uri)

    within(play)
