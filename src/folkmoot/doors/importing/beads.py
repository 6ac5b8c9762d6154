"""The list of Beads: a JSON object in each line, by default in `.beads/issues.jsonl`."""

import json
from typing import Any

from folkmoot.core.input_limits import has_unstorable
from folkmoot.doors.importing.found import KINDS, Found, Thing, bad, folded, priority_of, sections, texts

KNOWN = frozenset(
    {
        *("id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority", "issue_type"),
        *("type", "labels", "dependencies", "parent", "created_at", "updated_at", "closed_at", "created_by"),
        *("close_reason", "content_hash", "source_repo", "compaction_level", "original_size", "dependency_count"),
        *("dependent_count", "comment_count", "closed_by_session"),
    }
)
NO_WORK = frozenset({"message", "merge-request", "molecule", "gate", "agent", "role", "event", "convoy"})
WAITS = frozenset({"blocks", "conditional-blocks", "waits-for"})


def read_beads(text: str, source: str) -> Found:
    found = Found(tool="beads", source=source)
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            _take(found, _value(line, number, source), number)
    return found


def _value(line: str, number: int, source: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise bad(source, f"line {number} is not JSON") from None
    if not isinstance(value, dict) or not str(value.get("id") or "") or not str(value.get("title") or "").strip():
        raise bad(source, f"line {number} is no issue of Beads: it needs an id and a title")
    if has_unstorable(value):
        raise bad(source, f"line {number} holds a NUL, half a character, a number too large, or is too deep")
    return value


def _take(found: Found, value: dict[str, Any], number: int) -> None:
    status, kind = folded(value.get("status")), folded(value.get("issue_type") or value.get("type"))
    if status == "tombstone":
        found.left["deleted (tombstone)"] += 1
        return
    if kind in NO_WORK:
        found.left[f"of the type {kind}, which is no work"] += 1
        return
    thing = Thing(
        id=str(value["id"]),
        title=str(value["title"]).strip(),
        body=sections(
            {
                "": value.get("description"),
                "Design": value.get("design"),
                "Acceptance criteria": value.get("acceptance_criteria"),
                "Notes": value.get("notes"),
            }
        ),
        status=status,
        priority=priority_of(found, value.get("priority")),
        type=KINDS.get(kind, "feature"),
        tags=texts(value.get("labels")),
        parent=str(value["parent"]) if value.get("parent") else None,
    )
    needs = value.get("dependencies") or []
    if not isinstance(needs, list):
        raise bad(found.source, f"line {number}: dependencies are a list")
    for need in needs:
        _need(found, thing, need)
    found.fields_left(value, KNOWN)
    found.take(thing)


def _need(found: Found, thing: Thing, need: object) -> None:
    """In the file it names both ends; what some commands print is the other issue itself."""
    if not isinstance(need, dict):
        thing.after.append(str(need))
        return
    other = str(need.get("depends_on_id") or need.get("id") or "")
    kind = folded(need.get("type") or need.get("dependency_type") or "blocks")
    if kind == "parent-child":
        thing.parent = other
    elif kind in WAITS:
        thing.after.append(other)
    else:
        found.left[f"a link of the kind {kind}"] += 1
