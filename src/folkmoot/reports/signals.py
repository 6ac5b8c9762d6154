"""ATTEMPT blocks and the signals: SEEKING_DIVINE_CLARIFICATION, EXPERT_UNSUCCESSFUL, TASK_INCOMPLETE, TASK_COMPLETE."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from folkmoot.core.report import AskedQuestion, Report, Try
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import behind_no
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.undone import said_undone
from folkmoot.core.vocabulary.words import meaning_of
from folkmoot.reports.asking.attempt_lines import (
    ATTEMPT_LABELS,
    DASHED,
    KINDS,
    MARKUP,
    NEXT_FIELD,
    attempt_in,
    fields_in,
    is_logged,
    is_wrapped,
)
from folkmoot.reports.asking.attempt_tables import rows_in
from folkmoot.reports.asking.question_lines import OF_QUESTIONS, QUESTION_LABELS, ends_block, goes_on_below
from folkmoot.reports.canonical import shown
from folkmoot.reports.loose.names import LABEL, label_in
from folkmoot.reports.loose.options import options_in
from folkmoot.reports.page import Line
from folkmoot.reports.placeholders import filled, is_placeholder
from folkmoot.reports.status import is_hedged

SEEKING, UNSUCCESSFUL, INCOMPLETE = "SEEKING_DIVINE_CLARIFICATION", "EXPERT_UNSUCCESSFUL", "TASK_INCOMPLETE"
COMPLETE = "TASK_COMPLETE"
ATTEMPTS_MAX = 100  # more than any agent makes in one run
BEHIND_MAX = 200  # lines that are read behind the last block
SIGNALS_MAX = 500  # more than can be united: those before so many need not be read

_NAMES = rf"{SEEKING}|{UNSUCCESSFUL}|{INCOMPLETE}|{COMPLETE}D?"
_BEFORE = r"(?:-\s*)?(?:(?:signal|status|outcome|result)\s*[:=]\s*)?[*_`]*"
_SIGNAL = pattern(rf"{_BEFORE}({_NAMES})[*_`]*(?:\s*[:.–—-]\s*(.*))?", re.IGNORECASE)
# Words right behind a signal at the start of a line. Where it is what a sentence is about, it is only mentioned.
_TRAILED = pattern(rf"{_BEFORE}({_NAMES})[*_`]*\s+(.*)")
_MENTIONED = pattern(
    r"(?:is|was|are|were|be|would|will|should|shall|must|can|could|may|might|do|does|did|has|had|have|means?|signals?|or"
    r"|and|when|if|unless|only|never|not|needs?|requires?|reports?|blocks?|lines?|format|message)\b",
    re.IGNORECASE,
)
# With spaces it is the signal only in capitals: "task incomplete" are words.
_SPACED = {name.replace("_", " "): name for name in (SEEKING, UNSUCCESSFUL, INCOMPLETE, COMPLETE)}
_POINT = pattern(r"\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s+")
_UNCOUNTED = pattern(r"\[\s?N\s?\]")
_COUNT = pattern(r"(.{1,60}?):\s{0,3}\[?(\d{1,6})\b")

_FENCES = ("```", "~~~")
_OWN_REPORT = pattern(r"\b(?:reports?|status|signal|json|answer|verdict)\W*:\Z", re.IGNORECASE)  # of the agent itself
_BULLETED = pattern(r"[-*+•]\s")
# Behind the options these are no part of the last one, whether or not a line is left empty.
_ENDS_OPTIONS = pattern(r"(?:my )?(?:recommend(?:ation|ed)|prefer(?:ence|red))\w*", re.IGNORECASE)


@dataclass(slots=True)
class Signal:
    """A signal as it was found: a report, or what is missing from it."""

    start: int
    report: Report | None
    faults: list[str]
    template: bool = False
    lines: set[int] = field(default_factory=set)  # the numbers of all lines that were read as part of it


@dataclass(slots=True)
class Attempt:
    start: int
    title: str
    told: Try
    behind: str = ""  # what is said after it, up to the next one or the end
    lines: set[int] = field(default_factory=set)  # the numbers of its own lines


@dataclass(slots=True)
class Labelled:
    """A stretch of lines, sorted by the labels in it; `first` is what stands before any label."""

    first: list[str] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)
    behind: str = ""  # on the signal's own line
    lines: set[int] = field(default_factory=set)

    def text(self, name: str) -> str | None:
        words = "\n".join(self.parts.get(name, [])).strip()
        return words or None


def signals(
    lines: list[Line], fence: int | None = None, blocks: Sequence[Attempt] = (), held: Collection[int] = ()
) -> list[Signal]:
    """Every signal that stands on a line of its own. In one of the ATTEMPT `blocks` an expert's is what a delegation
    came to: whoever tells of it does not say it. `held` are the numbers of lines that a field of a question holds."""
    found = []
    starts = [
        (place, signal_in(line, lines[place - 1].text if place else ""))
        for place, line in enumerate(lines)
        if not line.quoted and line.fence == fence and line.number not in held
    ]
    blocked = {number for block in blocks for number in block.lines}
    marks = [
        (place, match)
        for place, match in starts
        if match is not None and not (match.group(1).upper() == UNSUCCESSFUL and lines[place].number in blocked)
    ][-SIGNALS_MAX:]
    marks = _not_quoted(lines, marks)
    for number, (place, match) in enumerate(marks):
        until = marks[number + 1][0] if number + 1 < len(marks) else len(lines)
        name, behind = match.group(1).upper(), (match.group(2) or "").strip()
        denied = None if name.startswith(COMPLETE) else behind_no(behind)
        if denied is not None:  # beside a report it says nothing; what is said behind the no must not be lost with it
            fault = f"{name}: {shown(behind)} says that it is not so: leave it out, or say what is"
            found.append(Signal(lines[place].number, None, [fault], not denied, {lines[place].number}))
            continue
        asks = name == SEEKING
        told = _labelled(lines[place + 1 : until], fence, QUESTION_LABELS if asks else None, held if asks else ())
        if behind:
            told.first.insert(0, behind)
            told.behind = behind
        found.append(_asking(lines[place], told) if name == SEEKING else _ended(lines[place], name, told))
        found[-1].lines = {lines[place].number, *told.lines}
    return found


def _not_quoted(lines: list[Line], marks: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """Without those that a question tells of: in the middle of its context, right below other words of it, and with
    more of its fields behind."""
    found: list[tuple[int, re.Match[str]]] = []
    for number, (place, match) in enumerate(marks):
        asking = found[-1] if found and found[-1][1].group(1).upper() == SEEKING else None
        before = lines[place - 1].text.strip() if place else ""
        opened = label_in(before, QUESTION_LABELS)
        goes_on = before and asking is not None and place - 1 > asking[0] and not (opened and opened[1].strip())
        until = marks[number + 1][0] if number + 1 < len(marks) else len(lines)
        fields = (label_in(line.text.strip(), QUESTION_LABELS) for line in lines[place + 1 : until])
        if not (goes_on and any(name is not None and name[0] in OF_QUESTIONS for name in fields)):
            found.append((place, match))
    return found


def signal_in(line: Line, before: str = "") -> re.Match[str] | None:
    """The signal that the line begins; `before` is the line above it, in whose sentence it may stand."""
    words = line.text.strip()
    # Looking for the words first keeps the pattern away from every other line.
    if len(words) > 4000 or ("_" not in words and not any(name in words for name in _SPACED)):
        return None
    for spaced, name in _SPACED.items():
        words = words.replace(spaced, name)
    bare = words.lstrip(MARKUP).rstrip(MARKUP)
    found = _SIGNAL.fullmatch(bare)
    if found is not None:
        return found
    trailed = _TRAILED.fullmatch(bare)
    in_sentence = bool(before.strip()) and before.strip()[-1] not in ".:!?;*#`-="
    return trailed if trailed and not in_sentence and not _MENTIONED.match(trailed.group(2)) else None


def _ended(line: Line, name: str, told: Labelled) -> Signal:
    extra: dict[str, Any] = {label: "\n".join(words).strip() for label, words in told.parts.items()}
    words = "\n".join(told.first).strip()
    reason = next((text for label, text in extra.items() if label.lower() in ("reason", "trigger", "cause")), None)
    if is_placeholder(words):
        return Signal(line.number, None, [f"{name}: nothing was filled in"], template=True)
    if name.startswith(COMPLETE):
        denied = is_hedged(told.behind) or behind_no(told.behind) is not None
        hedge = told.behind if denied else said_undone(words) or (words if INCOMPLETE in words else "")
        if hedge:
            return Signal(line.number, None, [f"{name}: {shown(hedge)} is not clear; say done, or what is left"])
        said = Report.done(words or extra.get("Summary", ""), extra=extra)
    elif name == UNSUCCESSFUL:
        said = Report.failed(
            name, cause="capability", blockers=words or extra.get("Reason"), reason=reason, extra=extra
        )
    else:
        named = meaning_of(told.behind)  # `TASK_INCOMPLETE: context exhausted` says in one line what `Reason:` says
        reason = reason or (told.behind if named is not None and named.cause else None)
        said = Report(outcome="incomplete", summary=words or name, reason=reason, extra=extra)
    return Signal(line.number, said, [])


def _asking(line: Line, told: Labelled) -> Signal:
    labelled = told.text("question")
    words = labelled or _paragraph(told.first)
    question = filled(words)
    if words is not None and question is None:
        return Signal(line.number, None, ["Question: nothing was filled in"], template=True)
    if question is None or says_nothing(question):
        return Signal(line.number, None, [f"{SEEKING}: it has no Question"])
    extra: dict[str, Any] = {}
    for name in ("Task", "Agent"):
        said = filled(told.text(name))
        if said is not None:
            extra[name] = said
    made = [line for line in told.parts.get("attempts", []) if line.strip() and not _UNCOUNTED.search(line)]
    if made:
        extra["Attempts Made"] = _counts(made)
    first = "\n".join(told.first).strip()
    beside = filled(first if labelled else first.removeprefix(words or "").removeprefix(question).strip())
    context = [filled(told.text("context")), beside, "\n".join(["Attempts Made:", *made]) if made else None]
    asked = AskedQuestion(
        question=question,
        context="\n\n".join(part for part in context if part) or None,
        options=options_in("\n".join(told.parts.get("options", []))),
        help=filled(told.text("help")),
    )
    reason = filled(told.text("reason"))
    return Signal(line.number, Report(outcome="asks", summary=question, question=asked, reason=reason, extra=extra), [])


def _paragraph(lines: list[str]) -> str | None:
    words = "\n".join(lines).strip().split("\n\n", 1)[0].strip()
    return words or None


def _counts(lines: list[str]) -> dict[str, Any] | list[str]:
    """How many attempts of each kind; as it stands if it says something else."""
    points = [_POINT.sub("", line, count=1).strip() for line in lines if line.strip()]
    counts = [_COUNT.match(point) for point in points]
    if all(counts):
        return {count.group(1).strip(MARKUP): int(count.group(2)) for count in counts if count}
    return points


def _labelled(
    lines: list[Line], fence: int | None, labels: dict[str, str] | None, held: Collection[int] = ()
) -> Labelled:
    """Lines sorted by their labels, up to where something else begins. Without a list any label on a line counts."""
    told = Labelled()
    into = told.first
    blank = False
    bulleted: bool | None = None  # are the fields points of a list? Then a point inside of one is none
    for place, line in enumerate(lines):
        words = line.text.strip()
        if line.quoted or line.fence != fence:
            into.append(line.text)
            told.lines.add(line.number)
            continue
        ends = line.number not in held and ends_block(words)
        if ends or (labels is None and blank and words and not LABEL.fullmatch(words)):
            break
        name = label_in(words, labels)
        point = _BULLETED.match(words) is not None
        if name is not None and labels is not None and point and bulleted is False:
            name = None
        if name is not None:
            bulleted = point if bulleted is None else bulleted
            into = told.parts.setdefault(name[0], [])
            words = name[1]
        elif into is told.parts.get("options") and _ends_options(line.text, lines[place - 1].text):
            into = told.first
            into.append("")
        elif words.startswith("#") and not (labels is not None and goes_on_below(lines, place, fence, told.parts)):
            break
        told.lines.add(line.number)
        if words or into:
            into.append(words if name else line.text.rstrip())
        blank = labels is None and not words and bool(into)
    return told


def _ends_options(text: str, before: str) -> bool:
    """A field that the form does not have, at the margin: it is said beside the options, and no part of the last."""
    field = LABEL.fullmatch(text.rstrip()) if text[:1].isalpha() or text[:2] == "**" else None
    return field is not None and (not before.strip() or _ENDS_OPTIONS.fullmatch(field.group(1)) is not None)


def starts_block(line: Line) -> bool:
    """Does a signal or an ATTEMPT block begin here?"""
    return attempt_in(line.text.strip()) is not None or signal_in(line) is not None


def attempts(lines: list[Line], fence: int | None = None) -> list[Attempt]:
    """Every ATTEMPT block with its kind, approach, outcome and why it is different."""
    found = []
    place = 0
    while place < len(lines):
        line = lines[place]
        match = None if line.quoted or line.fence != fence else attempt_in(line.text.strip())
        place += 1
        if match is None:
            continue
        told, place, beside = _told(lines, place, fence)
        own = set(range(line.number, lines[place].number if place < len(lines) else lines[-1].number + 1)) - set(beside)
        behind = _behind(lines, place, fence)
        number, title = match
        told = {**dict(fields_in(title)), **told}
        # A choice that nobody made says nothing about whose attempt it was.
        chosen = filled(NEXT_FIELD.split(title)[0]) or ""
        written = {name: words for name, said in told.items() if (words := filled(said))}
        if not written and (any(told.values()) or not KINDS.match(chosen)):
            continue
        if "why_different" in told:
            written.setdefault("why_different", "")  # asked how it differs, nobody said so
        if chosen and "approach" not in written and not KINDS.match(chosen):
            written["approach"] = chosen
        written |= {"beside": words} if (words := "\n".join(beside.values()).strip()) else {}
        found.append(_attempt(line.number, number, chosen, written, behind, own))
    signalled = {line.number for line in lines if signal_in(line) is not None}
    for one, after in pairwise(found):  # what stands between two blocks is about the first
        if one.behind and signalled.isdisjoint(range(one.start, after.start)):
            one.told = replace(one.told, beside="\n\n".join(filter(None, (one.told.beside, one.behind))))
    blocks = {number for block in found for number in block.lines}
    asks = next((place for place, line in enumerate(lines) if _is_question(line)), len(lines))
    for row in rows_in(lines, fence):
        written = {name: words for name, said in row.told.items() if (words := filled(said))}
        line = lines[row.place]
        if written.get("approach") and line.number not in blocks and row.place < asks:
            behind = _behind(lines, row.place + 1, fence)
            found.append(_attempt(line.number, row.number, row.kind, written, behind, {line.number}))
    return sorted(found, key=lambda one: one.start)


def _is_question(line: Line) -> bool:
    """Does a question begin here? A table below it is one of its fields'."""
    signal = signal_in(line) if "_" in line.text or line.text.isupper() else None
    return signal is not None and not line.quoted and signal.group(1).upper() == SEEKING


