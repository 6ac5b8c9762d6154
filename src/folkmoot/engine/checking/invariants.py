"""What must hold of the rows at rest. Serves the simulation, the fault tests and `moot doctor`."""

from collections.abc import Iterable

from msgspec import Struct

from folkmoot.core.enums import ASKING, ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.core.records import Hold, Message, Pause, Question, Run
from folkmoot.core.rules.children.help import EXPERTS_MAX
from folkmoot.core.rules.children.tasks import DISCOVERIES_MAX
from folkmoot.core.rules.messages.kinds import is_open
from folkmoot.core.rules.messages.life import is_over
from folkmoot.core.rules.running.budgets import POOL
from folkmoot.core.vocabulary.ways import DOES
from folkmoot.engine.checking.quests import check_task

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
    "I32": "each run of an item is told a sentence once, and the item goes on to its end only when somebody was",
    "I33": "an item that a person has taken is in that person's run, and in no other",
    "P-10": "a phase that is over tells as many rounds as there were",
    "R-03": "every unfinished item can be claimed, is worked on, or waits for something that moves",
    "R-04": "a file never decides for a person, unless the flow says whose files are one's",
    "R-06": "an attempt counts only if it failed; every one that is told is kept, and what worked counts nothing",
    "R-07": "a stopped board, a pool that cannot run and a spent day begin no runs; words alone pause an hour at most; "
    "a pool pauses without an end only while a person is asked about it",
    "R-08": "an expert is asked at most once between two guidances, three of them at most, then a person",
    "R-11": "at the limit of attempts a person is asked",
    "R-12": "a dispute ends at its limit of rounds, each concern is one of its own, and none is passed over",
    "R-13": "a column asks for changes less often than the flow's limit of rounds, then a person is asked",
    "R-14": "in a column of several agents each has its part and only that, and the item leaves when all have ended",
    "R-16": "what the rules ask has options that each do something; where they decide, the answer is one of them",
    "R-18": "only a person's word resets counters, and only a task is opened again by the rules",
    "R-19": "work comes onto a branch by a run, one landing at a time, onto the target only past every gate of its way",
    "R-20": "no path is held twice, a hold ends with what it is for, no change beyond its rights is taken, and none is "
    "refused for what others hold",
    "R-21": "an item leaves a column with gates only when each was green on its last work",
    "R-22": "an item that is done says what shows it, and nobody says done beside what says that it is not",
    "R-24": "splits and their repeats are bounded; tasks do not outlive what was split, nor the contracts they are for",
    "R-25": "what is made to help stays where it is, asks nobody, and makes nothing itself",
    "R-26": "only its receiver accepts a message, the end of its stage completes it, and nothing goes back",
    "R-28": "of a file and the board, what a person has chosen is put in force",
    "R-30": "a run begins under the flow in force",
    "R-32": "a report that breaks the form is refused while its run lives; what was said is kept, once, and told on",
    "R-33": "no item has more runs between two guidances, and no agent more starts, than the flow allows",
    "chain": "the log's hash chain is unbroken, and rows stand under the columns by which they are found",
}


# What only shows while readers read and commands are repeated: the simulation checks it, rows at rest cannot tell.
ONLY_IN_MOTION = frozenset({"I17", "I30", "R-04", "R-28", "R-32"})


class Violation(Struct, frozen=True):
    check: str
    text: str
    item: str | None = None

    def __str__(self) -> str:
        return f"{self.check}: {self.words}; it must hold that {CHECKS[self.check]}"

    @property
    def words(self) -> str:
        """What is wrong, without what must hold."""
        return f"item {self.item}: {self.text}" if self.item else self.text


def check_item(
    flow: Flow, item: Item, runs: list[Run], questions: list[Question], others: dict[str, Item]
) -> list[Violation]:
    """What must hold of one item and the rows beside it; `others` are the items it needs."""
    found = [*_runs(item, runs), *_limits(flow, item, questions), *_made(item, questions, others)]
    found += check_task(item, runs, others)
    found += [fault for question in questions for fault in _asked(question)]
    if item.status in ENDED:
        found += _ended(item)
    else:
        found += _alive(flow, item, questions, others)
        found += _waits_for_made(item, others)
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
    by_hand = open_runs[0].person if open_runs else None
    if item.taken != by_hand:
        yield "I33", f"it says that {item.taken or 'nobody'} has taken it, and its run that {by_hand or 'nobody'} has"
    if len(numbers := [one.number for one in item.said]) != len(set(numbers)):
        yield "I32", f"its sentences have the numbers {numbers}"


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
    unhelped = item.span.expert_attempts >= EXPERTS_MAX and not item.advisor and item.kind not in ONE_SHOT_KINDS
    if item.status == "ready" and unhelped:
        yield "R-08", f"{item.span.expert_attempts} attempts with experts failed, and nobody is asked"
    if item.wanted and item.status != "running":
        yield "R-20", f"no run of it is there, and yet one wants {item.wanted[0]}"
    if item.span.discoveries > DISCOVERIES_MAX:
        yield "R-24", f"it was sent to be split {item.span.discoveries} times"
    if item.span.runs >= limits.runs and item.status in ("ready", "proving"):
        yield "R-33", f"it had {item.span.runs} runs, and nobody is asked"


