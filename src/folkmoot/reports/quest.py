"""Quest reports in both of their forms, what a planner or builder returns, sub-agents asked for, and decompositions."""

import json
import re
from typing import Any

from folkmoot.core.report import Contract, Delegation, Files, Report, Task
from folkmoot.core.vocabulary.lines import ONE_PATH, counted, finding_in, number_in, paths_in
from folkmoot.core.vocabulary.words import meaning_in, meaning_of, place_said, verdict_of
from folkmoot.reports.canonical import FIELDS, Faulty, shown
from folkmoot.reports.fields import Taken, finish
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.status import WORDS

STATUSES = {
    "complete": "done",
    "completed": "done",
    "done": "done",
    "fixes_applied": "done",
    "approved": "done",
    "needs_fixes": "changes_requested",
    "changes_requested": "changes_requested",
    "blocked": "stuck",
    "stuck": "stuck",
    "failed": "failed",
    "incomplete": "incomplete",
}
# Beside one of these a status is the end of a run; alone or beside other things it may be anybody's log.
COMPANIONS = {
    *("agentType", "output", "report", "nextSteps", "recommendations", "retro", "blockers"),
    *("spec", "commit", "issues"),
    *(set(FIELDS) - {"outcome", "extra", "usage"}),
}
SHARED = {"sharedTypes", "integrationPoints", "contracts"}
_BESIDE_TASKS = {
    *SHARED,
    *(
        "agentType",
        "status",
        "task",
        "report",
        "retro",
        "output",
        "summary",
        "nextSteps",
        "blockers",
        "recommendations",
    ),
    *("decision", "next_steps", "lessons", "usage", "spec", "commit", "phase", "round", "max_rounds"),
    *("interfaces", "filesCreated", "filesModified", "files_created", "files_modified", "files"),
}
# Keys by which a decomposition names whoever is to do each task: beside them other keys may say anything.
_NUMBERED = re.compile(r"[A-Za-z][\w ]{0,40}[-_ ]?\d{1,4}")
# The states of a message; what is no such word in a completion says how the phase ended.
MESSAGE_STATES = ("pending", "accepted", "completed")
_COUNTS = {"count", "total", "number"}
# Fields in which agents name what kind of failure it was.
_KIND_OF_FAILURE = ("failure", "failureType", "failureCategory", "failure_type", "category", "error", "trigger")


def outcome_of(said: Taken) -> str:
    status = said.word("status")
    outcome = STATUSES.get(status or "")
    outcome = outcome or WORDS.get((status or "").replace("_", " "))
    if outcome is None and verdict_of(status) is not None:
        outcome = "done" if verdict_of(status) else "changes_requested"
    if outcome is None:
        known = "complete, blocked, failed, completed, needs_fixes, fixes_applied, approved"
        word = said.data.get("status")
        # Whoever writes a column's name has the item in mind, and no form with a status.
        meant = place_said(word)
        said.faults.append(
            f"status: {shown(word)} is no outcome{meant}" if meant else f"status: {shown(word)} is not one of {known}"
        )
    return outcome or "failed"


def is_status_report(data: dict[str, Any]) -> bool:
    """A status with something that only a report has beside it, or one of our words for it alone."""
    if "status" not in data or "type" in data:
        return False
    word = data["status"]
    alone = len(data) == 1 and isinstance(word, str) and word.strip().lower() in STATUSES
    return alone or bool(data.keys() & COMPANIONS)


def status_report(data: dict[str, Any]) -> Report:
    said = Taken(data)
    outcome = outcome_of(said)
    places = [place for place in (data, data.get("output")) if isinstance(place, dict)]
    tasks = next((place for place in places if decomposition_in(place)), None) if outcome == "done" else None
    parts = quest_parts(said)
    if tasks is not None:
        outcome = "split"
        for place in places:
            parts |= shared_parts(said, place)
        parts |= split_parts(said, tasks)
    elif outcome == "done" and data.get("tasks") and said.data.get("agentType") in (None, "pathseeker"):
        said.faults.append("tasks: each needs a `task` or `title`, and its `files`")
    elif outcome in ("failed", "stuck") and not said.has("cause"):
        parts |= _kind_of_failure(data, parts)
    return finish(outcome, said, **parts)