def _attempt(start: int, number: str, chosen: str, told: dict[str, str], behind: str, own: set[int]) -> Attempt:
    kind = "expert_delegation" if re.search("expert|delegat", chosen, re.IGNORECASE) else "self_solve"
    return Attempt(start, f"{number}: {chosen}".strip(": "), Try(kind=kind, **told), behind, own)


def _behind(lines: list[Line], place: int, fence: int | None) -> str:
    """The agent's own words after a block, up to the next one or a heading."""
    found: list[str] = []
    for line in lines[place : place + BEHIND_MAX]:
        words = line.text.strip()
        if attempt_in(words) or words.startswith(("#", "---", "{", "```", "~~~")):
            break
        if not line.quoted and line.fence == fence and signal_in(line) is None:
            found.append(words)
    return "\n".join(found).strip()


def _told(lines: list[Line], place: int, fence: int | None) -> tuple[dict[str, str], int, dict[int, str]]:
    """The fields of a block, the line behind the last, and those between them that are no part of one. A log or a
    quotation between two fields belongs to the first; an agent's other words there are said beside the block."""
    parts: dict[str, list[str]] = {}
    into: list[str] = []
    beside: dict[int, str] = {}
    goes_on = said_between = headed = False
    end = place
    for at in range(place, len(lines)):
        line, words = lines[at], DASHED.sub(r"\1: ", lines[at].text.strip(), count=1)
        own = not line.quoted and line.fence == fence
        labels = fields_in(words) if own and label_in(words, ATTEMPT_LABELS) else []
        begins = attempt_in(words) is not None and not (goes_on and is_wrapped(lines, at, list(parts)))
        begins = begins and not (goes_on and is_logged(lines, at, place - 1))
        if own and not labels and (begins or words.startswith(("#", "---", "{"))):
            break
        if own and (said_between or not labels) and signal_in(line) is not None:
            break
        if labels and labels[0][0] in parts and (not goes_on or words.startswith("#")):
            break  # the same again behind a blank line, or as a heading: how it ended in all
        told = words != "" and not _is_shown(line, fence)
        headed = words.startswith("#") if labels else headed and not words  # nothing stands below a heading yet
        goes_on = bool(labels) or (goes_on and (told or headed))
        said_between = not goes_on and (said_between or told)
        if not goes_on:
            continue
        for one in lines[end:at]:
            if parts and _is_shown(one, fence):
                into.append(one.text.rstrip())
            else:
                beside[one.number] = "" if _is_shown(one, fence) else one.text.rstrip()
        for name, said in labels:
            into = parts.setdefault(name, [])
            into.append(said)
        into += [] if labels else [words]
        end = at + 1
    shown = _announced(lines, end, into, fence) if parts else 0
    into += [line.text.rstrip() for line in lines[end : end + shown]]
    return {name: "\n".join(words).strip() for name, words in parts.items()}, end + shown, beside


def _announced(lines: list[Line], place: int, said: list[str], fence: int | None) -> int:
    """How many lines the fence has that a block's last field announces, right above it: "it gives up:"."""
    last = next((words for words in reversed(said) if words), "")
    begins = place < len(lines) and lines[place].fence == fence and lines[place].text.lstrip().startswith(_FENCES)
    if not (begins and last.endswith(":")) or _OWN_REPORT.search(last):
        return 0
    inside = next((at for at in range(place + 1, len(lines)) if lines[at].fence == fence), len(lines))
    return min(inside + 1, len(lines)) - place


def _is_shown(line: Line, fence: int | None) -> bool:
    """Is it quoted, in a fence, or the mark of one?"""
    return line.quoted or line.fence != fence or line.text.lstrip().startswith(_FENCES)
