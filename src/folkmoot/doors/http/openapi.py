"""The OpenAPI 3.1 document, made from the same structs as the server: nothing of it is written twice."""

from collections.abc import Iterable
from typing import Any

import msgspec

from folkmoot.api.call import Call
from folkmoot.api.errors import ERRORS
from folkmoot.api.schemas import DIALECT
from folkmoot.doors.http.exchange import JSON
from folkmoot.doors.http.problems import PROBLEM, STATUS, WIRE
from folkmoot.doors.http.routes import Route, routes

REFERENCE = "#/components/schemas/{name}"
PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": sorted({*ERRORS, *WIRE})},
        "hint": {"type": "string"},
        "details": {"type": "object"},
        "next": {"type": "array", "items": {"type": "object"}},
    },
}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key twice has one effect, and one answer.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of the item: it is changed only if it still has that version, else 412.",
    "schema": {"type": "string", "pattern": '^"[0-9]{1,9}\\.[0-9a-f]{16}"$'},
}

# Each operation has an id of its own, and `metrics` is a call.
SPECIAL_IDS: dict[tuple[str | None, str], str] = {
    ("metrics", "GET"): "prometheus",
    ("mcp", "GET"): "mcp_stream",
    ("mcp", "DELETE"): "mcp_end",
}


def document(calls: Iterable[Call], version: str) -> dict[str, Any]:
    found = routes(calls)
    with_call = [route for route in found.values() if route.call is not None]
    kinds = [kind for route in with_call if route.call for kind in (route.call.request, route.call.response)]
    shown, parts = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    schemas = {**parts, "Problem": PROBLEM_SCHEMA}
    paths: dict[str, Any] = {}
    for number, route in enumerate(with_call):
        request, response = shown[2 * number], shown[2 * number + 1]
        operation = _of_call(route, schemas[_name(request)], request, response)
        paths[route.path] = {route.methods[0].lower(): operation}
    for route in found.values():
        if route.special is not None:
            paths[route.path] = {method.lower(): _of_special(route, method) for method in route.methods}
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": DIALECT,
        "info": {
            "title": "Folkmoot",
            "version": version,
            "description": "A board for coding agents. Each path is a call of the contract.",
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "responses": {"Problem": {"description": "What went wrong.", "content": {PROBLEM: {"schema": _problem()}}}},
        },
    }


def _of_call(route: Route, fields: dict[str, Any], request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    call = route.call
    assert call is not None
    operation: dict[str, Any] = {
        "operationId": call.name,
        "summary": " ".join(route.summary.split()),
        "description": f"For: {', '.join(sorted(route.may or ()))}.",
        "x-roles": sorted(route.may or ()),
        "responses": {
            "200": {"description": "The answer.", "content": {JSON: {"schema": response}}},
            **_problems(),
        },
    }
    if call.name == "show":
        operation["responses"]["304"] = {"description": "The item is as the caller has it."}
    if not call.writes:
        operation["parameters"] = [_parameter(name, kind, fields) for name, kind in fields["properties"].items()]
        return operation
    operation["parameters"] = [KEY, *([IF_MATCH] if "version" in fields["properties"] else [])]
    operation["requestBody"] = {"required": True, "content": {JSON: {"schema": request}}}
    return operation


def _parameter(name: str, kind: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "in": "query", "required": name in fields.get("required", [])}
    plain = {key: value for key, value in kind.items() if key != "default"}
    options = [one for one in plain.get("anyOf", []) if one.get("type") != "null"]
    if len(options) == 1 and "anyOf" in plain:
        plain = options[0]  # in a query, what is not there is null
    if plain.get("type") == "object":
        return {**made, "content": {JSON: {"schema": plain}}}
    return {**made, "schema": plain, **({"style": "form", "explode": True} if plain.get("type") == "array" else {})}


def _of_special(route: Route, method: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": SPECIAL_IDS.get((route.special, method), route.special),
        "summary": route.summary,
        "responses": {"200": {"description": "The answer."}, **_problems()},
    }
    if route.may is None:
        operation["security"] = []
    else:
        operation["x-roles"] = sorted(route.may)
    if route.special == "events":
        number = {"type": "integer", "minimum": 0}
        operation["parameters"] = [
            {"name": "after", "in": "query", "required": False, "schema": number},
            {"name": "item", "in": "query", "required": False, "schema": {"type": "string"}},
            {"name": "Last-Event-ID", "in": "header", "required": False, "schema": number},
        ]
        operation["responses"]["200"]["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
    if route.special == "login":
        code = {"type": "string"}
        operation["parameters"] = [{"name": "code", "in": "query", "required": True, "schema": code}]
        operation["responses"]["303"] = {"description": "The browser has its cookie, and goes to the board."}
        del operation["responses"]["200"]
    return operation


def _problems() -> dict[str, Any]:
    statuses = {row.http for row in ERRORS.values()} | set(STATUS.values()) | {status for status, _ in WIRE.values()}
    return {str(status): {"$ref": "#/components/responses/Problem"} for status in sorted(statuses - {500})}


def _problem() -> dict[str, str]:
    return {"$ref": REFERENCE.format(name="Problem")}


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
