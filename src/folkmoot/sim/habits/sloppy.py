"""Honest agents that are careless: a report that breaks the form before the good one, and a hasty `done`.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random
from collections.abc import Iterator

from msgspec.structs import replace

from folkmoot.core.commands import OfferReport, ReportRun
from folkmoot.core.report import AskedQuestion, Finding, Remark, Report, Tests, Try
from folkmoot.sim.speech import Scene

OFTEN, LEAVES, HASTY = 0.25, 0.1, 0.3


def first_words(scene: Scene, report: Report) -> Iterator[ReportRun | OfferReport]:
    """What a careless run says before its report: nothing mostly, else the same words in a form that is none."""
    chance = random.Random(f"sloppy {scene.claim.run}")
    if scene.is_good or chance.random() > OFTEN:
        return
    remarks = [Remark(content=f"word {number}") for number in range(chance.randrange(3))]
    tried = [Try(approach=f"way {scene.claim.run}", outcome="red")] if chance.random() < 0.5 else []
    wrong = chance.choice(
        (
            Report(outcome="asks", summary="hm", comments=remarks, attempts=tried),
            Report(outcome="split", summary="too much", comments=remarks),
            Report(outcome="changes_requested", attempts=tried),
            replace(report, comments=[*remarks, Remark(content="so there", parent="c9999", resolution="accepted")]),
            replace(report, comments=[*report.comments, Remark(content="agreed", resolution="rejected")]),
        )
    )
    for _ in range(chance.choice((1, 1, 2))):
        yield OfferReport(report=wrong) if chance.random() < 0.3 else ReportRun(report=wrong)


def leaves(scene: Scene) -> bool:
    """Having been refused, it goes without another word."""
    return not scene.is_good and random.Random(f"leaves {scene.claim.run}").random() < LEAVES


def hasty(scene: Scene, report: Report) -> Report:
    """Says done, and beside it what speaks against it, or a remark that does not."""
    chance = random.Random(f"hasty {scene.claim.run}")
    if scene.is_good or scene.is_gate or report.outcome != "done" or chance.random() > HASTY:
        return report
    found = Finding(severity=chance.choice(("high", "medium", "low")), issue="a bit odd", file="src/a.py", line=3)
    return chance.choice(
        (
            replace(report, findings=[found]),
            replace(report, findings=[replace(found, recommendation=f"way {chance.randrange(9)}")]),
            replace(report, tests=Tests(total=10, passed=8, failed=2)),
            replace(report, question=AskedQuestion(question="and now?"), next_steps=["look again"]),
        )
    )
