"""The board of a trial as its log tells it: read after every step, folded, and held to the invariants."""

from collections.abc import Iterable
from typing import cast

from folkmoot.core.enums import ASKING, ENDED
from folkmoot.core.events import Event, Row, type_of_table
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.core.records import Attempt, Question, Run
from folkmoot.core.rules.sharing.paths import overlap
from folkmoot.engine.checking.audit import Audit
from folkmoot.engine.checking.doctor import check_rows
from folkmoot.engine.checking.invariants import check_item
from folkmoot.store.port import Store

EVENTS_MAX = 100_000


class BoardSeen:
    def __init__(self, store: Store, flow: Flow) -> None:
        self.store = store
        self.flow = flow
        self.audit = Audit()
        self.broken: list[str] = []
        self.unfinished: set[str] = set()
        self.queues: dict[str, set[str]] = {}  # agent or gate -> the items that wait for it
        self._queue_of: dict[str, str | None] = {}
        self._runs_of: dict[str, dict[str, None]] = {}
        self._questions_of: dict[str, dict[str, None]] = {}

    @property
    def items(self) -> dict[str, Item]:
        return cast(dict[str, Item], self._table("items"))

    @property
    def runs(self) -> dict[str, Run]:
        return cast(dict[str, Run], self._table("runs"))

    @property
    def attempts(self) -> dict[str, Attempt]:
        return cast(dict[str, Attempt], self._table("attempts"))

    @property
    def questions(self) -> dict[str, Question]:
        return cast(dict[str, Question], self._table("questions"))

    def _table(self, name: str) -> dict[str, Row]:
        return self.audit.tables.get(name, {})

    def look(self) -> list[Event]:
        """Take in what is new, and check the items it touched."""
        events = self.store.read(lambda reading: reading.events(self.audit.seq, limit=EVENTS_MAX))
        self.audit.feed(events)
        touched: dict[str, None] = {}
        for event in events:
            for change in event.changes:
                self._index(change.table, change.id, touched)
        for item in touched:
            self._place(self.items[item])
        self._check(touched)
        return events

    def _index(self, table: str, row: str, touched: dict[str, None]) -> None:
        if table == "items":
            touched[row] = None
        elif table == "runs":
            self._runs_of.setdefault(self.runs[row].item, {})[row] = None
        elif table == "questions":
            self._questions_of.setdefault(self.questions[row].item, {})[row] = None

    def _place(self, item: Item) -> None:
        queue, before = queue_position(self.flow, item).queue, self._queue_of.get(item.id)
        if queue != before:
            if before is not None:
                self.queues[before].discard(item.id)
            if queue is not None:
                self.queues.setdefault(queue, set()).add(item.id)
            self._queue_of[item.id] = queue
        if item.status in ENDED:
            self.unfinished.discard(item.id)
        else:
            self.unfinished.add(item.id)

    def _check(self, items: Iterable[str]) -> None:
        for name in items:
            runs = [self.runs[run] for run in self._runs_of.get(name, ())]
            questions = [self.questions[question] for question in self._questions_of.get(name, ())]
            found = check_item(self.flow, self.items[name], runs, questions, self.items)
            self.broken += [str(violation) for violation in found]
        self.broken += [str(violation) for violation in self.audit.violations]
        self.audit.violations.clear()

    def check_all(self) -> None:
        """The whole board at the end: the fold against the rows, every item, all chains of waiting, the log's own."""
        self.store.read(lambda reading: self.audit.compare(reading, type_of_table))
        found = [*self.audit.violations, *check_rows(self.audit, self.flow)]
        self.broken += [str(violation) for violation in found]
        self.broken += [f"chain: {text}" for text in self.store.broken_links()]

    def left_alone(self, starved: float) -> list[str]:
        """Unfinished items whose waiting does not end with a person, once no run is left and none can begin.

        An item waits for others, for whoever holds its paths, or for one that is ready since before `starved` and has
        reserved them.
        """
        items = [self.items[name] for name in sorted(self.unfinished, key=int)]
        waits = {item.id: {*item.waits_for, *self._in_the_way(item, items, starved)} for item in items}
        fine = {item.id for item in items if item.status in ASKING}
        before = -1
        while len(fine) > before:
            before = len(fine)
            fine |= {name for name, needs in waits.items() if needs & fine}
        return [item.id for item in items if item.id not in fine]

    def _in_the_way(self, item: Item, others: list[Item], starved: float) -> set[str]:
        if item.status == "proving":  # what is to land waits for whoever holds a path of it
            return {other.id for other in others if overlap(item.changed, other.holds)} - {item.id}
        if item.status != "ready" or not item.files:
            return set()
        holding = {other.id for other in others if overlap(item.files, other.holds)}
        reserving = {
            o.id for o in others if o.status == "ready" and o.ready_at <= starved and overlap(item.files, o.files)
        }
        return (holding | reserving) - {item.id}