def _asked(question: Question) -> Iterable[tuple[str, str]]:
    """What holds of a question whoever answers it. One from before says nothing about how it is answered."""
    words = [option.option for option in question.options]
    if question.default is not None and question.takes and question.default not in words:
        yield "R-18", f"the default of {question.id} is none of its options"
    if question.takes == "words" and question.kind != "clarification":
        yield "R-16", f"{question.id} is raised by a rule, and takes any words"
    if question.takes != "option":
        return
    idle = [option.option for option in question.options if option.effect not in DOES]
    if not words or idle:
        yield "R-16", f"{question.id} has {f'the option {idle[0]!r}, which does nothing' if idle else 'no options'}"
    if question.default is not None:
        yield "R-18", f"{question.id} is raised by a rule, and has a default"


def _alive(flow: Flow, item: Item, questions: list[Question], others: dict[str, Item]) -> Iterable[tuple[str, str]]:
    needed = [need for need in item.after if need in others and others[need].status not in ENDED]
    missing = [need for need in needed if need not in item.waits_for]
    if missing:
        yield "R-03", f"it does not wait for {', '.join(missing)}, which it comes after"
    if item.status == "ready" and queue_position(flow, item).queue not in flow.agents:
        yield "R-03", f"it is ready in {item.column}, but no agent may take it"
    waits_for_people = item.is_proposed and flow.proposes
    if item.status == "proving" and queue_position(flow, item).queue not in {*flow.gates, LANDING} | (
        {None} if waits_for_people else set()
    ):
        yield "R-03", f"it is to be proved in {item.column}, but the flow has no such gate"
    if item.status in ("ready", "proving") and item.waits_for:
        yield "R-03", f"it is {item.status} but waits for {item.waits_for}"
    if item.status == "waiting" and not any(
        need in others and others[need].status not in ENDED for need in item.waits_for
    ):
        yield "R-03", f"it waits for {item.waits_for}, of which none is unfinished"
    blocked_for_ever = [need for need in item.waits_for if need in others and others[need].status == "cancelled"]
    about = {question.dependency for question in questions if question.state == "open"}
    if any(need not in about for need in blocked_for_ever):
        yield "R-03", f"it waits for {blocked_for_ever}, which is cancelled, and nobody is asked"
    if item.status in ASKING and not any(q.state == "open" and q.blocking for q in questions):
        yield "R-03", f"it is {item.status}, but no question is open"


def _ended(item: Item) -> Iterable[tuple[str, str]]:
    if item.holds:
        yield "R-20", f"it is {item.status}, but holds {', '.join(item.holds)}"
    if item.status == "done" and item.head is not None:
        yield "R-19", f"it is done, but its work is still at {item.head}"
    last = {(proof.column, proof.gate): proof.green for proof in item.proofs}
    shown = "gates" if last and all(last.values()) else "none"  # a person may have accepted what was red
    if item.status == "done" and item.column == END and item.evidence != shown:
        yield "R-22", f"it is done, its gates gave {len(item.proofs)} proofs, and its evidence is {item.evidence}"


def _made(item: Item, questions: list[Question], others: dict[str, Item]) -> Iterable[tuple[str, str]]:
    """What holds of a child that the rules made, or that a run sent for."""
    if item.kind == "item":
        return
    maker = others.get(item.parent or item.dispatched_by or "")
    if item.kind in ONE_SHOT_KINDS:
        # Nobody could ask about danger for what was dispatched: it has no parent, and who sent for it has gone on.
        if questions and (item.kind != "dispatch" or item.parent):
            yield "R-25", f"it is a {item.kind}, and asked {questions[0].id}"
        if item.column != item.home:
            yield "R-25", f"it is a {item.kind}, and went from {item.home} to {item.column}"
        if item.splits or item.made:
            yield "R-25", f"it is a {item.kind}, and made items of its own"
    if maker is None:
        return
    if maker.kind in ONE_SHOT_KINDS:
        yield "R-25", f"the {maker.kind} {maker.id} made it"
    further = item.kind in ("task", "dispatch")
    if item.generation != maker.generation + further:
        yield "R-33", f"it is of generation {item.generation}, made by one of {maker.generation}"
    if item.kind == "task" and item.depth != maker.depth + 1:
        yield "R-24", f"it is {item.depth} splits deep, below one at {maker.depth}"


