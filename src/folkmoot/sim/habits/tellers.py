"""Honest agents that tell of their work loosely: a success among failures, the same again, another's name or file.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random

from msgspec.structs import replace

from folkmoot.core.commands import WidenRun
from folkmoot.core.report import Delegation, Files, Report, Try
from folkmoot.sim.speech import PATHS, Scene

OFTEN = 0.3
SUCCESSES = ("Success", "It works now", "All tests pass", "Solved.")
DENIALS = ("same approach", "retry", "fixed a typo", "N/A", "", "not different")
TRIGGERS = ("Circular dependency detected", "Ambiguous acceptance criteria: soon?", "3 EXPERT_UNSUCCESSFUL")


def loosely(scene: Scene, report: Report) -> Report:
    """The report, mostly; else one that says a little more than its author thought of."""
    chance = random.Random(f"tells {scene.claim.run}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return report
    if report.attempts and chance.random() < 0.7:
        return replace(report, attempts=_told(chance, report.attempts))
    if report.outcome == "failed" and chance.random() < 0.2:
        return replace(report, summary=chance.choice(TRIGGERS))
    if report.outcome == "delegates" and chance.random() < 0.5:
        scope = chance.choice(("implementation", "discovery_only", "analysis of the implementation"))
        return replace(report, delegate=[Delegation(task=o.task, to=o.to, scope=scope) for o in report.delegate])
    return chance.choice(
        (
            replace(report, extra={**report.extra, "agentType": chance.choice([*scene.flow.agents, "somebody"])}),
            replace(report, files=Files(modified=[chance.choice(PATHS)])),
            replace(report, attempts=[Try(approach="measure first", outcome="red"), *report.attempts]),
            _in_passing(chance, report),
            replace(report, blockers="the mailer has no sandbox"),
        )
    )


def _in_passing(chance: random.Random, report: Report) -> Report:
    """Fails for a cause, or with a reason, that decides by itself, and tells what it tried as well."""
    if report.outcome != "failed":
        return report
    tried = [Try(approach=f"way {chance.randrange(99)}", outcome="red")]
    if chance.random() < 0.5:
        return replace(report, cause=chance.choice(("transient", "conflict", "requirement")), attempts=tried)
    return replace(report, summary="Security concern: none", attempts=tried)


def wants(scene: Scene) -> list[WidenRun]:
    """Finds that it needs a file more, whoever may have it."""
    chance = random.Random(f"wants {scene.claim.run}")
    if scene.is_good or scene.is_gate or not scene.item.files or chance.random() > OFTEN:
        return []
    return [WidenRun(paths=[chance.choice(PATHS[:2])])]


def _told(chance: random.Random, attempts: list[Try]) -> list[Try]:
    first, *rest = attempts
    told = chance.choice(
        (
            replace(first, outcome=chance.choice(SUCCESSES)),
            replace(first, why_different=chance.choice(DENIALS)),
            replace(first, approach="the same approach again"),
        )
    )
    return [told, *rest, replace(first, outcome="red")] if chance.random() < 0.7 else [*rest, told]
