"""One transaction for the requests of several callers. Each request can fail alone."""

from typing import TYPE_CHECKING, Protocol

from folkmoot.store.sql.faults import OutcomeUnknown, Undone
from folkmoot.store.sql.reading import Execute
from folkmoot.store.sql.writer_queue import WriteRequest, WriterQueue
from folkmoot.store.sql.writing import SqlTransaction

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion
    from folkmoot.store.port import BoardHead

# The same in every dialect. COMMIT returns when the change is on the disk.
COMMIT, ROLLBACK = "COMMIT", "ROLLBACK"
# Around the work of another caller in the same transaction.
SAVEPOINT, RELEASE, ROLLBACK_TO = "SAVEPOINT work", "RELEASE work", "ROLLBACK TO work"
TOGETHER_MAX = 64  # works in one commit, since writers of other processes wait for it


class Session(Protocol):
    """A connection that writes, and what its errors mean."""

    flows: "dict[int, FlowVersion]"
    sql: dict[str, str]
    store_faults: tuple[type[Exception], ...]

    @property
    def execute(self) -> Execute: ...

    def begin(self) -> None:
        """Become the one who writes, and begin a transaction."""

    @property
    def in_transaction(self) -> bool: ...

    @property
    def is_spoiled(self) -> bool:
        """A statement has failed, and nothing more can be done in this transaction but to go back."""

    def work(self, before: SqlTransaction | None) -> SqlTransaction:
        """A transaction for one caller; `before` is that of the caller before, in the same commit."""

    def settle(self) -> None:
        """Raise what is wrong with the statements so far, if they have not all been carried out."""

    def is_fatal(self, fault: BaseException) -> bool:
        """Nobody knows what is kept now: the store must not be used any more."""

    def is_busy(self, fault: BaseException) -> bool: ...

    def is_lost(self, fault: BaseException) -> bool:
        """The connection went away: whether a commit was carried out only the log can tell."""

    def holds(self, head: "BoardHead") -> bool:
        """Whether the log has the last event of this head, for certain. Raises if it cannot be asked."""


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
    _last: SqlTransaction | None = None  # of the last work that did not fail
    _head_changed = False

    def __init__(self, session: Session) -> None:
        self.carried: list[WriteRequest] = []
        self._session = session
        self._execute = session.execute
        self._flows = session.flows

    def lead(self, first: WriteRequest, queue: WriterQueue) -> None:
        """Execute the first request and those that are queued meanwhile, and commit once. `conclude` settles them."""
        carried = self.carried
        carried.append(first)
        try:
            self._carry(first)
            while not first.alone and len(carried) < TOGETHER_MAX and queue.take(carried):
                self._carry(carried[-1])
            try:
                self._commit()
            except self._session.store_faults:
                if self._careful or len(carried) == 1 or not self._session.is_spoiled:
                    raise
                self._repeat_carefully()  # a statement of one of them was refused only now
                self._commit()
        except Exception as fault:
            self._fault = fault
            if self._session.is_busy(fault) and not self._begun:
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
                own = request is culprit or isinstance(self._fault, self._session.store_faults)
                request.fault = self._fault if own else Undone()
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
            self._repeat_carefully()

    def _repeat_carefully(self) -> None:
        """Savepoints cost two statements for each work, and this is rare: do all of them once more, with savepoints."""
        self._execute(ROLLBACK)
        self._flows.clear()
        self._begun = self._head_changed = self._committing = False
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
            self._session.begin()
            self._begun = True
            self._last = None
        elif self._careful:
            execute(SAVEPOINT)
        tx = self._session.work(self._last)
        try:
            assert request.work is not None, "who wants the connection for himself is not carried"
            request.result = tx.carry_out(request.work)
            if self._careful:
                if not alone:
                    execute(RELEASE)
                self._session.settle()
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
            if self._session.is_fatal(fault) or not self._session.in_transaction:
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
        elif touched or self._session.is_spoiled:
            raise WroteBeforeItFailed

    @property
    def _head(self) -> "BoardHead | None":
        return self._last.last_head if self._last is not None else None

    def _commit(self) -> None:
        if self._begun:
            head = self._head
            if self._head_changed and head is not None:
                self._execute(self._session.sql["set_head"], head.values())
            self._committing = True
            self._execute(COMMIT)
            self._committed = True

    def _was_committed(self) -> bool:
        """After an interrupt around the commit, or a connection that was lost there, the log itself is asked."""
        lost = self._fault is not None and self._session.is_lost(self._fault)
        if self._committed or not self._committing or self._session.in_transaction:
            return self._committed
        head = self._head
        if (self._fault is not None and not lost) or not self._head_changed or head is None:
            return False  # it failed, or nothing was written that could not be written again
        try:
            self._committed = self._session.holds(head)
        except self._session.store_faults as fault:
            if lost:
                self._fault = OutcomeUnknown(str(fault))
            else:
                self.broken = True
            return False
        return self._committed

    def _undo(self) -> None:
        """Roll back, if SQLite has not done so itself. Where that fails too, this connection is done with."""
        if self._fault is not None:
            self.broken = self.broken or self._session.is_fatal(self._fault)
        if self._begun:
            self._flows.clear()
        try:
            if self._session.in_transaction:
                self._execute(ROLLBACK)
        except self._session.store_faults as second:
            self.broken = True
            if self._fault is not None:
                self._fault.add_note(f"and the rollback failed: {second}")