def _kind_of_failure(data: dict[str, Any], parts: dict[str, Any]) -> dict[str, str]:
    """The quest's kinds of failure and reasons to stop, where its report names one in words."""
    named = (data[name] for name in _KIND_OF_FAILURE if isinstance(data.get(name), str))
    meaning = next((found for word in named if (found := meaning_of(word))), None)
    meaning = meaning or meaning_in([parts.get("blockers"), parts.get("summary"), *parts.get("next_steps", [])])
    if meaning is None:
        return {}
    return {"cause": meaning.cause} if meaning.cause else {"escalation_reason": meaning.reason or ""}


def quest_parts(said: Taken) -> dict[str, Any]:
    """The fields of a quest report that have a place of their own."""
    parts: dict[str, Any] = {}
    summary = said.text("report", "summary")
    if summary is not None:
        parts["summary"] = summary
    tests = said.data.get("tests")
    told = counted(tests if isinstance(tests, str) else summary or "") if not isinstance(tests, dict) else None
    if told is not None:
        parts["tests"] = told
    blockers = [words for words in said.texts("blockers") if not is_placeholder(words)]
    if blockers:
        parts["blockers"] = "\n".join(blockers)
    steps = [words for words in said.texts("nextSteps", "recommendations", "next_steps") if not is_placeholder(words)]
    if steps:
        parts["next_steps"] = steps
    lessons = [words for words in said.texts("retro", "lessons") if not is_placeholder(words)]
    if lessons:
        parts["lessons"] = lessons
    issues = said.data.get("issues")
    if isinstance(issues, dict) and len(issues) == 1 and issues.keys() <= _COUNTS:
        said.data = {**said.data, "issues": next(iter(issues.values()))}  # a number, and nothing of what they are
    elif isinstance(issues, str) and issues.strip() and number_in(issues) is None:
        parts["findings"] = [finding_in(issues)]
        said.used.add("issues")
    elif isinstance(issues, list | dict):
        parts["findings"] = said.findings("issues", "review")
    created, modified = said.texts("filesCreated", "files_created"), said.texts("filesModified", "files_modified")
    if created or modified:
        parts["files"] = Files(created=created, modified=modified)
    _output(said, parts)
    return parts


def _output(said: Taken, parts: dict[str, Any]) -> None:
    """Files, integration points and words of an output; all of it also survives as it was said."""
    output = said.data.get("output")
    if isinstance(output, str) or (isinstance(output, list) and all(isinstance(path, str) for path in output)):
        paths = paths_in([output] if isinstance(output, str) else output)
        if paths and all(ONE_PATH.fullmatch(path) for path in paths):
            parts["files"] = Files(modified=paths)
    if not isinstance(output, dict):
        return
    inner = Taken(output)
    created, modified = inner.texts("filesCreated", "files_created"), inner.texts("filesModified", "files_modified")
    if created or modified:
        told = parts.get("files", Files())
        parts["files"] = Files(created=[*told.created, *created], modified=[*told.modified, *modified])
    parts |= _points(output)
    interfaces = inner.texts("interfaces")
    if interfaces:
        parts["interfaces"] = interfaces
    summary = inner.text("report", "summary")
    if summary is not None:
        parts.setdefault("summary", summary)
    blockers = inner.texts("blockers")
    if blockers:
        parts["blockers"] = "\n".join([*([parts["blockers"]] if parts.get("blockers") else []), *blockers])
    for name, names in (
        ("next_steps", ("nextSteps", "recommendations", "next_steps")),
        ("lessons", ("retro", "lessons")),
    ):
        told = [words for words in inner.texts(*names) if not is_placeholder(words)]
        if told:
            parts[name] = list(dict.fromkeys([*parts.get(name, []), *told]))


def _points(data: dict[str, Any]) -> dict[str, Any]:
    """Integration points with what is said of each, or only named."""
    points = data.get("integrationPoints")
    if isinstance(points, dict):
        return {"integration_points": points}
    names = Taken(data).texts("integrationPoints")
    return {"integration_points": dict.fromkeys(names, "")} if names else {}


def delegation(data: dict[str, Any]) -> Report | None:
    """Sub-agents asked for; deciding to do it oneself ends nothing."""
    decision = data.get("decision")
    if not isinstance(decision, str) or decision.strip().lower() != "delegate":
        return None
    agents = data.get("subAgents")
    agents = [agents] if isinstance(agents, dict) else agents
    if not isinstance(agents, list) or not agents:
        raise Faulty(["subAgents: missing, a list of tasks with their scope"])
    said = Taken(data)
    asked, whole = [], True
    for part in agents:
        inner = Taken(part if isinstance(part, dict) else {})
        task = inner.text("task")
        if not task:
            raise Faulty([f"subAgents: {shown(part)} has no task"])
        asked.append(Delegation(task=task, to=inner.text("to", "agent", "agentType"), scope=inner.text("scope")))
        whole = whole and not inner.left()
    if whole:
        said.used.add("subAgents")
    return finish("delegates", said, delegate=asked)


