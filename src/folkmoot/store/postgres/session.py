"""What the shared verbs need of PostgreSQL: its statements, a connection, a transaction that begins in one go."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from folkmoot.store.codec import encode_text
from folkmoot.store.postgres import faults
from folkmoot.store.postgres.wire import NOTHING, Ask, Rows, ServerError, Value, Wire
from folkmoot.store.sql.faults import newer
from folkmoot.store.sql.group_commit import COMMIT, RELEASE, ROLLBACK, ROLLBACK_TO, SAVEPOINT
from folkmoot.store.sql.reading import SqlReading
from folkmoot.store.sql.statements import load
from folkmoot.store.sql.writing import SqlTransaction

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion
    from folkmoot.core.item import Item
    from folkmoot.core.records import Run
    from folkmoot.store.port import BoardHead
    from folkmoot.store.postgres.place import Place

QUERIES = load(os.path.join(os.path.dirname(__file__), "queries.sql"))
HEAD, NEXT_DUE, OPENING = QUERIES["head"], QUERIES["next_due"], QUERIES["opening"]
SET_HEAD, ON_DISK = QUERIES["set_head"], QUERIES["on_disk"]
# How many rows are fetched at a time where they are taken one by one: as many as are not too large together. Few sizes,
# since each is a statement that is kept prepared.
PAGES, PAGE_LETTERS = (1024, 256, 64, 16, 2), 100_000
PAGE_MIN = PAGES[-1]

# They answer nothing that anybody waits for, so they go out with what comes next.
QUIET = frozenset(
    text for text in QUERIES.values() if text.startswith(("INSERT", "UPDATE", "DELETE")) and "RETURNING" not in text
)


class _OverTheNetwork:
    """What is read otherwise here: what is asked one after the other is fetched in one go.

    What agents print may hold any character, NUL too, which PostgreSQL has no text for: it is kept as in JSON.
    """

    __slots__ = ()

    def run(self: Any, run: str) -> "Run | None":
        """Whoever asks for a run asks for its item next."""
        asked = (QUERIES["run"], (run,))
        if not self._session.knows(asked):
            found, item = self._session.gather(asked, (QUERIES["item_of_run"], (run,)))
            if (row := item.get) is not None:
                self._session.note((QUERIES["item"], row[:1]), [row[1:]])
        found = super().run(run)  # type: ignore[misc]
        return found  # type: ignore[no-any-return]

    def next_ready(
        self: Any, agent: str, now: float, starve: float, *, column: str | None = None, item: str | None = None
    ) -> "Item | None":
        if item is None:
            self.expect_ready([agent], now, starve, column=column)
        return super().next_ready(agent, now, starve, column=column, item=item)  # type: ignore[misc,no-any-return]

    def expect_ready(self: Any, agents: Iterable[str], now: float, starve: float, *, column: str | None = None) -> None:
        starved, ready = QUERIES["next_starved"], QUERIES["next_ready"]
        asked = [((starved, (one, now, now - starve, column)), (ready, (one, now, column))) for one in agents]
        self._session.expect(*(ask for pair in asked for ask in pair))

    def _stream(self: Any, statement: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Page by page: the table may be long, and who looks for words has soon enough of them."""
        found: Iterator[tuple[Any, ...]] = self._session.paged(statement, values)
        return found

    def output(self: Any, run: str, after: int = 0, limit: int = 1000) -> list[tuple[int, str]]:
        return [(part, _text(kept)) for part, kept in super().output(run, after, limit)]  # type: ignore[misc]

    def last_output(self: Any, run: str, before: int, limit: int) -> list[tuple[str, int]]:
        return [(_text(kept), at) for kept, at in super().last_output(run, before, limit)]  # type: ignore[misc]


class PostgresReading(_OverTheNetwork, SqlReading):
    __slots__ = ("_session",)
    _sql = QUERIES

    def __init__(self, session: "PostgresSession") -> None:
        super().__init__(session.execute, session.flows)
        self._session = session


class PostgresTransaction(_OverTheNetwork, SqlTransaction):
    __slots__ = ("_session",)
    _sql = QUERIES

    def __init__(self, session: "PostgresSession", before: SqlTransaction | None) -> None:
        super().__init__(session.execute, session.flows, before)
        self._session = session

    def keep_output(self, run: str, part: int, text: str, at: int = 0) -> None:
        super().keep_output(run, part, encode_text(text), at)

    def _update(self, table: str, row: str, statement: str, values: tuple[Any, ...]) -> None:
        self._session.change(statement, values, (table, row))


