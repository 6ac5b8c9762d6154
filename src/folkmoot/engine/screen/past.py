"""The board as it was after an event: the log folded up to there.

What was folded is kept in steps: whoever moves through the past folds no more than the events between two of them.
"""

from _thread import allocate_lock
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.api.screen import Past, ShowPast
from folkmoot.core.enums import ENDED, OWN_KINDS
from folkmoot.core.events import Event, FlowVersion, evolve, typed
from folkmoot.core.item import Item
from folkmoot.core.order import shown_first
from folkmoot.core.records import Attempt, Comment, Hold, Message, Meter, Pause, Question, Run
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.engine.loading import known_item
from folkmoot.engine.moment import Moment
from folkmoot.engine.reads.board import board
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import Invalid
from folkmoot.store.port import BoardHead, Reading

PAGE = 1000
STEP = 2_000  # events between two states that are kept, at first
KEPT = 16  # states; where there are more, every second goes and the steps are twice as long
ROWS_KEPT = 100_000  # of all of them together: a state of a large board is large
TABLES = ("items", "runs", "questions", "holds", "pauses", "meters", "flows")
# Of these only what is open is kept: by what a row is seen to be made, and whether it is over.
OVER: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "runs": ("token", lambda run: run.ended_at is not None),
    "questions": ("question", lambda q: q.state != "open"),
}


class State(Struct, frozen=True):
    """The rows after an event. Rows never change, so that states share those that are alike."""

    seq: int
    at: int
    time: float
    tables: dict[str, dict[str, Any]]


