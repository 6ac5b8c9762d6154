"""Hearing a report in whatever an agent wrote: everything in the text that is one, united.

A message or signal goes before a form: the form's Status only adds to it. If the last is broken nothing counts: an
agent that began a second report does not mean the first alone any more. What only shows, quotes or repeats a form is
none. ATTEMPT blocks go with whatever report the text holds; without one, and without anything broken, they are a
failure.
"""

import re
from bisect import bisect_right
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.report import WORDS_BESIDE, Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.asking.background import background
from folkmoot.reports.canonical import UNSTORABLE, Faulty, missing_outcome, shown
from folkmoot.reports.json_dialects import (
    SENDS_FOR,
    adding,
    is_meant,
    report_from_object,
    return_from_object,
    sent_for,
)
from folkmoot.reports.loose.handed import alone, fault_of_untyped, holds_message, looks_handed, unlisted, without_end
from folkmoot.reports.loose.lists import lists_in
from folkmoot.reports.loose.names import in_known_case
from folkmoot.reports.markdown import forms
from folkmoot.reports.page import SPOKEN, Line, Page, clean, is_showing, read_page
from folkmoot.reports.placeholders import is_template
from folkmoot.reports.returning.told import hear_keyed, hear_returns
from folkmoot.reports.scan import Found, objects
from folkmoot.reports.signals import ATTEMPTS_MAX, Attempt, attempts, signals
from folkmoot.reports.splits.finding import stands_apart
from folkmoot.reports.uniting.beside import beside
from folkmoot.reports.uniting.heard import Heard
from folkmoot.reports.uniting.statements import STATEMENTS_MAX, attempts_of, joined, united
from folkmoot.reports.uniting.words import cut_out, with_shown, with_untold, with_words

if TYPE_CHECKING:
    from folkmoot.reports.loose.notes import Notes

NOTHING = (
    "it holds no report: no JSON object with an outcome or status, no form with a Status, no signal, no ATTEMPT block"
)
_RETURN = ("returns:", "return:")
ALONE = "a status alone in the middle of a text may be anybody's"
SHOWN = (
    "what stands there only shows what a report looks like, or what others have said; if it is your own, report it "
    "without the words before it"
)
_NOTED = pattern(r"comment|escalation|history|outcome|status|\bid\b", re.IGNORECASE)
SIGNAL = 2  # the rank of one: more explicit than JSON (1) and forms (0)
# A report stands at the end: of a text that has more lines than any agent writes, only the last ones are looked at.
LINES_MAX = 20_000
SIGNS_MAX = 200_000  # braces and quotation marks: a text with more of them is made to be slow


def listen(text: str) -> Report:
    """The report in a text; Faulty with what is wrong with the last one, or with what could have been meant."""
    page = read_page(unlisted(_end_of(clean(text))))
    inside = background(page)
    heard: list[Heard] = []
    tried: list[Attempt] = []
    passed_over: list[str] = []
    apart: dict[int, dict[str, Any]] = {}
    covered, spoken, rest = _hear_objects(page, heard, passed_over, apart)
    if "[" in text:
        _hear_lists(page, heard, covered, spoken)
    notes = _notes(text, page)
    if notes is not None:
        # What a comment shows in its words is nobody's report.
        held_words = {number for number in notes.lines if page.lines[number].valued}
        heard = [one for one in heard if one.line not in held_words]
        rest = {number: told for number, told in rest.items() if number not in held_words} | notes.rest
        covered |= notes.lines | notes.nested
        spoken |= notes.lines
        heard += [Heard(line, 1, 0, said, []) for line, said in notes.reports]
    spoken |= hear_returns(page, covered, heard)
    covered |= spoken
    hear_keyed(page, heard)
    shown: set[int] = set()
    around: list[str] = []
    faults: list[str] = []
    own, *fenced = _texts(page, covered, spoken)  # a fence goes first: one without a report may be a field's
    for lines, before in fenced:
        words, shows = _hear_words(page, lines, before, heard, tried, faults, inside.lines)
        around += [words] if words else []
        shown |= shows
    held = inside.unheard({*(one.line for one in heard), *(one.start for one in tried), *spoken})
    words, shows = _hear_words(page, *own, heard, tried, passed_over, held)
    around = [words, *around] if words else around
    shown |= shows
    passed_over += faults
    tried.sort(key=lambda attempt: attempt.start)
    by_form = any(one.report is not None for one in heard) and all(one.rank == 0 or one.keyed for one in heard)
    report = _last(heard, tried, passed_over, notes)
    if tried or (notes is not None and notes.lines) or any(one.rank and one.report is not None for one in heard):
        if report.outcome == "split" and (fault := next(filter(None, map(stands_apart, apart.values())), None)):
            raise Faulty([fault])
        taken = (covered - apart.keys()) | spoken | shown | {one.line for one in heard if one.rank}
        taken -= notes.nested - notes.lines if notes is not None else set()
        # Of a form beside JSON only what its parts tell stands in the report; its other words stay words.
        said = [one for one in heard if one.rank or not any(other.rank == 1 for other in heard)]
        of_blocks = {number for own in (*(one.lines for one in said), *(one.lines for one in tried)) for number in own}
        taken |= of_blocks
        report = with_words(page, taken, rest, report, has_form=any(one.rank == 0 and one.report for one in heard))
        read = spoken | of_blocks | {one.line for one in heard if not one.alone}
        report = with_shown(page, read, (covered - apart.keys() - spoken) | shown, report)
    elif by_form:
        report = replace(report, extra={**report.extra, WORDS_BESIDE: "\n\n".join(around)}) if around else report
        report = with_untold(page, apart.keys(), {page.lines[one.line].fence for one in heard}, report)
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
    if _NOTED.search(text) is None:
        return None
    from folkmoot.reports.loose.notes import read_notes

    return read_notes(page)


