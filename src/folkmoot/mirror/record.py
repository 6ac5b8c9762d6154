"""What the mirror has written: by its hash it tells its own files from what others wrote, also after it was killed.

A line is written before a file is put in place. So a file is the mirror's own if its hash is the last or one of the few
before it in the record, whether or not the write it announced came to pass.
"""

import os
from hashlib import sha256

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.mirror.folder import Seen

KEPT = 4  # hashes of one file
SLACK = 5_000  # lines more than there are files, after which the record is written anew


class Written(Struct, omit_defaults=True):
    """A file: its last hashes, the newest last, and how it was listed after the last write."""

    hashes: list[str]
    seen: Seen | None = None


class Line(Struct, omit_defaults=True, kw_only=True):
    path: str = ""
    hash: str | None = None
    seen: Seen | None = None
    gone: bool = False
    seq: int = 0
    hashes: list[str] = []  # in a record that was written anew


_encode = msgspec.json.Encoder().encode


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


class Record:
    """One file of lines, in the board's own folder."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.files: dict[str, Written] = {}
        self.seq = 0  # up to which all files were written
        self.is_new = True
        self._pending: list[bytes] = []
        self._lines = 0
        self._torn = False
        self._load()
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if self._lines > len(self.files) + SLACK:
            self._begin_anew()
        elif self._torn:
            os.write(self._fd, b"\n")

    def _load(self) -> None:
        try:
            with open(self._path, "rb") as file:
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return
        self.is_new = lines == [b""]  # whoever was refused has written nothing, and so has no file here that is its own
        self._torn = lines[-1] != b""
        read = reader(Line)
        for line in filter(None, lines):
            try:
                self._take(read(line))
            except msgspec.DecodeError:
                continue  # torn by a power loss: what it announced is looked at as if somebody else had written it
            self._lines += 1

    def _take(self, line: Line) -> None:
        if line.gone:
            self.files.pop(line.path, None)
        elif line.path:
            known = self.files.setdefault(line.path, Written([]))
            known.hashes = line.hashes or known.hashes
            if line.hash is not None and line.hash not in known.hashes[-1:]:
                known.hashes = [*known.hashes, line.hash][-KEPT:]
            known.seen = line.seen
        self.seq = line.seq or self.seq

    def announce(self, path: str, hash: str) -> None:
        """This will be written; it is in the record once `flush` has returned."""
        self._add(Line(path=path, hash=hash))

    def wrote(self, path: str, seen: Seen) -> None:
        self._add(Line(path=path, seen=seen))

    def found(self, path: str, seen: Seen, data: bytes) -> None:
        """This stands there: what was announced since may never have been written."""
        self._add(Line(path=path, hash=digest(data), seen=seen))

    def removed(self, path: str) -> None:
        self._add(Line(path=path, gone=True))

    def reached(self, seq: int) -> None:
        if seq != self.seq:
            self._add(Line(seq=seq))

    def is_own(self, path: str, data: bytes) -> bool:
        known = self.files.get(path)
        return known is not None and digest(data) in known.hashes

    def last(self, path: str) -> str | None:
        known = self.files.get(path)
        return known.hashes[-1] if known is not None and known.hashes else None

    def _add(self, line: Line) -> None:
        self._take(line)
        self._pending.append(_encode(line) + b"\n")

    def flush(self, *, durable: bool = True) -> None:
        if not self._pending:
            return
        os.write(self._fd, b"".join(self._pending))
        self._lines += len(self._pending)
        self._pending.clear()
        if durable:
            os.fsync(self._fd)
        if self._lines > len(self.files) + 4 * SLACK:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """The same in as many lines as there are files."""
        lines = [Line(path=path, hashes=one.hashes, seen=one.seen) for path, one in self.files.items()]
        lines.append(Line(seq=self.seq))
        fresh = f"{self._path}.new"
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_APPEND, 0o600)
        os.write(fd, b"".join(_encode(line) + b"\n" for line in lines))
        os.fsync(fd)
        os.rename(fresh, self._path)
        os.close(self._fd)
        self._fd, self._lines = fd, len(lines)

    @property
    def has_lines(self) -> bool:
        """Was anything ever written in the folder, or announced to be?"""
        return self._lines > 0 or not self.is_new

    def close(self) -> None:
        self.flush(durable=False)
        os.close(self._fd)
