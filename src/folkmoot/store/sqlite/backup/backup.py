"""A board in one file: a compressed tar of its store, its work and the user's files, with a manifest of them all."""

import errno
import os
import shutil
import stat
import tarfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from tempfile import mkdtemp
from typing import IO

import apsw
import msgspec

from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.backup.archive import (
    MANIFEST,
    STORE,
    Entry,
    Manifest,
    Member,
    content_of,
    first_entry,
    is_plain,
    not_a_backup,
)
from folkmoot.store.sqlite.backup.exclusive import snapshot
from folkmoot.store.sqlite.backup.log import prove, reading
from folkmoot.store.sqlite.create import sync_folders
from folkmoot.store.sqlite.faults import BACKUPS, ENDING, damage_is

WORK, FILES = "work.bundle", "files/"
SET_ASIDE = "set-aside"
CHUNK = 1 << 20
QUICK = 1  # how hard to compress: documents shrink to a fifth already
PRIVATE = 0o600
LEFT_FOR = 86_400.0  # seconds


def stamp() -> str:
    """The time in a form that sorts, and that every file system takes."""
    seconds, rest = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}{rest // 1_000_000:03d}Z"


@contextmanager
def workspace(folder: str, purpose: str) -> Iterator[str]:
    """A folder for files that are not finished, on the disk where they will stay."""
    _sweep(folder, f".{purpose}-")
    made = mkdtemp(prefix=f".{purpose}-", dir=folder)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _sweep(folder: str, start: str) -> None:
    """Remove what a process that was killed has left unfinished. A day old: a living one is done long before."""
    for entry in os.scandir(folder):
        is_ours = entry.name.startswith(start) and entry.is_dir(follow_symlinks=False)
        if is_ours and entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFT_FOR:
            shutil.rmtree(entry.path, ignore_errors=True)


def backups_beside(store: str) -> str:
    """The folder for backups beside a store, made if it is missing. Git leaves it alone."""
    folder = os.path.join(os.path.dirname(store) or os.curdir, BACKUPS)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    ignored = os.path.join(folder, ".gitignore")
    if not os.path.exists(ignored):
        with open(ignored, "w", encoding="ascii") as file:
            file.write("*\n")
    return folder


def name_for(folder: str, seq: int, why: str = "") -> str:
    """A free name; they sort by time, since after a restore the numbers begin to repeat."""
    words = "".join(f"-{word}" for word in why.split())
    for attempt in ("", *(f"-{number}" for number in range(2, 100))):
        path = os.path.join(folder, f"{stamp()}-{seq}{words}{attempt}{ENDING}")
        if not os.path.lexists(path):
            return path
    raise exists(path)


def proven_copy(store: str, folder: str) -> tuple[str, int, bytes]:
    """A snapshot of a store that others may be writing to, proven whole; and number and hash of its last event."""
    copy = os.path.join(folder, STORE)
    with reading(store) as connection:
        snapshot(connection, copy)
    with reading(copy, store) as connection:
        return copy, *prove(connection, store)


def pack(target: str, manifest: Manifest, members: Mapping[str, str]) -> int:
    """Write the backup under another name, read it again, and only then give it its own. Gives its size."""
    if os.path.lexists(target):
        raise exists(target)
    listed = [_member(name, path) for name, path in members.items()]
    manifest = msgspec.structs.replace(manifest, members=listed)
    unfinished = f"{target}.{os.getpid()}-{os.urandom(4).hex()}.new"
    try:
        with open(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE), "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=QUICK, format=tarfile.PAX_FORMAT) as tar:
                document = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
                _add(tar, MANIFEST, len(document), BytesIO(document))
                for member, path in zip(listed, members.values(), strict=True):
                    with open(path, "rb") as source:
                        _add(tar, member.name, os.fstat(source.fileno()).st_size, source, member.mode)
            file.flush()
            os.fsync(file.fileno())
        look_into(unfinished)
        size = os.path.getsize(unfinished)
        give_name(unfinished, target)
        sync_folders(target)
        return size
    except OSError as fault:
        raise failed(target, fault) from fault
    finally:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)


def failed(target: str, fault: OSError) -> MootError:
    if fault.errno == errno.ENOSPC:
        return faults.full(target)
    words = "{target} cannot be written: {why}"
    hint = "see that the folder is there, is yours, and has room"
    return Unavailable("backup_failed", words, hint, target, str(fault.strerror or fault))


@contextmanager
def telling_disk(target: str) -> Iterator[None]:
    """What the disk complains about while something is written there, in our words."""
    try:
        yield
    except OSError as fault:
        raise failed(target, fault) from fault


def _check_room(manifest: Manifest, folder: str) -> None:
    needed, free = sum(member.size for member in manifest.members), shutil.disk_usage(folder).free
    if needed > free:
        words = (
            "the backup unpacks to {needed} bytes, and the disk of {folder} has room for {free}; nothing was changed"
        )
        raise Unavailable("store_full", words, "free some space, then repeat", needed, folder, free)


