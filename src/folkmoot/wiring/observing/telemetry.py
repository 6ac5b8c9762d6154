"""Sends the lives of items as traces to a collector (OTLP over HTTP), in the order of the log, from where it left off.

The log is the queue: nothing waits in memory, and nothing that runs agents waits for the collector. While that does not
answer, the same spans are tried again, ever more seldom. What is sent twice has the same ids, and is the same span.
"""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from folkmoot import __version__
from folkmoot.core.decoding import reader
from folkmoot.core.events import Event
from folkmoot.doors.observe.spans import Span, spans_of
from folkmoot.engine.application import Application
from folkmoot.engine.reads.history import History
from folkmoot.errors import MootError, Unavailable

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

FILE = "traced"  # in the board's folder: how far the log has been sent
PAGE = 500  # events that are looked at together
BATCH = 500  # spans that are sent together
SECONDS = 5.0  # for one try to send
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # after a try that failed; each is twice the one before
REFUSALS_MAX = 3  # a collector that answers, and refuses the same spans so often, never gets them
LAST_SECONDS = 3.0  # for what is left when it is closed
RETRIED = (408, 429)


class Sent(Struct, frozen=True):
    """How far the log has been sent."""

    seq: int


class Telemetry:
    """Begins with `start`, ends with `close`. `tell` hears of what is wrong, once each time it begins."""

    def __init__(
        self,
        board: Application,
        *,
        endpoint: str | None = None,
        tell: Callable[[str], None] = lambda words: None,
        whole: bool = False,
        pause: float = FIRST_PAUSE,
    ) -> None:
        """`endpoint` is the address of the collector's traces; without it OTEL_EXPORTER_OTLP_ENDPOINT and its like are
        taken. `whole`: a board that was never sent is sent from its first event on, not from now on."""
        self._board = board
        self._history = History(board.engine.store)
        self._path = os.path.join(board.board_dir, FILE)
        self._tell = tell
        self._collector = _Collector(endpoint)
        self._first_pause = self._pause = pause
        self._refusals = 0
        self._failing = False
        self._id = board_id(self._history)
        self._kept = self._sent_before()
        self._seq = self._kept if self._kept is not None else 0 if whole else board.last()
        self._keep()  # whatever ends after this moment is sent, though the collector be down until after a restart
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="moot-traces", daemon=True)

    @property
    def seq(self) -> int:
        """Up to this event all has been sent."""
        return self._seq

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """What has ended is sent, if the collector takes it at once; else it is sent after the next start."""
        self._closed.set()
        self._board.change_signal.notify()
        self._thread.join(SECONDS + LAST_SECONDS)
        self._collector.close()

    def _run(self) -> None:
        while not self._closed.is_set():
            seen = self._board.change_signal.count
            if self._step():
                continue
            if self._failing:
                self._closed.wait(self._pause)
                self._pause = min(self._pause * 2, LONGEST_PAUSE)
            else:
                self._board.changed(seen, self._board.look_again)
        if not self._failing:
            self._step()
        self._keep()

    def _step(self) -> bool:
        """The next part of the log; False: there is none, or it could not be sent."""
        try:
            events = self._history.told(self._seq, PAGE)
            spans = self._ended(events) if events else []
        except MootError as fault:
            return self._failed(f"the log cannot be read for traces: {fault.message}")
        for place in range(0, len(spans), BATCH):
            if not self._send(spans[place : place + BATCH]):
                return False
        if not events:
            return False
        self._seq = events[-1].seq
        self._refusals, self._pause, self._failing = 0, self._first_pause, False
        if spans:
            self._keep()
        return True

    def _ended(self, events: list[Event]) -> list[Span]:
        """The spans that end with one of these events, in that order. An item's other events are read for it."""
        after, upto = self._seq, events[-1].seq
        items = {event.item: None for event in events if event.item is not None}
        found = [
            span
            for item in items
            for span in spans_of(self._id, item, self._events_of(item, upto))
            if after < span.seq <= upto
        ]
        return sorted(found, key=lambda span: span.seq)

    def _events_of(self, item: str, upto: int) -> list[Event]:
        found: list[Event] = []
        while True:
            page = self._history.of_item(item, found[-1].seq if found else 0, PAGE)
            found += page
            if len(page) < PAGE or page[-1].seq >= upto:
                return [event for event in found if event.seq <= upto]

    def _send(self, spans: list[Span]) -> bool:
        if self._collector.send(self._id, spans):
            return True
        refused = self._collector.status
        if refused is None or refused < 400 or refused >= 500 or refused in RETRIED:
            return self._failed(f"traces cannot be sent to {self._collector.address}; it is tried again")
        self._refusals += 1
        if self._refusals < REFUSALS_MAX:
            return self._failed(f"{self._collector.address} refuses traces with status {refused}")
        self._tell(f"{len(spans)} spans were left out: {self._collector.address} refuses them with status {refused}")
        self._refusals = 0
        return True

    def _failed(self, words: str) -> bool:
        if not self._failing:
            self._failing = True
            self._tell(words)
        return False

    def _sent_before(self) -> int | None:
        """A board that went back has fewer events than were sent: what comes next is new."""
        with suppress(OSError, msgspec.MsgspecError), open(self._path, "rb") as file:
            sent: Sent = reader(Sent)(file.read(1000))
            return max(min(sent.seq, self._board.last()), 0)
        return None

    def _keep(self) -> None:
        if self._kept == self._seq:
            return
        aside = f"{self._path}.{os.getpid()}"
        try:
            with open(aside, "wb") as file:
                file.write(msgspec.json.encode(Sent(self._seq)))
            os.replace(aside, self._path)
            self._kept = self._seq
        except OSError as error:
            self._tell(f"{self._path} cannot be written: {error.strerror}; what was sent is sent again after a restart")


