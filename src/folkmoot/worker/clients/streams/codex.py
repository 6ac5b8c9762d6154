"""Codex `exec --json`. It may linger for seconds after its turn is over."""

from typing import Any

from folkmoot.worker.clients.printed import at, count, parts, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

_EVENTS = ("thread.", "turn.", "item.")
_WARNING = "Model metadata for "  # told as an error, and none


class CodexListener(Listener):
    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "item.completed":
                if words(event, "item", "type") == "agent_message":
                    self.last.add(words(event, "item", "id"), words(event, "item", "text"))
                    self.last.next()
            case "turn.completed":
                # What came from the cache is part of the input here.
                self.stream.input_tokens += count(event, "usage", "input_tokens")
                self.stream.cached_tokens += count(event, "usage", "cached_input_tokens")
                self.stream.output_tokens += count(event, "usage", "output_tokens")
                self.recover()
                self.end(True)
            case "turn.failed":
                self.fail(words(event, "error", "message") or at(event, "error"))
                self.end(False)
            case "error":
                # Also said before it tries again: the turn's own end decides.
                self.fail(words(event, "message"))

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        kind, item = words(event, "type"), at(event, "item")
        if kind == "error" and isinstance(event.get("message"), str):
            return error(words(event, "message"))
        if not kind.startswith(_EVENTS):
            return None
        if kind == "turn.failed":
            return error(words(event, "error", "message") or at(event, "error"))
        match words(item, "type"):
            case "agent_message" if kind == "item.completed":
                return [Utterance("text", words(item, "text"))]
            case "command_execution" if kind == "item.started":
                return [tool("shell", item)]
            case "command_execution" if kind == "item.completed" and at(item, "exit_code"):
                last = words(item, "aggregated_output").strip().splitlines()[-1:]
                return error(f"exit {at(item, 'exit_code')}: {''.join(last)}".rstrip(": "))
            case "file_change" if kind == "item.completed":
                paths = [words(change, "path") for change in parts(item, "changes")]
                return [tool("edit", [path for path in paths if path])]
            case "mcp_tool_call" if kind == "item.started":
                return [tool(f"{words(item, 'server')}.{words(item, 'tool')}", at(item, "arguments"))]
            case "web_search" if kind == "item.completed":
                return [tool("search", item)]
            case "error" if not words(item, "message").startswith(_WARNING):
                return error(words(item, "message"))
        return []
