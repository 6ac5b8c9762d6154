"""The points under "Issues Found", however they are laid out: lists, tables, sub-headings, fields of their own."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.enums import SEVERITIES, FindingKind, Severity
from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.lines import (
    NAMES,
    PATH,
    finding_in,
    place_in,
    says_severity,
    severity_of,
    unknown_severity,
    unmarked,
)
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.undone import verdict_named
from folkmoot.core.vocabulary.problems import failed_test, finding_told, is_over, listed_under
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import Faulty, shown

_BULLET = pattern(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_CELLS = pattern(r"(?<!\\)\|")
_RULE = pattern(r"(?=[|:\s]*-)[|:\s-]+")  # told by its letters alone, in one way: a text may be made to be slow
_FIELD = pattern(r"[*_`]{0,3}([A-Za-z][\w ]{1,24}?)[*_`]{0,3}\s{0,2}[:=][*_`]{0,3}\s{0,3}(\S.{0,4000})", re.DOTALL)
# What stands beside a severity in a line that says nothing else: `### 🔴 High Priority Issues (2)`.
_BARE = {
    *("severity", "priority", "risk", "impact", "issues", "issue", "findings", "finding", "problems", "bugs", "found"),
    *("vulnerabilities", "must", "fix", "should", "level", "security", "test", "failures", "review", "and", "or"),
}
# Headings that say by what must become of it how bad it is.
_MEANT: dict[str, Severity] = {
    **dict.fromkeys(
        ("must fix", "must be fixed", "must change", "required", "required changes", "required fixes"), "high"
    ),
    **dict.fromkeys(("blocking", "blocking issues", "blocking findings", "blocking problems"), "high"),
    **dict.fromkeys(("should fix", "should be fixed", "recommended"), "medium"),
    **dict.fromkeys(("nice to have", "could fix", "optional", "suggestions", "nits", "nitpicks"), "low"),
}
_NUMBER = pattern(r"\A\s{0,3}(?:(?:[A-Za-z]{1,12}[ -]?)?\d{1,3}[.):]|#?\d{1,3}(?:\.\d{1,3}){1,3}[.):]?)\s+")
_OWN = {plain(name): field for field, names in NAMES.items() for name in names} | {
    **dict.fromkeys(("sev", "level", "priority", "prio", "risk"), "severity"),
    **dict.fromkeys(("name", "what", "comment", "issue description"), "issue"),
    **dict.fromkeys(("files", "file line", "file and line", "place", "code"), "file"),
}
# By which of its fields a finding is called, the best first.
_CALLED = ("issue", "category", "exploit", "test", "why", "recommendation")
_COUNT = {"", "no", "nr", "id", "number", "n"}  # a column that only counts the rows


_LABEL = pattern(
    r"(?:critical|high|medium|low)(?: severity| priority)?[\])*_`]{0,3}\s{0,3}(?:[:([–—]|-\s)", re.IGNORECASE
)


class Point(Struct, frozen=True):
    """One point of a list with how far it is indented, and whether it has a sign of a list before it."""

    words: str
    indent: int = 0
    listed: bool = True


class Under(Struct):
    """What stands under one heading: its title (none for the section itself), and its lines."""

    title: str
    lines: list[str]


def findings_in(
    parts: Iterable[Under], filled: Callable[[str], str | None], kind: FindingKind = "review"
) -> list[Finding]:
    """Every finding in a section and below its sub-headings. `filled` takes out what only stands in the template."""
    found: list[Finding] = []
    for part in parts:
        found += _under(part, filled, kind)
    return found


def bare_severity(words: str) -> Severity | None:
    """The severity that these words are, if they say nothing else; a line that says so is a heading."""
    bare = plain(re.sub(r"\(\s{0,3}\d{1,4}\s{0,3}\)", " ", words)).split()
    if " ".join(bare) in _MEANT:
        return _MEANT[" ".join(bare)]
    weights = [word for word in (severity_of(one) for one in bare) if word]
    if not weights or len(bare) > 6 or any(not severity_of(word) and word not in _BARE for word in bare):
        return None
    return min(weights, key=SEVERITIES.index)


def tells_problems(title: str, lines: list[str]) -> bool:
    """Does a heading that the form does not know tell of problems: by its name, or by points that say how bad?"""
    words, tables = _apart(lines)
    if _named(title)[0] or bare_severity(title) is not None:
        return True
    told = [point.words for point in _points(words) if point.listed]
    heads = [plain(cell) for table in tables for cell in table[0].strip("|").split("|")]
    return bool({"severity", "sev"} & set(heads)) or any(_LABEL.match(one.lstrip("*_`[( ")) for one in told)


def problems_among(parts: Iterable[tuple[bool | None, int, Under]]) -> list[Under]:
    """What stands under Issues Found (True) and its sub-headings, and under any other heading that tells of problems
    and that the form does not know (None); each with the level of its heading."""
    found: list[Under] = []
    within = -1  # the level of the Issues Found above, while what follows is below it
    for is_issues, level, part in parts:
        if is_issues is not None:
            within = level if is_issues else -1
            title = part.title if plain(part.title) in _MEANT else ""
            found += [Under(title, part.lines)] if is_issues else []
        elif is_over(part.title):
            continue
        elif 0 <= within < level or tells_problems(part.title, part.lines):
            found.append(part)
        else:
            within = -1
    return found


def _named(title: str) -> tuple[bool, FindingKind | None, Severity | None]:
    return listed_under(re.sub(r"\([^()]{0,60}\)|:.*", " ", title))


def _under(part: Under, filled: Callable[[str], str | None], kind: FindingKind) -> list[Finding]:
    title = _NUMBER.sub("", part.title).strip()
    strange = unknown_severity(f"{title}:")
    if strange is not None:
        raise _unknown(strange)
    words, tables = _apart(part.lines)
    points = [replace(point, words=told) for point in _points(words) if (told := filled(point.words)) is not None]
    in_tables = [row for table in tables for row in _rows(table, kind)]
    if not title:
        return [*_listed(points, kind, None), *in_tables]
    severity, own_kind = bare_severity(title), _kind_of(title, kind)
    if severity is not None or _named(title)[0] or plain(title) in ("security", "tests", "test"):
        severity = severity or _named(title)[2]
        rows = [_weighed(row, severity, own_kind) for row in in_tables]
        return [*_listed(points, own_kind, severity), *rows]
    if _says_none(title):
        return _listed(points, kind, None) + in_tables
    if in_tables or any(says_severity(point.words) for point in points if not _field(point.words)):
        return [*(_within(one, title) for one in _listed(points, own_kind, None)), *in_tables]
    if PATH.fullmatch(title.strip("`*_: ")) and points:
        return [_within(one, title) for one in _listed(points, own_kind, None)]
    return [_one(title, points, own_kind)]


def _says_none(title: str) -> bool:
    """`High: none`, `Critical (0)`: nothing was found there."""
    head, _, rest = title.replace("*", "").partition(":")
    return bool(rest) and bare_severity(head) is not None and says_nothing(rest.strip(" ._"))


def _kind_of(title: str, kind: FindingKind) -> FindingKind:
    words = plain(title).split()
    named = _named(title)[1]
    return "security" if "security" in words else named or ("test" if {"test", "tests"} & set(words) else kind)


def _weighed(finding: Finding, severity: Severity | None, kind: FindingKind) -> Finding:
    """A row under a heading that says how bad what stands below is."""
    return replace(
        finding, severity=severity or finding.severity, kind=kind if finding.kind == "review" else finding.kind
    )


def _within(finding: Finding, title: str) -> Finding:
    """A point below a heading that names its file, or what it is about."""
    file, line = place_in(title)
    if file is not None and finding.file is None:
        return replace(finding, file=file, line=line)
    return finding if file is not None else replace(finding, issue=f"{title}: {finding.issue}")


def _points(lines: Iterable[str]) -> list[Point]:
    """Each point of a list with its further lines, or each line where there is no list."""
    found: list[Point] = []
    for line in lines:
        words, indent = line.strip(), len(line) - len(line.lstrip())
        bullet = _BULLET.match(words)
        if bullet:
            found.append(Point(words[bullet.end() :].strip(), indent))
        elif words and found and indent and _field(words) and _field(found[-1].words) and not _joins(found[-1], indent):
            found.append(Point(words, indent, listed=False))  # `File: …` below `- Severity: …`
        elif words and found and indent and not bare_severity(found[-1].words):
            found[-1] = replace(found[-1], words=f"{found[-1].words} {words}")
        elif words:
            found.append(Point(words, indent, listed=False))
    found = [point for point in found if not (says_nothing(point.words.strip(" .*_")) or _says_none(point.words))]
    found = [point for point in found if verdict_named(point.words) is None]  # the rules weigh it, and it is no finding
    has_list = any(point.listed for point in found)
    # "I found these:" before a list is none of it.
    return [point for point in found if point.listed or not has_list or not _opens(point.words)]


def _joins(point: Point, indent: int) -> bool:
    """Does a line that stands so far in go on with the words of this point, and is no line beside or below it?"""
    return indent < point.indent


def _opens(words: str) -> bool:
    return words.rstrip("*_ ").endswith(":") and bare_severity(words) is None and not says_severity(words)


def _listed(points: list[Point], kind: FindingKind, severity: Severity | None) -> list[Finding]:
    """Points, each a finding with the fields below it. One that is only a severity says how bad those below it are:
    indented further if it is a point of a list itself. Of a list with boxes those that are ticked are over, if others
    are not: where all are ticked, that may only say that each is so."""
    found: list[Finding] = []
    boxes = {point.words[:3].lower() for point in points}
    head: tuple[Point, Severity] | None = None
    blocks = _blocks(points)
    for at, block in enumerate(blocks):
        point = block[0]
        if head is not None and head[0].listed and point.listed and point.indent <= head[0].indent:
            head = None
        weight = bare_severity(point.words) if len(block) == 1 else None
        following = blocks[at + 1][0].words if at + 1 < len(blocks) else None
        if weight is not None and following is not None and bare_severity(following) is None:
            head = (point, weight)
        else:
            told = _told(block, kind, head[1] if head else severity)
            over = boxes >= {"[x]", "[ ]"} and point.words[:3].lower() == "[x]"
            found.append(replace(told, fixed=told.fixed or "ticked") if over else told)
    return found


def _blocks(points: list[Point]) -> list[list[Point]]:
    """The points that belong together: a finding, and below it the fields that tell of it (`File: …`, `Fix: …`)."""
    found: list[list[Point]] = []
    for point in points:
        block, field = found[-1] if found else [], _field(point.words)
        fields = [told[0] for one in block if (told := _field(one.words))]
        only = len(fields) == len(block)
        below = (
            bool(block)
            and (point.indent > block[0].indent or not block[0].listed)
            and not bare_severity(block[0].words)
        )
        if block and field and field[0] not in fields and (only or below):
            block.append(point)
        elif block and not field and fields == ["severity"] and only:
            block.append(point)  # `Severity: High`, and on the next line what it is about
        else:
            found.append([point])
    return found


def _told(block: list[Point], kind: FindingKind, severity: Severity | None) -> Finding:
    if len(block) == 1:
        strange = unknown_severity(block[0].words)
        if strange is not None:
            raise _unknown(strange)
        finding = finding_in(_after_label(block[0].words), kind, severity)
        return failed_test(finding) if kind == "test" else finding
    fields = [point for point in block if _field(point.words)]
    words = [point.words for point in block if not _field(point.words)]
    if not words:
        told = {field[0]: field[1] for point in fields if (field := _field(point.words))}
        words = [next((told[name] for name in _CALLED if name in told), fields[0].words)]
        fields = [point for point in fields if (_field(point.words) or ("",))[0] != "issue"]
    return _one(" ".join(words), fields, kind, severity)


def _after_label(words: str) -> str:
    told = _field(words)
    return told[1] if told and told[0] == "severity" else words


def _field(words: str) -> tuple[str, str] | None:
    """`**Severity:** High`: a field of a finding, and what stands in it."""
    found = _FIELD.fullmatch(words.strip())
    field = _OWN.get(plain(found.group(1))) if found else None
    return (field, unmarked(found.group(2)).strip(" _")) if found and field else None


def _one(title: str, points: list[Point], kind: FindingKind, weight: Severity | None = None) -> Finding:
    """A heading that is a finding itself, with its fields and further words below it."""
    found, more, told = finding_in(title, kind, weight), [], dict[str, Any]()
    for point in points:
        field = _field(point.words)
        if field is not None and field[0] not in told and field[0] != "kind":
            told[field[0]] = field[1]
        else:
            more.append(point.words)
    word = told.pop("severity", None)
    severity = severity_of(word) or (finding_in(word).severity if says_severity(word) else None) if word else None
    if word and severity is None:
        raise _unknown(word)
    issue = told.pop("issue", None)
    fields = finding_told({"issue": title, **told}, found.kind).finding if told else found
    file, line = (fields.file, fields.line) if fields.file else (found.file, found.line)
    if file is None:
        file, line = place_in(" ".join(more))
    words = [found.issue, *([issue] if issue else []), *more]
    return replace(
        fields,
        issue="\n".join(words),
        severity=severity or found.severity,
        category=fields.category or found.category,
        file=file,
        line=line,
    )


def _unknown(word: str) -> Faulty:
    """As in a message: how bad it is must not be guessed."""
    return Faulty([f"Issues Found: severity {shown(word)} is not one of {', '.join(SEVERITIES)}"])


def _apart(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """The lines that are no table, and the tables: rows between bars, or above and below a rule of bars."""
    words: list[str] = []
    tables: list[list[str]] = []
    inside = False
    for at, line in enumerate(lines):
        bare = line.strip()
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        begins = bare.startswith("|") or ("|" in bare and "|" in below and bool(_RULE.fullmatch(below)))
        if begins and not inside:
            tables.append([])
        inside = begins or (inside and "|" in bare)
        if inside:
            tables[-1].append(bare)
        else:
            words.append(line)
    return words, tables


def _rows(table: list[str], kind: FindingKind) -> Iterator[Finding]:
    """Each row of a table, by the names at its head; without a head by what stands in its cells."""
    rows = [
        [unmarked(cell).strip(" _").replace("\\|", "|") for cell in _CELLS.split(line.strip().strip("|"))]
        for line in table
    ]
    ruled = len(table) > 1 and _RULE.fullmatch(table[1]) is not None
    names = [plain(cell) for cell in rows[0]]
    headed = ruled or sum(name in _OWN for name in names) > 1
    for line, cells in zip(table, rows, strict=True):
        if (headed and line is table[0]) or _RULE.fullmatch(line) or all(says_nothing(cell) for cell in cells):
            continue
        yield _row(names if headed else [""] * len(cells), cells, kind)


def _row(names: list[str], cells: list[str], kind: FindingKind) -> Finding:
    told: dict[str, str] = {}
    more: list[str] = []
    for name, cell in zip([*names, *[""] * len(cells)], cells, strict=False):
        field = _OWN.get(name)
        if field is None and not name:
            weight, path = severity_of(cell), PATH.fullmatch(cell)
            field = "severity" if weight and "severity" not in told else "file" if path and "file" not in told else None
        if not cell or (name in _COUNT and cell.isdigit()) or (says_nothing(cell) and field != "issue"):
            continue
        if field is None or field in told:
            more.append(f"{name}: {cell}" if name else cell)
        else:
            told[field] = cell
    word = told.pop("severity", "")
    if word and severity_of(word) is None and not says_severity(word):
        raise _unknown(word)
    severity = severity_of(word) or finding_in(word).severity
    finding = finding_told({"issue": "; ".join([told.pop("issue", ""), *more]).strip("; "), **told}, kind).finding
    return replace(finding, severity=severity)
