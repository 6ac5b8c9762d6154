"""Which dialect a JSON object is in, and the report it says in it."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.report import Delegation, Report
from folkmoot.core.vocabulary.problems import listed_under, tells_severity
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import FIELDS, UNSTORABLE, Faulty, canonical_report, shown
from folkmoot.reports.fields import Taken, finish
from folkmoot.reports.loose.handed import is_handed, taken_out, with_messages
from folkmoot.reports.loose.spellings import question_parts, spelled_message
from folkmoot.reports.messages import report_from_message
from folkmoot.reports.quest import (
    COMPANIONS,
    delegation,
    is_shared_only,
    is_status_report,
    says_return,
    split_report,
    status_report,
)
from folkmoot.reports.signals import COMPLETE, INCOMPLETE, SEEKING, UNSUCCESSFUL
from folkmoot.reports.splits.finding import find_split
from folkmoot.reports.splits.shared import shared_parts
from folkmoot.reports.uniting.statements import united

_FIELDS = {*FIELDS, "attempt"}
_ADDS = {"attempts", "attempt", "comments", "findings", "tests", "question", "lessons", "next_steps", "blockers"}
_SIGNALS = {SEEKING: "asks", UNSUCCESSFUL: "failed", INCOMPLETE: "incomplete", COMPLETE: "done"}
_BESIDE_TYPE = {"payload", "findings", "vulnerabilities", "failures", "question", "approval"}

SENDS_FOR = (
    "agent, task: this asks another agent for something, and does not end the run: dispatch that agent in the middle "
    "of the run; then report how the run ended"
)


def report_from_object(data: dict[str, Any]) -> Report | None:
    """The report an object is, in whatever dialect; None if it is none. Faulty if it is one with faults."""
    if is_handed(data):
        return None
    return _with_enclosed(data, _report)


def report_from_status(data: dict[str, Any]) -> Report:
    """The report of a whole text that is one status and what describes it, with all that stands in its fields."""
    said = _with_enclosed(data, status_report)
    assert said is not None
    return said


def _with_enclosed(data: dict[str, Any], read: Callable[[dict[str, Any]], Report | None]) -> Report | None:
    data, found = taken_out(data)
    said = with_messages(read(data), found.messages)
    # A person is asked wherever it stands, as if it were printed beside the report; a field may be all there is.
    asked = [told for one in found.asked if (told := _report(one)) is not None] if said or not data else []
    return united([said, *asked] if said else asked) if asked else said


def return_from_object(data: dict[str, Any]) -> Report | None:
    """The same of an object that stands by itself: a status with what says more about the end is a report there."""
    said = report_from_object(data) or signal_report(data)
    return status_report(data) if said is None and says_return(data) else said


def signal_report(data: dict[str, Any]) -> Report | None:
    """A signal with its fields, which says what it says on lines of its own; None if the object is none."""
    name = str(data.get("signal", "")).strip().upper().replace(" ", "_")
    if name not in _SIGNALS or data.keys() & {"outcome", "status", "type", "decision"}:
        return None
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    rest = {field: value for field, value in data.items() if field != "signal"}
    if name == SEEKING and not isinstance(rest.get("question"), dict):
        asked = {"question": rest.pop("question")} if "question" in rest else {}
        rest["question"] = asked | question_parts(rest)
    told = {field: rest.pop(field) for field in list(rest) if field in FIELDS}
    if name == UNSUCCESSFUL:
        why = told.pop("summary", None) or told.get("reason")
        told = {"cause": "capability", "blockers": why, **told, "summary": name}
    said = canonical_report({"outcome": _SIGNALS[name], **told})
    return replace(said, extra={**said.extra, **rest})


def _as_signal(data: dict[str, Any]) -> dict[str, Any] | None:
    """The object with its signal in the field for one, where that stands as its outcome or its status."""
    ends = [field for field in ("outcome", "status", "type", "decision", "signal") if field in data]
    if ends not in (["outcome"], ["status"]) or not isinstance(data[ends[0]], str):
        return None
    name = data[ends[0]].strip().upper().replace(" ", "_")
    return {**{field: told for field, told in data.items() if field not in ends}, "signal": name}


def _report(data: dict[str, Any]) -> Report | None:
    as_signal = _as_signal(data)
    signalled = signal_report(as_signal) if as_signal is not None else None
    if signalled is not None:
        return signalled
    if "outcome" in data:
        return canonical_report(data)
    # Who has decided to do it alone splits alone, too: beside the tasks that word says nothing against them.
    decides = "decision" in data and not _does_it_alone(data["decision"])
    split = find_split(data) if not ("type" in data or decides or is_status_report(data)) else None
    if not (isinstance(data.get("type"), str) or "status" in data or "decision" in data) and not (
        split or is_shared_only(data)
    ):
        return None
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    if "type" in data:
        return report_from_message(spelled_message(data))
    if "decision" in data and (asked := delegation(data)) is not None:
        return asked
    if is_status_report(data):
        return status_report(data)
    if split is not None:
        return split_report(data, split)
    if is_shared_only(data):
        said = Taken(data)
        return finish("split", said, **shared_parts(said, data))
    return None


def _does_it_alone(decision: Any) -> bool:
    return isinstance(decision, str) and plain(decision) == "self execute"


def sent_for(data: dict[str, Any]) -> Delegation | None:
    """What `dispatch_agent` takes, printed where the run reports: another agent is asked for something."""
    agent, task = data.get("agent"), data.get("task")
    if data.keys() - {"agent", "task", "purpose"} or not (isinstance(agent, str) and isinstance(task, str)):
        return None
    return Delegation(to=agent, task=task)


def must_end(data: dict[str, Any]) -> None:
    """What the documents say in the middle of a run, or that nobody can take for its end: each is told what
    does end it, instead of a list of its fields."""
    found = _ends_nothing(data)
    if found:
        raise Faulty([found])


def _ends_nothing(data: dict[str, Any]) -> str:
    keys, decision = data.keys(), data.get("decision")
    if isinstance(data.get("type"), str) and keys & {"from", "to", "payload"}:
        return (
            f"type: {shown(data['type'])} is a message, and does not end the run: send it as one; then "
            "report how the run ended"
        )
    if sent_for(data) is not None:
        return SENDS_FOR
    if isinstance(decision, str) and not keys & {"status", "type"}:
        return (
            f"decision: {shown(decision)} says how the task is begun, and not how it ended: do the task in this run, "
            "then report how it ended; only `delegate` with `subAgents` ends a run here"
        )
    if "status" in keys and "type" not in keys:
        return (
            f"status: {shown(data['status'])}: nothing beside it says that this is the report of a run: add "
            "`report` or `summary` with what was done, or write `outcome` instead"
        )
    return ""


def adding(data: dict[str, Any], strict: bool = False) -> Report | None:
    """Fields of a report without a word on how it ended: they add to what the same text says besides. None if it is
    something else; its outcome means nothing. `strict`: it is meant so, and its faults are faults."""
    if is_finding(data):
        return canonical_report({"outcome": "done", "found": [data]})
    found = {name for name in data if listed_under(name)[0]}  # under whichever name
    keys = data.keys()
    if not keys & _ADDS | found or keys - _FIELDS - found or keys & {"outcome", "status", "type", "decision"}:
        return None
    try:
        return canonical_report({**data, "outcome": "done"})
    except Faulty:
        if strict:
            raise
        return None


def is_finding(data: dict[str, Any]) -> bool:
    """Is the object a finding itself, as in a list of them that stands by itself?"""
    return tells_severity(data) and not data.keys() & {"outcome", "status", "decision", "payload"}


def is_meant(keys: list[str]) -> bool:
    """Do these keys, all that is known of something broken, show that it was meant as a report?"""
    found = set(keys)
    if "type" in found:
        return bool(found & _BESIDE_TYPE)
    if "status" in found and (len(found) == 1 or found & COMPANIONS):
        return True
    return "outcome" in found or "subAgents" in found or "agentType" in found
