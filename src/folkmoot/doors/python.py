"""The Python door: a board as an object, a claim as a block that renews itself."""

import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from folkmoot.api import requests
from folkmoot.api.machine import BackedUp
from folkmoot.api.metrics import Metrics
from folkmoot.api.requests import (
    AcceptMessage,
    Add,
    AddComment,
    AnswerQuestion,
    Cancel,
    CompleteMessage,
    ListItems,
    ListLessons,
    ListLocks,
    ListMessages,
    ListQuestions,
    Lock,
    Measure,
    Move,
    ReadLog,
    ReadUsage,
    RejectMessage,
    Release,
    Renew,
    Reopen,
    Request,
    RequestFiles,
    SendMessage,
    SendReport,
    Show,
    ShowFlow,
    Unlock,
)
from folkmoot.api.usage import By, UsageView
from folkmoot.api.views import (
    ClaimView,
    EventView,
    HoldView,
    ItemSummary,
    ItemView,
    LessonView,
    MessageView,
    QuestionView,
)
from folkmoot.core.commands import Actor
from folkmoot.core.enums import OUTCOMES
from folkmoot.core.input_limits import check_words, checked_key, checked_name
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.form import REPORT_REFUSED
from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.doors.message_command import order_to_dispatch, order_to_send
from folkmoot.doors.waiting import Waiting, patiently, when_ready
from folkmoot.engine.application import Application, Boards
from folkmoot.errors import Invalid, MootError, Refused, unknown_agent

View = dict[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])
Answer = TypeVar("Answer")


