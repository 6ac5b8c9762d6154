"""Hearing a report in whatever an agent wrote: everything in the text that is one, united.

A message or signal goes before a form: the form's Status only adds to it. If the last is broken nothing counts: an
agent that began a second report does not mean the first alone any more. What only shows, quotes or repeats a form is
none. ATTEMPT blocks go with whatever report the text holds; without one, and without anything broken, they are a
failure.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.report import Report
from folkmoot.core.text import has_unstorable
from folkmoot.reports.canonical import UNSTORABLE, Faulty, missing_outcome
from folkmoot.reports.json_dialects import adding, is_meant, report_from_object
from folkmoot.reports.markdown import forms
from folkmoot.reports.page import SPOKEN, Line, Page, clean, is_showing, read_page
from folkmoot.reports.placeholders import is_choice, is_placeholder, is_template
from folkmoot.reports.scan import Found, objects
from folkmoot.reports.signals import ATTEMPTS_MAX, Attempt, attempts, signals
from folkmoot.reports.uniting.beside import beside
from folkmoot.reports.uniting.statements import STATEMENTS_MAX, attempts_of, joined, united

if TYPE_CHECKING:
    from folkmoot.reports.loose.notes import Notes

NOTHING = (
    "it holds no report: no JSON object with an outcome or status, no form with a Status, no signal, no ATTEMPT block"
)
_RETURNS = re.compile(r"(?:[-*]\s{1,3})?(?:returns?\s{0,3}:\s{0,3})?\{([^{}]{1,2000})\}\.?", re.IGNORECASE)
_RETURN = ("returns:", "return:")
ALONE = "a status alone in the middle of a text may be anybody's"
SHOWN = (
    "what stands there only shows what a report looks like, or what others have said; if it is your own, report it "
    "without the words before it"
)
_NOTED = ("comments:", "escalation_reason:", "id:", "outcome:", "status:")
_NAME = re.compile(r"[A-Za-z_]{1,30}")
_LIST_ITEM = re.compile(r"\d{1,3}\.\s+[A-Z]{3,}")
SIGNAL = 2  # the rank of one: more explicit than JSON (1) and forms (0)
# A report stands at the end: of a text that has more lines than any agent writes, only the last ones are looked at.
LINES_MAX = 20_000
SIGNS_MAX = 200_000  # braces and quotation marks: a text with more of them is made to be slow


@dataclass(slots=True)
class Heard:
    """Something meant as a report: where it ends, and what it says or what is wrong with it."""

    line: int
    rank: int  # where two end on one line, the more explicit one is the later
    place: int
    report: Report | None
    faults: list[str]
    implied: bool = False  # told only by what was fixed
    adds: bool = False  # it does not say how it ended: it only adds to what else was said


def listen(text: str) -> Report:
    """The report in a text; Faulty with what is wrong with the last one, or with what could have been meant."""
    page = read_page(_end_of(clean(text)))
    heard: list[Heard] = []
    tried: list[Attempt] = []
    passed_over: list[str] = []
    covered, spoken = _hear_objects(page, heard, passed_over)
    notes = _notes(text, page)
    if notes is not None:
        covered |= notes.lines
        heard += [Heard(line, 1, 0, said, []) for line, said in notes.reports]
    _hear_returns(page, covered, heard)
    for lines, fence, before in _texts(page, covered, spoken):
        _hear_words(page, lines, fence, before, heard, tried, passed_over)
    tried.sort(key=lambda attempt: attempt.start)
    report = _last(heard, tried, passed_over, notes)
    if has_unstorable(to_builtins(report)):
        raise Faulty([UNSTORABLE])
    return report


def _end_of(text: str) -> str:
    if text.count("{") + text.count("}") + text.count('"') > SIGNS_MAX:
        raise Faulty([f"it has more than {SIGNS_MAX} braces and quotation marks"])
    if text.count("\n") < LINES_MAX:
        return text
    return "\n".join(text.rsplit("\n", LINES_MAX)[1:])


def _notes(text: str, page: Page) -> "Notes | None":
    """The disputes document's YAML, if there can be any: hardly a text has it."""
    if not any(word in text for word in _NOTED):
        return None
    from folkmoot.reports.loose.notes import read_notes

    return read_notes(page)


def _last(heard: list[Heard], tried: list[Attempt], passed_over: list[str], notes: "Notes | None") -> Report:
    if len(tried) > ATTEMPTS_MAX:
        raise Faulty([f"it has {len(tried)} ATTEMPT blocks, more than {ATTEMPTS_MAX}"])
    heard.sort(key=lambda one: (one.line, one.rank, one.place))
    adds = [one for one in heard if one.adds]
    heard = [one for one in heard if not one.adds]
    if tried or any(not one.implied for one in heard):
        # What was fixed is told; that it was is no verdict beside another.
        adds += [one for one in heard if one.implied and one.report is not None]
        heard = [one for one in heard if not one.implied]
    if len(adds) > STATEMENTS_MAX:
        raise Faulty([f"it has {len(adds)} objects without an outcome, more than {STATEMENTS_MAX}"])
    report = _ended(heard, tried, [*passed_over, *(fault for one in adds for fault in one.faults)], notes)
    for one in adds:
        if one.report is not None:
            before = bool(heard) and one.line < heard[-1].line
            report = joined(report, replace(one.report, outcome=report.outcome), before)
    return report


