"""What a split says beside its tasks: whoever works on one of them is told all of it, and nothing in it is a task or an
order that nobody has heard (R-24, R-32)."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import json, to_builtins
from msgspec.structs import replace

from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.report import Report, Task
from folkmoot.core.rules.children.ordering import name_of, names_of
from folkmoot.core.rules.judging.carrying import CARRIED_ELSEWHERE, repeats, words_of
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.pieces import one_is_enough, pieces_among, pieces_in
from folkmoot.core.vocabulary.phrases.tallies import number_said
from folkmoot.core.vocabulary.plans import Named, names_actions, numbered, split_field, task_field
from folkmoot.core.vocabulary.roles import agent_named, folded
from folkmoot.core.vocabulary.words import plain

SHOWN = 120
DEPTH_MAX = 6  # of what a dialect nests in its own words
# What each task has of its own, what stands on the item or with the lessons, and what says how the run ended.
_ELSEWHERE = (
    *("outcome", "implied", "tasks", "contracts", "integration_points", "lessons", "usage", "messages", "comments"),
    *("artifacts", "findings", "question", "commit", "extra"),
)
_NUMBERED = pattern(
    r"[\s#*_>+-]{0,12}(?:\d{1,3}[.)]\s)?[*_]{0,3}(?:task|codeweaver)[ -]?\d{1,3}[*_]{0,3}\s?[:–—-]", re.I
)
_ON_ITEM = tuple(name for name in _ELSEWHERE if name not in ("contracts", "integration_points"))
BEYOND = "in its own words"
LETTERS_MAX = 2_000
# How many there are, said of this split: `Split into three tasks`, `Three tasks: …`.
_INTO_TASKS = pattern(
    r"(?:\A\s*|\b(?:split|divided|broken|decomposed)\b(?: \w+){0,2} into )(\w{1,9})(?: independent| parallel)? tasks\b",
    re.I,
)


def body_of(task: Task) -> str:
    """What its agent is told of it: also what the split says under names that the board does not know."""
    more = [
        f"{name}: {value if isinstance(value, str) else json.encode(value).decode()}"
        for name, value in task.more.items()
    ]
    return "\n\n".join(part for part in (task.body, "\n".join(more)) if part)


def said_beside(said: Report, agent: str, item: Item) -> dict[str, Any]:
    """All that a split says beside its tasks, whole, for whoever works on them; `item` is what was split."""
    told: dict[str, Any] = {}
    nothing = Report(outcome=said.outcome)
    elsewhere = _ELSEWHERE if said.outcome == "split" else _ON_ITEM  # who only looked has not handed these to the tasks
    for name in said.__struct_fields__:
        if name not in elsewhere and getattr(said, name) != getattr(nothing, name):
            told[name] = to_builtins(getattr(said, name))
    words = words_of(said)
    own = {name: _own(said, name, agent, item, words) for name in said.extra}
    own = {name: value for name, value in own.items() if value not in (None, "", [], {})}
    return {**told, **({BEYOND: own} if own else {})}


def _own(said: Report, name: str, agent: str, item: Item, words: frozenset[str]) -> Any:
    """Of the dialect's own words what stands in no field of ours; of an output in which the tasks stand, the rest."""
    value = said.extra[name]
    if repeats(said, name, agent, item, words):
        return None
    if not isinstance(value, dict):
        return value
    inner = replace(said, extra={str(key): part for key, part in value.items()})

    def says_more(key: str, part: Any) -> bool:
        if not repeats(inner, key, agent, item, words):
            return True
        alone = replace(said, extra={name: {key: part}})  # a path as a name is told, whatever stands below it
        return not key.isidentifier() and not repeats(alone, name, agent, item, words)

    return {key: part for key, part in inner.extra.items() if says_more(key, part)}


def fault_of_beside(flow: Flow, said: Report) -> str | None:
    """What stands beside the tasks of a split and is meant for them; None if there is nothing of the kind."""
    role = next((name for name, value in said.extra.items() if value and _is_role(flow, name)), None)
    if role is not None:
        form = f'"{role}": {{"task": "what is to be done"}}'
        return f"it names {role} beside its tasks, and not as a task: write {form} if it is one, else leave it out"
    gate = next((key for task in said.tasks if (key := task.key) and folded(numbered(key) or key) in flow.gates), None)
    if gate is not None:
        return f"{gate} is a check that runs by itself when its stage is done, and no task: leave it out"
    return _fault_of_order(said)


