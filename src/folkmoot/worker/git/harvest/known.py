"""What git has told of objects that are named by their ids. An object never changes, so neither does the answer.

Nothing else is kept here: where a branch is, what is checked out where, what the settings are, is asked each time.
"""

from collections.abc import Callable
from typing import Any, TypeVar

KNOWN_MAX = 64  # answers that are kept: about the runs that go on now
BYTES_MAX = 64_000_000

Answer = TypeVar("Answer")


class Known:
    """The one place where such answers are kept, for all who work on one repository."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, ...], Any] = {}
        self._bytes = 0

    def once(self, asked: tuple[str, ...], ask: Callable[[], Answer]) -> Answer:
        found: Answer | None = self.get(asked)
        if found is None:
            self.keep(asked, found := ask())
        return found

    def get(self, asked: tuple[str, ...]) -> Any:
        return self._answers.get(asked)

    def keep(self, asked: tuple[str, ...], answer: object) -> None:
        if len(self._answers) >= KNOWN_MAX or self._bytes > BYTES_MAX:
            self._answers.clear()
            self._bytes = 0
        self._answers[asked] = answer
        self._bytes += len(answer) if isinstance(answer, bytes) else 0

    def holds(self, tip: str, commit: str) -> bool:
        """Is it known that a commit is in the history of another? A no is not kept: more of a history that was cut off
        may be fetched."""
        return ("holds", tip, commit) in self._answers

    def keep_held(self, tip: str, *commits: str) -> None:
        for commit in commits:
            self.keep(("holds", tip, commit), True)
