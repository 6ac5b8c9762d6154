"""Two stages disagree. Statements go back and forth, a breaker ends it, a person decides (R-12, K-06, K-07)."""

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.item import Dispute, Side
from folkmoot.core.records import Comment
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.breaker import flag, thread_of
from folkmoot.core.rules.movement import enter, stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way
from folkmoot.core.vocabulary.words import plain


class Resolution(Struct, frozen=True):
    thread: str
    resolution: str


def turn_of(case: Case) -> list[Dispute]:
    """The open disputes in which the stage that now speaks is the side to speak."""
    stage = stage_of(case)
    return [dispute for dispute in case.item.disputes if dispute.side(dispute.turn).stage == stage]


def resolutions(case: Case, report: Report) -> list[Resolution]:
    """What the report, and the comments its run made before, resolve."""
    said = [(remark.parent, remark.resolution) for remark in report.comments if remark.resolution]
    run = case.run.id if case.run else None
    said += [(c.id, c.proposed) for c in case.comments.values() if c.proposed and c.run == run]
    if not said:
        return []
    threads = [(thread_of(case, parent), resolution) for parent, resolution in said if parent and resolution]
    found = [Resolution(thread, resolution) for thread, resolution in threads if thread and resolution]
    if report.outcome != "disputed":
        return found
    # In a `disputed` it says only that this side disagrees.
    mine = {dispute.thread for dispute in turn_of(case)}
    return [one for one in found if one.resolution != "rejected" or one.thread not in mine]


def as_spoken(case: Case, report: Report) -> Report:
    """The comments as they are meant: without those that only repeat what stands on the item, each in its thread."""
    if not report.comments and report.outcome != "disputed":
        return report
    said, names = _without_repeated(case, report.comments)
    if report.outcome == "disputed" and not said:
        # The same words again are a statement too; and so is a summary, where nothing else was said.
        told = report.comments[-1:] or ([] if _last_remark(case) else [Remark(content=report.summary)])
        said = [remark for remark in told if remark.content.strip()]
    mine = turn_of(case)
    comments = []
    for number, remark in enumerate(said):
        parent = names.get(remark.parent or "", remark.parent)
        resolution = remark.resolution
        if resolution is None and remark.status == "resolved":
            only = mine[0] if parent is None and len(mine) == 1 else None
            dispute = only or next((d for d in mine if parent and d.thread == thread_of(case, parent)), None)
            # How a dispute ends is said, and never guessed: `fault_of_comments` asks for it.
            resolution = None if dispute else "accepted"
        if report.outcome == "disputed":
            answered = answered_by(case, remark.artifact) if number == 0 and parent is None else None
            parent = answered.thread if answered else parent
            thread = thread_of(case, parent) if parent else None
            if resolution == "rejected" and thread in {dispute.thread for dispute in mine}:
                resolution = None
        elif resolution and parent is None and len(mine) == 1:
            parent = mine[0].thread
        comments.append(replace(remark, parent=parent, resolution=resolution))
    return replace(report, comments=comments) if comments != report.comments else report


def _without_repeated(case: Case, remarks: list[Remark]) -> tuple[list[Remark], dict[str, str]]:
    """The new comments, and the board's ids for those that the report repeats under ids of its own."""
    new, names = [], {}
    for remark in remarks:
        same = _repeated(case, remark)
        if same is None:
            new.append(remark)
        elif remark.id:
            names[remark.id] = same.id
    return new, names


def _repeated(case: Case, remark: Remark) -> Comment | None:
    """The comment of the item that this one is: whoever writes the whole file writes the earlier ones again."""
    if remark.id is None and remark.author is None:
        return None
    words = remark.content.split()
    known = [c for c in case.comments.values() if c.content.split() == words]
    by = plain(remark.author) if remark.author else None
    return next((c for c in reversed(known) if by is None or plain(c.author) == by), None)


def answered_by(case: Case, artifact: str | None) -> Dispute | None:
    """The open dispute that a statement without a parent answers: it is this side's turn there, and the statement is
    not about what a third stage has made."""
    mine = turn_of(case)
    if not mine:
        return None
    made = case.item.artifacts.get(artifact or "")
    sides = (mine[-1].maker.stage, mine[-1].disputer.stage)
    apart = made is not None and made.column in case.flow.columns and made.column not in sides
    return None if apart else mine[-1]


