"""The verbs that read. Each is one named statement with bound values; a store brings the statements in its dialect."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, ClassVar

from folkmoot.core.events import Event, FlowVersion, Row
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run
from folkmoot.core.situation import Neighbour
from folkmoot.errors import Invalid
from folkmoot.store.codec import (
    Unreadable,
    decode_event,
    decode_numbers,
    decode_row,
    encode_numbers,
    encode_text,
    number_of,
)
from folkmoot.store.port import BoardHead

# What runs a statement. Its rows are what the statement selects, which no type checker can know: `fetchall()` gives
# all of them, `get` the one there is, or its only value.
Execute = Callable[..., Any]
# Items as they stand in the store: queue, priority, rank, and the item itself.
Known = tuple[str | None, int, int, Item]


class SqlReading:
    """One consistent view; lives as long as its transaction, and remembers what it has read."""

    __slots__ = ("_execute", "_flows", "_head", "_holds", "_holds_at", "_items")
    _sql: ClassVar[dict[str, str]]  # the statements by name

    def __init__(self, execute: Execute, flows: dict[int, FlowVersion]) -> None:
        self._execute = execute
        self._flows = flows
        self._head: BoardHead | None = None
        self._items: dict[str, Known] = {}
        # By the hold's id its place among the others, and the hold: those in force at a time, and some before it.
        self._holds: dict[str, tuple[int, Hold]] | None = None
        self._holds_at = 0.0

    @property
    def execute(self) -> Execute:
        return self._execute

    def end(self) -> None:
        """The transaction is over: what would run now would run by itself, outside of it."""
        self._execute = _ended

    def head(self) -> BoardHead:
        if self._head is None:
            row = self._execute(self._sql["head"]).get
            if row is None:
                raise Unreadable("the head of the board is missing")
            self._head = BoardHead(*row)
        return self._head

    def flow(self, version: int) -> FlowVersion:
        known = self._flows.get(version)
        if known is None:
            doc = self._execute(self._sql["flow"], (version,)).get
            if doc is None:
                raise Invalid("unknown_flow", "there is no version {version} of the flow", "", version)
            known = self._flows[version] = decode_row("flows", doc)
        return known

    def item(self, item: str) -> Item | None:
        known = self._items.get(item)
        if known is None:
            row = self._execute(self._sql["item"], (number_of(item),)).get
            if row is None:
                return None
            queue, priority, rank, doc = row
            known = self._items[item] = (queue, priority, rank, decode_row("items", doc))
        return known[3]

    def items(
        self,
        *,
        column: str | None = None,
        tag: str | None = None,
        status: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Item]:
        if column is not None:
            return self._all("items", self._sql["items_in_column"], (after, tag, limit, column, status))
        if status is not None:
            return self._all("items", self._sql["items_with_status"], (after, tag, limit, status))
        return self._all("items", self._sql["items_all"], (after, tag, limit))

    def open_items(self, each: int | None = None) -> list[Item]:
        if each is not None:
            return self._all("items", self._sql["items_open_first"], (each,))
        return self._all("items", self._sql["items_open"], ())

    def open_in(self) -> dict[str, int]:
        return dict(self._execute(self._sql["open_in"]).fetchall())

    def ended_items(self, limit: int) -> list[Item]:
        return self._all("items", self._sql["items_ended"], (limit,))

    def ended_in(self) -> dict[str, int]:
        return dict(self._execute(self._sql["ended_in"]).fetchall())

    def children(self, item: str) -> list[str]:
        return self._ids(self._sql["children"], number_of(item))

    def child_items(self, item: str) -> list[Item]:
        return self._known(self._sql["child_items"], (number_of(item),))

    def run(self, run: str) -> Run | None:
        found: Run | None = self._one("runs", self._sql["run"], run)
        return found

    def runs_named(self, beginning: str, limit: int) -> list[Run]:
        return self._all("runs", self._sql["runs_named"], (beginning, beginning + "\U0010ffff", limit))

    def runs_ended(self, since: int) -> Iterator[Run]:
        return self._each("runs", self._sql["runs_ended"], (since,))

    def runs(self, item: str) -> list[Run]:
        return self._all("runs", self._sql["runs"], (number_of(item),))

    def open_run(self, item: str) -> Run | None:
        found: Run | None = self._one("runs", self._sql["open_run"], number_of(item))
        return found

    def attempts(self, item: str) -> list[Attempt]:
        return self._all("attempts", self._sql["attempts"], (number_of(item),))

    def comments(self, item: str) -> list[Comment]:
        return self._all("comments", self._sql["comments"], (number_of(item),))

    def question(self, question: str) -> Question | None:
        found: Question | None = self._one("questions", self._sql["question"], question)
        return found

    def questions(self, item: str) -> list[Question]:
        return self._all("questions", self._sql["questions"], (number_of(item),))

    def inbox(self) -> list[Question]:
        return self._all("questions", self._sql["inbox"], ())

    def dependents(self, item: str) -> list[str]:
        return self._ids(self._sql["dependents"], number_of(item))

    def upstream(self, items: Iterable[str], limit: int) -> dict[str, Neighbour]:
        numbers = encode_numbers([number_of(item) for item in items])
        rows = self._execute(self._sql["upstream"], (numbers, limit + 1)).fetchall()
        if len(rows) > limit:
            words = "more than {limit} items hang together here"
            raise Invalid("too_deep", words, "cut the chains of `after` shorter", limit)
        return {
            str(number): Neighbour(str(number), status, decode_numbers(needs), -rank, generation)
            for number, status, rank, generation, needs in rows
            if status is not None
        }

    def waiters(self, item: str) -> set[str]:
        rows = self._execute(self._sql["waiters"], (number_of(item),)).fetchall()
        return {str(number) for (number,) in rows}

    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]:
        runs = [(at, 0, item, None) for at, item in self._execute(self._sql["due_runs"], (now, limit)).fetchall()]
        asked = self._execute(self._sql["due_questions"], (now, limit)).fetchall()
        questions = [(at, 1, item, question) for at, item, question in asked]
        if runs and questions:
            return [(str(item), question) for _, _, item, question in sorted(runs + questions)[:limit]]
        return [(str(item), question) for _, _, item, question in runs or questions]

    def next_ready(
        self, agent: str, now: float, starve: float, *, column: str | None = None, item: str | None = None
    ) -> Item | None:
        if item is not None:
            row = self._execute(self._sql["ready"], (number_of(item), agent, now, column)).get
        else:
            row = self._execute(self._sql["next_starved"], (agent, now, now - starve, column)).get
            if row is None:
                row = self._execute(self._sql["next_ready"], (agent, now, column)).get
        if row is None:
            return None
        number, queue, priority, rank, doc = row
        found: Item = decode_row("items", doc)
        self._items[str(number)] = (queue, priority, rank, found)
        return found

    def expect_ready(self, agents: Iterable[str], now: float, starve: float, *, column: str | None = None) -> None:
        """Each statement is as near as any other here."""

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
        wanted = (agent, now, now - starve, column)
        behind = () if bar is None else (bar,)
        names = ("all_starved", "all_ready") if bar is None else ("barred_starved", "barred_ready")
        starved, others = self._sql[names[0]], self._sql[names[1]]
        found = self._known(starved, (*wanted, limit, *behind))
        if len(found) < limit:
            found += self._known(others, (*wanted, limit - len(found), *behind))
        return found

    def bars(self, agent: str) -> list[str]:
        return [bar for (bar,) in self._execute(self._sql["bars"], (agent,)).fetchall()]

    def queued(self, agent: str, limit: int) -> int:
        counted: int = self._execute(self._sql["queued"], (agent, limit)).get
        return min(limit, counted)

    def awaited(
        self, items: Iterable[str], agent: str, now: float, *, column: str | None = None, limit: int
    ) -> list[Item]:
        numbers = encode_numbers([number_of(item) for item in items])
        return self._known(self._sql["awaited"], (numbers, agent, now, column, limit))

    def barred(self) -> dict[str, str]:
        return {str(number): bar for number, bar in self._execute(self._sql["barred"]).fetchall()}

    def starved(self, before: float, limit: int) -> list[Item]:
        return self._known(self._sql["starved_files"], (before, limit))

    def next_wake(self, agent: str, now: float) -> float | None:
        wake: float | None = self._execute(self._sql["next_wake"], (agent, now)).get
        return wake

    def message(self, message: str) -> Message | None:
        found: Message | None = self._one("messages", self._sql["message"], message)
        return found

    def messages(
        self,
        *,
        item: str | None = None,
        to: str | None = None,
        status: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> list[Message]:
        if item is not None:
            return self._all("messages", self._sql["messages_of_item"], (after, limit, number_of(item), to, status))
        if to is not None:
            return self._all("messages", self._sql["messages_to"], (after, limit, to, status))
        if status is not None:
            return self._all("messages", self._sql["messages_with_status"], (after, limit, status))
        return self._all("messages", self._sql["messages_all"], (after, limit))

    def loose_messages(self, to: str | None, limit: int) -> list[Message]:
        return self._all("messages", self._sql["messages_loose"], (limit, to))

    def holds(self, now: float) -> list[Hold]:
        if self._holds is None or now < self._holds_at:
            rows = self._execute(self._sql["holds"], (now,)).fetchall()
            found = [(place, _hold(doc)) for place, doc in rows]
            self._holds, self._holds_at = {hold.id: (place, hold) for place, hold in found}, now
        known = sorted(self._holds.values(), key=_place)
        return [hold for _, hold in known if hold.until is None or hold.until > now]

    def lessons(self, limit: int) -> list[Lesson]:
        return self._all("lessons", self._sql["lessons"], (limit,))

    def pauses(self) -> list[Pause]:
        return self._all("pauses", self._sql["pauses"], ()) if self.head().pauses else []

    def meter(self, meter: str) -> Meter | None:
        found: Meter | None = self._one("meters", self._sql["meter"], meter)
        return found

    def open_runs(self) -> list[Run]:
        return self._all("runs", self._sql["open_runs"], ())

    def output(self, run: str, after: int = 0, limit: int = 1000) -> list[tuple[int, str]]:
        return [(part, text) for part, text in self._execute(self._sql["output"], (run, after, limit)).fetchall()]

    def last_output(self, run: str, before: int, limit: int) -> list[tuple[str, int]]:
        return [(text, at) for text, at in self._execute(self._sql["last_output"], (run, before, limit)).fetchall()]

    def events(self, after: int, *, item: str | None = None, limit: int = 1000) -> list[Event]:
        if item is None:
            rows = self._execute(self._sql["events"], (after, limit)).fetchall()
        else:
            rows = self._execute(self._sql["events_of_item"], (number_of(item), after, limit)).fetchall()
        return [decode_event(row) for row in rows]

    def rows(self, table: str) -> Iterable[Row]:
        return self._each(table, self._sql[f"rows_{table}"], ())

    def holding(self, table: str, words: Sequence[str]) -> Iterator[Any]:
        # Comparing text as it stands there is cheaper than a database's functions, and knows letters beyond ASCII.
        wanted = [encode_text(word).casefold() for word in words]
        for (doc,) in self._stream(self._sql[f"newest_{table}"], ()):
            text = doc.casefold()
            if all(word in text for word in wanted):
                yield decode_row(table, doc)

    def _one(self, table: str, statement: str, value: str | int) -> Any:
        doc = self._execute(statement, (value,)).get
        return None if doc is None else decode_row(table, doc)

    def _all(self, table: str, statement: str, values: tuple[Any, ...]) -> list[Any]:
        return [decode_row(table, doc) for (doc,) in self._execute(statement, values).fetchall()]

    def _each(self, table: str, statement: str, values: tuple[Any, ...]) -> Iterator[Any]:
        """One by one: whoever counts needs no more memory for a long history than for a short one."""
        for (doc,) in self._stream(statement, values):
            yield decode_row(table, doc)

    def _stream(self, statement: str, values: tuple[Any, ...]) -> Iterable[Any]:
        """Rows that are taken one by one, while other statements run."""
        rows: Iterable[Any] = self._execute(statement, values)
        return rows

    def _known(self, statement: str, values: tuple[Any, ...]) -> list[Item]:
        """Items with the columns beside their documents; what is saved later need not be read again."""
        found: list[Item] = []
        for number, queue, priority, rank, doc in self._execute(statement, values).fetchall():
            item: Item = decode_row("items", doc)
            self._items[str(number)] = (queue, priority, rank, item)
            found.append(item)
        return found

    def _ids(self, statement: str, value: int) -> list[str]:
        return [str(number) for (number,) in self._execute(statement, (value,)).fetchall()]


_place = itemgetter(0)


@lru_cache(4096)
def _hold(doc: str) -> Hold:
    """Whoever takes a path reads all that are held, and most of them are those of the time before."""
    hold: Hold = decode_row("holds", doc)
    return hold


def _ended(*_: Any) -> Any:
    raise RuntimeError("this view of the store is over; begin a new one with `read` or `transact`")
