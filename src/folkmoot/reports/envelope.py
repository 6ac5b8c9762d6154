"""The message envelope: one table of its fields, by which it is checked and from which its JSON Schema is made."""

import re
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import MESSAGE_STATUSES, TYPES
from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.records import ORCHESTRATOR
from folkmoot.core.vocabulary.roles import role
from folkmoot.errors import Invalid
from folkmoot.reports.canonical import UNSTORABLE, Faulty, did_you_mean, shown

MESSAGE_CHARS_MAX = 1_000_000
NAME_CHARS_MAX = 200
PRIORITIES = ("critical", "high", "medium", "low")
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_NAME = {"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX, "pattern": r"\S"}

# Each field as its schema; the checker reads the same. What is not required is filled in when the message is sent.
FIELDS: dict[str, dict[str, Any]] = {
    "schema_version": {
        "type": "string",
        "pattern": r"^1\.[0-9]+\.[0-9]+$",
        "format": "version",
        "default": "1.0.0",
        "description": "Which version of the envelope this is.",
    },
    "message_id": {
        **_NAME,
        "pattern": r"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
        "format": "uuid",
        "description": "Its name, a uuid; given when it is sent.",
    },
    "timestamp": {
        **_NAME,
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}",
        "format": "date-time",
        "description": "When it was sent, in ISO 8601; the moment it is taken in if it says none.",
    },
    "from": {**_NAME, "description": "Which agent or person sends it."},
    "to": {**_NAME, "description": f"For whom it is; `{ORCHESTRATOR}` is the board itself."},
    "type": {**_NAME, "description": "What kind of message it is; the flow says who may send which."},
    "priority": {
        "type": "string",
        "enum": list(PRIORITIES),
        "description": "How urgent it is; if it does not say, as urgent as its item.",
    },
    "payload": {"type": "object", "default": {}, "description": "What is handed over."},
    "context": {
        "type": "object",
        "default": {},
        "description": "What it belongs to.",
        "properties": {
            "workflow": {"type": "string", "enum": list(TYPES)},
            "spec": {"type": "string", "minLength": 1, "description": "The path of the spec."},
            "iteration": {"type": "integer", "minimum": 1},
            "item": {"type": "string", "description": "The item it is bound to."},
        },
    },
    "status": {"type": "string", "enum": list(MESSAGE_STATUSES), "default": MESSAGE_STATUSES[0]},
}
REQUIRED = ("from", "to", "type")
LOOKS = {"version": "version like 1.0.0", "uuid": "uuid", "date-time": "time in ISO 8601, like 2026-01-31T12:00:00Z"}
# The pipeline's messages come without an envelope and name their sender in words of their own.
_BARE = (
    "task_assignment",
    "review_findings",
    "security_issues",
    "test_failures",
    "test_results",
    "clarification_request",
)
# The handoff document's come in one; what is meant for their payload may stand beside it.
_ENVELOPED = ("task_handoff", "review_request", "fix_request", "rereview_request", "completion", "escalation")
_SENDERS = ("from", "reviewer", "source")
_PYTHON: dict[str, type[Any]] = {"string": str, "object": dict, "integer": int}
_WORDS = {"string": "a text", "object": "an object", "integer": "a whole number"}


class Envelope(Struct, frozen=True, kw_only=True):
    """A message as it was written; None where nothing was said and the moment of sending fills it in."""

    sender: str  # empty: the run that sends it
    to: str
    type: str
    message_id: str | None = None
    timestamp: str | None = None
    schema_version: str = "1.0.0"
    priority: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    status: str | None = None


def envelope_schema() -> dict[str, Any]:
    """The published JSON Schema of the envelope."""
    return {
        "$schema": SCHEMA,
        "title": "Message envelope",
        "description": "What one agent hands to another.",
        "type": "object",
        "required": list(REQUIRED),
        "properties": FIELDS,
        "additionalProperties": False,
    }


def read_message(text: str, *, sender: str | None = None, to: str | None = None, in_run: bool = False) -> Envelope:
    """The message in a JSON text; Invalid with every wrong field by name. `sender` and `to` are said beside it."""
    from folkmoot.reports.loose.posted import object_in

    if len(text) > MESSAGE_CHARS_MAX:
        raise _bad([f"it has {len(text)} characters, more than {MESSAGE_CHARS_MAX}"])
    try:
        data = object_in(text)
    except Faulty as error:
        raise _bad(error.faults) from error
    return check_message(data, sender=sender, to=to, in_run=in_run)


