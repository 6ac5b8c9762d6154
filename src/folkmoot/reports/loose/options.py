"""Options as agents list them: numbered, lettered, with signs, on one line or on several."""

import re

from folkmoot.core.report import Choice
from folkmoot.reports.placeholders import filled

_MARKUP = "*_`#> \t•"
_POINT = re.compile(r"\s{0,8}(?:[-*+•]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+")
# The same marks in the middle of a line: `a) PEM b) DER`.
_INLINE = re.compile(r"(?:\A|(?<=[\s,;]))\(?(?:\d{1,2}|[A-Za-z])\)\s{1,3}")
# With these a part of a sentence goes on; it is no option of its own.
_GOES_ON = re.compile(
    r"(?:the|a|an|which|because|but|so|as|since|with|if|when|that|although|though|unless)\s", re.IGNORECASE
)
_JOINING = re.compile(r"\A(?:or|and)\s+", re.IGNORECASE)
_WORDS_MAX = 5
_NONE = ("none", "n/a", "na", "nothing", "not applicable", "none considered", "no options")


def options_in(words: str) -> list[Choice]:
    """The options that words list; `None` and `N/A` list none."""
    found = _listed(words)
    alone = found[0] if len(found) == 1 and not found[0].why_insufficient else None
    named = alone.option.strip("()[]. ").lower().removesuffix(" yet") if alone is not None else ""
    return [] if named in _NONE else found


def _listed(words: str) -> list[Choice]:
    """`1. option: why it is not enough`; a line without a mark goes on with the option before, if any has a mark."""
    lines = [line for line in words.split("\n") if line.strip()]
    if len(lines) == 1:
        return [choice for point in _on_one_line(lines[0]) if (choice := _choice(point)) is not None]
    marked = any(_POINT.match(line) for line in lines)
    points: list[list[str]] = []
    for line in lines:
        mark = _POINT.match(line)
        goes_on = bool(points) and not mark and (marked or line[:1].isspace())
        if goes_on:
            points[-1].append(line.strip())
        else:
            points.append([line[mark.end() :].strip() if mark else line.strip()])
    return [choice for point in points if (choice := _choice(" ".join(point))) is not None]


def _on_one_line(line: str) -> list[str]:
    marks = list(_INLINE.finditer(line.strip()))
    if len(marks) > 1 and marks[0].start() == 0:
        bare = line.strip()
        ends = [*(mark.start() for mark in marks[1:]), len(bare)]
        return [bare[mark.end() : end].strip(" ,;\t") for mark, end in zip(marks, ends, strict=True)]
    mark = _POINT.match(line)
    if mark:
        return [line[mark.end() :].strip()]
    for sign in (";", ","):
        parts = [_JOINING.sub("", part.strip()) for part in line.split(sign)]
        parts = [part for part in parts if part]
        plain = sign == ";" or not any(
            ":" in part or len(part.split()) > _WORDS_MAX or _GOES_ON.match(part) for part in parts
        )
        if len(parts) > 1 and plain:
            return parts
    return [line.strip()]


def _choice(point: str) -> Choice | None:
    for sign in (": ", " – ", " — ", " - "):
        option, between, why = point.partition(sign)
        if between and option.strip():
            break
    else:
        option, why = point, ""
    named = filled(option.strip(_MARKUP))
    return Choice(option=named, why_insufficient=filled(why)) if named is not None else None
