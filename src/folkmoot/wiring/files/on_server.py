"""Boards in PostgreSQL: which folder of this machine belongs to one, its store, and what is done otherwise there.

The folder `.moot/` holds what is this machine's own: clones, the repository, the flow's file and its prompts. In place
of a store it has a file with the board's address, without the password: that stays in MOOT_BOARD, PGPASSWORD or
~/.pgpass, where libpq looks for it.
"""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.wiring.files.locating import ADDRESS, FOLDER, STORE
from folkmoot.wiring.reading import check_owner, shown, write_anew

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from folkmoot.api.machine import Imported
    from folkmoot.engine.application import Application
    from folkmoot.store.postgres.address import Address
    from folkmoot.store.postgres.store import PostgresStore
    from folkmoot.store.sql.writing import SqlTransaction

VARIABLE = "MOOT_BOARD"
BYTES_MAX = 4000  # of an address
WAY_BACK = "bring the database back from its backup, or make the board anew from an exported log"


def address_in(place: str) -> "Address":
    """What somebody named. A password on the command line is in everybody's process list: it is refused there."""
    _check_installed()
    from folkmoot.store.postgres.address import is_address, read_address

    if not is_address(place):
        words = "{scheme}:// is no board's address"
        hint = "name a folder, or postgresql://USER@HOST/DATABASE"
        raise Invalid("unsupported_store", words, hint, place.partition("://")[0][:40])
    address = read_address(place)
    if address.has_password and any(place in word for word in sys.argv[1:]):
        words = "the address of {place} has a password, and the command line can be read by everybody on this machine"
        raise Invalid(
            "password_shown",
            words,
            f"put the address into {VARIABLE}, or the password into PGPASSWORD or ~/.pgpass",
            address.shown,
        )
    return address


def _check_installed() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        words = "boards in PostgreSQL need a package that is not installed"
        raise Unavailable("not_installed", words, "install it: pip install 'folkmoot[pg]'") from None


def folder_for(place: str) -> str:
    """The nearest `.moot` above that is this board's; where there is none, the one that `init` would make here."""
    address, folder = address_in(place), os.getcwd()
    while True:
        home = os.path.join(folder, FOLDER)
        if os.path.exists(os.path.join(home, ADDRESS)) or os.path.exists(os.path.join(home, STORE)):
            check_owner([home])
            kept = kept_address(home)
            if kept is None or kept.shown != address.shown:
                words = "{folder} is the folder of another board than {place}"
                hint = "go to another folder, and make one for this board there: <init>"
                raise Refused("other_board", words, hint, shown(home), address.shown)
            return home
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.join(os.getcwd(), FOLDER)
        folder = above


def kept_address(home: str) -> "Address | None":
    """The address that stands in the folder; with the password of the variable, where that names the same board. One
    that came with a repository is refused before anybody connects: a password would go there."""
    from folkmoot.wiring.trust import check_untracked

    try:
        with open(os.path.join(home, ADDRESS), encoding="utf-8") as file:
            text = file.read(BYTES_MAX).strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as fault:
        words = "{file} cannot be read: {why}"
        raise Invalid("unreadable_file", words, "mend its rights", shown(os.path.join(home, ADDRESS)), fault) from None
    kept, named = address_in(text), os.environ.get(VARIABLE, "")
    if "://" in named and (address := address_in(named)).shown == kept.shown:
        return address
    check_untracked(home)
    return kept


def keep_address(home: str, address: "Address") -> None:
    text = address.shown if address.durable else _with_durable(address.shown)
    write_anew(os.path.join(home, ADDRESS), f"{text}\n")


def _with_durable(told: str) -> str:
    return f"{told}{'&' if '?' in told else '?'}durable=no"


def address_of(home: str, place: str | None) -> "Address | None":
    """Of the board that is meant, if it is on a server."""
    return address_in(place) if place is not None and "://" in place else kept_address(home)


def open_store(address: "Address") -> "PostgresStore":
    from folkmoot.store.postgres.store import PostgresStore

    return PostgresStore.open(address)


def opened_or_made(address: "Address") -> "tuple[PostgresStore, bool]":
    """The board that is there, or a new one; and whether it is new, or was made and never got its flow."""
    from folkmoot.store.postgres.store import PostgresStore

    try:
        store = PostgresStore.open(address)
    except Unavailable as fault:
        if fault.code != "store_missing":
            raise
        store = PostgresStore.create(address)
    return store, store.read(lambda reading: reading.head()).flow_version == 0


