"""The circuit breaker: a dispute that has gone on too long stops, and a person decides (R-12, K-07)."""

from folkmoot.core.item import Dispute
from folkmoot.core.records import Option
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case


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
    words = [c for c in case.comments.values() if thread_of(case, c.id) == dispute.thread]
    maker, disputer = dispute.maker, dispute.disputer
    ways = [
        Option(option=f"{disputer.agent} is right: {maker.agent} goes on in {maker.column}", to=maker.column),
        Option(option=f"{maker.agent} is right: {disputer.agent} goes on in {disputer.column}", to=disputer.column),
    ]
    ask(
        case,
        "dispute",
        f"{disputer.agent} and {maker.agent} disagree about {dispute.artifact or 'the work'}. Who is right?",
        context="\n".join(f"{comment.author}: {comment.content}" for comment in words),
        options=ways,
        thread=dispute.thread,
        flag=flag,
        because=f"{disputer.agent} and {maker.agent} disagree after {dispute.rounds} rounds ({dispute.thread})",
    )


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
