"""The board's rows at one moment and the log from there on, for whoever keeps a picture of the board elsewhere."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.events import Event, evolve, typed
from folkmoot.core.item import Item
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.engine.moment import moment
from folkmoot.store.port import Reading, Store

TABLES = ("items", "runs", "attempts", "comments", "questions", "messages", "holds", "flows")
PAGE = 1000


class Snapshot(Struct, frozen=True):
    seq: int  # of the last event in it
    tables: dict[str, list[Any]]


class History:
    def __init__(self, store: Store, clock: Clock | None = None) -> None:
        self._store = store
        self._clock = clock

    def now(self) -> float:
        """The store's clock, by which locks end; for whoever has no clock as it stood at the last write."""
        head = self._store.read(lambda reading: reading.head())
        return moment(self._clock, head).now if self._clock is not None else head.time

    def snapshot(self) -> Snapshot:
        """Every row of the tables that are shown, all of one moment."""

        def look(reading: Reading) -> Snapshot:
            return Snapshot(reading.head().seq, {table: list(reading.rows(table)) for table in TABLES})

        return self._store.read(look)

    def told(self, seq: int, limit: int = PAGE) -> list[Event]:
        """The next events, to be told of; the values of their changes are plain."""
        return self._store.read(lambda reading: reading.events(seq, limit=limit))

    def of_item(self, item: str, seq: int, limit: int = PAGE) -> list[Event]:
        """The same of one item alone."""
        return self._store.read(lambda reading: reading.events(seq, item=item, limit=limit))

    def after(self, seq: int, limit: int = PAGE) -> list[Event]:
        """The next events; the values of their changes are what the rows' fields are."""
        events = self.told(seq, limit)
        return [replace(event, changes=[typed(change) for change in event.changes]) for event in events]

    def item_at(self, item: str, version: int) -> Item | None:
        """The item as it was at a version; None if it never had that one."""
        row: Any = None
        after = 0
        while True:
            events = self.of_item(item, after)
            for event in events:
                if event.version > version:
                    return row if row is not None and row.version == version else None
                for change in event.changes:
                    if change.table == "items" and change.id == item:
                        row = evolve(row, typed(change))
            if len(events) < PAGE:
                return row if row is not None and row.version == version else None
            after = events[-1].seq

    def rows_at(self, table: str, seq: int) -> dict[str, Any]:
        """The rows of one table as they were after an event. It reads the whole log up to there."""
        rows: dict[str, Any] = {}
        after = 0
        while after < seq:
            events = self.told(after)
            if not events:
                break
            for event in events:
                if event.seq <= seq:
                    for change in event.changes:
                        if change.table == table:
                            rows[change.id] = evolve(rows.get(change.id), typed(change))
            after = events[-1].seq
        return rows
