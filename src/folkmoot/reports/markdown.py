"""The documents' markdown form (Summary, Changes Made, Issues Found, Next Steps, Status), from tidy to sloppy."""

import re
from dataclasses import dataclass, field
from dataclasses import replace as copied
from typing import Any

from msgspec.structs import replace

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.nothings import says_nothing, telling
from folkmoot.core.vocabulary.phrases.tallies import counted
from folkmoot.core.vocabulary.phrases.undone import wants_changes
from folkmoot.core.vocabulary.words import is_approval, is_rejection, meaning_in, meaning_of, says_fixed
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.loose.around import PROMPT, said_around, told_in
from folkmoot.reports.loose.files import files_named
from folkmoot.reports.loose.headings import ADDING, LONGEST_FIRST, SECTIONS
from folkmoot.reports.loose.issues import OPEN, check_count, count_in, open_issues
from folkmoot.reports.loose.points import Under, findings_in, problems_among
from folkmoot.reports.loose.tested import failed_tests
from folkmoot.reports.page import Line
from folkmoot.reports.placeholders import filled, is_placeholder
from folkmoot.reports.signals import starts_block
from folkmoot.reports.status import BOXES, Status, read_status

NAME_WORDS_MAX = 4  # words of one name in a list of them
FORMS_MAX = 500  # more than can be united: those before so many need not be read
_TITLE_CHARS_MAX = 120
_FORM = {"summary", "changes", "issues", "next"}
_LISTING = ("issues", "tests", "fixed")
_ONLY_FIXES = {"summary", "changes", "fixed", "tests", *ADDING}
# Markup and pictures before a title; quotation marks and braces are no adornment.
_ADORNED = pattern(r"\A(?:[*_`# ]|(?![“”‘’«»])[^\w\x00-\x7f])+")
_PHASE = pattern(r"phase\s{1,3}(\d.{0,60})", re.IGNORECASE)
_NUMBERED = pattern(r"\d{1,3}[.)]\s+")
_BULLET = pattern(r"(?:[-*+•]|\d{1,3}[.)])\s+")
# A box of the Status section that stands among the fixes tells of no fix.
_STATUS_ALONE = {"complete", "completed", "done", "needs follow-up", "blocked"}
_RED = pattern(
    r"\b(fail\w*|broken|red|errors?|not (?:run|pass\w*|fixed)|could not|cannot|still|un(?:able|fixed)|skipped)\b"
)
_NOT_RED = pattern(r"\b(0|no|zero|without|none) (fail\w*|errors?)|\berror handling\b|\bno longer fail\w*")


@dataclass(slots=True)
class Section:
    name: str | None  # ours; None for a heading that the form does not know
    title: str
    number: int
    marked: bool  # a heading or bold, not just a word with a colon
    level: int = 0  # how many signs of a heading stand before it
    body: list[Line] = field(default_factory=list)

    def text(self) -> str:
        return "\n".join(line.text for line in self.body).strip()

    def bullets(self) -> list[str]:
        """Each point of a list, or each paragraph line where there is no list."""
        found: list[list[str]] = []
        for line in self.body:
            words = line.text.strip()
            bullet = _BULLET.match(words)
            if bullet:
                found.append([words[bullet.end() :].strip()])
            elif words and found and line.text[:1].isspace():
                found[-1].append(words)
            elif words:
                found.append([words])
        points = [" ".join(words) for words in found]
        return telling(points)


@dataclass(slots=True)
class Form:
    """A form as it was found: a report, or what is wrong with it. A weak one alone decides nothing."""

    start: int
    end: int
    report: Report | None
    faults: list[str]
    weak: bool = False
    implied: bool = False
    template: bool = False
    told: Report | None = None  # what it tells without a Status; its outcome means nothing
    alone: Report | None = None  # what a Status says that is a line of its own in the middle of a text


def forms(lines: list[Line], fence: int | None = None) -> tuple[list[Form], str]:
    """All forms in these lines, in order, and what is said around their headings."""
    last = max((line.number for line in lines if line.text.strip()), default=-1)
    sections = sections_in(lines, fence)
    groups = _groups(sections, fence)
    found = [_form(group, last) for group in groups[-FORMS_MAX:]]
    inside = {section.number for group in groups for section in group}
    first = sections[0].number if sections else last + 1
    around = [said_around("", [line for line in lines if line.number < first], fence)]
    apart = [section for section in sections if section.number not in inside and not _PHASE.fullmatch(section.title)]
    prompt = next((section.number for section in apart if PROMPT.fullmatch(section.title)), last + 1)
    begins = [group[0].number for group in groups if group[0].number > prompt]
    own = [section for section in apart if not (prompt <= section.number < max(begins, default=last + 1))]
    around += [said_around(section.title, section.body, fence) for section in own]
    phases = [(section.number, told.group(1)) for section in sections if (told := _PHASE.fullmatch(section.title))]
    for form in found:
        phase = next((words for number, words in reversed(phases) if number < form.end), None)
        if form.report is not None and phase is not None:
            form.report = replace(form.report, extra={"Phase": phase.strip(), **form.report.extra})
    return found, "\n\n".join(words for words in around if words)


