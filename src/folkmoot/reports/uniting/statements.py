"""Several statements of one text as one report: nothing that one of them says is dropped because another came later.

Lists are joined in the order of the text. Where a field has room for one thing only, the statement that holds keeps it,
and what the other says stands in `extra` under its own name; where that name is taken too, in `also`.
Which verdict holds, and whether all of them can be meant, is for the rules to say.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import to_builtins
from msgspec.structs import replace

from folkmoot.core.enums import FINDING_KINDS, SEVERITIES
from folkmoot.core.report import SIGNALS, AskedQuestion, Choice, Files, Finding, Report, Tests, Try
from folkmoot.core.rules.judging.together import SAID, verdict
from folkmoot.reports.canonical import Faulty

ALSO = "also"  # of `extra`: what other statements of the same text say under a name that is taken
_LISTED = ("artifacts", "comments", "tasks", "contracts", "interfaces", "delegate", "next_steps", "lessons", "messages")
STATEMENTS_MAX = 100  # more than anybody says in one text
COMPARED_MAX = 500  # beyond this many, only what is the same to the letter is said once
Value = TypeVar("Value")
_ENDED = ("failed", "stuck")  # only of these a cause or a reason decides something


def united(said: Sequence[Report]) -> Report:
    """One report of all that was said, in this order."""
    told = _distinct(said)
    if len(told) == 1:
        return told[0]
    if any(report.outcome != "asks" for report in told):
        # Its question is told as such: it is not what the others have done.
        told = [replace(report, summary="") if only_asks_along(report) else report for report in told]
    if len(told) > STATEMENTS_MAX:
        raise Faulty([f"it says {len(told)} things about its end, more than {STATEMENTS_MAX}"])
    outcomes = [report.outcome for report in said if not only_asks_along(report)] or ["asks"]
    outcome = verdict(outcomes) or outcomes[-1]
    holds = max(place for place, report in enumerate(told) if report.outcome == outcome)
    report = told[holds]
    # The nearest goes first: of what has room for one thing only, the last that was said before counts.
    for other in reversed(told[:holds]):
        report = joined(report, other, before=True)
    for other in told[holds + 1 :]:
        report = joined(report, other)
    if len(set(outcomes)) > 1:
        report = replace(report, extra={**report.extra, SAID: outcomes})
    return report


def only_asks_along(report: Report) -> bool:
    """A question for which nothing waits is no end of a run: what else the text says is."""
    return report.outcome == "asks" and report.question is not None and not report.question.blocking


def joined(main: Report, other: Report, before: bool = False) -> Report:
    """The report with all that another statement of the same text says; `before`: it stood before it."""

    def both(one: list[Any], more: list[Any]) -> list[Any]:
        return _distinct([*more, *one] if before else [*one, *more])

    parts: dict[str, Any] = {name: both(getattr(main, name), getattr(other, name)) for name in _LISTED}
    beyond: dict[str, Any] = {}  # what has no room in its field
    summary, more = main.summary, other.summary
    if more.strip() and more not in SIGNALS and more not in summary:
        if not summary.strip() or summary in SIGNALS:
            summary = more
        elif main.outcome == other.outcome:
            summary = "\n".join((more, summary) if before else (summary, more))
        else:
            beyond["Summary"] = more
    for name in ("commit", "reason", "usage", *(("cause", "escalation_reason") if main.outcome in _ENDED else ())):
        parts[name] = getattr(main, name) if getattr(main, name) is not None else getattr(other, name)
    if main.question and other.question and main.outcome not in _ENDED:
        parts["reason"] = _text(main.reason, other.reason, before, "; ")  # a person is asked for both
    points, left = _points(main.integration_points, other.integration_points)
    beyond |= {"integration_points": left} if left else {}
    parts |= {
        "summary": summary,
        "files": _files(main.files, other.files),
        "findings": _findings(main.findings, other.findings, before),
        "tests": max((one for one in (main.tests, other.tests) if one), key=_red, default=None),
        "attempts": attempts_of(other.attempts, main.attempts)
        if before
        else attempts_of(main.attempts, other.attempts),
        "blockers": _text(main.blockers, other.blockers, before),
        "question": _question(main.question, other.question, before),
        "integration_points": points,
    }
    for name in ("commit", "reason", "usage", "cause", "escalation_reason", "tests"):
        value = getattr(other, name)
        if value is not None and parts.get(name, getattr(main, name)) != value:
            beyond[name] = to_builtins(value)
    if main.question and other.question and main.question.default != other.question.default:
        beyond |= {"default": other.question.default} if other.question.default else {}
    return replace(main, **parts, extra=_extra(main.extra, {**beyond, **other.extra}))


def attempts_of(one: list[Try], more: list[Try]) -> list[Try]:
    """All attempts, each once: the same may be told in a block and in JSON."""
    if len(one) + len(more) > COMPARED_MAX:
        return _distinct([*one, *more])
    found: list[Try] = []
    for told in [*one, *more]:
        at = next((at for at, known in enumerate(found) if _same_try(known, told)), None)
        if at is None:
            found.append(told)
        else:
            known = found[at]
            found[at] = replace(
                known,
                approach=known.approach or told.approach,
                outcome=known.outcome or told.outcome,
                why_different=known.why_different or told.why_different,
                beside=known.beside or told.beside,
            )
    return found


def _same_try(one: Try, other: Try) -> bool:
    """The same approach, and nothing that the two say apart."""
    if not (one.approach and other.approach and _plain(one.approach) == _plain(other.approach)):
        return one == other
    pairs = ((one.outcome, other.outcome), (one.why_different, other.why_different))
    return one.kind == other.kind and all(not (a and b) or _plain(a) == _plain(b) for a, b in pairs)


def _extra(main: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found, left = dict(main), {}
    for name, value in other.items():
        if name == ALSO or name not in found:
            continue
        if found[name] != value:
            left[name] = value
    found |= {name: value for name, value in other.items() if name not in found and name != ALSO}
    also = [*main.get(ALSO, []), *other.get(ALSO, []), *([left] if left else [])]
    return {**found, ALSO: _distinct(also)} if also else found


def _points(one: dict[str, Any], more: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where tasks meet, and what of it has no room: of a place that both tell of, the first one's words hold."""
    points = {**more, **{name: value for name, value in one.items() if value or not more.get(name)}}
    return points, {name: value for name, value in more.items() if value and points[name] != value}


