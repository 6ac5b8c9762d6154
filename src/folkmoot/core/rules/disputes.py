"""Two stages disagree. Statements go back and forth, a breaker ends it, a person decides (R-12, K-06, K-07)."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import Column
from folkmoot.core.item import Dispute, GuidanceCounters, Side
from folkmoot.core.records import Comment
from folkmoot.core.report import Finding, Remark, Report
from folkmoot.core.rules.breaker import (
    artifact_of,
    flag,
    is_asked_to_fix,
    only_disagrees,
    spoken_in,
    thread_of,
    turn_of,
    without,
)
from folkmoot.core.rules.movement import again, call, enter, stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.sharing.makers import makers_of
from folkmoot.core.rules.sharing.places import is_apart, is_elsewhere, is_there, unanswered
from folkmoot.core.rules.sharing.undisputed import left_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.agreeing import disagrees
from folkmoot.core.vocabulary.roles import helping_column
from folkmoot.core.vocabulary.ways import Way

# With these the work of a stage goes on, so that nothing is fixed yet.
NOT_YET = ("failed", "stuck", "incomplete", "asks", "delegates")


class Resolution(Struct, frozen=True):
    thread: str
    resolution: str
    of: str  # the comment that was answered so: the thread's first, or a reply in it


def resolutions(case: Case, report: Report) -> list[Resolution]:
    """What the report, and the comments its run made before, resolve."""
    said = [(remark.parent, remark.resolution) for remark in report.comments if remark.resolution]
    run = case.run.id if case.run else None
    before = [(c.parent or c.id, c.proposed) for c in case.comments.values() if c.proposed and c.run == run]
    if not (said or before):
        return []
    told = _answered(case, report, said)
    # The last word of a run on a thread counts: what it said before its report it may take back.
    last = {one.thread: one for one in _answered(case, report, before)}
    answers = [one.parent for one in report.comments if one.parent and report.outcome == "disputed"]
    again = {one.thread for one in told} | {thread_of(case, parent) for parent in answers}
    return [*told, *(one for thread, one in last.items() if thread not in again)]


def _answered(case: Case, report: Report, said: Sequence[tuple[str | None, str | None]]) -> list[Resolution]:
    mine = {dispute.thread: dispute for dispute in spoken_in(case)}
    found = []
    for parent, resolution in said:
        thread = thread_of(case, parent) if parent else None
        if thread is None or resolution is None or parent is None:
            continue
        if resolution == "rejected" and only_disagrees(case, report, thread):
            continue
        if _is_reply_to(mine.get(thread), case.comments.get(parent)):
            # Who accepts the reply gives the concern up; who rejects it insists on the concern.
            resolution = "rejected" if resolution == "accepted" else "accepted"
        found.append(Resolution(thread, resolution, parent))
    return found


def _is_reply_to(dispute: Dispute | None, reply: Comment | None) -> bool:
    """Is it what the other side has said against this disputer?"""
    if dispute is None or dispute.turn == 1 or reply is None or reply.parent is None:
        return False
    return reply.author == dispute.maker.agent != dispute.disputer.agent


def gave_in(case: Case) -> Dispute | None:
    """The dispute that this report has ended by giving in, if it has ended one so."""
    before = case.situation.item.disputes if case.situation.item else []
    left = {dispute.thread for dispute in case.item.disputes}
    return next((d for d in before if d.thread not in left and d.disputer.stage == stage_of(case)), None)


def go_on(case: Case, dispute: Dispute) -> None:
    """Who gave in, and says nothing of its own work, goes on with it; nothing of that is counted."""
    side = dispute.disputer
    because = f"{side.agent} gives in ({dispute.thread}), and goes on"
    if case.item.column != side.column:
        enter(case, side.column, because, origins=side.origins)
    else:
        again(case, "item_ready", {"why": because}, because=because)


def answered_by(case: Case, said: Remark | Comment, beside: bool = False) -> Dispute | None:
    """The open dispute that a statement without a parent answers: it is this side's turn there, and the statement is
    not about what a third stage has made, nor a disputer's about another place. Of several, the one about the same
    place.

    `beside`: another statement stands before it. Then a disputer that names another place has another concern.
    """
    mine = [dispute for dispute in turn_of(case) if not is_apart(case, dispute, said.artifact)]
    mine = [dispute for dispute in mine if not is_elsewhere(case, dispute, said)]
    if beside and (said.artifact or said.target):
        mine = [dispute for dispute in mine if dispute.turn == 1 or is_there(case, dispute, said)]
    there = [dispute for dispute in mine if is_there(case, dispute, said)] if len(mine) > 1 else mine
    return there[0] if len(there) == 1 else None


def fault_of_resolutions(case: Case, report: Report) -> str | None:
    """A dispute is ended only by the side whose turn it is, and only in the way that side can end it."""
    if not case.item.disputes:
        return None
    open_threads = {dispute.thread for dispute in case.item.disputes}
    mine = {dispute.thread: dispute for dispute in spoken_in(case)}
    for said in resolutions(case, report):
        if said.thread in open_threads and said.thread not in mine:
            return f"{said.thread} cannot be resolved here: it is the other side's turn to speak"
        if said.thread in mine and said.resolution != _way_to_end(mine[said.thread]):
            wanted = _way_to_end(mine[said.thread])
            if _is_reply_to(mine[said.thread], case.comments.get(said.of)):
                return f"who rejects the reply {said.of} disagrees: to disagree report disputed; to give in accept it"
            way = "as accepted (the side whose work is disputed agrees)"
            if wanted == "rejected":  # a disputer that accepts may well mean the reply: it is shown how to give in
                way = f"by parent {said.thread} and resolution rejected (the disputer gives in)"
            return f"{said.thread} can be resolved by this side only {way}; to disagree report disputed"
    denied = next((one.content for one in report.comments if one.resolution and disagrees(one.content)), None)
    if denied is not None:
        words = f"a comment settles the dispute, and says {' '.join(denied.split())[:80]!r}: which holds?"
        return f"{words} To disagree report disputed; to agree, say so in its words"
    return None


def _way_to_end(dispute: Dispute) -> str:
    return "accepted" if dispute.turn == 1 else "rejected"


def fault_of_done(case: Case, report: Report) -> str | None:
    """A `done` may not leave open a dispute in which it is this stage's turn."""
    if not case.item.disputes:
        return None
    mine, resolved = turn_of(case), {said.thread for said in resolutions(case, report)}
    left = [dispute.thread for dispute in mine if dispute.thread not in resolved]
    if not left:
        return None
    # A refused report resolves nothing: what it has resolved beside them must be said again, too.
    by_hand = {said.thread for said in resolutions(case, replace(report, comments=[]))}
    ways = ", ".join(f"parent {d.thread} and resolution {_way_to_end(d)}" for d in mine if d.thread not in by_hand)
    return f"done leaves open {', '.join(left)}: resolve each by a comment with {ways}; or report disputed to disagree"


