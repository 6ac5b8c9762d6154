"""The embedded store: one connection that writes, guarded, and the two ways in: `transact` and `read`."""

import os
from _thread import RLock, get_ident
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import apsw

from folkmoot.errors import Unavailable
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.store.port import Reading, Stretch, Transaction
from folkmoot.store.sqlite import faults, hash_chain, preflight
from folkmoot.store.sqlite.connecting import PATIENCE, STATEMENTS, BusyHandler, configure, connect, connect_again
from folkmoot.store.sqlite.create import create_file, empty_board
from folkmoot.store.sqlite.fair_lock import FairFileLock
from folkmoot.store.sqlite.group_commit import CommitBatch
from folkmoot.store.sqlite.migrate import known_migrations, pending
from folkmoot.store.sqlite.reading import QUERIES, Execute, SqliteReading
from folkmoot.store.sqlite.trial_write import try_write
from folkmoot.store.sqlite.writer_queue import WriteRequest, WriterQueue

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

Result = TypeVar("Result")

MEMORY = ":memory:"
BEGIN_WRITE = QUERIES["begin_write"]
BEGIN_READ = QUERIES["begin_read"]
COMMIT = QUERIES["commit"]
ROLLBACK = QUERIES["rollback"]
SCHEMA = QUERIES["schema"]
READERS_MAX = 4  # connections for reads beside the writing one
INTERRUPTS_MAX = 1000  # who is interrupted more often than that is to be stopped at any price


class SqliteStore:
    """Threads of one process may share it; a forked child may not. `warnings` holds what a person should know.

    `change_signal` is notified after each commit that wrote events.
    """

    def __init__(self, connection: apsw.Connection, path: str, patience: BusyHandler, warnings: list[str]) -> None:
        self.path = path
        self.warnings = warnings
        self.change_signal = ChangeSignal()
        self._connection = connection
        self._execute: Execute = connection.cursor().execute
        self._patience = patience
        self._lock: FairFileLock | None = None
        self._queue = WriterQueue()
        self._process = os.getpid()
        self._refusal: Callable[[str], Unavailable] | None = None
        self._flows: dict[int, FlowVersion] = {}
        self._schema: int | None = None  # as it was when it was last found to be ours
        self._readers = ReaderPool(path, patience.seconds)

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

    def transact(self, work: Callable[[Transaction], Result], *, alone: bool = False) -> Result:
        """Do the work and make it durable, or leave no trace of it.

        Works of several threads share a commit: one of them does them all, and each can fail alone. So a work sees
        nothing but its transaction, may run in another thread, and, where another fails late or the leader is
        interrupted, once more. With `alone` it shares its commit with nobody.
        """
        self._check_thread()
        request = WriteRequest(work, alone=alone)
        together: CommitBatch | None = None
        try:
            if self._queue.enter(request):
                together = CommitBatch(self._connection, self._execute, self._flows, self._take_write_lock)
                together.lead(request, self._queue)
        finally:
            try:
                self._end(request, together)
            except BaseException:
                surely(lambda: self._end(request, together))
                raise
        if together is not None and together.written:
            self.change_signal.notify()
        fault = request.fault
        if fault is None:
            result: Result = request.result
            return result
        if isinstance(fault, faults.STORE_FAULTS):
            raise faults.translate(fault, self.path) from fault
        raise fault

    def read(self, work: Callable[[Reading], Result]) -> Result:
        """Look at one consistent view. Keep it short: the log cannot shrink while somebody looks."""
        return self._look(work)

    def broken_links(self) -> list[str]:
        """Walk the whole log and say what is wrong with it."""
        return self._prove(hash_chain.broken_links)

    def prove(self, after: int, limit: int) -> Stretch:
        return self._look(lambda view: hash_chain.prove(view.execute, after, limit))

    def try_write(self, seconds: float) -> int | None:
        """By a connection of its own: one whose write has failed is not used any more."""
        self._check_usable()
        return None if self.path == MEMORY else try_write(self.path, seconds)

    def close(self) -> None:
        """For good. A forked child leaves alone what is its parent's."""
        if self._process != os.getpid():
            return
        self._check_thread()
        request = WriteRequest(None)
        try:
            self._queue.enter(request)
            self._refusal = faults.closed
            self._readers.close()
            self._connection.close()
            if self._lock is not None:
                self._lock.close()
                self._lock = None
        finally:
            try:
                self._queue.leave(request)
            except BaseException:
                surely(lambda: self._queue.leave(request))
                raise

    def _end(self, request: WriteRequest, together: CommitBatch | None) -> None:
        if together is not None:
            together.conclude()
            if together.broken:
                self._refusal = self._refusal or faults.broken
        self._queue.leave(request, together.carried if together is not None else ())

    def _check_thread(self) -> None:
        if self._process != os.getpid():
            raise faults.forked(self.path)
        if self._queue.thread == get_ident():
            raise RuntimeError("a transaction cannot begin inside another one")

    def _check_usable(self) -> None:
        if self._refusal is not None:
            raise self._refusal(self.path)

    def _look(self, work: Callable[[SqliteReading], Result]) -> Result:
        """By the writing connection where it is free, else by one of the readers': reads wait for no writer."""
        self._check_thread()
        request = WriteRequest(None)
        try:
            if self._queue.enter(request, wait=self.path == MEMORY):
                self._check_usable()
                return look(self._connection, self._execute, self._flows, work)
        except faults.STORE_FAULTS as fault:
            if faults.is_fatal(fault):
                self._refusal = self._refusal or faults.broken
            raise faults.translate(fault, self.path) from fault
        finally:
            try:
                self._queue.leave(request)
            except BaseException:
                surely(lambda: self._queue.leave(request))
                raise
        try:
            return self._readers.look(work, self._check_usable)
        except faults.STORE_FAULTS as fault:
            raise faults.translate(fault, self.path) from fault

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

    def _prove(self, prove: Callable[[Execute], list[str]]) -> list[str]:
        try:
            return self._look(lambda view: prove(view.execute))
        except Unavailable as fault:
            if fault.code != "store_damaged":
                raise
            return [fault.message]

    def _verify(self) -> None:
        found = self._prove(hash_chain.last_link_faults)
        if found:
            self.close()
            raise faults.damaged(self.path, found[0])

    def _open_gate(self) -> None:
        try:
            self._lock = FairFileLock(f"{self.path}-gate")
        except OSError as fault:
            self.warnings.append(f"writers of {self.path} cannot queue, so one may wait long: {fault}")


