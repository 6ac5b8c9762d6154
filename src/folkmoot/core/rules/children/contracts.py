"""For which words of a contract a task's work is: those that its run was told when it began (R-24)."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.report import Contract, Report, Task
from folkmoot.core.rules.movement import again
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import role
from folkmoot.core.vocabulary.words import plain


def meant(case: Case, said: Report) -> dict[str, str]:
    """What a report says about contracts. Words that its run was told it only repeats: they change nothing, and take
    back nothing that others have changed meanwhile. Nor does one that it only names."""
    if not (said.contracts or said.interfaces):
        return {}
    told, known = case.run.contracts if case.run else {}, case.item.contracts
    said_here = [one for one in said.contracts if one.text or not known.get(one.name)]
    said_here += _in_interfaces(case, said, {one.name for one in said_here})
    return {one.name: one.text for one in said_here if told.get(one.name) != one.text}


def _in_interfaces(case: Case, said: Report, named: set[str]) -> list[Contract]:
    """Whoever looks at the whole of a split defines its interfaces: `AuthResult {ok, userId: string}` says what the
    contract of that name is from now on. Of whoever works on a task they are what it made."""
    if not (said.interfaces and case.situation.tasks and looks_at_whole(case.flow, case.item.column)):
        return []
    found = []
    for words in said.interfaces:
        for name in case.item.contracts:
            rest = words.strip()[len(name) :]
            begins = words.strip().casefold().startswith(name.casefold()) and not rest[:1].isalnum()
            if name not in named and begins and (text := rest.strip().lstrip(":=-–— ").strip()):
                found.append(Contract(name=name, text=text))
    return found


def looks_at_whole(flow: Flow, column: str) -> bool:
    """Is it where somebody splits, or looks at parts that do not fit together?"""
    return column in (flow.discover, flow.arbiter)


def rewritten(item: Item, contracts: dict[str, str]) -> dict[str, str]:
    """What the contracts said for which the item's work was made, of those that say something else now."""
    if not item.token:
        return {}  # nobody has been told the old words
    before = {name: item.contracts[name] for name in contracts if name in item.contracts}
    now = {**item.contracts, **contracts}
    return {name: text for name, text in {**before, **item.rewritten}.items() if now.get(name) != text}


def agreed_here(item: Item, contracts: dict[str, str]) -> dict[str, Any]:
    """What changes on a task whose own run has said what a contract is to be: its work is for that."""
    left = {name: text for name, text in item.rewritten.items() if name not in contracts}
    return {"contracts": {**item.contracts, **contracts}, "rewritten": left}


def goes_again(case: Case, said: Report) -> bool:
    """`done` is for the contracts as the run was told them: where one was changed meanwhile, the task goes again, and
    the next run is told both."""
    item = case.item
    if item.kind != "task" or case.run is None:
        return False
    own = {one.name for one in said.contracts}
    before = {name: text for name, text in case.run.contracts.items() if name not in own}
    stale = {name: text for name, text in before.items() if item.contracts.get(name, text) != text}
    if not stale:
        if item.rewritten:
            case.set("item_edited", {"contracts": sorted(item.rewritten)}, rewritten={})
        return False
    _again(case, stale, "while it was worked on")
    return True


def changed_while_landing(case: Case) -> bool:
    """The same for what a run was done with in time: a contract was changed before its work had come to its parent."""
    if case.item.kind != "task" or not case.item.rewritten:
        return False
    _again(case, case.item.rewritten, "before its work had landed")
    return True


def _again(case: Case, before: dict[str, str], when: str) -> None:
    why = f"the contract {', '.join(sorted(before))} was changed {when}"
    again(case, "item_ready", {"why": why}, told=why, because=why, rewritten=before)


def contracts_of(item: Item, task: Task) -> dict[str, str]:
    """Those that it names, in whichever spelling, or all where it names none; what it says of its own comes to them."""
    named = [_contract(name, item.contracts) for name in with_shared(task, item.contracts).contracts]
    return {name: item.contracts.get(name, "") for name in named} or dict(item.contracts)


def with_shared(task: Task, shared: Iterable[str]) -> Task:
    """A task that names none of the shared contracts has selected none: what it says itself it has beside all."""
    known = dict.fromkeys(shared, "")
    if not task.contracts or any(_contract(name, known) in known for name in task.contracts):
        return task
    return replace(task, contracts=[*known, *task.contracts])


def _contract(name: str, known: dict[str, str]) -> str:
    """The contract that is meant: `AuthResult` is the `AuthResult type`, if no other has that word."""
    found = role(name, known)
    alike = [one for one in known if f" {plain(name)} " in f" {plain(one)} "] if found not in known else []
    return alike[0] if len(alike) == 1 else found
