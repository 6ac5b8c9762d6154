"""pi `-p --mode json`. A failed request ends with exit code 0, and may be tried again after `agent_end`."""

from typing import Any

from folkmoot.worker.clients.printed import at, cost, count, parts, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

_EVENTS = ("agent_", "turn_", "message_", "tool_execution_", "auto_retry_", "session", "compaction_")


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
        self.stream.cached_tokens += count(usage, "cacheRead")
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

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        kind, message = words(event, "type"), at(event, "message")
        if not kind.startswith(_EVENTS):
            return None
        if kind == "auto_retry_end" and event.get("success") is False:
            return error(words(event, "finalError"))
        if kind != "message_end":
            return []
        told: list[Utterance] = []
        for part in parts(message, "content"):
            text = words(part, "text")
            if words(message, "role") == "assistant":
                call = part.get("type") == "toolCall"
                told += [tool(words(part, "name"), at(part, "arguments"))] if call else []
                told += [Utterance("text", text)] if text and not call else []
            elif words(message, "role") == "toolResult" and at(message, "isError"):
                told += error(text)
        failed = words(message, "stopReason") in ("error", "aborted")
        return [*told, *(error(words(message, "errorMessage") or words(message, "stopReason")) if failed else [])]
