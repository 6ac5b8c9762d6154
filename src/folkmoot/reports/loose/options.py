"""Options as agents list them: numbered, lettered, with signs, on one line or on several."""

import re

from folkmoot.core.report import Choice
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.placeholders import filled

_MARKUP = "*_`#> \t•"
_POINT = pattern(
    r"(\s{0,8})(?:[-*+•]\s+)?(?:[*_`]{0,3}option\s+(?:\d{1,3}|[A-Za-z])[*_`]{0,3}\s?[:.)–—-][*_`]{0,3}\s*"
    r"|(?:[-*+•]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+)",
    re.IGNORECASE,
)
_BULLET = pattern(r"\s{0,8}[-*+•]\s+(?!option\s)", re.IGNORECASE)
# The template's own name for what stands behind an option.
_WHY = pattern(r"[*_`]{0,3}why(?: it is)? (?:insufficient|not enough|not)[*_`]{0,3}\s?:[*_`]{0,3}\s*", re.IGNORECASE)
# `**Keep it:** slow`, with the colon inside of the marks.
_COLON_INSIDE = pattern(r"(?<=\S):([*_`]{1,3})(?=\s|$)")
_LABELLED = pattern(r"[A-Za-z][A-Za-z ]{1,20}:\s")
_RULE = pattern(r"[|:\s-]+")
# The same marks in the middle of a line: `a) PEM b) DER`.
_INLINE = pattern(r"(?:\A|(?<=[\s,;]))\(?(?:\d{1,2}|[A-Za-z])\)\s{1,3}")
# With these a part of a sentence goes on; it is no option of its own.
_GOES_ON = pattern(
    r"(?:the|a|an|which|because|but|so|as|since|with|if|when|that|although|though|unless)\s", re.IGNORECASE
)
_JOINING = pattern(r"\A(?:or|and)\s+", re.IGNORECASE)
_EITHER = pattern(r"\Aeither\s+", re.IGNORECASE)
_WORDS_MAX = 5
_NONE = ("none", "n/a", "na", "nothing", "not applicable", "none considered", "no options")


def options_in(words: str) -> list[Choice]:
    """The options that words list; `None` and `N/A` list none."""
    found = _listed(words)
    alone = found[0] if len(found) == 1 and not found[0].why_insufficient else None
    named = alone.option.strip("()[]. ").lower().removesuffix(" yet") if alone is not None else ""
    return [] if named in _NONE else found


def _listed(words: str) -> list[Choice]:
    """`1. option: why it is not enough`; a line without a mark goes on with the option before, if any has a mark. So
    does a point below a point: what is indented, or a bullet among numbers."""
    lines = [line for line in words.split("\n") if line.strip()]
    if lines and all(line.lstrip().startswith("|") for line in lines):
        return _rows(lines)
    if len(lines) == 1:
        return [choice for point in _on_one_line(lines[0]) if (choice := _choice(point)) is not None]
    first = next((mark for line in lines if (mark := _POINT.match(line))), None)
    points: list[list[str]] = []
    reasons: list[list[str]] = []
    for line in lines:
        mark = _POINT.match(line)
        below = first is not None and mark is not None and _is_below(mark, first, line)
        if points and (below or _WHY.match(line.strip())):
            reasons[-1].append(_WHY.sub("", line[mark.end() if mark else 0 :].strip(), count=1))
        elif points and not mark and (first is not None or line[:1].isspace()):
            labelled = line[:1].isspace() and _LABELLED.match(line.strip())
            (reasons if labelled or reasons[-1] else points)[-1].append(line.strip())
        else:
            points.append([line[mark.end() :].strip() if mark else line.strip()])
            reasons.append([])
    found = [(_choice(" ".join(point)), "; ".join(why)) for point, why in zip(points, reasons, strict=True)]
    return [_because(choice, why) for choice, why in found if choice is not None]


def _is_below(mark: re.Match[str], first: re.Match[str], line: str) -> bool:
    """Does this point stand under another one? The first says how far in, and with which kind of mark, they stand."""
    numbered = _BULLET.match(first.string) is None
    return len(mark.group(1)) > len(first.group(1)) + 1 or (numbered and _BULLET.match(line) is not None)


def _because(choice: Choice, why: str) -> Choice:
    told = "; ".join(part for part in (choice.why_insufficient, filled(why)) if part)
    return Choice(option=choice.option, why_insufficient=told or None)


def _rows(lines: list[str]) -> list[Choice]:
    """Options as a table: one in each row, and the rest of the row why it is not enough."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    ruled = len(lines) > 1 and _RULE.fullmatch(lines[1]) is not None
    rows = rows[1:] if ruled else rows
    if rows and all(len(row) > 1 and re.fullmatch(r"#?\d{1,3}[.)]?|[A-Za-z]", row[0]) for row in rows):
        rows = [row[1:] for row in rows]  # the first column numbers them
    told = ((filled(row[0].strip(_MARKUP)), "; ".join(cell for cell in row[1:] if cell)) for row in rows if row)
    return [Choice(option=option, why_insufficient=filled(why)) for option, why in told if option is not None]


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
            return [*parts[:-1], *_last(parts[-1])] if sign == "," else parts
    return _apart(line.strip())


def _last(part: str) -> list[str]:
    """Of options between commas the last two may have a word between them: `JWT, Session or OAuth`."""
    both = part.split(" or ")
    return both if len(both) == 2 and "(" not in part and all(one.strip() for one in both) else [part]


def _apart(line: str) -> list[str]:
    """Options with a sign or a word between them: `JWT / Session`, `JWT or Session`, `either … or …`. Without `either`
    only single words are options for sure: "ask once or twice" is one."""
    either = _EITHER.match(line)
    for sign in (" / ", " | ", " or "):
        parts = [part.strip() for part in line[either.end() if either else 0 :].split(sign)]
        words_max = 1 if sign == " or " and not either else _WORDS_MAX
        if len(parts) > 1 and "(" not in line and all(0 < len(part.split()) <= words_max for part in parts):
            return parts
    return [line]


def _choice(point: str) -> Choice | None:
    point = _COLON_INSIDE.sub(r"\1: ", point, count=1) if point[:1] in _MARKUP else point
    for sign in (": ", " – ", " — ", " - "):
        option, between, why = point.partition(sign)
        if between and option.strip():
            break
    else:
        option, why = point, ""
    named = filled(option.strip(_MARKUP))
    return Choice(option=named, why_insufficient=filled(why)) if named is not None else None
