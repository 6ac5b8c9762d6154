"""In which order the tasks of a split come: all that was said of it, as `after` of each task (Q-06, R-24).

An order that is said and not understood is a fault: tasks that should wait for each other would run at once.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.report import Task
from folkmoot.core.vocabulary.plans import (
    is_alone,
    names_chains,
    names_line,
    numbered,
    rank_of,
    says_nothing,
    several_in,
    smells_of_order,
    split_field,
    steps_in,
    task_field,
)
from folkmoot.core.vocabulary.roles import agent_named, role

TASKS_MAX = 200
SHOWN = 80
GROUP_MAX = 400  # tasks and names of one statement about the order


class Wish(Struct, frozen=True):
    """An order as a split says it: under which name, of which task (None: of all), and in what words."""

    name: str
    said: Any
    task: str | None = None


def name_of(task: Task) -> str:
    return task.key or task.title


def names_of(tasks: list[Task]) -> dict[str, str]:
    """What a task may be called, and the key that is meant: a key goes before another task's title."""
    keys = {name_of(task): name_of(task) for task in tasks}
    return {**{task.title: name_of(task) for task in tasks}, **keys}


def resolved(words: Iterable[str], names: dict[str, str]) -> list[str]:
    """The tasks that are meant: in another spelling, several in one text, or "none". What is unknown stays as it is."""
    found: list[str] = []
    for word in words:
        one = _one(word, names)
        if one is not None:
            found.append(one)
            continue
        if says_nothing(word):
            continue
        several = [_one(part, names) for part in several_in(word)]
        found += [part for part in several if part] if several and all(several) else [word]
    return list(dict.fromkeys(found))


def _one(word: str, names: dict[str, str]) -> str | None:
    known = role(word.strip().strip("`'\""), names)
    return names.get(known)


def with_order(tasks: list[Task], wishes: list[Wish]) -> tuple[list[Task], list[str]]:
    """The tasks with every order that was said in their `after`, and the faults of what is not understood."""
    if len(tasks) > TASKS_MAX:
        return tasks, []  # too many anyway
    names = names_of(tasks)
    plan = _Plan(tasks, names)
    for wish in wishes:
        field = task_field(wish.name) if wish.task else split_field(wish.name)
        # "no" says something where the question is whether it runs beside others.
        if (field == "alone" or not says_nothing(wish.said)) and not plan.take(wish):
            plan.faults.append(_fault(wish, list(dict.fromkeys(names.values()))))
    ordered = plan.ordered()
    return ordered, plan.faults


def _fault(wish: Wish, keys: list[str]) -> str:
    said = repr(wish.said)
    said = said if len(said) <= SHOWN else f"{said[: SHOWN - 1]}…"
    where = f"{wish.task}: " if wish.task else ""
    known = ", ".join(repr(key) for key in keys[:20])
    return (
        f"{where}`{wish.name}` says an order of the tasks that is not understood ({said}): write it as `after` of a "
        f"task, with the keys of those that come before it; the keys are {known}"
    )


