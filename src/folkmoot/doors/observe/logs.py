"""Log lines for machines: one JSON object each, with what happened, to what, by whom, and nothing that is secret.

Three things keep secrets out. What stands under a name that sounds secret is never written. Every text goes through
`clean`, which is handed in and knows the values of this process. And a line holds what it is told by name only: no
headers, no bodies, no addresses.
"""

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

import msgspec

Level = Literal["debug", "info", "warning", "error"]
TEXT_MAX = 2000  # characters of one value
PARTS_MAX, DEPTH_MAX = 50, 4
HIDDEN = "[secret]"
BREAKS = re.compile("[\x85\u2028\u2029]")  # JSON allows them as they are, and many readers end a line there
SECRET = re.compile(r"auth|cookie|token|secret|passw|passphrase|credential|api.?key|private.?key|session|bearer", re.I)
NOT_SECRET = re.compile(r"tokens\Z", re.I)  # counts of them


class JsonLog:
    """Threads may share it. It never raises: a log that cannot be written must not stop what it tells of."""

    def __init__(self, stream: TextIO, clock: Callable[[], int], clean: Callable[[str], str]) -> None:
        """`clock` gives wall time in milliseconds."""
        self._stream = stream
        self._clock = clock
        self._clean = clean
        self._lock = threading.Lock()

    def event(
        self,
        event: str,
        *,
        level: Level = "info",
        item: str | None = None,
        run: str | None = None,
        agent: str | None = None,
        call: str | None = None,
        status: int | None = None,
        seconds: float | None = None,
        caller: str | None = None,
        request: str | None = None,
        **more: Any,
    ) -> None:
        """One line. `caller` is a name, never what proves it; `request` an id that this process made itself."""
        known = {
            "item": item,
            "run": run,
            "agent": agent,
            "call": call,
            "status": status,
            "seconds": None if seconds is None else round(seconds, 6),
            "caller": caller,
            "request": request,
        }
        told = {name: value for name, value in {**known, **more}.items() if value is not None}
        line = {"time": _moment(self._clock()), "level": level, "event": event, **told}
        self._write({name: self._safe(name, value, DEPTH_MAX) for name, value in line.items()})

    def fault(self, event: str, error: BaseException, **more: Any) -> None:
        """What went wrong: its kind, its words and the place; no values that were in hand there."""
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        at = None if place is None else f"{place.tb_frame.f_globals.get('__name__', '?')}:{place.tb_lineno}"
        self.event(event, level="error", error=type(error).__name__, words=str(error), at=at, **more)

    def _safe(self, name: str, value: Any, depth: int) -> Any:
        if isinstance(value, bool | int | float):
            return value
        if SECRET.search(name) and not NOT_SECRET.search(name):
            return HIDDEN
        if depth and isinstance(value, dict):
            parts = list(value.items())[:PARTS_MAX]
            return {self._text(str(key)): self._safe(str(key), one, depth - 1) for key, one in parts}
        if depth and isinstance(value, list | tuple | set | frozenset):
            return [self._safe("", one, depth - 1) for one in list(value)[:PARTS_MAX]]
        return self._text(value if isinstance(value, str) else str(value))

    def _text(self, text: str) -> str:
        """Cleaned as a whole, and cut then: half of a secret is not known for one."""
        clean = self._clean(text)
        return clean if len(clean) <= TEXT_MAX else f"{clean[:TEXT_MAX]}…"

    def _write(self, line: dict[str, Any]) -> None:
        try:
            text = msgspec.json.encode(line).decode()
        except (UnicodeEncodeError, ValueError, TypeError):  # a character that is none
            text = msgspec.json.encode(_plain(line)).decode()
        text = BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        try:
            with self._lock:
                self._stream.write(f"{text}\n")
                self._stream.flush()
        except (OSError, ValueError):
            return  # nobody reads it, or there is no space: what was to be logged goes on


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