def _distinct(values: Sequence[Value]) -> list[Value]:
    """Each once, by how it is written out: looking at all the others each time would take too long for very many.
    Not as JSON: what no store can keep is refused later, in words."""
    return list({repr(value): value for value in reversed(values)}.values())[::-1]


def _text(one: str | None, more: str | None, before: bool, between: str = "\n") -> str | None:
    if not (one and more):
        return one or more
    if more in one or one in more:
        return max(one, more, key=len)
    return between.join((more, one) if before else (one, more))


def _question(one: AskedQuestion | None, more: AskedQuestion | None, before: bool) -> AskedQuestion | None:
    """All that a person is asked, as one question: each of them is answered there."""
    if one is None or more is None or one == more:
        return one or more
    first, last = (more, one) if before else (one, more)
    asks = [first.question] if first.question == last.question else [first.question, last.question]
    return AskedQuestion(
        question="\n\n".join(asks),
        context=_text(first.context, last.context, before=False),
        options=_options([*first.options, *last.options]),
        help=_text(first.help, last.help, before=False),
        blocking=first.blocking or last.blocking,
        default=one.default if one.default == more.default or len(asks) == 1 else None,
    )


def _options(choices: list[Choice]) -> list[Choice]:
    if len(choices) > COMPARED_MAX:
        return _distinct(choices)
    found: list[Choice] = []
    for choice in choices:
        at = next((at for at, known in enumerate(found) if known.option == choice.option), None)
        if at is None:
            found.append(choice)
        else:
            why = _text(found[at].why_insufficient, choice.why_insufficient, before=False)
            found[at] = replace(found[at], why_insufficient=why)
    return found


def _files(one: Files, other: Files) -> Files:
    created = list(dict.fromkeys([*one.created, *other.created]))
    modified = [path for path in dict.fromkeys([*one.modified, *other.modified]) if path not in created]
    return Files(created=created, modified=modified)


def _red(tests: Tests) -> int:
    """The count with the most red ones holds: a green one beside it may be of other tests."""
    return tests.failed


def _findings(one: list[Finding], more: list[Finding], before: bool) -> list[Finding]:
    """Each finding once: one that is told again fills what the first leaves out. `before`: `more` stood first."""
    found = list(one)
    added: list[Finding] = []
    if len(one) + len(more) > COMPARED_MAX:
        found, added, more = [*more, *one] if before else [*one, *more], [], []
    for told in more:
        at = next((at for at, known in enumerate(found) if _repeats(told, known)), None)
        if at is None:
            added.append(told)
        else:
            found[at] = _filled(found[at], told)
    return _distinct([*added, *found] if before else [*found, *added])


def _repeats(told: Finding, known: Finding) -> bool:
    """Is it said already, and as badly? The same place, or the same words of no other place."""
    apart = any(a is not None and b is not None and a != b for a, b in _places(told, known))
    if apart or SEVERITIES.index(known.severity) > SEVERITIES.index(told.severity):
        return False
    same_place = told.line is not None and (told.file, told.line) == (known.file, known.line)
    issue = _plain(known.issue)
    return same_place or bool(issue and issue in _plain(told.issue))


def _places(one: Finding, other: Finding) -> list[tuple[Any, Any]]:
    return [(one.file, other.file), (one.line, other.line), (one.test, other.test)]


def _filled(known: Finding, told: Finding) -> Finding:
    """One finding that was told twice, with whatever either says of it."""
    names = ("file", "line", "recommendation", "test", "exploit", "category", "why", "fixed")
    parts = {name: getattr(known, name) if getattr(known, name) is not None else getattr(told, name) for name in names}
    taken = [getattr(told, name) for name in ("recommendation", "exploit", "category", "why")]
    words = [told.issue, *(text for text in taken if text), *told.wordings]
    said = {known.issue, *known.wordings, *(str(value) for value in parts.values())}
    wordings = [*known.wordings, *(text for text in words if text and text not in said)]
    kind = known.kind if known.kind != FINDING_KINDS[0] else told.kind
    return replace(known, **parts, kind=kind, issue=known.issue or told.issue, wordings=_distinct(wordings))


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())
