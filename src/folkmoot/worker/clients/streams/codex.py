"""Codex `exec --json`. It may linger for seconds after its turn is over."""

from typing import Any

from folkmoot.worker.clients.printed import at, count, words
from folkmoot.worker.clients.streams.base import Listener


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
                self.stream.output_tokens += count(event, "usage", "output_tokens")
                self.recover()
                self.end(True)
            case "turn.failed":
                self.fail(words(event, "error", "message") or at(event, "error"))
                self.end(False)
            case "error":
                # Also said before it tries again: the turn's own end decides.
                self.fail(words(event, "message"))