class PostgresSession:
    """A connection in a transaction. It remembers what was read until something is written to the same tables."""

    store_faults = faults.STORE_FAULTS
    sql = QUERIES

    def __init__(self, place: "Place", flows: "dict[int, FlowVersion]") -> None:
        self.flows = flows
        self._place = place
        self._known: dict[Ask, Rows] = {}
        self._opening: tuple[Ask, ...] = ()
        self._cursors = 0
        # Of a view: it may show what a crash of the server would take back.
        self._is_ahead_of_disk = False

    @property
    def _wire(self) -> Wire:
        return self._place.wire()

    @property
    def in_transaction(self) -> bool:
        return self._place.is_connected and self._wire.in_transaction

    @property
    def is_spoiled(self) -> bool:
        return self._place.is_connected and self._wire.is_spoiled

    def execute(self, statement: str, values: Sequence[Value] = ()) -> Rows:
        if statement in QUIET:
            self._wire.queue(statement, values)
            self._known.clear()
            if statement is SET_HEAD:  # new events: whoever listens hears of them when they are committed
                self._wire.queue(QUERIES["notify"], (self._place.channel,))
            return NOTHING
        if (known := self._known.get((statement, values))) is not None:
            return known
        if statement in (ROLLBACK, ROLLBACK_TO):
            self._wire.forget()
        if statement in (ROLLBACK, ROLLBACK_TO, RELEASE, SAVEPOINT, COMMIT):
            self._known.clear()
        if statement in (COMMIT, ROLLBACK):
            return self._end(statement)
        return self._ask((statement, values))[0]

    def _end(self, statement: str) -> Rows:
        """Others go on at once; we, when all that we have seen or written is on the disk."""
        return self._wire.ask((statement, ()), behind=ON_DISK if self._place.address.durable else None)[0]

    def expect(self, *asked: Ask) -> None:
        """These will be asked soon: all that is not known is fetched together."""
        unknown = [one for one in asked if one not in self._known]
        if len(unknown) > 1 or (unknown and self._opening):
            self._known |= dict(zip(unknown, self._ask(*unknown), strict=True))

    def _ask(self, *asked: Ask) -> list[Rows]:
        """With what begins a view, if that is still to be sent."""
        opening, self._opening = self._opening, ()
        if not opening:
            return self._wire.ask(*asked)
        found = self._wire.ask(*opening, *asked)
        self._open(found[2])
        self._known[opening[3]] = found[3]
        return found[len(opening) :]

    def knows(self, asked: Ask) -> bool:
        return asked in self._known

    def note(self, asked: Ask, rows: list[tuple[Any, ...]]) -> None:
        """This is what the statement would give."""
        self._known.setdefault(asked, Rows(rows))

    def gather(self, *asked: Ask) -> list[Rows]:
        self.expect(*asked)
        return [self.execute(*one) for one in asked]

    def paged(self, statement: str, values: Sequence[Value]) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, fetched as they are asked for."""
        self._cursors += 1
        name = f"page{self._cursors}"
        self._ask((f"DECLARE {name} NO SCROLL CURSOR FOR {statement}", values))
        count = PAGE_MIN
        while page := self._ask((f"FETCH {count} FROM {name}", ()))[0].fetchall():
            yield from page
            size = sum(len(text) for row in page for text in row if isinstance(text, str)) // len(page)
            wanted = next(one for one in PAGES if one * size <= PAGE_LETTERS or one == PAGE_MIN)
            count = min(wanted, count * 8)

    def change(self, statement: str, values: Sequence[Value], must: tuple[str, str]) -> None:
        self._wire.queue(statement, values, must)
        self._known.clear()

    def begin(self) -> None:
        """The lock, the head and what is due: each of these is asked for in every transaction that writes."""
        limits = self._place.writer_limits
        _, _, opening, head, due = self._wire.ask(
            (QUERIES["begin_write"], ()),
            (QUERIES["lock"], (*limits, self._place.lock)),
            (OPENING, ()),
            (HEAD, ()),
            (NEXT_DUE, ()),
        )
        self._open(opening)
        self._known = {(HEAD, ()): head, (NEXT_DUE, ()): due}

    def begin_reading(self) -> None:
        """Sent with the first question."""
        self._opening = (
            (QUERIES["begin_read"], ()),
            (QUERIES["settings"], self._place.limits),
            (OPENING, ()),
            (HEAD, ()),
        )

    def end_reading(self) -> None:
        """Nobody waits for the end of a view, but where it may show what is not on the disk yet."""
        self._known.clear()
        if not self.in_transaction:
            return
        if self._is_ahead_of_disk:
            self._end(ROLLBACK)
        else:
            self._wire.tell(ROLLBACK)

    def _open(self, opening: Rows) -> None:
        version, now, ahead = opening.get
        if version > self._place.version:
            raise newer(self._place.path, version)
        self._place.clock.tell(now)
        self._is_ahead_of_disk = ahead and self._place.address.durable

    def work(self, before: SqlTransaction | None) -> SqlTransaction:
        return PostgresTransaction(self, before)

    def settle(self) -> None:
        self._wire.settle()

    def is_fatal(self, fault: BaseException) -> bool:
        """A connection that is gone is made again: the store goes on."""
        return False

    def is_lost(self, fault: BaseException) -> bool:
        return faults.is_lost(fault)

    def is_busy(self, fault: BaseException) -> bool:
        return isinstance(fault, ServerError) and fault.code in faults.BUSY

    def holds(self, head: "BoardHead") -> bool:
        """Asked under the lock: whoever holds it may be our own lost connection, whose commit is still under way."""
        self._place.reconnect()
        self.begin()
        try:
            found = self.execute(QUERIES["chain_at"], (head.seq,)).get
        finally:
            self.execute(ROLLBACK)
        return bool(found == head.chain)


def _text(kept: str) -> str:
    from msgspec import json

    text: str = json.decode(f'"{kept}"')
    return text
