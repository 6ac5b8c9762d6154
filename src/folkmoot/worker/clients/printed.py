"""Reading what a client prints, whatever it is: nothing here raises on a strange value."""

from collections import deque
from typing import Any

import msgspec

from folkmoot.core.rules.running.spending import TOKENS_MAX, USD_MAX

# The last words of an agent that are kept: where its report is looked for.
TEXT_MAX = 1_000_000
COUNT_MAX = 2**53


def decoded(line: str) -> dict[str, Any] | None:
    """The JSON object on a line; None for a banner, a broken line, or any other value."""
    if not line.startswith("{"):
        return None
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def at(value: Any, *path: str) -> Any:
    """What is at the end of these keys; None where there is no such way."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def words(value: Any, *path: str) -> str:
    """A text; empty if there is something else."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def parts(value: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of a list; anything else in it is passed over."""
    found = at(value, *path)
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def number(value: Any, *path: str) -> int:
    """A whole number; 0 if it is none, or larger than any that means something."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return int(found) if 0 <= found <= COUNT_MAX else 0


def count(value: Any, *path: str) -> int:
    """How many tokens, 0 if it is no number: one that is too large for any client counts as the most there can be, and
    not as none."""
    found = at(value, *path)
    too_many = isinstance(found, int | float) and found > TOKENS_MAX
    return TOKENS_MAX if too_many else number(value, *path)


def cost(value: Any, *path: str) -> float:
    """An amount of dollars, 0 if it is none, and no more than a run can cost."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0.0
    return min(float(found), USD_MAX) if found >= 0 else 0.0


def plain(value: Any) -> str:
    """An error as the client tells it: its text, or its JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return msgspec.json.encode(value).decode()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return ""


class Words:
    """Text that arrives in pieces. Only its end is kept, so that a flood costs no memory."""

    def __init__(self, limit: int = TEXT_MAX) -> None:
        self.limit = limit
        self._pieces: deque[str] = deque()
        self._size = 0

    def add(self, piece: str) -> None:
        piece = piece[-self.limit :]
        self._pieces.append(piece)
        self._size += len(piece)
        while self._size - len(self._pieces[0]) >= self.limit:
            self._size -= len(self._pieces.popleft())

    def line(self, words: str) -> None:
        self.add(f"{words}\n")

    def clear(self) -> None:
        self._pieces.clear()
        self._size = 0

    def __str__(self) -> str:
        return "".join(self._pieces)[-self.limit :]

    def __bool__(self) -> bool:
        return any(not piece.isspace() for piece in self._pieces if piece)


class LastMessage:
    """The text of the last message of the agent that says anything; a message may come in many pieces."""

    def __init__(self) -> None:
        self._told = Words()
        self._id: str | None = None
        self._begun = False

    def add(self, identity: str, piece: str) -> None:
        """A piece of the message with this id. A message without words does not push out one with words."""
        if not piece:
            return
        if identity != self._id or self._begun:
            if piece.isspace() and self._told:
                return
            self._told.clear()
            self._id, self._begun = identity, False
        self._told.add(piece)

    def next(self) -> None:
        """What comes now is another message, whatever its id."""
        self._begun = True

    def __str__(self) -> str:
        return str(self._told)
