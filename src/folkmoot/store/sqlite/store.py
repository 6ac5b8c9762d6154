"""The embedded store: one connection that writes, guarded, beside some that read."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import apsw

from folkmoot.errors import MootError
from folkmoot.store.sql.base import SqlStore
from folkmoot.store.sql.group_commit import COMMIT, ROLLBACK
from folkmoot.store.sql.reading import Execute, SqlReading
from folkmoot.store.sqlite import faults, preflight
from folkmoot.store.sqlite.connecting import PATIENCE, STATEMENTS, BusyHandler, configure, connect, connect_again
from folkmoot.store.sqlite.create import create_file, empty_board
from folkmoot.store.sqlite.fair_lock import FairFileLock
from folkmoot.store.sqlite.migrate import known_migrations, pending
from folkmoot.store.sqlite.session import QUERIES, SqliteReading, SqliteSession
from folkmoot.store.sqlite.trial_write import try_write

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

Result = TypeVar("Result")

MEMORY = ":memory:"
BEGIN_WRITE = QUERIES["begin_write"]
BEGIN_READ = QUERIES["begin_read"]
SCHEMA = QUERIES["schema"]


class SqliteStore(SqlStore):
    sql = QUERIES
    store_faults = faults.STORE_FAULTS

    def __init__(self, connection: apsw.Connection, path: str, patience: BusyHandler, warnings: list[str]) -> None:
        self._connection = connection
        self._execute: Execute = connection.cursor().execute
        self._patience = patience
        self._lock: FairFileLock | None = None
        self._schema: int | None = None  # as it was when it was last found to be ours
        self.one_connection = path == MEMORY
        super().__init__(path, warnings)

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, durable: bool = True) -> "SqliteStore":
        """A new, empty board. Refuses a path that is taken."""
        path = os.fspath(path)
        if path != MEMORY:
            create_file(path)
            return cls.open(path, durable=durable)
        connection = apsw.Connection(path, statementcachesize=STATEMENTS)
        connection.deserialize("main", empty_board())
        configure(connection)
        return cls(connection, path, BusyHandler(0), [])

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, durable: bool = True, verify: bool = True, patience: float = PATIENCE
    ) -> "SqliteStore":
        """A board that is there. `verify=False` is for a doctor, who must look at what is damaged."""
        path = os.fspath(path)
        preflight.check_file(path)
        warnings = preflight.check_mount(path)
        waiting = BusyHandler(patience)
        try:
            connection = connect(path, durable, waiting)
        except faults.STORE_FAULTS as fault:
            raise faults.translate(fault, path) from fault
        store = cls(connection, path, waiting, warnings)
        if verify:
            store._verify()
        store._open_gate()
        return store

    def try_write(self, seconds: float) -> int | None:
        """By a connection of its own: one whose write has failed is not used any more."""
        self._check_usable()
        return None if self.path == MEMORY else try_write(self.path, seconds)

    def _session(self) -> SqliteSession:
        return SqliteSession(self._connection, self._execute, self._flows, self._take_write_lock)

    def _look_by_writer(self, work: Callable[[SqlReading], Result]) -> Result:
        return look(self._connection, self._execute, self._flows, work)

    def _new_reader(self) -> "FileReader":
        return FileReader(self.path, self._patience.seconds)

    def _translate(self, fault: Exception) -> MootError:
        return faults.translate(fault, self.path)

    def _is_fatal(self, fault: Exception) -> bool:
        return faults.is_fatal(fault)

    def _close(self) -> None:
        self._connection.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_write_lock(self) -> None:
        """Who stands in the gate is the next to write. It is left at once, so that the next one is ready in time.

        Who has just written must pass the gate again and finds somebody in it: nobody writes twice while others wait.
        """
        self._check_usable()
        end_what_is_open(self._connection, self._execute)
        self._begin_to_write()
        if self._execute(SCHEMA).get != self._schema:
            self._check_schema()

    def _check_schema(self) -> None:
        """A newer program may have migrated the board since it was opened: what we would write is not for it."""
        pending(self._connection, self.path, known_migrations())
        self._schema = self._execute(SCHEMA).get

    def _begin_to_write(self) -> None:
        gate = self._lock
        if gate is None:
            self._execute(BEGIN_WRITE)
        elif gate.enter(self._patience.seconds):
            try:
                self._execute(BEGIN_WRITE)
            finally:
                gate.leave()
        else:
            # Our turn did not come. One try decides: who holds the gate for so long may hold nothing else.
            seconds, self._patience.seconds = self._patience.seconds, 0.0
            try:
                self._execute(BEGIN_WRITE)
            finally:
                self._patience.seconds = seconds

    def _all_faults(self, execute: Execute) -> list[str]:
        """What the chain and the documents show, and what SQLite itself finds."""
        found = [text for (text,) in execute("PRAGMA integrity_check(20)").fetchall() if text != "ok"]
        return [*super()._all_faults(execute), *(f"SQLite finds: {text}" for text in found)]

    def _verify(self) -> None:
        found = self._last_link_faults()
        if found:
            self.close()
            raise faults.damaged(self.path, found[0])

    def _open_gate(self) -> None:
        try:
            self._lock = FairFileLock(f"{self.path}-gate")
        except OSError as fault:
            self.warnings.append(f"writers of {self.path} cannot queue, so one may wait long: {fault}")


class FileReader:
    """A connection that is opened by its first read."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._connection: apsw.Connection | None = None
        self._flows: dict[int, FlowVersion] = {}

    def look(self, work: Callable[[SqlReading], Result]) -> Result:
        connection = self._connection = self._connection or connect_again(self._path, BusyHandler(self._patience))
        return look(connection, connection.cursor().execute, self._flows, work)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def look(
    connection: apsw.Connection,
    execute: Execute,
    flows: "dict[int, FlowVersion]",
    work: Callable[[SqlReading], Result],
) -> Result:
    end_what_is_open(connection, execute)
    view = SqliteReading(execute, flows)
    try:
        execute(BEGIN_READ)
        return work(view)
    finally:
        view.end()
        if connection.in_transaction:
            execute(COMMIT)


def end_what_is_open(connection: apsw.Connection, execute: Execute) -> None:
    """An interrupt may have come before a view was ended."""
    if connection.in_transaction:
        execute(ROLLBACK)
