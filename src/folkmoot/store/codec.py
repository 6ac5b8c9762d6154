"""Rows and events as they are written down: documents in JSON, each event linked to the one before it by a hash."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from folkmoot.core.decoding import reader
from folkmoot.core.enums import ActorKind
from folkmoot.core.events import Change, Event, type_of_table


class Unreadable(Exception):
    """A document in the store is not what was written there."""


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part of an event that is kept as JSON."""

    context: dict[str, Any] = msgspec.field(default_factory=dict)
    changes: list[Change] = msgspec.field(default_factory=list)
    by: ActorKind | None = None


# The columns of an event that the hash covers, beside its body: seq, at, time, name, item, run, agent, version.
Columns = tuple[int, int, float, str, int | None, str | None, str | None, int]

_encode = msgspec.json.Encoder().encode
_decoders: dict[str, Any] = {}


def encode_row(row: msgspec.Struct) -> str:
    return _encode(row).decode()


def encode_text(text: str) -> str:
    """As it stands in a document."""
    return _encode(text).decode()[1:-1]


def decode_row(table: str, doc: str) -> Any:
    """The row a document of this table holds."""
    decode = _decoders.get(table) or _decoder(table, type_of_table[table])
    try:
        return decode(doc)
    except (msgspec.MsgspecError, TypeError) as fault:
        raise Unreadable(f"a row of {table} cannot be read: {fault}") from fault


def unread_name(document: str, row: msgspec.Struct) -> str | None:
    """A name in a document that reading it has passed over: no version of ours has written it, so a bit has flipped."""
    return _missing_name(msgspec.json.decode(document), row)


def _missing_name(written: Any, read: Any) -> str | None:
    """By the fields that there are, not by what would be written now: a field may be written with its usual value."""
    if isinstance(written, dict):
        of_struct = isinstance(read, msgspec.Struct)
        known = frozenset(read.__struct_fields__) if of_struct else read
        missing = next((str(name) for name in written if name not in known), None)
        if missing is not None:
            return missing
        pairs = [(value, getattr(read, name) if of_struct else read[name]) for name, value in written.items()]
    else:
        pairs = list(zip(written, read, strict=False)) if isinstance(written, list) else []
    return next((name for one, other in pairs if (name := _missing_name(one, other)) is not None), None)


def encode_body(event: Event) -> bytes:
    return _encode(Body(event.context, event.changes, event.by))


def decode_event(row: Sequence[Any]) -> Event:
    """An event from its columns. Values in its changes are plain JSON; `core.events.typed` gives them their types."""
    seq, at, time, name, item, run, agent, version, text = row
    decode = _decoders.get("events") or _decoder("events", Body)
    try:
        body = decode(text)
    except (msgspec.MsgspecError, TypeError) as fault:
        raise Unreadable(f"event {seq} cannot be read: {fault}") from fault
    return Event(
        name=name,
        item=None if item is None else str(item),
        run=run,
        agent=agent,
        context=body.context,
        changes=body.changes,
        version=version,
        at=at,
        time=time,
        seq=seq,
        by=body.by,
    )


def decoded(row: Sequence[Any]) -> Event:
    """An event of a log that may come from anywhere."""
    try:
        return decode_event(row[:9])
    except (RecursionError, ValueError, OverflowError) as fault:
        raise Unreadable(f"event {row[0]} cannot be read: {fault}") from fault


def link(previous: bytes, columns: Columns, body: bytes) -> bytes:
    """The hash of an event, over the whole log up to it."""
    return sha256(previous + _encode(columns) + body).digest()


def encode_numbers(numbers: list[int]) -> str:
    return _encode(numbers).decode()


def decode_numbers(text: str) -> list[str]:
    """Numbers of items as their ids."""
    numbers: list[int] = msgspec.json.decode(text)
    return [str(number) for number in numbers]


@lru_cache(4096)
def number_of(item: str) -> int:
    """An item's number, or 0, which no item has. Only the plain spelling is an id: not `007`, not `1_0`."""
    if len(item) < 19 and item.isdecimal():
        number = int(item)
        if str(number) == item:
            return number
    return 0


def _decoder(name: str, kind: Any) -> Any:
    decode = _decoders[name] = reader(kind)
    return decode
