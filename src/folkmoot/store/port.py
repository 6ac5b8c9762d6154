"""What a store must be able to do. The contract suite in `testing` holds every store to it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from folkmoot.core.events import Event, FlowVersion, Row
from folkmoot.core.item import Item
from folkmoot.core.order import QueuePosition
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run
from folkmoot.core.situation import Neighbour

Result = TypeVar("Result")


class BoardHead(Struct, frozen=True, gc=False):
    """The one row every writing transaction reads first and writes last."""

    seq: int = 0  # of the last event
    chain: bytes = b""  # hash of the last event, over the whole log
    time: float = 0.0  # store clock at the last event
    boot: str = ""
    offset: float = 0.0
    flow_version: int = 0
    items: int = 0  # how many there are: the next id is one more
    comments: int = 0
    questions: int = 0
    open_questions: int = 0
    messages: int = 0
    lessons: int = 0
    filed: int = 0  # items that declare files; while there are none, no claim looks at holds
    held: int = 0  # holds that were not released, the expired ones among them
    pauses: int = 0  # that were ever begun; while there is none, no claim looks for them

    def values(self) -> tuple[object, ...]:
        """In the order of the fields."""
        return astuple(self)


class Stretch(Struct, frozen=True, gc=False):
    """Some events of the log that were proved, one after the other."""

    upto: int  # the number of the last one
    faults: list[str]  # what is wrong with them, in sentences
    ends: bool  # it is the last of the log, and the head fits it


class KeptAnswer(Struct, frozen=True, gc=False):
    """The answer to a command that carried an idempotency key."""

    digest: bytes
    answer: bytes


class Reading(Protocol):
    """One consistent view of the store."""

    def head(self) -> BoardHead: ...
    def flow(self, version: int) -> FlowVersion: ...
    def item(self, item: str) -> Item | None: ...
    def items(
        self,
        *,
        column: str | None = None,
        tag: str | None = None,
        status: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Item]: ...
    def open_items(self, each: int | None = None) -> list[Item]:
        """Those that have not ended, in the order of their numbers; `each`: of every column only the first so many, as
        `core/order.shown_key` has them."""

    def open_in(self) -> dict[str, int]:
        """How many have not ended in each column, of those in their own right."""

    def ended_items(self, limit: int) -> list[Item]:
        """Those that have ended, the newest first: by when they came to stand so, then by their numbers."""

    def ended_in(self) -> dict[str, int]:
        """How many have ended in each column, of those in their own right."""

    def children(self, item: str) -> list[str]: ...
    def run(self, run: str) -> Run | None: ...
    def runs(self, item: str) -> list[Run]: ...
    def runs_named(self, beginning: str, limit: int) -> list[Run]:
        """Those whose ids begin so, in the order of their ids."""

    def runs_ended(self, since: int) -> Iterable[Run]:
        """Those that have ended at this moment (milliseconds of the wall clock) or later, by their ends. A board may
        have very many: they are read one by one."""

    def open_run(self, item: str) -> Run | None: ...
    def attempts(self, item: str) -> list[Attempt]: ...
    def comments(self, item: str) -> list[Comment]: ...
    def question(self, question: str) -> Question | None: ...
    def questions(self, item: str) -> list[Question]: ...
    def inbox(self) -> list[Question]: ...
    def dependents(self, item: str) -> list[str]: ...
    def upstream(self, items: Iterable[str], limit: int) -> dict[str, Neighbour]: ...
    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]: ...
    def next_ready(
        self, agent: str, now: float, starve: float, *, column: str | None = None, item: str | None = None
    ) -> Item | None: ...
    def expect_ready(self, agents: Iterable[str], now: float, starve: float, *, column: str | None = None) -> None:
        """`next_ready` is asked next for each of these: a store that is far away looks at all of them at once. It
        changes no answer."""

    def ready(
        self,
        agent: str,
        now: float,
        starve: float,
        *,
        column: str | None = None,
        limit: int = 256,
        bar: str | None = None,
    ) -> list[Item]:
        """What `next_ready` would give one after the other: those behind no bar, or those behind the one named."""

    def bars(self, agent: str) -> list[str]:
        """What keeps items of the agent's queue out, each once, as claims have noted it."""

    def barred(self) -> dict[str, str]:
        """Every item that is noted as kept out, and by what."""

    def queued(self, agent: str, limit: int) -> int:
        """How many items the queue holds, sleeping and barred ones too; counted no further than `limit`."""

    def awaited(
        self, items: Iterable[str], agent: str, now: float, *, column: str | None = None, limit: int
    ) -> list[Item]:
        """The barred ones of the queue that are among these items, or that one of them which has no run waits for,
        directly or through others, tasks for their whole too. Looks at no more than `limit`."""

    def starved(self, before: float, limit: int) -> list[Item]:
        """Items with files that wait in any queue since `before` or longer, the longest first."""

    def waiters(self, item: str) -> set[str]:
        """Who waits for the item: its dependents, and those of its tasks that wait for it to be looked at."""

    def child_items(self, item: str) -> list[Item]: ...
    def message(self, message: str) -> Message | None: ...
    def messages(
        self,
        *,
        item: str | None = None,
        to: str | None = None,
        status: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Message]:
        """In the order written. The n-th message ever written has the number n, and `after` leaves out up to it."""

    def loose_messages(self, to: str | None, limit: int) -> list[Message]:
        """Those about no item that are neither completed nor rejected, in the order written; None: for anybody."""

    def holds(self, now: float) -> list[Hold]:
        """Held and not expired, in the order the rows were first written: one that is taken again keeps its place."""

    def lessons(self, limit: int) -> list[Lesson]:
        """The newest first."""

    def pauses(self) -> list[Pause]:
        """All that were ever begun, by their ids."""

    def meter(self, meter: str) -> Meter | None: ...
    def open_runs(self) -> list[Run]:
        """Who works now, the one whose lease ends first in front."""

    def output(self, run: str, after: int = 0, limit: int = 1000) -> list[tuple[int, str]]:
        """What the run printed, in numbered parts, from the part `after` on."""

    def last_output(self, run: str, before: int, limit: int) -> list[tuple[str, int]]:
        """The last parts of what the run printed, of those numbered below `before`, the last one first; each with the
        time at which it was kept."""

    def next_wake(self, agent: str, now: float) -> float | None: ...
    def events(self, after: int, *, item: str | None = None, limit: int = 1000) -> list[Event]: ...
    def holding(self, table: str, words: Sequence[str]) -> Iterator[Row]:
        """Items, comments, questions or runs whose documents hold all of these words, however they are capitalised, the
        newest first. Where in the document is not said; it is read only as far as is asked for."""

    def rows(self, table: str) -> Iterable[Row]:
        """All of them, read one by one."""