def fault_of_number(said: Report) -> str | None:
    """A split that counts more tasks than it tells: the others would be done by nobody."""
    counts = [(name, value) for name, value in said.extra.items() if _counts_tasks(name)]
    counts += [("summary", found.group(1)) for found in _INTO_TASKS.finditer(said.summary[:LETTERS_MAX])]
    told = len(said.tasks)
    for name, value in counts:
        number = number_said(value)
        if number is not None and number > told:
            return (
                f"`{name}` says {number} tasks, and it tells {told} task{'s' if told > 1 else ''}: which holds? Tell "
                "each under `tasks`, or leave the number out"
            )
    return None


def _counts_tasks(name: str) -> bool:
    words = plain(name).split()
    bare = [word for word in words if word not in ("total", "count", "number", "num", "of", "all")]
    return len(bare) < len(words) and bare in (["task"], ["tasks"], ["subtasks"])


def _is_role(flow: Flow, name: str) -> bool:
    """Is it an agent of the flow to whom a task could be given, also as `builder-2`?"""
    agent = flow.agents.get(agent_named(flow, numbered(name) or name))
    return agent is not None and not agent.expert


def _fault_of_order(said: Report) -> str | None:
    """An order of tasks in words alone: they would run at once. One that is also said as `after` holds."""
    names = names_of(said.tasks)
    above, named, by_key = _above(said.tasks, names), Named(names), Named({key: key for key in names.values()})
    beside = [*texts(said), *_at_points(said)]
    pairs = [(where, words, pair) for where, words in beside for pair in named.orders_in(words)]
    # Tasks with a file in common run in turn anyway.
    files = {name_of(task): set(task.files) for task in said.tasks}
    turns = ((where, words, pair) for where, words in beside for pair in named.in_turn(words))
    pairs += [turn for turn in turns if files[turn[2][0]].isdisjoint(files[turn[2][1]])]
    for task in said.tasks:
        keys = [("task", task.title, key) for key in by_key.named_after(task.title)]  # its title is no other's
        keys += [(where, words, key) for where, words in _texts_of(task) for key in named.named_after(words)]
        pairs += [(where, words, (name_of(task), key)) for where, words, key in keys]
    for where, words, (one, other) in pairs:
        if one != other and one not in above[other] and other not in above[one]:
            which = f"in which order {one!r} and {other!r} come ({shortly(words)!r}), and neither comes after the other"
            return _ask_for_after(where, which)
    if len(said.tasks) < 2 or any(above.values()):
        return None
    told = ((where, line) for where, words in texts(said) if (line := named.order_of_all(words)))
    found = next(told, None)
    if found is None:
        return None
    return _ask_for_after(
        found[0], f"that the tasks have an order ({shortly(found[1])!r}), and none comes after another"
    )


def _ask_for_after(where: str, which: str) -> str:
    return (
        f"`{where}` says in words {which}: write it as `after` of a task, with the keys of those that come before it: "
        '{"key": "…", "task": "…", "after": ["…"]}'
    )


def shortly(words: str) -> str:
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


def _texts_of(task: Task) -> Iterator[tuple[str, str]]:
    """What a task says of itself beside its title, each with the name under which it stands."""
    yield "body", task.body
    for name, value in (("constraints", task.constraints), *task.more.items()):
        yield from _leaves(name, value, set(), DEPTH_MAX)


def _above(tasks: list[Task], names: dict[str, str]) -> dict[str, set[str]]:
    """Of each task all that come before it, however many lie between."""
    needs = {name_of(task): {names[need] for need in task.after if need in names} for task in tasks}
    found: dict[str, set[str]] = {}
    for task, first in needs.items():
        seen, left = set(first), list(first)
        while left:
            new = needs[left.pop()] - seen
            seen |= new
            left += new
        found[task] = seen
    return found


def texts(said: Report) -> Iterator[tuple[str, str]]:
    """The words beside the tasks, each with the name under which they stand."""
    yield "summary", said.summary
    yield "blockers", said.blockers or ""
    for step in said.next_steps:
        yield "next_steps", step
    keys = {name_of(task) for task in said.tasks}
    for name, value in said.extra.items():
        if name not in CARRIED_ELSEWHERE:
            yield from _leaves(name, value, keys, DEPTH_MAX)


