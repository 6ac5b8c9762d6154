"""What a run has sent about the work it looks at is part of what it says: findings, tests, a verdict (R-22, R-26)."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.records import Message
from folkmoot.core.report import KINDS, SEVERITIES, Finding, Report, Tests
from folkmoot.core.rules.messages.kinds import against_end
from folkmoot.core.rules.sharing.findings import identity
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import LINE, PLACE, finding_in, number_in, severity_of, with_range
from folkmoot.core.vocabulary.lines import counted as counted_in
from folkmoot.core.vocabulary.words import verdict_of

# What each of the documents' messages about the work is about.
SUBJECTS = {
    "completion": "review",
    "fix_request": "review",
    "review_findings": "review",
    "security_issues": "security",
    "test_failures": "test",
    "test_results": "test",
}
_LISTS = {"issues": "review", "findings": "review", "vulnerabilities": "security", "failures": "test"}
_WORDS = ("issue", "error", "description", "message", "title", "type")
_REMEDIES = ("recommendation", "fix", "likely_fix", "suggestion")


class Sent(Struct, frozen=True):
    """What the messages of one run say together."""

    findings: list[Finding] = field(default_factory=list)
    tests: Tests | None = None
    words: str = ""
    refusal: str | None = None  # the type of the message that asks for changes, if one does
    issues: int = 0  # how many it has counted


def sent_by_run(case: Case, said: Report) -> Sent:
    """What still holds of what the run has sent: who approves later takes back what it sent before on the same.

    So do tests that the report counts, if none of them failed.
    """
    sent = sorted((one for one in case.messages.values() if _is_of_run(case, one)), key=lambda message: message.at)
    approved = {SUBJECTS[message.type]: at for at, message in enumerate(sent) if _verdict(message) is True}
    return _together([one for at, one in enumerate(sent) if at >= approved.get(SUBJECTS[one.type], 0)], said)


def _together(messages: list[Message], said: Report) -> Sent:
    if said.tests is not None and said.tests.total and not said.tests.failed:
        messages = [message for message in messages if SUBJECTS[message.type] != "test"]
    counted = [tests for message in messages if (tests := _tests(message)) is not None]
    return Sent(
        findings=[finding for message in messages for finding in _issues(message)],
        tests=max(counted, key=lambda tests: tests.failed, default=None),
        words=next((text for message in messages for text in _words(message)), ""),
        refusal=next((message.type for message in messages if _verdict(message) is False), None),
        issues=max((number_in(message.payload.get("issues")) or 0 for message in messages), default=0),
    )


def with_sent(case: Case, said: Report) -> Report:
    """The report with what its run has sent. The same finding, sent and reported, is one."""
    sent = sent_by_run(case, said)
    findings, tests = united(said.findings, sent.findings), said.tests or sent.tests
    asks = said.outcome == "changes_requested" or (said.outcome == "done" and sent.refusal is not None)
    summary = said.summary or (sent.words if asks and not said.findings else "")
    extra = {"issues": sent.issues, **said.extra} if sent.issues else said.extra
    return (
        said
        if (findings, tests, summary, extra) == (said.findings, said.tests, said.summary, said.extra)
        else replace(said, findings=findings, tests=tests, summary=summary, extra=extra)
    )


def unfinished_by(case: Case) -> str | None:
    """What the run's own last completion says against the end of its phase, if it does."""
    told = [m for m in case.messages.values() if _is_of_run(case, m) and m.type == "completion"]
    return against_end(sorted(told, key=lambda message: message.at)[-1].payload) if told else None


def united(reported: list[Finding], sent: list[Finding]) -> list[Finding]:
    found = list(reported)
    for finding in sent:
        at = next((at for at, known in enumerate(found) if _is_same(known, finding)), None)
        if at is None:
            found.append(finding)
        else:
            found[at] = _filled(found[at], finding)
    return found


