"""What stands in a form before somebody fills it in: an agent that repeats its instructions says nothing."""

import re
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern

ELLIPSES = {"…", "...", "[…]", "[...]", "<…>", "<...>"}
# The words the documents put where an agent is to write its own.
_UNFILLED = {
    "agent_name",
    "message_type",
    "uuid-v4",
    "iso-8601",
    "path/to/spec.md",
    "files_created_or_modified",
    "what_was_accomplished",
    "dependencies_or_blockers",
    "insights_for_system_learning",
    "original_task_definition",
    "narrative_of_work_completed",
    "specific_issues_preventing_completion",
    "suggested_next_steps",
    "insights_for_system_improvement",
    "specific_task_definition",
    "file/path: description",
    "another/file: description",
    "severity: description",
    "recommended actions",
    "brief description of what was done",
    "handoff-uuid",
    "defined_types",
    "identified_connections",
}
# Words between bars are a choice that nobody made.
_CHOICE = pattern(r"[\w -]{1,40}(?:\|[\w -]{1,40})+", re.ASCII)
# Fields that say which kind of thing this is, not what the agent has to tell.
_NAMING = {
    "outcome",
    "status",
    "type",
    "kind",
    "severity",
    "cause",
    "decision",
    "from",
    "to",
    "priority",
    "parent",
    "resolution",
    "schema_version",
    "agentType",
    "reviewer",
    "source",
    "workflow",
    "scope",
}


def is_placeholder(words: str) -> bool:
    """Nothing but what was there before anybody wrote: `…`, `<what you did>`, `[N]`, a document's own filler."""
    words = words.strip().strip("`*_\"'").strip()
    words = words.removeprefix("- ").removeprefix("* ").strip()
    if words in ELLIPSES or words.lower() in _UNFILLED:
        return True
    bracketed = (words[:1], words[-1:]) in (("<", ">"), ("[", "]"), ("{", "}")) and len(words) > 2
    return bracketed and not any(sign in words[1:-1] for sign in "<>[]{}") and words[1:-1].strip() not in ("x", "X")


# What the documents' forms have in brackets before anybody writes there.
_IN_BRACKETS = {
    *("what was tried", "result", "how this differs from previous attempts", "specific question for human"),
    *("relevant background", "option", "why insufficient", "specific guidance needed", "task_id", "agent_type", "n"),
    *("task id", "agent id", "original question", "human response", "description", "question", "reason"),
}


def filled(words: str | None) -> str | None:
    """What somebody wrote, also into the form's own brackets, which some leave around it; None: nobody wrote there."""
    bare = (words or "").strip()
    if (bare[:1], bare[-1:]) == ("[", "]") and not any(sign in bare[1:-1] for sign in "[]"):
        inner = bare[1:-1].strip()
        unfilled = inner.lower() in _IN_BRACKETS or inner in ELLIPSES or " | " in inner or is_placeholder(inner)
        return None if unfilled or not inner else inner
    return None if not bare or is_placeholder(bare) else bare


def is_choice(words: str) -> bool:
    return _CHOICE.fullmatch(words) is not None


def is_template(data: dict[str, Any]) -> bool:
    """Is the object an example to fill in, and not a report?"""
    told = unfilled = 0
    queue: list[tuple[str, Any]] = [("", data)]
    while queue:
        name, value = queue.pop()
        if isinstance(value, dict):
            queue += value.items()
        elif isinstance(value, list):
            queue += [(name, part) for part in value]
        elif isinstance(value, str):
            if value.strip() in ELLIPSES or (name in _NAMING and is_choice(value)):
                return True
            if is_placeholder(value):
                unfilled += 1
            elif name not in _NAMING and value.strip():
                told += 1
        elif isinstance(value, int | float) and not isinstance(value, bool):
            told += 1
    return unfilled > 0 and told == 0
