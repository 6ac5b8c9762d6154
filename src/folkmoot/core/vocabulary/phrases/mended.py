"""Does whoever tells of a finding say that it is mended? Then it tells what was done: nothing must change for it."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

# Under these names the state of a finding is told in a word; under the others that it is so, or how.
_STATES = ("status", "state", "resolution", "disposition")
_SAYS_SO = (
    "fixed",
    "resolved",
    "addressed",
    "mended",
    "corrected",
    "is_fixed",
    "was_fixed",
    "is_resolved",
    "done",
    "mitigated",
    "is_mitigated",
    "false_positive",
    "is_false_positive",
    "withdrawn",
)
# What was done, once it is done; before that the same names tell what should be.
_HOW = ("fix", "fix_applied", "applied_fix", "solution", "remediation", "resolution", "fixed_by", "how_fixed")
_OVER = r"(?:fixed|resolved|addressed|mended|solved|corrected|repaired|closed|fix(?:es)? applied)"
# Or its finder says that there is none.
_NONE = r"(?:mitigated|withdrawn|retracted|a false positive|false positive)"
_MENDED = pattern(
    rf"(?:(?:it|is|was|has been|been|already|now|all) )*(?:{_OVER}|{_NONE})(?! (?:partially|partly|later|soon))\b.*"
)
_NOT = pattern(r"\b(?:not|never|partially|partly|to be|will be|wont|won t|cannot|half)\b")
# At the end or the beginning of a line of words: `plain text token (fixed)`, `[FIXED] plain text token`.
_BEHIND = pattern(rf"\s*(?:[\[(](?:already |now )?({_OVER}[^\[\]()]{{0,80}})[\])]|[-–—]\s?({_OVER}))[.!]?\s*\Z", re.I)
_BEFORE = pattern(rf"\A\s*(?:[\[(]({_OVER})[\])][:\s]*|({_OVER}):\s+)", re.I)
_STRUCK = pattern(r"\s{0,8}(?:[-*+]\s{1,3})?~~\s{0,3}([^~\n]{1,2000})~~[.!]?\s{0,8}")
STRUCK = "struck out"
# It was looked at again, and still holds.
_LEFT = pattern(
    r"still (?:open|present|there|broken|fail\w*|missing|exists?|holds|needs|not|un\w+|an? (?:issue|problem|bug))\b.*"
    r"|un(?:resolved|fixed|addressed|mended|solved)\b.*|outstanding|remains\b.*"
    rf"|(?:(?:is|was|only|has|been) )*(?:not|never|partially|partly|half)(?: (?:yet|been|fully|properly))* {_OVER}\b.*"
)
_NO = ("no", "false", "none", "n a", "open", "")


class Mended(Struct, frozen=True):
    words: str  # as it was said
    used: set[str]  # the object's own names that say so


def mended(part: Mapping[str, Any]) -> Mended | None:
    """What an object says of how it was mended; None if it says nothing of the kind, or that it is open."""
    names: dict[str, str] = {}
    for name in part:
        names.setdefault(plain(str(name)).replace(" ", "_"), name)
    said: list[str] = []
    used: set[str] = set()
    for name in (*_STATES, *_SAYS_SO):
        value = part[names[name]] if name in names else None
        words = _said(name, value)
        if words:
            said.append(words)
            used.add(names[name])
    if not said:
        return None
    for name in _HOW:
        value = part[names[name]] if name in names else None
        if isinstance(value, str) and value.strip() and names[name] not in used:
            said.append(value.strip())
            used.add(names[name])
    return Mended(": ".join(dict.fromkeys(said)), used)


def left_open(part: Mapping[str, Any], earlier: bool = False) -> str | None:
    """How an object says that what it tells of is not mended; None if it does not. Of what was found `earlier` also
    "open" says so: elsewhere a door or a pull request may be open."""
    for name, value in part.items():
        folded, words = plain(str(name)).replace(" ", "_"), plain(value) if isinstance(value, str) else ""
        if folded in (*_STATES, "result", "outcome") and (_LEFT.fullmatch(words) or (earlier and words == "open")):
            return repr(value)
        if folded in _SAYS_SO and folded != "done" and (value is False or words in _NO[:2] or _LEFT.fullmatch(words)):
            return f"{name}: no"
    return None


def _said(name: str, value: Any) -> str:
    if value is True:
        return name.removeprefix("is_").removeprefix("was_") if name in _SAYS_SO else ""
    words = plain(value) if isinstance(value, str) else ""
    if words in _NO or _NOT.search(words):
        return ""
    if name in _SAYS_SO:
        return str(value).strip() if _MENDED.fullmatch(words) else f"{name}: {str(value).strip()}"
    return str(value).strip() if _MENDED.fullmatch(words) else ""


def says_mended(words: str) -> bool:
    """Do these few words about a finding say that it is mended?"""
    return bool(_said(_STATES[0], words))


def mended_in(words: str) -> tuple[str, str]:
    """A finding in words without the mark that it is mended, and that mark; empty if there is none. What is struck
    through was withdrawn."""
    struck = _STRUCK.fullmatch(words)
    if struck is not None:
        return struck.group(1), STRUCK
    found = _BEHIND.search(words[-120:])
    if found is not None:
        at = max(len(words) - 120, 0) + found.start()
        return (words[:at].rstrip(), (found.group(1) or found.group(2)).strip()) if words[:at].strip() else (words, "")
    found = _BEFORE.match(words)
    if found is not None and words[found.end() :].strip():
        return words[found.end() :], found.group(1) or found.group(2)
    return words, ""
