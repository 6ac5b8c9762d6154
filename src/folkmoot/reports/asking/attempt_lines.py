"""Which lines begin an ATTEMPT block, and which are only words about an attempt."""

import re
from collections.abc import Sequence

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.loose.names import label_in
from folkmoot.reports.page import Line

MARKUP = "*_`#> \t•"
# As a word the number has a sign behind it, or nothing: "attempt one failed" is a sentence.
_IN_WORDS = r"(?:one|two|three|four|five|six|seven|eight|nine)(?=\s{0,3}(?:[:：.(–—-]|\Z))"
_NUMBER = rf"(?:#|№\s?|no\.\s?)?(\d{{1,6}}|{_IN_WORDS})|#?[\[(]\s?#?(\d{{1,6}}|N)\s?[\])]"
_ATTEMPT = pattern(
    rf"(?:at{{1,3}}empt|attemp|attemt|attmept|atetmpt)"
    rf"(?:\s{{0,3}}(?:{_NUMBER})\s{{0,3}}(?:[:：.–—-]\s{{0,3}})?|\s{{0,3}}[:：–—]\s{{0,3}})(.{{0,200}})",
    re.IGNORECASE,
)
_LISTED = pattern(r"(\d{1,3})[.)]\s{1,4}")
KINDS = pattern(r"self[\s‐‑-]?solve|expert|delegat", re.IGNORECASE)
ATTEMPT_LABELS = {
    "approach": "approach",
    "what i tried": "approach",
    "what we tried": "approach",
    "what was tried": "approach",
    "outcome": "outcome",
    "result": "outcome",
    "why different": "why_different",
    "why it is different": "why_different",
    "why this is different": "why_different",
    "how it differs": "why_different",
    "how this differs": "why_different",
    "what is different": "why_different",
    "difference": "why_different",
}
# Some write a block on one line, each field behind a mark.
NEXT_FIELD = pattern(rf"(?:[.;,|–—]|\s-)\s{{1,3}}(?=(?:{'|'.join(ATTEMPT_LABELS)})\s?:)", re.IGNORECASE)
# Some write `Outcome - red`; a dash is none of the form's signs, so it counts behind its own labels only.
DASHED = pattern(rf"^[\W_]{{0,9}}({'|'.join(ATTEMPT_LABELS)})[*_`]{{0,3}}\s{{1,3}}[–—=-]\s", re.IGNORECASE)
# A line that ends so is not the end of its sentence.
_GOES_ON = pattern(
    r"(?:,|\b(?:a|an|and|as|at|before|after|but|by|during|for|from|in|into|like|of|on|or|our|see|since|than|that|the"
    r"|to|unlike|until|was|were|what|when|which|while|with))\Z",
    re.IGNORECASE,
)
# Words that run on behind the number, without a sign: "attempt 1 on the large file".
_RUNS_ON = pattern(r"attempt\s{1,3}#?\d{1,6}\s{1,3}\w.{0,300}")


def attempt_in(words: str) -> tuple[str, str] | None:
    """The number and the title of an ATTEMPT line, with or without the form's brackets, also as a point of a list."""
    if len(words) > 400 or "at" not in words.lower():
        return None
    bare = words.lstrip(MARKUP + "-")
    listed = _LISTED.match(bare)
    bare = bare[listed.end() :].lstrip(MARKUP) if listed else bare
    found = _ATTEMPT.fullmatch(bare.rstrip(MARKUP))
    if found is None:
        return None
    number = found.group(1) or found.group(2) or (listed.group(1) if listed else "")
    return number, found.group(3).strip(MARKUP)


def fields_in(words: str) -> list[tuple[str, str]]:
    found = (label_in(part, ATTEMPT_LABELS) for part in NEXT_FIELD.split(words))
    return [one for one in found if one is not None]


def has_fields(lines: Sequence[Line], place: int) -> bool:
    """Does this ATTEMPT line have one of the form's fields, behind its title or right below it?"""
    found = attempt_in(lines[place].text.strip())
    return found is not None and (bool(fields_in(found[1])) or _next_field(lines, place) is not None)


def is_wrapped(lines: Sequence[Line], place: int, known: Sequence[str]) -> bool:
    """Is this ATTEMPT line the rest of the sentence above it? `known` are the fields that the block above has: one of
    them again below the line is the next block's."""
    above, words = lines[place - 1].text.strip() if place else "", lines[place].text.strip()
    found = attempt_in(words)
    if not above or found is None or not words[:1].isalpha() or KINDS.match(found[1]) or fields_in(found[1]):
        return False
    if _next_field(lines, place) in ("approach", *known):
        return False
    return _GOES_ON.search(above) is not None or _RUNS_ON.fullmatch(words) is not None


def is_logged(lines: Sequence[Line], place: int, start: int) -> bool:
    """Is this ATTEMPT line one of a log: further in than the block that begins at `start`, and not written as one?"""
    words, indent = lines[place].text.strip(), _indent(lines[place])
    found = attempt_in(words)
    if found is None or not words[:1].islower() or KINDS.match(found[1]) or fields_in(found[1]):
        return False
    return indent >= _indent(lines[start]) + 2 and _next_field(lines, place) != "approach"


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _next_field(lines: Sequence[Line], place: int) -> str | None:
    """The field of the form with which the next line that says something begins."""
    below = (DASHED.sub(r"\1: ", line.text.strip(), count=1) for line in lines[place + 1 : place + 4])
    words = next((words for words in below if words), "")
    named = label_in(words, ATTEMPT_LABELS)
    return named[0] if named is not None else None
