"""Honest agents in a quarrel: several concerns in one report, a reason beside them, an answer to some of what is open,
and comments alone where the disputer gives in.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random

from msgspec.structs import replace

from folkmoot.core.report import Remark, Report
from folkmoot.sim.speech import Scene

OFTEN = 0.4


def several(scene: Scene, report: Report) -> Report:
    """A dispute with more concerns than one, or answers to more than one; else the end of one by comments alone."""
    chance = random.Random(f"quarrel {scene.claim.run}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return report
    if report.outcome == "disputed" and report.comments:
        more = [_concern(scene, chance, number) for number in range(chance.randrange(3))]
        reason = report.reason or chance.choice((None, None, "security", *scene.flow.reasons))
        return replace(report, comments=[*report.comments, *more, *_answers(scene, chance)], reason=reason)
    if report.outcome == "done" and any(remark.resolution for remark in report.comments):
        return Report(outcome="done", summary="I see.", comments=report.comments, implied=True)
    return report


def _concern(scene: Scene, chance: random.Random, number: int) -> Remark:
    """About what somebody made, or about no place at all."""
    artifact = chance.choice([None, *scene.item.artifacts])
    target = f"section {chance.randrange(3)}" if artifact else None
    return Remark(content=f"concern {number} of {scene.claim.run}", artifact=artifact, target=target)


def _answers(scene: Scene, chance: random.Random) -> list[Remark]:
    disputes = [dispute for dispute in scene.claim.brief["disputes"] if chance.random() < 0.5]
    return [Remark(content=f"no, as I said in {one['thread']}", parent=one["thread"]) for one in disputes]