def _ended(heard: list[Heard], tried: list[Attempt], passed_over: list[str], notes: "Notes | None") -> Report:
    """How it ended, in all that says so; ATTEMPT blocks alone are a failure."""
    if not heard:
        alone = notes.alone() if notes is not None and not tried else None
        if alone is not None:
            return alone
        if not tried:
            raise Faulty(passed_over[-3:] or [NOTHING])
        last = tried[-1].told
        report = _with_attempts(Report.failed(last.outcome or last.approach or "", cause="capability"), tried)
        return notes.beside(report) if notes is not None else report
    report = _merged(heard)
    report = notes.beside(report) if notes is not None else report
    if report.outcome == "done" and tried and tried[-1].start > heard[-1].line:
        raise Faulty(["ATTEMPT blocks stand behind a report of done: say at the end how it ended"])
    return _with_attempts(report, tried)


def _merged(heard: list[Heard]) -> Report:
    """All that the text says, as one report. A form behind a message only adds to it; a broken end takes all back."""
    last = heard[-1]
    spoken = [one for one in heard if one.rank]
    if last.report is None or (spoken and spoken[-1].report is None):
        raise Faulty((spoken[-1] if spoken and spoken[-1].report is None else last).faults)
    if last.rank or not spoken:
        return united([one.report for one in heard if one.report is not None])
    verdicts = [one.report for one in heard[:-1] if one.report is not None]
    return beside(united(verdicts), last.report)


def _with_attempts(report: Report, tried: list[Attempt]) -> Report:
    if not tried:
        return report
    extra = {**report.extra, "ATTEMPT": [attempt.title for attempt in tried]}
    return replace(report, attempts=attempts_of([attempt.told for attempt in tried], report.attempts), extra=extra)


def _texts(page: Page, covered: set[int], spoken: set[int]) -> list[tuple[list[Line], int | None, int | None]]:
    """What is read for forms and signals: the text itself, and each fence in which an agent speaks."""
    # A message inside a form's section is no part of the section's words, nor is the fence around it.
    fences = {page.lines[number].fence for number in spoken} - {None}
    for fence in page.fences:
        if fence.number in fences:
            inside = page.inside(fence)
            spoken |= {fence.before, *((inside[-1].number + 1,) if inside else ())}
    own = [
        Line(line.number, "" if line.number in spoken else line.text, line.quoted or line.number in covered, line.fence)
        if covered
        else line
        for line in page.lines
    ]
    found: list[tuple[list[Line], int | None, int | None]] = [(own, None, None)]
    for fence in page.fences:
        if fence.language in SPOKEN and not fence.language.startswith("json"):
            found.append((page.inside(fence), None, fence.before))
    return found


def _hear_words(
    page: Page,
    lines: list[Line],
    fence: int | None,
    before: int | None,
    heard: list[Heard],
    tried: list[Attempt],
    passed_over: list[str],
) -> None:
    def shows(start: int) -> bool:
        return page.only_shows(start) or (before is not None and page.only_shows(before))

    done_before = False
    for form in forms(lines, fence):
        # A form that was only begun says nothing, unless a finished one came before it: then it takes that back.
        if form.template or shows(form.start) or (form.weak and not done_before):
            passed_over += form.faults or [SHOWN]
        else:
            heard.append(Heard(form.end, 0, form.start, form.report, form.faults, form.implied))
            done_before = done_before or form.report is not None
    for signal in signals(lines, fence):
        if signal.template or shows(signal.start):
            passed_over += signal.faults or ["it only shows what a signal looks like"]
        else:
            heard.append(Heard(signal.start, SIGNAL, signal.start, signal.report, signal.faults))
    tried += [attempt for attempt in attempts(lines, fence) if not shows(attempt.start)]


def _hear_objects(page: Page, heard: list[Heard], passed_over: list[str]) -> tuple[set[int], set[int]]:
    """JSON in the text that is no quotation; the answer is the lines it covers, and of these the ones of reports."""
    languages = {fence.number: fence.language for fence in page.fences}
    told = [
        "" if line.quoted or (line.fence is not None and languages[line.fence] not in SPOKEN) else line.text
        for line in page.lines
    ]
    text = "\n".join(told)
    starts, place = [], 0
    for words in told:
        starts.append(place)
        place += len(words) + 1
    covered: set[int] = set()
    spoken: set[int] = set()
    for found in objects(text, is_meant):
        first = bisect_right(starts, found.start) - 1
        last = bisect_right(starts, max(found.end - 1, found.start)) - 1
        if found.data is not None:
            covered.update(range(first, last + 1))
        reason = _passed_over(page, found, text, starts[first], first)
        if found.data is not None and found.data.keys() == {"status"}:
            before = text[starts[first] : found.start].strip(" `-*\t").lower()
            behind = text[found.end : found.end + 200].split("\n", 1)[0].strip(" `.\t")
            at_end = last >= page.end and not behind and (not before or before.endswith(":"))
            reason = reason or ("" if before in _RETURN or at_end else ALONE)
        one = _heard(found, last)
        if one is None:
            passed_over += (
                ["a form that nobody filled in is no report"] if found.data and is_template(found.data) else []
            )
            continue
        if reason:
            passed_over.append(reason)
        else:
            heard.append(one)
            spoken.update(range(first, last + 1) if found.data is not None else ())
    return covered, spoken


