"""The Python door: a board as an object, a claim as a block that renews itself."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar

from msgspec import UNSET

from folkmoot.api import requests
from folkmoot.api.machine import BackedUp
from folkmoot.api.metrics import Metrics
from folkmoot.api.requests import (
    Add,
    AddComment,
    AnswerQuestion,
    Cancel,
    ListItems,
    ListLessons,
    ListQuestions,
    Measure,
    Move,
    ReadLog,
    ReadUsage,
    Reopen,
    Request,
    Say,
    Show,
    ShowFlow,
)
from folkmoot.api.screen import Park, Unpark
from folkmoot.api.summary.digest import Digest, ReadDigest
from folkmoot.api.usage import By, UsageView
from folkmoot.api.views import EventView, ItemSummary, ItemView, LessonView, QuestionView
from folkmoot.core.commands import Actor
from folkmoot.core.input_limits import check_words, checked_key, checked_name
from folkmoot.doors.claims import Claim
from folkmoot.doors.sharing import Sharing
from folkmoot.doors.waiting import Waiting, when_ready
from folkmoot.engine.application import Application, Boards
from folkmoot.errors import Invalid, unknown_agent

Function = TypeVar("Function", bound=Callable[..., Any])
Answer = TypeVar("Answer")


class Board(Sharing):
    """An open board. Every method is one transaction; what it returns is a struct of the contract."""

    boards: ClassVar[Boards]  # set by the composition root

    def __init__(self, application: Application, actor: str = "someone") -> None:
        who = Actor(checked_name(actor))
        self._application = application
        self._ask = application.asked_by(who)

    def ask(self, request: Request[Answer], key: str | None = None) -> Answer:
        """Any [call of the contract](calls.md): the other methods are short forms of some.

        `key` makes it safe to repeat: the same key twice has one effect, and one answer.

        >>> from folkmoot.api.requests import ListPauses
        >>> board.ask(ListPauses()).pauses
        []
        """
        return self._ask(request, checked_key(key))

    @classmethod
    def open(cls, board_dir: str = ".", actor: str = "someone") -> Self:
        """The board in a folder, or in the nearest one above that has `.moot`. `actor` is who speaks.

        >>> with Board.open(folder, actor="ada") as opened:
        ...     opened.list()
        []
        """
        return cls(cls.boards.open(board_dir), actor)

    @classmethod
    def create(cls, folder: str = ".", preset: str = "simple", actor: str = "someone", gate: str | None = None) -> Self:
        """Make a board in a folder that has none, as `moot init` does.

        >>> import os
        >>> os.mkdir(folder + "/new")
        >>> with Board.create(folder + "/new", preset="kanban") as made:
        ...     made.add("Users can say hello").column
        'stories'
        """
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
        needs: Sequence[str] = (),
        priority: str = "medium",
        type: str = "feature",
        parent: str | None = None,
        parked: bool = False,
        key: str | None = None,
    ) -> ItemView:
        """Add an item; it begins where the flow does, or in `column`; `parked`: once a person says so; `needs`: labels
        that a worker must have to run anything on it, such as `gpu`.

        >>> board.add("User can reset a password", files=["src/reset.py"]).status
        'ready'
        """
        request = Add(
            title=title,
            body=body,
            column=column,
            files=_listed(files),
            after=_listed(after),
            tags=_listed(tags),
            needs=_listed(needs),
            priority=priority,
            type=type,
            parent=parent,
            parked=True if parked else UNSET,
        )
        return self.ask(request, key)

    def claim(
        self,
        agent: str | None = None,
        *,
        column: str | None = None,
        item: str | None = None,
        lease: float | None = None,
        worker: str = "",
        key: str | None = None,
        wait: float = 0.0,
        clone: bool = False,
    ) -> "Claim":
        """The next item for the agent, or for any; raises NothingToDo if none is ready, nor becomes ready within `wait`
        seconds. With `clone` its `workspace` is a clone of the repository: the report takes in what is changed there.

        >>> item = board.add("User can reset a password")
        >>> with board.claim("coder", item=item.id) as run:
        ...     run.report(Report.done("added the reset form"))
        >>> board.show(item.id).column
        'review'
        """
        check_words(column=column, item=item)
        request = requests.Claim(
            agent=agent, column=column, item=item, lease=lease, worker=worker, show=False, clone=clone
        )
        view = when_ready(self._application, agent, wait, lambda: self.ask(request, key))
        return Claim(self._application, view, lease or self._ask(ShowFlow()).limits.lease)

    def show(self, item: str) -> ItemView:
        """One item with all that is known of it.

        >>> item = board.add("Rounding is wrong")
        >>> board.show(item.id).why
        'Queued in code for coder, because ada added it.'
        """
        check_words(item=item)
        return self._ask(Show(item=item))

    def list(
        self, *, column: str | None = None, tag: str | None = None, status: str | None = None
    ) -> list[ItemSummary]:
        """All items, or those of a column, with a tag, or in a status; in the order they were added.

        >>> _ = board.add("One", tags=["web"]), board.add("Two")
        >>> [item.title for item in board.list(tag="web")]
        ['One']
        """
        check_words(column=column, tag=tag, status=status)
        found: list[ItemSummary] = []
        after: int | None = 0
        while after is not None:
            page = self._ask(ListItems(column=column, tag=tag, status=status, after=after))
            found += page.items
            after = page.next
        return found

    def inbox(self) -> Sequence[QuestionView]:
        """The open questions, oldest first.

        >>> _ = board.add("Which limit?")
        >>> with board.claim("coder") as run:
        ...     run.report(Report(outcome="asks", question=AskedQuestion(question="10 MB or 20 MB?")))
        >>> [asked.question for asked in board.inbox()]
        ['10 MB or 20 MB?']
        """
        return self._ask(ListQuestions()).questions

    def log(self, after: int = 0, item: str | None = None) -> Sequence[EventView]:
        """The events after a number, in the order of their commits.

        >>> item = board.add("One")
        >>> [event.event for event in board.log(item=item.id)]
        ['item_added']
        """
        check_words(item=item)
        # No log is ever so long: what is beyond what can be counted is beyond its end.
        return self._ask(ReadLog(after=min(after, 2**63 - 1), item=item)).events

    def follow(self, after: int = 0, item: str | None = None, *, idle: float = float("inf")) -> Iterator[EventView]:
        """The events after this one, each once and in order, and then those to come, as they happen.

        Ends when nothing has happened for `idle` seconds; without it, never.

        >>> item = board.add("One")
        >>> [event.event for event in board.follow(item=item.id, idle=0.0)]
        ['item_added']
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
        """By an option's number, its words or how they begin; `more` is for the agent. With `text` it is words only.

        >>> _ = board.add("Which limit?")
        >>> with board.claim("coder") as run:
        ...     run.report(Report(outcome="asks", question=AskedQuestion(question="10 MB or 20 MB?")))
        >>> board.answer(board.inbox()[0].id, "20 MB").status
        'ready'
        """
        return self.ask(AnswerQuestion(question=question, answer=answer, more=more, text=text, to=to), key)

    def move(self, item: str, column: str, *, why: str = "", key: str | None = None) -> ItemView:
        """Put an item into another column. A run that works on it ends.

        >>> item = board.add("One")
        >>> board.move(item.id, "review", why="it is there already").column
        'review'
        """
        return self.ask(Move(item=item, column=column, why=why), key)

    def park(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        """Put an item aside: nobody works on it before it is taken up again.

        >>> item = board.add("One")
        >>> board.park(item.id, why="after the release").status
        'parked'
        """
        return self.ask(Park(item=item, why=why), key)

    def unpark(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        """Take up an item that was put aside, as it stood before.

        >>> item = board.park(board.add("One").id)
        >>> board.unpark(item.id).status
        'ready'
        """
        return self.ask(Unpark(item=item, why=why), key)

    def cancel(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        """End an item without its work.

        >>> item = board.add("One")
        >>> board.cancel(item.id, why="not wanted").status
        'cancelled'
        """
        return self.ask(Cancel(item=item, why=why), key)

    def reopen(self, item: str, *, why: str = "", key: str | None = None) -> ItemView:
        """Take up an item again that has ended.

        >>> item = board.cancel(board.add("One").id)
        >>> board.reopen(item.id, why="after all").status
        'ready'
        """
        return self.ask(Reopen(item=item, why=why), key)

    def comment(self, item: str, content: str, *, key: str | None = None, **parts: str | None) -> ItemView:
        """Comment on an item, or reply: `artifact`, `target`, `parent`, `resolution`.

        >>> item = board.add("One")
        >>> board.comment(item.id, "mind the tests").comments[0].content
        'mind the tests'
        """
        return self.ask(AddComment(item=item, content=content, **parts), key)

    def agent(self, name: str) -> Callable[[Function], Function]:
        """Say that a function is an agent of the flow, whose `run` is {python: "module:function"}: `moot run` calls it.

        The function itself is not changed. Raises Invalid for an agent that the flow does not have.

        >>> @board.agent("reviewer")
        ... def look(brief: dict) -> Report:
        ...     return Report.done("nothing to object to")
        >>> look({}).outcome
        'done'
        """
        known = self._ask(ShowFlow()).agents
        if name not in known:
            raise unknown_agent(name, known)
        return lambda function: function

    def say(self, item: str, text: str, *, key: str | None = None) -> ItemView:
        """Say a sentence to whoever works on an item, or does so next; `item` may be a run.

        >>> item = board.add("One")
        >>> board.say(item.id, "use the helper").said[0].heard is None
        True
        """
        return self.ask(Say(item=item, text=text), key)

    def metrics(self, item: str | None = None) -> Metrics:
        """How long agents worked, how often work came back, what it cost; of the board or of one item.

        >>> board.metrics().escalation_rate
        0.0
        """
        return self._ask(Measure(item=item))

    def usage(self, item: str | None = None, *, by: By = "item", since: str | None = None) -> UsageView:
        """What runs have used up: tokens, money where anybody can tell it, time.

        >>> board.usage(by="agent").lines
        []
        """
        return self._ask(ReadUsage(item=item, by=by, since=since))

    def digest(self, since: str = "24h") -> Digest:
        """What landed, what waits for a person, what it cost and what was learned, since a moment.

        >>> board.digest("yesterday").landed
        []
        """
        return self._ask(ReadDigest(since=since))

    def lessons(self, agent: str | None = None) -> Sequence[LessonView]:
        """What runs have learnt, the newest first.

        >>> _ = board.add("One")
        >>> with board.claim("coder") as run:
        ...     run.report(Report.done("done", lessons=["the parser needs a final newline"]))
        >>> board.lessons()[0].text
        'the parser needs a final newline'
        """
        check_words(agent=agent)
        return self._ask(ListLessons(agent=agent)).lessons

    def backup(self, file: str | None = None) -> BackedUp:
        """Keep the board as it is now in one file, while others work on it; the answer says where.

        >>> board.backup(folder + "/kept.db").path.endswith("kept.db")
        True
        """
        return self.boards.backup(self._application.board_dir, file)

    def close(self) -> None:
        """Let go of the board; a `with` block does so by itself.

        >>> Board.open(folder).close()
        """
        self._application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _listed(words: Sequence[str]) -> list[str]:
    """A list of texts; a single text is one too in Python's eyes, letter by letter, and never meant so."""
    if isinstance(words, str):
        raise Invalid("bad_value", "{given!r} is a text, not a list of texts", "write [{given!r}]", words[:80])
    return list(words)
