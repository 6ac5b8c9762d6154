"""Work that a text lists piece by piece: whoever splits work and only tells of the pieces has split nothing.

A list alone says little, since findings, files and steps that were taken are listed as well. What stands before it must
call it work, or each of its entries must say what somebody can do then, or give the entry to whoever works next.
"""

import re
from collections.abc import Collection, Sequence

from msgspec import Struct

from folkmoot.core.vocabulary.lines import ONE_PATH
from folkmoot.core.vocabulary.patterns import pattern

TEXT_MAX = 20_000
ENTRIES_MAX = 200
_POINT = pattern(r"\s{0,12}(?:[-*+•]|\(?\d{1,3}[.)])\s+(?=\S)")
# In running words: `1. …`, `(1) …`, `task 1: …`. Only the first needs a mark before it, since the others count on.
_INLINE = pattern(
    r"(?:\A\s{0,12}|(?<=[.:;,)–—])\s{1,3}|\s{1,3})((?:task|action|codeweaver)[ -]?#?|\()?(\d{1,3})[.):]\s+(?=\S)", re.I
)
_BEGINS = pattern(r"[.:;,)–—]\s*\Z|\A\s*\Z")
_SENTENCES = pattern(r"[.!?;](?=\s|\Z)|\n")
_WORK = pattern(
    r"\b(?:(?:observable|atomic|user) actions|(?:sub-?)?tasks|work (?:items|packages)|pieces of work"
    r"|(?:task )?(?:decomposition|breakdown))\b",
    re.IGNORECASE,
)
_PLAN = pattern(r"\b(?:plan|steps|to ?do|(?:to be|must be) (?:done|built)|remaining work)\b", re.IGNORECASE)
# What was looked at, and what is there already, is nobody's work.
_OVER = pattern(
    r"(?<!be )\b(?:done|completed|finished)\b|\b(?:did|looked|took|existing|already|earlier|previous|considered|dropped"
    r"|cancel\w*|out of scope|findings?)\b|\bno (?:\w+ )?tasks\b",
    re.IGNORECASE,
)
_CAN = pattern(
    r"(?:(?:an?|the|each|every|any)\s)?(?:\w{1,30}\s){0,2}?(?:users?|visitors?|customers?|admins?|administrators?"
    r"|members?|guests?)\s(?:can|could|may|(?:is|are|will be|should be) able to)\b"
    r"(?!\s(?:already|now|not|still|today|currently|no longer))",
    re.IGNORECASE,
)
_BUILDS = pattern(
    r"(?:then\s)?(?:add|implement|create|build|write|introduce|extend|refactor|migrate|replace|wire|develop|expose)\s\w",
    re.IGNORECASE,
)
_AFTER = pattern(
    r"\b(?:depends (?:up)?on|comes after|blocked by)\s(?:task\s|step\s)?#?\d{1,3}(?!\s?[\w-])", re.IGNORECASE
)
_SPLIT = r"(?:split|splitting|decompos\w+|divid\w+|break(?:ing)? (?:it )?(?:up|down))"
_ONE = pattern(
    r"(?<!each )(?<!per )\b(?:one|a single|1)\s(?:(?:small|single|simple|whole|coherent)\s)?(?:task|codeweaver)\b"
    r"(?!\s(?:each|per|for (?:each|every)|at a time|after))"
    rf"|\b(?:no|without|not|nothing)\b[^.;!?\n]{{0,40}}\b{_SPLIT}\b(?!\s(?:any )?(?:further|more|again))"
    r"|\bas one\b|\bundivided\b",
    re.IGNORECASE,
)


class Listed(Struct):
    before: str  # what introduces the list
    entries: list[str]
    called: bool = False  # each entry calls itself a task


def one_is_enough(words: str) -> bool:
    """Does a text say that the whole is one task, and nothing has to be split?"""
    return _ONE.search(words[:TEXT_MAX]) is not None


def pieces_in(words: str, workers: Collection[str]) -> list[str]:
    """The first list in a text of which the entries are pieces of work, two at least; `workers` may be given them."""
    words = words[:TEXT_MAX]
    found = (one.entries for one in [*_points(words), *_inline(words)] if _is_work(one, workers))
    return next(found, [])


def pieces_among(steps: Sequence[str], workers: Collection[str]) -> list[str]:
    """Of a list those that are given to whoever works next, or say what somebody can do then; two at least."""
    told = [step.strip() for step in steps[:ENTRIES_MAX]]
    given = _given(workers)
    kinds = [[step for step in told if given.match(step)], [step for step in told if _CAN.match(step)]]
    return next((found for found in kinds if len(found) > 1), [])


def _is_work(listed: Listed, workers: Collection[str]) -> bool:
    entries, before = listed.entries, listed.before
    if len(entries) < 2 or all(ONE_PATH.fullmatch(entry.strip("` .")) for entry in entries):
        return False
    if listed.called or pieces_among(entries, workers) or any(_AFTER.search(entry) for entry in entries):
        return True
    if _OVER.search(before):
        return False
    if _WORK.search(before):
        return True
    return _PLAN.search(before) is not None and all(_BUILDS.match(entry) for entry in entries)


def _given(workers: Collection[str]) -> re.Pattern[str]:
    """How an entry begins that one of them is to do: `Codeweaver 1: …`, `The codeweaver should …`."""
    names = "|".join(re.escape(worker) for worker in workers) or "(?!)"
    return re.compile(
        rf"[*_`]{{0,3}}(?:an?\s|the\s|next\s)?(?:{names})[\s_-]?\d{{0,3}}[*_`]{{0,3}}\s?(?::|→|[–—-]\s|to\s|should\s|must\s)",
        re.IGNORECASE,
    )


def _points(words: str) -> list[Listed]:
    """Points below each other, with the last line before them; an indented line belongs to its point."""
    found: list[Listed] = []
    before = ""
    inside = False
    for line in words.splitlines():
        point = _POINT.match(line)
        if point is not None and not inside:
            found.append(Listed(before, []))
        if point is not None and not (inside and line[:1].isspace()):
            found[-1].entries.append(line[point.end() :].strip())
            inside = True
        elif inside and line[:1].isspace():
            found[-1].entries[-1] += f" {line.strip()}"
        elif line.strip():
            before, inside = line.strip(), False
    return found


def _inline(words: str) -> list[Listed]:
    """Entries in running words that are numbered from one on."""
    found: list[Listed] = []
    for line in words.splitlines():
        run: list[re.Match[str]] = []
        for mark in _INLINE.finditer(line):
            begins = run or _BEGINS.search(line[: mark.start(2)].removesuffix(mark.group(1) or ""))
            if int(mark.group(2)) == len(run) + 1 and begins and len(run) < ENTRIES_MAX:
                run.append(mark)
        if len(run) < 2:
            continue
        ends = [*(mark.start() for mark in run[1:]), len(line)]
        entries = [line[mark.end() : end].strip() for mark, end in zip(run, ends, strict=True)]
        said = [one for one in _SENTENCES.split(line[: run[0].start()]) if one.strip()]
        called = all((mark.group(1) or "(") != "(" for mark in run)
        found.append(Listed(said[-1].strip() if said else "", entries, called))
    return found