def _heard(found: Found, line: int) -> Heard | None:
    """The report an object is; None if it is none, or only a form to fill in."""
    if found.data is None:
        return Heard(line, 1, found.start, None, [found.fault]) if is_meant(found.keys) else None
    if is_template(found.data):
        return None
    try:
        report = report_from_object(found.data)
    except Faulty as error:
        return Heard(line, 1, found.start, None, error.faults)
    if report is not None:
        return Heard(line, 1, found.start, report, [])
    more = adding(found.data)
    return Heard(line, 1, found.start, more, [missing_outcome(found.data)], adds=True) if more is not None else None


def _passed_over(page: Page, found: Found, text: str, line_start: int, line: int) -> str:
    """Why an object is not the agent's own word: it stands in quotation marks, in code, or as an example."""
    before = text[max(line_start, found.start - 400) : found.start].strip()
    behind = text[found.end : found.end + 1] if found.end >= 0 else ""
    if before[-1:] in ('"', "'", "“", "‘", "«") and behind in ('"', "'", "”", "’", "»"):
        return "a report in quotation marks is none"
    if before[-1:] == "`":
        said = before.rstrip("`").strip(" -*")
        if said and not said.endswith(":"):
            return "a report in the middle of a sentence, marked as code, is none"
    if before.endswith("="):
        return "a report that code gives a name to is none"
    if before and is_showing(before, page.speakers):
        return SHOWN
    fence = page.lines[line].fence
    opened = page.fences[fence].before if fence is not None else line
    if not before.strip("`") and (page.only_shows(line) or page.only_shows(opened)):
        return SHOWN
    return ""


def _hear_returns(page: Page, covered: set[int], heard: list[Heard]) -> None:
    """`Returns: {status: completed, commit: "abc123"}`, as the handoff document writes it, on a line of its own."""
    told_in_list = False
    spoken = {fence.number for fence in page.fences if fence.language in SPOKEN} | {None}
    for line in page.lines:
        words = line.text.strip()
        if words[:1].isdigit() and _LIST_ITEM.match(words):
            told_in_list = True  # a narration of what each role returned, not a report of one
        elif words and not line.text[:1].isspace():
            told_in_list = False
        if "{" not in words or len(words) > 2100 or line.quoted or line.number in covered or told_in_list:
            continue
        if line.fence not in spoken:
            continue
        found = _RETURNS.fullmatch(words)
        pairs = _pairs(found.group(1)) if found else None
        if pairs is None or not pairs.keys() & {"status", "outcome"} or page.only_shows(line.number):
            continue
        if words.startswith("{") and line.number < page.end:
            continue
        if any(isinstance(value, str) and (is_choice(value) or is_placeholder(value)) for value in pairs.values()):
            continue
        try:
            report = report_from_object(pairs)
        except Faulty as error:
            heard.append(Heard(line.number, 1, 0, None, error.faults))
        else:
            if report is not None:
                heard.append(Heard(line.number, 1, 0, report, []))


def bare_object(text: str) -> dict[str, Any] | None:
    """The same as a whole text, which is never a quotation: a `...` in it is what was said, a choice says nothing."""
    found = _RETURNS.fullmatch(text)
    pairs = _pairs(found.group(1)) if found else None
    if pairs is None or any(isinstance(value, str) and is_choice(value) for value in pairs.values()):
        return None
    return pairs


def _pairs(words: str) -> dict[str, Any] | None:
    """Names and values without quotation marks around the names; None if it is something else."""
    found: dict[str, Any] = {}
    rest = words.strip()
    while rest:
        name, colon, rest = rest.partition(":")
        name, rest = name.strip(), rest.lstrip()
        quoted = rest.startswith('"')
        value, ended, rest = rest[1:].partition('"') if quoted else rest.partition(",")
        rest = rest.strip()
        if not colon or not _NAME.fullmatch(name) or name in found or (quoted and not ended) or not value.strip():
            return None
        if quoted and rest and not rest.startswith(","):
            return None
        rest = rest[1:].strip() if quoted else rest
        value = value if quoted else value.strip()
        is_number = not quoted and value.isascii() and value.isdigit() and len(value) < 10
        found[name] = int(value) if is_number else value
    return found or None
