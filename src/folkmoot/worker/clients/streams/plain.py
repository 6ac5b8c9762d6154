"""Clients that print text: plain commands, aider, mini-swe-agent and Continue."""

import re
from typing import Any

from folkmoot.worker.clients.causes import Now, recognised, told_by
from folkmoot.worker.clients.printed import Words, decoded, words
from folkmoot.worker.clients.streams.base import NO_PROGRAM, Listener
from folkmoot.worker.clients.streams.telling import Utterance, error
from folkmoot.worker.ports import Ended, Stream

_LAST_LINES = 5
_LITELLM = re.compile(r"litellm\.[A-Za-z.]{0,40}(?:Error|Timeout|Exception)\b")
_TOKENS = re.compile(r"Tokens: ([\d.,]{1,12})([kM]?) sent,(?: [^,]{0,60},){0,2} ([\d.,]{1,12})([kM]?) received")
_COST = re.compile(r"Cost: \$([\d.,]{1,15}) message")
_TIMES = {"": 1, "k": 1_000, "M": 1_000_000}
# A status that any program may print of what it works on: it says nothing about the client of the command.
_OF_ITS_WORK = ("request", "refused", "model")
_LINE_MAX = 2_000  # a longer line is nobody's error


class TextListener(Listener):
    """A plain command: all it prints is text, and only what it says of a failure on standard error is a reason."""

    def __init__(self, now: Now | None = None) -> None:
        super().__init__(now)
        self.stream.waits = False  # what it does, nobody can tell
        self.said = Words()

    def feed(self, line: str) -> None:
        line = line.rstrip("\r\n")
        self.said.add(line + "\n")
        self.hear_line(line[:_LINE_MAX])

    def hear_line(self, line: str) -> None:
        """For those that tell more than text."""

    def text(self) -> str:
        return str(self.said)

    def finish(self, ended: Ended, errors_tail: str) -> Stream:
        is_missing = ended.code in NO_PROGRAM and not self._had_begun(errors_tail)
        if self.error is not None or ended.fault or is_missing or ended.signal is not None:
            return super().finish(ended, errors_tail)
        stream = self.stream
        stream.text = self.text()
        if ended.code:
            stream.succeeded = False
            said = "\n".join(errors_tail.strip().splitlines()[-_LAST_LINES:])
            # Without plain words for it a failed command is the agent's own failure, not its client's.
            found = told_by(self.tells, said, self.now) or recognised(said, None, self.now)
            if found is not None and found.trouble not in _OF_ITS_WORK:
                self._because(found.cause, found.why, found.reset_after, found.trouble)
        return stream

    def _had_begun(self, errors_tail: str) -> bool:
        """Did it print more than the line in which a shell says what is not there? Then a command of its work was not,
        and that is the item's own: else one item would pause all of its pool."""
        lines = sum(1 for line in str(self.said).splitlines() if line.strip())
        return lines > (0 if errors_tail.strip() else 1)


class AiderListener(TextListener):
    """aider ends with 0 whatever happened; its errors are those of litellm, its successes tell their tokens. What it
    says of itself first is not the agent's word: it complains there of price lists that it could not fetch."""

    begun = False

    def hear_line(self, line: str) -> None:
        if not self.begun and line.startswith("Repo-map: "):  # the last line about itself
            self.begun = True
            self.said.clear()
        elif _LITELLM.match(line):
            self.fail(line)
        elif line.startswith("Tokens: ") and (found := _TOKENS.match(line)):
            self.recover()
            self.stream.succeeded = True
            self.stream.input_tokens += _number(found.group(1), found.group(2))
            self.stream.output_tokens += _number(found.group(3), found.group(4))
            if paid := _COST.search(line):
                self.stream.cost_usd += float(_digits(paid.group(1)))


class MiniListener(TextListener):
    """mini-swe-agent prints its prompt first, in which the form of a report stands: that is not the agent's word."""

    begun = False
    over = False

    def hear_line(self, line: str) -> None:
        if not self.begun and line.startswith("mini-swe-agent (step "):
            self.begun = True
            self.said.clear()
        if line.startswith("Exit:"):
            self.over = True
        elif self.over and _LITELLM.match(line):
            self.fail(line)

    def text(self) -> str:
        return str(self.said) if self.begun else ""


class ContinueListener(TextListener):
    """Continue prints one JSON object at its end: the answer in an envelope, or the answer itself if that is JSON."""

    answer: str | None = None

    def feed(self, line: str) -> None:
        event = decoded(line.strip())
        if event is not None and words(event, "status") == "success" and isinstance(event.get("response"), str):
            self.answer = words(event, "response")
            self.stream.succeeded = True
        super().feed(line)

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        if words(event, "status") == "success" and isinstance(event.get("response"), str):
            return [Utterance("text", words(event, "response"))]
        return error(words(event, "message")) if words(event, "status") == "error" else None

    def text(self) -> str:
        return self.answer if self.answer is not None else super().text()

    def finish(self, ended: Ended, errors_tail: str) -> Stream:
        for line in errors_tail.splitlines():
            event: dict[str, Any] | None = decoded(line.strip())
            if event is not None and words(event, "status") == "error":
                self.fail(words(event, "message"))
        return super().finish(ended, errors_tail)


def _number(digits: str, times: str) -> int:
    return int(float(_digits(digits)) * _TIMES[times])


def _digits(text: str) -> str:
    """Digits with one point at most: `1,234.5.` is 1234.5."""
    whole, point, rest = text.replace(",", "").strip(".").partition(".")
    return f"{whole or '0'}{point}{rest.replace('.', '')}" or "0"