def _at_points(said: Report) -> Iterator[tuple[str, str]]:
    """What is said of where tasks meet; an object whole, since one field names the tasks and another their order."""
    for name, value in said.integration_points.items():
        yield name, value if isinstance(value, str) else json.encode(value).decode()


def _leaves(name: str, value: Any, keys: set[str], depth: int) -> Iterator[tuple[str, str]]:
    """What stands below a task's own name, or where the tasks and their contracts stand, was read as such."""
    if isinstance(value, str):
        yield name, value
    elif depth and isinstance(value, list):
        for part in value:
            yield from _leaves(name, part, keys, depth - 1)
    elif depth and isinstance(value, dict):
        for key, part in value.items():
            if key not in keys and split_field(str(key)) is None:
                yield from _leaves(str(key), part, keys, depth - 1)


def fault_of_unread_tasks(case: Case, said: Report) -> str | None:
    """Tasks under a name that nobody knows, of somebody who splits and says `done`: the whole would be one task."""
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    if agent is None or "split" not in agent.may:
        return None
    for name, value in (("report", said.summary), *said.extra.items()):
        told = isinstance(value, str) and name not in CARRIED_ELSEWHERE
        task = _in_words(value) if told else next(_tasks_below(name, value, DEPTH_MAX), None)
        if task:
            return (
                f"`{name}` holds what looks like tasks ({shortly(repr(task))}), and no split is said: report split "
                "with each under `tasks`, with its files, and what it comes after as `after`; if it is one task "
                "already, leave them out"
            )
    return None


def fault_of_told_pieces(case: Case, said: Report) -> str | None:
    """Pieces of work that are only told, where work is to be split: one agent would get the whole."""
    flow, item = case.flow, case.item
    agent = flow.agents.get(case.run.agent) if case.run else None
    splits = agent is not None and "split" in agent.may and stage_of(case) == flow.discover
    if not splits or item.kind in ONE_SHOT_KINDS or any(task.status not in ENDED for task in case.situation.tasks):
        return None
    told = list(texts(said))
    if any(one_is_enough(words) for _, words in told):
        return None
    stage = flow.columns.get(flow.columns[stage_of(case)].next or "")
    workers = stage.agents if stage is not None else []
    lists = [("next_steps", said.next_steps), *((name, value) for name, value in said.extra.items() if _is_list(value))]
    found = [
        (name, steps if split_field(name) == "tasks" and len(steps) > 1 else pieces_among(steps, workers))
        for name, steps in lists
    ]
    found += [(name, pieces_in(words, workers)) for name, words in told]
    name, pieces = next(((name, pieces) for name, pieces in found if pieces), ("", []))
    if not pieces:
        return None
    return (
        f"`{'report' if name == 'summary' else name}` tells {len(pieces)} pieces of work ({shortly(repr(pieces[0]))}, "
        f"{shortly(repr(pieces[1]))}), and no split is said: report split with each under `tasks`, with its files, and "
        "what it comes after as `after`; if nothing has to be split, say that one task is enough"
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _in_words(words: str) -> str | None:
    """The line of a text under which tasks stand: it is called so, is the head of a table of them, or numbers one."""
    for line in words.splitlines():
        columns = {task_field(cell) for cell in line.split("|") if cell.strip()}
        if split_field(line.strip("#*_: ")) == "tasks" or {"title", "files"} <= columns or _NUMBERED.match(line):
            return line.strip()
    return None


def _tasks_below(name: str, value: Any, depth: int) -> Iterator[Any]:
    """What says in words what is to be done, and in which files, or is called actions; not what tasks share."""
    if not depth or split_field(name) in ("contracts", "points"):
        return
    if names_actions(name):
        yield from [value] if value else ()
        return
    if isinstance(value, dict):
        titled = any(isinstance(value.get(key), str) for key in ("task", "title"))
        if titled and any(task_field(str(key)) == "files" and isinstance(part, list) for key, part in value.items()):
            yield value
        for key, part in value.items():
            yield from _tasks_below(str(key), part, depth - 1)
    for part in value if isinstance(value, list) else []:
        yield from _tasks_below(name, part, depth - 1)