class Board:
    """An open board. Every method is one transaction; what it returns is a struct of the contract."""

    boards: ClassVar[Boards]  # set by the composition root

    def __init__(self, application: Application, actor: str = "someone") -> None:
        who = Actor(checked_name(actor))
        self._application = application
        self._ask = application.asked_by(who)

    def ask(self, request: Request[Answer], key: str | None = None) -> Answer:
        """Any call of the contract (see docs/reference/calls.md): the methods below are short forms of some."""
        return self._ask(request, checked_key(key))

    @classmethod
    def open(cls, board_dir: str = ".", actor: str = "someone") -> Self:
        return cls(cls.boards.open(board_dir), actor)

    @classmethod
    def create(cls, folder: str = ".", preset: str = "simple", actor: str = "someone", gate: str | None = None) -> Self:
        return cls(cls.boards.create(folder, preset, gate), actor)

    def add(
        self,
        title: str,
        *,
        body: str = "",
        column: str | None = None,
        files: Sequence[str] = (),
        after: Sequence[str] = (),
        tags: Sequence[str] = (),
        priority: str = "medium",
        type: str = "feature",
        parent: str | None = None,
        key: str | None = None,
    ) -> ItemView:
        request = Add(
            title=title,
            body=body,
            column=column,
            files=_listed(files),
            after=_listed(after),
            tags=_listed(tags),
            priority=priority,
            type=type,
            parent=parent,
        )
        return self.ask(request, key)

    def claim(
        self,
        agent: str,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
        wait: float = 0.0,
    ) -> "Claim":
        """The next item for the agent; raises NothingToDo if none is ready, nor becomes ready within `wait` seconds."""
        check_words(column=column, item=item)
        request = requests.Claim(agent=agent, column=column, item=item, lease=lease, worker=worker, show=False)
        view = when_ready(self._application, agent, wait, lambda: self.ask(request, key))
        return Claim(self._application, view, lease or self._ask(ShowFlow()).limits.lease)

    def show(self, item: str) -> ItemView:
        check_words(item=item)
        return self._ask(Show(item=item))

    def list(
        self, *, column: str | None = None, tag: str | None = None, status: str | None = None
    ) -> list[ItemSummary]:
        check_words(column=column, tag=tag, status=status)
        found: list[ItemSummary] = []
        after: int | None = 0
        while after is not None:
            page = self._ask(ListItems(column=column, tag=tag, status=status, after=after))
            found += page.items
            after = page.next
        return found

    def inbox(self) -> Sequence[QuestionView]:
        return self._ask(ListQuestions()).questions

    def log(self, after: int = 0, item: str | None = None) -> Sequence[EventView]:
        check_words(item=item)
        # No log is ever so long: what is beyond what can be counted is beyond its end.
        return self._ask(ReadLog(after=min(after, 2**63 - 1), item=item)).events

    def follow(self, after: int = 0, item: str | None = None, *, idle: float = float("inf")) -> Iterator[EventView]:
        """The events after this one, each once and in order, and then those to come, as they happen.

        Ends when nothing has happened for `idle` seconds; without it, never.
        """
        waiting = Waiting(self._application, idle)
        while True:
            page = self._ask(ReadLog(after=after, item=item))
            after = page.next
            yield from page.events
            if page.events:
                waiting.begin_again(idle)
            elif waiting.left <= 0:
                return
            else:
                waiting.sleep()

    def answer(
        self,
        question: str,
        answer: str,
        more: str = "",
        *,
        text: bool = False,
        to: str | None = None,
        key: str | None = None,
    ) -> ItemView:
        """By an option's number, its words or how they begin; `more` is for the agent. With `text` it is words only."""
        return self.ask(AnswerQuestion(question=question, answer=answer, more=more, text=text, to=to), key)

    def move(self, item: str, column: str, *, why: str = "", key: str | None = None) -> ItemView:
        return self.ask(Move(item=item, column=column, why=why), key)

    def cancel(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        return self.ask(Cancel(item=item, why=why), key)

    def reopen(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        return self.ask(Reopen(item=item, why=why), key)

    def comment(self, item: str, content: str, *, key: str | None = None, **parts: str | None) -> ItemView:
        return self.ask(AddComment(item=item, content=content, **parts), key)

    def lock(
        self, *paths: str, seconds: float = LOCK_SECONDS, wait: float = 0.0, key: str | None = None
    ) -> Sequence[HoldView]:
        """Keep others off these paths, all or none; gives every hold in force. Raises Refused if others hold one."""
        request = Lock(paths=list(paths), seconds=seconds)
        return patiently(self._application, wait, lambda: self.ask(request, key)).locks

    def unlock(self, *paths: str, key: str | None = None) -> Sequence[HoldView]:
        return self.ask(Unlock(paths=list(paths)), key).locks

    def locks(self) -> Sequence[HoldView]:
        return self._ask(ListLocks()).locks

    def send(self, message: View, *, key: str | None = None) -> MessageView:
        """Send an envelope: `from`, `to` and `type` are needed; gives it as it was taken in."""
        return self.ask(_envelope(message, in_run=False), key)

    def messages(self, *, to: str | None = None, status: str | None = None) -> Sequence[MessageView]:
        check_words(to=to, status=status)
        return self._ask(ListMessages(to=to, status=status)).messages

    def accept(self, message: str, *, agent: str | None = None, key: str | None = None) -> MessageView:
        """Accept a message as its receiver: `agent` says for whom this program speaks."""
        ask = self._ask if agent is None else self._application.asked_by(Actor(checked_name(agent)))
        return ask(AcceptMessage(message=message), checked_key(key))

    def complete(self, message: str, *, key: str | None = None) -> MessageView:
        return self.ask(CompleteMessage(message=message), key)

    def reject(self, message: str, why: str, *, key: str | None = None) -> MessageView:
        return self.ask(RejectMessage(message=message, why=why), key)

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> ItemView:
        """Give an agent a small thing to do; gives the new item."""
        return self.ask(order_to_dispatch(agent, task, purpose), key)

    def agent(self, name: str) -> Callable[[Function], Function]:
        """Say that a function is an agent of the flow, whose `run` is {python: "module:function"}: `moot run` calls it.

        The function itself is not changed. Raises Invalid for an agent that the flow does not have.
        """
        known = self._ask(ShowFlow()).agents
        if name not in known:
            raise unknown_agent(name, known)
        return lambda function: function

    def metrics(self, item: str | None = None) -> Metrics:
        return self._ask(Measure(item=item))

    def usage(self, item: str | None = None, *, by: By = "item", since: str | None = None) -> UsageView:
        """What runs have used up: tokens, money where anybody can tell it, time."""
        return self._ask(ReadUsage(item=item, by=by, since=since))

    def lessons(self, agent: str | None = None) -> Sequence[LessonView]:
        """What runs have learnt, the newest first."""
        check_words(agent=agent)
        return self._ask(ListLessons(agent=agent)).lessons

    def backup(self, file: str | None = None) -> BackedUp:
        """Keep the board as it is now in one file, while others work on it; the answer says where."""
        return self.boards.backup(self._application.board_dir, file)

    def close(self) -> None:
        self._application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Claim:
    """A run that this program makes. As a `with` block it renews its lease; leaving it by an exception reports that."""

    def __init__(self, application: Application, view: ClaimView, lease: float) -> None:
        self._lease = lease
        self.id: str = view.run
        self.token: int = view.token
        self.agent: str = view.agent
        self.model: str | None = view.model
        self.brief = view.brief
        self.item_id: str = self.brief["task"]["id"]
        self._ask = application.asked_by(Actor(self.agent, self.id, self.token))
        self._reported = False
        self._refused: Report | None = None
        self._over: threading.Event | None = None
        self._renewer: threading.Thread | None = None
        self.lost: MootError | None = None  # why the lease could not be renewed, once that has happened

    @property
    def item(self) -> ItemView:
        """The whole item as it is now; the brief has what the effort needs."""
        return self._ask(Show(item=self.item_id))

    def renew(self) -> None:
        self._ask.tell(Renew())

    def release(self) -> None:
        self._ask.tell(Release())
        self._end()

    def report(self, report: Report, *, key: str | None = None) -> None:
        """Ends the run; the board decides what follows, and `board.show` tells it.

        Raises Invalid for a report that breaks the form: the run lives, and may report again (R-32).
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
        return self._ask(AddComment(item=self.item_id, content=content, **parts))

    def prompt(self) -> str:
        """The brief as the text an agent is given."""
        from folkmoot.briefs.prompt import prompt

        return prompt(self.brief)

    def widen(self, *paths: str, key: str | None = None) -> ItemView:
        """Ask for more files than the item declared; raises Refused if another holds one."""
        return self._ask(RequestFiles(paths=list(paths)), checked_key(key))

    def lock(self, *paths: str, seconds: float = LOCK_SECONDS, key: str | None = None) -> list[HoldView]:
        """A lock that ends with this run, or before."""
        return self._ask(Lock(paths=list(paths), seconds=seconds), checked_key(key)).locks

    def send(self, message: View, *, key: str | None = None) -> MessageView:
        return self._ask(_envelope(message, in_run=True), checked_key(key))

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> ItemView:
        return self._ask(order_to_dispatch(agent, task, purpose), checked_key(key))

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


def _listed(words: Sequence[str]) -> list[str]:
    """A list of texts; a single text is one too in Python's eyes, letter by letter, and never meant so."""
    if isinstance(words, str):
        raise Invalid("bad_value", "{given!r} is a text, not a list of texts", "write [{given!r}]", words[:80])
    return list(words)


def _envelope(message: View, *, in_run: bool) -> SendMessage:
    from folkmoot.reports.envelope import check_message

    return order_to_send(check_message(message, in_run=in_run))
