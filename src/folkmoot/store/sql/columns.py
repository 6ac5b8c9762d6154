"""Proving the columns beside the documents: statements filter and sort on them, and no hash covers them."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.store.codec import Unreadable, decode_row, number_of, unread_name
from folkmoot.store.sql.reading import Execute

if TYPE_CHECKING:
    from folkmoot.core.flow import Flow

Values = tuple[Any, ...]

# For each table its columns in the order of the function behind them, which makes them of the row.
COLUMNS: dict[str, tuple[str, Callable[[Any], Values]]] = {
    "runs": (
        "id, item, token, lease_until, ended_at",
        lambda run: (run.id, number_of(run.item), run.token, run.lease_until, run.ended_at),
    ),
    "attempts": ("item, number", lambda attempt: (number_of(attempt.item), attempt.number)),
    "comments": ("id, item", lambda comment: (comment.id, number_of(comment.item))),
    "questions": (
        "id, item, state, deadline",
        lambda question: (question.id, number_of(question.item), question.state, question.deadline),
    ),
    "messages": (
        'id, item, "to", status',
        lambda message: (message.id, message.item and number_of(message.item), message.to, message.status),
    ),
    "holds": ("id, held, until", lambda hold: (hold.id, int(hold.held), hold.until)),
    "flows": ("version", lambda version: (number_of(version.id),)),
    "clock": ("id", lambda clock: (clock.id,)),
    "lessons": ("id", lambda lesson: (lesson.id,)),
    "pauses": ("id", lambda pause: (pause.id,)),
    "meters": ("id", lambda meter: (meter.id,)),
}
ITEMS = 'number, "column", status, wake_at, ready_at, generation, filed, queue, priority, rank'
LAST_FLOW = "SELECT doc FROM flows ORDER BY version DESC LIMIT 1"
EDGES = "SELECT item, needs, why FROM edges"
ANSWERS = "SELECT speaker, key, answer FROM keys"


def broken_columns(execute: Execute) -> list[str]:
    """Rows that stand under other columns than their documents say, in sentences."""
    faults: list[str] = []
    for table, (columns, derive) in COLUMNS.items():
        faults += _compare(execute, table, columns, derive)
    document = execute(LAST_FLOW).get
    flow: Flow | None = decode_row("flows", document).flow if document is not None else None
    edges: set[tuple[int, int, str]] = set()

    def columns_of(item: Item) -> Values:
        number = number_of(item.id)
        edges.update((number, number_of(need), "after") for need in item.after)
        if item.parent is not None:
            edges.add((number_of(item.parent), number, "child"))
        if item.awaited_whole is not None:
            edges.add((number, number_of(item.awaited_whole), "whole"))
        own = (number, item.column, item.status, item.wake_at, item.ready_at, item.generation, int(bool(item.files)))
        if flow is None:
            return own
        where = queue_position(flow, item)
        return (*own, where.queue, where.priority, where.rank)

    faults += _compare(execute, "items", ITEMS, columns_of)
    unread = [(actor, key) for actor, key, answer in execute(ANSWERS) if not _is_json(answer)]
    faults += [f"the answer kept for {actor}'s key {key} cannot be read" for actor, key in unread]
    kept = set(execute(EDGES).fetchall())
    return faults + [f"that {a} needs {b} ({why}) is kept wrongly" for a, b, why in sorted(kept ^ edges, key=str)]


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _compare(execute: Execute, table: str, columns: str, derive: Callable[[Any], Values]) -> Iterable[str]:
    faults = []
    for *kept, document in execute(f"SELECT {columns}, doc FROM {table}").fetchall():
        try:
            row = decode_row(table, document)
        except Unreadable as fault:
            faults.append(str(fault))
            continue
        derived, unread = derive(row), unread_name(document, row)
        if unread is not None:
            faults.append(f"a row of {table} has a name that nobody has written: {unread!r} ({row.id})")
        if tuple(kept[: len(derived)]) != derived:
            faults.append(f"a row of {table} is kept under {tuple(kept)}, but its document says {derived}")
    return faults
