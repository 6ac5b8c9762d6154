"""What the shared verbs need of SQLite: its statements, its connection, and what its errors mean."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import apsw

from folkmoot.store.port import BoardHead
from folkmoot.store.sql.faults import missing
from folkmoot.store.sql.reading import Execute, SqlReading
from folkmoot.store.sql.statements import load
from folkmoot.store.sql.writing import SqlTransaction
from folkmoot.store.sqlite import faults

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

QUERIES = load(os.path.join(os.path.dirname(__file__), "queries.sql"))


class _OwnCursor(SqlReading):
    """A cursor has one statement at a time: rows that are taken one by one have a cursor of their own, since whatever
    is read between two of them would end the first."""

    __slots__ = ()

    def _stream(self, statement: str, values: tuple[Any, ...]) -> Iterable[Any]:
        cursor = getattr(self._execute, "__self__", None)
        apart: Execute = cursor.connection.cursor().execute if cursor is not None else self._execute
        rows: Iterable[Any] = apart(statement, values)
        return rows


class SqliteReading(_OwnCursor):
    __slots__ = ()
    _sql = QUERIES


class SqliteTransaction(SqlTransaction, _OwnCursor):
    __slots__ = ("_connection",)
    _sql = QUERIES

    def __init__(
        self,
        connection: apsw.Connection,
        execute: Execute,
        flows: "dict[int, FlowVersion]",
        before: SqlTransaction | None = None,
    ) -> None:
        super().__init__(execute, flows, before)
        self._connection = connection

    def _update(self, table: str, row: str, statement: str, values: tuple[Any, ...]) -> None:
        self._execute(statement, values)
        if self._connection.changes() != 1:
            raise missing(table, row)


class SqliteSession:
    """The writing connection, as a commit of several callers uses it."""

    store_faults: tuple[type[Exception], ...] = faults.STORE_FAULTS
    sql = QUERIES

    def __init__(
        self, connection: apsw.Connection, execute: Execute, flows: "dict[int, FlowVersion]", begin: Callable[[], None]
    ) -> None:
        self.execute = execute
        self.flows = flows
        self._begin = begin
        self._connection = connection

    def begin(self) -> None:
        self._begin()

    @property
    def in_transaction(self) -> bool:
        return bool(self._connection.in_transaction)

    def work(self, before: SqlTransaction | None) -> SqlTransaction:
        return SqliteTransaction(self._connection, self.execute, self.flows, before)

    def settle(self) -> None:
        """Every statement has been carried out already."""

    @property
    def is_spoiled(self) -> bool:
        """SQLite undoes the one statement that failed."""
        return False

    def is_lost(self, fault: BaseException) -> bool:
        """There is nothing between us and the file that could be."""
        return False

    def holds(self, head: BoardHead) -> bool:
        found = self.execute(QUERIES["chain_at"], (head.seq,)).get
        return bool(found == head.chain)

    def is_fatal(self, fault: BaseException) -> bool:
        return faults.is_fatal(fault)

    def is_busy(self, fault: BaseException) -> bool:
        return isinstance(fault, apsw.BusyError)
