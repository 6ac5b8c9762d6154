"""Where the tasks of a split stand in an object: in a list, under names of their own, in its output or its
`taskDecomposition`."""

from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from folkmoot.core.rules.children.contracts import with_shared
from folkmoot.core.rules.children.ordering import Wish, with_order
from folkmoot.core.vocabulary.plans import numbered, smells_of_order, split_field, task_field
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import Faulty, shown
from folkmoot.reports.splits.entries import Read, read_entries, with_owners
from folkmoot.reports.splits.shared import once_each, shared_contracts, unwrapped

Entries = list[tuple[str | None, Any]]
# What any report may say beside its tasks.
BESIDE = {
    *("agentType", "status", "task", "report", "retro", "output", "summary", "nextSteps", "blockers"),
    *("recommendations", "decision", "next_steps", "lessons", "usage", "spec", "commit", "phase", "round"),
    *("max_rounds", "filesCreated", "filesModified", "files_created", "files_modified", "files", "outcome", "issues"),
}
ORDERS = ("needs", "sequence", "alone")


class Split(Struct):
    """The entries of a split, the objects that say something of all of them, and the names under which it all stands
    in the outermost one."""

    entries: Entries
    places: list[dict[str, Any]]
    names: set[str] = field(default_factory=set)


def find_split(data: dict[str, Any], *, splits: bool = False) -> Split | None:
    """The split that an object holds, if it does. `splits`: it is signed by whoever splits work, so less is needed to
    see one."""
    found = _in_place(data, splits)
    if found is None:
        output = data.get("output")
        inner = _in_place(output, splits) if isinstance(output, dict) else None
        found = Split(inner.entries, [data, *inner.places]) if inner is not None else None
    return found and replace(found, places=[unwrapped(place) for place in found.places])


def _in_place(data: dict[str, Any], splits: bool) -> Split | None:
    for name, value in data.items():
        if split_field(name) != "tasks" or not value:
            continue
        if isinstance(value, dict):
            inner = _in_place(value, splits) or _named_in(value)
            if inner is not None:
                return Split(inner.entries, [data, *inner.places], {name})
        elif isinstance(value, list) and any(_is_task(part) for part in value):
            return Split([(None, part) for part in value], [data], {name})
    return _keyed(data, splits)


def _named_in(data: dict[str, Any]) -> Split | None:
    """An object that is nothing but tasks: whatever else it holds must be one."""
    entries = [(name, value) for name, value in data.items() if name not in BESIDE and split_field(name) is None]
    if not any(_is_task(value) for _, value in entries):
        return None
    return Split([*entries], [data], {name for name, _ in entries})


def _keyed(data: dict[str, Any], splits: bool) -> Split | None:
    """Tasks under names of their own, beside whatever else a report says. Under numbered names (`builder-1`) every one
    is a task; under others only where all of them look like one."""
    named = {name: value for name, value in data.items() if name not in BESIDE and split_field(name) is None}
    strong = {name for name, value in named.items() if _has_title(value) and _has_files(value)}
    counted = {name: word for name in named if (word := numbered(name)) is not None}
    tasks = {n for n in counted if _is_task(named[n]) and (splits or _has_files(named[n]))}
    words = {counted[name] for name in tasks}
    if not tasks:
        words = _several(named, counted)
    if words:
        chosen = [name for name in named if counted.get(name) in words or name in strong or _is_other(named, name)]
    else:
        tasked = {name for name, value in named.items() if _has_task(value)} if strong or splits else set()
        chosen = list(named) if strong | tasked == set(named) else []
    if not chosen:
        return None
    return Split([(name, named[name]) for name in chosen], [data], set(chosen))


def _several(named: dict[str, Any], counted: dict[str, str]) -> set[str]:
    """The word that two or more numbered names share, where all below them are words or tasks without files."""
    found = set()
    for word in set(counted.values()):
        below = [named[name] for name in counted if counted[name] == word]
        if len(below) > 1 and all(_may_be_task(value) for value in below):
            found.add(word)
    return found


def _is_other(named: dict[str, Any], name: str) -> bool:
    """A numbered name of another role, or a task without a number, beside numbered tasks."""
    value = named[name]
    return _is_task(value) and (numbered(name) is not None or _has_files(value) or _has_task(value))


