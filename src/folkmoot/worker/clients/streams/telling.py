"""What one event of a client tells a person who reads along: words, a tool in one line, an error."""

from typing import Any, NamedTuple

from folkmoot.api.views import SaidKind
from folkmoot.worker.clients.printed import at, decoded, plain

TOOL_MAX = 200  # characters of a tool call
ERROR_MAX = 2_000
# What tells most of a tool call, whichever client names it so; the first that is there is shown.
TELLING = (
    *("command", "cmd", "script", "file_path", "filePath", "path", "notebook_path", "filename", "pattern", "query"),
    *("url", "description", "prompt", "task", "intentionSummary", "title", "name"),
)


class Utterance(NamedTuple):
    """`piece_of` is the message that the words are a piece of: its pieces are one text."""

    kind: SaidKind
    text: str
    piece_of: str | None = None


def tool(name: str, arguments: Any = None) -> Utterance:
    """A tool call on one line: its name, and what tells most of it."""
    told = " ".join(_telling(arguments).split())
    words = f"{name or 'a tool'} {told}".strip()
    return Utterance("tool", words if len(words) <= TOOL_MAX else f"{words[: TOOL_MAX - 1]}…")


def error(told: Any) -> list[Utterance]:
    words = _unwrapped(plain(told).strip())
    return [Utterance("error", words[:ERROR_MAX])] if words else []


def _unwrapped(words: str) -> str:
    """The message of an error that is told as the JSON of a provider."""
    event = decoded(words)
    for found in (at(event, "error", "message"), at(event, "message"), at(event, "error")):
        if isinstance(found, str) and found.strip():
            return found.strip()
    return words


def _telling(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return " ".join(word for word in arguments if isinstance(word, str))
    if not isinstance(arguments, dict):
        return ""
    for name in TELLING:
        found = arguments.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, list) and found:
            return _telling(found)
    return plain(arguments) if arguments else ""
