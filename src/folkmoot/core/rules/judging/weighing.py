"""Which statements of a report acted: those without which something else would have been decided.

It is found out by deciding again without each of them, in the same situation. So there is no list of what acts that
could come to differ from the rules, and what an answer says about a report is true by the rules themselves.
"""

from collections.abc import Callable
from itertools import compress
from operator import attrgetter, ne
from typing import Any

import msgspec
from msgspec.structs import replace

from folkmoot.core.commands import Command, KeepOutput, ReportRun
from folkmoot.core.events import Change, Event
from folkmoot.core.item import Output
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import ACTS, EXTRA, REPEATS, TO_BE_READ, TOLD, repeats, words_of
from folkmoot.core.situation import Case, Situation
from folkmoot.core.vocabulary.phrases.nothings import without_nothing
from folkmoot.core.vocabulary.words import meaning_in
from folkmoot.errors import MootError

Rule = Callable[[Case, Command], None]
# What says how the run ended is no statement beside it, and what is there to be read is told in any case.
UNWEIGHED = ("outcome", "implied", "extra", *TO_BE_READ)
_WEIGHED = [name for name in Report.__struct_fields__ if name not in UNWEIGHED]
_statements = attrgetter(*_WEIGHED)
_EMPTY = _statements(Report(outcome="done"))
_FIELDS: list[tuple[str, Any]] = list(zip(_WEIGHED, _EMPTY, strict=True))  # each with what it is where it says nothing
WEIGHED_MAX = 50_000  # bytes: of a larger report it is not said, for it would be decided dozens of times
OWN_WORDS_MAX = 40  # of further ones nothing is said: each may need a decision of its own
# Copies of what was said, for whoever reads on: that a copy is another one is no effect.
_COPIES = {"runs": ("report", "weighed", "cause"), "messages": ("payload",)}
_SAID_BEFORE = (
    "attempts",
    "comments",
    "contracts",
    "integration_points",
)  # what a refused report has brought, and the next one need not say again
_TELLS = ("summary", "cause")  # of the event that ends a run
UNCAUSED = "capability"  # what a failure without a cause is taken for
_OUTPUT_COPIES: dict[str, Any] = {
    **dict.fromkeys(("summary", "blockers"), ""),
    **{name: [] for name in ("next_steps", "interfaces", "files")},
    **{name: {} for name in ("integration_points", "report")},
}


def weigh(case: Case, command: ReportRun, carry_out: Rule) -> dict[str, str]:
    """Of each statement of the report: did it act, is it only told on, or does it only repeat what stands elsewhere?

    `case` has decided the whole report.
    """
    said = without_nothing(command.report)
    filled = list(compress(_FIELDS, map(ne, _statements(said), _EMPTY)))  # the fields that say something
    if not filled and not said.extra:
        return {}  # most reports: an outcome, and what is there to be read
    if len(msgspec.json.encode(said)) > WEIGHED_MAX:
        return {}
    happened: Any = None

    def acts(without: Report, name: str = "") -> bool:
        nonlocal happened
        other = Case(_unsaid(case.situation) if name in _SAID_BEFORE else case.situation)
        try:
            carry_out(other, replace(command, report=without))
        except MootError:
            return True  # without it this would be no report at all
        happened = happened or _trace(case)
        return other.refusal is not None or _trace(other) != happened

    found = {}
    for name, empty in filled:
        if name == "comments" and any(map(_brings_remark, case.events)):
            found[name] = ACTS  # nothing else in a report brings one onto the item: without it none would be there
            continue
        without = replace(said, **{name: empty, **_goes_with(said, name)})
        found[name] = ACTS if acts(without, name) else REPEATS if _says_nothing(said, name) else TOLD
    if said.extra:
        found |= _weigh_own_words(case, said, acts)
    return found


def _brings_remark(event: Event) -> bool:
    return event.name == "comment_added" and "parent" in event.context


def _goes_with(said: Report, name: str) -> dict[str, Any]:
    """What only says again what stands in this field, or was read in it: without the one there is no other."""
    if name == "blockers":
        return _read_in_blockers(said)
    if name == "contracts":
        return {"interfaces": []}  # they may say the same once more
    repeated = name == "comments" and said.summary.strip() in [one.content.strip() for one in said.comments]
    return {"summary": ""} if repeated else {}


def _read_in_blockers(said: Report) -> dict[str, None]:
    """What a reader has found in the words of the blockers goes with them: whoever wrote them has said it so."""
    meaning = meaning_in([said.blockers])
    if meaning is None:
        return {}
    read = {"cause": meaning.cause, "escalation_reason": meaning.reason}
    return {name: None for name, word in read.items() if word is not None and word == getattr(said, name)}


def _says_nothing(said: Report, name: str) -> bool:
    """A cause that holds without being said."""
    return name == "cause" and said.cause == UNCAUSED


def _unsaid(situation: Situation) -> Situation:
    """As if the run had not said it in a report that was refused, either: said twice it is one statement."""
    run = situation.run
    return replace(situation, run=replace(run, refused=None)) if run is not None and run.refused else situation


def _weigh_own_words(case: Case, said: Report, acts: Callable[[Report], bool]) -> dict[str, str]:
    """What the dialect says beyond our fields, name by name: most often nothing of it acts, and that is asked once."""
    any_acts = acts(replace(said, extra={}))
    # As it was understood: what the run has sent is part of what it says.
    heard = (
        case.run.report if case.run and case.run.report and said.extra.keys() <= case.run.report.extra.keys() else said
    )
    agent, words = case.run.agent if case.run else "", words_of(heard)
    found = {}
    for name in list(said.extra)[:OWN_WORDS_MAX]:
        rest = {other: value for other, value in said.extra.items() if other != name}
        if any_acts and acts(replace(said, extra=rest)):
            found[EXTRA + name] = ACTS
        else:
            found[EXTRA + name] = REPEATS if repeats(heard, name, agent, case.item, words) else TOLD
    return found


def _trace(case: Case) -> Any:
    """All that a decision brings about, but for copies of the report itself."""
    events = [(event.name, _context(event), [_seen(change) for change in event.changes]) for event in case.events]
    told = [
        (to, replace(order, output=_read(order.output)) if isinstance(order, KeepOutput) else order)
        for to, order in case.told
    ]
    return events, case.makes, told, case.refusal


def _context(event: Event) -> dict[str, Any]:
    if event.name != "agent_completed":
        return event.context
    return {name: value for name, value in event.context.items() if name not in _TELLS}


def _seen(change: Change) -> tuple[str, str, dict[str, Any]]:
    copies = _COPIES.get(change.table, ())
    seen = {name: value for name, value in change.fields.items() if name not in copies}
    if isinstance(seen.get("result"), Output):
        seen["result"] = _read(seen["result"])
    return change.table, change.id, seen


def _read(output: Output) -> Output:
    """What a parent acts on; the rest is for whoever reads it there."""
    return replace(output, **_OUTPUT_COPIES)
