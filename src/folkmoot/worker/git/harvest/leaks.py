"""Secrets in a change, looked for before it can land: values that the run was given, and what looks like a token.

Only what a change adds counts. What has the look of a token and stood in one of the changed files before is no news;
neither is a known value that stood in the same file. Files are read in pieces, so none is too large. Each file, old or
new, is read once, and what stood before is compared by its digest: however many places there are, the time is linear.
"""

import codecs
import io
import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.rules.running.rights import FILES
from folkmoot.core.work import LINK, SUBMODULE, Secret, Touched, Work
from folkmoot.worker.git.harvest.blobs import contents
from folkmoot.worker.git.repository import Change, Repository
from folkmoot.worker.git.words import readable
from folkmoot.worker.ports import Bounds
from folkmoot.worker.secrets.redactor import Known, Redactor, counts

CHUNK = 262_144
OVERLAP = 8_192  # more than anything that is known by its look needs to be seen whole
BINARY_BYTES = 8_000  # with a zero among so many bytes, git takes a file for binary
SECRETS_MAX = 200  # of known values, and of what looks like one: of more, no more is kept
PEM_CHARS = 400  # by so much after its first line a private key is told from another
BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8-sig"}


class Hit(Struct, frozen=True):
    path: bytes
    line: int  # 0: in its name
    name: str  # of the known value; empty: it only looks like one
    value: bytes


def leaks(
    repository: Repository, top: str, base: str | None, commit: str, known: Known, bounds: Bounds
) -> list[Secret]:
    """The places of a change where secrets are, never the secrets."""
    changes = repository.changes(base, commit)
    before = Before(repository, changes, known, bounds)
    named: dict[tuple[bytes, str], int] = {}  # the first line of each
    others: dict[tuple[bytes, str], int] = {}
    for change in changes:
        bounds.left()
        for hit in _in_change(top, change, known, bounds):
            found, place = named if hit.name else others, (hit.path, hit.name)
            if place not in found and len(found) <= SECRETS_MAX and not before.had(hit):
                found[place] = hit.line
        if len(named) > SECRETS_MAX:
            break  # it is refused, and no more can be listed
    clean = Redactor(known).clean
    places = [*named.items(), *others.items()]
    secrets = [Secret(clean(readable(path)), line, name) for (path, name), line in places[:SECRETS_MAX]]
    secrets.sort(key=lambda secret: (not secret.name, secret.path, secret.line))
    return [*secrets, Secret("", 0, "")] if len(places) > SECRETS_MAX else secrets


def without_values(work: Work, redactor: Redactor) -> Work:
    """The same, told without secrets: where a change holds one its paths may too, and in what is no file none is looked
    for."""

    def told(touched: list[Touched]) -> list[Touched]:
        return [one if one.mode in FILES and not work.secrets else hidden(one) for one in touched]

    def hidden(one: Touched) -> Touched:
        return replace(one, path=redactor.clean(one.path), link=one.link and redactor.clean(one.link))

    lands = told(work.lands) if work.lands is not None else None
    return replace(work, touched=told(work.touched), lands=lands, why=redactor.clean(work.why))


class Before:
    """What stood in the changed files before. They are read when the first hit asks for it, and only once."""

    def __init__(self, repository: Repository, changes: Sequence[Change], known: Known, bounds: Bounds) -> None:
        self._repository = repository
        self._old = {one.path: one.old for one in changes if one.status != "A" and one.old_mode != SUBMODULE}
        self._known = known
        self._bounds = bounds
        self._anywhere: set[bytes] | None = None
        self._within: set[tuple[str, bytes]] = set()  # known values only, each with its blob

    def had(self, hit: Hit) -> bool:
        if self._anywhere is None:
            self._anywhere = set(self._values())
        value = _digest(hit.value)
        return (self._old.get(hit.path, ""), value) in self._within if hit.name else value in self._anywhere

    def _values(self) -> Iterator[bytes]:
        for blob, data in contents(self._repository, list(self._old.values())):
            for _, name, found in _in_file(io.BytesIO(data), self._known, self._bounds):
                value = _digest(found)
                if name:
                    self._within.add((blob, value))
                yield value


def _digest(value: bytes) -> bytes:
    return blake2b(value, digest_size=16).digest()


def _in_change(top: str, change: Change, known: Known, bounds: Bounds) -> Iterator[Hit]:
    if change.status == "D" or change.mode == SUBMODULE:
        return
    name = readable(change.path)
    yield from (Hit(change.path, 0, label, value) for _, _, label, value in _in_text(name, known))
    file = os.path.join(os.fsencode(top), change.path)
    if change.mode == LINK:
        lead = readable(os.readlink(file))
        yield from (Hit(change.path, 1, label, value) for _, _, label, value in _in_text(lead, known))
        return
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as source:
        for line, label, value in _in_file(source, known, bounds):
            yield Hit(change.path, line, label, value)


def _in_file(source: BinaryIO, known: Known, bounds: Bounds) -> Iterator[tuple[int, str, bytes]]:
    """Line, name and value of each, in every way in which the file may be read."""
    head = source.read(BINARY_BYTES)
    kind = next((kind for bom, kind in BOMS.items() if head.startswith(bom)), "")
    if kind:
        yield from _in_pieces(source, kind, False, known, bounds)
    if kind != "utf-8-sig":  # a mark at the beginning proves nothing: the bytes are looked at as they are, too
        binary = b"\0" in head
        yield from _in_pieces(source, "latin-1" if binary else "utf-8", binary, known, bounds)


def _in_pieces(
    source: BinaryIO, kind: str, binary: bool, known: Known, bounds: Bounds
) -> Iterator[tuple[int, str, bytes]]:
    source.seek(0)
    overlap = OVERLAP + known.longest
    decode = codecs.getincrementaldecoder(kind)("replace").decode
    text, line, data = "", 1, source.read(CHUNK)
    while data:
        text += decode(data)
        data = source.read(CHUNK)
        # What begins in the overlap comes with the next piece, where it is whole.
        gone = max(0, len(text) - overlap) if data else len(text)
        counted = 0
        for start, end, label, value in _values(text, known) if binary else _in_text(text, known):
            bounds.left()
            if start >= gone:
                break
            line += text.count("\n", counted, start)
            counted = start
            yield line, label, value
            gone = max(gone, end)
        bounds.left()
        line += text.count("\n", counted, gone)
        text = text[gone:]


def _in_text(text: str, known: Known) -> Iterator[tuple[int, int, str, bytes]]:
    """Start, end, name and value of each, in order."""
    for start, end, label in Redactor(known).spots(text):
        if counts(text, start, end, label):
            value = text[start:end]
            if value.startswith("-----BEGIN "):  # the first line is the same for all keys
                value = text[start : end + PEM_CHARS].partition("-----END")[0]
            yield start, end, label, value.encode("utf-8", "surrogatepass")


def _values(text: str, known: Known) -> Iterator[tuple[int, int, str, bytes]]:
    """In what is no text only known values are looked for: of so many bytes some look like anything."""
    found = []
    for form, label in known.forms.items():
        if not counts(form, 0, len(form), label):
            continue
        value = form.encode("utf-8", "surrogatepass")
        plain = value.decode("latin-1")
        for wanted in (plain, "\0".join(plain)):  # UTF-16 has a zero beside each letter
            place = text.find(wanted)
            if place >= 0:
                found.append((place, place + len(wanted), label, value))
    yield from sorted(found)