def sections_in(lines: list[Line], fence: int | None) -> list[Section]:
    found: list[Section] = []
    skip = -1
    for place, line in enumerate(lines):
        if place == skip:
            continue
        section = None
        if not line.quoted and line.fence == fence:
            under = lines[place + 1].text.strip() if place + 1 < len(lines) else ""
            section = _heading(line, under)
            if section is not None and section.name in ADDING and not section.marked:
                section = None if section.name == "output" or _inside(line, found) else section
        if section is None:
            if found:
                found[-1].body.append(line)
            continue
        found.append(section)
        if section.marked and _is_rule(under) and not line.text.lstrip().startswith("#"):
            skip = place + 1
    return found


def _inside(line: Line, found: list[Section]) -> bool:
    """A point of a list, or a line among findings and tests: `Interfaces: no validation` is one of these there."""
    above = next((section.name for section in reversed(found) if section.marked), None)
    in_list = _BULLET.match(line.text.strip()) is not None and above != "output"
    return in_list or (bool(found) and found[-1].name in _LISTING)


def _is_rule(words: str) -> bool:
    return len(words) >= 2 and (not words.strip("=") or not words.strip("-"))


def _heading(line: Line, under: str) -> Section | None:
    """The section that this line begins, with what follows its title on the same line as first words."""
    words = line.text.strip()
    if not words or len(words) > 4000:
        return None
    hashes = len(words) - len(words.lstrip("#"))
    if 1 <= hashes <= 6 and words[hashes:].strip():
        title = words[hashes:].strip().rstrip("#").strip()
        section = _named(line, title, marked=True) or Section(None, title.strip("*_ "), line.number, True)
        section.level = hashes
        return section
    # Most lines begin nothing: a title has markup, a colon or a rule.
    if not (
        words.startswith(("*", "_", "-")) or ":" in words[:_TITLE_CHARS_MAX] or words[0].isdigit() or _is_rule(under)
    ):
        return None
    plain = words.removeprefix("- ").removeprefix("* ")
    bold = plain.startswith(("**", "__"))
    named = _named(line, plain, marked=bold or _is_rule(under))
    if named is None:
        return None
    rest = named.body[0].text if named.body else ""
    if bold or (_is_rule(under) and not rest) or ":" in plain[: len(named.title) + 8]:
        return named
    return named if not rest and _NUMBERED.match(words) else None


def _named(line: Line, words: str, marked: bool) -> Section | None:
    """A section of the form whose title begins these words, and nothing that merely begins like one."""
    numbered = _NUMBERED.match(words)
    words = words[numbered.end() :] if numbered else words
    bare = _ADORNED.sub("", words, count=1)
    lower = bare[:_TITLE_CHARS_MAX].lower()
    for title in LONGEST_FIRST:
        if not lower.startswith(title):
            continue
        rest, number = bare[len(title) :], ""
        if rest.lstrip("*_ ")[:1] == "(":
            closing = rest.find(")")
            number = rest[:closing].strip("*_ (") if SECTIONS[title] == "issues" else ""
            rest = rest[closing + 1 :] if 0 <= closing <= _TITLE_CHARS_MAX and "[" not in rest[:closing] else rest
        if rest and (rest[0].isalnum() or (rest[0] == " " and rest.lstrip()[:1].isalnum())):
            return None
        rest = rest.lstrip("*_`: \t").lstrip("–—=").lstrip("*_ ")
        section = Section(SECTIONS[title], bare[: len(title)], line.number, marked)
        if count_in(number) is not None:
            section.body.append(Line(line.number, number, line.quoted))  # `## Issues (2)`
        if rest:
            section.body.append(Line(line.number, rest, line.quoted))
        return section
    return None


def _groups(sections: list[Section], fence: int | None) -> list[list[Section]]:
    """Sections that belong to one form. A second Status, or a Summary after one, begins the next. A heading that the
    form does not know belongs to the form before it, also behind its Status."""
    found: list[list[Section]] = []
    current: list[Section] = []
    status_at = -1
    for section in sections:
        if section.name is None or (section.name in ADDING and section.name != "output" and not section.text()):
            section.name = None
            if status_at >= 0:
                found.append(current)
                current, status_at = [], -1
            if current:
                current.append(section)
            elif found and _is_behind(section, found[-1]):
                found[-1].append(copied(section, body=told_in(section.body, fence)))
            continue
        if section.name == "status" and status_at == len(current) - 1 and status_at >= 0 and not current[-1].text():
            current.pop()  # a heading, and the word for it again on the next line: both are one
            status_at = -1
        if section.name == "status" and status_at >= 0:
            found.append(current[: status_at + 1])
            current, status_at = current[status_at + 1 :], -1
        elif section.name == "summary" and any(known.name == "summary" for known in current):
            found.append(current)
            current, status_at = [], -1
        current.append(section)
        if section.name == "status":
            status_at = len(current) - 1
    return [group for group in [*found, current] if any(s.name and s.name not in ADDING for s in group)]