def fault_of_statement(case: Case, report: Report) -> str | None:
    """What is wrong with a `disputed`, or None."""
    said: list[Remark | Comment] = [remark for remark in report.comments if not remark.resolution]
    said = said or (list(_earlier(case)) if not report.comments else [])
    if not said or not all(one.content.strip() for one in said):
        if report.comments:
            return "a dispute's comment says the specific concern, and resolves nothing: to agree report done"
        return "a dispute needs a comment that says the specific concern"
    mine = {dispute.thread for dispute in spoken_in(case)}
    parent = said[0].parent
    thread = thread_of(case, parent) if parent else None
    if parent and thread not in {dispute.thread for dispute in case.item.disputes}:
        return f"{parent} belongs to no open dispute: leave parent out to open a new one"
    if parent and thread not in mine:
        return f"it is the other side's turn to speak in {thread}"
    answered = {thread_of(case, one.parent) for one in said if one.parent}
    resolved = {one.thread for one in resolutions(case, report)}
    if both := answered & resolved:
        return f"{min(map(str, both))} is both answered and resolved: report disputed to disagree, or done to end it"
    left = [dispute for dispute in turn_of(case) if dispute.thread not in answered | resolved]
    return _fault_of_place(case, said, report.escalation_reason, left)


def _fault_of_place(case: Case, said: list[Remark | Comment], reason: str | None, left: list[Dispute]) -> str | None:
    """A reply that could belong to several disputes or to none, or a reason that names a place where others argue.
    `left`: the disputes that wait for this side, and are named by no `parent`."""
    mine = turn_of(case)
    agent = case.run.agent if case.run else case.actor.name
    for one in said:
        if one.parent is not None or answered_by(case, one, beside=one is not said[0]):
            continue
        if wordless := next((d for d in left if is_elsewhere(case, d, one)), None):
            return unanswered(case, wordless.thread, one)
        fits = [d for d in mine if not (is_apart(case, d, one.artifact) or is_elsewhere(case, d, one))]
        if len(mine) > 1 and one is said[0] and fits:
            threads = ", ".join(dispute.thread for dispute in mine)
            return f"it is this side's turn in {threads}: say by `parent` which of them a comment answers"
        makers = makers_of(case.item, one.artifact)
        if len(makers) > 1:
            which = " or ".join(f"{name} (made in {column})" for column, name in makers.items())
            return f"{one.artifact} could be {which}: name it by its path"
        if not makers and (asker := _asked_by(case)) and not _of_reason(case, reason, stage_of(case)):
            return f"{asker} asks here: if somebody's work is disputed, name its artifact; to answer report done"
        column, maker = _argued_in(case, reason), _maker(case, one.artifact, reason)
        other = case.flow.watcher(maker) if maker else None
        if column is not None and not {agent, other} <= set(column.agents):
            sides, what = " and ".join(column.agents), one.artifact or "the work"
            return (
                f"the reason {reason} leads to {column.name}, where {sides} argue, but this is between {agent} and "
                f"{other or 'nobody'}, who made {what}: name what one of those two made, or leave the reason out"
            )
    return None


