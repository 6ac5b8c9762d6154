"""What a run may ask of the board while it works: always as itself, and never a person's or another run's thing."""

from __future__ import annotations

import threading
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from folkmoot.api.errors import ERRORS
from folkmoot.api.requests import (
    Hear,
    OfferReport,
    RejectMessage,
    Renew,
    SendReport,
)
from folkmoot.core.access.allowance import Allowance
from folkmoot.core.commands import ReportRun
from folkmoot.core.decoding import converted, misfit, reader
from folkmoot.core.input_limits import NAME_BYTES_MAX, checked_key, encoded
from folkmoot.core.report import UNREAD, Report
from folkmoot.core.rules.judging.form import REPORT_REFUSED
from folkmoot.engine.access.rights import RoleCalls, not_in_a_run
from folkmoot.engine.registry import BY_NAME
from folkmoot.errors import Invalid, MootError, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from folkmoot.api.requests import Request
    from folkmoot.api.views import ItemView
    from folkmoot.core.commands import Actor
    from folkmoot.engine.application import Application

ANSWER_BYTES_MAX = 64_000_000
KEPT = "kept: it takes effect when this run's process has ended; end it now, else it is ended soon"

Key = Annotated[str, Meta(min_length=1, max_length=NAME_BYTES_MAX)]


# Runs read the board one at a time, all of them together: no crowd of readers keeps a lease from being renewed.
_one_by_one = threading.Lock()


class Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    """How a call travels: its name, its request's fields, and a key if it is to be safe to repeat."""

    call: str
    args: dict[str, Any] = field(default_factory=dict)
    key: Key | None = None


class Fault(Struct, frozen=True):
    kind: str
    code: str
    message: str
    hint: str = ""
    remedy: str = ""  # the hint as the other side can say it in its own words
    details: dict[str, Any] = field(default_factory=dict)


class Reply(Struct, frozen=True, omit_defaults=True):
    """One of the two."""

    answer: Any = None
    error: Fault | None = None


