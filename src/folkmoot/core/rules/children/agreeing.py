"""Contracts between tasks are taken in; a change reopens what was built on them, but not for ever (R-24)."""

from typing import Any

from folkmoot.core.commands import ReopenChild
from folkmoot.core.enums import ENDED
from folkmoot.core.item import Item
from folkmoot.core.report import Report
from folkmoot.core.rules.children.contracts import agreed_here, meant
from folkmoot.core.rules.children.orders import AgreeContracts
from folkmoot.core.rules.movement import at_rest
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way

CONTRACT_CHANGES_MAX = 2  # after its first task is done; the next one asks


def agree_contracts(
    case: Case, contracts: dict[str, str], by: str, author: str | None = None, split: Report | None = None
) -> bool:
    """Take in what tasks rely on. A change reopens the done tasks that use it; the third one asks (R-24)."""
    item = case.item
    changed = {name: text for name, text in contracts.items() if item.contracts.get(name) != text}
    if not changed:
        return True
    used = {name: [t for t in case.situation.tasks if name in t.contracts and t.id != author] for name in changed}
    counts = dict(item.contract_changes)
    for name in changed:
        # One that was done and is open again was built on it all the same.
        if name in item.contracts and any(task.status == "done" or task.id in item.outputs for task in used[name]):
            counts[name] = counts.get(name, 0) + 1
    shared = {name: text for name, text in changed.items() if name in item.contracts}
    if shared and item.kind == "task" and item.parent:
        case.tell(item.parent, AgreeContracts(contracts=shared, by=by, task=item.id, known=True))
    case.set(
        "contract_changed",
        {"contracts": sorted(changed), "by": by},
        contracts={**item.contracts, **changed},
        contract_changes=counts,
        **waits_again(case, [task for tasks in used.values() for task in tasks if task.status == "done"]),
    )
    for task in {task.id: task for tasks in used.values() for task in tasks}.values():
        mine = {name: text for name, text in changed.items() if name in task.contracts}
        case.tell(task.id, ReopenChild(why=f"the contract {', '.join(sorted(mine))} was changed", contracts=mine))
    too_often = [name for name in changed if counts.get(name, 0) > CONTRACT_CHANGES_MAX]
    if too_often:
        names, times = ", ".join(too_often), counts[too_often[0]]
        words = f"The contract {names} was changed {times} times after work was built on it."
        way = Way("go on with the change", "split" if split else "again", says="yes")
        told = "\n".join(f"{name} now: {changed[name]}" for name in too_often)
        ask(case, "decision", words, way, context=told, split=split)
    return not too_often


def waits_again(case: Case, reopened: list[Item]) -> dict[str, Any]:
    """An item that waits for its tasks waits for those that are about to be open again, or it would go on too early."""
    item = case.item
    if item.join not in ("tasks", "mends") or not reopened:
        return {}
    again = {task.id: task.agent or "" for task in reopened}
    waits_for = list(dict.fromkeys([*item.waits_for, *again]))
    return at_rest(case, made={**item.made, **again}, waits_for=waits_for)


def contracts_agreed_elsewhere(case: Case, command: AgreeContracts) -> None:
    known, told = case.item.contracts, command.contracts.items()
    if case.item.status not in ENDED:
        agree_contracts(case, {n: t for n, t in told if n in known or not command.known}, command.by, command.task)


def contracts_agreed(case: Case, said: Report) -> bool:
    """What a run says about contracts holds for the item that was split; a split brings its own."""
    contracts = meant(case, said)
    if not contracts or said.outcome == "split":
        return True
    agent = case.run.agent if case.run else ""
    if case.item.kind == "task" and case.item.parent and not case.situation.tasks:
        case.set("item_edited", {"contracts": sorted(contracts)}, **agreed_here(case.item, contracts))
        case.tell(case.item.parent, AgreeContracts(contracts=contracts, by=agent, task=case.item.id))
        return True
    return agree_contracts(case, contracts, agent)