class _Plan:
    """What comes after what, while it is gathered."""

    def __init__(self, tasks: list[Task], names: dict[str, str]) -> None:
        self.tasks, self.names = tasks, names
        self.after = {name_of(task): resolved(task.after, names) for task in tasks}
        self.alone: set[str] = set()
        self.ranks: dict[str, dict[str, int]] = {}  # by the name under which they are said
        self.faults: list[str] = []

    def take(self, wish: Wish) -> bool:
        """Understand one statement; False if it is not."""
        if wish.said is None:
            return True
        return self._of_task(wish, wish.task) if wish.task else self._of_all(wish)

    def _of_task(self, wish: Wish, task: str) -> bool:
        field = task_field(wish.name)
        if field == "rank" or (field == "alone" and rank_of(wish.said) is not None):
            rank = rank_of(wish.said)
            if rank is not None:
                self.ranks.setdefault(wish.name, {})[task] = rank
                return True
        alone = is_alone(wish.name, wish.said) if field in ("alone", "rank") else None
        if alone is not None:
            self.alone |= {task} if alone else set()
            return True
        if field == "before":
            later = self._known(wish.said)
            for one in later or ():
                self._add(one, [task])
            return later is not None
        words = wish.said.strip() if isinstance(wish.said, str) else ""
        told = words[6:] if words.lower().startswith("after ") else wish.said if field == "after" else None
        needs = self._known(told) if told is not None else None
        needs = self._earlier(told) if needs is None and field == "after" else needs
        self._add(task, needs or [])
        if task in (needs or []):
            self.after[task].append(task)  # a circle, which is asked back like any other
        return needs is not None

    def _of_all(self, wish: Wish) -> bool:
        field = split_field(wish.name)
        if field == "needs" and isinstance(wish.said, dict):
            return self._needs(wish.said)
        if field == "needs" and isinstance(wish.said, list) and any(isinstance(one, dict) for one in wish.said):
            return len(wish.said) <= GROUP_MAX and all(map(self._one_needs, wish.said))
        if names_chains(wish.name) and self._chains(wish.said):
            return True
        alone = is_alone(wish.name, wish.said) if field in ("alone", "sequence") else None
        if alone is not None:
            self.alone |= set(self.after) if alone else set()
            return True
        if field == "alone":
            return self._known(wish.said) is not None and set(self._known(wish.said) or ()) == set(self.after)
        groups = self._groups(wish.said)
        if (field is None or field == "needs") and groups is not None and len(groups) < 2:
            return False  # what it says of these few, only their author knows
        if groups is not None and names_line(wish.name) and _may_be_line(wish.said):
            return False  # a line of tasks, or of such as run at once: only its author knows
        for before, group in zip(groups or [], (groups or [])[1:], strict=False):
            for task in group:
                self._add(task, before)
        return groups is not None

    def _needs(self, said: dict[str, Any]) -> bool:
        """Task by task what each comes after."""
        found = {_one(task, self.names): self._known(needs) for task, needs in said.items()}
        if None in found or None in found.values():
            return False
        for task, needs in found.items():
            self._add(task or "", needs or [])
        return True

    def _one_needs(self, said: Any) -> bool:
        """What one object of a list says: `{"task": "b", "dependsOn": ["a"]}`, `{"b": "a"}`. Which of `from` and `to`
        comes first only its author knows."""
        if not isinstance(said, dict) or not said:
            return False
        fields = {name: task_field(name) for name in said}
        named = [self._known(said[name]) for name, field in fields.items() if field in ("title", "key")]
        orders = [name for name, field in fields.items() if field in ("after", "before")]
        if not named or not orders:
            return self._needs(said)
        told = {name for name, field in fields.items() if field is None and not smells_of_order(name)}
        tasks = [task for names in named for task in names or []]
        rest = fields.keys() - told - set(orders)
        if len(set(tasks)) != 1 or None in named or any(fields[name] not in ("title", "key", "body") for name in rest):
            return False
        taken = [self._of_task(Wish(name, said[name]), tasks[0]) for name in orders]
        return all(taken) and not any(self._known(said[name]) for name in told)

    def _chains(self, said: Any) -> bool:
        """Several lines of tasks, each for itself; False if it is none, or one."""
        if not isinstance(said, list) or len(said) > GROUP_MAX:
            return False
        lines = [steps_in(one) if isinstance(one, str) else one for one in said]
        found = [self._known(line) if isinstance(line, list) else None for line in lines]
        apart = any(isinstance(one, list) for one in said) or any(len(line or []) > 1 for line in found)
        if None in found or not apart:
            return False
        for line in found:
            for before, task in pairwise(line or []):
                self._add(task, [before])
        return True

    def _groups(self, said: Any) -> list[list[str]] | None:
        """Tasks or groups of tasks, one behind the other: in a list, under numbered names, or in words."""
        if isinstance(said, dict):
            inner = [value for name, value in said.items() if split_field(name) in ("sequence", "tasks")]
            said = inner[0] if len(said) == 1 and inner else list(said.values())
        if isinstance(said, str):
            said = steps_in(said)
        if not isinstance(said, list) or not said or len(said) > GROUP_MAX:
            return None
        groups = [self._known(self._inner(part)) for part in said]
        return [group for group in groups if group] if all(group is not None for group in groups) else None

    def _inner(self, part: Any) -> Any:
        """A group may be an object that lists its tasks, or that names one; another object is no group."""
        if not isinstance(part, dict):
            return part
        listed = [value for name, value in part.items() if split_field(name) == "tasks"]
        named = [value for name, value in part.items() if task_field(name) in ("title", "key")]
        return (listed or named or [part])[0]

    def _known(self, said: Any) -> list[str] | None:
        """The tasks that are named; None if one of the names is no task's."""
        words = [said] if isinstance(said, str | int) and not isinstance(said, bool) else said
        if says_nothing(said):
            return []
        if not isinstance(words, list) or len(words) > GROUP_MAX:
            return None
        if not all(isinstance(word, str | int) and not isinstance(word, bool) for word in words):
            return None
        found = resolved([str(word) for word in words], self.names)
        return found if all(word in self.after for word in found) else None

    def _earlier(self, said: Any) -> list[str] | None:
        """Names of which some may be those of tasks that are there already, `builder-1` or `#2`: the rules know."""
        words = [said] if isinstance(said, str) else said
        if not isinstance(words, list) or not 0 < len(words) <= GROUP_MAX:
            return None
        found = resolved(words, self.names) if all(isinstance(word, str) for word in words) else []
        told = [word in self.after or word.startswith("#") or numbered(word) is not None for word in found]
        return found if found and all(told) else None

    def _add(self, task: str, needs: list[str]) -> None:
        self.after[task] = list(dict.fromkeys([*self.after[task], *(need for need in needs if need != task)]))

    def ordered(self) -> list[Task]:
        for name, ranks in self.ranks.items():
            self._rank(name, ranks)
        if self.alone:
            self._one_by_one()
        return [replace(task, after=self.after[name_of(task)]) for task in self.tasks]

    def _rank(self, name: str, ranks: dict[str, int]) -> None:
        """Each comes after those of the next lower number; a task without one stands nowhere in such an order."""
        without = [task for task in self.after if task not in ranks]
        if without:
            with_one, words = next(iter(ranks.items())), ", ".join(without[:20])
            self.faults.append(f"{with_one[0]}: `{name}` is {with_one[1]}, but {words} has none: give each task one")
        for task, rank in ranks.items():
            below = [other for other in ranks.values() if other < rank]
            self._add(task, [other for other, place in ranks.items() if below and place == max(below)])

    def _one_by_one(self) -> None:
        """Whoever is alone comes after all that stand before it, and all behind it come after it; in an order that is
        said already, it stands where that puts it."""
        line = in_line(self.after)
        if line is None:
            return  # a circle: a person is asked about it anyway
        wall: str | None = None
        since: list[str] = []
        for task in line:
            if wall is not None:
                self._add(task, [wall])
            if task in self.alone:
                self._add(task, since)
                wall, since = task, []
            else:
                since.append(task)


