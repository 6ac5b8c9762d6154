"""pi `-p --mode json`. A failed request ends with exit code 0, and may be tried again after `agent_end`."""

from typing import Any

from folkmoot.worker.clients.printed import at, cost, count, parts, words
from folkmoot.worker.clients.streams.base import Listener


class PiListener(Listener):
    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "message_end":
                if words(event, "message", "role") == "assistant":
                    self._hear_message(at(event, "message"))
            case "agent_end":
                if self.error is None:
                    self.end(True)
            case "auto_retry_end":
                if event.get("success") is False:
                    self.fail(words(event, "finalError"))
                    self.end(False)

    def _hear_message(self, message: dict[str, Any]) -> None:
        usage = at(message, "usage")
        cached = count(usage, "cacheRead") + count(usage, "cacheWrite")
        self.stream.input_tokens += count(usage, "input") + cached
        self.stream.output_tokens += count(usage, "output")
        self.stream.cost_usd += cost(usage, "cost", "total")
        if words(message, "stopReason") in ("error", "aborted"):
            self.fail(words(message, "errorMessage") or words(message, "stopReason"))
            return
        self.recover()
        for part in parts(message, "content"):
            if part.get("type") == "text":
                self.last.add(words(message, "responseId"), words(part, "text"))
        self.last.next()