def _may_be_task(value: Any) -> bool:
    return (isinstance(value, str) and bool(value.strip())) or _is_task(value)


def _is_task(part: Any) -> bool:
    """Does it say in words what is to be done?"""
    if not isinstance(part, dict):
        return False
    return any(isinstance(value, str) and task_field(name) in ("title", "body") for name, value in part.items())


def _has_title(part: Any) -> bool:
    return isinstance(part, dict) and any(isinstance(part.get(name), str) for name in ("task", "title"))


def _has_task(part: Any) -> bool:
    """It calls itself a task: under a role's name that needs no files, and whose name it is the rules know."""
    return isinstance(part, dict) and isinstance(part.get("task"), str) and bool(part["task"].strip())


def _has_files(part: dict[str, Any]) -> bool:
    return any(task_field(name) == "files" for name in part)


def split_fields(found: Split) -> tuple[dict[str, Any], list[str]]:
    """Tasks, contracts and meeting points of a split, and what is wrong with it."""
    read = read_entries(found.entries)
    taken = {name for name, _ in found.entries}
    wishes = list(read.wishes)
    for place in found.places:
        wishes += [Wish(name, value) for name, value in place.items() if _says_order(name, taken)]
    tasks, faults = with_order(read.tasks, wishes)
    owners = {name: said for place in found.places for name, said in place.items() if split_field(name) == "owners"}
    tasks, unowned = with_owners(tasks, owners)
    shared = once_each([one for place in found.places for one in shared_contracts(place)])
    parts: dict[str, Any] = {"tasks": [with_shared(task, [one.name for one in shared]) for task in tasks]}
    contracts = once_each([*shared, *read.contracts])
    if contracts:
        parts["contracts"] = contracts
    return parts, [*read.faults, *faults, *unowned]


def _says_order(name: str, taken: set[str | None]) -> bool:
    if name in taken or name in BESIDE:
        return False
    known = split_field(name)
    return known in ORDERS or (known is None and smells_of_order(name))


def spelled_tasks(data: dict[str, Any]) -> None:
    """The tasks of a report in the form itself, in its own spelling; an unknown name in one is a fault."""
    said = data["tasks"]
    if isinstance(said, dict):
        entries: Entries = [(None, said)] if _is_task(said) else [(str(key), part) for key, part in said.items()]
    elif isinstance(said, list) and all(isinstance(part, str | dict) for part in said):
        entries = [(None, part) for part in said]
    else:
        return  # refused by its type
    if not any(_is_task(part) for _, part in entries):
        return
    read: Read = read_entries(entries, strict=True)
    orders = [name for name in data if name not in BESIDE and split_field(name) in ORDERS]
    wishes = [*read.wishes, *(Wish(name, data.pop(name)) for name in orders)]
    tasks, faults = with_order(read.tasks, wishes)
    if read.faults or faults:
        raise Faulty([f"tasks: {fault}" for fault in [*read.faults, *faults]])
    shared = data["contracts"] if isinstance(data.get("contracts"), list) else []
    known = [one["name"] for one in shared if isinstance(one, dict) and isinstance(one.get("name"), str)]
    data["tasks"] = [to_builtins(with_shared(task, known)) for task in tasks]
    if read.contracts and isinstance(data.get("contracts", []), list):
        new = [to_builtins(one) for one in once_each(read.contracts) if one.name not in known]
        data["contracts"] = [*data.get("contracts", []), *new]


def words_only(data: dict[str, Any]) -> str | None:
    """What is wrong with a list that stands where tasks do and holds none; None if there is no such list."""
    for name, value in data.items():
        if split_field(name) == "tasks" and value and isinstance(value, list | dict):
            return f"{name}: each needs a `task` or `title`, and its `files`; it holds {shown(value)}"
    return None


def stands_apart(data: dict[str, Any]) -> str | None:
    """What is wrong with an object beside the tasks of a split that says something of them, or is one; None if it is
    about something else."""
    meant = ("tasks", "owners", *ORDERS)
    name = next((name for name in data if split_field(name) in meant or plain(name) in ("sub agents", "task")), None)
    if name is None:
        return None
    return (
        f"`{name}` stands in an object of its own, apart from the tasks ({shown(data)}): put it into the object in "
        "which the tasks stand; if it is not about them, leave it out"
    )
