"""The canonical JSON of a report: all of it, or every fault in it by name."""

import json
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
    Contract,
    Delegation,
    Files,
    Finding,
    NamedArtifact,
    Remark,
    Report,
    Task,
    Tests,
    Try,
    Usage,
)
from folkmoot.core.text import has_unstorable
from folkmoot.errors import Invalid

FAULTS_SHOWN = 50
PARTS: dict[str, tuple[str, ...]] = {
    "files": Files.__struct_fields__,
    "artifacts": NamedArtifact.__struct_fields__,
    "findings": Finding.__struct_fields__,
    "comments": Remark.__struct_fields__,
    "attempts": Try.__struct_fields__,
    "question": AskedQuestion.__struct_fields__,
    "tests": Tests.__struct_fields__,
    "tasks": Task.__struct_fields__,
    "contracts": Contract.__struct_fields__,
    "delegate": Delegation.__struct_fields__,
    "usage": Usage.__struct_fields__,
}
FIELDS = {field.name: field.type for field in struct_fields(Report)}
UNSTORABLE = "it holds a NUL, half a character, a number too large, or is nested too deep"


class Faulty(Exception):
    """This is meant as a report, and all of this is wrong with it."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults[:FAULTS_SHOWN]))
        self.faults = faults


def unreadable(faults: list[str]) -> Invalid:
    named = faults[:FAULTS_SHOWN]
    if len(faults) > len(named):
        named.append(f"and {len(faults) - len(named)} more")
    return Invalid(
        "unreadable_report",
        "the report cannot be read: " + "; ".join(named),
        'a report is a JSON object such as {"outcome": "done", "summary": "…"}; the run still lives, so report again',
    )


def shown(value: object) -> str:
    """A value in the words about a fault: short, and in letters that can be stored."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 80 else text[:79] + "…"


def decoder() -> json.JSONDecoder:
    """JSON as the standard has it: no key twice, no NaN."""
    return json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def canonical_report(data: dict[str, Any]) -> Report:
    """The report these fields say; Faulty with everything that is wrong with them."""
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    faults: list[str] = []
    values: dict[str, Any] = {}
    data = _spellings(data)
    for name, value in data.items():
        if name not in FIELDS:
            faults.append(f"{name}: unknown field" + did_you_mean(name, list(FIELDS)))
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
        raise Faulty(faults)
    return Report(**values)


def did_you_mean(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # only faults need it

    near = get_close_matches(name, known, 1) if len(name) <= 80 else []
    return f", did you mean {near[0]!r}?" if near else ""


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
        faults.append(f"outcome: {shown(data['outcome'])} is not one of {', '.join(OUTCOMES)}")
    if values.get("cause") is not None and values["cause"] not in CAUSES:
        faults.append(f"cause: {shown(data['cause'])} is not one of {', '.join(CAUSES)}")
    for remark in values.get("comments", []):
        if remark.resolution is not None and remark.resolution not in RESOLUTIONS:
            faults.append(f"comments: resolution {shown(remark.resolution)} is not one of {', '.join(RESOLUTIONS)}")
    for finding in values.get("findings", []):
        if finding.severity not in SEVERITIES:
            faults.append(f"findings: severity {shown(finding.severity)} is not one of {', '.join(SEVERITIES)}")
        if finding.kind not in KINDS:
            faults.append(f"findings: kind {shown(finding.kind)} is not one of {', '.join(KINDS)}")
    return faults


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {shown(name)} stands twice")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number JSON knows")
