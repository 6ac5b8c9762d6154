"""The work in git that goes with an exported log: a file beside it, since the log is text and names only commits.

Where a remote is named every machine has the commits from there. Where none is, they lie in the engine's repository of
one machine: without them a board that has moved could go on with no item that was begun.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, BinaryIO

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from folkmoot.api.machine import Exported, Imported
from folkmoot.core.decoding import reader
from folkmoot.core.item import Item
from folkmoot.errors import Invalid, Unavailable
from folkmoot.store.lines import Header as LogHeader
from folkmoot.store.sqlite.backup import backup as backups
from folkmoot.store.sqlite.backup.log import export_lines
from folkmoot.store.sqlite.create import sync
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.wiring import backups as backup
from folkmoot.wiring.files.locating import STORE
from folkmoot.wiring.files.on_server import address_in, address_of, log_lines, open_store
from folkmoot.wiring.files.on_server import import_log as import_there
from folkmoot.wiring.packing import heads_in, repository_of
from folkmoot.wiring.reading import shown
from folkmoot.wiring.trust import git_for
from folkmoot.worker.git import bundle

if TYPE_CHECKING:
    from folkmoot.store.postgres.address import Address

ENDING = ".work"
FORMAT, VERSION = "folkmoot-work", 1
HEADER_BYTES_MAX = 16_000_000
CHUNK = 1 << 20


class Header(Struct, frozen=True, kw_only=True):
    """The first line of the file; a bundle of git follows."""

    format: str = FORMAT
    version: int = VERSION
    chain: str  # of the log that it belongs to: the hash of its last event
    objects: str  # the form of git's names: sha1 or sha256
    shallow: list[str] = field(default_factory=list)  # commits whose parents are nowhere
    size: Annotated[int, Meta(ge=0)]
    sha256: str


class Carried(Struct, frozen=True):
    """What became of the work: its file, the items whose commit is not there, and what a user should know."""

    path: str | None = None
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def beside(file: str) -> str:
    return file + ENDING


def export(home: str, board_dir: str | None, file: str | None, write: Callable[[bytes], object]) -> Exported:
    """The board's log as JSON lines, and beside a file of it the work that it names."""
    address = address_of(home, board_dir)
    lines = log_lines(address) if address is not None else export_lines(os.path.join(shown(home), STORE))
    first: list[bytes] = []
    target = beside(file) if file is not None else None
    if target is not None and os.path.lexists(target):
        raise backups.exists(target)
    view = backup.export(_first_told(lines, first.append), file, write)
    if file is None:
        return view
    chain = reader(LogHeader)(first[0]).head
    # After the log: a commit is in the repository before a row names it.
    carried = _write_beside(home, file, chain, _heads(home, address))
    return replace(view, work=carried.path, missing=carried.missing, notes=carried.notes)


def import_log(folder: str, source: BinaryIO, name: str, file: str | None) -> Imported:
    """A new board below the folder, or on a server; with the work that lies beside the file of its log."""
    header = _header_beside(file) if file is not None else None
    address = address_in(folder) if "://" in folder else None
    if address is not None:
        view = import_there(os.curdir, folder, source, name)
    else:
        view = backup.import_board(folder, source, name)
    heads = _heads(view.board, address)
    carried = Carried(missing=list(heads))
    if header is not None and file is not None:
        carried = _bring(view.board, file, header, _chain(view.board, address), heads)
    return replace(view, work=carried.path, missing=carried.missing, notes=carried.notes)


