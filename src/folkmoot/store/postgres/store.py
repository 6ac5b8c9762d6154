"""The store in PostgreSQL: one connection that writes and some that read, for each process."""

from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.lines import Link
from folkmoot.store.port import Transaction
from folkmoot.store.postgres import faults, schema
from folkmoot.store.postgres.address import Address, read_address
from folkmoot.store.postgres.place import PATIENCE, PAUSE, Place
from folkmoot.store.postgres.session import QUERIES, PostgresReading, PostgresSession
from folkmoot.store.sql.base import SqlStore
from folkmoot.store.sql.group_commit import COMMIT, ROLLBACK
from folkmoot.store.sql.hash_chain import walk
from folkmoot.store.sql.reading import SqlReading

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

Result = TypeVar("Result")


class PostgresStore(SqlStore):
    sql = QUERIES
    store_faults = faults.STORE_FAULTS

    def __init__(self, place: Place) -> None:
        self._place = place
        self.clock = place.clock
        super().__init__(place.path, [])

    @classmethod
    def create(cls, address: str | Address) -> "PostgresStore":
        """A new, empty board. Refuses a schema that has one already."""
        place = _place(address)
        with faults.telling(place.path):
            schema.create(place)
        return cls.open(place.address)

    @classmethod
    def open(cls, address: str | Address, *, verify: bool = True) -> "PostgresStore":
        """A board that is there. `verify=False` is for a doctor, who must look at what is damaged."""
        place = _place(address)
        try:
            with faults.telling(place.path):
                schema.check(place)
        except BaseException:
            place.close()
            raise
        store = cls(place)
        if verify and (found := store._last_link_faults()):
            store.close()
            raise faults.damaged(place.path, found[0])
        return store

    def transact(self, work: Callable[[Transaction], Result], *, alone: bool = False) -> Result:
        """As of every store; a connection that is lost before the commit is made again, and the work done once more."""
        once = super().transact
        return self._patiently(lambda: once(work, alone=alone))

    def _look(self, work: Callable[[SqlReading], Result]) -> Result:
        once = super()._look
        return self._patiently(lambda: once(work))

    def try_write(self, seconds: float) -> int | None:
        """By a connection of its own, in the way a commit is written. The server does not tell how much is free."""
        self._check_usable()
        place = self._place.another()
        board, statement, _, idle = place.writer_limits
        place.writer_limits = (board, statement, f"{max(1, round(seconds * 1000))}ms", idle)
        session = PostgresSession(place, {})
        try:
            with faults.telling(self.path):
                session.begin()
                session.execute(QUERIES["try_put"])
                session.execute(QUERIES["try_take"])
                session.execute(COMMIT)
        finally:
            place.close()
        return None

    def log(self, upto: int) -> Iterator[Link]:
        """The events from the first on, each proven."""
        ask = lambda sql, values: self._look(lambda view: view.execute(sql, values))  # noqa: E731
        return walk(ask, QUERIES, upto, lambda why: faults.damaged(self.path, why))

    def drop(self) -> None:
        """Take the board away, tables and all, and close."""
        self.close()
        place = self._place.another()
        try:
            with faults.telling(self.path):
                schema.drop(place)
        finally:
            place.close()

    @property
    def round_trips(self) -> int:
        """Of the connection that writes, since it was made."""
        return self._place.wire().round_trips if self._place.is_connected else 0

    def _patiently(self, attempt: Callable[[], Result]) -> Result:
        until = monotonic() + PATIENCE
        while True:
            try:
                return attempt()
            except Unavailable as fault:
                cause = fault.__cause__
                if cause is None or not faults.may_repeat(cause) or monotonic() > until:
                    raise
                if not faults.is_lost(cause):
                    self._place.renew(prepares=False)
            sleep(PAUSE)

    def _session(self) -> PostgresSession:
        return PostgresSession(self._usable_place(), self._flows)

    def _usable_place(self) -> Place:
        self._check_usable()
        return self._place

    def _look_by_writer(self, work: Callable[[SqlReading], Result]) -> Result:
        return look(self._place, self._flows, work)

    def _new_reader(self) -> "PlaceReader":
        return PlaceReader(self._place)

    def _translate(self, fault: Exception) -> MootError:
        return faults.translate(fault, self.path)

    def _is_fatal(self, fault: Exception) -> bool:
        """A connection is made again; what the disk holds is the server's care."""
        return False

    def _close(self) -> None:
        self._place.close()


class PlaceReader:
    """A connection that is opened by its first read."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._own: Place | None = None
        self._flows: dict[int, FlowVersion] = {}

    def look(self, work: Callable[[SqlReading], Result]) -> Result:
        if self._own is None or self._own.prepares != self._place.prepares:
            self.close()
            self._own = self._place.another()
        return look(self._own, self._flows, work)

    def close(self) -> None:
        if self._own is not None:
            self._own.close()
            self._own = None


def look(place: Place, flows: "dict[int, FlowVersion]", work: Callable[[SqlReading], Result]) -> Result:
    session = PostgresSession(place, flows)
    if session.in_transaction:  # an interrupt may have come before a view was ended
        session.execute(ROLLBACK)
    session.begin_reading()
    view = PostgresReading(session)
    try:
        return work(view)
    finally:
        view.end()
        session.end_reading()


def _place(address: str | Address) -> Place:
    return Place(read_address(address) if isinstance(address, str) else address, max(schema.known_migrations()))
