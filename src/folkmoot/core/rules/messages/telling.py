"""What a message tells of the work: all that its agent returned, under the names of the documents (R-26)."""

from typing import Any

from msgspec import json, to_builtins

from folkmoot.core.enums import PRIORITIES
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import iteration
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.messages.kinds import ASKING
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.patterns import pattern

TEXT_MAX = 8_000
LIST_MAX = 200
ENCLOSED_MAX = 20  # messages in one report: more than anybody hands over at the end of a run
VERSION_MAX, MOMENT_MAX = 20, 40  # characters
_UUID = pattern(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
EXTRA_BYTES_MAX = 50_000
ENVELOPE = frozenset(
    {"schema_version", "message_id", "timestamp", "from", "to", "type", "priority", "payload", "context"}
)
# What the run itself counts or keeps; a reader of the message has no use for it.
UNTOLD = ("usage", "extra", "attempts", "lessons", "messages")


def of_report(said: Report) -> dict[str, Any]:
    """A report as a payload: its own fields first, then whatever its dialect said beyond them."""
    told: dict[str, Any] = {
        name: _short(value) for name, value in to_builtins(said).items() if name not in UNTOLD and _says(value)
    }
    # A bare message's status is its verdict; so is that of a result beside which somebody is asked.
    around = ENVELOPE | {"status"} if is_envelope(said.extra) and not _asks_along(said) else ENVELOPE
    extra = {name: value for name, value in said.extra.items() if name not in around and name not in told}
    inner = said.extra.get("payload")  # what a field of the envelope has left no room for: it is the payload's own
    if isinstance(inner, dict):
        extra |= {name: value for name, value in inner.items() if name not in told}
    if len(json.encode(extra)) > EXTRA_BYTES_MAX:
        extra = {name: value for name, value in extra.items() if len(json.encode(value)) < TEXT_MAX}
        extra = dict(list(extra.items())[:LIST_MAX]) if len(json.encode(extra)) <= EXTRA_BYTES_MAX else {}
    told |= extra
    told.setdefault("status", said.outcome)
    return told


def is_envelope(extra: dict[str, Any]) -> bool:
    """Did a report come in the documents' envelope? Then its status is the message's, and not the work's."""
    return all(isinstance(extra.get(name), str) for name in ("type", "from", "to"))


def _asks_along(said: Report) -> bool:
    return said.outcome != "asks" and said.extra.get("type") in ASKING


def own_context(said: Report) -> dict[str, Any]:
    """What the envelope of a report says that it belongs to; which item that is, the run says."""
    context = said.extra.get("context") if is_envelope(said.extra) else None
    known = context if isinstance(context, dict) and len(json.encode(context)) <= EXTRA_BYTES_MAX else {}
    return {name: value for name, value in known.items() if name != "item"}


def own_envelope(said: Report) -> dict[str, Any]:
    """What the envelope of a report says about itself, where a message can have it: its name, how urgent it is, when
    it was written. What cannot be so is told with the rest of the report."""
    if not is_envelope(said.extra):
        return {}
    told = {name: said.extra.get(name) for name in ("message_id", "priority", "timestamp", "schema_version")}
    return {name: value for name, value in told.items() if isinstance(value, str) and _fits(name, value)}


def _fits(name: str, value: str) -> bool:
    if name == "message_id":
        return _UUID.fullmatch(value) is not None
    if name == "schema_version":
        return value.startswith("1.") and len(value) <= VERSION_MAX
    return value in PRIORITIES if name == "priority" else value[:4].isdigit() and len(value) <= MOMENT_MAX


def ids_in(said: Report) -> list[str]:
    """The names of messages that a report gives: to what it holds, and to itself."""
    own = own_envelope(said).get("message_id")
    named = [posted.message_id for posted in said.messages[:ENCLOSED_MAX] if posted.message_id]
    return [*named, *([own] if own else [])]


def _says(value: Any) -> bool:
    """Is anything said by it?"""
    return any(map(_says, value.values())) if isinstance(value, dict) and value else bool(value) or value == 0


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:TEXT_MAX]
    return value[:LIST_MAX] if isinstance(value, list) else value


def of_item(case: Case) -> dict[str, Any]:
    """What the receiver of a handoff must know: the task, what was found, and what the run before returned."""
    item = case.item
    payload: dict[str, Any] = {
        "task_id": item.id,
        "description": _description(case, item),
        "context": item.body,
        "files": item.files,
        "constraints": item.constraints,
    }
    if item.spec:
        payload["spec"] = item.spec
    if item.artifacts:
        payload["artifacts"] = [
            {"name": name, **({"path": made.path} if made.path else {})} for name, made in item.artifacts.items()
        ][:LIST_MAX]
    if item.tests:
        payload["tests"] = to_builtins(item.tests)
    look = iteration(case.flow, item)
    if look:
        payload |= {"round": look, "max_rounds": case.flow.limits.feedback_rounds}
    said = case.run.report if case.run and case.voice and not case.voice.gate else None
    if said is not None:
        payload |= {name: value for name, value in of_report(said).items() if name not in payload}
    elif item.head:
        payload["commit"] = item.head
    if item.findings:
        payload["findings"] = [_finding(finding) for finding in item.findings[:LIST_MAX]]
        payload.setdefault("issues", len(item.findings))
    return payload


def _finding(finding: Finding) -> dict[str, Any]:
    return {name: value for name, value in to_builtins(finding).items() if value not in (None, [], "")}


def _description(case: Case, item: Item) -> str:
    """What is to be done now: the work, the changes asked for with their places, or another look after them."""
    if item.returns_to:
        found = "\n".join([_line(finding) for finding in item.findings if not finding.remark][:LIST_MAX])
        return f"{item.because}\n\n{found}".strip()
    look = iteration(case.flow, item)
    if look > 1 and item.effort.judged is False:
        return f"{item.title}\n\nLook {look}: after the changes of round {look - 1}"
    return item.title


def _line(finding: Finding) -> str:
    """As the documents print it: `TestFeatureAPI: expected 200, got 500 at tests/integration/api_test.go:42`."""
    where = f" at {finding.file}{f':{finding.line}' if finding.line else ''}" if finding.file else ""
    words = finding.issue or finding.category or finding.exploit or ""
    told = f"{finding.test}: {words}{where}" if finding.test else f"{finding.severity}: {words}{where}"
    return told + (f"\n  Likely fix: {finding.recommendation}" if finding.recommendation else "")


def note_on_rounds(flow: Flow, item: Item | None, payload: dict[str, Any]) -> str | None:
    """Rounds are the board's to count: what the sender is told whose numbers are others. Its message stays as it is."""
    limit, look = flow.limits.feedback_rounds, iteration(flow, item) if item is not None else 0
    notes = []
    if payload.get("max_rounds") not in (None, limit):
        notes.append(f"max_rounds: the flow's limit holds, {limit}")
    if payload.get("round") is not None and look and payload["round"] != look:
        notes.append(f"round: the board counts {look}")
    return "; ".join(notes) or None
