"""Numbered migrations, each recorded with its checksum: only code that knows all a file went through opens it."""

import os
from functools import cache
from typing import TYPE_CHECKING, Any

import apsw

from folkmoot.errors import Unavailable
from folkmoot.store.sql.migrations import checksum, migrations_in, still_to_apply
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.proving.wal_check import check_tail

if TYPE_CHECKING:
    from collections.abc import Callable

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


def pending(connection: apsw.Connection, path: str, known: dict[int, tuple[str, str]]) -> list[int]:
    """What is still to be applied. Reads only; refuses a history that is not ours."""
    rows: Any = connection.execute(RECORDED).fetchall() if connection.execute(HAS_TABLE).get is not None else ()

    def differs(number: int) -> Unavailable:
        words = "{path} went through another migration {number} than the one this Folkmoot has"
        remedy, more = faults.restore(path)
        hint = f"open it with the Folkmoot that made it; or {remedy}"
        return Unavailable("store_differs", words, hint, path, number, **more)

    return still_to_apply(rows, known, path, differs)


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
