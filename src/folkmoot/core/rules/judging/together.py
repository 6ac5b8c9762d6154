"""Several verdicts in one text: which of them holds, or that they cannot all be meant (R-32).

A reader unites all that one text says, and drops nothing. What the words about the end mean together is said here.
"""

from collections.abc import Sequence

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report

# Where the reader keeps every verdict of one text, in the order in which they were said.
SAID = "outcomes"
CLARIFICATION = "clarification_request"  # the message that asks a person
# What may be said beside each verdict without taking it back: "complete" there means that the agent has done its task,
# and a tester's task may be to find red tests. Whom others must answer or change something for goes first.
BESIDE: dict[str, set[str]] = {
    "done": set(),
    "changes_requested": {"done", "incomplete", "stuck", "failed"},
    "disputed": {"changes_requested", "done", "incomplete", "stuck", "failed"},
    "asks": {"changes_requested", "done", "incomplete", "stuck", "failed"},
    "failed": {"incomplete", "stuck"},
    "stuck": {"incomplete", "failed"},
    "incomplete": set(),
    "delegates": {"incomplete", "stuck"},
    "split": {"done", "incomplete"},
}


# What the agent says of its own run, and no verdict on the work: beside `done` one of the two does not hold.
_UNDONE = ("failed", "stuck")


def verdict(outcomes: Sequence[str]) -> str | None:
    """The one that holds beside all the others, of several the last; None if they contradict each other.

    A later word takes back a `done`; a later `done` takes back nothing.
    """
    for place in range(len(outcomes) - 1, -1, -1):
        holds = outcomes[place]
        if all(
            other == holds or other in BESIDE.get(holds, ()) or (other == "done" and before < place)
            for before, other in enumerate(outcomes)
        ):
            return holds
    return None


def fault_of_outcomes(said: Report) -> str | None:
    """A text that says done and failed at once is asked back: which of the two is meant must not be guessed."""
    told = said.extra.get(SAID)
    if (
        not isinstance(told, list)
        or not told
        or any(word not in OUTCOMES for word in told)
        or verdict([*told]) is not None
    ):
        return None
    words = ", then ".join(told[:20])
    return f"it says {words}: say once how it ended, in one report with all of it"


def fault_of_meaning(said: Report, *, checks: bool) -> str | None:
    """Words that one stage may say together and another cannot mean. `Complete` beside a verdict is the word of whoever
    checks; whoever makes the work may have quoted the verdict that it has dealt with."""
    told = said.extra.get(SAID)
    if not isinstance(told, list) or "done" not in told or any(word not in OUTCOMES for word in told):
        return None
    if said.outcome in _UNDONE:
        return _fault_of_two_ends(said)
    if checks:
        return _fault_of_later_green(said, told)
    other = said.outcome
    # A signal is the agent's own word, and its question reaches a person.
    if other != "changes_requested" and not (other == "asks" and said.extra.get("type") == CLARIFICATION):
        return None
    return (
        f"it says done, and a message in it says {other}, in a stage that makes the work: which is meant? If the "
        "message is one that you were given and have dealt with, report done and quote the message with `> ` before "
        f"each of its lines, or leave it out; if it is your own, report {other} alone, with no Complete beside it"
    )


def _fault_of_two_ends(said: Report) -> str:
    """A report of an earlier run is often shown below one's own, and looks like a second word of this one."""
    return (
        f"it says done, and then {said.outcome}: which holds? If the second is an earlier report that you only show, "
        f"quote it with `> ` before each of its lines, or leave it out; if it holds, report {said.outcome} alone"
    )


def _fault_of_later_green(said: Report, told: list[str]) -> str | None:
    """Red tests, and then the same ones green: a first run and a last one, or two that both hold."""
    if said.outcome != "changes_requested" or "done" not in told[told.index("changes_requested") :]:
        return None
    if not any(finding.kind == "test" for finding in said.findings) or said.tests is None:
        return None
    later = said.extra.get("tests") if said.tests.failed else {"total": said.tests.total, "failed": 0}
    if not isinstance(later, dict) or later.get("failed") or later.get("total") != said.tests.total:
        return None
    return (
        "it says changes_requested for red tests, then done with none red: which holds now? Report once how the tests "
        "ended: passed, with what was red before in the summary, or changes_requested with the tests that are red"
    )