def _last(heard: list[Heard], tried: list[Attempt], passed_over: list[str], notes: "Notes | None") -> Report:
    if len(tried) > ATTEMPTS_MAX:
        raise Faulty([f"it has {len(tried)} ATTEMPT blocks, more than {ATTEMPTS_MAX}"])
    heard.sort(key=lambda one: (one.line, one.rank, one.place))
    if any(one.rank and one.report and one.report.outcome == "changes_requested" and not one.alone for one in heard):
        # Whoever asks for changes may list them below the verdict: such a list needs no Status of its own.
        heard = [replaced(one, report=one.told, adds=True, alone=False) if one.told else one for one in heard]
    adds = [one for one in heard if one.adds]
    for one in adds:
        if one.report is None:
            raise Faulty(one.faults)
    alone = [one.report for one in heard if one.alone and one.report is not None]
    heard = [one for one in heard if not (one.adds or one.alone)]
    if tried or any(not one.implied for one in heard):
        # What was fixed is told; that it was is no verdict beside another.
        adds += [one for one in heard if one.implied and one.report is not None]
        heard = [one for one in heard if not one.implied]
    if len(adds) > STATEMENTS_MAX:
        raise Faulty([f"it has {len(adds)} objects without an outcome, more than {STATEMENTS_MAX}"])
    report = _ended(heard, tried, [*passed_over, *(fault for one in adds for fault in one.faults)], notes)
    end = heard[-1].line if heard else -1
    _check_alone(report, alone)
    # What stands before is joined from the nearest on, so that all of it keeps the order of the text.
    for one in [*reversed([one for one in adds if one.line < end]), *(one for one in adds if one.line >= end)]:
        if one.report is not None:
            report = joined(report, replace(one.report, outcome=report.outcome), one.line < end)
    return report


def _check_alone(report: Report, alone: list[Report]) -> None:
    """A status alone on its line may be anybody's; if it is the agent's own, the end must not take it back unheard."""
    for one in alone:
        if report.outcome == "done" != one.outcome:
            raise Faulty(
                [
                    f"it says {shown(one.extra.get('status'))} alone on a line, and then "
                    f"{shown(report.extra.get('status', report.outcome))}: say once how it ended, in one report with "
                    "all of it; what is not your own word, put it in quotation marks"
                ]
            )


def _ended(heard: list[Heard], tried: list[Attempt], passed_over: list[str], notes: "Notes | None") -> Report:
    """How it ended, in all that says so; ATTEMPT blocks alone are a failure."""
    if not heard:
        alone = notes.alone() if notes is not None and not tried else None
        if alone is not None:
            return alone
        if not tried:
            raise Faulty(passed_over[-3:] or [NOTHING])
        last = tried[-1].told
        # No outcome was said: what is told behind the blocks may say another.
        words = last.outcome or last.approach or ""
        behind = tried[-1].behind or None
        report = Report.failed(words, cause="capability", blockers=behind, implied=True)
        report = _with_attempts(report, tried)
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


def _texts(page: Page, covered: set[int], spoken: set[int]) -> list[tuple[list[Line], int | None]]:
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
    found: list[tuple[list[Line], int | None]] = [(own, None)]
    for fence in page.fences:
        if fence.language in SPOKEN and not fence.language.startswith("json"):
            inside = page.inside(fence)
            for line in inside:
                line.quoted = line.quoted or line.number in covered
            found.append((inside, fence.before))
    return found


