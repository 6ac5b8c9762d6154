"""How a mirror learns that files have changed, and what it remembers of one that is still being written."""

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from folkmoot.mirror.folder import Seen


class Waiting(Struct, frozen=True):
    """A file that may be half written: how it was listed, since when, and whether somebody has it open for writing."""

    seen: Seen
    since: float
    is_open: bool


class Watch(Protocol):
    """Tells which entries of the folders have changed."""

    def follow(self, folders: Iterable[str]) -> None: ...
    def take(self) -> set[tuple[str, str]] | None:
        """Folder and name of what has changed since the last time; None: nobody knows, so look at everything."""

    def close(self) -> None: ...
