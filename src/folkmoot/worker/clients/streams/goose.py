"""goose `run --output-format stream-json`. A failed request is told as words of the agent, with exit code 0."""

import re
from typing import Any

from folkmoot.worker.clients.printed import at, count, parts, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

# What goose itself says of a request that failed, where the model's answer would stand, and what it advises then.
_FAILED = re.compile(
    r"Ran into this error(?: trying to compact)?:|Network error: |Unable to continue: Context limit"
    r"|The model returned an empty response\.|The provider refused this request\."
)
_FRAME = re.compile(
    r"^Ran into this error(?: trying to compact)?:|Please retry if you think this is a transient or recoverable error\."
    r"|Please resend your message to (?:try again|continue)\.|Please try again or create a new session"
)
_NO_CREDITS = "creditsExhausted"


class GooseListener(Listener):
    by_itself = False  # the last words are goose's own: no model is named as having said them

    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "message":
                if words(event, "message", "role") == "assistant":
                    self._hear_message(at(event, "message"))
            case "error":
                self._say_failed(words(event, "error"))
                self.end(False)
            case "complete":
                self.stream.input_tokens = count(event, "input_tokens")
                self.stream.output_tokens = count(event, "output_tokens")
                self._hear_end(self.stream.input_tokens + self.stream.output_tokens > 0)

    def _hear_end(self, answered: bool) -> None:
        said = str(self.last)
        # A report is a model's, also from a goose that does not yet name the model.
        if self.error is None and not answered and self.by_itself and '"outcome"' not in said:
            self._say_failed(said)
        # A model that was never heard: no failure was told, and no success either.
        self.end(False if self.error is not None else True if answered else None)

    def _hear_message(self, message: dict[str, Any]) -> None:
        by_model = at(message, "metadata", "inference") is not None
        for part in parts(message, "content"):
            text = words(part, "text") if part.get("type") == "text" else ""
            if part.get("type") == "error":
                self._say_failed(words(part, "message"))
            elif part.get("type") == "systemNotification":
                if words(part, "notificationType") == _NO_CREDITS:
                    self.fail(words(part, "msg"), 402)
            elif _FAILED.match(text) and not by_model:
                self._say_failed(text)
            else:
                self.recover()
                self.last.add(words(message, "id"), text)
                self.by_itself = not by_model if text.strip() else self.by_itself

    def _say_failed(self, told: str) -> None:
        self.fail(_FRAME.sub("", told).strip())

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        match words(event, "type"):
            case "message" if isinstance(event.get("message"), dict):
                return self._said(at(event, "message"))
            case "error" if isinstance(event.get("error"), str):
                return error(_FRAME.sub("", words(event, "error")).strip())
            case "complete" | "notification":
                return []
        return None

    @staticmethod
    def _said(message: dict[str, Any]) -> list[Utterance]:
        told: list[Utterance] = []
        by_model = at(message, "metadata", "inference") is not None
        for part in parts(message, "content"):
            match words(part, "type"):
                case "text" if words(message, "role") == "assistant":
                    text = words(part, "text")
                    failed = _FAILED.match(text) and not by_model
                    piece = Utterance("text", text, words(message, "id") or None)
                    told += error(_FRAME.sub("", text).strip()) if failed else [piece]
                case "toolRequest":
                    call = at(part, "toolCall", "value")
                    told.append(tool(words(call, "name"), at(call, "arguments")))
                case "toolResponse" if at(part, "toolResult", "value", "isError"):
                    said = parts(part, "toolResult", "value", "content")
                    told += error("\n".join(words(one, "text") for one in said))
                case "toolResponse" if words(part, "toolResult", "status") == "error":
                    told += error(at(part, "toolResult", "error"))
                case "error":
                    told += error(_FRAME.sub("", words(part, "message")).strip())
                case "systemNotification":
                    told += error(words(part, "msg")) if words(part, "notificationType") == _NO_CREDITS else []
        return told
