"""A report in the canonical JSON. What cannot be read is refused with every fault named; other dialects come later."""

import json
from difflib import get_close_matches
from typing import Any, NoReturn

import msgspec
from msgspec.structs import fields as struct_fields

from folkmoot.core.report import (
    CAUSES,
    KINDS,
    OUTCOMES,
    RESOLUTIONS,
    SEVERITIES,
    AskedQuestion,
    Files,
    Finding,
    NamedArtifact,
    Remark,
    Report,
    Tests,
    Try,
    Usage,
)
from folkmoot.core.text import has_unstorable
from folkmoot.errors import Invalid

REPORT_CHARS_MAX = 1_000_000
# Parts of the contract that no rule reads yet: they are kept and shown.
KEPT = ("tasks", "contracts", "integration_points", "delegate")
PARTS = {
    "files": Files.__struct_fields__,
    "artifacts": NamedArtifact.__struct_fields__,
    "findings": Finding.__struct_fields__,
    "comments": Remark.__struct_fields__,
    "attempts": Try.__struct_fields__,
    "question": AskedQuestion.__struct_fields__,
    "tests": Tests.__struct_fields__,
    "usage": Usage.__struct_fields__,
}
FIELDS = {field.name: field.type for field in struct_fields(Report) if field.name != "extra"}


def read_report(text: str) -> Report:
    """The report in a text, or Invalid with all that is wrong with it."""
    if len(text) > REPORT_CHARS_MAX:
        raise _unreadable([f"it has {len(text)} characters, more than {REPORT_CHARS_MAX}"])
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _unreadable([f"it is not one JSON object: {error}"]) from error
    if not isinstance(data, dict):
        raise _unreadable(["it is JSON, but not an object"])
    if has_unstorable(data):
        raise _unreadable(["it holds a NUL, half a character, a number too large, or is nested too deep"])
    return _report(data)


def _report(data: dict[str, Any]) -> Report:
    faults: list[str] = []
    values: dict[str, Any] = {}
    extra = {name: data.pop(name) for name in KEPT if name in data}
    data = _spellings(data)
    for name, value in data.items():
        if name not in FIELDS:
            near = get_close_matches(name, FIELDS, 1)
            faults.append(f"{name}: unknown field" + (f", did you mean {near[0]!r}?" if near else ""))
            continue
        try:
            values[name] = msgspec.convert(value, FIELDS[name])
        except (msgspec.ValidationError, OverflowError) as error:
            known = (
                f"; its fields are {', '.join(PARTS[name])}" if "unknown field" in str(error) and name in PARTS else ""
            )
            faults.append(f"{name}: {error}{known}")
    faults += _wrong_words(data, values)
    if faults:
        raise _unreadable(faults)
    return Report(**values, extra=extra)


def _spellings(data: dict[str, Any]) -> dict[str, Any]:
    """A single `attempt` and options as plain text are read too."""
    data = dict(data)
    if "attempt" in data and "attempts" not in data:
        data["attempts"] = [data.pop("attempt")]
    question = data.get("question")
    if isinstance(question, str):
        data["question"] = {"question": question}
    elif isinstance(question, dict) and isinstance(question.get("options"), list):
        options = [{"option": o} if isinstance(o, str) else o for o in question["options"]]
        data["question"] = {**question, "options": options}
    return data


def _wrong_words(data: dict[str, Any], values: dict[str, Any]) -> list[str]:
    faults = []
    if "outcome" not in data:
        faults.append(f"outcome: missing, one of {', '.join(OUTCOMES)}")
    elif values.get("outcome") not in OUTCOMES:
        faults.append(f"outcome: {data['outcome']!r} is not one of {', '.join(OUTCOMES)}")
    if values.get("cause") is not None and values["cause"] not in CAUSES:
        faults.append(f"cause: {data['cause']!r} is not one of {', '.join(CAUSES)}")
    for remark in values.get("comments", []):
        if remark.resolution is not None and remark.resolution not in RESOLUTIONS:
            faults.append(f"comments: resolution {remark.resolution!r} is not one of {', '.join(RESOLUTIONS)}")
    for finding in values.get("findings", []):
        if finding.severity not in SEVERITIES:
            faults.append(f"findings: severity {finding.severity!r} is not one of {', '.join(SEVERITIES)}")
        if finding.kind not in KINDS:
            faults.append(f"findings: kind {finding.kind!r} is not one of {', '.join(KINDS)}")
    return faults


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number JSON knows")


def _unreadable(faults: list[str]) -> Invalid:
    return Invalid(
        "unreadable_report",
        "the report cannot be read: " + "; ".join(faults),
        'a report is a JSON object such as {"outcome": "done", "summary": "…"}; the run still lives, so report again',
    )
