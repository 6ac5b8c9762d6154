"""What an object of a report's own says against `done` (R-22, R-32): `"healingReport": {"notFixed": ["…"]}`.

Beside the end itself each of these would be asked back. An object must not make them unheard. Here only what is plain
counts: what is left, another verdict, a point that is not met. What else an object holds describes.
"""

from collections.abc import Iterator
from typing import Any

from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import (
    CARRIED_ELSEWHERE,
    COUNTED_HERE,
    NAMES_ITEM,
    TOLD_OF,
    VERDICTS,
    refusal,
)
from folkmoot.core.vocabulary.phrases.describing import denies, is_flag, names_request
from folkmoot.core.vocabulary.phrases.flags import is_attack, is_no, is_tried
from folkmoot.core.vocabulary.phrases.tallies import share_of
from folkmoot.core.vocabulary.phrases.undone import left_open
from folkmoot.core.vocabulary.problems import is_over, listed_under
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import plain

# Asked of the work point by point: there a no under any name says that a point is not met.
POINTS = frozenset({"checklist", "criteria", "acceptance", "checks"})
# How it was before, what was tried on the way, or how tests came out: these are weighed as such.
_ON_THE_WAY = frozenset(
    {
        *("attempt", "attempts", "command", "commands", "log", "logs", "test", "tests", "retry"),
        *("before", "initial", "initially", "original", "baseline", "was"),
    }
)
_ELSEWHERE = frozenset(map(folded, (*CARRIED_ELSEWHERE, *COUNTED_HERE, *NAMES_ITEM))) | TOLD_OF
DEPTH_MAX = 4
FIELDS_MAX = 200
WORDS_MAX = 40  # letters of a field that says how something came out


def left_inside(said: Report) -> str | None:
    """The first field in an object that says plainly that the work is not what `done` says; None if there is none."""
    own = ((name, value) for name, value in said.extra.items() if isinstance(value, dict | list))
    return next((told for name, value in own if not _is_told(name) for told in _against(name, value)), None)


def _is_told(name: str) -> bool:
    """Has it rules of its own, or does it tell of something else than how the work is now?"""
    words = set(plain(name).split())
    ruled = folded(name) in _ELSEWHERE or listed_under(name)[0] or names_request(name)
    return bool(ruled or words & _ON_THE_WAY or is_over(name) or is_tried(name) or is_attack(name))


def _against(name: str, value: Any, deep: int = 0) -> Iterator[str]:
    pointed = bool(POINTS & set(plain(name).split()))
    parts = value[:FIELDS_MAX] if isinstance(value, list) and pointed else [value]
    for part in parts:
        for inner, told in list(part.items())[:FIELDS_MAX] if isinstance(part, dict) and deep < DEPTH_MAX else ():
            inner = str(inner)
            if _says_against(inner, told, pointed):
                shown = "no" if told is False else "yes" if told is True else _words(told) or told
                yield f"{name}.{inner}: {shown}"
            elif isinstance(told, dict | list) and not _is_told(inner):
                yield from _against(inner, told, deep + 1)


def _says_against(name: str, value: Any, pointed: bool) -> bool:
    if left_open(name, _words(value)):
        return True
    aside = is_over(name) and not is_flag(value)
    if isinstance(value, dict | list) or aside or _ON_THE_WAY & set(plain(name).split()):
        return False
    if is_flag(value):
        return (pointed and is_no(value)) or denies(name, value)
    if not isinstance(value, str) or len(value) > WORDS_MAX or share_of(value) is not None:  # counted tests are weighed
        return False
    return refusal(value) is not None if name.casefold() in VERDICTS else denies(name, value)


def _words(value: Any) -> str:
    """A text, or a list of texts as lines."""
    parts = value if isinstance(value, list) else [value]
    return "\n".join(part for part in parts if isinstance(part, str))
