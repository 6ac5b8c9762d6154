"""Which clients a command may start, by its words: also where a shell, a package runner or a script stands before it.

More counts rather than less: a client that is only named costs nothing but files that no run may change.
"""

import os
import re
from collections.abc import Iterable, Iterator

BREAKS = re.compile(r"[\s;|&()<>'\"`$={}!,\[\]]+")
SCRIPT_BYTES_MAX = 100_000


def names_in(words: Iterable[str]) -> set[str]:
    """Every name that a word says: whole, without its version, and without its folder. Scripts are looked into."""
    found: set[str] = set()
    for word in words:
        for text in (word, *_script(word)):
            for piece in BREAKS.split(text):
                package = piece[:1] + piece[1:].partition("@")[0]  # as in @google/gemini-cli@0.61.0
                found |= {piece, package, os.path.basename(package)}
    return found


def _script(word: str) -> Iterator[str]:
    if not os.path.isabs(word) or not os.path.isfile(word):
        return
    try:
        with open(word, "rb") as file:
            data = file.read(SCRIPT_BYTES_MAX)
    except OSError:
        return  # whoever starts it is told
    if data.startswith(b"#!"):
        yield data.decode("utf-8", "replace")