def _asked_by(case: Case) -> str | None:
    """Who waits for an answer here: the stage before the asker's has no part in what is asked, and made none of it."""
    answers = case.flow.acting(case.item.column, case.item.tags).kind == "backflow" and not case.item.returns_to
    return case.item.origins[-1] if answers and case.item.origins else None


def _earlier(case: Case) -> list[Comment]:
    """What the run has commented before a report without comments: each concern about a place of its own, else the
    last one."""
    run = case.run.id if case.run else None
    mine = [comment for comment in case.comments.values() if run and comment.run == run]
    placed = [one for one in mine if (one.artifact or one.target) and not (one.parent or one.proposed)]
    return placed + [one for one in mine[-1:] if one not in placed]


def has_remarked(case: Case) -> bool:
    """Has the run commented before its report?"""
    return bool(_earlier(case))


def disputed(case: Case, comments: list[str], reason: str | None = None, agent: str | None = None) -> None:
    """Statements were made, and the item goes to the side that must answer: of several to the earliest stage, so that
    its way forward leads to the others. `agent` spoke if no run of the item itself did."""
    if called := state(case, comments, reason, agent):
        stages = case.flow.stages()
        places = {d.thread: d.side(d.turn).stage for d in called}
        # Of those for the same side the last one opened stands for all.
        first = min(called, key=lambda d: stages.index(places[d.thread]) if places[d.thread] in stages else -1)
        _to_side(case, [d for d in called if d.side(d.turn) == first.side(first.turn)][-1])


