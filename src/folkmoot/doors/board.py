"""The Python door: a board as an object, a claim as a block that renews itself."""

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from folkmoot.core import commands
from folkmoot.core.commands import Speaker
from folkmoot.core.report import Report
from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.doors.patience import patiently
from folkmoot.doors.posting import order_to_send
from folkmoot.engine.application import Application, Boards
from folkmoot.errors import Invalid, MootError, Refused

View = dict[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])


class Board:
    """An open board. Every method is one transaction; what it returns is the JSON of the contract as a dict."""

    boards: ClassVar[Boards]  # set by the composition root

    def __init__(self, application: Application, speaker: str = "someone") -> None:
        self._application = application
        self._speaker = Speaker(speaker)

    @classmethod
    def open(cls, place: str = ".", speaker: str = "someone") -> Self:
        return cls(cls.boards.open(place), speaker)

    @classmethod
    def create(cls, folder: str = ".", preset: str = "kanban", speaker: str = "someone") -> Self:
        return cls(cls.boards.create(folder, preset), speaker)

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
    ) -> View:
        command = commands.AddItem(
            title=title,
            body=body,
            column=column,
            files=list(files),
            after=list(after),
            tags=list(tags),
            priority=priority,
            type=type,
            parent=parent,
        )
        return self._application.engine.add(self._speaker, command, key)

    def claim(
        self,
        agent: str,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
    ) -> "Claim":
        """The next item for the agent; raises NothingToDo if none is ready."""
        view = self._application.engine.claim(
            self._speaker, agent, column=column, item=item, lease=lease, worker=worker, key=key, show=False
        )
        return Claim(self._application, view, lease or self._application.queries.flow().limits.lease)

    def show(self, item: str) -> View:
        return self._application.queries.show(item)

    def list(self, *, column: str | None = None, tag: str | None = None, status: str | None = None) -> list[View]:
        found: list[View] = []
        after: int | None = 0
        while after is not None:
            page = self._application.queries.list(column=column, tag=tag, status=status, after=after)
            found += page["items"]
            after = page["next"]
        return found

    def inbox(self) -> Sequence[View]:
        questions: Sequence[View] = self._application.queries.inbox()["questions"]
        return questions

    def log(self, after: int = 0, item: str | None = None) -> Sequence[View]:
        events: Sequence[View] = self._application.queries.log(after, item)["events"]
        return events

    def answer(self, question: str, answer: str, *, to: str | None = None, key: str | None = None) -> View:
        command = commands.AnswerQuestion(question=question, answer=answer, to=to)
        return self._application.engine.answer(self._speaker, command, key)

    def move(self, item: str, column: str, *, why: str = "", key: str | None = None) -> View:
        return self._on(item, commands.MoveItem(column=column, why=why), key)

    def cancel(self, item: str, *, why: str = "", key: str | None = None) -> View:
        return self._on(item, commands.CancelItem(why=why), key)

    def reopen(self, item: str, *, why: str = "", key: str | None = None) -> View:
        return self._on(item, commands.ReopenItem(why=why), key)

    def comment(self, item: str, content: str, *, key: str | None = None, **parts: str | None) -> View:
        return self._on(item, commands.AddComment(content=content, **parts), key)

    def lock(
        self, *paths: str, seconds: float = LOCK_SECONDS, wait: float = 0.0, key: str | None = None
    ) -> Sequence[View]:
        """Keep others off these paths, all or none; gives every hold in force. Raises Refused if others hold one."""
        return patiently(self.boards, wait, lambda: _lock(self._application, self._speaker, list(paths), seconds, key))

    def unlock(self, *paths: str, key: str | None = None) -> Sequence[View]:
        command = commands.UnlockPaths(paths=list(paths))
        held: Sequence[View] = self._application.engine.lock(self._speaker, command, key)["locks"]
        return held

    def locks(self) -> Sequence[View]:
        held: Sequence[View] = self._application.queries.locks()["locks"]
        return held

    def send(self, message: View, *, key: str | None = None) -> View:
        """Send an envelope: `from`, `to` and `type` are needed; gives it as it was taken in."""
        return _send(self._application, self._speaker, message, key)

    def messages(self, *, to: str | None = None, status: str | None = None) -> Sequence[View]:
        found: Sequence[View] = self._application.queries.messages(to=to, status=status)["messages"]
        return found

    def accept(self, message: str, *, key: str | None = None) -> View:
        return self._application.engine.on_message(self._speaker, commands.AcceptMessage(message=message), key)

    def complete(self, message: str, *, key: str | None = None) -> View:
        return self._application.engine.on_message(self._speaker, commands.CompleteMessage(message=message), key)

    def reject(self, message: str, why: str, *, key: str | None = None) -> View:
        return self._application.engine.on_message(self._speaker, commands.RejectMessage(message=message, why=why), key)

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> View:
        """Give an agent a small thing to do; gives the new item."""
        command = commands.DispatchAgent(agent=agent, task=task, purpose=purpose)
        return self._application.engine.add(self._speaker, command, key)

    def agent(self, name: str) -> Callable[[Function], Function]:
        """Say that a function is an agent of the flow, whose `run` is {python: "module:function"}: `moot run` calls it.

        The function itself is not changed. Raises Invalid for an agent that the flow does not have.
        """
        known = self._application.queries.flow().agents
        if name not in known:
            raise Invalid("unknown_agent", f"the flow has no agent {name!r}", f"agents: {', '.join(known)}")
        return lambda function: function

    def metrics(self) -> View:
        return self._application.queries.metrics()

    def lessons(self, agent: str | None = None) -> Sequence[View]:
        """What runs have learnt, the newest first."""
        found: Sequence[View] = self._application.queries.lessons(agent)["lessons"]
        return found

    def _on(self, item: str, command: commands.Command, key: str | None) -> View:
        return self._application.engine.on_item(self._speaker, item, command, key)

    def close(self) -> None:
        self._application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Claim:
    """A run that this program makes. As a `with` block it renews its lease; leaving it by an exception reports that."""

    def __init__(self, application: Application, view: View, lease: float) -> None:
        self._application = application
        self._lease = lease
        self.id: str = view["run"]
        self.token: int = view["token"]
        self.agent: str = view["agent"]
        self.model: str | None = view["model"]
        self.brief: View = view["brief"]
        self.item_id: str = self.brief["task"]["id"]
        self._speaker = Speaker(self.agent, self.id, self.token)
        self._reported = False
        self._over: threading.Event | None = None
        self._renewer: threading.Thread | None = None
        self.lost: MootError | None = None  # why the lease could not be renewed, once that has happened

    @property
    def item(self) -> View:
        """The whole item as it is now; the brief has what the effort needs."""
        return self._application.queries.show(self.item_id)

    def renew(self) -> None:
        self._application.engine.on_run(self._speaker, commands.RenewRun(), show=False)

    def release(self) -> None:
        self._end()
        self._application.engine.on_run(self._speaker, commands.ReleaseRun(), show=False)

    def report(self, report: Report, *, key: str | None = None) -> None:
        """Ends the run; the board decides what follows, and `board.show` tells it."""
        self._end()
        self._application.engine.report(self._speaker, report, key=key, show=False)

    def comment(self, content: str, **parts: str | None) -> View:
        command = commands.AddComment(content=content, **parts)
        return self._application.engine.on_item(self._speaker, self.item_id, command)

    def prompt(self) -> str:
        """The brief as the text an agent is given."""
        from folkmoot.briefs.prompt import prompt

        return prompt(self.brief)

    def widen(self, *paths: str, key: str | None = None) -> View:
        """Ask for more files than the item declared; raises Refused if another holds one."""
        return self._application.engine.on_run(self._speaker, commands.WidenRun(paths=list(paths)), key)

    def lock(self, *paths: str, seconds: float = LOCK_SECONDS, key: str | None = None) -> list[View]:
        """A lock that ends with this run, or before."""
        return _lock(self._application, self._speaker, list(paths), seconds, key)

    def send(self, message: View, *, key: str | None = None) -> View:
        return _send(self._application, self._speaker, message, key)

    def dispatch(self, agent: str, task: str, *, purpose: str = "fix", key: str | None = None) -> View:
        command = commands.DispatchAgent(agent=agent, task=task, purpose=purpose)
        return self._application.engine.add(self._speaker, command, key)

    def _end(self) -> None:
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
            if error is None:
                said = Report.failed("the block ended without a report", cause="protocol")
                self._application.engine.report(self._speaker, said, fault=said.summary, show=False)
            else:
                said = Report.failed(f"{type(error).__name__}: {error}", cause="transient")
                self._application.engine.report(self._speaker, said, show=False)
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
                self.lost = error
                return


def _lock(application: Application, speaker: Speaker, paths: list[str], seconds: float, key: str | None) -> list[View]:
    command = commands.LockPaths(paths=paths, seconds=seconds)
    held: list[View] = application.engine.lock(speaker, command, key)["locks"]
    return held


def _send(application: Application, speaker: Speaker, message: View, key: str | None) -> View:
    from folkmoot.reports.envelope import check_message

    return application.engine.send(speaker, order_to_send(check_message(message)), key)
