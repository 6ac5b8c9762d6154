"""What an agent asks before an act, in the words a person needs to decide: the command itself, or the change itself."""

import difflib
import json
from typing import Any

from acp.schema import FileEditToolCallContent, ToolCallUpdate

SHOWN_MAX = 2_000  # characters of the act
LINES_MAX = 40  # of a change
_COMMANDS = ("command", "cmd", "script")
_INPUT_MAX = 600


def act_of(call: ToolCallUpdate) -> tuple[str, str]:
    """A title of one line, and what would be done: the command line, or the change of a file; bounded in length."""
    command = _command(call.raw_input)
    title = " ".join((call.title or command or "a tool").split())
    changes = [_change(part) for part in call.content or [] if isinstance(part, FileEditToolCallContent)]
    shown = changes or ([f"$ {command}"] if command else [])
    if not shown and call.raw_input not in (None, {}, ""):
        shown = [_cut(json.dumps(call.raw_input, ensure_ascii=False, default=str), _INPUT_MAX)]
    return _cut(title, 200), _cut("\n".join(shown), SHOWN_MAX)


def _command(given: Any) -> str:
    """The command line, where the input of a tool has one."""
    if not isinstance(given, dict):
        return ""
    for key in _COMMANDS:
        found = given.get(key)
        if isinstance(found, str) and found.strip():
            return found.strip()
        if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
            return " ".join(found)
    return ""


def _change(part: FileEditToolCallContent) -> str:
    before, after = (part.old_text or "").splitlines(), part.new_text.splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    head = f"{'change' if part.old_text else 'write'} {part.path}"
    more = [f"[… {len(lines) - LINES_MAX} lines more]"] if len(lines) > LINES_MAX else []
    return "\n".join([head, *lines[:LINES_MAX], *more])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [… {len(text) - most} characters more]"
