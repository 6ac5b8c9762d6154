"""Beside the world stands a witness: it reads the log after every step, folds it, and holds all of it to the rules."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.core.events import Event, Row, evolve, type_of_table, typed
from folkmoot.core.item import ENDED, Item
from folkmoot.core.order import order_key, place
from folkmoot.core.records import Question, Run
from folkmoot.engine.audit import Audit
from folkmoot.engine.invariants import check_circles, check_item
from folkmoot.store.base import Reading, Store

if TYPE_CHECKING:
    from folkmoot.core.flow import Flow

EVENTS_MAX = 100_000
encode = msgspec.json.Encoder().encode


class Witness:
    """Knows the board only by its log, and compares what it knows with what the store says."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.audit = Audit()
        self.flow: Flow | None = None
        self.found: list[str] = []
        self.log: list[tuple[str, str | None, str | None, str | None]] = []  # what a reader should have got
        self.marks: list[tuple[int, int]] = []  # after each commit: the last event, and a hash over all rows
        self.runs_of: dict[str, list[str]] = {}
        self.questions_of: dict[str, list[str]] = {}
        self.open_questions: dict[str, Question] = {}
        self.needs: dict[str, set[str]] = {}
        self.needed_by: dict[str, set[str]] = {}
        self.queue_of: dict[str, str | None] = {}
        self.queues: dict[str, set[str]] = {}
        self.unfinished: set[str] = set()
        self._prints: dict[tuple[str, str], int] = {}
        self._mark = 0

    @property
    def seq(self) -> int:
        return self.audit.seq

    @property
    def items(self) -> dict[str, Item]:
        rows: dict[str, Any] = self.audit.tables.get("items", {})
        return rows

    def run(self, run: str | None) -> Run | None:
        row = self.audit.tables.get("runs", {}).get(run or "")
        return row if isinstance(row, Run) else None

    def claimable(self, agent: str, now: float, column: str | None = None) -> list[Item]:
        """What this agent could take, by the log."""
        items = self.items
        waiting = [items[item] for item in self.queues.get(agent, ())]
        return [item for item in waiting if item.wake_at <= now and column in (None, item.column)]

    def look(self, claimed_in: str | None = None, picked: bool = True) -> list[Event]:
        """Read what is new, and check all that it touched. `claimed_in` and `picked` say how a claim was made."""
        return self.store.read(lambda reading: self._look(reading, claimed_in, picked))

    def _look(self, reading: Reading, column: str | None, picked: bool) -> list[Event]:
        events = reading.events(self.audit.seq, limit=EVENTS_MAX)
        if not events:
            return events
        start = next((n for n, event in enumerate(events) if event.name == "agent_started"), None)
        if start is not None and picked:
            # The order must be looked at as it was just before the claim, after what time had made due.
            self._take_in(events[:start])
            self._check_order(events[start], column)
            self._take_in(events[start:])
        else:
            self._take_in(events)
        self._compare(reading, {(change.table, change.id) for event in events for change in event.changes})
        self.marks.append((self.audit.seq, self._mark))
        self._check_items(events)
        return events

    def _take_in(self, events: list[Event]) -> None:
        self.audit.feed(events)
        self._collect()
        for event in events:
            self.log.append((event.name, event.item, event.run, event.agent))
            for change in event.changes:
                self._index(change.table, change.id)

    def _index(self, table: str, row_id: str) -> None:
        row: Any = self.audit.tables[table][row_id]
        if table == "items":
            self._index_item(row)
        elif table == "runs":
            if row_id not in self.runs_of.setdefault(row.item, []):
                self.runs_of[row.item].append(row_id)
        elif table == "questions":
            if row_id not in self.questions_of.setdefault(row.item, []):
                self.questions_of[row.item].append(row_id)
            self.open_questions[row_id] = row
            if row.state != "open":
                del self.open_questions[row_id]
        elif table == "flows":
            self.flow = row.flow
            for item in self.items.values():
                self._index_item(item)

    def _index_item(self, item: Item) -> None:
        assert self.flow is not None, "a board has a flow before it has items"
        needs = {*item.after, *item.waits_for}
        if needs != self.needs.get(item.id):
            for need in self.needs.get(item.id, ()):
                self.needed_by[need].discard(item.id)
            for need in needs:
                self.needed_by.setdefault(need, set()).add(item.id)
            self.needs[item.id] = needs
        queue = place(self.flow, item).queue
        before = self.queue_of.get(item.id)
        if queue != before:
            if before is not None:
                self.queues[before].discard(item.id)
            if queue is not None:
                self.queues.setdefault(queue, set()).add(item.id)
            self.queue_of[item.id] = queue
        if item.status in ENDED:
            self.unfinished.discard(item.id)
        else:
            self.unfinished.add(item.id)

    def _check_order(self, claim: Event, column: str | None) -> None:
        assert self.flow is not None
        starve = self.flow.limits.starve
        candidates = self.claimable(claim.agent or "", claim.time, column)
        first = min(candidates, key=lambda item: order_key(item, claim.time, starve), default=None)
        if first is None or first.id != claim.item:
            self.found.append(f"R-23: item {claim.item} was taken, but {first and first.id} was first in its queue")

    def _compare(self, reading: Reading, changed: set[tuple[str, str]]) -> None:
        """Hold the touched rows of the store against the fold, and keep a hash of the store as it is now."""
        for table, row_id in sorted(changed):
            folded = self.audit.tables[table][row_id]
            if stored_row(reading, table, row_id, folded) != folded:
                self.found.append(f"I14: the row {row_id} of {table} is not what its events say")
            fresh = hash(encode(folded))
            self._mark += fresh - self._prints.get((table, row_id), 0)
            self._prints[(table, row_id)] = fresh

    def _check_items(self, events: list[Event]) -> None:
        touched = {event.item for event in events if event.item is not None}
        touched |= {item for need in touched for item in self.needed_by.get(need, ())}
        self.check(sorted(touched))

    def check(self, items: Iterable[str]) -> None:
        """Every invariant of these items by their rows."""
        assert self.flow is not None
        tables: dict[str, dict[str, Any]] = self.audit.tables
        for item_id in items:
            runs = [tables["runs"][run] for run in self.runs_of.get(item_id, ())]
            questions = [tables["questions"][question] for question in self.questions_of.get(item_id, ())]
            item = tables["items"][item_id]
            self.found += [str(v) for v in check_item(self.flow, item, runs, questions, tables["items"])]

    def _collect(self) -> None:
        if self.audit.violations:
            self.found += [str(violation) for violation in self.audit.violations]
            self.audit.violations.clear()

    def check_all(self) -> None:
        """The whole board: all tables, all items, all chains of waiting."""
        self.store.read(lambda reading: self.audit.compare(reading, type_of_table))
        self._collect()
        self.found += [str(violation) for violation in check_circles(self.items.values())]
        inbox = self.store.read(lambda reading: reading.inbox())
        if {question.id: question for question in inbox} != self.open_questions:
            self.found.append("R-31: the inbox does not hold the questions that the log says are open")
        self.check(list(self.items))

    def replay(self) -> None:
        """Fold the stored log from its start; after each commit all rows must have been what the store then held."""
        tables: dict[str, dict[str, Row]] = {}
        prints: dict[tuple[str, str], int] = {}
        mark = position = 0
        events = self.store.read(lambda reading: reading.events(0, limit=EVENTS_MAX * 10))
        for seq, expected in self.marks:
            touched: set[tuple[str, str]] = set()
            for change in (change for event in events[position:seq] for change in event.changes):
                rows = tables.setdefault(change.table, {})
                rows[change.id] = evolve(rows.get(change.id), typed(change))
                touched.add((change.table, change.id))
            position = seq
            for place_of in touched:
                fresh = hash(encode(tables[place_of[0]][place_of[1]]))
                mark += fresh - prints.get(place_of, 0)
                prints[place_of] = fresh
            if mark != expected:
                self.found.append(f"I14: folding the log up to event {seq} does not give the board as it was then")
                return
        if position != len(events):
            self.found.append(f"I13: the log has {len(events)} events, but {position} were ever seen")


def stored_row(reading: Reading, table: str, row_id: str, folded: Row) -> Row | None:
    if table == "items":
        return reading.item(row_id)
    if table == "runs":
        return reading.run(row_id)
    if table == "questions":
        return reading.question(row_id)
    rows: Iterable[Row]
    if table == "comments":
        rows = reading.comments(getattr(folded, "item", ""))
    elif table == "attempts":
        rows = reading.attempts(getattr(folded, "item", ""))
    else:
        rows = reading.rows(table)
    return next((row for row in rows if row.id == row_id), None)
