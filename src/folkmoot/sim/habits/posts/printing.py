"""Honest agents that print what they hand over where they report, in words of their own for how it ended: a reviewer
that is "completed" or approves beside its fix_request, a message to somebody who may not get it, one that is repeated.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random
from collections.abc import Iterator

from msgspec.structs import replace

from folkmoot.core.commands import OfferReport, ReportRun
from folkmoot.core.records import ORCHESTRATOR
from folkmoot.core.report import Posted, Report
from folkmoot.core.rules.messages.kinds import may_send
from folkmoot.sim.speech import Scene

OFTEN = 0.3
WORDS = ("approved", "completed", "fixes_applied", "done", "ok")


def printed(scene: Scene, report: Report) -> Report:
    """The report, mostly; else with what its agent hands over, and the agent's own word."""
    chance = random.Random(f"prints {scene.claim.run}")
    if not scene.flow.messages or scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return report
    messages = _messages(scene, chance)
    status = {"status": chance.choice(WORDS)} if report.outcome == "done" and chance.random() < 0.7 else {}
    return replace(report, messages=[*report.messages, *messages], extra={**report.extra, **status})


def first(scene: Scene, report: Report) -> Iterator[ReportRun | OfferReport]:
    """The same while its process lives: it may be asked which of two things holds."""
    said = printed(scene, report)
    if said != report:
        yield OfferReport(report=said) if len(said.messages) % 2 else ReportRun(report=said)


def _messages(scene: Scene, chance: random.Random) -> list[Posted]:
    able = [
        (kind, to)
        for kind in scene.flow.messages
        for to in scene.flow.agents
        if may_send(scene.flow, kind, scene.agent, to) and not may_send(scene.flow, kind, scene.agent, ORCHESTRATOR)
    ]
    found = [
        Posted(
            type=kind,
            sender=chance.choice(("", scene.agent)),
            to=chance.choice(("", to, to)),
            payload={"issues": chance.choice((["leak"], 1, [])), "of": scene.claim.run},
            context={"spec": f"specs/{chance.randrange(3)}.md"} if chance.random() < 0.5 else {},
        )
        for kind, to in chance.sample(able, min(len(able), chance.randrange(1, 3)))
    ]
    if found and chance.random() < 0.2:
        found.append(found[0])
    if chance.random() < 0.1:
        found.append(Posted(type=next(iter(scene.flow.messages)), to=scene.agent, sender=scene.agent))
    return found