class Said(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A report as it travels: looked at as closely as one that an agent wrote itself."""

    report: dict[str, Any]
    fault: str | None = None
    final: bool = False


class Relay:
    """The board as one run sees it. `report` is what it has said last; it counts when the worker has seen the change.

    A report needs the worker's own look at the files, so it is kept here. Rejecting a message is a report too, but
    one that says nothing about files: it takes effect at once, and `ended` tells the worker that the run is over.
    """

    def __init__(
        self,
        application: Application,
        actor: Actor,
        clean: Callable[[Any], Any] = lambda value: value,
        keep: Callable[[Report, str | None], None] = lambda report, fault: None,
    ) -> None:
        """`clean` takes the secrets out of words before they are kept; `keep` keeps a report before it is answered."""
        self._clean = clean
        self._keep_safe = keep
        self._application = application
        self._ask = RoleCalls(application, actor, "run")
        self._actor = actor
        self._lock = threading.Lock()
        self._allowance = Allowance(self._now())
        self._keys: dict[bytes, bytes] = {}
        self.report: Report | None = None
        self.fault: str | None = None  # why there was no readable report, if its process said that it was the last one
        self.refused: Report | None = None  # the last one that broke the form, if no other came after it
        self.ended = False
        self.when_told: Callable[[], None] = lambda: None  # called when it was told what people have said

    def answer(self, request: bytes) -> bytes:
        """The answer to one question, as bytes; a refusal is an answer."""
        try:
            self._admit(len(request))
            answer = msgspec.json.encode(Reply(answer=self._heard(request)))
            with self._lock:
                self._allowance.answered(self._now(), len(answer))
            if len(answer) > ANSWER_BYTES_MAX:
                words = "the answer has {bytes} bytes, more than {limit}"
                raise Invalid("too_large", words, "ask for less: <.limit>, <.after>", len(answer), ANSWER_BYTES_MAX)
            return answer
        except MootError as error:
            return self.refuse(error)
        except RecursionError as error:
            return self.refuse(_bad(error))

    def _admit(self, size: int) -> None:
        with self._lock:
            self._allowance.admit(self._now(), size)

    def _count_written(self, size: int) -> None:
        with self._lock:
            self._allowance.write(size)

    def refuse(self, error: MootError) -> bytes:
        kind = ERRORS[error.code].kind.__name__
        return msgspec.json.encode(
            Reply(error=Fault(kind, error.code, error.message, error.hint, error.remedy, error.details))
        )

    def _now(self) -> float:
        return self._application.engine.clock.boot()[1]

    def _heard(self, request: bytes) -> Any:
        from folkmoot.reports.canonical import decoder

        try:
            asked = reader(Envelope)(request)
            decoder().decode(request.decode("utf-8"))  # no key twice
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise _bad(misfit(error)) from error
        call = BY_NAME.get(asked.call)
        if call is None:
            raise not_in_a_run(asked.call[:80])
        self._ask.check(call)
        if call.request is SendReport:
            return self._timed(lambda: self._keep(*self._cleaned(asked, Said)))
        if not call.writes:
            return self._read(_typed(asked.args, call.request))
        self._count_written(len(request))
        return self._timed(lambda: self._write(*self._cleaned(asked, call.request)))

    def _cleaned(self, asked: Envelope, kind: type[Any]) -> tuple[Any, str | None]:
        """What is kept of a call: its words and its key."""
        args, key = self._clean([asked.args, asked.key])
        return _typed(args, kind), checked_key(key)

    def _read(self, request: Request[Any]) -> Any:
        with _one_by_one:
            return self._timed(lambda: self._ask(request))

    def _timed(self, call: Callable[[], Any]) -> Any:
        """What it takes of the board's time is counted, and of the worker's: to read what was said takes longest."""
        began = self._now()
        try:
            return call()
        finally:
            with self._lock:
                self._allowance.took(self._now(), self._now() - began)

    def _write(self, request: Request[Any], key: str | None) -> Any:
        if isinstance(request, OfferReport):
            # A text that could not be read. If nothing better comes, it is what there is.
            request = _unread(request)
            self.refused = request.report
        answer = self._ask(request, key)
        if isinstance(request, Hear) and answer.sentences:
            self.when_told()
        if isinstance(request, RejectMessage) and answer.item is not None:
            self.ended = True
        return answer

    def _keep(self, said: Said, key: str | None) -> ItemView:
        """Keep a report in good form, of a run that still is one. The last one counts.

        One that breaks the form is refused as it would be without a worker (R-32), while its agent is there to mend it.
        """
        from folkmoot.reports.canonical import checked_report

        report, fault = checked_report(said.report), said.fault
        data = encoded(ReportRun(report=report, fault=fault, final=said.final))
        name = sha256((key or "").encode()).digest()
        with self._lock:
            known = self._keys.get(name) if key is not None else None
        if known is not None and known != sha256(data).digest():
            words = "the key {key!r} was used for another command"
            raise Refused("key_reused", words, "give each command one of its own: <.key>", key)
        # Renewing fences it: who has lost its lease is told so here, and not when its process is long gone.
        order = Renew() if said.final or fault else OfferReport(report=report)
        try:
            view: ItemView = self._ask(order)
        except Invalid as error:
            if error.code == REPORT_REFUSED:
                self.refused = report
            raise
        with self._lock:
            if known is None:
                self._keep_safe(report, fault)
                self.report, self.fault, self.refused = report, fault, None
            if key is not None:
                self._keys[name] = sha256(data).digest()
        # What was wrong with an earlier run's report does not hold for this one.
        why = f"{view.why.rstrip('.')}; its report is {KEPT}."
        return msgspec.structs.replace(view, why=why, told=None, note=KEPT)


def _bad(error: Exception | str) -> Invalid:
    words = "the board was asked in a way it does not understand: {why}"
    return Invalid("bad_request", words, "use the same moot", str(error))


def _typed(args: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return converted(args, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        raise _bad(misfit(error)) from error


def _unread(offered: OfferReport) -> OfferReport:
    """Only the text, and why it is no report: nothing else of it was looked at."""
    text = offered.report.extra.get(UNREAD)
    if offered.fault is None or not isinstance(text, str | None):
        raise not_in_a_run("offering a report unread")
    return OfferReport(report=Report.unread(offered.fault, text or ""), fault=offered.fault)
