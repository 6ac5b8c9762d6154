"""The embedded store: one connection, guarded, and its two ways in: `transact` and `read`."""

import os
from _thread import RLock
from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

import apsw

from folkmoot.errors import Unavailable
from folkmoot.store.base import Reading, Transaction
from folkmoot.store.sqlite import faults, ground, links
from folkmoot.store.sqlite.create import create_file, prepare
from folkmoot.store.sqlite.gate import Gate
from folkmoot.store.sqlite.migrate import known_migrations, migrate, pending
from folkmoot.store.sqlite.reading import QUERIES, Execute, SqliteReading
from folkmoot.store.sqlite.writing import SqliteTransaction

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

Result = TypeVar("Result")

MEMORY = ":memory:"
PATIENCE = 10.0  # seconds a writer waits for the others
LOOK_OFTEN, LOOK_SELDOM = 0.0002, 0.003

BEGIN_WRITE = QUERIES["begin_write"]
BEGIN_READ = QUERIES["begin_read"]
COMMIT = QUERIES["commit"]
ROLLBACK = QUERIES["rollback"]

# FULL: in WAL mode anything less loses acknowledged commits when the power goes.
DURABLE = "PRAGMA synchronous = FULL"
FLEETING = "PRAGMA synchronous = OFF"
SETTINGS = """
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16000;
PRAGMA journal_size_limit = 16777216;
"""
STATEMENTS = 128  # kept prepared; more than there are in queries.sql


class Patience:
    """How long SQLite may wait for a lock. Asked by SQLite each time it meets one.

    With the gate only one of our writers stands here at a time, so it may look often; SQLite's own sleeps get long.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = monotonic()
        if tries == 0:
            self._since = now
        if now - self._since >= self.seconds:
            return False
        sleep(LOOK_OFTEN if tries < 50 else LOOK_SELDOM * (1 + os.urandom(1)[0] / 256))
        return True


class SqliteStore:
    """Threads of one process may share it; a forked child may not. `warnings` holds what a person should know."""

    def __init__(self, connection: apsw.Connection, path: str, patience: Patience, warnings: list[str]) -> None:
        self.path = path
        self.warnings = warnings
        self._connection = connection
        self._execute = connection.cursor().execute
        self._changes = connection.changes
        self._patience = patience
        self._gate: Gate | None = None
        self._lock = RLock()
        self._process = os.getpid()
        self._inside = False
        self._refusal: Callable[[str], Unavailable] | None = None
        self._flows: dict[int, FlowVersion] = {}

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, durable: bool = True) -> "SqliteStore":
        """A new, empty board. Refuses a path that is taken."""
        path = os.fspath(path)
        if path != MEMORY:
            create_file(path)
            return cls.open(path, durable=durable)
        connection = apsw.Connection(path, statementcachesize=STATEMENTS)
        configure(connection)
        prepare(connection, path)
        return cls(connection, path, Patience(0), [])

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, durable: bool = True, verify: bool = True, patience: float = PATIENCE
    ) -> "SqliteStore":
        """A board that is there. `verify=False` is for a doctor, who must look at what is damaged."""
        path = os.fspath(path)
        ground.check_file(path)
        warnings = ground.check_mount(path)
        waiting = Patience(patience)
        try:
            connection = connect(path, durable, waiting)
        except faults.STORE_FAULTS as fault:
            raise faults.translate(fault, path) from fault
        store = cls(connection, path, waiting, warnings)
        if verify:
            store._verify()
        store._open_gate()
        return store

    def transact(self, work: Callable[[Transaction], Result]) -> Result:
        """Do the work and make it durable, or leave no trace of it.

        What the work returns is only handed out after the commit, and the work sees nothing but its transaction: so
        several works may one day share a commit, each behind a savepoint, and no caller would notice.
        """
        with self._lock:
            self._begin()
            execute = self._execute
            tx = SqliteTransaction(execute, self._changes, self._flows)
            try:
                self._take_write_lock()
                result = work(tx)
                tx.finish()
                execute(COMMIT)
                return result
            except BaseException as fault:
                self._undo(fault)
                if tx.flows_changed:
                    self._flows.clear()
                if isinstance(fault, faults.STORE_FAULTS):
                    raise faults.translate(fault, self.path) from fault
                raise
            finally:
                tx.end()
                self._inside = False

    def read(self, work: Callable[[Reading], Result]) -> Result:
        """Look at one consistent view. Keep it short: the log cannot shrink while somebody looks."""
        with self._lock:
            self._begin()
            view = SqliteReading(self._execute, self._flows)
            try:
                self._execute(BEGIN_READ)
                result = work(view)
                self._execute(COMMIT)
                return result
            except BaseException as fault:
                self._undo(fault)
                if isinstance(fault, faults.STORE_FAULTS):
                    raise faults.translate(fault, self.path) from fault
                raise
            finally:
                view.end()
                self._inside = False

    def broken_links(self) -> list[str]:
        """Walk the whole log and say what is wrong with it."""
        return self._prove(links.broken_links)

    def close(self) -> None:
        """For good. A forked child leaves alone what is its parent's."""
        with self._lock:
            if self._process == os.getpid():
                self._connection.close()
                if self._gate is not None:
                    self._gate.close()
                    self._gate = None
                self._refusal = faults.closed

    def _begin(self) -> None:
        if self._process != os.getpid():
            raise faults.forked(self.path)
        if self._refusal is not None:
            raise self._refusal(self.path)
        if self._inside:
            raise RuntimeError("a transaction cannot begin inside another one")
        self._inside = True

    def _take_write_lock(self) -> None:
        """Who stands in the gate is the next to write. It is left at once, so that the next one is ready in time.

        Who has just written must pass the gate again and finds somebody in it: nobody writes twice while others wait.
        """
        gate = self._gate
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

    def _undo(self, fault: BaseException) -> None:
        """Roll back, if SQLite has not done so itself. Where that fails too, this connection is done with."""
        if faults.is_fatal(fault):
            self._refusal = faults.broken
        try:
            if self._connection.in_transaction:
                self._execute(ROLLBACK)
        except apsw.Error as second:
            self._refusal = faults.broken
            fault.add_note(f"and the rollback failed: {second}")

    def _prove(self, prove: Callable[[Execute], list[str]]) -> list[str]:
        try:
            return self.read(lambda _: prove(self._execute))
        except Unavailable as fault:
            if fault.code != "store_damaged":
                raise
            return [fault.message]

    def _verify(self) -> None:
        found = self._prove(links.last_link_faults)
        if found:
            self.close()
            raise faults.damaged(self.path, found[0])

    def _open_gate(self) -> None:
        try:
            self._gate = Gate(f"{self.path}-gate")
        except OSError as fault:
            self.warnings.append(f"writers of {self.path} cannot queue, so one may wait long: {fault}")


def configure(connection: apsw.Connection) -> None:
    # Plans must not depend on bound values: else SQLite prepares a statement anew for each of them (70 µs for `due`).
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(SETTINGS).fetchall()


def connect(path: str, durable: bool, patience: Patience) -> apsw.Connection:
    """Nothing is written before it is known that the file is ours and not newer than we are."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=STATEMENTS)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_handler(patience)
        if connection.readonly("main"):
            raise faults.read_only(path)
        configure(connection)
        connection.execute(DURABLE if durable else FLEETING)
        pending(connection, path, known_migrations())
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        migrate(connection, path)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    except BaseException:
        connection.close()
        raise
    return connection
