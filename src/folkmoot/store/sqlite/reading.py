"""The verbs that read. Each is one constant statement with bound values."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from folkmoot.core.events import Event, FlowVersion, Row
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run
from folkmoot.core.situation import Neighbour
from folkmoot.errors import Invalid
from folkmoot.store import sql
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

QUERIES = sql.load(os.path.join(os.path.dirname(__file__), "queries.sql"))

HEAD = QUERIES["head"]
ITEM = QUERIES["item"]
OPEN_RUN = QUERIES["open_run"]
DUE_RUNS = QUERIES["due_runs"]
DUE_QUESTIONS = QUERIES["due_questions"]
READY = QUERIES["ready"]
HOLDS = QUERIES["holds"]
NEXT_STARVED = QUERIES["next_starved"]
NEXT_READY = QUERIES["next_ready"]
FREE = (QUERIES["all_starved"], QUERIES["all_ready"])
BARRED = (QUERIES["barred_starved"], QUERIES["barred_ready"])
ROWS = {
    "items": QUERIES["rows_items"],
    "runs": QUERIES["rows_runs"],
    "attempts": QUERIES["rows_attempts"],
    "comments": QUERIES["rows_comments"],
    "questions": QUERIES["rows_questions"],
    "messages": QUERIES["rows_messages"],
    "holds": QUERIES["rows_holds"],
    "lessons": QUERIES["rows_lessons"],
    "pauses": QUERIES["rows_pauses"],
    "meters": QUERIES["rows_meters"],
    "flows": QUERIES["rows_flows"],
    "clock": QUERIES["rows_clock"],
}

NEWEST = {
    "items": QUERIES["newest_items"],
    "comments": QUERIES["newest_comments"],
    "questions": QUERIES["newest_questions"],
    "runs": QUERIES["newest_runs"],
}

# What runs a statement. Its rows are what the statement selects, which no type checker can know.
Execute = Callable[..., Any]
# Items as they stand in the store: queue, priority, rank, and the item itself.
Known = tuple[str | None, int, int, Item]


class SqliteReading:
    """One consistent view; lives as long as its transaction, and remembers what it has read."""

    __slots__ = ("_execute", "_flows", "_head", "_holds", "_holds_at", "_items")

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
            row = self._execute(HEAD).get
            if row is None:
                raise Unreadable("the head of the board is missing")
            self._head = BoardHead(*row)
        return self._head

    def flow(self, version: int) -> FlowVersion:
        known = self._flows.get(version)
        if known is None:
            doc = self._execute(QUERIES["flow"], (version,)).get
            if doc is None:
                raise Invalid("unknown_flow", "there is no version {version} of the flow", "", version)
            known = self._flows[version] = decode_row("flows", doc)
        return known

    def item(self, item: str) -> Item | None:
        known = self._items.get(item)
        if known is None:
            row = self._execute(ITEM, (number_of(item),)).get
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
            return self._all("items", QUERIES["items_in_column"], (after, tag, limit, column, status))
        if status is not None:
            return self._all("items", QUERIES["items_with_status"], (after, tag, limit, status))
        return self._all("items", QUERIES["items_all"], (after, tag, limit))

    def open_items(self) -> list[Item]:
        return self._all("items", QUERIES["items_open"], ())

    def ended_items(self, limit: int) -> list[Item]:
        return self._all("items", QUERIES["items_ended"], (limit,))

    def ended_in(self) -> dict[str, int]:
        return dict(self._execute(QUERIES["ended_in"]).fetchall())

    def children(self, item: str) -> list[str]:
        return self._ids(QUERIES["children"], number_of(item))

    def child_items(self, item: str) -> list[Item]:
        return self._known(QUERIES["child_items"], (number_of(item),))

    def run(self, run: str) -> Run | None:
        found: Run | None = self._one("runs", QUERIES["run"], run)
        return found

    def runs_named(self, beginning: str, limit: int) -> list[Run]:
        return self._all("runs", QUERIES["runs_named"], (beginning, beginning + "\U0010ffff", limit))

    def runs_ended(self, since: int) -> list[Run]:
        return self._all("runs", QUERIES["runs_ended"], (since,))

    def runs(self, item: str) -> list[Run]:
        return self._all("runs", QUERIES["runs"], (number_of(item),))

    def open_run(self, item: str) -> Run | None:
        found: Run | None = self._one("runs", OPEN_RUN, number_of(item))
        return found

    def attempts(self, item: str) -> list[Attempt]:
        return self._all("attempts", QUERIES["attempts"], (number_of(item),))

    def comments(self, item: str) -> list[Comment]:
        return self._all("comments", QUERIES["comments"], (number_of(item),))

    def question(self, question: str) -> Question | None:
        found: Question | None = self._one("questions", QUERIES["question"], question)
        return found

    def questions(self, item: str) -> list[Question]:
        return self._all("questions", QUERIES["questions"], (number_of(item),))

    def inbox(self) -> list[Question]:
        return self._all("questions", QUERIES["inbox"], ())

    def dependents(self, item: str) -> list[str]:
        return self._ids(QUERIES["dependents"], number_of(item))

    def upstream(self, items: Iterable[str], limit: int) -> dict[str, Neighbour]:
        numbers = encode_numbers([number_of(item) for item in items])
        rows = self._execute(QUERIES["upstream"], (numbers, limit + 1)).fetchall()
        if len(rows) > limit:
            words = "more than {limit} items hang together here"
            raise Invalid("too_deep", words, "cut the chains of `after` shorter", limit)
        return {
            str(number): Neighbour(str(number), status, decode_numbers(needs), -rank, generation)
            for number, status, rank, generation, needs in rows
            if status is not None
        }

    def waiters(self, item: str) -> set[str]:
        rows = self._execute(QUERIES["waiters"], (number_of(item),)).fetchall()
        return {str(number) for (number,) in rows}

    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]:
        runs = [(at, 0, item, None) for at, item in self._execute(DUE_RUNS, (now, limit)).fetchall()]
        asked = self._execute(DUE_QUESTIONS, (now, limit)).fetchall()
        questions = [(at, 1, item, question) for at, item, question in asked]
        if runs and questions:
            return [(str(item), question) for _, _, item, question in sorted(runs + questions)[:limit]]
        return [(str(item), question) for _, _, item, question in runs or questions]

    def next_ready(
        self, agent: str, now: float, starve: float, *, column: str | None = None, item: str | None = None
    ) -> Item | None:
        if item is not None:
            row = self._execute(READY, (number_of(item), agent, now, column)).get
        else:
            row = self._execute(NEXT_STARVED, (agent, now, now - starve, column)).get
            if row is None:
                row = self._execute(NEXT_READY, (agent, now, column)).get
        if row is None:
            return None
        number, queue, priority, rank, doc = row
        found: Item = decode_row("items", doc)
        self._items[str(number)] = (queue, priority, rank, found)
        return found

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
        starved, others = FREE if bar is None else BARRED
        found = self._known(starved, (*wanted, limit, *behind))
        if len(found) < limit:
            found += self._known(others, (*wanted, limit - len(found), *behind))
        return found

    def bars(self, agent: str) -> list[str]:
        return [bar for (bar,) in self._execute(QUERIES["bars"], (agent,)).fetchall()]

    def queued(self, agent: str, limit: int) -> int:
        counted: int = self._execute(QUERIES["queued"], (agent, limit)).get
        return min(limit, counted)

    def awaited(
        self, items: Iterable[str], agent: str, now: float, *, column: str | None = None, limit: int
    ) -> list[Item]:
        numbers = encode_numbers([number_of(item) for item in items])
        return self._known(QUERIES["awaited"], (numbers, agent, now, column, limit))

    def barred(self) -> dict[str, str]:
        return {str(number): bar for number, bar in self._execute(QUERIES["barred"]).fetchall()}

    def starved(self, before: float, limit: int) -> list[Item]:
        return self._known(QUERIES["starved_files"], (before, limit))

    def next_wake(self, agent: str, now: float) -> float | None:
        wake: float | None = self._execute(QUERIES["next_wake"], (agent, now)).get
        return wake

    def message(self, message: str) -> Message | None:
        found: Message | None = self._one("messages", QUERIES["message"], message)
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
            return self._all("messages", QUERIES["messages_of_item"], (after, limit, number_of(item), to, status))
        if to is not None:
            return self._all("messages", QUERIES["messages_to"], (after, limit, to, status))
        if status is not None:
            return self._all("messages", QUERIES["messages_with_status"], (after, limit, status))
        return self._all("messages", QUERIES["messages_all"], (after, limit))

    def loose_messages(self, to: str | None, limit: int) -> list[Message]:
        return self._all("messages", QUERIES["messages_loose"], (limit, to))

    def holds(self, now: float) -> list[Hold]:
        if self._holds is None or now < self._holds_at:
            rows = self._execute(HOLDS, (now,)).fetchall()
            found = [(place, _hold(doc)) for place, doc in rows]
            self._holds, self._holds_at = {hold.id: (place, hold) for place, hold in found}, now
        known = sorted(self._holds.values(), key=_place)
        return [hold for _, hold in known if hold.until is None or hold.until > now]

    def lessons(self, limit: int) -> list[Lesson]:
        return self._all("lessons", QUERIES["lessons"], (limit,))

    def pauses(self) -> list[Pause]:
        return self._all("pauses", QUERIES["pauses"], ()) if self.head().pauses else []

    def meter(self, meter: str) -> Meter | None:
        found: Meter | None = self._one("meters", QUERIES["meter"], meter)
        return found

    def open_runs(self) -> list[Run]:
        return self._all("runs", QUERIES["open_runs"], ())

    def output(self, run: str, after: int = 0, limit: int = 1000) -> list[tuple[int, str]]:
        return [(part, text) for part, text in self._execute(QUERIES["output"], (run, after, limit)).fetchall()]

    def last_output(self, run: str, before: int, limit: int) -> list[tuple[str, int]]:
        return [(text, at) for text, at in self._execute(QUERIES["last_output"], (run, before, limit)).fetchall()]

    def events(self, after: int, *, item: str | None = None, limit: int = 1000) -> list[Event]:
        if item is None:
            rows = self._execute(QUERIES["events"], (after, limit)).fetchall()
        else:
            rows = self._execute(QUERIES["events_of_item"], (number_of(item), after, limit)).fetchall()
        return [decode_event(row) for row in rows]

    def rows(self, table: str) -> Iterable[Row]:
        found: list[Row] = self._all(table, ROWS[table], ())
        return found

    def holding(self, table: str, words: Sequence[str]) -> Iterator[Any]:
        # Comparing text as it stands there is cheaper than any function of SQLite's, and knows letters beyond ASCII.
        wanted = [encode_text(word).casefold() for word in words]
        for (doc,) in self._execute(NEWEST[table]):
            text = doc.casefold()
            if all(word in text for word in wanted):
                yield decode_row(table, doc)

    def _one(self, table: str, statement: str, value: str | int) -> Any:
        doc = self._execute(statement, (value,)).get
        return None if doc is None else decode_row(table, doc)

    def _all(self, table: str, statement: str, values: tuple[Any, ...]) -> list[Any]:
        return [decode_row(table, doc) for (doc,) in self._execute(statement, values).fetchall()]

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
