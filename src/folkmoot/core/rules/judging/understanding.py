"""What a report means on this item: words that the flow knows, issues that were sent, comments in their threads."""

from msgspec.structs import replace

from folkmoot.core.item import BOUND
from folkmoot.core.report import Report
from folkmoot.core.rules.disputes import as_spoken
from folkmoot.core.rules.judging.sent import number_in, unfinished_by, with_sent
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.words import REASONS, known_reason, meaning_of, verdict_of

# In these a cause or reason decides where the item goes.
_DECIDED = ("failed", "stuck", "incomplete")


def understood(case: Case, said: Report) -> Report:
    """The same report with what its words mean here; nothing that was said is taken away."""
    said = _with_reason(case, said)
    said = with_sent(case, said)
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
    return _fault_of_reason(case, said) or _fault_of_number(case, said) or _fault_of_completion(case, said)


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
    count = number_in(said.extra.get("issues"))
    told = len(said.findings)
    if said.outcome != "changes_requested" or count is None or count <= told or (not told and said.summary.strip()):
        return None
    if told:
        return f"it says {count} issues, and tells {told}: name each in findings, or in the fix_request of this run"
    return f"it says {count} issues, and tells none: name them in findings, or send them in a fix_request first"


def _fault_of_completion(case: Case, said: Report) -> str | None:
    """`done` beside a completion of the same run that says otherwise; where work is checked, it is weighed instead."""
    word = unfinished_by(case) if said.outcome == "done" else None
    if word is None or (verdict_of(word) is False and case.flow.checks(stage_of(case))):
        return None
    return f"it says done, and the completion that this run has sent says {word!r}: report which of the two holds"
