"""What processes print, as it is kept: redacted, in parts, the beginning and the end of it."""

import codecs
from collections.abc import Callable, Sequence

from folkmoot.engine.reads.doing import DIFF_PART as DIFF_PART
from folkmoot.engine.reads.doing import LATEST_PART
from folkmoot.engine.reads.doing import PROMPT_PART as PROMPT_PART

HEAD = 256 * 1024  # characters from the beginning that are kept whole
TAIL = 64 * 1024  # and from the end
TAIL_PART = 100_000
LATEST = 4 * 1024  # and while a process prints more than that: its last characters, in a part that nobody reads later
DIFF_MAX = 256 * 1024
PROMPT_MAX = 256 * 1024
FLUSH_SECONDS = 1.0

Keep = Callable[[Sequence[tuple[int, str]]], bool]  # False: not now


class Output:
    """Collects text, and hands it over in parts that can be kept one by one."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._pending: list[str] = []
        self._part = 0
        self._head = 0
        self._tail = ""
        self._left_out = 0
        self._flushed_at = 0.0

    def add(self, text: str) -> None:
        if not text:
            return
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        room = max(0, HEAD - self._head)
        if room:
            self._pending.append(text[:room])
            self._head += min(room, len(text))
        rest = text[room:]
        if rest:
            joined = self._tail + rest
            self._left_out += max(0, len(joined) - TAIL)
            self._tail = joined[-TAIL:]

    def flush(self, now: float, *, last: bool = False) -> bool:
        """Keep what has come since the last time; not too often, since each time is a write. False: not kept yet."""
        if not last and now - self._flushed_at < FLUSH_SECONDS:
            return False
        self._flushed_at = now
        parts = []
        if self._pending:
            parts.append((self._part, "".join(self._pending)))
        if self._tail and (last or self._left_out == 0):
            gap = f"\n… {self._left_out} characters are left out here …\n" if self._left_out else ""
            parts.append((TAIL_PART, gap + self._tail))
        if self._left_out and not last:
            parts.append((LATEST_PART, self._tail[-LATEST:]))
        if parts and not self._keep(parts):
            return False
        if self._pending:
            self._pending = []
            self._part += 1
        return True


class Lines:
    """Bytes as they come, cut into lines of text. A line that is too long is given in pieces."""

    def __init__(self, most: int = 4 * 1024 * 1024) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._parts: list[str] = []  # of a line that is not whole: joined once, or a drip would copy it for each drop
        self._size = 0
        self._most = most

    def feed(self, data: bytes, *, last: bool = False) -> tuple[str, list[str]]:
        """The text of these bytes, and the lines that are whole with them."""
        text = self._decode(data, last)
        first, *others = text.split("\n")
        self._parts.append(first)
        self._size += len(first)
        lines = []
        if others:
            lines = ["".join(self._parts), *others[:-1]]
            self._parts, self._size = [others[-1]], len(others[-1])
        if self._size and (last or self._size > self._most):
            lines.append("".join(self._parts))
            self._parts, self._size = [], 0
        return text, lines


def tail_of(text: str, most: int = 2_000) -> str:
    text = text.strip()
    return text if len(text) <= most else f"…{text[-most:]}"
