"""A task's `done` is provisional until its quest lands: what is said about its work later opens it again (R-24)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import ReopenChild
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.item import Item
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.children.agreeing import waits_again
from folkmoot.core.rules.children.contracts import meant, rewritten
from folkmoot.core.rules.movement import at_rest, enter, stage_of
from folkmoot.core.rules.sharing.findings import still_open
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap
from folkmoot.core.situation import Case

SERIOUS = ("critical", "high")  # what is less beside `done` is a remark: it is kept and told, and opens nothing


def reopen_child(case: Case, command: ReopenChild) -> None:
    """A done task goes on where it was; an unfinished one is only told. Of one that was split itself those tasks go on
    which it is about."""
    item = case.item
    if item.status in ENDED and item.status != "done":
        if command.contracts:  # whoever takes it up again works to what holds then
            case.set("item_edited", {"why": command.why}, contracts={**item.contracts, **command.contracts})
        return
    findings = [*item.findings, *(f for f in command.findings if f not in item.findings)]
    changed: dict[str, Any] = {
        "contracts": {**item.contracts, **command.contracts},
        "findings": findings,
        "told": command.why,
        "rewritten": rewritten(item, command.contracts),
    }
    open_again, is_all = _reopen_below(case, command)
    if item.status == "done":
        # What it comes after may have been opened again while it was done.
        known = case.situation.neighbours
        waits_for = [need for need in item.after if need in known and known[need].status not in ENDED]
        changed |= {"result": None, "join": None, "waits_for": waits_for, "because": command.why}
        if item.column != _home(case, item):  # a person had moved it to its end
            changed |= {"column": _home(case, item), "origins": []}
        if open_again:
            made = {task.id: task.agent or "" for task in open_again}
            changed |= {"join": "tasks" if is_all else "mends", "made": made, "waits_for": [*waits_for, *made]}
        case.emit("item_reopened", {"why": command.why}, item=at_rest(case, **changed))
    elif item.status == "proving":
        # Its work is about to go to its parent, and is not what is wanted any more.
        case.emit("item_edited", {"why": command.why}, item=at_rest(case, **changed, proving=None, because=command.why))
    else:
        case.set("item_edited", {"why": command.why}, **changed, **waits_again(case, open_again))


def _home(case: Case, task: Item) -> str:
    """Where a task is worked on."""
    return task.home if task.home in case.flow.columns else task.column


def _reopen_below(case: Case, command: ReopenChild) -> tuple[list[Item], bool]:
    """Tells the tasks of a task what concerns them. Those of them that were done; and does that leave nothing over?"""
    owners = tasks_to_mend(case, command.findings)
    open_again = []
    for task in case.situation.tasks:
        contracts = {name: text for name, text in command.contracts.items() if name in task.contracts}
        findings = owners.get(task.id, [])
        if contracts or findings:
            case.tell(task.id, ReopenChild(why=command.why, findings=findings, contracts=contracts))
            open_again += [task] if task.status == "done" else []
    return open_again, sum(len(found) for found in owners.values()) == len(command.findings)


def _is_looked_at(case: Case) -> bool:
    """Is the item one that was split, in a stage that comes after its tasks?"""
    tasks = case.situation.tasks
    if not tasks:
        return False
    stage = stage_of(case)
    on_flow = case.flow.columns[stage].kind == "flow" and stage not in (case.flow.discover, case.flow.arbiter)
    return on_flow and case.item.kind not in ONE_SHOT_KINDS and all(task.home != stage for task in tasks)


def are_taken_back(case: Case, said: Report) -> bool:
    """Are there findings beside `done` with which the work of tasks cannot stay done?"""
    return _is_looked_at(case) and any(finding.severity in SERIOUS for finding in still_open(said.findings))


def rebuilds_tasks(case: Case, said: Report) -> bool:
    """Who looks at the whole has changed a contract beside `done`: what is built anew on it comes back to them, under
    the gate of its own stage, and goes past neither."""
    if not _is_looked_at(case):
        return False
    before = case.situation.item.contracts if case.situation.item else {}
    changed = {name for name, text in meant(case, said).items() if before.get(name) != text}
    again = [task for task in case.situation.tasks if task.status == "done" and changed & task.contracts.keys()]
    if not again:
        return False
    made = {task.id: task.agent or "" for task in again}
    waits_for = list(dict.fromkeys([*case.item.waits_for, *made]))
    because = f"{stage_of(case)} changed the contract {', '.join(sorted(changed))}"
    returns: dict[str, Any] = {"origins": [], "returns_to": stage_of(case)}
    enter(case, _home(case, again[0]), because, join="tasks", made=made, waits_for=waits_for, **returns)
    return True


def disputes_task(case: Case, comments: list[str]) -> bool:
    """A dispute about the work of tasks opens those again, with each concern as a finding; the item returns to whoever
    disputes, after what no task owns is worked on as a whole. How often that may be is the limit of disputes: then it
    goes the way of any other."""
    item, said = case.item, [case.comments[comment] for comment in comments]
    if not said or any(one.parent or one.artifact in item.artifacts for one in said) or not _is_looked_at(case):
        return False
    findings = [
        Finding(severity="high", issue=one.content, file=one.artifact, found_by=[one.author], category="dispute")
        for one in said
    ]
    owners = tasks_to_mend(case, findings)
    if not owners or item.span.disputes >= case.flow.limits.disputes:
        return False
    span = replace(item.span, disputes=item.span.disputes + 1)
    for one, finding in zip(said, findings, strict=True):
        task = next((task for task, found in owners.items() if finding in found), None)
        context = {"thread": one.id, "by": one.author, **({"task": task} if task else {})}
        case.set("dispute_opened", context, span=span, findings=[*case.item.findings, finding])
    why = "; ".join(f"{one.author} disputes {one.artifact or 'the work'} ({one.id}): {one.content}" for one in said)
    mend_tasks(case, owners, why, stage_of(case), len(findings))
    return True


def tasks_to_mend(case: Case, findings: list[Finding]) -> dict[str, list[Finding]]:
    """Which done tasks the findings are about, by the files they own."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        owner = _owner(case.situation.tasks, finding)
        if owner is not None:
            found.setdefault(owner.id, []).append(finding)
    return found