def state(case: Case, comments: list[str], reason: str | None = None, agent: str | None = None) -> list[Dispute]:
    """Write down the statements: each specific concern is a dispute of its own, each answer a round of its own.

    They are the comments of the report that end nothing, or those its run made before it. All disputes wait until
    their side is called; those that somebody must now answer are given back. `reason` may lead to a dispute column.
    """
    agent = agent or (case.run.agent if case.run else case.actor.name)
    said = [one for one in map(case.comments.__getitem__, comments) if one.status == "open"] or _earlier(case)
    mine = {dispute.thread: dispute for dispute in spoken_in(case)}
    new, answered = [], dict[str, list[tuple[str, dict[str, str | None]]]]()
    for number, one in enumerate(said):
        found = answered_by(case, one, beside=number > 0) if one.parent is None else None
        if found is None and one.parent is None and number == 0:
            # Who cannot be asked which of several it answers, means the one that is being talked about.
            fits = (d for d in turn_of(case) if not (is_apart(case, d, one.artifact) or is_elsewhere(case, d, one)))
            found = next(reversed(list(fits)), None)
        thread = found.thread if found else thread_of(case, one.id) if one.parent else None
        if thread in mine:
            # A comment that its run made before the report takes its place in the thread with it.
            changed: dict[str, str | None] = {"parent": thread} if found else {}
            if found and one.artifact is None and (about := artifact_of(case, thread)):
                changed["artifact"] = about
            changed |= {"proposed": None} if one.proposed else {}
            answered.setdefault(thread, []).append((one.id, changed))
        elif one.parent is None:
            new.append(one)
    called = [dispute for thread, placed in answered.items() if (dispute := _reply(case, mine[thread], agent, placed))]
    called += _open(case, new, agent, reason)
    column = case.flow.columns.get(case.flow.reasons.get(reason or "") or helping_column(case.flow, reason) or "")
    if column is None or not column.human:
        return called
    for dispute in called:
        flag(case, dispute, f"{agent} wants a person to decide")
    return []


def _open(case: Case, statements: list[Comment], agent: str, reason: str | None) -> list[Dispute]:
    """One report is one time that the item is disputed, however many concerns it has."""
    if not statements:
        return []
    span = replace(case.item.span, disputes=case.item.span.disputes + 1)
    opened = [dispute for one in statements if (dispute := _open_one(case, one, agent, reason, span))]
    if span.disputes <= case.flow.limits.disputes:
        return opened
    for dispute in opened:
        flag(case, dispute, f"This is dispute {span.disputes} on one item - human decision needed")
    return []


def _open_one(case: Case, statement: Comment, agent: str, reason: str | None, span: GuidanceCounters) -> Dispute | None:
    item = case.item
    disputer = Side(agent, item.column, stage_of(case), item.origins)
    maker = _maker(case, statement.artifact, reason)
    if maker is None or maker == stage_of(case) or case.flow.watcher(maker) == agent:
        whose = "its own work" if maker else "work that no stage made"
        case.set("dispute_opened", {"thread": statement.id, "by": agent}, span=span)
        right, wrong = Way(f"{agent} is right", "uphold"), Way("the work stays as it is", "dismiss")
        words = f"{agent} disputes {whose}: {statement.content}"
        told = " ".join(said for said in (statement.artifact, statement.target) if said)
        ask(case, "dispute", words, right, wrong, context=f"about {told}" if told else "", thread=statement.id)
        return None
    other = case.flow.watcher(maker)
    column = _argued_in(case, reason)
    dispute = Dispute(
        thread=statement.id,
        disputer=disputer,
        maker=Side(other or "", maker, maker),
        agents=[agent],
        artifact=statement.artifact,
        column=column.name if column and {agent, other} <= set(column.agents) else None,
        reason=reason,
        waits=True,
    )
    context = {"thread": statement.id, "by": agent, "with": dispute.maker.agent}
    context |= {"reason": reason} if reason else {}
    known = reason if reason in case.flow.reasons and column is None else item.escalation_reason
    case.set("dispute_opened", context, disputes=[*item.disputes, dispute], span=span, escalation_reason=known)
    return dispute


def _argued_in(case: Case, reason: str | None) -> Column | None:
    """The dispute column that a reason names."""
    column = case.flow.columns.get(case.flow.reasons.get(reason or "", ""))
    return column if column is not None and column.kind == "dispute" else None


