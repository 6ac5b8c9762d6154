"""How far a target has been told, in a file beside the board: written after each notice that arrived, and read again by
the next worker. Which worker tells is decided by a lock on the file beside it."""

import fcntl
import hashlib
import os
from contextlib import suppress

import msgspec
from msgspec import Struct, field

from folkmoot.core.decoding import reader
from folkmoot.core.notices.targets import Target

FILE = "notified"  # of the board, with the target's id behind it
BYTES_MAX = 1_000_000


class Told(Struct, kw_only=True, omit_defaults=True):
    seq: int  # of the last event that was told, or makes no notice
    salt: str  # by it ids of deliveries are this board's own, on whichever machine
    waiting: list[str] = field(default_factory=list)  # questions that were open when the target was new
    worked: bool = False  # somebody has worked since the board was last at rest
    same: dict[str, int] = field(default_factory=dict)  # when a piece of news that repeats was last told
    failing: int | None = None  # since when the next notice could not be sent: wall clock, milliseconds


def id_of(target: Target, before: list[Target]) -> str:
    """By where it goes; of several that go to one place each has its own."""
    number = sum(one.place == target.place for one in before)
    return hashlib.sha256(f"{target.place}\0{number}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Cursor:
    """Of one target, as long as this process alone tells it."""

    def __init__(self, home: str, target_id: str) -> None:
        self._path = os.path.join(home, f"{FILE}-{target_id}")
        self._id = target_id
        self._lock: int | None = None
        self.told: Told | None = None

    def take(self) -> bool:
        """Be the one that tells. False: another worker is. A process that is killed has no lock any more."""
        if self._lock is not None:
            return True
        fd = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._lock = fd
        self.told = self._read()
        return True

    def begin(self, seq: int, waiting: list[str], board: str) -> Told:
        """A target that is new is told what waits for a person now, and then what comes. `board` tells boards apart."""
        self.told = Told(seq=seq, salt=hashlib.sha256(board.encode()).hexdigest()[:32], waiting=waiting)
        self.keep()
        return self.told

    def delivery(self, key: str) -> str:
        """The same for the same notice, however often it is sent."""
        assert self.told is not None
        return hashlib.sha256(f"{self.told.salt}\0{self._id}\0{key}".encode()).hexdigest()[:32]

    def keep(self) -> None:
        aside = f"{self._path}.{os.getpid()}"
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(self.told))
        os.replace(aside, self._path)

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _read(self) -> Told | None:
        with suppress(FileNotFoundError, msgspec.DecodeError), open(self._path, "rb") as file:
            found: Told = reader(Told)(file.read(BYTES_MAX))
            return found
        return None
