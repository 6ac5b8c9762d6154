"""The contract as JSON Schema, made from its structs: nothing of it is written twice."""

from collections.abc import Iterable
from typing import Any

import msgspec

from folkmoot.api.call import Call
from folkmoot.api.views import EventView, MessageView
from folkmoot.core.flow import Flow
from folkmoot.core.report import Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCE = "#/$defs/{name}"
REQUEST, RESPONSE = "request", "response"
# What travels inside of calls, and is worth a name of its own.
THINGS: dict[str, Any] = {"Event": EventView, "Message": MessageView, "Report": Report, "Flow": Flow}


def names(calls: Iterable[Call]) -> list[str]:
    """All that has a schema: each call, then the things that calls carry."""
    return [*(call.name for call in calls), *(name for name in THINGS)]


def schema_of_call(call: Call) -> dict[str, Any]:
    """Both sides of a call, beside each other: a request, and its response."""
    (request, response), parts = msgspec.json.schema_components([call.request, call.response], ref_template=REFERENCE)
    both = {REQUEST: request, RESPONSE: response}
    return {"$schema": DIALECT, "title": call.name, "description": call.summary, "properties": both, "$defs": parts}


def schema_of_thing(name: str) -> dict[str, Any]:
    (thing,), parts = msgspec.json.schema_components([THINGS[name]], ref_template=REFERENCE)
    return {"$schema": DIALECT, "title": name, **thing, "$defs": parts}
