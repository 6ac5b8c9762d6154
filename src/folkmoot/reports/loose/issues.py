"""Issues that a verdict names, in whichever shape: a number, a text, a list, objects under names."""

import re
from typing import Any

from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.lines import number_in, says_severity, severity_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.mended import mended, mended_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.undone import verdict_named
from folkmoot.core.vocabulary.problems import listed_under, problems_in
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import Faulty

OPEN = "open_issues"  # of `extra`: how many a verdict names that have no severity

_WEAK = ("low", "medium")  # under a name that says so (`minor_issues`) they are remarks

_COUNT = pattern(
    r"[*_`(]{0,3}(\w{1,9})[*_`)]{0,3}((?: (?:issues?|findings?|problems?|found|open|total|in total)){0,3})[.:]?",
    re.IGNORECASE,
)
_POINT = pattern(r"(\s{0,40})(?:[-*+•]|\d{1,3}[.)])\s")
_LISTED = pattern(r"(?:[-*+•]|\(?\d{1,3}[.)])\s+(?=\S)")
_NUMBERED = pattern(r"(?:\A|(?<=[\s,;]))\(?(\d{1,2})[.)]\s{1,3}(?=\S)")


def count_in(words: str) -> int | None:
    """How many there are, where the words say nothing else: `2`, `2 issues found:`."""
    told = _COUNT.fullmatch(words.strip())
    return number_in(told.group(1)) if told else None


def check_count(count: int | None, found: list[Finding], lines: list[str]) -> None:
    """Whoever lists more than it counts has not said which of the two holds. A point may have others below it, and what
    is mended may be left out of the number. A number that is larger may count what was sent: the rules weigh that."""
    if count is None or count >= len(found):
        return
    indents = [len(point.group(1)) for line in lines if (point := _POINT.match(line))]
    if count not in (indents.count(min(indents, default=0)), sum(one.fixed is None for one in found)):
        words = f"Issues: it counts {count}, and tells {len(found)}: which holds? Name each once and count them all"
        raise Faulty([f"{words}, or leave the number out"])


def left_open(data: dict[str, Any]) -> int:
    """How many are so under whichever names; `findings` is the field for remarks, too."""
    listed = (one for one in problems_in(data) if not one.within and one.name != "findings")
    told = (one for one in listed if not any(severity_of(word) in _WEAK for word in plain(one.name).split()))
    unweighed = sum(open_issues([part]) for one in told for part, severity in one.parts if severity is None)
    return max(unweighed, uncounted(data))


def uncounted(data: dict[str, Any]) -> int:
    """What a bare `count` says where the list of problems beside it is shorter: `{"issues": [], "count": 2}`."""
    count = number_in(data.get("count")) or 0
    listed = [len(value) for name, value in data.items() if isinstance(value, list) and listed_under(name)[0]]
    return count if listed and count > sum(listed) else 0


def open_issues(value: Any) -> int:
    """How many are named without saying how bad each is: those with a severity are findings, and weighed as such."""
    if isinstance(value, str) and number_in(value) is None:
        value = [value]
    if isinstance(value, dict):
        value = list(value.values()) if not {"severity", "issue", "description"} & value.keys() else [value]
    if not isinstance(value, list):
        return number_in(value) or 0
    return sum(_is_open(one) for one in value)


def _is_open(one: Any) -> bool:
    if isinstance(one, dict):
        return mended(one) is None and not (isinstance(one.get("severity"), str) and one["severity"].strip())
    return (
        isinstance(one, str)
        and bool(one.strip())
        and not mended_in(one)[1]
        and not says_nothing(one)
        and not says_severity(one)
        and verdict_named(one) is None  # `**Approval:** true` below a list
    )


def points_apart(text: str) -> list[str]:
    """The points of a list that is one text: a line for each, or numbered one behind the other."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    marks = [_LISTED.match(line) for line in lines]
    if len(lines) > 1 and all(marks):
        return [line[mark.end() :].strip() for line, mark in zip(lines, marks, strict=True) if mark]
    found = list(_NUMBERED.finditer(text))
    counts = len(found) > 1 and not text[: found[0].start()].strip()
    if not counts or [int(mark.group(1)) for mark in found] != list(range(1, len(found) + 1)):
        return [text]
    ends = [*(mark.start() for mark in found[1:]), len(text)]
    return [text[mark.end() : end].strip(" ,;\t\n") for mark, end in zip(found, ends, strict=True)]
