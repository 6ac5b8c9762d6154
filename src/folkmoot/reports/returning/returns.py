"""What a role returns, as the handoff document writes it: `Returns: {status: completed, commit: "abc123"}`."""

import re
from typing import Any

from msgspec import Struct

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import only_ends, verdict_of
from folkmoot.reports.placeholders import is_choice

RETURNS = pattern(r"(?:[-*]\s{1,3})?(?:returns?\s{0,3}:\s{0,3})?\{([^{}]{1,2000})\}\.?", re.IGNORECASE)
# The same with marks around its parts: "**Returns:** `{status: approved}`".
_MARKED = pattern(
    r"(?:[-*]\s{1,3})?[*_]{0,2}returns?[*_]{0,2}\s{0,3}:[*_]{0,2}\s{0,3}`{0,3}\{([^{}]{1,2000})\}`{0,3}\.?",
    re.IGNORECASE,
)
# Words and a colon before it say what it is about: `auth.py: {status: approved}`.
_LABELLED = pattern(r"([^{}]{0,120}:)\s{0,3}(\{[^{}]{1,2000}\}\.?)")
_WORD = pattern(
    r"(?:[-*]\s{1,3})?returns?\s{0,3}:\s{0,3}[`\"'*]{0,2}([A-Za-z][A-Za-z_ -]{1,30})[`\"'*]{0,2}\.?", re.IGNORECASE
)
_NAME = pattern(r"[A-Za-z_]{1,30}")
_LISTED = pattern(r"""\s{0,9}(?:"([^"\n]{0,500})"|'([^'\n]{0,500})'|([^\s,"'\[\]][^,"'\[\]]{0,500}))\s{0,9}(?:,|\Z)""")


class Returned(Struct):
    """The fields of a return, and what stands before them; `named`: it calls itself a return."""

    told: dict[str, Any]
    named: bool
    label: str = ""


def returned(words: str) -> Returned | None:
    """A return on a line of its own, in braces or as one word; None if it is none."""
    found = RETURNS.fullmatch(words) or _MARKED.fullmatch(words)
    if found:
        told = pairs(found.group(1))
        return Returned(told, not words.startswith("{")) if told is not None else None
    labelled = _LABELLED.fullmatch(words)
    told = pairs(labelled.group(2).rstrip(".")[1:-1]) if labelled else None
    if labelled and told is not None:
        return Returned(told, False, labelled.group(1))
    word = _WORD.fullmatch(words)
    said = word.group(1).strip() if word else ""
    known = said and (verdict_of(said) is not None or only_ends(said))
    return Returned({"status": said}, True) if known else None


def bare_object(text: str) -> dict[str, Any] | None:
    """The same as a whole text, which is never a quotation: a `...` in it is what was said, a choice says nothing."""
    found = RETURNS.fullmatch(text)
    told = pairs(found.group(1)) if found else None
    if told is None or any(isinstance(value, str) and is_choice(value) for value in told.values()):
        return None
    return told


def pairs(words: str) -> dict[str, Any] | None:
    """Names and values without quotation marks around the names; None if it is something else."""
    found: dict[str, Any] = {}
    rest = words.strip()
    while rest:
        name, colon, rest = rest.partition(":")
        name, rest = name.strip(), rest.lstrip()
        if rest.startswith("["):
            told, rest = list_in(rest)
            if told is None or not colon or not _NAME.fullmatch(name) or name in found:
                return None
            found[name] = told
            continue
        quoted = rest.startswith('"')
        value, ended, rest = rest[1:].partition('"') if quoted else rest.partition(",")
        rest = rest.strip()
        if not colon or not _NAME.fullmatch(name) or name in found or (quoted and not ended) or not value.strip():
            return None
        if quoted and rest and not rest.startswith(","):
            return None
        rest = rest[1:].strip() if quoted else rest
        value = value if quoted else value.strip()
        is_number = not quoted and value.isascii() and value.isdigit() and len(value) < 10
        found[name] = int(value) if is_number else value
    return found or None


def list_in(words: str) -> tuple[list[str] | None, str]:
    """The texts of a list in brackets, with or without quotation marks, and what follows it; None if it is something
    else."""
    inside, closed, rest = words[1:].partition("]")
    rest = rest.strip()
    if not closed or (rest and not rest.startswith(",")):
        return None, ""
    found: list[str] = []
    place = 0
    while inside[place:].strip():
        part = _LISTED.match(inside, place)
        if part is None:
            return None, ""
        found.append(next(text for text in part.groups() if text is not None).strip())
        place = part.end()
    return found, rest[1:].strip()
