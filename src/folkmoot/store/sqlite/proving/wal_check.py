"""Telling a commit that was never finished from a log of SQLite's (the -wal file) that has been damaged.

SQLite reads its log up to the first frame that does not fit and forgets the rest. That is right where a commit was cut
short, and silent loss where a bit has flipped: commits that were acknowledged come after it. The two can be told apart.
Under `synchronous = FULL` nothing is written behind a commit before it is safe on the disk; so a frame that continues
one which ends a commit, behind the place where SQLite stops reading, shows that it stops too early.
"""

import os
import stat
import sys
from array import array

import apsw

from folkmoot.store.sqlite import faults

HEADER, FRAME_HEADER = 32, 24
MAGIC = {0x377F0682: "little", 0x377F0683: "big"}
BITS = 0xFFFFFFFF
LOOK = "SELECT count(*) FROM sqlite_schema"  # before it has read, SQLite cannot tell how far it reads its log
TRIES = 100


def check_tail(connection: apsw.Connection, path: str) -> None:
    """Refuse a log whose middle is damaged, before anything is written over it. Outside of any transaction."""
    try:
        # Nobody waits for whoever might write into a pipe that has taken its place.
        file = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise faults.read_only(path) from fault
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise faults.damaged(path, f"its log of changes, {path}-wal, is no file")
        # Others may write meanwhile; what is seen only in between is no damage.
        if not _Log(file).broken(connection) or not (stop := _Log(file).broken(connection)):
            return
    finally:
        os.close(file)
    raise faults.damaged(path, f"its log of changes, {path}-wal, breaks off at frame {stop}, and goes on behind it")


class _Log:
    """The frames of a -wal file as they are now."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._header = os.pread(file, HEADER, 0)
        words = array("I", self._header[:24] if len(self._header) == HEADER else b"")
        self._order = MAGIC.get(int.from_bytes(self._header[:4], "big"), sys.byteorder)
        if self._order != sys.byteorder:
            words.byteswap()
        self._start = (_number(self._header, 24), _number(self._header, 28))
        self._is_whole = len(self._header) == HEADER and _sum(words, (0, 0)) == self._start

    def broken(self, connection: apsw.Connection) -> int:
        """The frame at which SQLite stops though the log goes on; 0 if there is none."""
        if len(self._header) < HEADER:
            return 0
        size: int = connection.pragma("page_size")
        frames = (os.fstat(self._file).st_size - HEADER) // (size + FRAME_HEADER)
        # Asked after the frames were seen, so that all that was published by then is counted.
        ends = self._ends(_read_up_to(connection), frames, size)
        read = _read_up_to(connection)
        if os.pread(self._file, HEADER, 0) != self._header or not any(end > read for end in ends):
            return 0
        stop = self._stop(read, frames, size)
        return stop if stop and any(end >= stop and self._fits(end + 1, size) for end in ends) else 0

    def _ends(self, read: int, frames: int, size: int) -> list[int]:
        """Frames behind what is read that end a commit of this log and have a neighbour."""
        found = []
        after = self._head(read + 1, size)
        for number in range(read + 1, frames):
            head, after = after, self._head(number + 1, size)
            if _number(head, 4) and head[8:16] == after[8:16] and (not self._is_whole or self._is_ours(head)):
                found.append(number)
        return found

    def _stop(self, read: int, frames: int, size: int) -> int:
        """The first frame that does not fit, if no whole commit comes before it: that one was just not counted yet."""
        if not self._is_whole:
            return 1
        for number in range(read + 1, frames + 1):
            head = self._head(number, size)
            if not self._is_ours(head) or not self._fits(number, size):
                return number
            if _number(head, 4):
                return 0
        return 0

    def _is_ours(self, head: bytes) -> bool:
        return head[8:16] == self._header[16:24]

    def _fits(self, number: int, size: int) -> bool:
        """Whether the sum in the frame continues the one in the frame before it."""
        before = self._start if number == 1 else _sum_in(self._head(number - 1, size))
        place = HEADER + (number - 1) * (size + FRAME_HEADER)
        frame = os.pread(self._file, size + FRAME_HEADER, place)
        if len(frame) < size + FRAME_HEADER:
            return False
        words = array("I", frame[:8] + frame[FRAME_HEADER:])
        if self._order != sys.byteorder:
            words.byteswap()
        return _sum(words, before) == _sum_in(frame)

    def _head(self, number: int, size: int) -> bytes:
        return os.pread(self._file, FRAME_HEADER, HEADER + (number - 1) * (size + FRAME_HEADER)).ljust(FRAME_HEADER)


def _read_up_to(connection: apsw.Connection) -> int:
    """The last frame that SQLite reads, without making it do anything.

    Where another is just publishing what it has written, SQLite refuses to tell; whoever reads waits for that.
    """
    for _ in range(TRIES):
        try:
            return _frames_read(connection)
        except apsw.BusyError:
            connection.execute(LOOK).fetchall()
    return _frames_read(connection)


def _frames_read(connection: apsw.Connection) -> int:
    frames, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    return max(frames, 0)


def _number(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 4], "big")


def _sum_in(head: bytes) -> tuple[int, int]:
    return _number(head, 16), _number(head, 20)


def _sum(words: "array[int]", before: tuple[int, int]) -> tuple[int, int]:
    """SQLite's own sum over pairs of words."""
    first, second = before
    pairs = iter(words)
    for one, two in zip(pairs, pairs, strict=True):
        first = (first + one + second) & BITS
        second = (second + two + first) & BITS
    return first, second
