"""Words and names that come from agents, as they may stand in a commit or a report."""

import os
import re
import unicodedata
from collections.abc import Mapping

from msgspec import Struct

MESSAGE_CHARS_MAX = 20_000
CUT_HERE = "… cut here:"  # begins the line that says that a change is shown in part
JOINERS = "\u200c\u200d"  # within words of some scripts, and within signs
UNSEEN = "\u2060"  # a word joiner
CALLS = re.compile(r"(?<![\w.+-])@(?=\w)")
# What closes an issue when it is merged: one of these words before a number, OWNER/NAME#7, GH-7 or an address.
CLOSES = re.compile(
    r"\b(c|f|r)(lose[sd]?|ix(?:es|ed)?|esolve[sd]?)\b(?=[:\s]{1,20}(?:[\w.-]{0,100}/?[\w.-]{0,100}#\d|gh-\d|https?:))",
    re.IGNORECASE,
)
STEERS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# A line that git, or whoever reads a history by program, takes for a statement about the commit.
STATEMENT = re.compile(r"\s*(?:moot-[a-z-]+|[a-z]+(?:-[a-z]+)*-by)\s*[:=#]|\s*\(cherry picked from", re.IGNORECASE)


def readable(name: bytes) -> str:
    """A path as text that every store takes, even if its bytes are no text."""
    return name.decode("utf-8", "backslashreplace")


def one_line(words: str) -> str:
    return "".join(letter for letter in words if letter.isprintable() and letter not in "<>").strip()


class Author(Struct, frozen=True):
    """Whom a commit names."""

    name: str
    email: str

    def env(self) -> dict[str, str]:
        return {"GIT_AUTHOR_NAME": one_line(self.name) or "nobody", "GIT_AUTHOR_EMAIL": one_line(self.email)}


def calling_nobody(words: str) -> str:
    """Text that calls no people and closes no issue on a forge. Letters that nobody sees stand in between."""
    return CLOSES.sub(rf"\1{UNSEEN}\2", CALLS.sub(f"@{UNSEEN}", words))


def plain(words: str) -> str:
    """Text without what steers a terminal or turns letters round; lines stay lines."""
    lines = words.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c in "\n\t" or c in JOINERS or unicodedata.category(c) not in STEERS)


def message(words: str, trailers: Mapping[str, str], proposed: bool = False) -> str:
    """A commit's message. Its trailers are the engine's alone: no line that others wrote can be taken for one.
    `proposed`: a forge shows it before any person has read it."""
    title, *lines = plain(words).strip()[:MESSAGE_CHARS_MAX].split("\n")
    body = "\n".join(f"> {line}" if STATEMENT.match(line) else line for line in lines)
    said = f"{title.strip() or 'Work'}\n{body}".strip()
    said = calling_nobody(said) if proposed else said
    ours = "\n".join(f"{name}: {one_line(value)}" for name, value in trailers.items())
    return f"{said}\n\n{ours}\n" if ours else f"{said}\n"


def quoted(path: str) -> str:
    """A path in git's list of borrowed objects, where a quote or a leading # would mean something else."""
    if path.isprintable() and path[:1] not in ('"', "#"):
        return path
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(path)) + '"'


def configured(words: str) -> str:
    """A value in a configuration file: quoted, on one line."""
    plain = "".join(letter for letter in words if letter.isprintable())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
