"""Numbered migrations, each recorded with its checksum: only code that knows all a store went through opens it."""

import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256

from folkmoot.errors import Unavailable
from folkmoot.store.sql.faults import newer

Migrations = dict[int, tuple[str, str]]  # name and text of each, by number


def migrations_in(folder: str) -> Migrations:
    """Name and text of each, by number: `0001_first.sql`."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sql"):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                found[int(name[:4])] = (name.removesuffix(".sql"), file.read())
    return found


@lru_cache(64)
def checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def still_to_apply(
    recorded: Iterable[tuple[int, bytes, bytes]],
    known: Migrations,
    path: str,
    differs: Callable[[int], Unavailable],
) -> list[int]:
    """By their numbers, names and checksums as the store has them; refuses a history that is not ours."""
    done = {number: (name, made) for number, name, made in recorded}
    for number, was in done.items():
        if number not in known:
            raise newer(path, number)
        name, text = known[number]
        if (name.encode(), checksum(text).encode()) != was:
            raise differs(number)
    return [number for number in known if number not in done]