class Transaction(Reading, Protocol):
    """A writing transaction: everything it saves becomes durable together, or nothing does."""

    def save(
        self, events: Sequence[Event], rows: Sequence[tuple[str, Row, bool]], places: dict[str, QueuePosition]
    ) -> None:
        """Each row comes with whether it is new; a hold replaces the one of its id, whatever is said there."""

    def keep_out(self, bars: dict[str, str]) -> None:
        """Beside the log: note by what each of these items is kept out. Whoever saves an item takes its note off, and a
        new flow all of them."""

    def let_in(self, agent: str, bars: Sequence[str]) -> None:
        """Take off the notes of all items of the queue that stand behind these bars."""

    def keep_output(self, run: str, part: int, text: str, at: int = 0) -> None:
        """Beside the log: the part takes the place of the one with its number. `at` is the time of the wall clock."""

    def kept_answer(self, actor: str, key: str) -> KeptAnswer | None: ...
    def keep_answer(self, actor: str, key: str, kept: KeptAnswer, at: int) -> None: ...
    def kept_bytes(self, actor: str) -> int:
        """How large the answers are, all in all, that are kept for a speaker."""


class Store(Protocol):
    def transact(self, work: Callable[[Transaction], Result], *, alone: bool = False) -> Result:
        """Do the work and make it durable, or leave no trace of it.

        `alone`: it shares its commit with nobody, so that what it does last, outside of the store, is followed by the
        commit and by nothing else.
        """

    def read(self, work: Callable[[Reading], Result]) -> Result: ...
    def broken_links(self) -> list[str]: ...
    def prove(self, after: int, limit: int) -> Stretch:
        """Prove the next events of the log, and at its end that the head fits them. Before the beginning (a number
        below 0) it counts from the end: the newest of them."""

    def try_write(self, seconds: float) -> int | None:
        """Write something that leaves no trace, in the way a commit is written; raises what keeps a commit from being
        made. It waits no longer than so many seconds for other writers. Gives the bytes that are free there, if anybody
        can tell."""

    def close(self) -> None: ...
