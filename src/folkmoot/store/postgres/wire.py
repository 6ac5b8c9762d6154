"""One connection to the server. Statements that need no answer wait and go out with the next that does: one round trip.

It speaks through libpq's pipeline: what was queued and what is asked are sent together, and the answers come back
together. Nothing of a connection outlives its transaction but prepared statements, and those are made again where a
pooler has put us on another server connection.
"""

import select
from collections.abc import Sequence
from time import monotonic
from typing import Any

from psycopg import Connection, OperationalError, ProgrammingError, pq

from folkmoot.store.postgres.address import bad_address
from folkmoot.store.sql.faults import missing

Value = str | int | float | bytes | None
Ask = tuple[str, Sequence[Value]]  # a statement, and what is bound

# Seconds. A network that is cut is noticed within about five: by what is not acknowledged, or by silence.
CONNECTING = {
    "connect_timeout": 5,
    "tcp_user_timeout": 4000,
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}
QUEUED_MAX = 1000  # statements that wait: a whole board that is taken in must not all be in memory
ANSWER_PATIENCE = 90.0  # longer than the server lets any statement take
INTEGERS, FLOAT, BYTES, BOOLEAN = frozenset({20, 21, 23}), 701, 17, 16  # the server's numbers of types

OK = frozenset({pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK, pq.ExecStatus.EMPTY_QUERY})
# A pooler gave us a server connection that does not know what we prepared, or knows another by that name.
UNPREPARED = frozenset({"26000", "42P05"})


# The server has ended the connection: it waited too long for us inside a transaction, or in all.
ENDED = frozenset({"25P03", "25P04"})


