"""The circuit breaker: a dispute that has gone on too long stops, and a person decides (R-12, K-07)."""

from msgspec.structs import replace

from folkmoot.core.item import Dispute
from folkmoot.core.report import Report
from folkmoot.core.rules.asking.telling import statements_told
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way

UNDECIDED = "undecided"  # of a dispute that a person has ended without a word on who is right


def trip_breakers(case: Case) -> None:
    """Flag every dispute that has reached its limit of rounds, by its last statement or by a changed flow."""
    if not case.item.disputes:
        return
    asked = {question.thread for question in case.questions.values() if question.state == "open"}
    for dispute in case.item.disputes:
        if dispute.rounds >= case.flow.limits.dispute_rounds and dispute.thread not in asked:
            flag(case, dispute, f"Agents disagree after {dispute.rounds} rounds - human decision needed")


def flag(case: Case, dispute: Dispute, flag: str) -> None:
    """The breaker: the item stays where it is, and nobody is dispatched on it until a person has decided."""
    maker, disputer = dispute.maker, dispute.disputer
    one, other = (disputer.agent, maker.agent)
    if one == other:
        one, other = f"{one} in {disputer.column}", f"{other} in {maker.column}"
    first = case.comments.get(dispute.thread)
    place = f" ({first.target})" if first is not None and first.target else ""
    ask(
        case,
        "dispute",
        f"{disputer.agent} and {maker.agent} disagree about {dispute.artifact or 'the work'}{place}. Who is right?",
        Way(f"{one} is right", "uphold", maker.column),
        Way(f"{other} is right", "dismiss", disputer.column),
        context=statements_of(case, dispute.thread),
        help="who finds neither right can send it elsewhere, to another column",
        thread=dispute.thread,
        flag=flag,
        because=f"{disputer.agent} and {maker.agent} disagree after {dispute.rounds} rounds ({dispute.thread})",
    )


def turn_of(case: Case) -> list[Dispute]:
    """The open disputes in which the stage that now speaks is the side to speak."""
    if not case.item.disputes:
        return []
    stage = stage_of(case)
    return [dispute for dispute in case.item.disputes if dispute.side(dispute.turn).stage == stage]


def is_asked_to_fix(case: Case) -> bool:
    """Has another stage asked this one for the changes that are pending? What it says of its own work then disputes
    that request. Whoever only answers a dispute here was asked for nothing else."""
    asker = case.item.returns_to
    if asker not in case.flow.columns or asker == stage_of(case):
        return False
    return case.flow.columns[asker].fix == stage_of(case) or not turn_of(case)


def spoken_in(case: Case) -> list[Dispute]:
    """The open disputes in which the stage that now speaks may speak: also those that it has begun itself, where the
    other side let its turn go by, as with a verdict, and the work is here again. There the turn is this side's."""
    stage, mine = stage_of(case), turn_of(case)
    own = [d for d in case.item.disputes if d.disputer.stage == stage and d not in mine]
    return [*mine, *(replace(dispute, turn=0) for dispute in own)]


def only_disagrees(case: Case, report: Report, thread: str | None) -> bool:
    """In `disputed`, `rejected` says that this side disagrees (R-12). Who has begun the thread, and holds another
    concern in the same report, gives this one up by it."""
    dispute = next((d for d in spoken_in(case) if d.thread == thread), None)
    if report.outcome != "disputed" or dispute is None:
        return False
    others = (one for one in report.comments if one.resolution is None and one.status != "resolved")
    return dispute.turn == 1 or not any(not one.parent or thread_of(case, one.parent) != thread for one in others)


def without(case: Case, thread: str) -> dict[str, object]:
    """The item's disputes and its flag when this one is over: it stays flagged while another waits for a person."""
    left = [dispute for dispute in case.item.disputes if dispute.thread != thread]
    asked = {q.thread for q in case.questions.values() if q.state == "open" and q.kind == "dispute"}
    flagged = any(dispute.thread in asked for dispute in left)
    return {"disputes": left, "flag": case.item.flag if flagged else None}


def leave_undecided(case: Case, thread: str) -> None:
    """End a dispute of which a person has said where its item goes, and not who is right. What was said stays open."""
    dispute = next((d for d in case.item.disputes if d.thread == thread), None)
    if dispute is None:
        return
    fields = without(case, thread)
    context = {"thread": thread, "resolution": UNDECIDED, "rounds": dispute.rounds, "agents": dispute.agents}
    case.emit("dispute_settled", context, item=fields)


def decided_by(dispute: Dispute | None, target: str | None) -> str | None:
    """How somebody ends a dispute who only says where the item goes: for the side that need not change anything, or
    for neither, where it goes to neither."""
    if dispute is None or target not in (dispute.maker.column, dispute.disputer.column):
        return None
    return "rejected" if target == dispute.disputer.column else "accepted"


def statements_of(case: Case, thread: str) -> str:
    """Everything that was said in a thread, in order."""
    return statements_told(case, [comment for comment in case.comments if thread_of(case, comment) == thread])


def disputes_told(case: Case) -> str:
    """What is still argued about, in the words of both sides, for whoever decides about the work itself."""
    return "\n".join(f"{one.thread} is disputed:\n{statements_of(case, one.thread)}" for one in case.item.disputes)


def artifact_of(case: Case, parent: str | None) -> str | None:
    """What a reply is about, if it does not say so itself: what its thread is about (K-05)."""
    thread = thread_of(case, parent) if parent else None
    return case.comments[thread].artifact if thread is not None else None


def thread_of(case: Case, comment: str) -> str | None:
    """The first comment of the thread this one belongs to; None if the item has no such comment."""
    seen: set[str] = set()
    while comment not in seen:
        seen.add(comment)
        if comment not in case.comments:
            return None
        parent = case.comments[comment].parent
        if parent is None:
            return comment
        comment = parent
    return None
