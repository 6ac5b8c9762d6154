"""Secrets in a change, looked for before it can land: values that the run was given, and what looks like a token.

Only what a change adds counts. What has the look of a token and stood in one of the changed files before is no news;
neither is a known value that stood in the same file. Files are read in pieces, so none is too large.
"""

import codecs
import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from folkmoot.core.work import LINK, SUBMODULE, Secret
from folkmoot.worker.git.harvest.blobs import contents
from folkmoot.worker.git.repository import Change, Repository
from folkmoot.worker.git.words import readable
from folkmoot.worker.ports import Bounds
from folkmoot.worker.secrets import Known, Redactor, counts

CHUNK = 262_144
OVERLAP = 8_192  # more than anything that is known by its look needs to be seen whole
BINARY_BYTES = 8_000  # with a zero among so many bytes, git takes a file for binary
SECRETS_MAX = 200
HITS_MAX = 1_000  # of one file; it is refused with the first of them
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
    hits = [hit for change in changes for hit in _in_change(top, change, known, bounds)]
    if not hits:
        return []
    fresh = _fresh(repository, changes, hits, bounds)
    clean = Redactor(known).clean
    found = {(hit.path, hit.name): Secret(clean(readable(hit.path)), hit.line, hit.name) for hit in reversed(fresh)}
    ordered = sorted(found.values(), key=lambda secret: (not secret.name, secret.path, secret.line))
    if len(ordered) > SECRETS_MAX:
        return [*ordered[:SECRETS_MAX], Secret("", 0, "")]
    return ordered


def _fresh(repository: Repository, changes: Sequence[Change], hits: list[Hit], bounds: Bounds) -> list[Hit]:
    """Those that were not there before."""
    old = {change.path: change.old for change in changes if change.status != "A" and change.old_mode != SUBMODULE}
    there: set[Hit] = set()
    for blob, data in contents(repository, list(old.values())):
        bounds.left()
        there |= {hit for hit in hits if (not hit.name or old.get(hit.path) == blob) and hit.value in data}
    return [hit for hit in hits if hit not in there]


def _in_change(top: str, change: Change, known: Known, bounds: Bounds) -> Iterator[Hit]:
    if change.status == "D" or change.mode == SUBMODULE:
        return
    name = readable(change.path)
    yield from (Hit(change.path, 0, label, value) for _, label, value in _in_text(name, known))
    file = os.path.join(os.fsencode(top), change.path)
    if change.mode == LINK:
        lead = readable(os.readlink(file))
        yield from (Hit(change.path, 1, label, value) for _, label, value in _in_text(lead, known))
        return
    seen: dict[int, Hit] = {}
    for at, line, label, value in _in_file(file, known, bounds):
        if len(seen) < HITS_MAX or at in seen:
            seen[at] = Hit(change.path, line, label, value)
    yield from seen.values()


def _in_file(file: bytes, known: Known, bounds: Bounds) -> Iterator[tuple[int, int, str, bytes]]:
    """Place, line, name and value of each; one at the end of a piece comes again, whole, with the next."""
    overlap = OVERLAP + known.longest
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as source:
        data = source.read(CHUNK)
        kind = next((kind for bom, kind in BOMS.items() if data.startswith(bom)), "")
        binary = not kind and b"\0" in data[:BINARY_BYTES]
        decode = codecs.getincrementaldecoder(kind or ("latin-1" if binary else "utf-8"))("replace").decode
        text, at, line = "", 0, 1
        while data:
            bounds.left()
            text += decode(data)
            found = _values(text, known) if binary else _in_text(text, known)
            yield from ((at + start, line + text.count("\n", 0, start), label, value) for start, label, value in found)
            data = source.read(CHUNK)
            gone = max(0, len(text) - overlap)
            line += text.count("\n", 0, gone)
            at += gone
            text = text[gone:]


def _in_text(text: str, known: Known) -> Iterator[tuple[int, str, bytes]]:
    for start, end, label in Redactor(known).spots(text):
        if counts(text, start, end, label):
            yield start, label, text[start:end].encode("utf-8", "surrogatepass")


def _values(text: str, known: Known) -> Iterator[tuple[int, str, bytes]]:
    """In what is no text only known values are looked for: of so many bytes some look like anything."""
    for form, label in known.forms.items():
        wanted = form if form.isascii() else form.encode("utf-8", "surrogatepass").decode("latin-1")
        place = text.find(wanted)
        if place >= 0 and counts(form, 0, len(form), label):
            yield place, label, wanted.encode("latin-1")
