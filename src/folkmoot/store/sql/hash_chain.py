"""Proving the log: a database does not notice a flipped bit, the hash chain does. `sql` are the statements by name."""

from collections.abc import Callable, Iterator
from typing import Any

from folkmoot.store.codec import Columns, Unreadable, link
from folkmoot.store.lines import Link
from folkmoot.store.port import BoardHead, Stretch
from folkmoot.store.sql.columns import broken_columns
from folkmoot.store.sql.reading import Execute

Statements = dict[str, str]
PAGE = 500
LAST = 8  # events that are proved at every opening


def last_link_faults(execute: Execute, sql: Statements) -> list[str]:
    """The cheap half, for every opening: head and last events belong together."""
    head = BoardHead(*execute(sql["head"]).get)
    last = execute(sql["last_seq"]).get or 0
    if head.seq != last:
        return [f"the head names event {head.seq} as the last, but the log ends with {last}"]
    if last == 0:
        return []
    first = max(last - LAST, 0)
    rows = execute(sql["links"], (first, LAST)).fetchall()
    # Of those before the last ones only the hash is needed, on which they build.
    chain = execute(sql["links"], (first - 1, 1)).fetchall()[0][9] if first else b""
    faults: list[str] = []
    for number, row in enumerate(rows, start=first + 1):
        faults += _faults_of(row, number, chain)
        chain = row[9]
    return faults + _faults_of_head(head, last, chain, rows[-1][2])


def prove(execute: Execute, sql: Statements, after: int, limit: int) -> Stretch:
    """A part of the log, so that no look at a long one takes long. `after` below 0: the newest."""
    row = execute(sql["head"]).get
    if row is None:
        raise Unreadable("the head of the board is missing")
    head = BoardHead(*row)
    last = execute(sql["last_seq"]).get or 0
    first = min(after, last) if after >= 0 else max(last - limit, 0)
    rows, unread = _page(execute, sql, first, limit)
    chain = execute(sql["chain_at"], (first,)).get if first else b""
    faults: list[str] = []
    seq, time = first, head.time
    for row in rows:
        faults += _faults_of(row, seq + 1, chain)
        seq, time, chain = row[0], row[2], row[9]
    if unread is not None:
        return Stretch(seq + 1, [*faults, f"event {seq + 1} cannot be read: {unread}"], ends=seq + 1 >= last)
    ends = len(rows) < limit or seq >= last
    return Stretch(seq, faults + (_faults_of_head(head, seq, chain, time) if ends else []), ends)


def broken_links(execute: Execute, sql: Statements) -> list[str]:
    """What is wrong with the log and with how its rows are kept, in sentences; walks all of it."""
    faults: list[str] = []
    seq, chain, time = 0, b"", 0.0
    while True:
        rows, unread = _page(execute, sql, seq)
        for row in rows:
            faults += _faults_of(row, seq + 1, chain)
            seq, time, chain = row[0], row[2], row[9]
        if unread is not None:
            faults.append(f"event {seq + 1} cannot be read: {unread}")
            seq, chain = seq + 1, b""
        elif not rows:
            break
    head = BoardHead(*execute(sql["head"]).get)
    return faults + _faults_of_head(head, seq, chain, time) + broken_columns(execute)


def walk(execute: Execute, sql: Statements, upto: int, damaged: Callable[[str], Exception]) -> Iterator[Link]:
    """The events from the first to `upto`, each proven. Page by page and in no transaction: the log only grows."""
    seq, chain = 0, b""
    while seq < upto:
        page: list[Any] = execute(sql["links"], (seq, min(PAGE, upto - seq))).fetchall()
        if not page:
            raise damaged(f"the log ends with event {seq}, but event {upto} should be there")
        for row in page:
            *columns, body, told = row
            if columns[0] != seq + 1:
                raise damaged(f"event {seq + 1} is missing: after {seq} comes {columns[0]}")
            if not isinstance(body, str) or link(chain, tuple(columns), body.encode()) != told:
                raise damaged(f"event {seq + 1} is not what was written: its hash does not fit")
            seq, chain = seq + 1, told
            yield row


def _page(execute: Execute, sql: Statements, after: int, limit: int = PAGE) -> tuple[list[Any], Exception | None]:
    """The next events; if one cannot be read, those before it and why."""
    rows: list[Any] = []
    try:
        rows.extend(execute(sql["links"], (after, limit)))
    except UnicodeDecodeError as fault:
        return rows, fault
    return rows, None


def _faults_of(row: Any, expected: int, previous: bytes) -> list[str]:
    *columns, body, chain = row
    if columns[0] != expected:
        return [f"event {expected} is missing: after {expected - 1} comes {columns[0]}"]
    if not isinstance(body, str) or not isinstance(chain, bytes) or not isinstance(previous, bytes):
        return [f"event {expected} holds something else than text"]
    covered: Columns = tuple(columns)
    if link(previous, covered, body.encode()) != chain:
        return [f"event {expected} is not what was written, or the one before it is not: its hash does not fit"]
    return []


def _faults_of_head(head: BoardHead, seq: int, chain: bytes, time: float) -> list[str]:
    faults = []
    if head.seq != seq:
        faults.append(f"the head names event {head.seq} as the last, but the log ends with {seq}")
    if head.chain != chain:
        faults.append(f"the hash in the head is not that of the last event, {seq}")
    if head.time != time:
        faults.append(f"the head's time is {head.time}, but that of the last event is {time}")
    return faults