def _to_side(case: Case, dispute: Dispute) -> None:
    """To the side that must speak next, about all that waits for its word; every other dispute waits meanwhile."""
    place = (dispute.side(dispute.turn), dispute.column)
    others = [d for d in case.item.disputes if d.thread != dispute.thread]
    together = [replace(d, waits=False) for d in others if (d.side(d.turn), d.column) == place]
    waiting = [replace(d, waits=True) for d in others if (d.side(d.turn), d.column) != place]
    threads = ", ".join(d.thread for d in [*together, dispute])
    if dispute.rounds:
        because = f"{dispute.agents[-1]} disagrees in {threads}"
    else:
        because = f"{dispute.agents[-1]} disputes {dispute.artifact or 'the work'} ({threads})"
    if dispute.reason and not dispute.rounds:
        because += f", for the reason {dispute.reason}"
    if waiting:
        because += f"; {', '.join(d.thread for d in waiting)} {'wait' if len(waiting) > 1 else 'waits'}"
    call(case, dispute, because, [*waiting, *together])


def _maker(case: Case, artifact: str | None, reason: str | None) -> str | None:
    """The stage that made what is disputed: the artifact, else the findings being fixed, else the stage of whoever
    answers for the reason; else the stage before."""
    makers = [column for column in makers_of(case.item, artifact) if column in case.flow.columns]
    stage = stage_of(case)
    if makers and not (makers[-1] == stage and is_asked_to_fix(case)):
        return makers[-1]  # of several the last: who can still say which is asked before
    before = case.item.returns_to or _of_reason(case, reason, stage) or case.flow.stage_before(stage)
    before = before or case.item.made_by
    return before if before in case.flow.columns else None


def _of_reason(case: Case, reason: str | None, stage: str) -> str | None:
    """The earlier stage whose agent also watches the column that a reason leads to: `arch` is the architect's."""
    column = case.flow.columns.get(case.flow.reasons.get(reason or "", ""))
    stages = list(case.flow.stages())
    earlier = stages[: stages.index(stage)] if stage in stages else []
    agents = set(column.agents) if column is not None and column.kind != "dispute" else set()
    return next((name for name in reversed(earlier) if case.flow.watcher(name) in agents), None)


def _reply(case: Case, dispute: Dispute, agent: str, placed: list[tuple[str, dict[str, str | None]]]) -> Dispute | None:
    dispute = replace(dispute, agents=[*dispute.agents, agent], turn=1 - dispute.turn, waits=True)
    others = [d for d in case.item.disputes if d.thread != dispute.thread]
    context = {"thread": dispute.thread, "by": agent, "rounds": dispute.rounds}
    rows = [(comment, changed) for comment, changed in placed if changed]
    told = {"comments": rows} if rows else {}
    case.emit("dispute_answered", context, item={"disputes": [*others, dispute]}, **told)
    if dispute.rounds >= case.flow.limits.dispute_rounds:
        flag(case, dispute, f"Agents disagree after {dispute.rounds} rounds - human decision needed")
        return None
    return dispute


def resolve(case: Case, report: Report) -> None:
    """Close the threads that a report resolves; a resolved reply resolves its thread (R-27).

    A maker who agrees and has not made the change leaves the dispute open: whoever goes on is told of it."""
    agreed = {dispute.thread for dispute in turn_of(case) if dispute.turn == 1} if report.outcome in NOT_YET else set()
    for said in resolutions(case, report):
        if said.thread not in agreed:
            close(case, said.thread, said.resolution, report.findings)


def close(case: Case, thread: str, resolution: str, said: list[Finding] | None = None) -> None:
    """End a thread. If it was a dispute, rounds and agents begin again at zero. `said`: the findings of the report."""
    dispute = next((d for d in case.item.disputes if d.thread == thread), None)
    row = {"status": "resolved", "resolution": resolution, "proposed": None}
    if dispute is None:
        case.emit("comment_resolved", {"comment": thread, "resolution": resolution}, comments=(thread, row))
        return
    fields = without(case, thread)
    if resolution == "accepted" and dispute.maker.column == case.item.returns_to:
        # The changes are not needed, but for what the same report finds, or what a person has not spoken of.
        fields |= {"returns_to": None, "findings": left_of(case, thread, said)}
    context = {"thread": thread, "resolution": resolution, "rounds": dispute.rounds, "agents": dispute.agents}
    case.emit("dispute_settled", context, item=fields, comments=(thread, row))
