"""The log by itself: walked and proven, cut where a command ended, copied into a file that has nothing else yet."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from folkmoot.core.events import Event
from folkmoot.errors import Invalid, Unavailable
from folkmoot.store.codec import decoded
from folkmoot.store.lines import Link, write_lines
from folkmoot.store.sql import hash_chain
from folkmoot.store.sqlite import faults, preflight
from folkmoot.store.sqlite.create import create_file
from folkmoot.store.sqlite.migrate import known_migrations, pending
from folkmoot.store.sqlite.proving.wal_check import check_tail
from folkmoot.store.sqlite.session import QUERIES

PATIENCE = 10_000  # milliseconds

HEAD = "SELECT seq, chain, time FROM board WHERE id = 1"
SET_HEAD = "UPDATE board SET seq = ?, chain = ?, time = ? WHERE id = 1"
MOMENT = "SELECT at FROM events WHERE seq = ?"
ANOTHER_MOMENT = "SELECT seq FROM events WHERE seq < ? AND at != ? ORDER BY seq DESC LIMIT 1"
FIRST_MOMENT = """
    SELECT max(seq) FROM events WHERE seq < coalesce(
        (SELECT min(seq) FROM events WHERE at != (SELECT at FROM events WHERE seq = 1)), 9e18)
"""
HAS_TABLE = "SELECT 1 FROM old.sqlite_schema WHERE type = 'table' AND name = ?"
# Of runs that are known; what a run printed after the cut explains it still.
COPY_OUTPUT = """
    INSERT INTO output (run, part, text) SELECT run, part, text FROM old.output WHERE run IN (SELECT id FROM runs)
"""
# A kept answer belongs to the events of its moment. Where some of these are gone it would tell of what never was.
COPY_ANSWERS = """
    INSERT INTO keys SELECT speaker, key, digest, answer, at FROM old.keys
    WHERE at IN (SELECT at FROM events) AND at NOT IN (SELECT at FROM old.events WHERE seq > ?)
