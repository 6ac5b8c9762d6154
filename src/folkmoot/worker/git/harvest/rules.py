"""The ignore rules and attributes that an agent left: those that would make git slow are found before git reads them.

Git compares each rule with each file. A rule with several `**` is compared in every way in which these can share out
the folders of a path, so that one line can take hours. Rules that were there before the run are the user's own.
"""

import hashlib
import os
from collections.abc import Callable, Iterable

from msgspec import Struct

from folkmoot.worker.git.repository import BY_PRODUCTS
from folkmoot.worker.ports import Bounds

BYTES_MAX = 1_000_000  # of all files with rules that a run made or changed
STARS_MAX = 3  # of `**` in one rule
CHUNK = 1_000_000
UNREAD = {name.rstrip("/") for name in BY_PRODUCTS}  # folders that git does not look into


class Rules(Struct, frozen=True):
    """What is known of one file with rules; what is in it is not kept."""

    path: str
    size: int
    line: int  # the first with too many `**`; 0: none has
    blob: str  # as git would name it


def heavy(top: str, paths: Iterable[str], bounds: Bounds, known: Callable[[], dict[str, str]], form: str) -> str:
    """Why git should not read these files, in words; empty if it may. `known` tells the blobs of the project's own."""
    found = [rules for path in sorted(paths) if not _is_unread(path) and (rules := _look(top, path, bounds, form))]
    if not _fault(found):
        return ""
    blobs = known()
    return _fault([rules for rules in found if blobs.get(rules.path) != rules.blob])


def _fault(found: list[Rules]) -> str:
    room = BYTES_MAX
    for rules in found:
        room -= rules.size
        if room < 0:
            return f"with {rules.path} its ignore rules and attributes have more than {BYTES_MAX} bytes"
        if rules.line:
            return f"{rules.path}:{rules.line} has a rule with more than {STARS_MAX} times `**`"
    return ""


def _is_unread(path: str) -> bool:
    return any(part in UNREAD for part in path.split("/"))


def _look(top: str, path: str, bounds: Bounds, form: str) -> Rules | None:
    bounds.left()
    try:
        fd = os.open(os.path.join(top, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None  # closed or gone: nor will git read it
    with open(fd, "rb") as file:
        size = os.fstat(fd).st_size
        name, line, heavy_line, rest = hashlib.new(form, b"blob %d\0" % size), 0, 0, b""
        while chunk := file.read(CHUNK):
            bounds.left()
            name.update(chunk)
            *whole, rest = (rest[-CHUNK:] + chunk).split(b"\n")
            for number, words in enumerate(whole, start=line + 1):
                heavy_line = heavy_line or (number if words.count(b"**") > STARS_MAX else 0)
            line += len(whole)
        if rest.count(b"**") > STARS_MAX:
            heavy_line = heavy_line or line + 1
    return Rules(path, size, heavy_line, name.hexdigest())
