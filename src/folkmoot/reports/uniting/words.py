"""What an agent says around its JSON, signals and ATTEMPT blocks: kept as it was said, and read as any text is.

`Blockers: …`, `Retro: …`, findings under a heading are what they are called. All else stands in `extra`, so that the
rules can hold it against the outcome, and whoever goes on is told it.
"""

import re
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.report import SHOWN_BESIDE, SIGNALS, WORDS_BESIDE, Report
from folkmoot.core.vocabulary.lines import severity_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.plans import labelled_order
from folkmoot.core.vocabulary.problems import listed_under
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.loose.issues import OPEN, count_in, open_issues
from folkmoot.reports.loose.points import Under, findings_in
from folkmoot.reports.markdown import Section, report_in, sections_in
from folkmoot.reports.page import SPOKEN, Line, Page, is_showing
from folkmoot.reports.placeholders import filled
from folkmoot.reports.status import Status, read_status
from folkmoot.reports.uniting.statements import joined

WORDS_MAX = 100_000  # characters of such words: of longer ones the beginning and the end are kept
_MARKS = "*_`#>-•|=~ \t"
_BULLET = pattern(r"(?:[-*+•]|\d{1,3}[.)])\s+")
# "Here is my report:" says nothing of its own.
_OPENS = pattern(r"\b(?:report|json|result|outcome|status|summary|output|message|decomposition|split|tasks?)s?\b", re.I)
_STATUS = pattern(r"^[\s*_#-]{0,9}status[\s*_]{0,4}:", re.I)
OPENING_WORDS_MAX = 10
_NEEDS_WORDS = ("failed", "stuck", "incomplete")


def cut_out(rest: dict[int, str], lines: list[str], begins: tuple[int, int], ends: tuple[int, int]) -> None:
    """Notes what stands on the lines of an object before and behind it. Each letter keeps its place, since a line may
    hold several objects."""
    (first, start), (last, end) = begins, ends
    for number in {first, last}:
        words = rest.get(number, lines[number])
        begin, behind = start if number == first else 0, end if number == last else len(words)
        rest[number] = words[:begin] + " " * (behind - begin) + words[behind:]


def with_words(page: Page, taken: set[int], rest: dict[int, str], report: Report, *, has_form: bool) -> Report:
    """The report with what stands beside it; `taken` are the lines that were read as JSON or the like, and `rest` what
    else stands on some of them."""
    own = [
        line if line.number not in taken else Line(line.number, rest[line.number].strip(), fence=line.fence)
        for line in page.lines
        if (line.number not in taken or rest.get(line.number, "").strip(_MARKS))
        and (line.number in rest or _is_spoken(page, line))
    ]
    if not any(line.text.strip(_MARKS) for line in own):
        return report
    read: set[int] = set()
    # A form with a Status was heard with all its parts; behind "It would look like this:" nobody speaks.
    if not (has_form or any(_shows(page, line) for line in own)):
        try:
            parts, read = _labelled(own)
        except Faulty:
            parts, read = None, set()  # then they are words like any others
        if parts is not None:
            report = joined(
                report, replace(parts, outcome=report.outcome), before=own[0].number < min(taken, default=0)
            )
    if has_form:
        read |= {line.number for line in own if _is_status(line.text)}
    report, counted = _with_counted(report, [line for line in own if line.number not in read])
    left = _left(own, read | counted, report)
    if not left:
        return report
    if len(left) > WORDS_MAX:
        half = WORDS_MAX // 2
        left = f"{left[:half]} [… {len(left) - 2 * half} characters left out …] {left[-half:]}"
    if report.outcome == "failed" and report.summary in SIGNALS and not report.blockers:
        return replace(report, blockers=left)  # the signal itself says nothing more: these words are why
    if report.outcome in _NEEDS_WORDS and not (report.summary.strip() or report.blockers):
        return replace(report, summary=left)  # nothing else says why: whoever helps is told this
    return replace(report, extra={**report.extra, WORDS_BESIDE: left})


