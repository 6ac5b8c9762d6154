"""Beside the world stands a witness: it reads the log after every step, folds it, and holds all of it to the rules."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.core.enums import ENDED
from folkmoot.core.events import Event, Row, evolve, type_of_table, typed
from folkmoot.core.flow import LANDING
from folkmoot.core.item import Item
from folkmoot.core.order import order_key, queue_position
from folkmoot.core.records import Comment, Pause, Question, Run
from folkmoot.core.rules.running.budgets import ALL, POOL, STARTS, day_is_spent, has_room, in_force, pools_of
from folkmoot.core.rules.running.spending import DAY
from folkmoot.core.rules.sharing.choice import Ground, landing_obstacle, pick, waits_by_row, writes_now
from folkmoot.core.rules.sharing.holds import branch_of
from folkmoot.engine.checking.audit import Audit
from folkmoot.engine.checking.doctor import Waiters, check_board, writers_by_path
from folkmoot.engine.checking.invariants import check_item, check_pauses
from folkmoot.sim.habits.heard import misheard
from folkmoot.store.port import Reading, Store

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
        self.queue_of: dict[str, str | None] = {}
        self.queues: dict[str, set[str]] = {}
        self.unfinished: set[str] = set()
        self.filed: set[str] = set()  # items in some queue that declare files
        self._waits: dict[str, set[tuple[str, str]]] = {}  # item -> who waits for whom, by its row
        self._direct: dict[str, set[str]] = {}  # item -> who waits for it, but for paths
        self._prints: dict[tuple[str, str], int] = {}
        self._mark = 0
        self.audit.conduct.weighs = True  # no run of this board is older than the rule

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

    def comments_of(self, run: Run) -> list[Comment]:
        rows: dict[str, Any] = self.audit.tables.get("comments", {})
        return [comment for comment in rows.values() if comment.run == run.id]

    def claimable(self, agent: str, now: float, column: str | None = None) -> list[Item]:
        """What this agent could take, by the log, if its paths are free."""
        items = self.items
        waiting = [items[item] for item in self.queues.get(agent, ())]
        return [item for item in waiting if item.wake_at <= now and column in (None, item.column)]

    @property
    def has_limits(self) -> bool:
        """May anything but an item's own state keep agents from beginning runs?"""
        return "pauses" in self.audit.tables or "meters" in self.audit.tables

    def pauses(self, now: float) -> dict[str, Pause]:
        """What begins no runs now."""
        rows: dict[str, Any] = self.audit.tables.get("pauses", {})
        return in_force(rows.values(), now) if rows else rows

    def may_begin(self, agent: str, now: float) -> bool:
        """Does nothing forbid this agent to begin any run at all? For whoever looks for work."""
        assert self.flow is not None
        on = self.pauses(now)
        if ALL in on:
            return False
        if agent not in self.flow.agents:
            return True
        meters: dict[str, Any] = self.audit.tables.get("meters", {})
        if DAY in on and day_is_spent(self.flow.budget, meters[DAY]):
            return False
        most, begun = self.flow.limits.starts, meters.get(STARTS + agent)
        if most is None or begun is None or len(begun.starts) < most:
            return True
        return bool(begun.starts[-most] + self.flow.limits.window <= now)

    def _has_room(self, agent: str, item: Item, now: float) -> bool:
        """Has the item's pool a slot and quota, or its branch no other landing?"""
        flow, live = self.flow, self.audit.open_runs.values()
        assert flow is not None
        if agent == LANDING:
            others = [self.items[run.item] for run in live if run.agent == LANDING]
            return branch_of(flow, item) not in {branch_of(flow, other) for other in others}
        paused = {name for name in self.pauses(now) if name.startswith(POOL)}
        return has_room(flow, agent, item, paused, live) if paused or flow.pools else True

    def first(self, agent: str, now: float, column: str | None = None) -> Item | None:
        """What this agent must get, by the log: the first in its queue whose paths are free."""
        assert self.flow is not None
        candidates = [item for item in self.claimable(agent, now, column) if self._has_room(agent, item, now)]
        starve = self.flow.limits.starve
        if agent == LANDING and candidates:
            stands = self._ground(now, now - starve)
            candidates = [item for item in candidates if landing_obstacle(item, stands) is None]
        if not candidates or not self._writes(agent) or not any(item.files for item in candidates):
            return min(candidates, key=lambda item: order_key(item, now, starve), default=None)
        return pick(candidates, self._ground(now, now - starve), now - starve)

    def is_stuck(self, now: float) -> bool:
        """Can nobody take anything, even when every pause and every lock that ends is over?"""
        free = self._ground(float("inf"), float("inf"))
        for agent in self.queues:
            candidates = [one for one in self.claimable(agent, float("inf")) if not self._awaits_person(agent, one)]
            if agent == LANDING:
                candidates = [item for item in candidates if landing_obstacle(item, free) is None]
            if candidates and (not self._writes(agent) or pick(candidates, free, now) is not None):
                return False
        return True

    def _awaits_person(self, agent: str, item: Item) -> bool:
        """Does its pool pause until a person lets it go on?"""
        assert self.flow is not None
        pauses = self.audit.tables.get("pauses", {})
        found = (pauses.get(name) for name in pools_of(self.flow, agent, item))
        return any(isinstance(pause, Pause) and pause.on and pause.until is None for pause in found)

    def _writes(self, agent: str) -> bool:
        assert self.flow is not None
        return agent in self.flow.agents and self.flow.agents[agent].write != "none"

    def _ground(self, now: float, starved_before: float) -> Ground:
        holds = [hold for hold in self.audit.held.values() if hold.until is None or hold.until > now]
        starved = [self.items[item] for item in self.filed if self.items[item].ready_at <= starved_before]
        flow = self.flow
        assert flow is not None
        ready = [self.items[item] for item in self.filed | self.queues.get(LANDING, set())]
        waiters = Waiters(
            self.items,
            self._direct,
            writers_by_path(flow, ready),
            lambda run: writes_now(flow, self.run(run)),
        )
        return Ground(holds, starved, waiters.of)

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
        tables: dict[str, dict[str, Any]] = self.audit.tables
        if "pauses" in tables:
            self.found += [str(v) for v in check_pauses(tables["pauses"].values(), tables.get("questions", {}))]
        return events

    def _take_in(self, events: list[Event]) -> None:
        self.audit.feed(events)
        self._collect()
        self.found += misheard(events, self.audit.tables)
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
        self._index_waits(item)
        queue = queue_position(self.flow, item).queue
        before = self.queue_of.get(item.id)
        if queue != before:
            if before is not None:
                self.queues[before].discard(item.id)
            if queue is not None:
                self.queues.setdefault(queue, set()).add(item.id)
            self.queue_of[item.id] = queue
        (self.filed.add if queue is not None and item.files else self.filed.discard)(item.id)
        (self.unfinished.discard if item.status in ENDED else self.unfinished.add)(item.id)

    def _index_waits(self, item: Item) -> None:
        waits, before = waits_by_row(item), self._waits.get(item.id, set())
        for waiter, need in before - waits:
            other = need if waiter == item.id else waiter  # the one other row that may say the same
            if (waiter, need) not in self._waits.get(other, ()):
                self._direct[need].discard(waiter)
        for waiter, need in waits - before:
            self._direct.setdefault(need, set()).add(waiter)
        self._waits[item.id] = waits

    def _check_order(self, claim: Event, column: str | None) -> None:
        first = self.first(claim.agent or "", claim.time, column)
        if first is None or first.id != claim.item:
            self.found.append(f"R-23: item {claim.item} was taken, but {first and first.id} was first in its queue")

    def _compare(self, reading: Reading, changed: set[tuple[str, str]]) -> None:
        """Hold the touched rows of the store against the fold, and keep a hash of the store as it is now."""
        stored = StoredRows(reading)
        for table, row_id in sorted(changed):
            folded = self.audit.tables[table][row_id]
            if stored.row(table, row_id, folded) != folded:
                self.found.append(f"I14: the row {row_id} of {table} is not what its events say")
            fresh = hash(encode(folded))
            self._mark += fresh - self._prints.get((table, row_id), 0)
            self._prints[(table, row_id)] = fresh

    def _check_items(self, events: list[Event]) -> None:
        touched = {event.item for event in events if event.item is not None}
        touched |= {
            item
            for need in touched
            for item in (*self._direct.get(need, ()), *self.audit.conduct.children.get(need, ()))
        }
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
        assert self.flow is not None
        self.found += [str(violation) for violation in check_board(self.audit, self.flow)]
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


class StoredRows:
    """Rows as the store has them now; a table that has no way to one row is read once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._tables: dict[str, dict[str, Row]] = {}

    def row(self, table: str, row_id: str, folded: Row) -> Row | None:
        reading = self._reading
        one = {"items": reading.item, "runs": reading.run, "questions": reading.question, "messages": reading.message}
        if table in one:
            return one[table](row_id)
        item = getattr(folded, "item", None) or ""
        if table in ("comments", "attempts"):
            few: Iterable[Row] = reading.comments(item) if table == "comments" else reading.attempts(item)
            return next((row for row in few if row.id == row_id), None)
        if table not in self._tables:
            self._tables[table] = {row.id: row for row in reading.rows(table)}
        return self._tables[table].get(row_id)
