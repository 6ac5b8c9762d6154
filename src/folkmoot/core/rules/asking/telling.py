"""The facts that a question of the rules shows, so that whoever is asked can decide without looking elsewhere."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import json
from msgspec.structs import replace

from folkmoot.core.report import SHOWN_BESIDE, WORDS_BESIDE, Finding, Report, Task
from folkmoot.core.rules.judging.carrying import COUNTED_HERE, TOLD_OF, VERDICTS, leftovers
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.tallies import red_tests
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import is_only_word, plain
from folkmoot.core.work import Evidence

FINDINGS_SHOWN = 10
TASKS_SHOWN = 20
LINES_SHOWN = 15  # of what a gate printed
LETTERS_SHOWN = 2_000  # of one fact
PLAINLY_SAID = 12  # letters: what is shorter, as a "no", may stand in any sentence
_NAMES = ("Task", "Agent", "Expert", "agentType", "agent_type", "from", "source", "task_id", "agent_id")
_ONLY_WHOSE_OR_WHEN = (*_NAMES, "requested_at", "escalated_at", "ATTEMPT")  # the blocks themselves are in the history
_ASKED = {"question", "questions", "clarification", "clarifications"}  # in the name under which a dialect asks


def facts(*told: str) -> str:
    """What is known, one fact below the other; nothing is said twice."""
    return "\n".join(dict.fromkeys(words for words in told if words))


def asked_because(reason: str | None, *more: str | None) -> str:
    """What stands beside an agent's question, however it was asked: its reason, and what it says around it."""
    return facts(f"reason: {_cut(reason)}" if reason else "", *(words or "" for words in more))


def question_told(report: Report, context: str | None) -> str:
    """What stands beside the question that a report asks: its reason, its context, the words around it, and what else
    it says of the work: the answer may hang on what is done and what is left."""
    reason = report.reason or report.escalation_reason
    if report.outcome == "stuck":
        return asked_because(reason, context, said_told(report, summary=True))
    return asked_because(reason, context, _words_beside(report), _else_told(report, reason, context))


def _else_told(report: Report, *known: str | None) -> str:
    """What neither its question nor what stands beside that says already, under whichever label."""
    passed_over = TOLD_OF | COUNTED_HERE
    own = {
        name: value if _is_texts(value) else in_words(value)
        for name, value in report.extra.items()
        if name not in (WORDS_BESIDE, SHOWN_BESIDE) and folded(name) not in passed_over
    }
    asked = report.question.question if report.question else ""
    said = " ".join(" ".join(filter(None, (asked, *known))).split())
    told = _said(replace(report, extra=own), summary=report.summary not in asked)
    return facts(*(words for words in told if not _is_in(said, " ".join(words.split()))))


def _is_in(said: str, words: str) -> bool:
    label, _, behind = words.partition(": ")
    return words in said or (len(behind) >= PLAINLY_SAID and label.count(" ") <= 1 and behind in said)