def decomposition_in(data: dict[str, Any]) -> bool:
    """Tasks with files, keyed by whoever is to do them or in a list."""
    listed = data.get("tasks")
    if isinstance(listed, list | dict):
        parts = list(listed.values()) if isinstance(listed, dict) else listed
        return bool(parts) and all(_is_task(part) for part in parts)
    keyed = _keyed(data)
    others = [name for name in data if name not in _BESIDE_TASKS and name not in keyed]
    return bool(keyed) and (not others or all(_NUMBERED.fullmatch(name) for name in keyed))


def _keyed(data: dict[str, Any]) -> dict[str, Any]:
    """The tasks under names of their own."""
    named = {name: value for name, value in data.items() if name not in _BESIDE_TASKS}
    return {name: value for name, value in named.items() if _is_task(value) and "files" in value}


def _is_task(part: Any) -> bool:
    return isinstance(part, dict) and any(isinstance(part.get(name), str) for name in ("task", "title"))


def is_shared_only(data: dict[str, Any]) -> bool:
    """The contracts and meeting points of a decomposition, printed apart from its tasks."""
    return "sharedTypes" in data and data.keys() <= SHARED


def split_report(data: dict[str, Any]) -> Report:
    said = Taken(data)
    return finish("split", said, **split_parts(said, data))


def split_parts(said: Taken, data: dict[str, Any]) -> dict[str, Any]:
    """Tasks, contracts and integration points; what was taken from the object itself is marked as used."""
    own = said.data is data
    listed = data.get("tasks")
    keyed: list[tuple[str | None, Any]]
    if isinstance(listed, list):
        keyed, names = [(None, part) for part in listed], {"tasks"}
    elif isinstance(listed, dict):
        keyed, names = list(listed.items()), {"tasks"}
    else:
        keyed = list(_keyed(data).items())
        names = {name for name, _ in keyed if name is not None}
    tasks, whole = [], True
    for key, part in keyed:
        inner = Taken(part)
        tasks.append(_task(key, inner))
        whole = whole and not inner.left()
        said.faults += inner.faults
    parts: dict[str, Any] = {"tasks": tasks}
    parts |= shared_parts(said, data)
    if own and whole:
        said.used |= names
    return parts


def shared_parts(said: Taken, data: dict[str, Any]) -> dict[str, Any]:
    """The contracts and meeting points of a decomposition, with their words or only by their names."""
    parts: dict[str, Any] = {}
    types = data.get("sharedTypes")
    contracts = _contracts(types)
    if contracts:
        parts["contracts"] = contracts
        if isinstance(types, dict):
            said.used.add("sharedTypes")
    points = _points(data)
    if points:
        parts |= points
        said.used.add("integrationPoints")
    return parts


def _contracts(types: Any) -> list[Contract]:
    if isinstance(types, dict):
        return [Contract(name=name, text=_as_text(text)) for name, text in types.items()]
    found = []
    for part in types if isinstance(types, list) else [types]:
        if isinstance(part, str) and part.strip():
            name, _, text = part.partition(": ")
            found.append(Contract(name=name.strip(), text=text.strip()))
        elif isinstance(part, dict) and isinstance(part.get("name"), str):
            rest = {key: value for key, value in part.items() if key != "name"}
            found.append(Contract(name=part["name"], text=_as_text(rest["text"] if rest.keys() == {"text"} else rest)))
    return found


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _task(key: str | None, said: Taken) -> Task:
    title = said.text("title", "task", "name") or ""
    body = said.text("task", "body", "description") or ""
    for name in ("files", "contracts", "interfaces", "after", "dependencies", "dependsOn", "constraints"):
        value = said.data.get(name)
        listed = isinstance(value, list) and all(isinstance(part, str) for part in value)
        if not (value is None or listed or isinstance(value, str)):
            said.faults.append(f"{name}: {shown(value)} is not a list of texts")
    return Task(
        title=title,
        key=said.text("key", "id") or key,
        body=body,
        agent=said.text("agent", "agentType", "role"),
        files=paths_in(said.texts("files")),
        after=said.texts("after", "dependencies", "dependsOn"),
        contracts=said.texts("contracts", "interfaces"),
        spec=said.text("spec"),
        constraints=said.texts("constraints"),
    )
