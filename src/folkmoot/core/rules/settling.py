"""After every command: see to it that somebody will act on the item (R-03).

An agent, time, another item, or a person who is asked. A step may move the item on, so steps are taken until none does.
"""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, EventName
from folkmoot.core.flow import END, LANDING
from folkmoot.core.order import actor
from folkmoot.core.rules.asking.telling import facts, findings_told
from folkmoot.core.rules.breaker import statements_of, trip_breakers
from folkmoot.core.rules.children.help import EXPERTS_MAX, next_expert, seek_help, take_help, wants_help
from folkmoot.core.rules.children.parts import all_have_spoken, settle_group
from folkmoot.core.rules.children.tasks import rejoin
from folkmoot.core.rules.judging.required import unsigned
from folkmoot.core.rules.movement import again, at_limit, enter, finish, history, said_last, stages
from folkmoot.core.rules.outcomes import merged
from folkmoot.core.rules.questions import ask, asking_status
from folkmoot.core.rules.running.budgets import allowance, over_budget, spent_so_far
from folkmoot.core.rules.running.landing import is_before_landing, is_marked, not_mended
from folkmoot.core.rules.running.looking import looks_anew, unseen_by
from folkmoot.core.rules.sharing.holds import give_up_paths, needless
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import AGAIN, GO_ON, NOT_NOW, Way

# More than a flow can have columns: whoever gets here has found a circle that no check of the flow has seen.
STEPS_MAX = 1_000


def settle(case: Case) -> None:
    if not case.has_item:
        return
    steps = 0
    while case.settled != case.item.version:
        case.settled = case.item.version
        _step(case)
        steps += 1
        assert steps < STEPS_MAX, f"item {case.item.id} never comes to rest in {case.item.column}"


def _step(case: Case) -> None:
    item = case.item
    if item.holds and needless(item):
        give_up_paths(case, needless(item))
    elif item.status in ENDED or item.status == "running":
        return
    else:
        trip_breakers(case)
        if not (case.questions and asking_status(case.questions.values())):
            _see_to_it(case)


def _see_to_it(case: Case) -> None:
    item, flow = case.item, case.flow
    column = flow.columns[item.column]
    if rejoin(case):
        return
    if item.join == "parts" or (
        item.column in flow.groups and item.kind not in ONE_SHOT_KINDS and item.proving is None
    ):
        merged(case) if all_have_spoken(case) else settle_group(case)
    elif item.join is not None:
        _join(case)
    elif item.proving is not None and item.proving.column == item.column:
        if not _check_fuse(case):
            _before_landing(case)
    elif column.human:
        _ask_in_human_column(case)
    elif item.column == END:
        _settle_at_the_end(case)
    elif (agent := actor(flow, item)) is None:
        _settle_unwatched(case)
    else:
        _settle_with_agent(case, agent)


def _ask_in_human_column(case: Case) -> None:
    item = case.item
    words = f"What should happen with {item.title!r}? {item.because}"
    following = case.flow.columns[item.column].next
    if item.origins:
        ways = [Way(f"back to {item.origins[-1]}", "again")]
    elif following:
        ways = [Way(f"go on to {following}", "again", says="yes"), *stages(case)]
    else:
        ways = stages(case)
    help = f"it can also be sent elsewhere: to {', '.join(case.flow.columns)}"
    told = facts(history(case), said_last(case), findings_told(item.findings))
    ask(case, "decision", words, *ways, context=told, help=help)


def _join(case: Case) -> None:
    """The children it waited for have ended: tasks done are the work done; help brings the item back to its agent."""
    item = case.item
    # Whoever was asked for help may be over while the item still waits for a child that a run added.
    if item.waits_for if item.join == "tasks" else item.made:
        return
    if item.join == "tasks":
        told: dict[str, Any] = {"rewritten": {}} if item.rewritten else {}  # its tasks were told, and went again
        case.set("item_rests", {"why": "every task has ended"}, join=None, **told)
        finish(case)
    elif item.join == "mends":
        again(case, "item_ready", {"why": "its tasks have mended what is theirs"}, join=None)
    else:
        take_help(case)