def look_into(path: str, folder: str | None = None) -> Manifest:
    """Prove a backup by its manifest, and unpack it if a folder is named. Only what is listed is looked at."""
    try:
        with tarfile.open(path, "r:gz", tarinfo=Entry) as tar:
            manifest = first_entry(path, tar)
            if folder is not None:
                os.makedirs(folder, mode=0o700, exist_ok=True)
                _check_room(manifest, folder)
            for member in manifest.members:
                entry = tar.next()
                if entry is None or entry.name != member.name or not is_plain(entry) or entry.size != member.size:
                    raise damaged_backup(path, f"{member.name} is missing, or another than the manifest says")
                _check_name(path, member.name)
                _unpack(path, member, content_of(tar, entry), folder)
            if tar.next() is not None:
                raise damaged_backup(path, "it holds more than its manifest says")
            return manifest
    except FileNotFoundError as fault:
        raise Invalid("unreadable_file", "there is no file {path}", "name a backup; see .moot/backups", path) from fault
    except tarfile.ReadError as fault:
        raise not_a_backup(path, str(fault)) from fault
    except (tarfile.TarError, EOFError, zlib.error, ValueError, RecursionError) as fault:
        raise damaged_backup(path, str(fault)) from fault
    except OSError as fault:
        if fault.errno == errno.ENOSPC:
            raise faults.full(folder or path) from fault
        # Of what gzip finds wrong it says so in the same kind of error as the disk, but with no number.
        if fault.errno is None:
            raise damaged_backup(path, str(fault)) from fault
        words = "{path} cannot be read: {why}"
        raise Invalid("unreadable_file", words, "name a backup", path, fault.strerror) from fault


def keep_before_migration(connection: apsw.Connection, store: str) -> None:
    """A board that is about to get another schema is kept as it was. A damaged one too, but not as a backup."""
    try:
        folder = backups_beside(store)
        with workspace(folder, "migration") as unfinished:
            copy = os.path.join(unfinished, STORE)
            snapshot(connection, copy)
            _keep_copy(copy, store, folder)
    except (OSError, apsw.Error) as fault:
        if faults.is_full(fault):
            raise faults.full(store) from fault
        if isinstance(fault, apsw.Error):
            raise
        words = "{path} needs a new schema, and it cannot be kept as it is before that: {why}"
        hint = "see that its folder is yours, and has room"
        raise Unavailable("backup_failed", words, hint, store, str(fault)) from fault


def _keep_copy(copy: str, store: str, folder: str) -> None:
    why = "before migration"
    try:
        with reading(copy, store) as opened:
            seq, chain = prove(opened, store)
    except Unavailable as fault:
        if not damage_is(fault):
            raise
        aside = os.path.join(os.path.dirname(folder), SET_ASIDE, stamp())
        os.makedirs(aside, mode=0o700)
        os.replace(copy, os.path.join(aside, os.path.basename(store)))
    else:
        manifest = Manifest(made_by=made_by(), made_at=stamp(), why=why, seq=seq, chain=chain.hex())
        pack(name_for(folder, seq, why), manifest, {STORE: copy})


def made_by() -> str:
    from importlib.metadata import version

    return version("folkmoot")


def _member(name: str, path: str) -> Member:
    summed, size = sha256(), 0
    mode = stat.S_IMODE(os.stat(path).st_mode) & 0o777 if name.startswith(FILES) else None
    with open(path, "rb") as file:
        while part := file.read(CHUNK):
            summed.update(part)
            size += len(part)
    return Member(name, size, summed.hexdigest(), mode)


def _add(tar: tarfile.TarFile, name: str, size: int, source: IO[bytes], mode: int | None = None) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, PRIVATE if mode is None else mode
    tar.addfile(entry, source)


def can_be_named(name: str) -> bool:
    """Whether a file's path below the board's folder can stand in a backup, and means the same everywhere."""
    parts = name.split("/")
    plain = all(part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in parts)
    return plain and not any("\ud800" <= letter <= "\udfff" for letter in name)  # what was no UTF-8


def _check_name(path: str, name: str) -> None:
    """A backup comes from somewhere else: it may put files where it was told to, and nowhere else."""
    if name not in (STORE, WORK) and not (name.startswith(FILES) and can_be_named(name.removeprefix(FILES))):
        raise not_a_backup(path, f"it holds {name[:80]!r}, which is no part of a board")


def _unpack(path: str, member: Member, source: IO[bytes], folder: str | None) -> None:
    summed = sha256()
    place = os.path.join(folder, *member.name.split("/")) if folder is not None else os.devnull
    if folder is not None:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    with open(place, "wb") as out:
        while part := source.read(CHUNK):
            summed.update(part)
            out.write(part)
    if summed.hexdigest() != member.sha256:
        raise damaged_backup(path, f"{member.name} is not what was written")


def give_name(unfinished: str, target: str) -> None:
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise exists(target) from None
    except OSError:  # a file system without hard links, such as that of many a memory stick
        if os.path.lexists(target):
            raise exists(target) from None
        os.rename(unfinished, target)


def exists(path: str) -> Refused:
    return Refused("file_exists", "{path} exists already; nothing was changed", "choose another name", path)


def damaged_backup(path: str, words: str) -> Unavailable:
    hint = "take another backup; see .moot/backups"
    return Unavailable("backup_damaged", "{path} is damaged: {why}", hint, path, words)
