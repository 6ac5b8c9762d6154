"""What every store that speaks SQL does alike: the two ways in, `transact` and `read`, and who may use them when."""

import os
from _thread import RLock, get_ident
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.change_signal import ChangeSignal
from folkmoot.store.port import Reading, Stretch, Transaction
from folkmoot.store.sql import faults, hash_chain
from folkmoot.store.sql.group_commit import CommitBatch, Session
from folkmoot.store.sql.reading import Execute, SqlReading
from folkmoot.store.sql.writer_queue import WriteRequest, WriterQueue

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

Result = TypeVar("Result")
READERS_MAX = 4  # connections for reads beside the writing one
INTERRUPTS_MAX = 1000  # who is interrupted more often than that is to be stopped at any price


class SqlStore:
    """Threads of one process may share it; a forked child may not. `warnings` holds what a person should know.

    `change_signal` is notified after each commit that wrote events.
    """

    sql: dict[str, str]
    store_faults: tuple[type[Exception], ...]
    one_connection = False  # reads wait for the writer, for there is nothing else to read by

    def __init__(self, path: str, warnings: list[str]) -> None:
        self.path = path
        self.warnings = warnings
        self.change_signal = ChangeSignal()
        self._queue = WriterQueue()
        self._process = os.getpid()
        self._refusal: Callable[[str], Unavailable] | None = None
        self._flows: dict[int, FlowVersion] = {}
        self._readers = ReaderPool(self._new_reader)

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
                together = CommitBatch(self._session())
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
        if isinstance(fault, self.store_faults):
            raise self._translate(fault) from fault
        raise fault

    def read(self, work: Callable[[Reading], Result]) -> Result:
        """Look at one consistent view. Keep it short: the log cannot shrink while somebody looks."""
        return self._look(work)

    def broken_links(self) -> list[str]:
        """Walk the whole log and say what is wrong with it."""
        return self._prove(self._all_faults)

    def prove(self, after: int, limit: int) -> Stretch:
        return self._look(lambda view: hash_chain.prove(view.execute, self.sql, after, limit))

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
            self._close()
        finally:
            self._leave(request)

    def _session(self) -> Session:
        """The connection that writes."""
        raise NotImplementedError

    def _look_by_writer(self, work: Callable[[SqlReading], Result]) -> Result:
        """Read by the connection that writes; nobody else uses it now."""
        raise NotImplementedError

    def _new_reader(self) -> "Reader":
        raise NotImplementedError

    def _translate(self, fault: Exception) -> MootError:
        """What the database complains about, in our words."""
        raise NotImplementedError

    def _is_fatal(self, fault: Exception) -> bool:
        """After it, the store of this process must not go on."""
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError

    def _all_faults(self, execute: Execute) -> list[str]:
        return hash_chain.broken_links(execute, self.sql)

    def _end(self, request: WriteRequest, together: CommitBatch | None) -> None:
        if together is not None:
            together.conclude()
            if together.broken:
                self._refusal = self._refusal or faults.broken
        self._queue.leave(request, together.carried if together is not None else ())

    def _leave(self, request: WriteRequest) -> None:
        try:
            self._queue.leave(request)
        except BaseException:
            surely(lambda: self._queue.leave(request))
            raise

    def _check_thread(self) -> None:
        if self._process != os.getpid():
            raise faults.forked(self.path)
        if self._queue.thread == get_ident():
            raise RuntimeError("a transaction cannot begin inside another one")

    def _check_usable(self) -> None:
        if self._refusal is not None:
            raise self._refusal(self.path)

    def _look(self, work: Callable[[SqlReading], Result]) -> Result:
        """By the writing connection where it is free, else by one of the readers': reads wait for no writer."""
        self._check_thread()
        request = WriteRequest(None)
        try:
            if self._queue.enter(request, wait=self.one_connection):
                self._check_usable()
                return self._look_by_writer(work)
        except self.store_faults as fault:
            if self._is_fatal(fault):
                self._refusal = self._refusal or faults.broken
            raise self._translate(fault) from fault
        finally:
            self._leave(request)
        try:
            return self._readers.look(work, self._check_usable)
        except self.store_faults as fault:
            raise self._translate(fault) from fault

    def _prove(self, prove: Callable[[Execute], list[str]]) -> list[str]:
        try:
            return self._look(lambda view: prove(view.execute))
        except Unavailable as fault:
            if fault.code != "store_damaged":
                raise
            return [fault.message]

    def _last_link_faults(self) -> list[str]:
        return self._prove(lambda execute: hash_chain.last_link_faults(execute, self.sql))


class Reader(Protocol):
    """A connection that is opened by its first read."""

    def look(self, work: Callable[[SqlReading], Result]) -> Result: ...
    def close(self) -> None: ...


class Seat:
    """Where one reader serves one thread at a time."""

    def __init__(self, reader: Reader) -> None:
        self.lock = RLock()
        self.thread = 0  # that reads by it now
        self.reader = reader


class ReaderPool:
    """Connections for reads that come while the writing connection is busy."""

    def __init__(self, make: Callable[[], Reader]) -> None:
        self._seats = [Seat(make()) for _ in range(READERS_MAX)]

    def look(self, work: Callable[[SqlReading], Result], check: Callable[[], None]) -> Result:
        """`check` refuses a store that was closed while the read waited."""
        thread = get_ident()
        if any(seat.thread == thread for seat in self._seats):
            raise RuntimeError("a transaction cannot begin inside another one")
        # Two threads may choose the same free one: then the second waits, as it does where none is free.
        free = next((seat for seat in self._seats if not seat.thread), self._seats[thread % READERS_MAX])
        with free.lock:
            check()
            try:
                free.thread = thread
                return free.reader.look(work)
            finally:
                free.thread = 0

    def close(self) -> None:
        """Wait for the reads that have begun, and close. May be repeated."""
        for seat in self._seats:
            with seat.lock:
                seat.reader.close()


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
