"""Which dialect a JSON object is in, and the report it says in it."""

from typing import Any

from folkmoot.core.report import Report
from folkmoot.core.text import has_unstorable
from folkmoot.reports.canonical import FIELDS, UNSTORABLE, Faulty, canonical_report
from folkmoot.reports.fields import Taken, finish
from folkmoot.reports.loose.spellings import spelled_message
from folkmoot.reports.messages import report_from_message
from folkmoot.reports.quest import (
    COMPANIONS,
    decomposition_in,
    delegation,
    is_shared_only,
    is_status_report,
    shared_parts,
    split_report,
    status_report,
)

_FIELDS = {*FIELDS, "attempt"}
_ADDS = {"attempts", "attempt", "comments", "findings", "tests", "question", "lessons", "next_steps", "blockers"}
_BESIDE_TYPE = {"payload", "findings", "vulnerabilities", "failures", "question", "approval"}


def report_from_object(data: dict[str, Any]) -> Report | None:
    """The report an object is, in whatever dialect; None if it is none. Faulty if it is one with faults."""
    if "outcome" in data:
        return canonical_report(data)
    if not (isinstance(data.get("type"), str) or "status" in data or "decision" in data) and not (
        decomposition_in(data) or is_shared_only(data)
    ):
        return None
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    if "type" in data:
        return report_from_message(spelled_message(data))
    if "decision" in data:
        return delegation(data)
    if is_status_report(data):
        return status_report(data)
    if decomposition_in(data):
        return split_report(data)
    if is_shared_only(data):
        said = Taken(data)
        return finish("split", said, **shared_parts(said, data))
    return None


def adding(data: dict[str, Any]) -> Report | None:
    """Fields of a report without a word on how it ended: they add to what the same text says besides. None if it is
    something else; its outcome means nothing."""
    keys = data.keys()
    if not keys & _ADDS or keys - _FIELDS or keys & {"outcome", "status", "type", "decision"}:
        return None
    try:
        return canonical_report({**data, "outcome": "done"})
    except Faulty:
        return None


def is_meant(keys: list[str]) -> bool:
    """Do these keys, all that is known of something broken, show that it was meant as a report?"""
    found = set(keys)
    if "type" in found:
        return bool(found & _BESIDE_TYPE)
    if "status" in found and (len(found) == 1 or found & COMPANIONS):
        return True
    return "outcome" in found or "subAgents" in found or "agentType" in found
