"""What was split is split again while tasks of it are open: is a task of the new split instead of one of those, or
besides? Who says `replaces` or `cancel` means instead; where it looks like the same task, it is asked (R-24). A new
task may also come after one that is there already."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ENDED
from folkmoot.core.item import Item
from folkmoot.core.report import Report, Task
from folkmoot.core.rules.children.ordering import names_of
from folkmoot.core.rules.sharing.paths import bad_path, normal_path
from folkmoot.core.situation import Case, path
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.words import plain

REPLACES = ("replaces", "replace", "supersedes", "instead of", "replaces task", "replaces tasks")
CANCELS = (
    "cancel",
    "cancels",
    "cancelled",
    "drop",
    "drops",
    "remove",
    "removes",
    "obsolete",
    "cancel tasks",
    *REPLACES,
)
BESIDES = ("besides", "in addition", "additional", "beside")


def open_tasks(case: Case) -> list[Item]:
    return [task for task in case.situation.tasks if task.status not in ENDED]


def replaced(case: Case, said: Report) -> list[Item]:
    """The open tasks that the new split is instead of."""
    if not case.situation.tasks:
        return []
    found = {task.id: task for _, word in _named(said) if (task := task_named(open_tasks(case), word)) is not None}
    return list(found.values())


def cancels(said: Report) -> dict[str, Any]:
    """What a split says beside its tasks about tasks that are there already."""
    return {name: value for name, value in said.extra.items() if plain(str(name)) in CANCELS}


def fault_of_replaced(case: Case, said: Report) -> str | None:
    """A task that is named and is none, one that others come after, or one that is split off a second time."""
    known = open_tasks(case)
    if not known:
        return _fault_of_repeated(case, said, set())
    told = "; ".join(f"{task.id} ({task.title[:60]!r})" for task in known)
    for name, word in _named(said):
        if task_named(known, word) is None:
            return f"`{name}` says {word[:80]!r}, and no open task is called that: write the id of one of {told}"
    gone = {task.id for task in replaced(case, said)}
    for task in known:
        if task.id not in gone and (needs := gone & set(task.after)):
            return f"task {task.id} comes after {min(needs)}, which would be replaced: replace {task.id} as well"
    for number, new in enumerate(said.tasks, start=1):
        over = next((one for one in gone if f"#{one}" in new.after), None)
        if over is not None:
            return (
                f"task {number} ({new.title.strip()[:60]!r}) comes after #{over}, which would be replaced: which holds?"
            )
    return _fault_of_repeated(case, said, gone)


def _fault_of_repeated(case: Case, said: Report, gone: set[str]) -> str | None:
    """A task that looks like one of the same whole would do the same work twice."""
    own = {task.id for task in case.situation.tasks}
    there = [task for task in (*case.situation.tasks, *case.situation.siblings) if task.status != "cancelled"]
    for number, new in enumerate(said.tasks, start=1):
        same = next((task for task in there if task.id not in gone and _is_same(task, new, task.id in own)), None)
        if same is None or _besides(new):
            continue
        looks = f"task {number} ({new.title.strip()[:60]!r}) looks like item {same.id} ({same.title[:60]!r}), which is "
        if same.status in ENDED:
            return f'{looks}done: leave it out; if it is to be done besides that, give it "besides": true'
        if same.id not in own:
            return f'{looks}still open: leave it out, and that goes on; if it is besides, give it "besides": true'
        return (
            f'{looks}still open: is it instead of it, or besides? Instead: give it "replaces": "{same.id}". Besides: '
            f'"besides": true. To let item {same.id} go on leave this one out: what is agreed anew it is told'
        )
    return None


def _named(said: Report) -> Iterator[tuple[str, str]]:
    """Every open task that is said to be over, and the name under which it stands."""
    for task in said.tasks:
        for name, value in task.more.items():
            if plain(str(name)) in REPLACES:
                yield from ((name, word) for word in _words(value))
    for name, value in cancels(said).items():
        yield from ((name, word) for word in _words(value))


def _words(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    words = [str(part).strip() for part in parts if isinstance(part, str | int) and not isinstance(part, bool)]
    return [word for word in words if not says_nothing(word)]


def task_named(known: list[Item], word: str) -> Item | None:
    """By its id, as `2`, `#2` or `task 2`, by its title, or by the key of the split that made it, if only one has it.
    A key that is a number is none: it is taken for an id."""
    bare = plain(word).removeprefix("item ").removeprefix("task ")
    found = next((task for task in known if bare in (task.id, plain(task.title))), None)
    called = [task for task in known if task.called and plain(task.called) == bare and not bare.isdigit()]
    return found or (called[0] if len(called) == 1 else None)


def after_earlier(case: Case, tasks: list[Task]) -> list[Task]:
    """The tasks, with `#2` wherever one comes after item 2, which is there already: a task of the same whole. A bare
    number is no such name: it may be the place of a task in the new split."""
    names = names_of(tasks)
    known = [task for task in (*case.situation.tasks, *case.situation.siblings) if task.status != "cancelled"]
    if not known:
        return tasks

    def named(word: str) -> str:
        found = None if word in names or word.strip().isdigit() else task_named(known, word)
        return word if found is None else f"#{found.id}"

    return [replace(task, after=[named(word) for word in task.after]) for task in tasks]


def fault_of_after(case: Case, name: str, task: Task, names: dict[str, str]) -> str | None:
    """It comes after what nobody knows, after what ends now, or after what waits for the item that is split."""
    known = {f"#{one.id}": one for one in (*case.situation.tasks, *case.situation.siblings)}
    for word in task.after:
        if word in names:
            continue
        if word not in known:
            keys = ", ".join(repr(key) for key in dict.fromkeys(names.values()))
            there = ", ".join(f"{key} ({one.title[:60]!r})" for key, one in known.items() if one.status not in ENDED)
            more = f"; of those that are there already: {there}" if there else ""
            return (
                f"{name} comes after {word!r}, but no task of this split has that key or title: they are {keys}{more}"
            )
        circle = path(case.situation.neighbours, [known[word].id], case.item.id)
        if circle:
            ways = " → ".join([case.item.id, *circle])
            return f"{name} comes after {word}, and that waits for this item: {ways}; leave it out, or report asks"
    return None


def _is_same(task: Item, new: Task, own: bool) -> bool:
    """The same title, or the very same files; both, if it is done, or another agent's to look after."""
    files = {normal_path(path) for path in new.files if not bad_path(path)}
    named, written = plain(new.title) == plain(task.title), files == set(task.files)
    if own and task.status not in ENDED:
        return named or (bool(files) and written)
    return named and (written or not files)


def _besides(task: Task) -> bool:
    return any(plain(str(name)) in BESIDES and value not in (False, "") for name, value in task.more.items())
