"""Options as agents list them: numbered, lettered, with signs, on one line or on several."""

import re
from itertools import pairwise

from folkmoot.core.report import Choice
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.placeholders import filled

_MARKUP = "*_`#> \t•"
_AROUND = "*_#> \t•"
_CODE = pattern(r"`[^`\n]{1,300}`")
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
# What is said of an option in points below it begins with such a word; anything else before a colon is an option.
_SAID_OF = pattern(
    r"[*_`]{0,3}(?:pros?|cons?|plus|minus|(?:dis)?advantages?|upsides?|downsides?|benefits?|drawbacks?|risks?|costs?"
    r"|effort|problems?|notes?|but|because|reason|why|however|size|speed|security|performance|complexity|example|e\.g\.)"
    r"\b",
    re.IGNORECASE,
)
_LABELLED = pattern(r"[A-Za-z][A-Za-z ]{1,20}:\s")
_RULE = pattern(r"[|:\s-]+")
# The same marks in the middle of a line: `a) PEM b) DER`.
_INLINE = pattern(r"(?:\A|(?<=[\s,;]))\(?(?:\d{1,2}|[A-Za-z])\)\s{1,3}")
# With these a part of a sentence goes on; it is no option of its own.
_GOES_ON = pattern(
    r"(?:the|a|an|which|because|but|so|as|since|with|if|when|that|although|though|unless)\s", re.IGNORECASE
)
_NUMBERED = pattern(r"(?:\A|(?<=[\s,;]))(\d{1,2})[.)]\s{1,3}")  # `1. PEM: large; 2. DER: binary`, in order
_HEADING = pattern(r"#{1,6}\s+")
_JOINING = pattern(r"\A(?:or|and)\s+", re.IGNORECASE)
_EITHER = pattern(r"\Aeither\s+", re.IGNORECASE)
_WORDS_MAX = 5
_FENCES = ("```", "~~~")
_NONE = ("none", "n/a", "na", "nothing", "not applicable", "none considered", "no options")


def options_in(words: str) -> list[Choice]:
    """The options that words list; `None` and `N/A` list none."""
    found = _listed(words)
    alone = found[0] if len(found) == 1 and not found[0].why_insufficient else None
    named = alone.option.strip("()[]. ").lower().removesuffix(" yet") if alone is not None else ""
    return [] if named in _NONE else found


def _listed(words: str) -> list[Choice]:
    """`1. option: why it is not enough`; a line without a mark goes on with the option before, if any has a mark. So
    does a point below a point: what is indented, or a bullet among numbers, if it is no further option."""
    lines = _without_headings([line for line in _with_fences(words) if line.strip()])
    if lines and all(line.lstrip().startswith("|") for line in lines):
        return _rows(lines)
    if len(lines) == 1:
        return [choice for point in _on_one_line(lines[0]) if (choice := _choice(point)) is not None]
    first = next((mark for line in lines if (mark := _POINT.match(line))), None)
    more = _further(lines, first)
    points: list[list[str]] = []
    reasons: list[list[str]] = []
    for line in lines:
        if line.startswith(_FENCES) and points:
            reasons[-1].append(line)
            continue
        mark = _POINT.match(line)
        below = first is not None and mark is not None and line not in more and _is_below(mark, first, line)
        if points and (below or _WHY.match(line.strip())):
            reasons[-1].append(_WHY.sub("", line[mark.end() if mark else 0 :].strip(), count=1))
        elif points and not mark and (first is not None or line[:1].isspace()):
            labelled = line[:1].isspace() and _LABELLED.match(line.strip())
            (reasons if labelled or reasons[-1] else points)[-1].append(line.strip())
        else:
            points.append([line[mark.end() :].strip() if mark else line.strip()])
            reasons.append([])
    found = [(_choice(" ".join(point)), _joined(why)) for point, why in zip(points, reasons, strict=True)]
    return [_because(choice, why) for choice, why in found if choice is not None]


