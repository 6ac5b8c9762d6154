"""Our own driver of agents that speak the Agent Client Protocol: one JSON line for each happening."""

import re
from typing import Any

from folkmoot.core.enums import ReportedCause
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.worker.clients.causes import recognised
from folkmoot.worker.clients.printed import at, cost, count, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

# How agents tell a failed request as the end of a turn like any other.
_TOLD_AS_TEXT = re.compile(
    r"\s{0,20}(?:Ran into this error\b|Network error: |\[?API Error\b|Error: |unexpected status \d{3}"
    r"|exceeded retry limit|stream (?:error|disconnected)|Failed to get response from the AI model|Execution failed:"
    r"|\{\"error\":|We.re currently experiencing high demand|Unable to continue: Context limit)",
)
# From beginning to end in the words of goose: that is no model, whatever was heard before it.
_BY_GOOSE = re.compile(
    r"\s{0,20}(?:Ran into this error|Network error: ).{1,4000}(?:Please retry if you think this is a transient or"
    r" recoverable error\.|Please resend your message to try again\.|Please try again or create a new session)\s{0,20}",
    re.DOTALL,
)
# So do Copilot 1.0.102 and codex-acp 2.6.0, also after tool calls and with tokens told: each as one piece of its own.
_BY_CLIENT = re.compile(
    r"\s{0,20}(?:Error: (?:Failed to get response from the AI model; retried \d{1,3} times?|Authentication failed with"
    r" provider at |[45]\d\d )|We.re currently experiencing high demand, which may cause temporary errors\."
    r"|unexpected status [45]\d\d |exceeded retry limit, last status: [45]\d\d|stream disconnected before completion: )"
)
# What Copilot says in between: neither the agent's word, nor a sign of life.
_RETRIES = re.compile(r"\s{0,20}Info: Request failed due to .{1,200} Retrying\.\.\.\s{0,20}")
# What codex-acp puts before the first words of a turn, as if the agent had said it.
_WARNING = re.compile(r"\A(?:\s{0,20}Warning: [^\n]{1,1000}\n\n)+")
_STOPS: dict[str, ReportedCause] = {
    "max_tokens": "size",
    "refusal": "capability",
    "max_turn_requests": "capability",
    "cancelled": "transient",
}
_ERROR_MAX = 4_000  # a longer text is an answer, not an error


class AcpListener(Listener):
    tools = 0
    _title = ""  # of the last tool that was told
    before = ""  # its last words before a person spoke to it
    piece = ""  # of its last words the last that came

    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "text":
                self._hear_text(event)
            case "tool":
                self.tools += 1
                self.piece = ""
                self.last.next()
            case "permission":
                # It is also told that a person is still being waited for.
                if words(event, "outcome") == "denied":
                    self.stream.denied.append(words(event, "title") or "a tool")
            case "said":
                self.before = str(self.last) or self.before
                self.last.next()
            case "usage":
                self._hear_usage(event)
            case "end":
                self._hear_usage(event)
                self._hear_end(event)

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        match words(event, "type"):
            case "text" if "part" not in event and "text" in event:
                return [Utterance("text", words(event, "text"), words(event, "id"))]
            case "tool" if "status" in event:
                # It is told once more when it has ended: without its name, with the same, or only then with its file.
                title, known = words(event, "title"), self._title
                self._title = title or known
                new = [tool(title)] if title and title != known else [Utterance("text", "")]
                return [*new, *(error("the tool failed") if words(event, "status") == "failed" else [])]
            case "permission":
                refused = words(event, "outcome") == "denied"
                return error(f"not permitted: {words(event, 'title') or 'a tool'}") if refused else []
            case "usage":
                return []
            case "end" if "stop" in event:
                stop = words(event, "stop")
                return error(words(event, "error") or stop) if stop != "end_turn" else []
        return None

    def text(self) -> str:
        """Whoever only acknowledges what a person said has reported before."""
        last = str(self.last)
        return self.before if _holds_report(self.before) and not _holds_report(last) else last

    def _hear_usage(self, event: dict[str, Any]) -> None:
        usage = at(event, "usage") if "usage" in event else event
        self.stream.input_tokens = count(usage, "input_tokens") or self.stream.input_tokens
        self.stream.output_tokens = count(usage, "output_tokens") or self.stream.output_tokens
        self.stream.cached_tokens = count(usage, "cached_tokens") or self.stream.cached_tokens
        self.stream.cost_usd = cost(event, "cost_usd") or self.stream.cost_usd

    def _hear_text(self, event: dict[str, Any]) -> None:
        told = words(event, "text")
        if not _RETRIES.fullmatch(told):
            self.piece = told if told.strip() else self.piece
            self.last.add(words(event, "id"), told)

    def _hear_end(self, event: dict[str, Any]) -> None:
        stop, text = words(event, "stop"), _WARNING.sub("", str(self.last)[: 2 * _ERROR_MAX])
        if stop == "end_turn" and _BY_CLIENT.match(self.piece) and not _holds_report(self.piece):
            self.fail(self.piece.strip())
        elif stop == "end_turn" and self._is_error(text):
            self.fail(text.strip())
        elif stop != "end_turn":
            self.fail(words(event, "error") or stop, at(event, "status"))
            self.known_cause = _STOPS.get(stop)
        self.end(self.error is None)

    def _is_error(self, text: str) -> bool:
        """A text that begins like an error is one if no model was heard before it; so is any that leaves no doubt."""
        if len(text) > _ERROR_MAX or _holds_report(text):
            return False
        if _BY_GOOSE.fullmatch(text):
            return True
        if _TOLD_AS_TEXT.match(text):
            return not self.stream.output_tokens or not self.tools
        heard = self.stream.input_tokens or self.stream.output_tokens or self.tools
        return not heard and recognised(text) is not None


def _holds_report(text: str) -> bool:
    """Whatever it says of errors, an agent that reports was heard. A broken report is one for whoever reads it."""
    try:
        return bool(read_report(text))
    except Invalid:
        return '"outcome"' in text
