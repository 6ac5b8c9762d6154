"""What a report means on this item: words that the flow knows, issues that were sent, comments in their threads."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.item import BOUND
from folkmoot.core.records import Message
from folkmoot.core.report import SEVERITIES, Finding, Report
from folkmoot.core.rules.disputes import as_spoken
from folkmoot.core.rules.messages.kinds import FIX_TYPES
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import LINE, PLACE, finding_in, with_range
from folkmoot.core.vocabulary.words import REASONS, known_reason, meaning_of

# In these a cause or reason decides where the item goes.
_DECIDED = ("failed", "stuck", "incomplete")
_LISTS = {"issues": "review", "findings": "review", "vulnerabilities": "security", "failures": "test"}
_WORDS = ("issue", "error", "description", "message", "title", "type")
_REMEDIES = ("recommendation", "fix", "likely_fix", "suggestion")


def understood(case: Case, said: Report) -> Report:
    """The same report with what its words mean here; nothing that was said is taken away."""
    said = _with_reason(case, said)
    said = _with_issues(case, said)
    return said if case.item.kind == "part" else as_spoken(case, said)


def _with_reason(case: Case, said: Report) -> Report:
    """`escalation_reason` becomes the flow's own word; the `reason` of a failure stays the failure's."""
    words = said.escalation_reason or said.reason
    if words is None:
        return said
    known, cause = known_reason(case.flow.reasons, words), said.cause
    meaning = meaning_of(words) if known is None else None
    if meaning is not None and meaning.cause and cause is None and said.outcome in _DECIDED:
        cause = meaning.cause
    return replace(said, cause=cause, escalation_reason=known or said.escalation_reason)


def fault_of_words(case: Case, said: Report) -> str | None:
    """A reason that nobody knows, or a number of issues that nobody has told: named back, and never guessed."""
    return _fault_of_reason(case, said) or _fault_of_number(case, said)


def _fault_of_reason(case: Case, said: Report) -> str | None:
    reasons = case.flow.reasons
    if not reasons or case.item.kind in BOUND:
        return None  # nothing could follow from it
    word = said.escalation_reason
    if word is None and (said.outcome == "stuck" or (said.outcome == "disputed" and _is_one_word(said.reason))):
        word = said.reason
    if word is None or known_reason(reasons, word) or meaning_of(word):
        return None
    known = ", ".join(dict.fromkeys([*reasons, *REASONS]))
    return f"nobody knows the reason {word[:80]!r}: the known ones are {known}; without one, leave it out"


def _is_one_word(words: str | None) -> bool:
    """In a dispute a reason may be a whole sentence; one word is meant for the flow."""
    return words is not None and len(words.split()) == 1


def _fault_of_number(case: Case, said: Report) -> str | None:
    count = _number(said.extra.get("issues"))
    told = len(said.findings)
    if said.outcome != "changes_requested" or count is None or count <= told or (not told and said.summary.strip()):
        return None
    if told:
        return f"it says {count} issues, and tells {told}: name each in findings, or in the fix_request of this run"
    return f"it says {count} issues, and tells none: name them in findings, or send them in a fix_request first"


def _number(value: Any) -> int | None:
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _with_issues(case: Case, said: Report) -> Report:
    """A verdict without findings means those that its run has sent to whoever fixes them (H-14)."""
    if said.outcome != "changes_requested" or said.findings or case.run is None:
        return said
    sent = [message for message in case.messages.values() if _is_of_run(case, message)]
    findings = [finding for message in sent for finding in _issues(message)]
    words = next((text for message in sent for text in _words(message)), "")
    if not findings and not words:
        return said
    return replace(said, findings=findings, summary=said.summary or words)


def _is_of_run(case: Case, message: Message) -> bool:
    run = case.run
    return run is not None and message.type in FIX_TYPES and message.run == run.id and message.status != "rejected"


def _issues(message: Message) -> Iterable[Finding]:
    for name, kind in _LISTS.items():
        told = message.payload.get(name)
        for part in told if isinstance(told, list) else [told] if isinstance(told, str | dict) else []:
            if isinstance(part, str) and part.strip():
                yield finding_in(part, kind)
            elif isinstance(part, dict):
                yield _finding(part, kind)


def _finding(part: dict[str, Any], kind: str) -> Finding:
    def text(*names: str) -> str | None:
        return next((str(part[name]) for name in names if isinstance(part.get(name), str | int)), None)

    severity, place = (text("severity") or "medium").strip().lower(), text("file", "location")
    told = str(part.get("line", "")).strip()
    at, found = LINE.fullmatch(told), PLACE.fullmatch(place or "")
    line, lines = (int(at.group(1)), told if at.group(2) else "") if at else (None, "")
    if found and line is None:
        place, line, lines = found.group(1), int(found.group(2)), found.group(3) and f"{found.group(2)}{found.group(3)}"
    return Finding(
        kind=kind,
        severity=severity if severity in SEVERITIES else "medium",
        issue=with_range(text(*_WORDS) or text("exploit") or "", lines if "-" in lines else ""),
        file=place,
        line=line,
        recommendation=text(*_REMEDIES),
        test=text("test"),
        exploit=text("exploit"),
        category=text("category", "type"),
    )


def _words(message: Message) -> Iterable[str]:
    for name in ("summary", "description", "details", "issues"):
        value = message.payload.get(name)
        if isinstance(value, str) and value.strip():
            yield value.strip()