def application_on(store: "PostgresStore", home: str, address: "Address", notes: list[str]) -> "Application":
    """Whoever waits on this machine watches the folder: what is heard of the server touches a file there."""
    from folkmoot.store.postgres.listening import ServerSignal
    from folkmoot.wiring.files.application import equipped

    def touch() -> None:
        with suppress(OSError):  # only a hint is lost, and who waits for it looks again by itself
            os.utime(os.path.join(home, ADDRESS))

    store.change_signal = signal = ServerSignal(address, touch)
    return equipped(store, home, notes, store.clock, signal)


def make(folder: str, home: str, preset: str, gate: str | None, place: str) -> "Application":
    """A new board on a server, with its flow in this folder; or a folder of this machine for the one that is there."""
    from folkmoot.core.commands import ENGINE
    from folkmoot.wiring.files.flow_files import checksum_of, ladder_file, ladder_notes, read_own
    from folkmoot.wiring.files.making import make_files
    from folkmoot.wiring.git_status import look_for_target, root_notes
    from folkmoot.wiring.trust import made_for_this

    address = address_in(place)
    store, is_new = opened_or_made(address)
    try:
        notes = make_files(folder, home, preset if is_new else None, gate)
        application = application_on(store, home, address, notes)
        if is_new:
            ladders = ladder_file(home)
            flow, warnings = read_own(home, ladders)
            look_for_target(home, flow)
            application.notes += [*warnings, *root_notes(home), *ladder_notes(ladders)]
            application.engine.adopt_flow(ENGINE, flow, checksum_of(home, ladders) or "")
        else:
            look_for_target(home, application.queries.flow())
            application.notes += [f"there was a board at {address.shown} already: this folder now belongs to it"]
        keep_address(home, address)
        made_for_this(home)
    except BaseException:
        store.close()
        raise
    return application


def not_here(address: "Address", what: str) -> Refused:
    words = "{place} is on a server: it is not {what} by moot"
    hint = "keep it with `pg_dump --schema={schema}` or `<export>`; to go back: docs/how-to/use-postgresql.md"
    return Refused("on_server", words, hint, address.shown, what, schema=address.schema)


def log_lines(address: "Address") -> "Iterator[bytes]":
    """The log as JSON lines, as it is at this moment; what is written meanwhile is not in it."""
    from folkmoot.store.lines import write_lines

    store = open_store(address)
    try:
        head = store.read(lambda reading: reading.head())
        yield from write_lines(store.log(head.seq), head.seq, head.chain)
    finally:
        store.close()


def import_log(folder: str, place: str, source: "BinaryIO", name: str) -> "Imported":
    """A new board on a server from an exported log; it is there whole, or nothing of it is."""
    from folkmoot.api.machine import Imported
    from folkmoot.engine.engine import Engine
    from folkmoot.engine.rebuild import Fold
    from folkmoot.store.codec import Unreadable
    from folkmoot.store.lines import read_lines
    from folkmoot.store.postgres.store import PostgresStore
    from folkmoot.system.clock import SystemIds
    from folkmoot.wiring.backups import no_board_in, wrong_with
    from folkmoot.wiring.files.brought import note_brought
    from folkmoot.wiring.files.flow_files import FLOW
    from folkmoot.wiring.files.making import make_files
    from folkmoot.wiring.trust import made_for_this

    home, address, fold, seq = os.path.join(folder, FOLDER), address_in(place), Fold(), 0
    if os.path.exists(os.path.join(home, STORE)) or os.path.exists(os.path.join(home, ADDRESS)):
        raise Refused("board_exists", "there is a board in {home} already", "use a folder without one", shown(home))
    store = PostgresStore.create(address)

    def work(tx: "SqlTransaction") -> None:
        nonlocal seq
        if seq:
            raise Unavailable(
                "store_unreachable",
                "{place} went away while the log was read; nothing of it was kept",
                "repeat it",
                address.shown,
            )
        seq = 1
        seq = tx.take_log(read_lines(source, name), fold.feed)
        fold.save(tx)

    try:
        store.transact(work, alone=True)  # type: ignore[arg-type]
        wrong = fold.wrong() or wrong_with(Engine(store, store.clock, SystemIds()))
        if wrong:
            raise no_board_in(name, "; ".join(wrong[:3]))
    except BaseException as fault:
        store.drop()
        if isinstance(fault, Unreadable | ValueError | OverflowError | RecursionError):
            raise no_board_in(name, str(fault)) from fault
        raise
    store.close()
    make_files(folder, home, None, None)
    note_brought(home)  # before its address is there: nobody meets it without
    keep_address(home, address)
    made_for_this(home)
    flow_file = os.path.exists(os.path.join(home, FLOW))
    return Imported(board=home, source=name, events=seq, seq=seq, items=len(fold.tables["items"]), flow_file=flow_file)
