"""The list of Task Master: `.taskmaster/tasks/tasks.json`, with a list of tasks below each of its tags."""

import json
from typing import Any

from folkmoot.core.input_limits import has_unstorable
from folkmoot.doors.importing.found import Found, Thing, bad, folded, priority_of, sections, texts

KNOWN = frozenset(
    {
        *("id", "title", "description", "details", "testStrategy", "status", "priority", "dependencies", "subtasks"),
        *("parentTaskId", "parentId", "createdAt", "updatedAt", "acceptanceCriteria", "tags"),
    }
)
PLAIN_TAG = "master"  # of a file from before there were tags


def read_task_master(text: str, source: str) -> Found:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise bad(source, "it is not JSON") from None
    if has_unstorable(value):
        raise bad(source, "it holds a NUL, half a character, a number too large, or is too deep")
    found = Found(tool="task-master", source=source)
    for tag, tasks in _lists(value, source).items():
        for task in tasks:
            _take(found, tag, task, None)
    return found


def _lists(value: object, source: str) -> dict[str, list[Any]]:
    if isinstance(value, dict) and isinstance(value.get("tasks"), list):
        return {PLAIN_TAG: value["tasks"]}
    below = value.items() if isinstance(value, dict) else ()
    lists = {
        str(tag): one["tasks"] for tag, one in below if isinstance(one, dict) and isinstance(one.get("tasks"), list)
    }
    if not lists:
        raise bad(source, "it is no list of Task Master: there is no `tasks` in it")
    return lists


def _take(found: Found, tag: str, task: object, whole: str | None) -> None:
    if not isinstance(task, dict) or task.get("id") in (None, "") or not str(task.get("title") or "").strip():
        raise bad(found.source, f"a task of {tag!r} has no id or no title")
    own = str(task["id"]).removeprefix(f"{whole}.") if whole else str(task["id"])
    number = f"{whole}.{own}" if whole else own
    thing = Thing(
        id=f"{tag}/{number}",
        title=str(task["title"]).strip(),
        body=sections(
            {
                "": task.get("description"),
                "Details": task.get("details"),
                "Acceptance criteria": task.get("acceptanceCriteria"),
                "How to test it": task.get("testStrategy"),
            }
        ),
        status=folded(task.get("status")),
        priority=priority_of(found, task.get("priority")),
        tags=[*texts(task.get("tags")), *([tag] if tag != PLAIN_TAG else [])],
        after=[f"{tag}/{_named(need, whole)}" for need in task.get("dependencies") or []],
        parent=f"{tag}/{whole}" if whole else None,
    )
    found.fields_left(task, KNOWN)
    found.take(thing)
    for part in task.get("subtasks") or []:
        if whole is not None:
            found.left["a task below a task of a task"] += 1
        else:
            _take(found, tag, part, own)


def _named(need: object, whole: str | None) -> str:
    """A number alone, at a part of a task, names another part of it."""
    said = str(need).strip()
    return f"{whole}.{said}" if whole is not None and isinstance(need, int) else said
