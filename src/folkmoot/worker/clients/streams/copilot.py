"""Copilot CLI `--output-format json`."""

from typing import Any

from folkmoot.worker.clients.printed import at, words
from folkmoot.worker.clients.streams.base import Listener


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
