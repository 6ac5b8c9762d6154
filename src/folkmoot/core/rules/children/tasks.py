"""Work that is too large is split into tasks; what was split wrongly is split again, but not for ever (R-24)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import CancelItem, MakeItem
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import END
from folkmoot.core.input_limits import path_fault
from folkmoot.core.report import Report, Task
from folkmoot.core.rules.asking.telling import facts, said_told, tasks_told
from folkmoot.core.rules.children.agreeing import agree_contracts
from folkmoot.core.rules.children.contracts import contracts_of, meant
from folkmoot.core.rules.children.counting import count_made, excess
from folkmoot.core.rules.children.looking import cancelled_by
from folkmoot.core.rules.children.ordering import TASKS_MAX, for_agents, names_of
from folkmoot.core.rules.children.orders import EndReview, ReviewConflict
from folkmoot.core.rules.children.replacing import (
    after_earlier,
    cancels,
    fault_of_after,
    fault_of_replaced,
    open_tasks,
    replaced,
)
from folkmoot.core.rules.children.saying import body_of, fault_of_beside, fault_of_number
from folkmoot.core.rules.movement import again, at_rest, enter, history, stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.sharing.paths import bad_path, normal_path
from folkmoot.core.rules.sharing.widening import beyond, handed_on
from folkmoot.core.situation import MADE, Case
from folkmoot.core.vocabulary.ways import AGAIN, Way

DISCOVERIES_MAX = 3  # times one item is sent to be split, since guidance
TITLE_MAX = 500


def fault_of_split(case: Case, said: Report) -> str | None:
    """What is wrong with a `split`, or None. A circle is no fault of form: a person is asked about it (R-32)."""
    if case.item.kind in ONE_SHOT_KINDS:
        return f"this item is of kind {case.item.kind}: it cannot be split"
    if not said.tasks:
        return "a split needs tasks: tasks: [{key, title, files, after, contracts}]"
    if len(said.tasks) > TASKS_MAX:
        return f"{len(said.tasks)} tasks at once are too many: at most {TASKS_MAX}; split into larger ones first"
    names = names_of(said.tasks)
    keys = [task.key or task.title for task in said.tasks]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        both = " and ".join(repr(task.title) for task in said.tasks if (task.key or task.title) == twice)
        return f"the tasks {both} have the same key {twice!r}: give each a `key` of its own"
    faults = (_fault_of_task(case, number, task, names) for number, task in enumerate(said.tasks, start=1))
    fault = next((fault for fault in faults if fault), None) or fault_of_beside(case.flow, said)
    return fault or fault_of_replaced(case, said) or (fault_of_number(said) if not case.situation.children else None)


def _fault_of_task(case: Case, number: int, task: Task, names: dict[str, str]) -> str | None:
    """Which task it is, what holds, and what to do."""
    flow = case.flow
    name = f"task {number}" if not task.title.strip() else f"task {number} ({task.title.strip()[:60]!r})"
    if not task.title.strip():
        return f"{name} has no title: say in `title` what can be seen when it is done"
    if len(task.title) > TITLE_MAX:
        return (
            f"{name} has a title of {len(task.title)} characters: at most {TITLE_MAX}; the rest belongs into its `body`"
        )
    if fault := fault_of_after(case, name, task, names):
        return fault
    if task.agent and (task.agent not in flow.agents or flow.agents[task.agent].expert):
        who = "who only advises" if task.agent in flow.agents else "whom the flow does not know"
        able = ", ".join(agent for agent in flow.agents if not flow.agents[agent].expert)
        return f"{name} is for {task.agent!r}, {who}: leave `agent` out, or name one of {able}"
    bad = next((path for path in task.files if bad_path(path) or path_fault(path)), None)
    if bad is not None:
        why = bad_path(bad) or path_fault(bad)
        return f"{name} names the file {bad!r}: {why}; write it like src/auth/reset.ts, or src/auth/ for a folder"
    far = beyond(flow, case.item.files, task.files)
    if far:
        mine = ", ".join(case.item.files)
        return f"{name} names {far[0]}, which this item was not given (its files: {mine}): ask for it first (widen)"
    return None


def split(case: Case, said: Report) -> None:
    """The item waits for its tasks where they are worked on; when all have ended it goes on from there as if done."""
    item, limits = case.item, case.flow.limits
    circle = _circle(said.tasks)
    proposed = facts(said_told(said, summary=True), tasks_told(said.tasks))
    if circle:
        words = f"The tasks would wait for each other: {' → '.join(circle)}. How should it be split?"
        ask(case, "decision", words, Way("split it again", "again"), context=proposed)
        return
    why = None
    if item.span.splits >= limits.splits:
        why = f"The work would be split again, but it was split {item.span.splits} times already. Should it?"
    elif item.depth >= limits.splits:
        why = f"The work would be split again, but {item.depth} splits lie above already. Should it?"
    elif too_many := excess(case, item, len(said.tasks), item.generation + 1):
        why = f"The work would be split into {len(said.tasks)} tasks, but {too_many}. Should it?"
    elif item.span.whole:
        why = "The work would be split, but a person said to do it in one piece. Should it?"
    if why is None:
        carry_out(case, said)
        return
    ways = Way("split it", "split", says="yes"), Way("do it in one piece", "whole", says="no")
    ask(case, "budget", why, *ways, context=proposed, split=_proposal(said))


def _proposal(said: Report) -> Report:
    """As much of a split as is needed to carry it out later, when a person has said yes."""
    parts = {name: getattr(said, name) for name in ("tasks", "contracts", "integration_points")}
    return Report(outcome="split", **parts, extra=cancels(said))


def planned(case: Case, said: Report) -> Report:
    """The report with its tasks as they are meant in this flow: for whom each is, and after which others."""
    if said.outcome != "split" or not said.tasks:
        return said
    return replace(said, tasks=after_earlier(case, for_agents(case.flow, _column_of_tasks(case), said.tasks)))


def _column_of_tasks(case: Case) -> str:
    """Where the tasks of a split of this item are worked on."""
    stage = stage_of(case)
    place = case.flow.columns[stage]
    return place.next if stage == case.flow.discover and place.next and place.next != END else stage


def carry_out(case: Case, said: Report, *, allowed: bool = False) -> None:
    """Make the tasks. What a person has allowed is not held against the limits that made the rules ask."""
    item = case.item
    where = _column_of_tasks(case)
    if not agree_contracts(case, meant(case, said), "the split", split=_proposal(said)):
        return
    ids = {task.key or task.title: case.new_item_id() for task in said.tasks}
    ids |= {name: ids[key] for name, key in names_of(said.tasks).items()}
    children = {ids[task.key or task.title]: task.agent or "" for task in said.tasks}
    for task in said.tasks:
        case.make(_task(case, task, ids, where, said))
    if not allowed:
        case.emit("items_counted", meters=count_made(case, item, len(said.tasks), item.generation + 1))
    gone = replaced(case, said)
    for old in gone:
        case.tell(old.id, CancelItem(why=f"the new split of item {item.id} replaces it"))
    unfinished = {old.id: old.agent or "" for old in open_tasks(case) if old not in gone}
    _wait_for_tasks(case, where, {**unfinished, **children}, list(children), said)


def _wait_for_tasks(case: Case, where: str, children: dict[str, str], new: list[str], said: Report) -> None:
    item = case.item
    is_forward = where != item.column and case.flow.columns[stage_of(case)].next == where
    forward: dict[str, Any] = {"failures": {}, "forwards": item.forwards + 1} if is_forward else {}
    for task in case.situation.tasks:
        if item.id in task.waits_for and task.id in children:
            case.tell(task.id, EndReview(why=f"item {item.id} was split again"))
    enter(
        case,
        where,
        f"it was split into {len(new)} {'task' if len(new) == 1 else 'tasks'}",
        event="work_split",
        context={"children": new, **({"phase": item.column} if is_forward else {})},
        origins=[] if case.flow.columns[where].kind == "flow" else item.origins,
        join="tasks",
        made=children,
        waits_for=[*(need for need in item.waits_for if need not in item.made), *children],
        splits=item.splits + 1,
        span=replace(item.span, splits=item.span.splits + 1),
        made_by=where,
        integration_points={**item.integration_points, **said.integration_points},
        **forward,
    )


def _task(case: Case, task: Task, ids: dict[str, str], where: str, said: Report) -> MakeItem:
    item = case.item
    words = [f"{name}: {text}" for name, text in said.integration_points.items()]
    files, widened = handed_on(item, list(dict.fromkeys(normal_path(path) for path in task.files)))
    return MakeItem(
        id=ids[task.key or task.title],
        title=task.title.strip(),
        body=body_of(task),
        called=task.key,
        kind="task",
        column=where,
        agent=task.agent,
        parent=item.id,
        type=item.type,
        priority=item.priority,
        tags=item.tags,
        needs=item.needs,
        files=files,
        widened=widened,
        after=list(dict.fromkeys(ids.get(name, name.removeprefix("#")) for name in task.after)),
        generation=item.generation + 1,
        depth=item.depth + 1,
        contracts=contracts_of(item, task),
        integration_points=said.integration_points if words else item.integration_points,
        spec=task.spec or item.spec,
        constraints=task.constraints,
        because=f"item {item.id} was split",
    )


def _circle(tasks: list[Task]) -> list[str]:
    """The keys of tasks that would wait for each other, or nothing; without recursion, since a split may be long."""
    keys = names_of(tasks)
    left = {task.key or task.title: {keys[name] for name in task.after if name in keys} for task in tasks}
    free = [key for key, needs in left.items() if not needs]
    dependents: dict[str, list[str]] = {}
    for key, needs in left.items():
        for need in needs:
            dependents.setdefault(need, []).append(key)
    while free:
        done = free.pop()
        del left[done]
        for key in dependents.get(done, []):
            left[key].discard(done)
            if not left[key]:
                free.append(key)
    if not left:
        return []
    way, here = [], next(iter(left))
    while here not in way:
        way.append(here)
        here = next(iter(left[here]))
    return [*way[way.index(here) :], here]


def is_bound_for_discovery(case: Case) -> bool:
    """A task that its agents cannot do is split again, before anybody else is asked."""
    return case.item.kind == "task" and case.flow.discover is not None and case.item.column != case.flow.discover


def may_be_split(case: Case) -> bool:
    """Is there somebody who could split what nobody can do as it is, and who has not been asked too often (Q-08)?"""
    discover, item = case.flow.discover, case.item
    is_elsewhere = discover is not None and stage_of(case) != discover
    return is_elsewhere and item.kind not in ONE_SHOT_KINDS and item.span.discoveries < DISCOVERIES_MAX


def to_discovery(case: Case, because: str, told: str = "") -> None:
    """Too large, or not to be done like this: whoever splits looks at it again, with the failure in hand (Q-08)."""
    discover, item = case.flow.discover, case.item
    if discover is None or item.kind in ONE_SHOT_KINDS:
        words = f"Too large for one effort: {because}"
        ask(case, "decision", words, Way("try again as it is", "again"), context=told)
    elif item.span.discoveries >= DISCOVERIES_MAX:
        words = f"It was sent to be split {item.span.discoveries} times since a person last looked: {because}"
        ways = Way(f"split it once more in {discover}", "move", discover), Way("try again as it is", "again")
        ask(case, "decision", words, *(ways if stage_of(case) != discover else ways[1:]), context=told)
    else:
        span = replace(item.span, discoveries=item.span.discoveries + 1)
        if stage_of(case) == discover:
            # Whoever splits was itself at its end: a fresh one goes on from what it has left.
            again(case, "escalation_triggered", {"to": discover, "why": because}, span=span, because=because)
            return
        enter(case, discover, because, event="escalation_triggered", origins=[], span=span)


def fault_of_discovery(case: Case, said: Report) -> str | None:
    """What was sent to be split is split or asked about; it is not simply done."""
    if not case.item.span.discoveries or case.item.column != case.flow.discover:
        return None
    if any(task.status not in ENDED for task in case.situation.tasks):
        return None  # the whole was looked at, and its tasks can go on
    known = case.item.contracts
    changed = {name for name, text in meant(case, said).items() if known.get(name) != text}
    if any(changed & task.contracts.keys() for task in case.situation.tasks):
        return None  # the tasks that rely on it are opened again
    return "this was sent here to be split: report split with tasks, or asks"


def conflicted(case: Case, because: str, what: str = "Again and again the work could not be taken") -> None:
    """Work that again and again does not fit with what others made: somebody looks at the whole."""
    item, arbiter = case.item, case.flow.arbiter
    if item.kind == "task" and item.parent and arbiter:
        waits = at_rest(case, waits_for=[item.parent], because=f"it does not fit, and item {item.parent} is looked at")
        case.emit("escalation_triggered", {"to": arbiter, "why": because}, item=waits)
        case.tell(item.parent, ReviewConflict(child=item.id, why=because))
    elif (
        arbiter
        and stage_of(case) != arbiter
        and item.span.discoveries < DISCOVERIES_MAX
        and item.kind not in ONE_SHOT_KINDS
    ):
        span = replace(item.span, discoveries=item.span.discoveries + 1)
        enter(case, arbiter, because, event="escalation_triggered", origins=[], span=span)
    else:
        why = because.removeprefix("the change was not taken: ")
        ask(case, "conflict", f"{what}: {why}", AGAIN, context=history(case))


def review_conflict(case: Case, command: ReviewConflict) -> None:
    """A task of this item conflicts with another: the whole is looked at again, while other tasks run on."""
    item, arbiter = case.item, case.flow.arbiter
    why = f"task {command.child} does not fit: {command.why}"
    looks = item.status == "running" and item.column == arbiter and command.child not in item.waits_for
    if looks:
        return  # the whole is being looked at already: the task goes on when that is over
    if item.status in ENDED or item.status == "running":
        case.tell(command.child, EndReview(why=f"item {item.id} is {item.status}"))
        return
    tasks = {*item.made, *(task.id for task in case.situation.tasks if task.kind == "task")}
    others = [need for need in item.waits_for if need not in tasks]
    alone: dict[str, Any] = {"join": None, "made": {}, "waits_for": others, "told": why}
    if tasks & set(item.after):  # it waits for its tasks anyway, once it is back; meanwhile they wait for it
        alone["after"] = [need for need in item.after if need not in tasks]
    if arbiter is None or item.span.discoveries >= DISCOVERIES_MAX:
        case.emit("item_rests", {"why": why}, item=at_rest(case, **alone))
        known = [f"  item {task.id} {task.title} ({task.status})" for task in case.situation.tasks]
        told = "\n".join(["the tasks:", *known]) if known else ""
        ask(case, "conflict", f"{why}. What should be done?", Way("let the tasks go on", "again"), context=told)
        return
    span = replace(item.span, discoveries=item.span.discoveries + 1)
    enter(case, arbiter, why, event="escalation_triggered", origins=[], span=span, **alone)


def rejoin(case: Case) -> bool:
    """A split item that is where its tasks are waits for those that are not over; what waited for it goes on."""
    item = case.item
    if item.join or not case.situation.tasks or any(to == MADE for to, _ in case.told):
        return False
    said = case.run.report if case.run and case.run.report and case.run.item == item.id else None
    gone = cancelled_by(case, said) if said is not None else []
    for task in gone:
        case.tell(task.id, CancelItem(why=f"whoever looked at item {item.id} has cancelled it"))
    left = [task for task in open_tasks(case) if task.home == item.column and task not in gone]
    if not left:
        return False
    made = {task.id: task.agent or "" for task in left}
    fields = at_rest(case, join="tasks", made=made, waits_for=list(dict.fromkeys([*item.waits_for, *made])))
    case.emit("item_rests", {"waits_for": fields["waits_for"]}, item=fields)
    words = f": {said.summary}" if said is not None and said.summary else ""
    for task in left:
        if item.id in task.waits_for:
            case.tell(task.id, EndReview(why=f"item {item.id} was looked at{words}"))
    return True


def go_on_after_review(case: Case, command: EndReview) -> None:
    item = case.item
    if item.status in ENDED or item.parent not in item.waits_for:
        return
    waits_for = [need for need in item.waits_for if need != item.parent]
    effort = replace(item.effort, conflicts=0)
    case.emit(
        "item_ready", {"why": command.why}, item=at_rest(case, waits_for=waits_for, effort=effort, told=command.why)
    )