def _is_behind(section: Section, form: list[Section]) -> bool:
    """Is this a further heading of a finished form: as deep as its Status or deeper, and with words below it?"""
    status = next((one for one in form if one.name == "status"), None)
    apart = PROMPT.fullmatch(section.title) or _PHASE.fullmatch(section.title)
    return bool(status and status.marked and section.level >= status.level and section.text() and not apart)


def _form(sections: list[Section], last: int) -> Form:
    names = {section.name for section in sections} - {None}
    start, end = sections[0].number, max(section.number for section in sections if section.name)
    status = next((section for section in sections if section.name == "status"), None)
    said = Status(fault=f"Status: missing, one of {BOXES}")
    if status is not None:
        said = read_status(_own_lines(status))
        end = max(end, said.line)
        tables = [line for line in status.body if line.quoted and line.text.lstrip().startswith("|")]
        said.more = sorted([*said.more, *((line.number, line.text) for line in tables)])  # told, and no quotation
        block = next((line.number for line in status.body if not line.quoted and starts_block(line)), last + 1)
        said.more = [(number, words) for number, words in said.more if said.line < number < block or number < said.line]
    form = Form(start, end, None, [])
    told = [section for section in sections if section.name not in (None, "status") and section.text()]
    form.template = bool(told) and all(_unfilled(section) for section in told)
    if status is None and "fixed" in names:
        form.implied = True
        red = _is_red(sections)
        if names <= _ONLY_FIXES and all(section.name for section in sections) and not red:
            said = Status(outcome="done")
        else:
            form.weak = not red
            said.fault += " (a form without it may only tell of fixes that worked)"
    elif status is None or (said.outcome is None and len(names) == 1):
        form.weak = len(names & _FORM) < 2
        form.template = form.template or (said.boxes and len(names) == 1)
    elif len(names) == 1 and not status.marked and last > end:
        form.alone = Report(outcome=said.outcome, extra={"status": said.word}) if said.outcome else None
        form.weak, said = True, Status(fault="Status: a line of its own is no report")
    if said.outcome is None:
        form.faults = [said.fault]
        form.told = report_in(Status(outcome="changes_requested"), sections) if status is None else None
        return form
    try:
        form.report = report_in(said, sections)
    except Faulty as error:
        form.faults = error.faults
    return form


def _own_lines(section: Section) -> list[tuple[int, str]]:
    """What stands in the section itself; if that is nothing, what stands in a fence in it."""
    own = [line for line in section.body if not (line.quoted or line.text.lstrip().startswith(("```", "~~~")))]
    outside = [line for line in own if line.fence is None]
    lines = outside if any(line.text.strip() for line in outside) else own
    return [(line.number, line.text) for line in lines]


def _unfilled(section: Section) -> bool:
    return all(is_placeholder(line.text) for line in section.body if line.text.strip())


def _is_red(sections: list[Section]) -> bool:
    words = "\n".join(section.text() for section in sections if section.name in ("fixed", "tests", "summary")).lower()
    fixes = [(s, line) for s in sections if s.name == "fixed" for line in s.body if not line.quoted]
    # What stands behind the heading on its own line is no list.
    listed = any(_is_fix(line.text.strip()) for section, line in fixes if line.number > section.number)
    return not listed or "[ ]" in words or bool(_RED.search(_NOT_RED.sub(" ", words)))


def _is_fix(words: str) -> bool:
    """A point of a list with words in it that somebody wrote."""
    bullet = _BULLET.match(words)
    told = words[bullet.end() :].strip() if bullet else ""
    letters = sum(letter.isalpha() for letter in told[:100])
    said = told.lstrip("[](){}xX✓✔✅☑ ").strip(" .*_").lower()
    return letters >= 3 and said not in _STATUS_ALONE and not says_nothing(said) and not is_placeholder(told)


