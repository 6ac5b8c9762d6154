"""A run that a program makes itself: a claim as a block that renews its own lease."""

import threading
from types import TracebackType
from typing import Any, Self

from folkmoot.api.requests import AddComment, Hear, Lock, Release, Renew, RequestFiles, SendReport, Show
from folkmoot.api.views import ClaimView, HoldView, ItemView, MessageView, SentenceView
from folkmoot.core.commands import Actor
from folkmoot.core.enums import OUTCOMES
from folkmoot.core.input_limits import checked_key
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.form import REPORT_REFUSED
from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.doors.message_command import envelope, order_to_dispatch
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, MootError, Refused

View = dict[str, Any]


class Claim:
    """A run that this program makes. As a `with` block it renews its lease; leaving it by an exception reports that."""

    def __init__(self, application: Application, view: ClaimView, lease: float) -> None:
        self._lease = lease
        self.id: str = view.run
        self.token: int = view.token
        self.agent: str = view.agent
        self.model: str | None = view.model
        self.brief = view.brief
        self.workspace = view.workspace  # the clone, where one was asked for
        self._prompt = view.prompt  # as it was told with the clone
        self.item_id: str = self.brief["task"]["id"]
        self._ask = application.asked_by(Actor(self.agent, self.id, self.token))
        self._reported = False
        self._refused: Report | None = None
        self._over: threading.Event | None = None
        self._renewer: threading.Thread | None = None
        self.lost: MootError | None = None  # why the lease could not be renewed, once that has happened

    @property
    def item(self) -> ItemView:
        """The whole item as it is now; the brief has what the effort needs.

        >>> run.item.status
        'running'
        """
        return self._ask(Show(item=self.item_id))

    def renew(self) -> None:
        """Keep the lease for another span. A `with` block does so by itself.

        >>> run.renew()
        """
        self._ask.tell(Renew())

    def release(self) -> None:
        """Give the item back unworked. Nothing is counted.

        >>> run.release()
        >>> board.show("1").status
        'ready'
        """
        self._ask.tell(Release())
        self._end()

    def report(self, report: Report, *, key: str | None = None) -> None:
        """Ends the run; the board decides what follows, and `board.show` tells it.

        Raises Invalid for a report that breaks the form: the run lives, and may report again (R-32).

        >>> run.report(Report.done("added the form"))
        >>> board.show("1").column
        'review'
        """
        if not isinstance(report, Report) or report.outcome not in OUTCOMES:
            words = "{value} is no report's outcome"
            hint = "give a Report whose outcome is one of {known}"
            raise Invalid("bad_report", words, hint, ascii(getattr(report, "outcome", report))[:80], list(OUTCOMES))
        try:
            self._ask.tell(SendReport(report=report), checked_key(key))
        except Invalid as error:
            self._refused = report if error.code == REPORT_REFUSED else self._refused
            raise
        self._end()

    def comment(self, content: str, **parts: str | None) -> ItemView:
        """Say something to whoever works on the item later; `artifact`, `target` and `parent` say where.

        >>> run.comment("the parser is slow", target="parse()").comments[0].author
        'coder'
        """
        return self._ask(AddComment(item=self.item_id, content=content, **parts))

    def prompt(self) -> str:
        """The brief as the text an agent is given.

        >>> "User can reset a password" in run.prompt()
        True
        """
        from folkmoot.briefs.prompt import prompt

        return self._prompt or prompt(self.brief)

    def widen(self, *paths: str, key: str | None = None) -> ItemView:
        """Ask for more files than the item declared; raises Refused if another holds one.

        >>> run.widen("src/mail.py").files
        ['src/reset.py', 'src/mail.py']
        """
        return self._ask(RequestFiles(paths=list(paths)), checked_key(key))

    def lock(self, *paths: str, seconds: float = LOCK_SECONDS, key: str | None = None) -> list[HoldView]:
        """A lock that ends with this run, or before.

        >>> [hold.resource for hold in run.lock("docs/")]
        ['src/reset.py', 'docs/']
        """
        return self._ask(Lock(paths=list(paths), seconds=seconds), checked_key(key)).locks

    def send(self, message: View, *, key: str | None = None) -> MessageView:
        """Send an envelope as this run; its `type` and `to` are the flow's.

        >>> _ = team.add("User can reset a password")
        >>> run = team.claim("planner")
        >>> run.send({"from": "planner", "to": "builder", "type": "task_handoff", "payload": {}}).status
        'pending'
        """
        return self._ask(envelope(message, in_run=True), checked_key(key))

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> ItemView:
        """Have another agent do one small thing, and go on; gives the new item. The flow says whose agents may.

        >>> run.dispatch("reviewer", "look at src/reset.py")
        Traceback (most recent call last):
        ...
        folkmoot.errors.Refused: coder may not dispatch: 'dispatch' is not in its `may`
        """
        return self._ask(order_to_dispatch(agent, task, purpose), checked_key(key))

    def hear(self) -> list[SentenceView]:
        """What people have said to this run since it was last told; each sentence once. The brief has what came before.

        >>> _ = board.say("1", "use the helper")
        >>> [said.text for said in run.hear()]
        ['use the helper']
        >>> run.hear()
        []
        """
        return list(self._ask(Hear()).sentences)

    def _end(self) -> None:
        """After the board has taken it: a report that was refused leaves the run, and its lease, as they were."""
        self._reported = True
        if self._over is not None:
            self._over.set()

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._renewer = threading.Thread(target=self._keep, args=(self._over,), daemon=True)
        self._renewer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        reported = self._reported
        self._end()
        if self._renewer is not None:
            self._renewer.join()
        if reported:
            return
        try:
            if self._refused is not None and (error is None or getattr(error, "code", "") == REPORT_REFUSED):
                # Nothing better came: what was said last is what there is, and its fault is told to the next run.
                self._ask.tell(SendReport(report=self._refused, final=True))
            elif error is None:
                said = Report.failed("the block ended without a report", cause="protocol")
                self._ask.tell(SendReport(report=said, fault=said.summary))
            else:
                said = Report.failed(f"{type(error).__name__}: {error}", cause="transient")
                self._ask.tell(SendReport(report=said))
        except Refused:
            # The lease was lost meanwhile, so the board knows already; the block's own error matters more.
            if error is None:
                raise

    def _keep(self, over: threading.Event) -> None:
        """Renew at a third of the lease. A refusal means the run is lost: nothing it writes will count any more."""
        while not over.wait(self._lease / 3):
            try:
                self.renew()
            except MootError as error:
                if not over.is_set():
                    self.lost = error
                return