def _is_same(one: Finding, other: Finding) -> bool:
    """Whatever kind each was told as: the same place, or the same test or words and nothing that the two say apart."""
    if identity(replace(one, kind="")) == identity(replace(other, kind="")):
        return True
    said = ((one.file, other.file), (one.line, other.line), (one.test, other.test))
    if any(known and told and known != told for known, told in said):
        return False
    alike = " ".join(one.issue.casefold().split()) == " ".join(other.issue.casefold().split())
    return bool(one.test and other.test) or (alike and bool(one.issue.strip()))


def _filled(known: Finding, sent: Finding) -> Finding:
    """One finding that was told twice: the graver of the two, with whatever either says of it."""
    told = {
        name: getattr(known, name) or getattr(sent, name) for name in ("issue", "recommendation", "test", "exploit")
    }
    place, other = (sent, known) if sent.file and not known.file else (known, sent)
    return replace(
        known,
        **told,
        kind=known.kind if known.kind != KINDS[0] else sent.kind,
        severity=min(known.severity, sent.severity, key=_gravity),
        category=known.category or sent.category,
        file=place.file,
        line=place.line if place.line is not None else other.line if other.file in (None, place.file) else None,
    )


def _gravity(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _is_of_run(case: Case, message: Message) -> bool:
    run = case.run
    return run is not None and message.type in SUBJECTS and message.run == run.id and message.status != "rejected"


def _verdict(message: Message) -> bool | None:
    """What it would mean as a report. True: approved. False: it asks for changes. None: neither."""
    payload, tests = message.payload, _tests(message)
    told = [word for word in (verdict_of(payload.get("status")), payload.get("approval")) if isinstance(word, bool)]
    if told and message.type == "completion":
        return None if all(told) else False  # that a phase is over says nothing good or bad of the work
    if told:
        return all(told)
    asks = message.type == "fix_request" or any(_issues(message)) or (tests is not None and tests.failed > 0)
    return False if asks else None


def _tests(message: Message) -> Tests | None:
    for name in ("summary", "tests"):
        value = message.payload.get(name)
        if isinstance(value, dict):
            counted = {part: number_in(value.get(part)) or 0 for part in ("total", "passed", "failed")}
            return Tests(**counted) if any(counted.values()) else None
        if isinstance(value, str) and (told := counted_in(value)) is not None:
            return told
    return None


def _issues(message: Message) -> Iterable[Finding]:
    for name, kind in _LISTS.items():
        told = message.payload.get(name)
        kind = kind if kind != KINDS[0] else SUBJECTS[message.type]
        for part in told if isinstance(told, list) else [told] if isinstance(told, str | dict) else []:
            if isinstance(part, str) and part.strip():
                yield finding_in(part, kind)
            elif isinstance(part, dict):
                yield _finding(part, kind)


def _finding(part: dict[str, Any], kind: str) -> Finding:
    def text(*names: str) -> str | None:
        return next((str(part[name]) for name in names if isinstance(part.get(name), str | int)), None)

    word, place = (text("severity") or "medium").strip().lower(), text("file", "location")
    severity = severity_of(word) or "medium"
    own = (text("kind") or kind).strip().lower()
    told = str(part.get("line", "")).strip()
    at, found = LINE.fullmatch(told), PLACE.fullmatch(place or "")
    line, lines = (int(at.group(1)), told if at.group(2) else "") if at else (None, "")
    if found and line is None:
        place, line, lines = found.group(1), int(found.group(2)), found.group(3) and f"{found.group(2)}{found.group(3)}"
    return Finding(
        kind=own if own in KINDS else kind,
        severity=severity,
        issue=with_range(text(*_WORDS) or text("exploit") or "", lines if "-" in lines else ""),
        file=place,
        line=line,
        recommendation=text(*_REMEDIES),
        test=text("test"),
        exploit=text("exploit"),
        category=text("category", "type") or (word if word not in SEVERITIES else None),
    )


def _words(message: Message) -> Iterable[str]:
    for name in ("summary", "description", "details", "issues"):
        value = message.payload.get(name)
        if isinstance(value, str) and value.strip():
            yield value.strip()
