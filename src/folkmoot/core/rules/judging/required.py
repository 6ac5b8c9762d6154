"""Which gates must be green on what lands, and which of them are not (R-19, R-22): said here, and nowhere else."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from folkmoot.core.flow import END, Flow, Gate
from folkmoot.core.item import Item, Proof
from folkmoot.core.situation import Case
from folkmoot.core.work import Evidence

CHECK_CHARACTERS = 16


def required(flow: Flow, item: Item, for_target: bool) -> list[str]:
    """The gates of every stage from where the item began to the end, whether it was in each of them or not; and those
    that it has met elsewhere. Work for another item's branch needs only the latter: the others are that item's."""
    met = [proof.gate for proof in item.proofs]
    due = [gate for column in way(flow, item) for gate in flow.columns[column].gate] if for_target else []
    let_go = waived(item)
    return [gate for gate in dict.fromkeys([*due, *met]) if gate in flow.gates and gate not in let_go]


def waived(item: Item) -> list[str]:
    """The gates that a person let its work go without, as that is now: what was made since, nobody has spoken for."""
    return item.waived if item.waived_at == item.head else []


def way(flow: Flow, item: Item) -> list[str]:
    """Only a person lets an item begin elsewhere than at the start; what a run adds has all of the flow's gates."""
    ways = [item.entry if item.entry in flow.columns else None]
    if item.made_by in flow.columns:
        ways.append(item.made_by)
    return [column for column in dict.fromkeys(c for way in ways for c in flow.stages(way)) if column in flow.columns]


def check_of(flow: Flow, gate: Gate) -> str:
    """What a gate is, in a few letters: its command, its setup, and whether it has a network. One without a setup of
    its own has that of an agent: of which one, depends on where the item is, so all of them count."""
    setups = [gate.setup] if gate.setup else [agent.setup for agent in flow.agents.values() if agent.setup]
    shared = [flow.clone.setup, flow.clone.setup_from]
    made_by = [gate.run, setups, gate.network, *([shared] if any(shared) else [])]
    return sha256(msgspec.json.encode(made_by)).hexdigest()[:CHECK_CHARACTERS]


def is_of(flow: Flow, evidence: Evidence) -> bool:
    """Is it the check that the flow has now under this name? One that was changed is another check."""
    gate = flow.gates.get(evidence.gate)
    if gate is None or evidence.command != gate.run:
        return False
    return evidence.check in ("", check_of(flow, gate))


def proved(flow: Flow, item: Item) -> dict[str, list[str]]:
    """The trees on which gates were shown to be green, and which gates, by the command that each has now."""
    trees: dict[str, list[str]] = {}
    for proof in item.proofs:
        evidence = proof.evidence
        if proof.green and evidence is not None and evidence.tree and is_of(flow, evidence):
            trees.setdefault(evidence.tree, []).append(proof.gate)
    return trees


def last_words(flow: Flow, item: Item, head: str | None) -> dict[str, bool]:
    """Whether each gate was green the last time. What another command has shown is no green word; nor is what somebody
    said of other work than this head, where the gate has no command that could look again."""

    def holds(proof: Proof) -> bool:
        if proof.gate in flow.gates and not flow.gates[proof.gate].run:
            return proof.head == head
        return proof.evidence is None or is_of(flow, proof.evidence)

    return {proof.gate: proof.green and holds(proof) for proof in item.proofs}


def unsigned(flow: Flow, item: Item, for_target: bool) -> list[str]:
    """The gates without a command that nobody has said to be green for the work as it is now."""
    last = last_words(flow, item, item.head)
    return [g for g in required(flow, item, for_target) if not flow.gates[g].run and not last.get(g, False)]


def unproved(
    flow: Flow, item: Item, for_target: bool, tree: str | None = None, evidence: Iterable[Evidence] = ()
) -> list[str]:
    """Those of them that are not green on a tree. Where nobody can say which tree it is, its last word counts; so it
    does for a gate that only people can play, if it was about the work as it is now."""
    found = {one.gate: one.green and tree in (None, one.tree) and is_of(flow, one) for one in evidence}
    last = last_words(flow, item, item.head)
    shown = proved(flow, item).get(tree or "", [])

    def is_green(gate: str) -> bool:
        if not flow.gates[gate].run:
            return last.get(gate, False)  # whatever a landing says of it
        if tree is None:
            return found.get(gate, last.get(gate, False))
        return found.get(gate, gate in shown)

    return [gate for gate in required(flow, item, for_target) if not is_green(gate)]


def waive(case: Case, gates: list[str], why: str) -> None:
    """A person lets the item's work go as it is now, by their own hand, and the log says so. No run can."""
    if gates:
        head = case.item.head
        context = {"gates": gates, "by": case.actor.name, "why": why, "head": head}
        let_go = list(dict.fromkeys([*waived(case.item), *gates]))
        case.set("gates_waived", context, waived=let_go, waived_at=head)


def not_green(case: Case, gates: Iterable[str]) -> list[str]:
    """Those of some gates of the flow whose last word is not green."""
    last = last_words(case.flow, case.item, case.item.head)
    return [gate for gate in gates if gate in case.flow.gates and not last.get(gate, False)]


def begins_at(case: Case, column: str) -> dict[str, Any]:
    """What changes on an item that a person sends to a column off its way: from there on its way is another."""
    flow, item = case.flow, case.item
    place = flow.columns[column]
    if column == END or place.kind != "flow" or column in way(flow, item):
        return {}
    return {"entry": column}
