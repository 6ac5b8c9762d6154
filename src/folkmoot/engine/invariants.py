"""What must hold of the rows at rest. Serves the simulation, the fault tests and `moot doctor`."""

from collections.abc import Iterable

from msgspec import Struct

from folkmoot.core.flow import END, Flow
from folkmoot.core.item import ASKING, ENDED, Item
from folkmoot.core.order import place
from folkmoot.core.records import Question, Run

# Every check has the id under which the docs explain it.
CHECKS = {
    "I1": "an item has at most one open run",
    "I2": "an item's token counts its runs, without a gap",
    "I3": "only the current run writes",
    "I4": "an item is running exactly while it has an open run",
    "I5": "a run ends once",
    "I6": "a claim is granted only on an item that is ready and waits for nothing",
    "I8": "a run's id is never used again",
    "I10": "the store's clock never goes back",
    "I12": "an expired lease never outlives the next claim",
    "I13": "events are numbered 1, 2, 3 … without a gap",
    "I14": "folding the log gives every row",
    "I15": "an item's versions are 1, 2, 3 … without a gap",
    "I17": "a reader gets every event once, in order",
    "I27": "a question is answered or withdrawn once",
    "I30": "a repeated key gives the same answer and has one effect",
    "I31": "no stored text holds what a store cannot keep",
    "R-03": "every unfinished item can be claimed, is worked on, or waits for something that moves",
    "R-11": "at the limit of attempts a person is asked",
    "R-12": "a dispute ends at its limit of rounds",
    "R-18": "only a person's word resets counters",
    "R-33": "no item has more runs between two guidances than the flow allows",
    "chain": "the log's hash chain is unbroken",
}


# What only shows while readers read and commands are repeated: the simulation checks it, rows at rest cannot tell.
ONLY_IN_MOTION = frozenset({"I17", "I30"})


class Violation(Struct, frozen=True):
    check: str
    text: str
    item: str | None = None

    def __str__(self) -> str:
        where = f" (item {self.item})" if self.item else ""
        return f"{self.check}{where}: {CHECKS[self.check]}; but {self.text}"


def check_item(
    flow: Flow, item: Item, runs: list[Run], questions: list[Question], others: dict[str, Item]
) -> list[Violation]:
    """What must hold of one item and the rows beside it; `others` are the items it needs."""
    found = [*_runs(item, runs), *_limits(flow, item, questions)]
    if item.status not in ENDED:
        found += _alive(flow, item, questions, others)
    return [Violation(check, text, item.id) for check, text in found]


def _runs(item: Item, runs: list[Run]) -> Iterable[tuple[str, str]]:
    open_runs = [run for run in runs if run.ended_at is None]
    if len(open_runs) > 1:
        yield "I1", f"{', '.join(run.id for run in open_runs)} are open"
    if sorted(run.token for run in runs) != list(range(1, item.token + 1)):
        yield "I2", f"its token is {item.token} and its runs have {sorted(run.token for run in runs)}"
    if (item.status == "running") != (len(open_runs) == 1):
        yield "I4", f"it is {item.status} with {len(open_runs)} open runs"
    if item.run != (open_runs[0].id if open_runs else None):
        yield "I4", f"it names the run {item.run}"


def _limits(flow: Flow, item: Item, questions: list[Question]) -> Iterable[tuple[str, str]]:
    limits = flow.limits
    asked = [question for question in questions if question.state == "open" and question.blocking]
    if sorted(item.open_questions) != sorted(q.id for q in questions if q.state == "open"):
        yield "R-03", f"it names the open questions {item.open_questions}"
    if item.status in ENDED:
        return
    # A live run is judged when it ends; an item that waits in `done` for its children makes no more attempts.
    at_rest = item.status != "running" and item.column != END
    if limits.attempts is not None and item.span.attempts >= limits.attempts and at_rest and not asked:
        yield "R-11", f"{item.span.attempts} attempts were made, {limits.attempts} are allowed, and nobody is asked"
    for dispute in item.disputes:
        # A run that began before the limit was reached, or lowered by a new flow, may end; nobody goes on after it.
        flagged = any(question.thread == dispute.thread for question in asked)
        if dispute.rounds >= limits.dispute_rounds and at_rest and not flagged:
            yield "R-12", f"{dispute.thread} has {dispute.rounds} rounds and nobody is asked"
    if item.span.runs >= limits.runs and item.status == "ready":
        yield "R-33", f"it had {item.span.runs} runs, and nobody is asked"


def _alive(flow: Flow, item: Item, questions: list[Question], others: dict[str, Item]) -> Iterable[tuple[str, str]]:
    needed = [need for need in item.after if need in others and others[need].status not in ENDED]
    missing = [need for need in needed if need not in item.waits_for]
    if missing:
        yield "R-03", f"it does not wait for {', '.join(missing)}, which it comes after"
    if item.status == "ready" and place(flow, item).queue not in flow.agents:
        yield "R-03", f"it is ready in {item.column}, but no agent may take it"
    if item.status == "ready" and item.waits_for:
        yield "R-03", f"it is ready but waits for {item.waits_for}"
    if item.status == "waiting" and not any(
        need in others and others[need].status != "done" for need in item.waits_for
    ):
        yield "R-03", f"it waits for {item.waits_for}, of which none is unfinished"
    blocked_for_ever = [need for need in item.waits_for if need in others and others[need].status == "cancelled"]
    about = {question.dependency for question in questions if question.state == "open"}
    if any(need not in about for need in blocked_for_ever):
        yield "R-03", f"it waits for {blocked_for_ever}, which is cancelled, and nobody is asked"
    if item.status in ASKING and not any(q.state == "open" and q.blocking for q in questions):
        yield "R-03", f"it is {item.status}, but no question is open"


def check_circles(items: Iterable[Item]) -> list[Violation]:
    """Chains of waiting have no circle; walked without recursion, since chains may be long."""
    waits = {item.id: item.waits_for for item in items if item.status not in ENDED}
    state: dict[str, int] = {}  # 1 on the way, 2 finished
    for start in waits:
        stack = [start]
        while stack:
            here = stack[-1]
            if here not in waits or state.get(here) == 2:
                stack.pop()
                continue
            if state.get(here) == 1:
                state[here] = 2
                stack.pop()
                continue
            state[here] = 1
            for need in waits[here]:
                if state.get(need) == 1:
                    return [Violation("R-03", f"{need} waits for itself through {here}", need)]
                stack.append(need)
    return []
