"""Copilot CLI `--output-format json`."""

from typing import Any

from folkmoot.worker.clients.printed import at, parts, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

_EVENTS = ("assistant.", "tool.", "session.", "user.", "system.", "permission.", "hook.", "subagent.")


class CopilotListener(Listener):
    def hear(self, event: dict[str, Any]) -> None:
        data = at(event, "data")
        match words(event, "type"):
            case "assistant.message":
                self.recover()
                # The words of a sub-agent are for the agent that called it.
                if not words(data, "parentToolCallId"):
                    self.last.add(words(data, "messageId"), words(data, "content"))
            case "tool.execution_complete":
                if "ermission denied" in words(data, "error", "message"):
                    self.stream.denied.append(words(data, "toolName") or "a tool")
            case "session.error":
                self.fail(words(data, "message"), at(data, "statusCode"))
            case "result":
                if at(event, "exitCode") != 0 and self.error is None:
                    self.fail(f"it ended with exit code {at(event, 'exitCode')}")
                self.end(self.error is None)

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        kind, data = words(event, "type"), at(event, "data")
        if kind == "result" and "exitCode" in event:
            return []
        if not kind.startswith(_EVENTS) or not isinstance(data, dict):
            return None
        match kind:
            case "assistant.message":
                text = [Utterance("text", words(data, "content"))] if words(data, "content") else []
                return [*text, *(tool(words(one, "name"), at(one, "arguments")) for one in parts(data, "toolRequests"))]
            case "tool.execution_complete" if data.get("success") is False:
                return error(words(data, "error", "message") or at(data, "error"))
            case "session.error":
                return error(words(data, "message"))
        return []
