"""Whose comments a report carries, and in which thread each of them belongs (R-12): what was said, as it is meant."""

from msgspec.structs import replace

from folkmoot.core.records import Comment
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.breaker import thread_of
from folkmoot.core.rules.disputes import answered_by, has_remarked, resolutions, turn_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import role

NONE_OPEN = "; none is open, leave parent out to begin"


def as_spoken(case: Case, report: Report) -> Report:
    """The comments as they are meant: without those that only repeat what stands on the item, each in its thread."""
    if not report.comments and report.outcome != "disputed":
        return report
    said, names = _without_repeated(case, report.comments)
    if report.outcome == "disputed" and not said:
        # The same words again are a statement too; and so is a summary, where nothing else was said.
        told = report.comments[-1:] or ([] if has_remarked(case) else [Remark(content=report.summary)])
        said = [remark for remark in told if remark.content.strip()]
    mine = turn_of(case)
    comments: list[Remark] = []
    for remark in said:
        parent = names.get(remark.parent or "", remark.parent)
        if parent not in case.comments and (parent or "").strip().lower() in case.comments:
            parent = (parent or "").strip().lower()  # ids are small letters and a number
        resolution = remark.resolution
        if resolution is None and remark.status == "resolved":
            only = mine[0] if parent is None and len(mine) == 1 else None
            dispute = only or next((d for d in mine if parent and d.thread == thread_of(case, parent)), None)
            # How a dispute ends is said, and never guessed: `fault_of_comments` asks for it.
            resolution = None if dispute else "accepted"
        if report.outcome == "disputed":
            answered = None if parent else answered_by(case, remark, beside=bool(comments))
            parent = answered.thread if answered else parent
            thread = thread_of(case, parent) if parent else None
            if resolution == "rejected" and thread in {dispute.thread for dispute in mine}:
                resolution = None
        elif resolution and parent is None and len(mine) == 1:
            parent = mine[0].thread
        comments.append(replace(remark, parent=parent, resolution=resolution))
    report = replace(report, comments=comments) if comments != report.comments else report
    return _by_who_speaks(case, report) if report.implied else report


def _by_who_speaks(case: Case, report: Report) -> Report:
    """Comments alone, without an outcome: the maker who agrees has done its work; the disputer who gives in has only
    ended the dispute, and its own work goes on."""
    ended = {said.thread for said in resolutions(case, report)}
    own = [dispute for dispute in turn_of(case) if dispute.thread in ended]
    gives_in = report.outcome == "done" and own and all(dispute.turn == 0 for dispute in own)
    return replace(report, outcome="incomplete") if gives_in else report


def _without_repeated(case: Case, remarks: list[Remark]) -> tuple[list[Remark], dict[str, str]]:
    """The new comments, and the board's ids for those that the report repeats under ids of its own."""
    new, names = [], {}
    for remark in remarks:
        same = _repeated(case, remark)
        if same is None and remark not in new:
            new.append(remark)
        elif same is None:
            continue  # the very same again
        elif remark.id:
            names[remark.id] = same.id
    return new, names


def _repeated(case: Case, remark: Remark) -> Comment | None:
    """The comment of the item that this one is: whoever writes the whole file writes the earlier ones again."""
    if remark.id is None and remark.author is None:
        return None
    words = remark.content.split()
    # What a refused report of this run has brought is said again, and this time it counts.
    kept = case.run.kept if case.run else []
    known = [c for c in case.comments.values() if c.content.split() == words and c.id not in kept]
    by = remark.author
    return next((c for c in reversed(known) if by is None or role(by, [c.author]) == c.author), None)


def fault_of_comments(case: Case, report: Report) -> str | None:
    """What is wrong with who says something, and to what."""
    agent = case.run.agent if case.run else case.actor.name
    for remark in report.comments:
        if remark.author and role(remark.author, [agent]) != agent:
            return f"a comment is signed by {remark.author}, who has not said it on this item: this run is {agent}"
        if remark.parent and thread_of(case, remark.parent) is None:
            return f"a comment has the parent {remark.parent}, but the item has no such comment{_threads(case)}"
        if remark.resolution and not remark.parent:
            return f"a comment has a resolution but no parent: {_resolves_what(case)}"
        if remark.status == "resolved" and remark.resolution is None and report.outcome != "disputed":
            return "a comment is resolved, but how is not said: resolution: accepted, or rejected"
        if remark.status == "open" and remark.resolution:
            return "a comment is open and has a resolution: leave out one of them"
    return None


def _resolves_what(case: Case) -> str:
    told = _threads(case)
    if told == NONE_OPEN:
        return "nothing is open that it could resolve: leave resolution and status out"
    return f"name the comment it resolves{told}"


def _threads(case: Case) -> str:
    """The comments that one may reply to, for whoever named another."""
    own = case.run.kept if case.run else []
    first = [c for c in case.comments.values() if c.parent is None and c.status == "open" and c.id not in own][-5:]
    told = "; ".join(f"{c.id} ({c.author}: {' '.join(c.content.split())[:60]})" for c in first)
    return f"; open: {told}" if told else NONE_OPEN