def in_words(value: Any) -> str:
    """A value of any shape, each part with the name that it stands under."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {in_words(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(in_words, value))
    return value if isinstance(value, str) else "" if value is None else json.encode(value).decode()


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _words_beside(report: Report) -> str:
    words = report.extra.get(WORDS_BESIDE)
    return facts(_cut(words) if isinstance(words, str) else "", *_shown_beside(report))


def _shown_beside(report: Report) -> Iterator[str]:
    """Code and logs that an agent shows beside its report."""
    shown = report.extra.get(SHOWN_BESIDE)
    for words in shown.values() if isinstance(shown, dict) else ():
        yield f"{SHOWN_BESIDE}:\n{_cut(str(words))}"


def findings_told(findings: Iterable[Finding]) -> str:
    """Each with its place, how it is exploited, and what would mend it."""
    found = list(findings)
    lines = []
    for finding in found[:FINDINGS_SHOWN]:
        place = f" ({finding.file}{f':{finding.line}' if finding.line else ''})" if finding.file else ""
        by = f", found by {', '.join(finding.found_by)}" if finding.found_by else ""
        issue = finding.issue or finding.category or finding.test or "no words were given"
        lines.append(f"{finding.severity} {finding.kind}: {issue}{place}{by}")
        if finding.test and finding.issue:
            lines.append(f"  test: {finding.test}")
        if finding.exploit:
            lines.append(f"  exploit: {finding.exploit}")
        if finding.why:
            lines.append(f"  why it matters: {finding.why}")
        if finding.recommendation:
            lines.append(f"  fix: {finding.recommendation}")
    return _with_rest(lines, len(found) - FINDINGS_SHOWN)


def said_told(report: Report, *, summary: bool = False) -> str:
    """What a report says beyond the words of the question."""
    return facts(*_said(report, summary=summary))


def left_told(report: Report, asked: str) -> str:
    """What a report says that the question of the rules, which quotes some words of it, does not say."""
    reason = report.escalation_reason
    own = reason and reason not in asked and not is_only_word(reason)
    return asked_because(reason if own else None, said_told(report, summary=report.summary not in asked))


def _said(report: Report, *, summary: bool) -> list[str]:
    tests = report.tests
    return [
        f"it says: {_cut(report.summary)}" if summary and report.summary else "",
        f"reason: {_cut(report.reason or '')}" if report.outcome == "failed" and _is_told(report) else "",
        f"blockers: {_cut(report.blockers)}" if report.blockers and report.blockers != report.summary else "",
        findings_told(report.findings),
        f"tests: {red_tests(tests)}" if tests is not None and tests.failed else "",
        "; ".join(f"it would ask {one.to}: {_cut(one.task)}" for one in report.delegate if one.to),
        "\n".join(["next steps:", *(f"  - {_cut(step)}" for step in report.next_steps)]) if report.next_steps else "",
        *_own_words(report),
    ]


def _own_words(report: Report) -> Iterator[str]:
    """What it asks, what it wrote under names of its own, and what it says in plain words, where its form has no field
    for that."""
    for name, value in leftovers(report).items():
        told = [one for one in (value if isinstance(value, list) else [value]) if one != ""]
        if name in (*_ONLY_WHOSE_OR_WHEN, *VERDICTS, WORDS_BESIDE) or not all(isinstance(one, str) for one in told):
            continue
        if _ASKED & set(plain(name).split()):
            yield from (f"it asks: {_cut(one)}" for one in told if one.strip())
        elif words := "; ".join(told).strip():
            yield f"{name}:{chr(10) if chr(10) in words else ' '}{_cut(words)}"
    prose = report.extra.get(WORDS_BESIDE)
    if isinstance(prose, str) and prose.strip():
        yield f"{WORDS_BESIDE}: {_cut(prose)}"
    yield from _shown_beside(report)


def _is_told(report: Report) -> bool:
    """Is the reason words of its own? One of the flow's, or one that the question itself has, tells nothing more."""
    own = report.reason and report.reason not in (report.summary, report.escalation_reason)
    return bool(own and (report.summary or report.blockers) and not is_only_word(report.reason))


def tasks_told(tasks: list[Task]) -> str:
    """The proposed tasks of a split."""
    lines = ["the proposed tasks:"] if tasks else []
    for number, task in enumerate(tasks[:TASKS_SHOWN], start=1):
        files = f" [{', '.join(task.files)}]" if task.files else ""
        after = f" after {', '.join(task.after)}" if task.after else ""
        lines.append(f"  {task.key or number}. {task.title}{files}{after}")
    return _with_rest(lines, len(tasks) - TASKS_SHOWN)


def gate_told(gate: str, evidence: Evidence | None) -> str:
    """The lines with which a gate's command ended."""
    if evidence is None or not evidence.output.strip():
        return ""
    lines = evidence.output.strip().splitlines()[-LINES_SHOWN:]
    return "\n".join([f"{gate} ended with {evidence.exit_code}:", *(f"  {line}" for line in lines)])


def statements_told(case: Case, comments: Iterable[str]) -> str:
    """What was said in a thread, in order: the last statement of each side is among it."""
    said = [case.comments[comment] for comment in comments if comment in case.comments]
    return "\n".join(f"{one.author}: {_cut(one.content)}" for one in said)


def _cut(words: str) -> str:
    return words if len(words) <= LETTERS_SHOWN else f"{words[: LETTERS_SHOWN - 1]}…"


def _with_rest(lines: list[str], left: int) -> str:
    return "\n".join([*lines, f"and {left} more"] if left > 0 else lines)