def with_shown(page: Page, read: set[int], passed_over: set[int], report: Report) -> Report:
    """The report with the fences in which nothing was heard and with what it quotes, each as it stands. `read` are the
    lines of which the report was made; those `passed_over` look like one, and are none."""
    spans: list[tuple[int, int]] = []
    for fence in page.fences:
        inside = page.inside(fence)
        told = {line.number for line in inside if line.text.strip()}
        if not told or told & read or (fence.language in SPOKEN and not told <= passed_over):
            continue
        spans.append((fence.before, inside[-1].number + 2))
    spans += [(first, last) for first, last in _quotations(page) if read.isdisjoint(range(first, last))]
    found: dict[str, str] = {}
    left = WORDS_MAX
    for first, last in sorted(spans):
        words = "\n".join(line.text.rstrip() for line in page.lines[first:last])[:left]
        left -= len(words)
        found |= {str(len(found) + 1): words} if words else {}
    return replace(report, extra={**report.extra, SHOWN_BESIDE: found}) if found else report


def _quotations(page: Page) -> Iterator[tuple[int, int]]:
    """Lines behind `>`, of a mail or a page of the specification, say. What the board quoted for the agent in its brief
    (`> |`, and the label above it) is told there."""
    for is_quoted, group in groupby(page.lines, lambda line: line.fence is None and line.text.startswith(">")):
        lines = list(group)
        if is_quoted and not any(line.text.startswith("> |") for line in lines):
            yield lines[0].number, lines[-1].number + 1


def with_untold(page: Page, apart: Collection[int], heard: set[int | None], report: Report) -> Report:
    """A form with the objects (`apart`) and fences of which none of its parts tells: behind its Status, say. Fences in
    which a form was `heard` are told by it."""
    told = _plain(" ".join(_leaves(to_builtins(report))))
    groups = [list(lines) for is_apart, lines in groupby(page.lines, lambda line: line.number in apart) if is_apart]
    for fence in page.fences:
        inside = page.inside(fence)
        speaks = fence.language in SPOKEN and bool(sections_in(inside, None))
        if fence.number not in heard and not speaks and not any(line.number in apart for line in inside):
            groups.append(inside)
    texts = ["\n".join(line.text.rstrip() for line in lines).strip() for lines in sorted(groups, key=_first_of)]
    left = "\n\n".join(text for text in texts if text and _plain(text) not in told)[-WORDS_MAX:]
    if not left:
        return report
    known = report.extra.get(WORDS_BESIDE)
    return replace(report, extra={**report.extra, WORDS_BESIDE: f"{known}\n\n{left}" if known else left})


def _first_of(lines: list[Line]) -> int:
    return lines[0].number if lines else -1


def _labelled(lines: list[Line]) -> tuple[Report | None, set[int]]:
    """What sections without a Status say beside another report, and the lines that were read so. Words behind a label
    end with their paragraph."""
    sections = sections_in(lines, None)
    for section in sections:
        if section.name and not section.marked and section.body and section.body[0].number == section.number:
            told = 1 if count_in(section.body[0].text) is not None else 0  # behind a number the list itself may follow
            begins = next((at for at, line in enumerate(section.body) if at >= told and line.text.strip()), told)
            blank = next((at for at, line in enumerate(section.body) if at > begins and not line.text.strip()), None)
            section.body = section.body[:blank]
    known = [section for section in sections if _is_known(section) and section.text()]
    if not known:
        return None, set()
    read = {line.number for section in known for line in section.body} | {section.number for section in known}
    parts = report_in(Status(outcome="done"), known)
    listed = (section.bullets() for section in known if _is_unweighed(section.title))
    left = sum(open_issues([point for point in points if count_in(point) is None]) for points in listed)
    return (replace(parts, extra={**parts.extra, OPEN: left}) if left else parts), read


