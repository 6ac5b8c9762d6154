"""What a run printed, as a person reads it: the words of its agent, its tools in a line each, its errors.

A line that is no event of the client's is shown as it is: what setup, a gate or a plain command printed.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from folkmoot.api.views import Said
from folkmoot.core.flow import LANDING, Flow
from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.clients.listener import DIALECTS
from folkmoot.worker.clients.printed import decoded
from folkmoot.worker.clients.streams.telling import Utterance

if TYPE_CHECKING:
    from folkmoot.worker.clients.streams.base import Listener


class Transcript:
    """Feed it the text as it comes; each whole line is told once. `dialect` is None where nobody knows it any more:
    then each event is understood by whichever client has such events."""

    def __init__(self, dialect: str | None) -> None:
        known = [dialect] if dialect in DIALECTS else [name for name in DIALECTS if name != "text"]
        self._readers: list[Listener] = [DIALECTS[name or "text"]() for name in known]
        self._rest = ""  # the beginning of a line whose end has not come
        self._words = ""  # of a message that comes in pieces: what is no whole line yet
        self._message: str | None = None
        self._last_error = ""

    def feed(self, text: str) -> list[Said]:
        *lines, self._rest = (self._rest + text).split("\n")
        return [said for line in lines for said in self._line(line)]

    def finish(self) -> list[Said]:
        """What is left when no more comes."""
        line, self._rest = self._rest, ""
        return [*(self._line(line) if line else []), *self._whole()]

    def _line(self, line: str) -> Iterator[Said]:
        event = decoded(line.strip())
        for reader in self._readers:
            told = reader.uttered(event) if event is not None else None
            if told is not None:
                for utterance in told:
                    yield from self._tell(utterance)
                return
        yield from self._tell(Utterance("printed", line))

    def _tell(self, told: Utterance) -> Iterator[Said]:
        if told.kind == "text":
            if told.piece_of is None or told.piece_of != self._message:
                yield from self._whole()
            self._message = told.piece_of
            *whole, self._words = (self._words + told.text).split("\n")
            for words in whole:
                yield Said(kind="text", text=words)
            if told.piece_of is None:
                yield from self._whole()
            return
        yield from self._whole()
        if told.kind == "error" and told.text == self._last_error:
            return  # clients tell a failure as it happens, and once more at their end
        self._last_error = told.text if told.kind == "error" else ""
        yield Said(kind=told.kind, text=told.text)

    def _whole(self) -> Iterator[Said]:
        words, self._words, self._message = self._words, "", None
        if words:
            yield Said(kind="text", text=words)


def transcript(flow: Flow, agent: str, model: str | None) -> Transcript:
    """For a run of an agent, or of a gate, as the flow starts them."""
    if agent not in flow.agents:
        return Transcript("text" if agent in flow.gates or agent == LANDING else None)
    start = Catalogue.load().resolve(flow, flow.agents[agent], model)
    return Transcript(start.speaks if start is not None else None)
