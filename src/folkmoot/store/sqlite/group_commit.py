"""One transaction for the requests of several callers. Each request can fail alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import apsw

from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.reading import QUERIES, Execute
from folkmoot.store.sqlite.writer_queue import WriteRequest, WriterQueue
from folkmoot.store.sqlite.writing import SqliteTransaction

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion
    from folkmoot.store.port import BoardHead

COMMIT = QUERIES["commit"]
ROLLBACK = QUERIES["rollback"]
SAVEPOINT = QUERIES["savepoint"]
RELEASE = QUERIES["release"]
ROLLBACK_TO = QUERIES["rollback_to"]
SET_HEAD = QUERIES["set_head"]
TOGETHER_MAX = 64  # works in one commit, since writers of other processes wait for it


class WroteBeforeItFailed(Exception):
    """A work behind others failed, and there is no savepoint to go back to."""


class CommitBatch:
    """One commit of a leader: its own request and those that were queued meanwhile."""

    broken = False  # the connection must not be used any more
    written = False  # there are new events, and they are durable
    _begun = False
    _careful = False  # each work behind a savepoint of its own
    _committing = False
    _committed = False
    _concluded = False
    _fault: Exception | None = None
    _last: SqliteTransaction | None = None  # of the last work that did not fail
    _head_changed = False

    def __init__(
        self, connection: apsw.Connection, execute: Execute, flows: "dict[int, FlowVersion]", begin: Callable[[], None]
    ) -> None:
        self.carried: list[WriteRequest] = []
        self._connection = connection
        self._execute = execute
        self._flows = flows
        self._begin = begin

    def lead(self, first: WriteRequest, queue: WriterQueue) -> None:
        """Execute the first request and those that are queued meanwhile, and commit once. `conclude` settles them."""
        carried = self.carried
        carried.append(first)
        try:
            self._carry(first)
            while not first.alone and len(carried) < TOGETHER_MAX and queue.take(carried):
                self._carry(carried[-1])
            self._commit()
        except Exception as fault:
            self._fault = fault
            if isinstance(fault, apsw.BusyError) and not self._begun:
                while queue.take(carried):  # the others wait for the same lock, and have waited as long
                    pass

    def conclude(self) -> None:
        """Settle what is settled. The rest is taken up again by the next leader. May be repeated after an interrupt."""
        if self._concluded:
            return
        committed = self._was_committed()
        if not committed:
            self._undo()
        culprit = self.carried[-1] if self.carried else None
        for request in self.carried:
            if committed:
                request.settled = True
            elif not request.settled and request.fault is None and self._fault is not None:
                own = request is culprit or isinstance(self._fault, faults.STORE_FAULTS)
                request.fault = self._fault if own else faults.Undone()
                request.settled = True
            elif not request.settled:
                # Also who was refused because of what is undone now: without it he may fare better.
                request.fault = None
        self.written = committed and self._head_changed
        self._concluded = True

    def _carry(self, request: WriteRequest) -> None:
        try:
            self._attempt(request)
        except WroteBeforeItFailed:
            # Savepoints cost two statements for each work, and this is rare: do all of them once more, with savepoints.
            self._execute(ROLLBACK)
            self._flows.clear()
            self._begun = self._head_changed = False
            self._careful = True
            for one in self.carried:
                if not one.settled:
                    one.fault = None
                    self._attempt(one)

    def _attempt(self, request: WriteRequest) -> None:
        """The first work needs no savepoint: if it fails, so does the transaction, and the next one begins anew."""
        execute = self._execute
        alone = not self._begun
        if alone:
            self._begin()
            self._begun = True
            self._last = None
        elif self._careful:
            execute(SAVEPOINT)
        tx = SqliteTransaction(self._connection, execute, self._flows, self._last)
        try:
            assert request.work is not None, "who wants the connection for himself is not carried"
            request.result = tx.carry_out(request.work)
            if self._careful and not alone:
                execute(RELEASE)
            self._last = tx
            self._head_changed = self._head_changed or tx.written
        except BaseException as fault:
            # What another's work raises is his, be it SystemExit; but an interrupt is for the thread that is at work.
            if not isinstance(fault, Exception) and (
                request is self.carried[0] or isinstance(fault, KeyboardInterrupt)
            ):
                raise
            if tx.flows_changed:
                self._flows.clear()
            if faults.is_fatal(fault) or not self._connection.in_transaction:
                raise  # nothing of the whole transaction is left
            self._undo_one(alone, tx.touched)
            request.fault = fault
            request.settled = alone  # behind others it is final when they are
        finally:
            tx.end()

    def _undo_one(self, alone: bool, touched: bool) -> None:
        if alone:
            self._execute(ROLLBACK)
            self._begun = False
        elif self._careful:
            self._execute(ROLLBACK_TO)
            self._execute(RELEASE)
        elif touched:
            raise WroteBeforeItFailed

    @property
    def _head(self) -> "BoardHead | None":
        return self._last.last_head if self._last is not None else None

    def _commit(self) -> None:
        if self._begun:
            head = self._head
            if self._head_changed and head is not None:
                self._execute(SET_HEAD, head.values())
            self._committing = True
            self._execute(COMMIT)
            self._committed = True

    def _was_committed(self) -> bool:
        """After an interrupt around the commit the log itself is asked."""
        if self._committed or not self._committing or self._fault is not None or self._connection.in_transaction:
            return self._committed
        head = self._head
        if not self._head_changed or head is None:
            return False  # nothing was written that could not be written again
        try:
            found = self._execute(QUERIES["chain_at"], (head.seq,)).get
        except apsw.Error:
            self.broken = True
            return False
        self._committed = bool(found == head.chain)
        return self._committed

    def _undo(self) -> None:
        """Roll back, if SQLite has not done so itself. Where that fails too, this connection is done with."""
        if self._fault is not None:
            self.broken = self.broken or faults.is_fatal(self._fault)
        if self._begun:
            self._flows.clear()
        try:
            if self._connection.in_transaction:
                self._execute(ROLLBACK)
        except apsw.Error as second:
            self.broken = True
            if self._fault is not None:
                self._fault.add_note(f"and the rollback failed: {second}")