def _waits_for_made(item: Item, others: dict[str, Item]) -> Iterable[tuple[str, str]]:
    """An unfinished item and the children the rules made for it belong to each other."""
    parent = others.get(item.parent or "")
    rule = "R-14" if item.kind == "part" else "R-24" if item.kind == "task" else "R-25"
    if item.kind != "item" and parent is not None:
        if parent.status in ENDED:
            yield rule, f"it is left behind: its parent {parent.id} is {parent.status}"
        elif item.kind != "task" and (item.id not in parent.made or parent.column != item.column):
            yield rule, f"it is left behind: its parent {parent.id} is in {parent.column} and waits for {parent.made}"
    if item.holds and item.status in ASKING:
        yield "R-20", f"it is {item.status}, but holds {', '.join(item.holds)}"
    if bool(item.made) and item.join is None:
        yield "R-24", f"it made {', '.join(item.made)}, but does not say what for"
    lost = [child for child in item.made if child not in item.waits_for]
    if lost:
        whose = {"parts": "R-14", "help": "R-25"}.get(item.join or "", "R-24")
        yield whose, f"it made {', '.join(lost)}, but does not wait for them"
    helpers = ("expert", "sub", "dispatch")
    kinds = {"parts": ("part",), "tasks": ("task",), "mends": ("task",), "help": helpers}.get(item.join or "", ())
    strange = [child for child in item.made if child in others and others[child].kind not in kinds]
    if strange:
        yield "R-24", f"it waits for {', '.join(strange)} as its {item.join}"


def check_holds(holds: Iterable[Hold], items: dict[str, Item], open_runs: dict[str, Run]) -> list[Violation]:
    """Every hold in force is for somebody: an item that says so, a run that lives, a person for a while."""
    found: list[Violation] = []
    of_items: dict[str, list[str]] = {}
    for hold in holds:
        if hold.run is not None:
            if hold.run not in open_runs:
                found.append(Violation("R-20", f"{hold.path} is locked by {hold.run}, which has ended", hold.item))
        elif hold.item is not None:
            of_items.setdefault(hold.item, []).append(hold.path)
        elif hold.until is None:
            found.append(Violation("R-20", f"{hold.path} is locked by {hold.owner} for ever"))
    for item in items.values():
        if item.holds or item.id in of_items:
            held = sorted(of_items.get(item.id, []))
            if held != sorted(item.holds):
                found.append(Violation("R-20", f"it says {item.holds}, and the holds are {held}", item.id))
    return found


def check_pauses(pauses: Iterable[Pause], questions: dict[str, Question]) -> list[Violation]:
    """A pool that only a person can let go on has a question that a person can answer (R-03)."""
    found: list[Violation] = []
    for pause in pauses:
        if not pause.on or pause.until is not None or not pause.id.startswith(POOL):
            continue
        asked = questions.get(pause.question or "")
        if asked is None or asked.state != "open" or asked.item != pause.asks:
            found.append(Violation("R-07", f"{pause.id} pauses without an end, and nobody is asked", pause.asks))
    return found


def check_messages(flow: Flow, messages: dict[str, Message], items: dict[str, Item]) -> list[Violation]:
    """A message about an item is open as long as its stage is: in every brief until then, and not after."""
    found: list[Violation] = []
    for message in messages.values():
        item = items.get(message.item or "")
        if item is None or not is_open(message) or message.question is not None:
            continue
        if item.status in ENDED:
            found.append(Violation("R-26", f"message {message.id} is {message.status}, and it is over", item.id))
        elif message.status == "accepted" and is_over(flow, message, item):
            words = f"message {message.id} is accepted for {message.stage}, and the item is in {item.column}"
            found.append(Violation("R-26", words, item.id))
    return found


def check_circles(items: Iterable[Item], blocked: dict[str, list[str]] | None = None) -> list[Violation]:
    """Chains of waiting have no circle; walked without recursion, since chains may be long.

    `blocked` are items that cannot be taken before others have given up their paths.
    """
    waits = {item.id: item.waits_for for item in items if item.status not in ENDED}
    for item_id, holders in (blocked or {}).items():
        waits[item_id] = [*waits.get(item_id, ()), *holders]
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
                    own = need if need.isdecimal() else here.partition(" ")[0]  # else a link of those that wait longer
                    return [Violation("R-03", f"{own} waits for itself through {here}", own)]
                stack.append(need)
    return []
