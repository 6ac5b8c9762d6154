"""Every route there is, made from the registry; what is not here is not found.

A call that reads is `GET /v1/<call>` with its request in the query; a call that writes is `POST /v1/<call>` with its
request as JSON. The few routes that carry no call of the registry stand here too, each with who may use it.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from folkmoot.api.call import ROLES, Call, Role

PREFIX = "/v1/"
MCP_PATH = "/mcp"
HOOK_PATH = "/hooks/forge"
PAGES = "/"  # and the files that the page is made of
Special = Literal["events", "metrics", "openapi", "mcp", "login", "healthz", "page", "hook"]


class Route(Struct, frozen=True):
    """`may` is None where no token is needed: what such a route does is said beside it."""

    path: str
    methods: tuple[str, ...]
    may: frozenset[Role] | None
    summary: str
    call: Call | None = None
    special: Special | None = None


EVERYBODY = frozenset(ROLES)
PEOPLE_AND_OBSERVERS: frozenset[Role] = frozenset({"owner", "person", "observer"})
SPECIAL = (
    Route(f"{PREFIX}events", ("GET",), EVERYBODY, "The log as a stream of server-sent events.", special="events"),
    Route("/metrics", ("GET",), PEOPLE_AND_OBSERVERS, "Figures for Prometheus.", special="metrics"),
    Route("/openapi.json", ("GET",), EVERYBODY, "This document.", special="openapi"),
    Route(MCP_PATH, ("GET", "POST", "DELETE"), EVERYBODY, "The board as an MCP server.", special="mcp"),
    # Shows a code that is good once, and gets a cookie; says only whether the board is sound; is the same for all.
    Route("/login", ("GET",), None, "Sign a browser in by a link that was made for it.", special="login"),
    Route("/healthz", ("GET",), None, "200 if the board is sound, else 503.", special="healthz"),
    # Is signed by the forge, and says nothing that is believed.
    Route(HOOK_PATH, ("POST",), None, "Called by a forge when something has happened there.", special="hook"),
    Route(PAGES, ("GET",), None, "The web board: a page that asks as whoever is signed in.", special="page"),
)


def routes(calls: Iterable[Call]) -> dict[str, Route]:
    """By path. A call of the owner's or a person's is for the owner, too."""
    found = {}
    for call in calls:
        may = frozenset(role for role in ROLES if call.allows(role))
        method = "POST" if call.writes else "GET"
        found[PREFIX + call.name] = Route(PREFIX + call.name, (method,), may, call.summary, call)
    return {**found, **{route.path: route for route in SPECIAL}}