class Folded:
    """The past of one board, for any number of threads."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._step = STEP
        self._kept: list[State] = []  # by their events
        self._last = State(0, 0, 0.0, {table: {} for table in TABLES})  # where whoever asked last was

    def at(self, reading: Reading, seq: int) -> State:
        with self._lock:
            known = [state for state in (*self._kept, self._last) if state.seq <= seq]
            state = max(known, key=lambda one: one.seq, default=State(0, 0, 0.0, {table: {} for table in TABLES}))
            while state.seq < seq:
                following = (state.seq // self._step + 1) * self._step
                state = _fold(reading, state, min(seq, following))
                if state.seq == following:
                    self._keep(state)
            self._last = state
            return state

    def _keep(self, state: State) -> None:
        if all(one.seq != state.seq for one in self._kept):
            self._kept = sorted([*self._kept, state], key=lambda one: one.seq)
        while len(self._kept) > KEPT or (self._kept and sum(map(_rows, self._kept)) > ROWS_KEPT):
            self._step *= 2
            self._kept = [one for one in self._kept if one.seq % self._step == 0]


def _rows(state: State) -> int:
    return sum(map(len, state.tables.values()))


def _fold(reading: Reading, state: State, upto: int) -> State:
    tables = {table: dict(rows) for table, rows in state.tables.items()}
    seq, at, time = state.seq, state.at, state.time
    while seq < upto:
        events = reading.events(seq, limit=min(PAGE, upto - seq))
        for event in events:
            _apply(tables, event)
        seq, at, time = events[-1].seq, events[-1].at, events[-1].time
    return State(seq, at, time, tables)


def _apply(tables: dict[str, dict[str, Any]], event: Event) -> None:
    for change in event.changes:
        rows = tables.get(change.table)
        if rows is None:
            continue
        made, is_over = OVER.get(change.table, (None, None))
        before = rows.get(change.id)
        if before is None and made is not None and made not in change.fields:
            continue  # it is over, and something was added to it
        row: Any = evolve(before, typed(change))
        rows[change.id] = row
        if is_over is not None and is_over(row):
            del rows[change.id]


def past(reading: Reading, clock: Clock, folded: Folded, request: ShowPast) -> Past:
    seq, item, last = request.seq, request.item, reading.head().seq
    if seq < 1 or not last:
        raise Invalid("bad_cursor", "the log begins at 1; there is no event {seq}", "use <.seq> 1", seq)
    state = folded.at(reading, min(seq, last))
    then = cast("Reading", PastReading(reading, state))  # a verb that it lacks is one that no look at a board uses
    snapshot = Snapshot(then, clock)
    snapshot.moment = Moment(state.time, state.at, None)
    view = snapshot.show(known_item(then, item).id) if item is not None else None
    shown = board(snapshot, snapshot.live(), ended=request.ended, each=request.each)
    return Past(seq=state.seq, last=last, at=moment_text(state.at), board=shown, item=view)


class PastReading:
    """As much of a reading as the board needs, as it was. What belongs to one item is folded from its own events."""

    def __init__(self, reading: Reading, state: State) -> None:
        self._reading, self._state, self._tables = reading, state, state.tables
        self._own: dict[str, dict[str, dict[str, Any]]] = {}

    def head(self) -> BoardHead:
        tables = self._tables
        return replace(
            self._reading.head(),
            seq=self._state.seq,
            time=self._state.time,
            flow_version=max(
                (int(version) for version in tables["flows"]), default=1
            ),  # before the first: what came then
            items=len(tables["items"]),
            held=sum(hold.held for hold in tables["holds"].values()),
            pauses=len(tables["pauses"]),
        )

    def flow(self, version: int) -> FlowVersion:
        return self._reading.flow(version)

    def item(self, item: str) -> Item | None:
        return self._tables["items"].get(item)

    def _items(self) -> list[Item]:
        return sorted(self._tables["items"].values(), key=lambda item: item.number)

    def open_items(self, each: int | None = None) -> list[Item]:
        return shown_first((item for item in self._items() if item.status not in ENDED), each)

    def open_in(self) -> dict[str, int]:
        return dict(Counter(one.column for one in self.open_items() if one.kind in OWN_KINDS))

    def ended_items(self, limit: int) -> list[Item]:
        ended = [item for item in self._items() if item.status in ENDED]
        return sorted(ended, key=lambda item: (-item.since, -item.number))[:limit]

    def ended_in(self) -> dict[str, int]:
        return dict(Counter(one.column for one in self._items() if one.status in ENDED and one.kind in OWN_KINDS))

    def children(self, item: str) -> list[str]:
        return [child.id for child in self._items() if child.parent == item]

    def open_runs(self) -> list[Run]:
        return sorted(self._tables["runs"].values(), key=lambda run: (run.lease_until, int(run.item)))

    def inbox(self) -> list[Question]:
        return list(self._tables["questions"].values())

    def pauses(self) -> list[Pause]:
        return [self._tables["pauses"][name] for name in sorted(self._tables["pauses"])]

    def meter(self, meter: str) -> Meter | None:
        return self._tables["meters"].get(meter)

    def holds(self, now: float) -> list[Hold]:
        held = (hold for hold in self._tables["holds"].values() if hold.held)
        return [hold for hold in held if hold.until is None or hold.until > now]

    def runs(self, item: str) -> list[Run]:
        return sorted(self._of(item, "runs"), key=lambda run: run.token)

    def attempts(self, item: str) -> list[Attempt]:
        return sorted(self._of(item, "attempts"), key=lambda attempt: attempt.number)

    def comments(self, item: str) -> list[Comment]:
        return self._of(item, "comments")

    def questions(self, item: str) -> list[Question]:
        return self._of(item, "questions")

    # What no screen of the past shows, or what nobody waits for any more.

    def messages(self, **_: Any) -> list[Message]:
        return []

    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]:
        return []  # what time had made due is shown once its event is

    def starved(self, before: float, limit: int) -> list[Item]:
        return []

    def waiters(self, item: str) -> set[str]:
        return set()

    def events(self, after: int, *, item: str | None = None, limit: int = PAGE) -> list[Event]:
        return [one for one in self._reading.events(after, item=item, limit=limit) if one.seq <= self._state.seq]

    def _of(self, item: str, table: str) -> list[Any]:
        if item not in self._own:
            self._own[item] = self._fold_own(item)
        return [row for row in self._own[item].get(table, {}).values() if row.item == item]

    def _fold_own(self, item: str) -> dict[str, dict[str, Any]]:
        tables: dict[str, dict[str, Any]] = {}
        after = 0
        while events := self.events(after, item=item):
            for change in _wanted(events):
                rows = tables.setdefault(change.table, {})
                rows[change.id] = evolve(rows.get(change.id), typed(change))
            after = events[-1].seq
        return tables


def _wanted(events: Sequence[Event]) -> Iterable[Any]:
    named = ("runs", "attempts", "comments", "questions")
    return (change for event in events for change in event.changes if change.table in named)
