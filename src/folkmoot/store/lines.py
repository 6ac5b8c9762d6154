"""The log as JSON lines: a header, an event on each line, and an ending that says how many there were."""

from collections.abc import Iterable, Iterator
from typing import Annotated, BinaryIO

import msgspec
from msgspec import Meta, Raw, Struct

from folkmoot.core.decoding import reader
from folkmoot.errors import Invalid
from folkmoot.store.codec import link

FORMAT, VERSION = "folkmoot-log", 1
LINE_BYTES_MAX = 64_000_000  # an event is far smaller; what is no log should not be read into memory whole
HINT = "give a file that `<export>` wrote, unchanged"

# An event as it stands in a store: the columns that its hash covers, the body as text, and the hash.
Link = tuple[int, int, float, str, int | None, str | None, str | None, int, str, bytes]

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Number = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Seconds = Annotated[float, Meta(ge=0, le=1e11)]  # three thousand years; far beyond, a lease would not make a difference


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str
    version: int
    events: Count
    head: str  # the hash of the last event, over the whole log


class Line(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event. The body stays the bytes it was written with, since the hash is over them."""

    seq: Count
    at: Count
    time: Seconds
    event: str
    item: Number | None
    run: str | None
    agent: str | None
    version: Count
    hash: str
    body: Raw


class Ending(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    count: Count
    hash: str


_encode = msgspec.json.Encoder().encode
_decode_line = reader(Line)


def write_lines(rows: Iterable[Link], events: int, head: bytes) -> Iterator[bytes]:
    """Line by line, so that a log of any length needs little memory."""
    yield _encode(Header(format=FORMAT, version=VERSION, events=events, head=head.hex())) + b"\n"
    for seq, at, time, name, item, run, agent, version, body, chain in rows:
        line = Line(
            seq=seq,
            at=at,
            time=time,
            event=name,
            item=item,
            run=run,
            agent=agent,
            version=version,
            hash=chain.hex(),
            body=Raw(body.encode()),
        )
        yield _encode(line) + b"\n"
    yield _encode(Ending(count=events, hash=head.hex())) + b"\n"


def read_lines(source: BinaryIO, name: str) -> Iterator[Link]:
    """The events, each proven by its hash before it is handed on. Whatever is not as it was written is refused."""
    header = _header(_next(source, name, 1), name)
    chain = b""
    for seq in range(1, header.events + 1):
        at = seq + 1
        text = _next(source, name, at)
        if not text:
            raise wrong(name, at, f"event {seq} of {header.events} was expected, and the file ends")
        try:
            line = _decode_line(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise wrong(name, at, f"event {seq} was expected: {fault}") from fault
        if line.seq != seq:
            raise wrong(name, at, f"event {seq} was expected, not {line.seq}")
        body = bytes(line.body)
        columns = (seq, line.at, line.time, line.event, line.item, line.run, line.agent, line.version)
        chain = link(chain, columns, body)
        if chain.hex() != line.hash:
            raise wrong(name, at, f"event {seq} is not what was written, or one before it is not: its hash is another")
        yield (*columns, body.decode(), chain)
    _ending(source, name, header, chain)


def wrong(name: str, line: int, words: str) -> Invalid:
    return Invalid("bad_log", "{name}:{line}: {why}", HINT, name, line, words)


def _next(source: BinaryIO, name: str, line: int) -> bytes:
    text = source.readline(LINE_BYTES_MAX + 1)
    if len(text) > LINE_BYTES_MAX:
        raise wrong(name, line, f"no line of a log has more than {LINE_BYTES_MAX} bytes")
    return text


def _header(text: bytes, name: str) -> Header:
    try:
        header: Header = reader(Header)(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise wrong(name, 1, f"the header of a log was expected: {fault}") from fault
    if header.format != FORMAT:
        raise wrong(name, 1, f"the format {FORMAT} was expected, not {header.format[:40]!r}")
    if header.version != VERSION:
        words = "{name}:1: version {known} of the format was expected, not {version}"
        raise Invalid("bad_log", words, "use the Folkmoot that wrote it, or a newer one", name, VERSION, header.version)
    if header.events == 0:
        raise wrong(name, 1, "at least one event was expected: a board begins with its flow")
    return header


def _ending(source: BinaryIO, name: str, header: Header, chain: bytes) -> None:
    at = header.events + 2
    text = _next(source, name, at)
    try:
        ending: Ending = reader(Ending)(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise wrong(name, at, f"the last line was expected, with count and hash: {fault}") from fault
    if ending.count != header.events or ending.hash != chain.hex() or header.head != chain.hex():
        raise wrong(
            name, at, f"{header.events} events with the hash {chain.hex()} were read; first or last line differ"
        )
    if _next(source, name, at + 1):
        raise wrong(name, at + 1, "the end was expected: the line before says that it is the last")