def _owner(tasks: list[Item], finding: Finding) -> Item | None:
    """Whose file it is; of a task that declared none, whose file it said it had changed."""
    if not finding.file or bad_path(finding.file):
        return None
    place = [normal_path(finding.file)]
    done = [task for task in tasks if task.status == "done"]
    owner = next((task for task in done if overlap(task.files, place)), None)
    return owner or next((task for task in done if not task.files and overlap(_touched(task), place)), None)


def _touched(task: Item) -> list[str]:
    said = task.result.files if task.result is not None else []
    return [normal_path(path) for path in said if not bad_path(path)]


def mend_tasks(case: Case, owners: dict[str, list[Finding]], because: str, returns_to: str, count: int) -> None:
    """Findings about a task's work reopen that task; the item waits for it and returns to whoever asked. Where there
    are more (`count`) than the tasks own, it is worked on as a whole before that."""
    where = next(_home(case, task) for task in case.situation.tasks if task.id in owners)
    enter(case, where, because, origins=[], **_mending(case, owners, because, returns_to, count))


def _mending(case: Case, owners: dict[str, list[Finding]], because: str, returns_to: str, count: int) -> dict[str, Any]:
    tasks = {task.id: task for task in case.situation.tasks}
    for task_id, findings in owners.items():
        case.tell(task_id, ReopenChild(why=because, findings=findings))
    made = {task_id: tasks[task_id].agent or "" for task_id in owners}
    is_all = sum(len(findings) for findings in owners.values()) == count
    return {
        "returns_to": returns_to,
        "join": "tasks" if is_all else "mends",
        "made": made,
        "waits_for": list(dict.fromkeys([*case.item.waits_for, *made])),
    }


def sent_to_fix(case: Case, target: str | None, because: str) -> tuple[str | None, dict[str, Any]]:
    """Where an item goes that a person sends to be fixed, and what changes on it: it returns to whoever found it, and
    the tasks that the findings are about are opened again."""
    stage, item = stage_of(case), case.item
    owners = tasks_to_mend(case, still_open(item.findings)) if _is_looked_at(case) else {}
    homes = {_home(case, task) for task in case.situation.tasks if task.id in owners}
    if not owners or target not in {case.flow.columns[stage].fix, *homes}:
        return target, {"returns_to": stage}  # nobody's work but the whole, or a person has named another column
    home = target if target in homes else min(homes)
    return home, _mending(case, owners, because, stage, len(item.findings))