def _may_be_line(said: Any) -> bool:
    """One list of several tasks in another: a line, or a group."""
    return isinstance(said, list) and len(said) == 1 and isinstance(said[0], list) and len(said[0]) > 1


def in_line(after: dict[str, list[str]]) -> list[str] | None:
    """The tasks one behind the other so that each comes after what it needs, else as they were said; None: a circle."""
    left = {task: {need for need in needs if need in after} for task, needs in after.items()}
    line: list[str] = []
    while left:
        free = next((task for task, needs in left.items() if not needs), None)
        if free is None:
            return None
        del left[free]
        line.append(free)
        for needs in left.values():
            needs.discard(free)
    return line


def for_agents(flow: Flow, where: str, tasks: list[Task]) -> list[Task]:
    """The tasks with `after` in their own keys, each for the agent that its key names: `builder-2` and `builder` are
    the builder's.

    Whoever watches a later stage of the flow works on what the stages before it have made, so its tasks come after
    theirs, unless the split says the opposite.
    """
    if len(tasks) > TASKS_MAX:
        return tasks
    names = names_of(tasks)
    tasks = [replace(task, after=resolved(task.after, names), agent=_agent(flow, where, task)) for task in tasks]
    stages = {stage: place for place, stage in enumerate(flow.stages())}
    places = {name_of(task): _place(flow, stages, where, task) for task in tasks}
    if len(set(places.values())) < 2:
        return tasks
    after = {name_of(task): task.after for task in tasks}
    for task in after:
        earlier = [other for other, place in places.items() if place < places[task] and other not in after[task]]
        wider = {**after, task: [*after[task], *earlier]}
        after = wider if earlier and in_line(wider) is not None else after
    return [replace(task, after=after[name_of(task)]) for task in tasks]


def _agent(flow: Flow, where: str, task: Task) -> str | None:
    counted = numbered(task.agent) if task.agent and task.agent not in flow.agents else None
    if counted is not None and agent_named(flow, counted) in flow.agents:
        return agent_named(flow, counted)
    key = task.key or ""
    named = numbered(key) or key if task.agent is None else None
    agent = agent_named(flow, named) if named else None
    if agent is None or agent not in flow.agents or flow.agents[agent].expert or agent in flow.columns[where].agents:
        return task.agent
    return agent


def _place(flow: Flow, stages: dict[str, int], where: str, task: Task) -> int:
    here = stages.get(where, 0)
    watched = [stages[column] for column in flow.watched_by(task.agent or "") if column in stages]
    return max(here, min(watched)) if watched else here