def _hear_words(
    page: Page,
    lines: list[Line],
    before: int | None,
    heard: list[Heard],
    tried: list[Attempt],
    passed_over: list[str],
    held: set[int],
) -> tuple[str, set[int]]:
    """What is said in these lines around a form; of a fence only if it holds one, since else it shows something. And
    the lines that only show what a signal or block looks like. `held` are those that stand in a question's fields."""
    shown: set[int] = set()

    def shows(start: int) -> bool:
        return page.only_shows(start) or (before is not None and page.only_shows(before))

    done_before = False
    found, around = forms(lines)
    for form in found:
        # A form that was only begun says nothing, unless a finished one came before it: then it takes that back.
        if form.template or shows(form.start) or (form.weak and not done_before):
            passed_over += form.faults or [SHOWN]
            if form.weak and not form.template and (form.told or form.alone) and not shows(form.start):
                heard.append(Heard(form.end, 0, form.start, form.alone, form.faults, alone=True, told=form.told))
        else:
            of_form = range(form.start, form.end + 1)
            heard.append(
                Heard(form.end, 0, form.start, form.report, form.faults, form.implied, told=form.told, lines=of_form)
            )
            done_before = done_before or form.report is not None
    told = attempts(lines)
    blocks = [attempt for attempt in told if not shows(attempt.start)]
    shown |= {number for attempt in told if shows(attempt.start) for number in attempt.lines}
    own = [Line(line.number, line.text, fence=line.fence) if line.number in held else line for line in lines]
    for signal in signals(own, None, blocks, held):
        if signal.template or shows(signal.start):
            passed_over += signal.faults or ["it only shows what a signal looks like"]
            shown |= signal.lines
        else:
            heard.append(Heard(signal.start, SIGNAL, signal.start, signal.report, signal.faults, lines=signal.lines))
    tried += blocks
    return (around if before is None or done_before else ""), shown


def _hear_objects(
    page: Page, heard: list[Heard], passed_over: list[str], apart: dict[int, dict[str, Any]]
) -> tuple[set[int], set[int], dict[int, str]]:
    """JSON in the text that is no quotation; the answer is the lines it covers, of these the ones of reports, and what
    else stands on those. What is no report goes into `apart`, with its lines: it stays among the words."""
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
    rest: dict[int, str] = {}
    for found in objects(text, is_meant, looks_handed):
        first = bisect_right(starts, found.start) - 1
        last = bisect_right(starts, max(found.end - 1, found.start)) - 1
        if found.data is not None:
            found.data = in_known_case(found.data)
            covered.update(range(first, last + 1))
        reason = _passed_over(page, found, text, starts[first], first)
        # Its end is enough, and a hostile line is long.
        before = text[max(starts[first], found.start - 200) : found.start].strip(" `-*\t").lower()
        behind = text[found.end : found.end + 200].split("\n", 1)[0].strip(" `.\t")
        by_itself = not behind and (not before or before.endswith(":"))
        lone = found.data is not None and found.data.keys() == {"status"} and not reason
        lone = lone and before not in _RETURN and not (by_itself and last >= page.end)
        reason = ALONE if lone else reason
        one = _heard(found, last, by_itself)
        if one is None:
            passed_over += (
                ["a form that nobody filled in is no report"] if found.data and is_template(found.data) else []
            )
            if found.data and not reason and not is_template(found.data):
                apart |= dict.fromkeys(range(first, last + 1), found.data)
            continue
        if reason:
            passed_over.append(reason)
            if lone and by_itself and not before:
                heard.append(replaced(one, alone=True))
        else:
            heard.append(one)
            if found.data is not None:
                spoken.update(range(first, last + 1))
                cut_out(rest, told, (first, found.start - starts[first]), (last, found.end - starts[last]))
    return covered, spoken, rest


def _hear_lists(page: Page, heard: list[Heard], covered: set[int], spoken: set[int]) -> None:
    """Lists of findings without a report around them."""
    for first, last, data in lists_in(page):
        faults: list[str] = []
        try:
            report = adding({"findings": data}, strict=True)
        except Faulty as error:
            report, faults = None, error.faults
        heard.append(Heard(last, 1, first, report, faults or [missing_outcome({"findings": data})], adds=not faults))
        covered.update(range(first, last + 1))
        spoken.update(range(first, last + 1))


def _heard(found: Found, line: int, by_itself: bool) -> Heard | None:
    """The report an object is; None if it is none, or only a form to fill in."""
    if found.data is None:
        # A message that cannot be read must not be lost because its report can.
        is_message = looks_handed(found.keys)
        return Heard(line, 1, found.start, None, [found.fault], adds=is_message) if is_meant(found.keys) else None
    if is_template(found.data):
        return None
    if (asked := sent_for(found.data)) is not None:
        return Heard(line, 1, found.start, Report(outcome="done", delegate=[asked]), [SENDS_FOR], adds=True)
    try:
        report = return_from_object(found.data) if by_itself else report_from_object(found.data)
        handed = alone(found.data) if report is None else None
    except Faulty as error:
        return Heard(line, 1, found.start, None, error.faults, adds=holds_message(found.data))
    if report is not None:
        return Heard(line, 1, found.start, report, [])
    if handed is not None:
        said = handed.messages[0]
        return Heard(line, 1, found.start, handed, [without_end(said.type, said.status)], adds=True)
    more, fault = adding(found.data), fault_of_untyped(found.data)
    if fault:
        return Heard(line, 1, found.start, None, [fault], adds=True)
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
