"""Somebody who plays agents by messages alone, as the handoff and pipeline documents print them: honest, and sloppy.

Roles are spelled in other ways, items and senders are left out, a message is taken up by whom it is for or by whoever
is there.
"""

from collections.abc import Callable
from typing import Any

from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command, SendMessage
from folkmoot.core.records import Message
from folkmoot.core.rules.messages.kinds import is_open
from folkmoot.sim.orders import Order
from folkmoot.sim.world import Script, World

SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.title,
    lambda name: name.replace("-", " "),
    lambda name: name.replace("s-", "'s-", 1),
)
PAYLOADS: tuple[dict[str, Any], ...] = (
    {},
    {"description": "Fix test failures from round 1:\n\nTestFeatureAPI: expected 200, got 500", "round": 1},
    {"question": "Should the feature support pagination?", "options": ["yes", "no"]},
    {"reason": "spec_ambiguity", "details": "Cannot determine auth method", "blocking": True},
    {"findings": [{"severity": "high", "file": "handlers/feature.go", "line": 42, "issue": "Missing error handling"}]},
)


def courier(world: World) -> Script:
    chance = world.chance
    while True:
        yield chance.expovariate(1 / 12)
        known = [one for one in world.witness.audit.tables.get("messages", {}).values() if isinstance(one, Message)]
        waiting = [message for message in known if is_open(message)]
        if waiting and chance.random() < 0.5:
            message = chance.choice(waiting)
            name = message.to if chance.random() < 0.8 else "cora"
            world.say(Order(Actor(chance.choice(SPELLINGS)(name)), _taken_up(world, message)))
        elif world.flow.messages:  # a reform may have taken them away
            world.say(Order(Actor("cora"), _sent(world)))


def _taken_up(world: World, message: Message) -> Command:
    roll = world.chance.random()
    if roll < 0.4:
        return commands.AcceptMessage(message=message.id)
    if roll < 0.8:
        return commands.CompleteMessage(message=message.id)
    return commands.RejectMessage(message=message.id, why="it names no limits")


def _sent(world: World) -> SendMessage:
    """Mostly what the flow allows; about an item, or about whichever the rules take it to be."""
    chance, flow = world.chance, world.flow
    kind = chance.choice(sorted(flow.messages))
    rule = flow.messages[kind]
    sender, to = (
        chance.choice(sorted({*flow.agents} if "any" in names else {*names} or {"nobody"}))
        for names in (rule.senders, rule.receivers)
    )
    unfinished = sorted(world.witness.unfinished)
    about = {"item": chance.choice(unfinished)} if unfinished and chance.random() < 0.5 else {}
    return SendMessage(
        sender=chance.choice(SPELLINGS)(sender),
        to=chance.choice(SPELLINGS)(to),
        type=kind,
        payload=dict(chance.choice(PAYLOADS)),
        context={**about, **({"workflow": chance.choice(("feature", "hotfix"))} if chance.random() < 0.2 else {})},
    )