def _settle_at_the_end(case: Case) -> None:
    item = case.item
    if item.status == "waiting":
        return
    if not item.disputes:
        enter(case, END, item.because)
        return
    dispute = item.disputes[-1]
    accept = Way("accept the work", "dismiss", END, says="yes")
    look = Way("look at it again", "uphold", dispute.maker.column, says="no")
    words = f"The item is finished, but {dispute.thread} is still disputed. Accept the work?"
    ask(case, "decision", words, accept, look, context=statements_of(case, dispute.thread), thread=dispute.thread)


def _settle_unwatched(case: Case) -> None:
    item, before = case.item, case.situation.item
    ended = before is not None and before.column == item.column and before.disputes and not item.disputes
    if case.flow.columns[item.column].kind == "dispute" and ended and item.origins:
        # Whoever has just ended the last dispute here goes on in its own column.
        enter(case, item.origins[-1], f"nothing is disputed in {item.column} any more", origins=item.origins[:-1])
        return
    following = case.flow.columns[case.item.column].next
    if following:
        enter(case, following, f"nobody works in {case.item.column}")
        return
    words = f"Nobody watches the column {case.item.column}. Where should the item go?"
    ask(case, "decision", words, *stages(case), context=facts(_where(case), history(case)))


def _check_fuse(case: Case) -> bool:
    """Whatever goes round and round, a person looks at it before it goes on for ever (R-33)."""
    runs = case.item.span.runs
    if runs < case.flow.limits.runs:
        return False
    words = f"{runs} runs since a person last looked. Should the agents go on?"
    ask(case, "budget", words, GO_ON, NOT_NOW, context=facts(_where(case), history(case)))
    return True


def _before_landing(case: Case) -> None:
    """What is about to land has no conflicts that nobody mended, and has been looked at as it is now by whoever plays
    a gate without a command (R-22)."""
    item, proving = case.item, case.item.proving
    if proving is None or item.status != "proving" or not is_before_landing(proving):
        return
    if is_marked(item):
        not_mended(case)
        return
    look = unseen_by(case.flow, item)
    if look is not None:
        because = f"nobody who gives verdicts has seen it as it is now: {look} looks at it before it lands"
        enter(case, look, because, origins=[], returns_to=None, **looks_anew(case.flow, item))
        return
    gates = unsigned(case.flow, item, item.asker is None)
    if [*gates, LANDING] != proving.left:
        name: EventName = "gate_called" if gates else "item_rests"
        told: dict[str, Any] = {"gates": gates} if gates else {"why": "no gate is left to ask"}
        case.set(name, {**told, "column": item.column}, proving=replace(proving, left=[*gates, LANDING]))


def _settle_with_agent(case: Case, agent: str) -> None:
    item, flow = case.item, case.flow
    if _check_fuse(case):
        return
    failures = item.failures.get(agent, 0)
    if at_limit(case):
        words = f"{item.span.attempts} attempts have failed since a person last looked. Should it be tried again?"
        ask(case, "decision", words, AGAIN, NOT_NOW, context=_tried(case))
    elif spent := over_budget(flow, item):
        words = f"The item has used {spent} since a person last looked. Should the agents go on?"
        told = facts(spent_so_far(item), _where(case), history(case))
        help = f"to go on gives it as much again ({allowance(flow)}); to raise it for all: `budget` in the flow"
        ask(case, "budget", words, GO_ON, NOT_NOW, context=told, help=help)
    elif item.advisor:
        return  # the advice is tried before anything else is thought of
    elif item.span.expert_attempts >= EXPERTS_MAX and item.kind not in ONE_SHOT_KINDS:
        words = f"{item.span.expert_attempts} experts could not help. Should it be tried again?"
        ask(case, "decision", words, AGAIN, NOT_NOW, context=_tried(case))
    elif agent not in flow.agents:
        words = f"The flow has no agent {agent} any more. Where should the item go?"
        ask(case, "decision", words, *stages(case), context=facts(_where(case), history(case)))
    elif flow.is_spent(agent, failures, item.kind in ONE_SHOT_KINDS) or (
        wants_help(case, agent) and next_expert(case, agent)
    ):
        seek_help(case, agent)


def _tried(case: Case) -> str:
    """Every attempt with why it failed, and what the last run says is missing."""
    return facts(history(case), said_last(case))


def _where(case: Case) -> str:
    return f"it is in {case.item.column} because {case.item.because}" if case.item.because else ""
