"""A list of tasks that is all that a report holds: it is understood as `tasks`, or asked back with where it belongs."""

from typing import Any

from folkmoot.core.vocabulary.plans import task_field
from folkmoot.core.vocabulary.problems import tells_severity
from folkmoot.reports.canonical import Faulty, decoder

# What has one of these is a report or a message itself, or something that was found.
_OTHERS = {"outcome", "status", "type", "decision", "payload", "issue", "agentType", "test", "error", "approach"}
# Whoever says this may be asking somebody else, instead of splitting.
_ASKS = {"scope", "purpose"}
# A title with one of these may be a finding and its place.
_PLACES = {"file", "line", "path", "location"}
WHERE = (
    "a list by itself does not say what it is: put the tasks of a split under `tasks`, each with its files "
    '({"outcome": "split", "tasks": [{"task": "…", "files": ["…"]}]}), and those of sub-agents under `subAgents` '
    '({"decision": "delegate", "subAgents": […]})'
)


def tasks_alone(text: str) -> dict[str, Any] | None:
    """The list as the `tasks` of an object; None if the text is no such list. Faulty if it may mean something else."""
    text = text.strip().strip("\ufeff").strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        data, end = decoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) or not isinstance(data, list) or not data or not all(_may_be_task(part) for part in data):
        return None
    if any(part.keys() & _ASKS for part in data) or not any(task_field(name) == "files" for p in data for name in p):
        raise Faulty([WHERE])
    return {"tasks": data}


def _may_be_task(part: Any) -> bool:
    if not isinstance(part, dict) or part.keys() & _OTHERS or tells_severity(part):
        return False
    if isinstance(part.get("task"), str):
        return True
    return isinstance(part.get("title"), str) and not part.keys() & _PLACES
