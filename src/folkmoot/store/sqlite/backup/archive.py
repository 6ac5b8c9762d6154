"""The form of a backup: a compressed tar that begins with a manifest. What reads it needs nothing else of the store, so
that an error about a damaged store can name the newest backup."""

import tarfile
import zlib
from typing import IO, Annotated

import msgspec
from msgspec import Meta, Struct, field

from folkmoot.core.decoding import reader
from folkmoot.errors import Invalid, MootError, Unavailable

FORMAT, VERSION = "folkmoot-backup", 1
MANIFEST, STORE = "manifest.json", "board.db"
MANIFEST_BYTES_MAX = 16_000_000
HEADER_BYTES_MAX = 65_536  # of what stands before an entry with a long name


class Member(Struct, frozen=True, omit_defaults=True):
    name: str
    size: Annotated[int, Meta(ge=0)]
    sha256: str
    mode: Annotated[int, Meta(ge=0, le=0o777)] | None = None  # of a user's file: who may read, write and run it


class Manifest(Struct, frozen=True, kw_only=True):
    """What is in a backup, and of which moment of the board."""

    format: str = FORMAT
    version: int = VERSION
    made_by: str = ""
    made_at: str = ""
    why: str = ""  # empty: somebody asked for it
    seq: int = 0
    chain: str = ""
    objects: str | None = None  # the form of git's names in the bundle: sha1 or sha256
    shallow: list[str] = field(default_factory=list)  # commits in the bundle whose parents are nowhere
    members: list[Member] = field(default_factory=list)


class Entry(tarfile.TarInfo):
    """An entry as we write it: a file, or what tells a long name. Nothing else is even read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "Entry":
        entry = super().frombuf(buf, encoding, errors)
        long = entry.type == tarfile.XHDTYPE and entry.size <= HEADER_BYTES_MAX
        if not long and entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
            raise tarfile.ExtractError("it holds an entry of a kind that no backup has")
        return entry


def made_at(path: str) -> str:
    """When a backup was made; empty if the file is none. Nothing but its manifest is read."""
    try:
        with tarfile.open(path, "r:gz", tarinfo=Entry) as tar:
            return first_entry(path, tar).made_at
    except (MootError, tarfile.TarError, EOFError, zlib.error, ValueError, RecursionError, OSError):
        return ""  # whoever restores it is told what is wrong with it


def first_entry(path: str, tar: tarfile.TarFile) -> Manifest:
    entry = tar.next()
    if entry is None or entry.name != MANIFEST or not is_plain(entry) or entry.size > MANIFEST_BYTES_MAX:
        raise not_a_backup(path, "it does not begin with a manifest")
    return _manifest(path, content_of(tar, entry).read())


def is_plain(entry: tarfile.TarInfo) -> bool:
    """A sparse entry may say that it is a terabyte, and have no content at all."""
    return entry.isfile() and not entry.issparse()


def content_of(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    found = tar.extractfile(entry)
    assert found is not None, "an ordinary file has content"
    return found


def _manifest(path: str, text: bytes) -> Manifest:
    try:
        manifest: Manifest = reader(Manifest)(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise not_a_backup(path, f"its manifest cannot be read: {fault}") from fault
    if manifest.format != FORMAT:
        raise not_a_backup(path, f"its manifest is one of {manifest.format[:40]!r}")
    if manifest.version != VERSION:
        words = "{path} is a backup of version {version}, and version {ours} is known here"
        raise Unavailable("store_newer", words, "update Folkmoot, then repeat", path, manifest.version, VERSION)
    if STORE not in {member.name for member in manifest.members}:
        raise not_a_backup(path, "it holds no store")
    return manifest


def not_a_backup(path: str, words: str) -> Invalid:
    hint = "name a file that `<backup>` wrote"
    return Invalid("not_a_backup", "{path} is no backup of a board: {why}", hint, path, words)