def check_message(
    data: dict[str, Any],
    *,
    sender: str | None = None,
    to: str | None = None,
    in_run: bool = False,
    enclosed: bool = False,
) -> Envelope:
    """The envelope that these fields say; one of the pipeline's bare messages is put into one.

    What it does not say itself may be said beside it: `sender`, `to`; a run's message is from its agent (`in_run`).
    For one that stands in a report (`enclosed`) the flow says to whom it goes, if there is only one.
    """
    if not isinstance(data, dict):
        raise _bad([f"{shown(data)} is not an object"])
    if has_unstorable(data):
        raise _bad([UNSTORABLE])
    if "type" not in data and {"agent", "task"} <= data.keys():
        words = 'the message cannot be read: {"agent", "task"} is what dispatch_agent takes, and no message'
        raise Invalid("bad_message", words, "give an agent a small thing to do with: <dispatch agent task>")
    if isinstance(data.get("type"), str):
        data = _filled({**data, "type": role(data["type"], (*_BARE, *_ENVELOPED))})
    data = _enveloped(data, to)
    if sender is not None:
        data.setdefault("from", sender)
    given = ("from", "to") if enclosed else ("from",) if in_run else ()
    faults = [f"{name}: missing" for name in REQUIRED if name not in data and name not in given]
    for name, value in data.items():
        if name not in FIELDS:
            faults.append(f"{shown(name)}: unknown field" + did_you_mean(name, list(FIELDS)))
        else:
            faults += _faults(name, value, FIELDS[name])
    if faults:
        raise _bad(faults)
    return Envelope(
        sender=data.get("from", ""),
        to=data.get("to", ""),
        type=data["type"],
        message_id=data.get("message_id"),
        timestamp=data.get("timestamp"),
        schema_version=data.get("schema_version", FIELDS["schema_version"]["default"]),
        priority=data.get("priority"),
        payload=data.get("payload", {}),
        context=data.get("context", {}),
        status=data.get("status"),
    )


def _enveloped(data: dict[str, Any], to: str | None) -> dict[str, Any]:
    if data.get("type") not in _BARE or "payload" in data:
        return {**({"to": to} if to is not None else {}), **_in_one_form(data)}
    sender = next((data[name] for name in _SENDERS if name in data), None)
    # The pipeline's agents answer to the dispatcher; whom it assigns a task it says.
    to = to if to is not None or data["type"] == "task_assignment" else ORCHESTRATOR
    around = {"type": data["type"], **({"to": data.get("to", to)} if "to" in data or to is not None else {})}
    if sender is not None:
        around["from"] = sender
    # Of an envelope's other fields only those are meant that a bare message cannot mean: its status is a verdict.
    own: set[str] = {name for name in ("schema_version", "message_id", "timestamp", "priority") if name in data}
    context = data.get("context")
    if isinstance(context, dict) and context.keys() <= FIELDS["context"]["properties"].keys():
        own.add("context")  # the pipeline's own context is words
    around |= {name: data[name] for name in own}
    payload = {name: value for name, value in data.items() if name not in own | {"type", "to", "from"}}
    return _in_one_form({**around, "payload": payload})


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """The payload of a message that says its fields beside the envelope's. Close to one of those, it is asked back."""
    own = {name: value for name, value in data.items() if name not in FIELDS}
    if data["type"] not in _ENVELOPED or "payload" in data or any(did_you_mean(name, list(FIELDS)) for name in own):
        return data
    if isinstance(data.get("context"), str):
        own["context"] = data["context"]
    if own and data.get("status") not in (None, MESSAGE_STATUSES[0]):
        own["status"] = data["status"]  # beside what was done it is how that went
    return {**{name: value for name, value in data.items() if name not in own}, "payload": own} if own else data


def _in_one_form(data: dict[str, Any]) -> dict[str, Any]:
    """An item is meant by its number too, as `moot` itself prints it: 7, "7" or "#7"."""
    context = data.get("context")
    item = context.get("item") if isinstance(context, dict) else None
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(context, dict) or not isinstance(item, str):
        return data
    return {**data, "context": {**context, "item": item.strip().removeprefix("#")}}


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _faults(name: str, value: Any, schema: dict[str, Any]) -> list[str]:
    """What is wrong with one value, by the words of its schema."""
    kind = schema["type"]
    if not isinstance(value, _PYTHON[kind]) or isinstance(value, bool):
        return [f"{name}: {shown(value)} is not {_WORDS[kind]}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{name}: {shown(value)} is not one of {', '.join(schema['enum'])}"]
    if kind == "integer" and value < schema.get("minimum", value):
        return [f"{name}: {value} is less than {schema['minimum']}"]
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            return [f"{name}: {len(value)} letters, at least 1 and at most {NAME_CHARS_MAX}"]
        if "pattern" in schema and not re.search(schema["pattern"].replace("$", r"\Z"), value):
            return [f"{name}: {shown(value)} is no {LOOKS.get(schema.get('format', ''), 'value for it')}"]
        if schema.get("format") == "date-time" and not _is_moment(value):
            return [f"{name}: {shown(value)} is no moment that there is"]
    found: list[str] = []
    if isinstance(value, dict):
        for part, known in schema.get("properties", {}).items():
            found += _faults(f"{name}.{part}", value[part], known) if part in value else []
    return found


def _bad(faults: list[str]) -> Invalid:
    hint = 'a message is an object such as {"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}}'
    if {"from: missing", "to: missing"} & {*faults}:
        hint = f"say who sends it with <.as>, and to whom with <.to>; or in it: {hint}"
    return Invalid("bad_message", "the message cannot be read: {why}", hint, "; ".join(faults[:50]), faults=faults[:50])
