"""The workers of a board, wherever they run, as each last told of itself. It stands beside the log, like what runs
print: it explains and decides nothing, and a worker that says nothing any more is forgotten."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.decoding import reader
from folkmoot.core.rules.running.joining import check_program, note_on_labels
from folkmoot.engine.moment import moment

if TYPE_CHECKING:
    from folkmoot.api.views import ItemView
    from folkmoot.engine.application import Application
    from folkmoot.engine.engine import Engine
    from folkmoot.store.port import Reading, Transaction

PLACE = "workers"  # where output of runs is kept: no run has this id
TELL_SECONDS = 20.0  # how often a worker tells
SILENT_SECONDS = 70.0  # after which it counts as gone
WORKERS_MAX = 1000


class Attending(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a worker says of itself while it lives."""

    worker: str
    slots: int | None = None
    agents: list[str] = []
    since: int | None = None  # wall clock, milliseconds
    labels: list[str] = []
    clients: list[str] = []  # programs that it can start agents with
    program: str = ""  # the version of Folkmoot
    seen: float = 0.0  # store clock


def registered(reading: "Reading", now: float) -> dict[str, Attending]:
    """By their names: the workers that have told of themselves lately."""
    return {one.worker: one for _, one in _rows(reading) if one is not None and now - one.seen < SILENT_SECONDS}


def with_note(board: "Application", view: "ItemView") -> "ItemView":
    """An item that somebody has just given labels: the answer says so where no worker has them."""
    clock = board.engine.clock
    living = board.engine.store.read(lambda reading: registered(reading, moment(clock, reading.head()).now))
    note = note_on_labels(view.runs_on, (one.labels for one in living.values()))
    return replace(view, note=note) if note is not None else view


def join(engine: "Engine", told: Attending) -> None:
    """A worker begins. Refused by name where its program is older than another's on the board."""

    def work(tx: "Transaction") -> None:
        now = moment(engine.clock, tx.head()).now
        check_program(told.program, ((one.worker, one.program) for one in registered(tx, now).values()))

    engine.store.transact(work)
    tell(engine, told)


def tell(engine: "Engine", told: Attending) -> None:
    """It lives: in its own place, else in that of one who is gone."""

    def work(tx: "Transaction") -> None:
        now = moment(engine.clock, tx.head()).now
        rows = list(_rows(tx))
        own = [part for part, one in rows if one is not None and one.worker == told.worker]
        free = [part for part, one in rows if one is None or now - one.seen >= SILENT_SECONDS]
        part = (own or free or [max((part for part, _ in rows), default=0) + 1])[0]
        tx.keep_output(PLACE, part, msgspec.json.encode(replace(told, seen=now)).decode(), engine.clock.wall())

    engine.store.transact(work)


def leave(engine: "Engine", worker: str) -> None:
    """It has ended, and is forgotten at once."""

    def work(tx: "Transaction") -> None:
        for part, one in list(_rows(tx)):
            if one is not None and one.worker == worker:
                tx.keep_output(PLACE, part, "", engine.clock.wall())

    engine.store.transact(work)


def _rows(reading: "Reading") -> Iterator[tuple[int, Attending | None]]:
    for part, text in reading.output(PLACE, 0, WORKERS_MAX):
        try:
            yield part, reader(Attending)(text) if text else None
        except msgspec.MsgspecError:
            yield part, None  # of a program that says it otherwise
