"""What a statement is about, beside what a dispute is about: the same place, another one, or not said (R-12)."""

from folkmoot.core.item import Dispute
from folkmoot.core.records import Comment
from folkmoot.core.report import Remark
from folkmoot.core.rules.sharing.makers import is_same, makers_of
from folkmoot.core.situation import Case


def is_apart(case: Case, dispute: Dispute, artifact: str | None) -> bool:
    """Is it about something else than the dispute is? What the actor's own side made is told in answer to it."""
    if not artifact or (dispute.artifact and is_same(case.item, artifact, dispute.artifact)):
        return False
    makers = [column for column in makers_of(case.item, artifact) if column in case.flow.columns]
    if makers and not {dispute.maker.stage, dispute.disputer.stage} & set(makers):
        return True
    return dispute.artifact is not None and dispute.side(dispute.turn).stage not in makers


def is_there(case: Case, dispute: Dispute, said: Remark | Comment) -> bool:
    """Is it about the place that the dispute is about, as far as either says which?"""
    first = case.comments.get(dispute.thread)
    if first is None or not (said.artifact or said.target):
        return False
    if first.artifact and said.artifact and not is_same(case.item, first.artifact, said.artifact):
        return False
    return not is_other(first.target, said.target)


def is_elsewhere(case: Case, dispute: Dispute, said: Remark | Comment) -> bool:
    """Does a disputer name another place in what is disputed? Then it may be another concern, and no answer."""
    first = case.comments.get(dispute.thread)
    if dispute.turn == 1 or first is None or not is_other(first.target, said.target):
        return False
    return not (first.artifact and said.artifact) or is_same(case.item, first.artifact, said.artifact)


def unanswered(case: Case, thread: str, said: Remark | Comment) -> str:
    """What is said to a disputer that names another place and leaves its dispute without a word."""
    return (
        f"{thread} is about {case.comments[thread].target}, and not about {said.target}: add parent {thread} if this "
        f"answers it; if it is another concern, answer {thread} too, in a comment with that parent"
    )


def is_other(one: str | None, other: str | None) -> bool:
    """Of two targets: are both named, and not the same but for letters and marks?"""
    return bool(one and other) and _plain(one) != _plain(other)


def _plain(target: str | None) -> str:
    return (target or "").strip(" `\"'()").casefold()
