"""Numbered migrations, each recorded with its checksum: only code that knows all a file went through opens it."""

import os
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import apsw

from folkmoot.errors import Unavailable
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.proving.wal_check import check_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = os.path.join(os.path.dirname(__file__), "migrations")

MAKE_TABLE = "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT"
HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
# As bytes: a flipped bit may leave no text.
RECORDED = "SELECT number, CAST(name AS BLOB), CAST(checksum AS BLOB) FROM migrations ORDER BY number"
RECORD = "INSERT INTO migrations (number, name, checksum) VALUES (?, ?, ?)"


@cache
def known_migrations() -> dict[int, tuple[str, str]]:
    """Ours. Read once: what comes into the folder later belongs to code that this process does not have."""
    return migrations_in(FOLDER)


def migrations_in(folder: str) -> dict[int, tuple[str, str]]:
    """Name and text of each, by number: `0001_first.sql`."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sql"):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                found[int(name[:4])] = (name.removesuffix(".sql"), file.read())
    return found


@lru_cache(64)
def checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def pending(connection: apsw.Connection, path: str, known: dict[int, tuple[str, str]]) -> list[int]:
    """What is still to be applied. Reads only; refuses a history that is not ours."""
    rows: Iterable[Any] = connection.execute(RECORDED) if connection.execute(HAS_TABLE).get is not None else ()
    recorded = {number: (name, made) for number, name, made in rows}
    for number, was in recorded.items():
        if number not in known:
            words = "{path} was written by a newer Folkmoot (its migration {number} is unknown here)"
            raise Unavailable("store_newer", words, "update Folkmoot, then open it again", path, number)
        name, text = known[number]
        if (name.encode(), checksum(text).encode()) != was:
            words = "{path} went through another migration {number} than the one this Folkmoot has"
            remedy, more = faults.restore(path)
            hint = f"open it with the Folkmoot that made it; or {remedy}"
            raise Unavailable("store_differs", words, hint, path, number, **more)
    return [number for number in known if number not in recorded]


def migrate(
    connection: apsw.Connection,
    path: str,
    folder: str | None = None,
    before: "Callable[[apsw.Connection, str], None] | None" = None,
) -> None:
    """Apply what is still to be applied. `before` is called where that changes a board that is in use."""
    check_tail(connection, path)  # what comes now may write, and would write over what it must not
    known = known_migrations() if folder is None else migrations_in(folder)
    left = pending(connection, path, known)
    if not left:
        return
    if before is not None and len(left) < len(known):
        before(connection, path)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again: another process may have done it while we waited for the lock.
        for number in pending(connection, path, known):
            name, text = known[number]
            if connection.execute(HAS_TABLE).get is None:
                connection.execute(MAKE_TABLE)
            connection.execute(text).fetchall()
            connection.execute(RECORD, (number, name, checksum(text)))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