def _with_counted(report: Report, lines: list[Line]) -> tuple[Report, set[int]]:
    """The issues that a verdict only counts, where a list of just so many points stands beside it."""
    count = report.extra.get("issues")
    points = [line for line in lines if _BULLET.match(line.text.strip())]
    shallow = min((len(line.text) - len(line.text.lstrip()) for line in points), default=0)
    heads = [line for line in points if len(line.text) - len(line.text.lstrip()) == shallow]
    if report.outcome != "changes_requested" or report.findings or type(count) is not int or len(heads) != count:
        return report, set()
    first, last = points[0].number, points[-1].number
    listed = [line for line in lines if first <= line.number <= last]
    found = findings_in([Under("", [line.text for line in listed])], filled)
    return (
        (replace(report, findings=found), {line.number for line in listed}) if len(found) == count else (report, set())
    )


def _is_unweighed(title: str) -> bool:
    """As in JSON: beside a verdict such problems are open, unless they say themselves how bad they are. Findings may be
    remarks."""
    words = plain(title)
    return listed_under(title)[0] and words != "findings" and not any(map(severity_of, words.split()))


def _is_known(section: Section) -> bool:
    """Is it a part of the form, or does a heading of its own say that it lists problems?"""
    if section.name is not None:
        return section.name != "status"
    return section.marked and listed_under(section.title)[0]


def _shows(page: Page, line: Line) -> bool:
    return line.text.rstrip("*_ ").endswith(":") and is_showing(line.text, page.speakers)


def _is_spoken(page: Page, line: Line) -> bool:
    words = line.text.lstrip()
    if (line.quoted and not words.startswith("|")) or words.startswith(("```", "~~~")):
        return False  # a table is told, and no quotation
    return line.fence is None or page.fences[line.fence].language in SPOKEN


def _left(own: list[Line], read: set[int], report: Report) -> str:
    """The lines that stand nowhere in the report, as they were written; a heading only with what is below it. What an
    attempt keeps beside its fields decides nothing there, and is weighed with these."""
    weighed = replace(report, attempts=[replace(one, beside=None) for one in report.attempts])
    told = _plain(" ".join(_leaves(to_builtins(weighed))))
    found: list[str] = []
    heading: list[str] = []
    for line in own:
        words = line.text.strip()
        if line.number in read:
            continue
        if words.startswith("#"):
            heading = [words]
        elif not words.strip(_MARKS):
            found += [""] if found and found[-1] else []
        elif not (_is_told(words, told) or _only_opens(words)):
            found += [*heading, line.text.rstrip()]
            heading = []
    return "\n".join(found).strip()


def _is_told(words: str, told: str) -> bool:
    """A label may say more than what stands behind it: "Phase 2: the mail", "Not done: the mail"."""
    bare = _BULLET.sub("", words, count=1)
    label, _, behind = bare.partition(":")
    parts = [words, bare, *([behind] if _OPENS.search(label) or _plain(label) in told else [])]
    return any(part and part in told for part in map(_plain, parts))


def _only_opens(words: str) -> bool:
    bare = words.rstrip(_MARKS)
    number = len(bare.split())
    if labelled_order(bare) is not None:
        return False  # what it lists in that order may be told elsewhere
    return bare.endswith(":") and (number == 1 or (number <= OPENING_WORDS_MAX and _OPENS.search(bare) is not None))


def _is_status(words: str) -> bool:
    """Is it a form's Status, with nothing said behind it? That was heard."""
    told = _STATUS.sub("", words, count=1)
    said = read_status([(0, told)])
    return (said.boxes or told != words) and said.outcome is not None and not said.rest


def _plain(words: str) -> str:
    return " ".join(words.translate(_BARE).casefold().split())


_BARE = {ord(sign): None for sign in "*_`"}


def _leaves(value: Any) -> Iterator[str]:
    """Every text in a report, and the names under which a dialect has them."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name)
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, str):
        yield value