def _counted(sections: list[Section]) -> tuple[int | None, list[Section]]:
    """How many issues the form counts, and its sections without the number: `**Issues**: 2` above a list is no point of
    it."""
    numbers: list[int] = []
    found: list[Section] = []
    for section in sections:
        lines = [line for line in section.body if line.text.strip()] if section.name == "issues" else []
        first = lines[0] if lines else None
        alone = _BULLET.sub("", first.text.strip(), count=1) if first and len(lines) == 1 else ""
        # `1.` below the heading begins a list.
        heads = first is not None and (first.number == section.number or not first.text.rstrip().endswith("."))
        number = count_in(alone or (first.text if first and heads else ""))
        numbers += [number] if number is not None else []
        found.append(
            section if number is None else copied(section, body=[one for one in section.body if one is not first])
        )
    return (sum(numbers) if numbers else None), found


def report_in(said: Status, sections: list[Section]) -> Report:
    by_name: dict[str, list[Section]] = {}
    count, sections = _counted(sections)
    extra: dict[str, Any] = {}
    for section in sections:
        if section.name:
            by_name.setdefault(section.name, []).append(section)
        apart = section.name in ("summary", "status", "next", "blockers", *ADDING) and section.name != "output"
        if not apart and section.text() and not _unfilled(section):
            written = [point for point in section.bullets() if not is_placeholder(point)]
            extra[section.title] = written or section.text()
        elif not section.name and not section.text() and not _PHASE.fullmatch(section.title):
            title, _, told = section.title.partition(":")  # `## Approval: false` says all of it in the heading
            extra |= {title.strip("*_ "): told.strip("*_ ")} if told.strip("*_ ") else {}
    outcome = said.outcome or "failed"

    def points(name: str) -> list[str]:
        told = (filled(point) for section in by_name.get(name, []) for point in section.bullets())
        return [point for point in told if point is not None]

    def text(name: str) -> str:
        return "\n".join(section.text() for section in by_name.get(name, [])).strip()

    beside = [words.strip() for _, words in said.more if words.strip(" -=*_")]
    stops = (said.rest, *beside) if outcome == "stuck" else ()
    blockers = "\n".join(part for part in (text("blockers"), *stops) if part)
    words = [said.rest, *(beside if outcome not in ("stuck", "incomplete") else [])]
    if any(words):
        extra["Status"] = "\n".join(part for part in words if part)
    if said.word and (by_name.keys() == {"status"} or says_fixed(said.word) or is_rejection(said.word)):
        extra["status"] = said.word  # a word alone is a return, and no form: which of them it was decides
    left = open_issues(points("issues")) if is_approval(said.word) else 0
    # How many there are, whatever is told of them; and that an approval leaves them open.
    extra |= ({"issues": count} if count is not None else {}) | ({OPEN: left} if left else {})
    found = findings_in(_problems(sections), filled)
    check_count(count, found, [line.text for section in by_name.get("issues", []) for line in section.body])
    found += failed_tests([line.text for section in by_name.get("tests", []) for line in section.body])
    spoken = "\n".join([text("summary"), text("report"), text("issues"), text("next"), said.rest])
    wanted = outcome == "done" and wants_changes(spoken) is not None
    outcome = "changes_requested" if wanted else outcome
    quest = [text("report"), *points("next")] if text("report") else []  # the quest's form, which says it there as well
    meaning = (meaning_of(said.rest) or meaning_in([blockers, *quest])) if outcome in ("failed", "stuck") else None
    return Report(
        outcome=outcome,
        summary="\n\n".join(part for part in (filled(text("summary")), filled(text("report"))) if part)
        or text("fixed"),
        files=files_named(points("changes") + points("fixed"), points("created")),
        findings=found,
        tests=counted(text("tests"))
        or counted("\n".join([text("summary"), text("report"), text("issues"), said.rest])),
        blockers=blockers or None,
        next_steps=[*points("next"), *(_BULLET.sub("", one, count=1) for one in beside if outcome == "incomplete")],
        interfaces=[name for point in points("interfaces") for name in _listed(point)],
        integration_points=dict.fromkeys((name for point in points("points") for name in _listed(point)), ""),
        lessons=points("retro"),
        cause=meaning.cause if meaning else None,
        escalation_reason=meaning.reason if meaning else None,
        extra=extra,
        implied=wanted,
    )


def _listed(point: str) -> list[str]:
    """The names in one line; what is a sentence stays one."""
    parts = [part.strip(" `") for part in point.split(",")]
    return parts if all(part and len(part.split()) <= NAME_WORDS_MAX for part in parts) else [point]


def _problems(sections: list[Section]) -> list[Under]:
    """The lines under each heading, those in a fence as part of the point above them."""
    parts = []
    for section in sections:
        told = [line for line in section.body if not line.text.strip().startswith(("```", "~~~"))]
        lines = [f"    {line.text.strip()}" if line.fence is not None else line.text for line in told]
        parts.append((section.name == "issues" if section.name else None, section.level, Under(section.title, lines)))
    return problems_among(parts)