def _first_told(lines: Iterable[bytes], tell: Callable[[bytes], object]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number == 0:
            tell(line)
        yield line


def _heads(home: str, address: "Address | None") -> dict[str, str]:
    """The commits that items' branches are at."""
    if address is None:
        path = os.path.join(home, STORE)
        return heads_in(path, path)
    with closing(open_store(address)) as store:
        items = store.read(lambda reading: [row for row in reading.rows("items") if isinstance(row, Item)])
    return {item.id: item.head for item in items if item.head is not None}


def _chain(home: str, address: "Address | None") -> str:
    store = open_store(address) if address is not None else SqliteStore.open(os.path.join(home, STORE))
    with closing(store):
        return store.read(lambda reading: reading.head()).chain.hex()


def _write_beside(home: str, file: str, chain: str, heads: Mapping[str, str]) -> Carried:
    """All that the engine's repository of this machine has, where it has anything."""
    git, git_dir, target = git_for(home), repository_of(home), beside(file)
    if not os.path.isdir(git_dir):
        return Carried(missing=list(heads))
    if os.path.lexists(target):
        raise backups.exists(target)
    above = os.path.dirname(os.path.abspath(target))
    with TemporaryDirectory(prefix=".moot-export-", dir=above) as folder:
        packed, unfinished = os.path.join(folder, "bundle"), os.path.join(folder, "work")
        try:
            count, gone = bundle.pack(git, git_dir, packed, heads)
        except Unavailable as fault:  # the log is worth having all the same
            return Carried(missing=list(heads), notes=[f"the work in git is not carried along: {fault}"])
        if not count:
            return Carried(missing=gone)
        form, shallow = bundle.form_of(git, git_dir), bundle.shallow_of(git_dir)
        size, hashed = os.path.getsize(packed), _hash_of(packed)
        header = Header(chain=chain, objects=form, shallow=shallow, size=size, sha256=hashed)
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            out.write(msgspec.json.encode(header) + b"\n")
            with open(packed, "rb") as source:
                shutil.copyfileobj(source, out, CHUNK)
            out.flush()
            os.fsync(out.fileno())
        backups.give_name(unfinished, target)
    sync(above)
    return Carried(target, gone)


def _header_beside(file: str) -> Header | None:
    """The first line of the work that lies beside a log; None if none does."""
    path = beside(file)
    if not os.path.lexists(path):
        return None
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as source:
            if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
                raise _no_work(path, "it is no file")
            found: Header = reader(Header)(source.readline(HEADER_BYTES_MAX))
    except OSError as fault:
        words = "{file} cannot be read: {why}"
        raise Invalid("unreadable_file", words, "mend its rights, or move it away", path, fault.strerror) from fault
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise _no_work(path, "its first line is another") from fault
    if found.format != FORMAT:
        raise _no_work(path, "its first line is another")
    if found.version != VERSION:
        words = "{path} is work of version {version}, and version {ours} is known here"
        raise Unavailable("store_newer", words, "update Folkmoot, then repeat", path, found.version, VERSION)
    return found


def _bring(home: str, file: str, header: Header, chain: str, heads: Mapping[str, str]) -> Carried:
    """The work into the repository of a board that has just been made; the board is there, whatever comes of it."""
    path, git, git_dir = beside(file), git_for(home), repository_of(home)
    if header.chain != chain:
        words = f"{path} belongs to another log, or to another moment of it: it was not taken in"
        return Carried(missing=list(heads), notes=[words])
    try:
        with TemporaryDirectory(prefix=".moot-import-", dir=home) as folder:
            packed = os.path.join(folder, "bundle")
            with open(path, "rb") as source, open(packed, "wb") as out:
                source.readline(HEADER_BYTES_MAX)
                shutil.copyfileobj(source, out, CHUNK)
            if (os.path.getsize(packed), _hash_of(packed)) != (header.size, header.sha256):
                words = f"{path} is damaged: the work in it was not taken in"
                return Carried(missing=list(heads), notes=[words])
            refs = bundle.unpack(git, git_dir, packed, header.objects, header.shallow)
        gone = bundle.hold(git, git_dir, refs, heads, backups.stamp())
        return Carried(path, gone)
    except (Unavailable, OSError) as fault:
        return Carried(missing=list(heads), notes=[f"the work in {path} was not taken in: {fault}"])


def _hash_of(path: str) -> str:
    hashed = sha256()
    with open(path, "rb") as file:
        while piece := file.read(CHUNK):
            hashed.update(piece)
    return hashed.hexdigest()


def _no_work(path: str, why: str) -> Invalid:
    words = "{path} is not the work that belongs to a log: {why}"
    return Invalid("bad_log", words, "move it away, or give the file that `<export>` wrote beside the log", path, why)
