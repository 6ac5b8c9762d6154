"""What the name of a field asks that is answered by a yes, a no or a number: `ready_to_merge`, `critical_count`."""

import re
from collections.abc import Mapping
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.problems import listed_under
from folkmoot.core.vocabulary.words import meaning_of, plain

# A number under these is one of what is still open.
_STILL_OPEN = frozenset({"open", "still open", "remaining", "unresolved", "unfixed", "not fixed"})
# Attacks on the work, and how it is said that one came through. That an attack failed is good.
_ATTACKS = {"attack", "attacks", "pentest", "penetration", "fuzz", "fuzzing", "abuse"}
_STRESS = {"stress", "load"}
_THROUGH = pattern(
    r"(?:(?:it|was|is|has|the|server|service|attack) )*(?:succeed(?:s|ed)?|successful|success|worked|works|exploited"
    r"|exploitable|bypass(?:es|ed)|got in|came through|went through|vulnerable|crash(?:es|ed)?|broke|broken"
    r"|leak(?:s|ed)|compromised)\b(?! (?:as expected|safely)).*"
)
_CAME_THROUGH = frozenset({"success", "succeeded", "successful", "worked", "exploited", "bypassed", "came through"})
# Under these it stands what was tried, and not what came of it.
_TRIED = {
    "name",
    "attack",
    "title",
    "type",
    "description",
    "payload",
    "input",
    "steps",
    "vector",
    "how",
    "goal",
    "case",
}
_RECOVERS = frozenset({"recoverable", "is recoverable", "retryable", "is retryable", "retriable", "can retry"})
_FATAL = frozenset({"fatal", "is fatal", "unrecoverable", "non recoverable", "nonrecoverable", "not recoverable"})
# Fields that say which kind of error it was, and those inside of an error.
_ERROR = pattern("(?:error|exception)(?: (?:type|class|name|kind|category|code))?|failure (?:type|class|kind|category)")
_OF_ERROR = pattern("type|class|name|kind|category|code|severity|level")
_AS_KIND = {"transient": True, "fatal": False}
# As a program prints it: on a line of its own. In a sentence it may be what the work is about.
_PRINTED = pattern(r"^[ \t>`*]*(?:\w+\.){0,5}(Recoverable|Fatal)Error(?=:|\(|[ \t`*]*$)", re.MULTILINE)
_PRINTED_MAX = 20_000
_BLOCKS = frozenset({"blocking", "is blocking", "blocks"})
_BLOCKS_NOT = frozenset({"non blocking", "nonblocking", "not blocking", "is non blocking"})
_COUNTS = {"count", "counts", "number", "num", "of", "total"}
_GRAVE = ("critical", "high")


def is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and plain(value) in ("yes", "true"))


def is_no(value: Any) -> bool:
    return value is False or (isinstance(value, str) and plain(value) in ("no", "false"))


def is_attack(name: str) -> bool:
    """Does it tell of attacks? There `failed` says that the work has held."""
    return bool(_ATTACKS & set(plain(name).split()))


def came_through(name: str, value: Any) -> bool:
    """Of an attack or a load: is it said here that the work has not held?"""
    words = plain(name)
    if words in _CAME_THROUGH:
        return is_yes(value)
    return words not in _TRIED and isinstance(value, str) and _THROUGH.fullmatch(plain(value)) is not None


def is_tried(name: str) -> bool:
    """Does it tell of attacks or of a load, of which each says whether it came through?"""
    return bool((_ATTACKS | _STRESS) & set(plain(name).split()))


def recovers(fields: Mapping[str, Any]) -> set[bool]:
    """What these say of an error: that one can go on from it, that nobody can, both, or neither."""
    said = [(plain(str(name)), value) for name, value in fields.items() if is_yes(value) or is_no(value)]
    can = {is_yes(value) for words, value in said if words in _RECOVERS}
    never = {False for words, value in said if words in _FATAL and is_yes(value)}
    told = can | never | {True for words, value in said if words in ("transient", "temporary") and is_yes(value)}
    return told | {kind for name, value in fields.items() for kind in _kinds(plain(str(name)), value)}


def _kinds(name: str, value: Any) -> set[bool]:
    """Which kind of error a field names, by itself or inside."""
    if isinstance(value, dict):
        inside = [one for key, one in value.items() if _OF_ERROR.fullmatch(plain(str(key)))]
    else:
        inside = [value]
    if _ERROR.fullmatch(name) is None and (isinstance(value, dict) or name not in ("severity", "level")):
        return set()
    found = [meaning_of(one) for one in inside if isinstance(one, str)]
    return {_AS_KIND[one.cause] for one in found if one is not None and one.cause in _AS_KIND}


def tells_error(fields: Mapping[str, Any]) -> bool:
    """Is there a field that tells of an error?"""
    return any(_ERROR.fullmatch(plain(str(name))) for name in fields)


def printed_error(text: str) -> set[bool]:
    """The document's kinds of error among the lines of a text: that one can go on from it, or that nobody can."""
    return {found.group(1) == "Recoverable" for found in _PRINTED.finditer(text[:_PRINTED_MAX])}


def blocking_in(fields: Mapping[str, Any]) -> tuple[str | None, bool | None]:
    """Under which name a question says whether it holds the item, and what: None where that is neither yes nor no."""
    for name, value in fields.items():
        words = plain(str(name))
        if words in _BLOCKS or words in _BLOCKS_NOT:
            told = True if is_yes(value) else False if is_no(value) else None
            return name, told if told is None or words in _BLOCKS else not told
    return None, True


def counts_problems(name: str) -> bool:
    """Is a number under this name one of problems? `issues`, `issue_count`, `number_of_findings`, `critical`."""
    words = plain(name).split()
    if " ".join(words) in _STILL_OPEN:
        return True
    bare = [word for word in words if word not in _COUNTS]
    if " ".join(bare).removesuffix(" severity") in _GRAVE:
        return True
    # The board itself counts how often an item has failed.
    if len(bare) == len(words) or bare == ["failure"]:
        return listed_under(name)[0]
    several = (" ".join(bare), f"{' '.join(bare)}s", f"{' '.join(bare)[:-1]}ies")
    return any(listed_under(one)[0] for one in several)
