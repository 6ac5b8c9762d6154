"""Whoever looks at work and ends otherwise than its words say: who goes on, and whether something must change."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import shortly
from folkmoot.core.rules.messages.enclosed import has_told
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.sharing.findings import against_done, to_change
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import finding_in
from folkmoot.core.vocabulary.phrases.agreeing import only_approves
from folkmoot.core.vocabulary.phrases.reds import said_failed
from folkmoot.core.vocabulary.phrases.undone import is_for
from folkmoot.core.vocabulary.phrases.unseen import left_to_see
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.core.vocabulary.words import plain

# Under these names a report says who goes on.
GOES_ON_WITH = frozenset(
    {
        *("next", "next agent", "next role", "next stage", "next owner", "handoff", "handoff to", "hand off to"),
        *("hand over to", "assign to", "assigned to", "assignee", "forward to", "route to", "goes to", "send to"),
        *("back to", "return to", "returns to"),
    }
)


class Contradiction(Struct, frozen=True):
    words: str  # both sides, and how to say either
    reading: str | None  # the stricter outcome, which holds where nobody is there to say; None: there is none
    reason: str | None = None  # the reason for which a person is asked then
    adds: dict[str, Any] = field(default_factory=dict)  # the fields that the stricter outcome needs
    told: bool = False  # nobody knows what it decides: where nobody is there to say, it is told on


def _sent_back(case: Case, said: Report) -> Iterator[Contradiction]:
    """A field by which a look names whoever mends as the one who goes on."""
    fix = case.flow.columns[stage_of(case)].fix
    makers = case.flow.columns[fix].agents if fix in case.flow.columns else []
    for name, value in said.extra.items():
        if plain(name) in GOES_ON_WITH and isinstance(value, str) and agent_named(case.flow, value) in (*makers, fix):
            words = f"its {name} is {shortly(value)!r}: which holds? To have the work changed report changes_requested "
            words += "(needs_fixes) with what must change; if it is good, leave that out"
            yield Contradiction(words, "changes_requested")
            return


def sending_for(said: Report) -> Contradiction:
    """Nobody comes for what a checker asks of others, if it may not wait for them: it wants a change."""
    first = said.delegate[0]
    words = f"it asks {first.to or 'others'} for something ({shortly(first.task)!r}): which holds? To have the work "
    words += "changed report changes_requested; to send for an agent in the middle of a run, dispatch it"
    wanted = [finding_in(one.task, severity="high") for one in said.delegate]
    return Contradiction(words, "changes_requested", adds={"findings": [*said.findings, *wanted]})


def of_who_goes_on(case: Case, said: Report) -> Iterator[Contradiction]:
    """A look that approves, or ends without a verdict, and leaves the next step to whoever made the work; or with a
    verdict that its words take back."""
    if said.outcome == "failed":
        yield from _of_tests(said)
    elif said.outcome == "incomplete":
        yield from _left_to_maker(case, said)
    elif said.outcome == "done":
        yield from _sent_back(case, said)
    elif said.outcome == "changes_requested" and only_approves(said.summary) and not has_told(case, said):
        # What stands beside it may be what it asks for.
        red = said.tests is not None and said.tests.failed > 0
        told = red or said.findings or said.comments or said.next_steps or said.blockers or said.extra
        words = f"its words say {shortly(said.summary)!r}: which holds? To approve report done; to have it changed, say"
        yield from () if told else [Contradiction(f"{words} in `findings` what", None)]


def _of_tests(said: Report) -> Iterator[Contradiction]:
    """Whoever checks, and says no more than "failed" and what it found, may mean the work or its own run."""
    if said.cause is not None or said.attempts:
        return
    grave = against_done(said.findings, said.tests)
    red = said_failed([said.blockers, said.summary]) if grave is None else None
    if grave is not None or red is not None:
        found = grave or f"its words say {shortly(red)!r}"
        words = f"{found}: which holds? If the work must change report changes_requested with what, in `findings`; if "
        adds = {"findings": [*said.findings, finding_in(red, severity="high")]} if red else {}
        yield Contradiction(f"{words}this run itself failed, give it a `cause`", "changes_requested", adds=adds)


def _left_to_maker(case: Case, said: Report) -> Iterator[Contradiction]:
    """A look that is not finished is taken up by who looks; whoever made the work would not hear of its step.

    Beside something found the work must change, and its maker hears of it; unless the look goes on all the same.
    """
    steps = said.next_steps if said.cause is None and not said.attempts else []
    step = next((step for step in steps if is_for(step, _others(case))), None)
    if step is None or asks_change(case, said):
        return
    words = f"its next step is {shortly(step)!r}: which holds? If the work must change report changes_requested; if "
    yield Contradiction(f"{words}only your look is unfinished, name what is left to look at", "changes_requested")


def _others(case: Case) -> list[str]:
    """Who mends what a look here finds, but for the agent that looks."""
    fix = case.flow.columns[stage_of(case)].fix
    makers = case.flow.columns[fix].agents if fix in case.flow.columns else []
    return [agent for agent in makers if case.run is None or agent != case.run.agent]


def asks_change(case: Case, said: Report) -> bool:
    """Does a look that ended `incomplete` want the work changed? What it found needs to be followed up, if not the look
    itself does: then its words name what is left to look at. What is grave must change whatever else it would find."""
    if said.outcome != "incomplete" or said.cause is not None or said.attempts:
        return False
    if against_done(said.findings, said.tests) is not None:
        return True
    own_steps = [step for step in said.next_steps if not is_for(step, _others(case))]
    told = [said.summary, said.blockers, said.reason, *own_steps, *(f"{k}: {v}" for k, v in said.extra.items())]
    return bool(to_change(said.findings)) and left_to_see(told) is None