def fault_of_comments(case: Case, report: Report) -> str | None:
    """What is wrong with who says something, and to what."""
    agent = case.run.agent if case.run else case.speaker.name
    for remark in report.comments:
        if remark.author and plain(remark.author) != plain(agent):
            return f"a comment is signed by {remark.author}, who has not said it on this item: this run is {agent}"
        if remark.parent and thread_of(case, remark.parent) is None:
            return f"a comment has the parent {remark.parent}, but the item has no such comment{_threads(case)}"
        if remark.resolution and not remark.parent:
            return f"a comment has a resolution but no parent: name the comment it resolves{_threads(case)}"
        if remark.status == "resolved" and remark.resolution is None and report.outcome != "disputed":
            return "a comment is resolved, but how is not said: resolution: accepted, or rejected"
        if remark.status == "open" and remark.resolution:
            return "a comment is open and has a resolution: leave out one of them"
    return None


def _threads(case: Case) -> str:
    """The comments that one may reply to, for whoever named another."""
    first = [c for c in case.comments.values() if c.parent is None and c.status == "open"][-5:]
    told = "; ".join(f"{c.id} ({c.author}: {' '.join(c.content.split())[:60]})" for c in first)
    return f"; open: {told}" if told else "; none is open, leave parent out to begin"


def fault_of_resolutions(case: Case, report: Report) -> str | None:
    """A dispute is ended only by the side whose turn it is, and only in the way that side can end it."""
    if not case.item.disputes:
        return None
    open_threads = {dispute.thread for dispute in case.item.disputes}
    mine = {dispute.thread: dispute for dispute in turn_of(case)}
    for said in resolutions(case, report):
        if said.thread in open_threads and said.thread not in mine:
            return f"{said.thread} cannot be resolved here: it is the other side's turn to speak"
        if said.thread in mine and said.resolution != _way_to_end(mine[said.thread]):
            wanted = _way_to_end(mine[said.thread])
            side = "the side whose work is disputed agrees" if wanted == "accepted" else "the disputer gives in"
            return f"{said.thread} can be resolved by this side only as {wanted} ({side}); to disagree report disputed"
    return None


def _way_to_end(dispute: Dispute) -> str:
    return "accepted" if dispute.turn == 1 else "rejected"


def fault_of_done(case: Case, report: Report) -> str | None:
    """A `done` may not leave open a dispute in which it is this stage's turn."""
    if not case.item.disputes:
        return None
    resolved = {said.thread for said in resolutions(case, report)}
    left = {d.thread: _way_to_end(d) for d in turn_of(case) if d.thread not in resolved}
    if not left:
        return None
    ways = ", ".join(f"parent {thread} and resolution {way}" for thread, way in left.items())
    return f"done leaves open {', '.join(left)}: resolve each by a comment with {ways}; or report disputed to disagree"


def fault_of_statement(case: Case, report: Report) -> str | None:
    """What is wrong with a `disputed`, or None."""
    remark = next((remark for remark in report.comments), None)
    parent = remark.parent if remark else None
    if remark is not None and (remark.resolution or not remark.content.strip()):
        return "a dispute's first comment says the specific concern, and resolves nothing: to agree report done"
    if remark is None:
        earlier = _last_remark(case)
        if earlier is None:
            return "a dispute needs a comment that says the specific concern"
        parent = earlier.parent
    if parent is None:
        return None
    thread = thread_of(case, parent)
    if thread not in {dispute.thread for dispute in case.item.disputes}:
        return f"{parent} belongs to no open dispute: leave parent out to open a new one"
    if thread not in {dispute.thread for dispute in turn_of(case)}:
        return f"it is the other side's turn to speak in {thread}"
    if thread in {said.thread for said in resolutions(case, report)}:
        return f"{thread} is both answered and resolved: report disputed to disagree, or done to end it"
    return None


def _last_remark(case: Case) -> Comment | None:
    run = case.run.id if case.run else None
    mine = [comment for comment in case.comments.values() if run and comment.run == run]
    return mine[-1] if mine else None


def disputed(case: Case, comment: str | None, reason: str | None = None, agent: str | None = None) -> None:
    """A statement was made: its comment is the first of the report, or the run's last one before it.

    `reason` may lead to a dispute column; `agent` spoke if no run of the item itself did.
    """
    statement = case.comments[comment] if comment else _last_remark(case)
    assert statement is not None, "fault_of_statement has seen to it"
    agent = agent or (case.run.agent if case.run else case.speaker.name)
    answered = answered_by(case, statement.artifact) if statement.parent is None else None
    thread = answered.thread if answered else thread_of(case, statement.id)
    if (statement.parent is None and answered is None) or thread is None:
        _open(case, statement, agent, reason)
    else:
        # A comment that its run made before the report takes its place in the thread with it.
        changed: dict[str, str | None] = {"parent": thread} if answered else {}
        changed |= {"proposed": None} if statement.proposed else {}
        _reply(case, next(d for d in case.item.disputes if d.thread == thread), agent, (statement.id, changed))