class ServerError(Exception):
    """What the server refused, with its code of five letters."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Lost(Exception):
    """The connection is gone; whether what was under way was carried out is not known here."""


class Rows:
    """What a statement gave."""

    __slots__ = ("_rows",)

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def __iter__(self) -> Any:
        return iter(self._rows)

    @property
    def get(self) -> Any:
        """The row there is, or its only value; None if there is none."""
        if not self._rows:
            return None
        row = self._rows[0]
        return row[0] if len(row) == 1 else row


NOTHING = Rows([])


def is_final(code: str) -> bool:
    """Connecting again will not help; a server that is starting or stopping is only away."""
    return bool(code) and not code.startswith(("08", "57P"))


class Wire:
    def __init__(self, address: str, prepare: bool = True) -> None:
        try:
            self._connection = Connection.connect(address, autocommit=True, **CONNECTING)  # type: ignore[arg-type]
        except ProgrammingError:  # its words may hold a part of the address, and that a secret
            why = "libpq does not know one of its parameters, or % stands before what are no two digits"
            raise bad_address(why) from None
        except OperationalError as fault:
            code = fault.sqlstate or ""
            raise (ServerError(code, _words(fault)) if is_final(code) else Lost(_words(fault))) from None
        self.round_trips = 0
        self.prepares = prepare
        self._owed = 0  # answers that nobody waits for
        self._libpq = self._connection.pgconn
        self._libpq.nonblocking = 1
        self._libpq.enter_pipeline_mode()
        self._prepared: dict[str, bytes] = {}
        self._queued: list[tuple[str, Sequence[Value], tuple[str, str] | None]] = []
        self._poll = select.poll()
        self._poll.register(self._libpq.socket, select.POLLIN)

    @property
    def is_open(self) -> bool:
        return self._libpq.status == pq.ConnStatus.OK

    @property
    def in_transaction(self) -> bool:
        return not self._owed and self._libpq.transaction_status in (
            pq.TransactionStatus.INTRANS,
            pq.TransactionStatus.INERROR,
        )

    @property
    def is_spoiled(self) -> bool:
        return self._libpq.transaction_status == pq.TransactionStatus.INERROR

    def queue(self, statement: str, values: Sequence[Value] = (), must: tuple[str, str] | None = None) -> None:
        """Goes out with the next question. `must`: table and row of what has to be there to be changed."""
        self._queued.append((statement, values, must))
        if len(self._queued) >= QUEUED_MAX:
            self.settle()

    def forget(self) -> None:
        """What is queued is not wanted any more."""
        self._queued.clear()

    def ask(self, *asked: Ask, behind: str | None = None) -> list[Rows]:
        """Send what is queued and these, and wait for the answers to these: one round trip. Of what is sent `behind`
        them only its end is waited for; where that is not heard of, the connection counts as lost."""
        queued, self._queued = self._queued, []
        batch = [*queued, *((statement, values, None) for statement, values in asked)]
        try:
            kinds = self._send(batch, behind)
            results = self._receive()
        except BaseException as fault:
            self.close()  # also after an interrupt: nobody knows what is still to come
            if isinstance(fault, OperationalError | OSError):
                raise Lost(_words(fault)) from None
            raise
        ends = results[len(kinds) :]
        found = self._read(batch, kinds, results[: len(kinds)])[len(queued) :]
        for one in ends:
            if one.status not in OK:
                self.close()
                raise Lost(str(_error(one)))
        return found

    def tell(self, statement: str) -> None:
        """Send this, and wait for nothing: its answer is taken before the next. For what ends a view."""
        self.forget()
        try:
            self._send([(statement, (), None)])
            self._libpq.flush()  # what does not go out now goes with the next question
        except (OperationalError, OSError):
            self.close()
            return
        self.round_trips -= 1
        self._owed += 1

    def settle(self) -> None:
        if self._queued:
            self.ask()

    def close(self) -> None:
        self._connection.close()

    def _send(
        self, batch: list[tuple[str, Sequence[Value], tuple[str, str] | None]], behind: str | None = None
    ) -> list[str | None]:
        """For each result that will come: None, or the statement it prepares."""
        libpq = self._libpq
        kinds: list[str | None] = []
        for statement, values, _ in batch:
            texts, formats = _bound(values)
            if not self.prepares:
                libpq.send_query_params(statement.encode(), texts, param_formats=formats)
            else:
                name = self._prepared.get(statement)
                if name is None:
                    name = self._prepared[statement] = f"moot{len(self._prepared)}".encode()
                    libpq.send_prepare(name, statement.encode())
                    kinds.append(statement)
                libpq.send_query_prepared(name, texts, param_formats=formats)
            kinds.append(None)
        if behind is not None:  # never prepared: that it is not known would be no fault of what it follows
            libpq.send_query_params(behind.encode(), None)
        libpq.pipeline_sync()
        self.round_trips += 1
        return kinds

    def _receive(self) -> list[pq.abc.PGresult]:
        """All results up to the sync, while what is not sent yet is sent."""
        libpq, until = self._libpq, monotonic() + ANSWER_PATIENCE
        results: list[pq.abc.PGresult] = []
        unsent = libpq.flush()
        while True:
            while not libpq.is_busy():
                result = libpq.get_result()
                if result is None:
                    if not self.is_open:
                        raise OSError("the connection is gone")
                    continue
                if result.status == pq.ExecStatus.PIPELINE_SYNC:
                    if not self._owed:
                        return results
                    self._owed -= 1
                    results.clear()
                    continue
                results.append(result)
            self._poll.modify(libpq.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
            if not self._poll.poll(max(0.0, until - monotonic()) * 1000):
                raise OSError("no answer in time")
            libpq.consume_input()
            if unsent:
                unsent = libpq.flush()

    def _read(
        self,
        batch: list[tuple[str, Sequence[Value], tuple[str, str] | None]],
        kinds: list[str | None],
        results: list[pq.abc.PGresult],
    ) -> list[Rows]:
        for number, result in enumerate(results):
            if result.status not in OK:
                for statement in kinds[number:]:
                    self._prepared.pop(statement or "", None)
                raise _error(result)
        found = [result for result, kind in zip(results, kinds, strict=True) if kind is None]
        for (_, _, must), result in zip(batch, found, strict=True):
            if must is not None and result.command_tuples != 1:
                raise missing(*must)
        return [_rows(result) for result in found]


def _bound(values: Sequence[Value]) -> tuple[list[bytes | None], list[pq.Format] | None]:
    texts: list[bytes | None] = []
    binary = False
    for value in values:
        if isinstance(value, str):
            text = value.encode()
            if b"\0" in text:  # libpq would take it for the end
                raise ServerError("22021", "a text with the character NUL cannot be kept")
            texts.append(text)
        elif isinstance(value, bytes):
            binary = True
            texts.append(value)
        else:
            texts.append(None if value is None else repr(value).encode())
    if not binary:
        return texts, None
    return texts, [pq.Format.BINARY if isinstance(value, bytes) else pq.Format.TEXT for value in values]


def _rows(result: "pq.abc.PGresult") -> Rows:
    if result.status != pq.ExecStatus.TUPLES_OK:
        return NOTHING
    readers = [_reader(result.ftype(column)) for column in range(result.nfields)]
    get = result.get_value
    return Rows(
        [
            tuple(None if (text := get(row, column)) is None else read(text) for column, read in enumerate(readers))
            for row in range(result.ntuples)
        ]
    )


def _reader(kind: int) -> Any:
    if kind in INTEGERS:
        return int
    if kind == FLOAT:
        return float
    if kind == BYTES:
        return _unhex
    return _is_true if kind == BOOLEAN else bytes.decode


def _unhex(text: bytes) -> bytes:
    return bytes.fromhex(text[2:].decode())


def _is_true(text: bytes) -> bool:
    return text == b"t"


def _error(result: "pq.abc.PGresult") -> Exception:
    code = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
    words = (result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode(errors="replace")
    if not is_final(code) or code in ENDED:
        return Lost(words or "the connection is gone")
    return ServerError(code, words)


def _words(fault: Exception) -> str:
    """The first line: what comes after may repeat how it was connected."""
    return (str(fault).strip() or type(fault).__name__).splitlines()[0]
