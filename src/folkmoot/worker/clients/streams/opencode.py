"""OpenCode `run --format json`. It has no last event: a step that ends with `stop` is the last."""

from typing import Any

from folkmoot.worker.clients.printed import at, cost, count, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool
from folkmoot.worker.ports import Ended, Stream

_BODY_MAX = 2_000


class OpenCodeListener(Listener):
    stopped = False

    def hear(self, event: dict[str, Any]) -> None:
        part = at(event, "part")
        match words(event, "type"):
            case "text":
                self.last.add(words(part, "messageID"), words(part, "text"))
            case "step_finish":
                tokens = at(part, "tokens")
                cached = count(tokens, "cache", "read") + count(tokens, "cache", "write")
                self.stream.input_tokens += count(tokens, "input") + cached
                self.stream.cached_tokens += count(tokens, "cache", "read")
                self.stream.output_tokens += count(tokens, "output") + count(tokens, "reasoning")
                self.stream.cost_usd += cost(part, "cost")
                self.stopped = words(part, "reason") == "stop"
                self.recover()
            case "tool_use":
                if "rejected permission" in words(part, "state", "error"):
                    self.stream.denied.append(words(part, "tool") or "a tool")
            case "error":
                self._hear_error(at(event, "error"))

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        part = at(event, "part")
        if words(event, "type") == "error" and isinstance(event.get("error"), dict):
            return error(words(event, "error", "data", "message") or words(event, "error", "name"))
        if not isinstance(part, dict):
            return None
        match words(event, "type"):
            case "text":
                return [Utterance("text", words(part, "text"))]
            case "tool_use":
                failed = words(part, "state", "status") == "error"
                call = tool(words(part, "tool"), at(part, "state", "input"))
                return [call, *(error(words(part, "state", "error")) if failed else [])]
        return []

    def _hear_error(self, error: Any) -> None:
        data = at(error, "data")
        body = words(data, "responseBody")[:_BODY_MAX]
        after = words(data, "responseHeaders", "retry-after")
        told = f"{words(error, 'name')}: {words(data, 'message')} {body}" + (f" retry-after: {after}" if after else "")
        self.fail(told, at(data, "statusCode"))

    def finish(self, ended: Ended, errors_tail: str) -> Stream:
        if self.stopped and self.error is None and not ended.code and not ended.fault:
            self.end(True)
        return super().finish(ended, errors_tail)
