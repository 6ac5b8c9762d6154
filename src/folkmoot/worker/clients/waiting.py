"""What a client does between two signs of life: it waits for its model, runs a tool, or only tries to connect again."""

import re
from typing import Any

from folkmoot.worker.clients.printed import at, decoded, parts, words

_LINE_MAX = 2_000
# As clients say it beside their events. Whoever says nothing else is silent.
_RETRIES = re.compile(
    r"^\W{0,10}(?:reconnecting|retrying|attempt \d{1,3} failed|(?:will )?retry(?:ing)? (?:in|after) \d"
    r"|connection (?:lost|error)[,.:]? (?:retry|reconnect)|.{0,120}failed to connect to Responses WebSocket)",
    re.IGNORECASE,
)
_CONTENTS = ("tool_use", "toolRequest")  # of messages of Claude Code and Qwen; of goose
_STARTS = ("tool.execution_start", "tool_execution_start")  # of Copilot; of pi
_OVER = ("completed", "failed", "error", "cancelled")


def only_retries(line: str) -> bool:
    """Does this line say no more than that a request is tried again?"""
    line = line.strip()
    if len(line) > _LINE_MAX or not line:
        return False
    event = decoded(line)
    if event is None:
        return bool(_RETRIES.match(line))
    kind, subtype = words(event, "type"), words(event, "subtype")
    if kind == "text":  # of our driver: Copilot tells it where its model's words would stand
        return words(event, "text").startswith("Info: Request failed due to ")
    if kind == "error":  # of Codex, before its turn has failed
        return bool(_RETRIES.match(words(event, "message")))
    if kind == "item.completed" and words(event, "item", "type") == "error":
        return True
    return (kind == "system" and subtype in ("api_retry", "retry")) or kind == "auto_retry_start"


def begins_tool(event: dict[str, Any]) -> bool:
    """Does a tool of the client's begin with this event? Until the next one no model is waited for."""
    kind = words(event, "type")
    if kind in _STARTS or kind == "item.started":
        return True
    if kind == "tool":  # of our driver
        return words(event, "status") not in _OVER
    if kind == "tool_use":
        return words(event, "part", "state", "status") not in _OVER
    content = parts(event, "message", "content")
    return bool(content) and at(content[-1], "type") in _CONTENTS
