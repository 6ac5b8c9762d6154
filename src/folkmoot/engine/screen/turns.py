"""Whose turn it is to do what one of all a board's machines does, such as asking the forge. It stands beside the log,
like the workers: it decides nothing, and whoever is gone in the middle of a turn has lost it after a while."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.engine.moment import moment

if TYPE_CHECKING:
    from folkmoot.engine.engine import Engine
    from folkmoot.store.port import Reading, Transaction

PLACE = "turns"  # where output of runs is kept: no run has this id
HELD_SECONDS = 120.0  # of one that has begun and is not ended: somebody else may begin then
KINDS_MAX = 100


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last one of its kind."""

    kind: str
    by: str
    began: float  # store clock
    is_over: bool = False


def begin(engine: "Engine", kind: str, by: str, seconds: float) -> bool:
    """Is it time, so long after the last one, and nobody else's turn? One of the same name is known to be over."""

    def work(tx: "Transaction") -> bool:
        now = moment(engine.clock, tx.head()).now
        rows = list(_rows(tx))
        last = next(((part, one) for part, one in rows if one is not None and one.kind == kind), None)
        if last is not None:
            gone = now - last[1].began
            is_held = not last[1].is_over and last[1].by != by and 0 <= gone < HELD_SECONDS
            if is_held or 0 <= gone < seconds - 1.0:
                return False
        part = last[0] if last is not None else max((part for part, _ in rows), default=0) + 1
        _keep(engine, tx, part, Turn(kind=kind, by=by, began=now))
        return True

    return engine.store.transact(work)


def end(engine: "Engine", kind: str, by: str) -> None:
    def work(tx: "Transaction") -> None:
        for part, one in list(_rows(tx)):
            if one is not None and (one.kind, one.by) == (kind, by):
                _keep(engine, tx, part, Turn(kind=kind, by=by, began=one.began, is_over=True))

    engine.store.transact(work)


def since(engine: "Engine", kind: str) -> float | None:
    """How long ago the last one began; None: never, or by a clock that went otherwise."""

    def look(reading: "Reading") -> float | None:
        now = moment(engine.clock, reading.head()).now
        gone = [now - one.began for _, one in _rows(reading) if one is not None and one.kind == kind]
        return gone[0] if gone and gone[0] >= 0 else None

    return engine.store.read(look)


def _keep(engine: "Engine", tx: "Transaction", part: int, turn: Turn) -> None:
    tx.keep_output(PLACE, part, msgspec.json.encode(turn).decode(), engine.clock.wall())


def _rows(reading: "Reading") -> Iterator[tuple[int, Turn | None]]:
    for part, text in reading.output(PLACE, 0, KINDS_MAX):
        try:
            yield part, reader(Turn)(text)
        except msgspec.MsgspecError:
            yield part, None  # of a program that says it otherwise