def _without_headings(lines: list[str]) -> list[str]:
    """Headings as the points that they are: `### Option 1: PEM`, and what stands below each says why not."""
    if not (lines and all(_HEADING.match(line) for line in lines[:1])):
        return lines
    found: list[str] = []
    for line in lines:
        head = _HEADING.match(line)
        if head:
            title = line[head.end() :].strip()
            found.append(title if _POINT.match(title) else f"1. {title}")
        else:
            bare = line.strip()
            bullet = _BULLET.match(bare)
            found.append(line if line.startswith(_FENCES) else f"   - {bare[bullet.end() :] if bullet else bare}")
    return found


def _with_fences(words: str) -> list[str]:
    """The lines, and each fence as one of them: what stands in it lists nothing."""
    found: list[str] = []
    until = ""
    for line in words.split("\n"):
        bare = line.strip()
        if until:
            found[-1] += f"\n{line}"
            until = "" if bare.startswith(until) and not bare.strip(until[0]) else until
            continue
        found.append(bare if bare.startswith(_FENCES) else line)
        until = bare[: len(bare) - len(bare.lstrip(bare[0]))] if bare.startswith(_FENCES) else ""
    return found


def _is_below(mark: re.Match[str], first: re.Match[str], line: str) -> bool:
    """Does this point stand under another one? The first says how far in, and with which kind of mark, they stand."""
    numbered = _BULLET.match(first.string) is None
    return len(mark.group(1)) > len(first.group(1)) + 1 or (numbered and _BULLET.match(line) is not None)


def _further(lines: list[str], first: re.Match[str] | None) -> list[str]:
    """Options behind numbered ones that have a bullet for a number: `a) PEM: large`, `b) DER: binary`, `* both: work`.
    As the others they say why they are not enough, and they stand at the end: elsewhere bullets are about a number."""
    if first is None or _BULLET.match(first.string):
        return []
    inside = len(first.group(1)) + 1
    points = [line for line in lines if (mark := _POINT.match(line)) and len(mark.group(1)) <= inside]
    places = [place for place, line in enumerate(points) if _BULLET.match(line)]
    if not places or places[0] < 2 or len(places) < len(points) - places[0]:
        return []
    return points[places[0] :] if all(_has_reason(line) for line in points) else []


def _has_reason(line: str) -> bool:
    mark = _POINT.match(line)
    point = line[mark.end() :].strip() if mark else line
    choice = _choice(point)
    return choice is not None and bool(choice.why_insufficient) and not _SAID_OF.match(point)


def _because(choice: Choice, why: str) -> Choice:
    told = _joined([part for part in (choice.why_insufficient, filled(why)) if part])
    return Choice(option=choice.option, why_insufficient=told or None)


def _joined(why: list[str]) -> str:
    """Reasons on one line; a fence begins its own."""
    found = why[0] if why else ""
    for before, part in pairwise(why):
        found += f"\n{part}" if part.startswith(_FENCES) or before.endswith(_FENCES) else f"; {part}"
    return found


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
    marks = list(_INLINE.finditer(line.strip())) or _in_order(list(_NUMBERED.finditer(line.strip())))
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


def _in_order(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """Numbers in a sentence that count its options, and not something else: 1, 2, 3."""
    first = int(marks[0][1]) if marks else 0
    return marks if [int(mark[1]) for mark in marks] == [*range(first, first + len(marks))] else []


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
    # What stands in code is one thing, whatever signs it has.
    hidden = _CODE.sub(lambda code: "`" + "x" * (len(code.group()) - 2) + "`", point)
    option, why = point, ""
    for sign in (": ", " – ", " — ", " - "):
        place = hidden.find(sign)
        if place >= 0 and point[:place].strip():
            option, why = point[:place], point[place + len(sign) :]
            break
    named = filled(_unmarked(option).removesuffix(":"))
    return Choice(option=named, why_insufficient=filled(why)) if named is not None else None


def _unmarked(option: str) -> str:
    """Without the marks around it; code at one of its ends keeps both of its marks."""
    bare = option.strip(_AROUND)
    if bare.count("`") % 2:
        return bare.strip(_MARKUP)
    return bare.strip(_MARKUP) if _CODE.fullmatch(bare) else bare
