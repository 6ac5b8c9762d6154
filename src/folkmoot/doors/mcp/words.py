"""An answer as text that stands alone: some clients show a model the text, others the data. Both say the same."""

from typing import Any

import msgspec

from folkmoot.errors import MootError, Step

INDENT = "  "
OWN = "prompt"  # a text of ours, which stands last and as it is; all others may have been written by anybody
# Where a reader sees a new line, and JSON does not say so by itself.
_BREAKS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}


def text_of(data: dict[str, Any]) -> str:
    """Every name and value of the data, one below the other; long texts stand last and whole.

    Only our own names begin a line: what somebody wrote on the board is set in or quoted, so that no comment can go on
    as a line that the server seems to say.
    """
    short = {name: value for name, value in data.items() if not _is_long(value)}
    long = {name: value for name, value in data.items() if _is_long(value)}
    lines = [line for name, value in short.items() for line in _lines(name, value)]
    lines += [f"\n{name}:\n{value if name == OWN else _set_in(value)}" for name, value in _last(long)]
    return "\n".join(lines)


def _last(long: dict[str, str]) -> list[tuple[str, str]]:
    return sorted(long.items(), key=lambda one: one[0] == OWN)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and value.splitlines() not in ([], [value])


def _set_in(text: str) -> str:
    return "\n".join(INDENT + line for line in text.splitlines())


def _lines(name: str, value: Any) -> list[str]:
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return [f"{name}:", *(f"{INDENT}- {_beside(one)}" for one in value)]
    if isinstance(value, list):
        told = [_part(one) for one in value]
        return [f"{name}:", *(f"{INDENT}- {one}" for one in told)] if len(told) > 1 else [f"{name}: {told[0]}"]
    return [f"{name}: {_beside(value) if isinstance(value, dict) else value}"]


def _beside(one: Any) -> str:
    """The parts of one thing on a line."""
    if not isinstance(one, dict):
        return _part(one)
    told = {name: ", ".join(map(_part, value)) if isinstance(value, list) else value for name, value in one.items()}
    return "; ".join(f"{name}: {_part(value)}" for name, value in told.items())


def _part(value: Any) -> str:
    """One value among others on a line; quoted where it could be taken for more than one."""
    text = str(value)
    if ";" not in text and not _is_long(text):
        return text
    return msgspec.json.encode(text).decode().translate(_BREAKS)


def error_data(error: MootError) -> dict[str, Any]:
    """The same code, words and details as every door tells; what to do next names tools."""
    told = {"code": error.code, "message": error.message, "hint": in_tools(error)}
    details = msgspec.to_builtins(error.details)
    return {"error": {name: value for name, value in {**told, "details": details}.items() if value}}


def error_text(error: MootError) -> str:
    hint = _one_line(in_tools(error))
    return f"{_one_line(error.message)} ({error.code})" + (f"\nnext: {hint}" if hint else "")


def _one_line(text: str) -> str:
    return f"\n{INDENT}".join(text.splitlines())


# Calls of the contract that are a tool of another name, or that only a person makes, on the command line.
TOOL_OF = {
    "ask": "ask",
    "board": "board",
    "claim": "claim",
    "comment": "comment",
    "comments": "show",
    "inbox": "board",
    "list": "board",
    "questions": "board",
    "report": "report",
    "show": "show",
    "add": "add",
}


def in_tools(error: MootError) -> str:
    return error.told(_tool, lambda name: f"`{name}`")


def _tool(step: Step) -> str:
    name = TOOL_OF.get(step.call)
    if name is None:
        from folkmoot.doors.hints import command

        return f"a person can: {command(step)}"
    from folkmoot.doors.mcp.tools import BY_NAME

    known = BY_NAME[name].schema["properties"]
    given = (f"{part}={'…' if value is None else value}" for part, value in step.args.items() if part in known)
    words = ", ".join(given)
    return f"the tool `{name}`" + (f" with {words}" if words else "")