"""
LAST_BY = "SELECT max(seq) FROM events WHERE at <= ?"


@contextmanager
def telling(path: str) -> Iterator[None]:
    """What SQLite complains about, in our words."""
    try:
        yield
    except faults.STORE_FAULTS as fault:
        raise faults.translate(fault, path) from fault


@contextmanager
def reading(path: str, board: str | None = None) -> Iterator[apsw.Connection]:
    """A connection of its own, beside those of the stores. `board` is what errors call the file."""
    preflight.check_file(path)
    with telling(board or path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(PATIENCE)
            connection.execute("PRAGMA trusted_schema = OFF")
            pending(connection, board or path, known_migrations())
            check_tail(connection, path)  # what SQLite reads of a damaged log passes for a whole one
            yield connection
        finally:
            connection.close()


def head_of(connection: apsw.Connection) -> tuple[int, bytes, float]:
    """Number, hash and time of the last event, as the head tells them."""
    found: Any = connection.execute(HEAD).fetchone()
    if found is None:
        raise apsw.CorruptError("the board has no head")
    seq, chain, time = found
    # A store that comes from somewhere else may have made its tables itself, and ours would not take this.
    if not isinstance(seq, int) or not isinstance(chain, bytes) or not isinstance(time, float):
        raise apsw.CorruptError("the board's head is none")
    return seq, chain, time


def walk(connection: apsw.Connection, path: str, upto: int) -> Iterator[Link]:
    """The events from the first to `upto`, each proven."""
    return hash_chain.walk(connection.execute, QUERIES, upto, lambda why: faults.damaged(path, why))


def prove(connection: apsw.Connection, path: str) -> tuple[int, bytes]:
    """Every page, every index and every event; number and hash of the last one. Damage is told by name."""
    wrong: Any = connection.execute("PRAGMA integrity_check(1)").get
    if wrong != "ok":
        raise faults.damaged(path, str(wrong))
    seq, chain, time = head_of(connection)
    last = deque(walk(connection, path, seq), maxlen=1)
    if last and (last[0][9], last[0][2]) != (chain, time):
        raise faults.damaged(path, f"head and last event, {seq}, do not belong together")
    if connection.execute("SELECT max(seq) FROM events").get != (seq or None):
        raise faults.damaged(path, f"the log goes on after event {seq}, where the head ends")
    return seq, chain


def last_by(connection: apsw.Connection, at: int) -> int:
    """The last event at or before a moment of the wall clock, in milliseconds; 0 if there is none."""
    found: Any = connection.execute(LAST_BY, (at,)).get
    seq: int = found or 0
    return seq


def is_past(source: str, own: str, seq: int) -> bool:
    """Is the event of a proven log one of our own log too? Its hash speaks for all before it."""
    chains: list[Any] = []
    for path in (source, own):
        try:
            with reading(path) as connection:
                chains.append(connection.execute("SELECT chain FROM events WHERE seq = ?", (seq,)).get)
        except Unavailable:
            return False
    return chains[0] is not None and chains[0] == chains[1]


def moment_of(connection: apsw.Connection, seq: int) -> int:
    """When an event was written, by the wall clock, in milliseconds."""
    found: Any = connection.execute(MOMENT, (seq,)).fetchone()
    if found is None:
        raise apsw.CorruptError(f"event {seq} is missing")
    at: int = found[0]
    return at


def cut(connection: apsw.Connection, wanted: int | None) -> int:
    """The last event at or before the wanted one after which a command was over.

    Nothing in the log marks a commit, but all events of a command carry its moment: the clock was read once, at its
    beginning. Where the moment changes one command is over, so the board there was whole. Commands of one millisecond
    stay together, since a kept answer says its millisecond only: each comes back with its effect, or neither does.
    """
    last = head_of(connection)[0]
    if wanted is None or wanted == last:
        return last
    if wanted > last:
        words = "there is no event {wanted}: the log ends with {last}"
        raise Invalid("unknown_event", words, "see: <log>", wanted, last)
    moment: Any = connection.execute(MOMENT, (wanted,)).fetchone()
    if moment is None:
        raise apsw.CorruptError(f"event {wanted} is missing")
    if connection.execute(MOMENT, (wanted + 1,)).fetchone() != moment:
        return wanted
    found: Any = connection.execute(ANOTHER_MOMENT, (wanted, *moment)).get
    if found is None:
        first: Any = connection.execute(FIRST_MOMENT).get
        words = "there was no board at event {wanted}: it was made by the events 1 to {first}"
        raise Invalid("unknown_event", words, "name event {first} or a later one", wanted, first)
    whole: int = found
    return whole


def copy_log(rows: Iterable[Link], new: str, see: Callable[[Event], None]) -> int:
    """Make the file of a board that holds these events as they are, and no rows yet. Gives their number."""
    create_file(new)
    with telling(new):
        connection = apsw.Connection(new, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # Nobody knows the file yet; it is made durable as a whole, before it gets its name.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN IMMEDIATE")
            seq, chain, time = 0, b"", 0.0
            for row in rows:
                connection.execute(QUERIES["insert_event"], row)
                see(decoded(row))
                seq, chain, time = row[0], row[9], row[2]
            connection.execute(SET_HEAD, (seq, chain, time))
            connection.execute("COMMIT")
            return seq
        finally:
            connection.close()


def copy_beside(source: str, new: str, upto: int) -> None:
    """What stands beside the log: the output of runs, and the answers kept under keys."""
    with telling(source):
        connection = apsw.Connection(new, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.execute("PRAGMA trusted_schema = OFF; PRAGMA synchronous = OFF; ATTACH ? AS old", (source,))
            connection.execute("BEGIN IMMEDIATE")
            # A board of an early version knew no output.
            if connection.execute(HAS_TABLE, ("output",)).get is not None:
                connection.execute(COPY_OUTPUT)
            connection.execute(COPY_ANSWERS, (upto,))
            connection.execute("COMMIT")
        finally:
            connection.close()


def export_lines(path: str) -> Iterator[bytes]:
    """The whole log as JSON lines, as it is at this moment; what is written meanwhile is not in it."""
    with reading(path) as connection:
        seq, chain, _ = head_of(connection)
        yield from write_lines(walk(connection, path, seq), seq, chain)
