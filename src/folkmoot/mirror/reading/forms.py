"""The other files: a handoff, the shared state, an item, a quest, and what is dropped into the inbox."""

import json
import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.errors import Invalid
from folkmoot.mirror.reading.texts import Unfinished, json_object, text_in, text_of, yaml_mapping
from folkmoot.mirror.writing.items import EDITABLE, EDITED_BY
from folkmoot.reports.envelope import Envelope, check_message
from folkmoot.reports.read import read_report
from folkmoot.reports.returning.returns import bare_object

REASONS = ("why", "reason")  # where the reason of a rejection stands: as the board writes it, or in other words


class Handoff(Struct, frozen=True, kw_only=True):
    envelope: Envelope
    why: str | None = None


def read_handoff(data: bytes, *, rejects: bool = False) -> Handoff:
    """`rejects`: it lies where what is rejected lies, whatever its status says."""
    found = json_object(data)
    rejects = rejects or found.get("status") == MESSAGE_STATUSES[-1]
    reasons = [found.pop(name, None) for name in (REASONS if rejects else REASONS[:1])]
    if isinstance(found.get("context"), dict):  # nothing said is nothing said, as the board writes it
        found["context"] = {name: value for name, value in found["context"].items() if value is not None}
    if any(reason is not None and not isinstance(reason, str) for reason in reasons):
        raise Invalid("bad_value", "why: it is no text", "say in words why it is rejected")
    return Handoff(envelope=check_message(found), why=reason_of(reasons))


def reason_of(texts: Iterable[str | None]) -> str | None:
    """All that is said of why, each once; None where nothing is."""
    said = dict.fromkeys(text.strip() for text in texts if text is not None)
    return "\n".join(text for text in said if text) or None


def status_of(handoff: Handoff) -> str:
    return handoff.envelope.status or MESSAGE_STATUSES[0]


class Lock(Struct, frozen=True, kw_only=True):
    resource: str
    agent: str
    acquired: str | None = None
    expires: str | None = None


class SharedState(Struct, frozen=True, kw_only=True):
    version: int | None = None  # the version that was read before it was changed
    locks: dict[str, Lock] = field(default_factory=dict)
    agents: dict[str, dict[str, Any]] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)  # what follows from what happened, as it stands there


def read_state(data: bytes) -> SharedState:
    found = json_object(data)
    if "locks" not in found and "agents" not in found:
        raise Invalid(
            "bad_value", "it has neither locks nor agents", "change the file that is there, and keep the rest"
        )
    locks, agents, version = found.get("locks") or {}, found.get("agents") or {}, found.get("version")
    if not isinstance(locks, dict) or not isinstance(agents, dict):
        raise Invalid("bad_value", "locks and agents are objects", 'like {"src/a.py": {"agent": "builder"}}')
    if version is not None and (isinstance(version, bool) or not isinstance(version, int) or version < 0):
        raise Invalid("bad_value", "version: it is no whole number", "leave it as it was")
    return SharedState(
        version=version,
        locks={resource: _lock(resource, one) for resource, one in locks.items()},
        agents={name: _said(name, one) for name, one in agents.items()},
        others={name: value for name, value in found.items() if name not in ("version", "locks", "agents")},
    )


def _said(name: str, one: Any) -> dict[str, Any]:
    """A status alone is read as one."""
    said = {"status": one} if isinstance(one, str) else one
    if not isinstance(said, dict):
        raise Invalid("bad_value", "agents: {name!r} is no object", '{"status": "active"}', name[:80])
    return said


def _lock(resource: str, one: Any) -> Lock:
    where = f"locks: {resource[:80]!r}"
    if not isinstance(one, dict):
        raise Invalid("bad_value", "{where} is no object", '{"agent": …, "acquired": …, "expires": …}', where)
    agent = text_in(one, "agent", where)
    if agent is None:
        raise Invalid("bad_value", "{where}: agent is missing", "say who takes it", where)
    return Lock(
        resource=resource,
        agent=agent,
        acquired=text_in(one, "acquired", where),
        expires=text_in(one, "expires", where),
    )


class Edited(Struct, frozen=True, kw_only=True):
    """The file of an item: what can be changed, what cannot, against which version, and who signed."""

    version: int
    fields: dict[str, Any]
    others: dict[str, Any]
    by: str | None = None


def read_item(data: bytes, *, as_json: bool) -> Edited:
    found = json_object(data) if as_json else yaml_mapping(data)
    version = str(found.pop("version", ""))
    if not version.isascii() or not version.isdigit() or len(version) > 18:
        raise Invalid("bad_value", "version: it is no whole number", "leave it as it was: it says what you have read")
    by = text_in(found, EDITED_BY, "the file")
    found.pop(EDITED_BY, None)
    fields: dict[str, Any] = {}
    for name in EDITABLE:
        if name in found:
            fields[name] = (
                _listed(name, found.pop(name)) if name in ("tags", "files", "needs") else text_in(found, name, name)
            )
            found.pop(name, None)
    return Edited(version=int(version), fields=fields, others=found, by=by)


def _listed(name: str, value: Any) -> list[str]:
    if value in ("", None, "null"):
        return []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise Invalid("bad_value", "{name}: it is no list of texts", "like {name}: [a, b]", name)
    return value


class Dropped(Struct, frozen=True, kw_only=True):
    """A report, or an answer to a question."""

    agent: str | None = None
    item: str | None = None
    text: str = ""
    question: str | None = None
    answer: str = ""
    by: str | None = None


def read_dropped(name: str, data: bytes, agents: list[str]) -> Dropped:
    """JSON says itself whose it is; of any other text the name does: 7-dev-agent.md, report-dev-agent-7.txt."""
    text = text_of(data)
    named_agent, named_item = _from_name(name, agents)
    stripped = text.strip()
    if not (stripped.startswith("{") and (stripped.endswith("}") or name.endswith(".json"))):
        return Dropped(agent=named_agent, item=named_item, text=text)
    try:
        found = json_object(data)
    except Unfinished:
        # As the documents print a return, or several objects: whatever `moot report` reads is a report here too.
        bare = bare_object(stripped)
        if bare is None and not is_report(text):
            raise
        if bare is None:
            return Dropped(agent=named_agent, item=named_item, text=text)
        found = bare
    if "question" in found and "answer" in found:
        question, answer = text_in(found, "question", "the file"), text_in(found, "answer", "the file")
        return Dropped(question=question or "", answer=answer or "", by=text_in(found, "by", "the file"))
    agent = next((found[key] for key in ("agent", "from", "agentType") if isinstance(found.get(key), str)), None)
    item = next((found[key] for key in ("item", "issue", "task_id") if isinstance(found.get(key), str | int)), None)
    rest = {key: value for key, value in found.items() if key not in ("agent", "item")}
    return Dropped(
        agent=agent or named_agent,
        item=str(item).removeprefix("#") if item is not None else named_item,
        text=json.dumps(rest, ensure_ascii=False),
    )


def is_report(text: str) -> bool:
    try:
        read_report(text)
    except Invalid:
        return False
    return True


def _from_name(name: str, agents: list[str]) -> tuple[str | None, str | None]:
    stem = name.rpartition(".")[0] or name
    agent = next((one for one in sorted(agents, key=len, reverse=True) if one in stem), None)
    number = re.search(r"(?<![0-9])[1-9][0-9]{0,17}(?![0-9])", stem.replace(agent, " ") if agent else stem)
    return agent, number.group() if number else None
