"""Several verdicts in one text: which of them holds, or that they cannot all be meant (R-32).

A reader unites all that one text says, and drops nothing. What the words about the end mean together is said here.
"""

from collections.abc import Sequence

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report

# Where the reader keeps every verdict of one text, in the order in which they were said.
SAID = "outcomes"
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
