"""A board's tables in a schema of their own: made, brought up to date, and looked at before they are used."""

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from folkmoot.errors import Refused, Unavailable
from folkmoot.store.postgres.place import IDLE, LOCK
from folkmoot.store.sql.migrations import Migrations, checksum, migrations_in, still_to_apply

if TYPE_CHECKING:
    from folkmoot.store.postgres.place import Place
    from folkmoot.store.postgres.wire import Wire

FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
OLDEST = 130000  # the oldest server that our statements were written for

SERVER = """
SELECT current_setting('server_version_num')::integer, current_setting('fsync'), current_setting('full_page_writes'),
    current_setting('synchronous_commit'), current_setting('server_encoding'), pg_is_in_recovery(),
    (SELECT bool_and(has_function_privilege(oid, 'EXECUTE')) FROM pg_proc WHERE proname = 'pg_logical_emit_message')
"""
SETTINGS = """
SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
    set_config('idle_in_transaction_session_timeout', $3, true), pg_advisory_xact_lock($4)
"""
HAS_TABLES = "SELECT to_regclass($1 || '.board') IS NOT NULL, to_regclass($1 || '.migrations') IS NOT NULL"
TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
MAKE_TABLE = "CREATE TABLE migrations (number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL)"
RECORDED = "SELECT number, convert_to(name, 'UTF8'), convert_to(checksum, 'UTF8') FROM migrations ORDER BY number"
RECORD = "INSERT INTO migrations (number, name, checksum) VALUES ($1, $2, $3)"


@cache
def known_migrations() -> Migrations:
    return migrations_in(FOLDER)


def create(place: "Place") -> None:
    """Whole or not at all. Who comes second finds it there."""
    wire = place.wire()
    check_server(place, wire)
    _begin(place, wire)
    try:
        if wire.ask((HAS_TABLES, (place.address.schema,)))[0].get != (False, False):
            words = "there is a board at {place} already"
            raise Refused("board_exists", words, "use it: <board>, or name another schema: ?schema=NAME", place.path)
        # The name was proved to be small letters, digits and _: it can be written in.
        wire.queue(f"CREATE SCHEMA IF NOT EXISTS {place.address.schema}")
        wire.queue(MAKE_TABLE)
        _apply(wire, list(known_migrations()))
        wire.ask(("COMMIT", ()))
    finally:
        place.close()


def drop(place: "Place") -> None:
    """Of a board that could not be made whole; nobody has used it. Its own tables alone: the schema may have been there
    before, with tables of somebody else's."""
    wire = place.wire()
    _begin(place, wire)
    made = ["migrations", *(name for _, text in known_migrations().values() for name in TABLE.findall(text))]
    # Each by the name of its schema: a search path that is ignored must not lead to others.
    wire.queue(f"DROP TABLE IF EXISTS {', '.join(f'{place.address.schema}.{name}' for name in made)}")
    wire.ask(("COMMIT", ()))


def check(place: "Place") -> None:
    """Is there a board, does this program know all it went through? What is still to be applied is applied."""
    wire = place.wire()
    check_server(place, wire)
    if wire.ask((HAS_TABLES, (place.address.schema,)))[0].get != (True, True):
        hint = "make one with `<init>`; or name the schema it is in: ?schema=NAME"
        raise Unavailable("store_missing", "there is no board at {path}", hint, place.path)
    if not _left(place, wire):
        return
    try:
        _begin(place, wire)
        # Asked again: another process may have done it while we waited for the lock.
        _apply(wire, _left(place, wire, begun=True))
        wire.ask(("COMMIT", ()))
    except BaseException:
        place.close()
        raise


def check_server(place: "Place", wire: "Wire") -> None:
    version, fsync, pages, commits, encoding, standby, waits = wire.ask((SERVER, ()))[0].get
    if version < OLDEST:
        words = "the server of {path} is PostgreSQL {version}: too old"
        raise Unavailable("store_unfit", words, "use version 13 or newer", place.path, version // 10000)
    if encoding != "UTF8":
        words = "the database of {path} keeps its text as {encoding}"
        raise Unavailable("store_unfit", words, "make a database with ENCODING 'UTF8'", place.path, encoding)
    if standby:
        words = "the server of {path} is a standby, which only reads"
        raise Unavailable(
            "store_read_only",
            words,
            "name the primary, or several hosts with target_session_attrs=read-write",
            place.path,
        )
    if not waits:
        words = "the user of {path} may not wait for the server's disk"
        hint = "GRANT EXECUTE ON FUNCTION pg_logical_emit_message TO the user"
        raise Unavailable("store_unfit", words, hint, place.path)
    off = [
        name
        for name, value in (("fsync", fsync), ("full_page_writes", pages), ("synchronous_commit", commits))
        if value == "off"
    ]
    if off and place.address.durable:
        words = "the server of {path} runs with {off} off: it would lose what it has acknowledged"
        hint = "switch it on; for tests alone, durable=no in the address lets it pass"
        raise Unavailable("store_unfit", words, hint, place.path, " and ".join(off))


def _begin(place: "Place", wire: "Wire") -> None:
    wire.ask(("BEGIN", ()), (SETTINGS, (place.address.schema, LOCK, IDLE, place.lock)))


def _left(place: "Place", wire: "Wire", *, begun: bool = False) -> list[int]:
    def differs(number: int) -> Unavailable:
        words = "{path} went through another migration {number} than the one this Folkmoot has"
        return Unavailable("store_differs", words, "open it with the Folkmoot that made it", place.path, number)

    if begun:
        rows = wire.ask((RECORDED, ()))[0]
    else:
        rows = wire.ask(("BEGIN", ()), (SETTINGS_READ, (place.address.schema,)), (RECORDED, ()), ("COMMIT", ()))[2]
    return still_to_apply(rows, known_migrations(), place.path, differs)


SETTINGS_READ = "SELECT set_config('search_path', $1, true)"


def _apply(wire: "Wire", numbers: list[int]) -> None:
    for number in numbers:
        name, text = known_migrations()[number]
        for statement in text.split(";\n"):
            words = "\n".join(line for line in statement.splitlines() if not line.startswith("--")).strip()
            if words:
                wire.queue(words)
        wire.queue(RECORD, (number, name, checksum(text)))
