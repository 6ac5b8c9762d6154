"""What every listener does: lines in, one `Stream` out. A line may be anything; nothing here raises."""

from typing import Any

from folkmoot.core.enums import ClientCause
from folkmoot.worker.clients.causes import Cause, Now, Tells, cause_of, recognised, reset_after, told_by
from folkmoot.worker.clients.printed import LastMessage, Words, decoded, plain
from folkmoot.worker.clients.streams.telling import Utterance
from folkmoot.worker.clients.troubles import Trouble, told
from folkmoot.worker.clients.waiting import begins_tool
from folkmoot.worker.ports import Ended, Stream

_TAIL = 4_000  # characters at the end of what it printed in which an error is looked for
_QUOTA_STATUSES = (402, 429)
NO_PROGRAM = (126, 127)  # how a shell says that a program cannot be run, or is not there


class Listener:
    """Hears one client during one run. `stream` is what was heard so far; `finish` completes it."""

    def __init__(self, now: Now | None = None) -> None:
        self.stream = Stream(waits=True)  # a client asks its model first
        self.last = LastMessage()
        self.noise = Words(_TAIL)  # what it printed beside its events
        self.now = now
        self.error: str | None = None  # what it told as its failure, and its status of HTTP
        self.status: int | None = None
        self.shown = False  # did an event of its own name a time at which the quota is there again?
        self.known_cause: ClientCause | None = None  # where an event says it better than the words of an error
        self.used_tools = False  # then its model has answered, and other programs had the same place to print to
        self.tells: Tells = {}  # words that this very client has said of its troubles

    def feed(self, line: str) -> None:
        """One line of standard output, without its end or with it."""
        line = line.strip()
        if not line:
            return
        event = decoded(line)
        if event is None:
            self.noise.add(line + "\n")
        else:
            self.stream.waits = not begins_tool(event)
            self.used_tools = self.used_tools or not self.stream.waits
            self.hear(event)

    def hear(self, event: dict[str, Any]) -> None:
        """One event of the client's stream."""
        raise NotImplementedError

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        """What the event tells a person who reads along; None if it is no event of this client."""
        return None

    def fail(self, error: Any, status: Any = None, *, shown: bool = False) -> None:
        """The client said that it failed. A later success takes it back."""
        self.error, self.shown = plain(error), shown
        self.status = status if isinstance(status, int) and 400 <= status <= 599 else None

    def recover(self) -> None:
        """The model answered again: what failed before was tried again with success."""
        self.error = self.status = self.known_cause = None
        self.shown = False

    def end(self, succeeded: bool | None) -> None:
        """The client's last event: it need not be waited for."""
        self.stream.over, self.stream.succeeded = True, succeeded

    def finish(self, ended: Ended, errors_tail: str) -> Stream:
        """All that was heard, with how the process ended and the end of what it wrote to standard error."""
        stream = self.stream
        stream.text = self.text()
        if ended.fault:
            self._because("environment", told("program", ended.fault), trouble="program")
        elif self.error is not None:
            self._failed(errors_tail)
        elif not stream.over:
            self._fell_silent(ended, errors_tail)
        return stream

    def text(self) -> str:
        return str(self.last)

    def _failed(self, errors_tail: str) -> None:
        said = self.error or ""
        found = self._meaning(said, errors_tail)
        reset = found.reset_after
        if found.cause == "quota" and reset is None:
            reset = reset_after(said, self.now)
        line = told(found.trouble, said, found.status) if said.strip() and not told_by(self.tells, said) else found.why
        self._because(self.known_cause or found.cause, line, reset, found.trouble)
        # A number in a field of an event is the client's; what its words say may be anybody's.
        self.stream.shown = self.stream.cause == "quota" and (self.shown or self.status in _QUOTA_STATUSES)

    def _meaning(self, said: str, errors_tail: str) -> Cause:
        """A status in an event first; then what this client is known to say; then what any would mean by its words."""
        if self.status is not None:
            return cause_of(said, self.status, self.now)
        # Some give the reason only beside their events.
        beside = errors_tail[-_TAIL:]
        known = told_by(self.tells, said, self.now) or recognised(said, None, self.now)
        known = known or self._believed(told_by(self.tells, beside, self.now) or recognised(beside, None, self.now))
        return known or cause_of(said, None, self.now)

    def _believed(self, beside: Cause | None) -> Cause | None:
        """What was printed beside its events. A client that has used tools was signed in and could run: that it is not,
        or cannot, its own events say, or its next run. Anybody may have printed it, and its pool would wait without end
        for a person."""
        return None if beside is not None and beside.cause == "environment" and self.used_tools else beside

    def _fell_silent(self, ended: Ended, errors_tail: str) -> None:
        """The process ended without a last event: only a crash or a refusal to start is a reason of its own."""
        said = errors_tail.strip() or str(self.noise).strip()
        if ended.code in NO_PROGRAM and not self.used_tools:
            self._because("environment", told("program", said), trouble="program")
        elif ended.code:
            meant = told_by(self.tells, said, self.now) or cause_of(said[-_TAIL:], None, self.now)
            found = self._believed(meant) or Cause("transient", told("unknown", said))
            line = found.why
            if found.trouble == "unknown":
                line = f"ended with exit code {ended.code}: {line}".rstrip(": ")
            self._because(found.cause, line, found.reset_after, found.trouble)
        elif ended.signal is not None:
            self._because("transient", f"was ended by signal {ended.signal}")

    def _because(
        self, cause: ClientCause, why: str, reset_after: float | None = None, trouble: Trouble = "unknown"
    ) -> None:
        self.stream.succeeded = False
        self.stream.cause, self.stream.why, self.stream.reset_after = cause, why, reset_after
        self.stream.trouble, self.stream.login = trouble, trouble == "login"
