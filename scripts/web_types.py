"""Writes `types.ts` and `event_words.ts` of `web/src/api/` from the contract: the page's types and words are the
server's own."""

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from folkmoot.api.machine import SavedPage
from folkmoot.api.views import EventView
from folkmoot.core.events import EVENTS
from folkmoot.engine.registry import CALLS

FOLDER = Path(__file__).parents[1] / "web" / "src" / "api"
REFERENCE = "#/$defs/{name}"
HEAD = "// Made by scripts/web_types.py from the structs of the contract. Do not change it by hand.\n"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def files() -> dict[str, str]:
    return {"types.ts": types(), "event_words.ts": event_words()}


def event_words() -> str:
    """What each event says happened, for whoever reads the log."""
    table = msgspec.json.format(msgspec.json.encode(EVENTS), indent=2).decode()
    return f"{HEAD}\nexport const EVENT_WORDS: Record<string, string> = {table};\n"


def types() -> str:
    kinds = [kind for call in CALLS for kind in (call.request, call.response)]
    shown, parts = msgspec.json.schema_components([*kinds, EventView, SavedPage], ref_template=REFERENCE)
    lines = [HEAD]
    for name, schema in sorted(parts.items()):
        lines.append(_declared(name, schema))
    for which, writes in (("Reads", False), ("Writes", True)):
        lines.append(
            f"/** Every call that {'changes' if writes else 'looks at'} the board: what is asked, what is answered. */"
        )
        lines.append(f"export interface {which} {{")
        for number, call in enumerate(CALLS):
            if call.writes == writes:
                request, response = _type(shown[2 * number]), _type(shown[2 * number + 1])
                lines.append(f"  {call.name}: {{ request: {request}; response: {response} }};")
        lines.append("}\n")
    return "\n".join(lines)


def _declared(name: str, schema: dict[str, Any]) -> str:
    about = " ".join(schema.get("description", "").replace("*/", "* /").split())
    words = f"/** {about} */\n" if about else ""
    if schema.get("type") == "object" and "properties" in schema:
        required = set(schema.get("required", ()))
        fields = [
            f"  {_key(key)}{'' if key in required else '?'}: {_type(value)};"
            for key, value in schema["properties"].items()
        ]
        return f"{words}export interface {name} {{\n" + "\n".join(fields) + "\n}\n"
    return f"{words}export type {name} = {_type(schema)};\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f'"{name}"'


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(one).decode() for one in schema["enum"])
    if "const" in schema:
        return msgspec.json.encode(schema["const"]).decode()
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_type(one) for one in schema[key]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(_type(one) for one in schema["prefixItems"]) + "]"
        return f"({_type(schema['items'])})[]" if schema.get("items") else "unknown[]"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"Record<string, {_type(more)}>" if isinstance(more, dict) and more else "Record<string, unknown>"
    return PLAIN.get(str(kind), "unknown")


if __name__ == "__main__":
    for name, text in files().items():
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(text, "utf-8")
        elif (FOLDER / name).read_text("utf-8") != text:
            sys.exit(f"web/src/api/{name} is not what the contract says: make web")
