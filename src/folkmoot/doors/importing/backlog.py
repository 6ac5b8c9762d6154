"""A folder of Markdown files with front matter, as Backlog.md keeps it: a file for each task."""

import os
import re
from typing import Any

from folkmoot.doors.bulk_add import plain_values
from folkmoot.doors.importing.files import Files
from folkmoot.doors.importing.found import KINDS, Found, Thing, bad, folded, priority_of, texts
from folkmoot.flows.faults import Findings
from folkmoot.flows.source import read_source

FILES_MAX = 5_000
FRONT = re.compile(r"\A(?:\ufeff)?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(.*)\Z", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#[ \t]+(\S.*)$", re.MULTILINE)
MARKERS = re.compile(r"^[ \t]*<!-- (?:SECTION:\w+|AC):(?:BEGIN|END) -->[ \t]*\n?", re.MULTILINE)
KNOWN = frozenset(
    {
        *("id", "title", "status", "labels", "tags", "dependencies", "depends_on", "priority", "type", "parent"),
        *(
            "parent_task_id",
            "subtasks",
            "created_date",
            "updated_date",
            "created",
            "updated",
            "ordinal",
            "completed_date",
        ),
    }
)


def read_backlog(folder: str, source: str) -> Found:
    """The tasks in the folder, or in `tasks` or `backlog/tasks` below it."""
    places = [os.path.join(folder, "backlog", "tasks"), os.path.join(folder, "tasks"), folder]
    place = next((place for place in places if os.path.isdir(place)), folder)
    files = Files(source, folder)
    files.check_way(place)
    names = sorted(name for name in os.listdir(place) if name.lower().endswith(".md") and name.lower() != "readme.md")
    if len(names) > FILES_MAX:
        raise bad(source, f"there are {len(names)} files in it, more than {FILES_MAX}")
    found = Found(tool="backlog", source=source)
    for name in names:
        _take(found, name, files.text(os.path.join(place, name)))
    for beside in ("drafts", "completed", "archive"):
        if place != folder or os.path.basename(os.path.normpath(folder)) == "tasks":
            other = os.path.join(os.path.dirname(place), beside)
            if os.path.isdir(other) and any(name.endswith(".md") for name in os.listdir(other)):
                found.left[f"the folder {beside}, beside the tasks"] += 1
    return found


def _take(found: Found, name: str, text: str) -> None:
    parts = FRONT.match(text)
    if parts is None:
        found.left["a file without front matter"] += 1
        return
    given = _front(parts[1], f"{found.source}/{name}")
    body = MARKERS.sub("", parts[2].replace("\r\n", "\n")).strip()
    stem = name[: -len(".md")]
    thing = Thing(
        id=_id(given.get("id") or stem),
        title=str(given.get("title") or _heading(body) or stem).strip(),
        body=body,
        status=folded(given.get("status")),
        priority=priority_of(found, given.get("priority")),
        type=KINDS.get(folded(given.get("type")), "feature"),
        tags=texts(given.get("labels")) + texts(given.get("tags")),
        after=[_id(need) for need in texts(given.get("dependencies")) + texts(given.get("depends_on"))],
        parent=_id(given.get("parent_task_id") or given.get("parent")) or None,
    )
    found.fields_left(given, KNOWN)
    found.take(thing)


def _heading(body: str) -> str:
    """The first heading. Signs that close it are no part of it: they stand apart, as the last one in `# C #`."""
    found = HEADING.search(body)
    words = found[1].strip() if found else ""
    bare = words.rstrip("#")
    return words if bare and not bare[-1].isspace() else bare.strip()


def _id(said: object) -> str:
    """`TASK-7` and `task-7` name the same task."""
    return str(said or "").strip().casefold()


def _front(text: str, source: str) -> dict[str, Any]:
    findings = Findings(source)
    tree = read_source(text, findings)
    if findings.faults:
        first = findings.faults[0]
        raise bad(source, f"line {first.line + 1}: {first.message}")
    value = plain_values(tree) if tree is not None else {}
    if not isinstance(value, dict):
        raise bad(source, "its front matter is no list of keys and values")
    return value