def board_id(history: History) -> str:
    """The same for a board wherever it lies, and for no other: by the moment of its first event and what that tells."""
    first = history.told(0, 1)
    told = [(event.name, event.at, event.time, event.context) for event in first]
    return sha256(msgspec.json.encode(told)).hexdigest()[:16]


class _Collector:
    """The receiver of traces. All of OpenTelemetry is behind it."""

    def __init__(self, endpoint: str | None) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
        except ImportError as error:
            words = "traces need {module}, which is not installed"
            raise Unavailable("not_installed", words, 'pip install "folkmoot[otel]"', error.name) from error
        import requests

        # It says of each try that it failed; we say it once.
        logging.getLogger("opentelemetry.exporter.otlp").setLevel(logging.CRITICAL)
        session = requests.Session()
        session.hooks["response"].append(self._heard)
        self.status: int | None = None  # of the last answer; None: there was none
        self._exporter = OTLPSpanExporter(endpoint=endpoint, timeout=SECONDS, session=session)
        self.address = _without_secrets(endpoint or str(getattr(self._exporter, "_endpoint", "the collector")))
        self._resource_class = Resource
        self._resource: Resource | None = None

    def send(self, board: str, spans: list[Span]) -> bool:
        from opentelemetry.sdk.trace.export import SpanExportResult

        if self._resource is None:
            named = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "folkmoot", "moot.board": board}
            self._resource = self._resource_class.create({**named, "service.version": __version__})
        self.status = None
        readable = [_readable(span, self._resource) for span in spans]
        return self._exporter.export(readable) is SpanExportResult.SUCCESS

    def close(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def _heard(self, response: Any, *_: Any, **__: Any) -> None:
        self.status = int(response.status_code)


def _without_secrets(address: str) -> str:
    """An address may carry a password or a key."""
    start, _, rest = address.partition("://")
    return f"{start}://{rest.rpartition('@')[2].partition('?')[0]}" if rest else address


def _readable(span: Span, resource: "Resource") -> "ReadableSpan":
    from opentelemetry.sdk.trace import Event as SpanEvent
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    def context(trace: int, one: int) -> SpanContext:
        return SpanContext(trace, one, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    return ReadableSpan(
        name=span.name,
        context=context(span.trace, span.id),
        parent=None if span.parent is None else context(span.trace, span.parent),
        resource=resource,
        attributes=_attributes(span.attributes),
        events=[SpanEvent(one.name, _attributes(one.attributes), one.at * 1_000_000) for one in span.noted],
        links=[Link(context(*link)) for link in span.links],
        kind=SpanKind.CLIENT if span.kind == "client" else SpanKind.INTERNAL,
        status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
        start_time=span.start * 1_000_000,
        end_time=span.end * 1_000_000,
        instrumentation_scope=InstrumentationScope("folkmoot", __version__),
    )


def _attributes(values: Mapping[str, str | int | float | bool]) -> dict[str, str | int | float | bool]:
    """Texts that are none, by a lone surrogate, cannot be sent."""
    return {
        name: one.encode("utf-8", "replace").decode() if isinstance(one, str) else one for name, one in values.items()
    }
