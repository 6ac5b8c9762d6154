"""The circuit breaker: a dispute that has gone on too long stops, and a person decides (R-12, K-07)."""

from folkmoot.core.item import Dispute
from folkmoot.core.rules.asking.telling import statements_told
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way


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
    ask(
        case,
        "dispute",
        f"{disputer.agent} and {maker.agent} disagree about {dispute.artifact or 'the work'}. Who is right?",
        Way(f"{one} is right", "uphold", maker.column),
        Way(f"{other} is right", "dismiss", disputer.column),
        context=statements_of(case, dispute.thread),
        thread=dispute.thread,
        flag=flag,
        because=f"{disputer.agent} and {maker.agent} disagree after {dispute.rounds} rounds ({dispute.thread})",
    )


def statements_of(case: Case, thread: str) -> str:
    """Everything that was said in a thread, in order."""
    return statements_told(case, [comment for comment in case.comments if thread_of(case, comment) == thread])


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
