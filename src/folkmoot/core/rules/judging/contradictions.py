"""A report that says two things which cannot both hold: asked back while its run lives, and at its end read strictly.

Which fields can say so beside which outcome is in `carrying`.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import PERMISSION, UNSPEAKABLE, against, may_say
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.situation import Case

# Whoever only answers another is read by whoever asked: all that it says is told there.
ANSWERS = ("expert", "sub", "dispatch")


class Contradiction(Struct, frozen=True):
    words: str  # both sides, and how to say either
    reading: str | None  # the stricter outcome, which holds where nobody is there to say; None: there is none


def contradictions(case: Case, said: Report) -> Iterator[Contradiction]:
    """What speaks against the outcome, the gravest first."""
    if said.outcome != "done" or case.item.kind in ANSWERS:
        return
    found = against(said)
    if found is not None:
        checks = case.flow.checks(stage_of(case))
        open_ones = "report changes_requested with each in `findings`" if checks else "tell each in `findings`"
        words = f"{found}: which holds? If something is open, {open_ones}; if nothing is, leave that out"
        yield Contradiction(words, "changes_requested" if checks else None)
    if said.question is not None and said.question.blocking and said.question.question.strip():
        yield _asking(case, said.question.question)
    tasks = len(said.tasks)
    if tasks and _may(case, "split"):
        words = (
            f"it names {tasks} task{'s' if tasks > 1 else ''}: which holds? To have them made report split; what only "
        )
        yield Contradiction(f"{words}should follow some day goes into `next_steps`", "split")
    if said.delegate and _may(case, "delegates"):
        words = f"it asks for help ({said.delegate[0].task[:80]}): which holds? To wait for the help report delegates"
        yield Contradiction(f"{words}; else leave it out", "delegates")


def _asking(case: Case, question: str) -> Contradiction:
    words = f"it asks a person: {' '.join(question.split())[:120]!r}: which holds? "
    if not _may(case, "asks"):
        return Contradiction(f"{words}This agent may not ask: say what is open in `next_steps`, or report stuck", None)
    ways = "To wait for the answer report asks; to go on without it give the question `blocking` false"
    return Contradiction(words + ways, "asks")


def _may(case: Case, outcome: str) -> bool:
    agent = case.run.agent if case.run else ""
    assert outcome in PERMISSION
    return outcome not in UNSPEAKABLE.get(case.item.kind, ()) and may_say(case.flow, agent, outcome)


def fault_of_contradiction(case: Case, said: Report) -> str | None:
    found = [one.words for one in contradictions(case, said)]
    return f"it says {said.outcome}, and {'; and '.join(found)}" if found else None


def settled(case: Case, said: Report) -> Report:
    """The last word of a process: of two statements the stricter holds, and the other is kept beside it."""
    reading = next((one.reading for one in contradictions(case, said) if one.reading), None)
    return replace(said, outcome=reading) if reading else said