def _open(case: Case, statement: Comment, agent: str, reason: str | None) -> None:
    item = case.item
    disputer = Side(agent, item.column, stage_of(case), item.origins)
    maker = _maker(case, statement)
    span = replace(item.span, disputes=item.span.disputes + 1)
    if maker is None or maker == stage_of(case) or case.flow.watcher(maker) == agent:
        whose = "its own work" if maker else "work that no stage made"
        case.set("dispute_opened", {"thread": statement.id, "by": agent}, span=span)
        right, wrong = Way(f"{agent} is right", "uphold"), Way("the work stays as it is", "dismiss")
        words = f"{agent} disputes {whose}: {statement.content}"
        told = " ".join(said for said in (statement.artifact, statement.target) if said)
        ask(case, "dispute", words, right, wrong, context=f"about {told}" if told else "", thread=statement.id)
        return
    dispute = Dispute(
        thread=statement.id,
        disputer=disputer,
        maker=Side(case.flow.watcher(maker) or "", maker, maker),
        agents=[agent],
        artifact=statement.artifact,
        column=_column_for(case, reason, agent, case.flow.watcher(maker)),
    )
    case.set(
        "dispute_opened",
        {"thread": statement.id, "by": agent, "with": dispute.maker.agent},
        disputes=[*item.disputes, dispute],
        span=span,
    )
    if span.disputes > case.flow.limits.disputes:
        flag(case, dispute, f"This is dispute {span.disputes} on one item - human decision needed")
    else:
        _to_side(case, dispute, f"{agent} disputes {statement.artifact or 'the work'} ({statement.id})")


def _column_for(case: Case, reason: str | None, disputer: str, maker: str | None) -> str | None:
    """The dispute column that a reason names, if both sides may speak there."""
    column = case.flow.columns.get(case.flow.reasons.get(reason or "", ""))
    if column is None or column.kind != "dispute" or not {disputer, maker} <= set(column.agents):
        return None
    return column.name


def _to_side(case: Case, dispute: Dispute, because: str) -> None:
    """To the side that must speak next: where it works, or into the dispute's own column, where it comes to speak."""
    side = dispute.side(dispute.turn)
    if dispute.column and dispute.column in case.flow.columns:
        enter(case, dispute.column, because, origins=[*side.origins, side.column])
    else:
        enter(case, side.column, because, origins=side.origins)


def _maker(case: Case, statement: Comment) -> str | None:
    """The stage that made what is disputed: the artifact, else the findings being fixed; else the stage before."""
    made = case.item.artifacts.get(statement.artifact or "")
    if made and made.column in case.flow.columns:
        return made.column
    before = case.item.returns_to or case.flow.stage_before(stage_of(case)) or case.item.made_by
    return before if before in case.flow.columns else None


def _reply(case: Case, dispute: Dispute, agent: str, placed: tuple[str, dict[str, str | None]]) -> None:
    dispute = replace(dispute, agents=[*dispute.agents, agent], turn=1 - dispute.turn)
    others = [d for d in case.item.disputes if d.thread != dispute.thread]
    context = {"thread": dispute.thread, "by": agent, "rounds": dispute.rounds}
    rows = {"comments": placed} if placed[1] else {}
    case.emit("dispute_answered", context, item={"disputes": [*others, dispute]}, **rows)
    if dispute.rounds >= case.flow.limits.dispute_rounds:
        flag(case, dispute, f"Agents disagree after {dispute.rounds} rounds - human decision needed")
        return
    _to_side(case, dispute, f"{agent} disagrees in {dispute.thread}")


def resolve(case: Case, report: Report) -> None:
    """Close the threads that a report resolves; a resolved reply resolves its thread (R-27)."""
    for said in resolutions(case, report):
        close(case, said.thread, said.resolution)


def close(case: Case, thread: str, resolution: str) -> None:
    """End a thread. If it was a dispute, rounds and agents begin again at zero."""
    dispute = next((d for d in case.item.disputes if d.thread == thread), None)
    row = {"status": "resolved", "resolution": resolution, "proposed": None}
    if dispute is None:
        case.emit("comment_resolved", {"comment": thread, "resolution": resolution}, comments=(thread, row))
        return
    fields: dict[str, object] = {"disputes": [d for d in case.item.disputes if d.thread != thread], "flag": None}
    if resolution == "accepted" and dispute.maker.column == case.item.returns_to:
        # Whoever asked for the changes agrees that they are not needed.
        fields |= {"returns_to": None, "findings": []}
    context = {"thread": thread, "resolution": resolution, "rounds": dispute.rounds, "agents": dispute.agents}
    case.emit("dispute_settled", context, item=fields, comments=(thread, row))