class ReaderPool:
    """Connections for reads that come while the writing connection is busy. Each serves one thread at a time."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._readers = [Reader() for _ in range(READERS_MAX)]

    def look(self, work: Callable[[SqliteReading], Result], check: Callable[[], None]) -> Result:
        """`check` refuses a store that was closed while the read waited."""
        thread = get_ident()
        if any(reader.thread == thread for reader in self._readers):
            raise RuntimeError("a transaction cannot begin inside another one")
        # Two threads may choose the same free one: then the second waits, as it does where none is free.
        free = next((reader for reader in self._readers if not reader.thread), self._readers[thread % READERS_MAX])
        with free.lock:
            check()
            try:
                free.thread = thread
                return free.look(self._path, self._patience, work)
            finally:
                free.thread = 0

    def close(self) -> None:
        """Wait for the reads that have begun, and close. May be repeated."""
        for reader in self._readers:
            with reader.lock:
                reader.close()


class Reader:
    """A connection that is opened by its first read."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.thread = 0  # that reads by it now
        self._connection: apsw.Connection | None = None
        self._flows: dict[int, FlowVersion] = {}

    def look(self, path: str, patience: float, work: Callable[[SqliteReading], Result]) -> Result:
        connection = self._connection = self._connection or connect_again(path, BusyHandler(patience))
        return look(connection, connection.cursor().execute, self._flows, work)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def surely(end: Callable[[], None]) -> None:
    """After an interrupt: do what must be done, and may be repeated, though more interrupts come while it is done."""
    for _ in range(INTERRUPTS_MAX):
        try:
            end()
            return
        except Exception:
            raise
        except BaseException:
            continue


def look(
    connection: apsw.Connection,
    execute: Execute,
    flows: "dict[int, FlowVersion]",
    work: Callable[[SqliteReading], Result],
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
