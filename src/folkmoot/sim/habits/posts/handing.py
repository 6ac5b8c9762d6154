"""Honest agents that hand on more than their report says: a handoff with its spec, workflow and priority, a completion
that says otherwise than the report behind it, a number of issues, a lock that is taken again for a shorter time.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random
from collections.abc import Iterator

from folkmoot.core.commands import Command, LockPaths, SendMessage
from folkmoot.core.enums import PRIORITIES, TYPES
from folkmoot.core.records import ORCHESTRATOR
from folkmoot.core.rules.messages.kinds import may_send
from folkmoot.sim.speech import Scene

OFTEN = 0.3
STATUSES = ("completed", "needs_fixes", "Blocked", "rejected", "fixes_applied", 7)


def sends(scene: Scene) -> Iterator[Command]:
    """What such a run sends before it reports."""
    chance = random.Random(f"handing {scene.claim.run}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return
    path = f"docs/{scene.claim.run}.md"
    yield LockPaths(paths=[path], seconds=60.0)
    yield LockPaths(paths=[path], seconds=5.0)
    receivers = [*scene.flow.agents, ORCHESTRATOR]
    able = [
        (kind, to) for kind in scene.flow.messages for to in receivers if may_send(scene.flow, kind, scene.agent, to)
    ]
    for kind, to in chance.sample(able, min(len(able), 2)):
        if kind in ("escalation", "clarification_request"):
            continue
        context = {"spec": f"specs/{chance.randrange(3)}.md", "workflow": chance.choice(TYPES)}
        yield SendMessage(
            sender="",
            to=to,
            type=kind,
            priority=chance.choice((None, *PRIORITIES)),
            payload={
                "status": chance.choice(STATUSES),
                "issues": chance.choice((2, ["leak"], [])),
                "files": "a.py, b.py",
            },
            context=context if chance.random() < 0.7 else {},
        )
