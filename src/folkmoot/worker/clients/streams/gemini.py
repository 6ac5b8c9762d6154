"""Gemini CLI `-o stream-json`. Its exit code is the status of HTTP modulo 256."""

from typing import Any

from folkmoot.worker.clients.printed import at, count, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool
from folkmoot.worker.ports import Ended, Stream


class GeminiListener(Listener):
    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "message":
                if words(event, "role") == "assistant":
                    self.last.add("", words(event, "content"))
            case "tool_use" | "tool_result":
                self.last.next()  # messages have no id: a tool stands between two of them
            case "result":
                self._hear_result(event)

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        match words(event, "type"):
            case "message" if isinstance(event.get("content"), str):
                mine = words(event, "role") == "assistant"
                return [Utterance("text", words(event, "content"), "gemini")] if mine else []
            case "tool_use" if "tool_name" in event:
                return [tool(words(event, "tool_name"), at(event, "parameters"))]
            case "tool_result" if "tool_id" in event:
                failed = words(event, "status") == "error"
                return error(words(event, "error", "message") or words(event, "output")) if failed else []
            case "error" if "severity" in event:
                return error(words(event, "message"))
            case "result" if "status" in event and "exitCode" not in event:
                return error(words(event, "error", "message") or at(event, "error"))
            case "init" if "model" in event:
                return []
        return None

    def _hear_result(self, event: dict[str, Any]) -> None:
        stats = at(event, "stats")
        self.stream.input_tokens = count(stats, "input_tokens")
        self.stream.cached_tokens = count(stats, "cached")
        # What it thought is paid for as output, and is only in the total.
        thought = count(stats, "total_tokens") - self.stream.input_tokens
        self.stream.output_tokens = max(count(stats, "output_tokens"), thought)
        if words(event, "status") == "success":
            self.end(True)
        else:
            self.fail(words(event, "error", "message") or at(event, "error"))
            self.end(False)

    def finish(self, ended: Ended, errors_tail: str) -> Stream:
        code = ended.code or 0
        if self.error is not None and self.status is None and 400 <= code + 256 <= 511:
            self.status = code + 256
        return super().finish(ended, errors_tail)
