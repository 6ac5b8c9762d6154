"""What a report means on this item: words that the flow knows, issues that were sent, comments in their threads."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.report import OTHER_REASONS, Report
from folkmoot.core.rules.children.tasks import planned
from folkmoot.core.rules.judging.sent import unfinished_by, with_sent, with_unheard
from folkmoot.core.rules.judging.spoken import as_spoken
from folkmoot.core.rules.messages.carrying import fault_of_spec
from folkmoot.core.rules.messages.enclosed import with_kept_messages
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import number_in
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.flags import counts_problems, printed_error, recovers
from folkmoot.core.vocabulary.phrases.nothings import without_nothing
from folkmoot.core.vocabulary.phrases.of_task import of_the_task
from folkmoot.core.vocabulary.problems import is_over
from folkmoot.core.vocabulary.roles import as_named, folded, helping_column, nearest
from folkmoot.core.vocabulary.triggers import told_in, trigger_in
from folkmoot.core.vocabulary.words import REASONS, WORD_MAX, is_security, known_reason, meaning_of, plain, verdict_of

# In these a cause or reason decides where the item goes.
_DECIDED = ("failed", "stuck", "incomplete")
_BETWEEN = pattern(r"\s{0,3}(?:[,;/+&|]|\band\b)\s{0,3}")
_UNCAUSED = "capability"  # what a failure without a cause is taken for
_COUNTS = ("issues", "count")
# Causes that a client's own output may be told with: its words are no agent's.
_PASSING = ("transient", "environment", "quota", "timeout", "protocol")


def understood(case: Case, said: Report) -> Report:
    """The same report with what its words mean here; nothing that was said is taken away."""
    said = _with_told_history(case, with_kept_messages(case, without_nothing(_by_its_box(case, said))))
    said = planned(case, _with_trigger(_with_reason(case, as_named(case.flow, said))))
    said = with_unheard(case, with_sent(case, _with_recovery(said)))
    return said if case.item.kind == "part" else as_spoken(case, said)


def _by_its_box(case: Case, said: Report) -> Report:
    """Words such as "must be fixed" beside Complete are a verdict of whoever checks. Whoever made the work tells with
    them what it fixed, or what should follow, and its box holds."""
    if not said.implied or said.outcome != "changes_requested" or case.flow.checks(stage_of(case)):
        return said
    return replace(said, outcome="done", implied=False)


def _with_told_history(case: Case, said: Report) -> Report:
    """A failure that says why only in the disputes document's list of failures: its last entry is this one. The others
    are on the board, and so is the last one where its number and words are of an attempt that is kept."""
    if (
        said.outcome != "failed"
        or not said.extra
        or said.summary.strip()
        or said.blockers
        or said.reason
        or said.attempts
    ):
        return said
    history = next((value for name, value in said.extra.items() if folded(name) == "failure-history"), None)
    last: Any = history[-1] if isinstance(history, list) and history else None
    if not isinstance(last, dict) or not isinstance(reason := last.get("reason"), str) or not reason.strip():
        return said
    number = number_in(last.get("attempt"))
    kept = any(one.number == number and one.reason.strip() == reason.strip() for one in case.attempts)
    return said if kept else replace(said, reason=reason.strip())


def _with_reason(case: Case, said: Report) -> Report:
    """`escalation_reason` becomes the flow's own word; the `reason` of a failure stays the failure's. Where several
    are named they are all kept, and `deciding` says which of them decides."""
    words = said.escalation_reason or said.reason
    if words is None:
        return _with_tags(case, said)
    named, cause = reasons_named(case, said), said.cause
    known = deciding(named)
    meaning = meaning_of(words) if known is None else None
    if meaning is not None and meaning.cause and cause is None and said.outcome in _DECIDED:
        cause = meaning.cause
    lost = said.escalation_reason if known is not None and _says_more(case, said.escalation_reason, known) else None
    if lost and not (said.summary.strip() or said.blockers or said.reason):
        said = replace(said, reason=lost)  # the only words are told as words
    extra = {"escalation_reason": lost, **said.extra} if lost and lost != said.reason else said.extra
    others = [reason for told in (said.escalation_reason, said.reason) for reason in _beside(_known(case, told), known)]
    extra = {**extra, OTHER_REASONS: list(dict.fromkeys(others))} if others else extra
    return replace(said, cause=cause, escalation_reason=known or said.escalation_reason, extra=extra)


def _with_tags(case: Case, said: Report) -> Report:
    """Where one column holds all that is blocked, tags indicate why: those that are reasons of the flow (K-13)."""
    name = next((name for name in ("tags", "tag") if name in said.extra), None)
    if name is None and said.outcome == "stuck":
        # `Blockers: concurrency`, where a form has no other place for it.
        return replace(said, escalation_reason=deciding(_known(case, said.blockers)))
    if name is None or said.outcome not in _DECIDED:
        return said
    told = said.extra[name]
    tags = [tag for tag in (told if isinstance(told, list) else [told]) if isinstance(tag, str)]
    named = list(dict.fromkeys(reason for tag in tags for reason in _known(case, tag)))
    reason, others = deciding(named), _beside(named, deciding(named))
    extra = {**said.extra, OTHER_REASONS: others} if others else said.extra
    return replace(said, escalation_reason=reason, extra=extra) if reason else said


def _beside(named: list[str], known: str | None) -> list[str]:
    """Where one field, or several tags, name several reasons: those that do not decide."""
    return [reason for reason in named if reason != known] if len(named) > 1 else []


def reasons_named(case: Case, said: Report) -> list[str]:
    """Every reason of the flow that is named: who can help first, then what failed; each may name several."""
    return [reason for words in (said.escalation_reason, said.reason) for reason in _known(case, words)]


def deciding(named: list[str]) -> str | None:
    """A security concern is never the lesser one (R-10); else who can help comes before what failed, and the first
    before those behind it."""
    return next((reason for reason in named if is_security(reason)), named[0] if named else None)


def _known(case: Case, words: str | None) -> list[str]:
    """The reasons in a field: the one that it is, or several with signs between them if each is a known one."""
    parts = [part for part in _BETWEEN.split(words[:WORD_MAX]) if part.strip()] if words else []
    several = [_one(case, part) for part in parts] if len(parts) > 1 else []
    if several and all(several):
        return list(dict.fromkeys(reason for reason in several if reason))
    one = _one(case, words)
    return [one] if one else []


def _one(case: Case, words: str | None) -> str | None:
    """A reason of the flow, or a column, which is the reason that leads there, if there is one."""
    known = known_reason(case.flow.reasons, words)
    column = None if known else helping_column(case.flow, words)
    return known or known_reason(case.flow.reasons, column) or column


def _says_more(case: Case, words: str | None, known: str) -> bool:
    """Would the deciding word alone lose another that was said in its place, or the words behind it?"""
    if words is None:
        return False
    parts = [part for part in _BETWEEN.split(words[:WORD_MAX]) if part.strip()]
    alone = _one(case, plain(words)) or all(_one(case, plain(part)) for part in parts)
    return not alone or any(reason != known for reason in _known(case, words))


def _with_recovery(said: Report) -> Report:
    """Whether an error is one to go on from, where a field or a printed error says so and no cause does (H-08)."""
    told = _recovers(said) if said.outcome == "failed" and said.cause in (None, _UNCAUSED) else set()
    told = told or (printed_error(said.summary) if said.outcome == "failed" and said.cause is None else told)
    return replace(said, cause="transient" if True in told else "fatal") if len(told) == 1 else said


def _recovers(said: Report) -> set[bool]:
    if not said.extra:
        return set()
    places = (said.extra, said.extra.get("error"), said.extra.get("payload"))
    return {told for place in places if isinstance(place, dict) for told in recovers(place)}


def _fault_of_recovery(said: Report) -> str | None:
    told = _recovers(said) if said.outcome == "failed" else set()
    told |= {said.cause == "transient"} if told and said.cause in ("transient", "fatal") else set()
    if len(told) < 2:
        return None
    return (
        "it says of its error that it is recoverable, and that it is not: which holds? A RecoverableError is tried "
        "again, a FatalError asks a person"
    )


def _with_trigger(said: Report) -> Report:
    """What a person must decide at once is meant by whoever states it, whatever cause stands beside it (E-05)."""
    if said.outcome not in (*_DECIDED, "delegates"):
        return said
    stated = [said.escalation_reason, said.reason]
    if said.outcome != "delegates" and said.cause not in _PASSING:
        stated += told_in(said)
    found = trigger_in(stated)
    meaning = found.meaning if found is not None else None
    if meaning is None and said.outcome != "delegates" and said.attempts:
        last = meaning_of(said.attempts[-1].outcome)
        meaning = last if last is not None and last.cause == "fatal" else None
    if meaning is None:
        return said
    if meaning.cause is None:
        return said if said.escalation_reason else replace(said, escalation_reason=meaning.reason)
    return replace(said, cause=meaning.cause)


def fault_of_words(case: Case, said: Report) -> str | None:
    """A reason that nobody knows, or a number of issues that nobody has told: named back, and never guessed."""
    fault = _fault_of_reason(case, said) or fault_of_number(said) or _fault_of_completion(case, said)
    fault = fault or _fault_of_recovery(said) or _fault_of_cause(case, said)
    return fault or fault_of_spec(said)


def _fault_of_reason(case: Case, said: Report) -> str | None:
    reasons = case.flow.reasons
    if not reasons or case.item.kind in ONE_SHOT_KINDS:
        return None  # nothing could follow from it
    word = said.escalation_reason
    if word is None and (said.outcome == "stuck" or (said.outcome == "disputed" and _is_one_word(said.reason))):
        word = said.reason
    if word is None or _known(case, word) or meaning_of(word):
        return None
    names = list(dict.fromkeys([*reasons, *REASONS]))
    near = nearest(word, [*names, *(name for name in case.flow.columns if helping_column(case.flow, name))])
    meant = f"; did you mean {near}?" if near else ""
    known = ", ".join(names)
    return f"nobody knows the reason {word[:80]!r}: the known ones are {known}; without one, leave it out{meant}"


def _fault_of_cause(case: Case, said: Report) -> str | None:
    """A failure without a cause is tried again; where its own words lay it in the task itself, another try of the same
    would fail alike, and whoever splits would not hear of it."""
    flow, item = case.flow, case.item
    named = said.cause or said.escalation_reason or said.outcome != "failed" or said.implied
    splits = flow.discover is not None and stage_of(case) != flow.discover and item.kind not in ONE_SHOT_KINDS
    if named or not splits or case.run is None or case.run.gate:
        return None
    words = of_the_task([said.reason or "", *told_in(said), *said.next_steps], item.contracts)
    if words is None:
        return None
    return (
        f"its words say {words[:120]!r}, and `failed` names no cause: which holds? Add a `cause`: size if the task is "
        "too large or was split wrongly, conflict if it does not fit with what others make (both go to whoever "
        "splits), capability if it was tried and did not work"
    )


def _is_one_word(words: str | None) -> bool:
    """In a dispute a reason may be a whole sentence; one word is meant for the flow."""
    return words is not None and len(words.split()) == 1


def fault_of_number(said: Report) -> str | None:
    """More problems counted than told: whoever is to mend them could not know the others."""
    if said.outcome != "changes_requested" or not said.extra:
        return None
    numbers = [(name, number) for name, value in said.extra.items() if (number := number_in(value)) is not None]
    if any(is_over(name) for name, _ in numbers):
        return None  # of all that there were, some are over
    count = max((number for name, number in numbers if name in _COUNTS or counts_problems(name)), default=0)
    told = len(said.findings)
    if count <= told or (not told and said.summary.strip()):
        return None
    says = f"it says {count} issue{'s' if count > 1 else ''}, and tells {told or 'none'}"
    return f"{says}: name each in findings, or in a fix_request of this run, sent or printed in the report"


def _fault_of_completion(case: Case, said: Report) -> str | None:
    """`done` beside a completion of the same run that says otherwise; where work is checked, it is weighed instead."""
    word = unfinished_by(case) if said.outcome == "done" else None
    if word is None or (verdict_of(word) is False and case.flow.checks(stage_of(case))):
        return None
    return f"it says done, and the completion that this run has sent says {word!r}: report which of the two holds"
