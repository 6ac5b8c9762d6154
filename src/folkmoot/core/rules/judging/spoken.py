"""Whose comments a report carries, and in which thread each of them belongs (R-12): what was said, as it is meant."""

from msgspec.structs import replace

from folkmoot.core.enums import Outcome
from folkmoot.core.records import Comment
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.breaker import only_disagrees, spoken_in, thread_of, turn_of
from folkmoot.core.rules.disputes import answered_by, has_remarked, resolutions
from folkmoot.core.rules.sharing.makers import is_same, makers_of
from folkmoot.core.rules.sharing.places import is_other
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.agreeing import agrees
from folkmoot.core.vocabulary.roles import role

NONE_OPEN = "; none is open, leave parent out to begin"


def as_spoken(case: Case, report: Report) -> Report:
    """The comments as they are meant: without those that only repeat what stands on the item, each in its thread."""
    if not report.comments and report.outcome != "disputed":
        return report
    said = _without_repeated(case, report.comments)
    if report.implied and report.outcome in ("done", "disputed"):
        report = replace(report, outcome=_implied_by(case, said))
    if report.outcome == "disputed" and not said:
        # The same words again are a statement too; and so is a summary, where nothing else was said.
        told = [] if _quotes(case, report.comments) else report.comments[-1:]
        told = told or ([] if report.implied or has_remarked(case) else [Remark(content=report.summary)])
        said = [remark for remark in told if remark.content.strip()]
    mine = turn_of(case)
    comments: list[Remark] = []
    for remark in (_with_artifact(case, one) for one in said):
        parent, resolution = remark.parent, remark.resolution
        if resolution is None and remark.status == "resolved":
            only = mine[0] if parent is None and len(mine) == 1 else None
            dispute = only or next((d for d in mine if parent and d.thread == thread_of(case, parent)), None)
            # How a dispute ends is said, and never guessed: `fault_of_comments` asks for it.
            resolution = None if dispute else "accepted"
        if report.outcome == "disputed":
            answered = None if parent else answered_by(case, remark, beside=bool(comments))
            parent = answered.thread if answered else parent
            thread = thread_of(case, parent) if parent else None
            if resolution == "rejected" and only_disagrees(case, report, thread):
                resolution = None
        elif resolution and parent is None and len(mine) == 1:
            parent = mine[0].thread
        comments.append(replace(remark, parent=parent, resolution=resolution))
    report = replace(report, comments=comments) if comments != report.comments else report
    return _by_who_speaks(case, report) if report.implied else report


def _with_artifact(case: Case, remark: Remark) -> Remark:
    """Where the target is a path that some stage has made, it says which artifact is meant."""
    if not remark.target or remark.artifact or remark.parent:
        return remark
    path = remark.target.partition("#")[0].strip(" `\"'")
    if not ({"/", "."} & set(path)) or not makers_of(case.item, path):
        return remark
    return replace(remark, artifact=path)


def _implied_by(case: Case, said: list[Remark]) -> Outcome:
    """How comments alone end a run, in whichever order they stand: an open one disputes, unless it is a remark in a
    thread that is no dispute."""
    disputes = {dispute.thread for dispute in case.item.disputes}
    left = [one for one in said if not _ends(one) and (one.parent is None or thread_of(case, one.parent) in disputes)]
    return "done" if not left and any(map(_ends, said)) else "disputed"


def _has_concern(said: list[Remark]) -> bool:
    return any(one.parent is None and not _ends(one) for one in said)


def _ends(remark: Remark) -> bool:
    return remark.status == "resolved" or remark.resolution is not None


def _by_who_speaks(case: Case, report: Report) -> Report:
    """Comments alone, without an outcome: the maker who agrees has done its work; the disputer who gives in has only
    ended the dispute, and its own work goes on."""
    ended = {said.thread for said in resolutions(case, report)}
    own = [dispute for dispute in spoken_in(case) if dispute.thread in ended]
    gives_in = report.outcome == "done" and own and all(dispute.turn == 0 for dispute in own)
    return replace(report, outcome="incomplete") if gives_in else report


def _without_repeated(case: Case, remarks: list[Remark]) -> list[Remark]:
    """The new comments, with the board's ids for those that the report repeats under ids of its own. What is marked as
    resolved in its place is new as well."""
    whole = _quotes(case, remarks)
    new: list[Remark] = []
    marked: list[Remark] = []
    names: dict[str, str] = {}
    for remark in remarks:
        parent = names.get(remark.parent or "", remark.parent)
        if parent not in case.comments and (parent or "").strip().lower() in case.comments:
            parent = (parent or "").strip().lower()  # ids are small letters and a number
        remark = replace(remark, parent=parent) if parent != remark.parent else remark
        same = _repeated(case, remark, whole)
        if same is None:
            new += [] if remark in new else [remark]
            continue
        if remark.id:
            names[remark.id] = same.id
        if _ends(remark) and case.comments[thread_of(case, same.id) or same.id].status == "open":
            words = f"resolved: {remark.resolution or 'how is not said'}"
            marked.append(Remark(content=words, parent=same.id, status="resolved", resolution=remark.resolution))
    for mark in marked:
        _take_up(case, new, mark)
    return new


def _take_up(case: Case, new: list[Remark], mark: Remark) -> None:
    """A reply that does not say how it is meant has the resolution that its thread was marked with."""
    thread = thread_of(case, mark.parent or "")
    for place, one in enumerate(new):
        if one.parent and thread_of(case, one.parent) == thread:
            if one.status == "open" and mark.resolution == "rejected":
                return  # it disagrees, in both words
            if one.status != "open" and one.resolution in (None, mark.resolution):
                new[place] = replace(one, parent=mark.parent, status="resolved", resolution=mark.resolution)
                return
    new.append(mark)


def _quotes(case: Case, remarks: list[Remark]) -> bool:
    """Does it hold what others have said? Then it is the whole file, in which the earlier ones stand again."""
    return any(remark.author and not _is_by(remark.author, _actor(case)) for remark in remarks)


def _is_by(author: str, agent: str) -> bool:
    return role(author, [agent]) == agent


def _actor(case: Case) -> str:
    return case.run.agent if case.run else case.actor.name


def _repeated(case: Case, remark: Remark, whole: bool) -> Comment | None:
    """The comment of the item that this one is: whoever writes the whole file writes the earlier ones again."""
    if remark.id is None and remark.author is None:
        return None
    words = remark.content.split()
    # What a refused report of this run has brought is said again, and this time it counts.
    kept = case.run.kept if case.run else []
    known = [c for c in case.comments.values() if c.content.split() == words and c.id not in kept]
    by, thread = remark.author, thread_of(case, remark.parent) if remark.parent else None
    if thread and remark.id is None and not whole and thread in {dispute.thread for dispute in turn_of(case)}:
        known = [c for c in known if case.run and c.run == case.run.id]  # the same answer, given once more
    known = [c for c in known if not (is_other(c.target, remark.target) or _is_about_other(case, c, remark))]
    known = [c for c in known if thread is None or thread_of(case, c.id) == thread]
    return next((c for c in reversed(known) if by is None or _is_by(by, c.author)), None)


def _is_about_other(case: Case, known: Comment, said: Remark) -> bool:
    return bool(known.artifact and said.artifact) and not is_same(case.item, known.artifact or "", said.artifact or "")


def fault_of_comments(case: Case, report: Report) -> str | None:
    """What is wrong with who says something, and to what."""
    agent, mine = _actor(case), {dispute.thread for dispute in turn_of(case)}
    if report.implied and report.outcome == "disputed" and not report.comments and not has_remarked(case):
        return "all of its comments stand on the item, and nothing new is said: add a comment, or say how it ended"
    if report.implied and report.outcome == "stuck" and not mine and _has_concern(report.comments):
        return (
            "an open comment disputes, and escalation_reason calls for help: say which of them it is, "
            "outcome: disputed or outcome: stuck"
        )
    for remark in report.comments:
        if remark.author and not _is_by(remark.author, agent):
            return f"a comment is signed by {remark.author}, who has not said it on this item: this run is {agent}"
        if remark.parent and thread_of(case, remark.parent) is None:
            return f"a comment has the parent {remark.parent}, but the item has no such comment{_threads(case)}"
        if remark.resolution and not remark.parent:
            return f"a comment has a resolution but no parent: {_resolves_what(case)}"
        if remark.status == "resolved" and remark.resolution is None and report.outcome != "disputed":
            return "a comment is resolved, but how is not said: resolution: accepted, or rejected"
        if report.implied and not (remark.status or remark.resolution) and thread_of(case, remark.parent or "") in mine:
            return (
                f"it does not say how the reply to {remark.parent} is meant: status: open to disagree; to end "
                "the dispute, status: resolved and a resolution"
            )
        if remark.status == "open" and remark.resolution:
            return "a comment is open and has a resolution: leave out one of them"
        thread = thread_of(case, remark.parent or "")
        if report.outcome == "disputed" and not remark.resolution and thread in mine and agrees(remark.content):
            return _agreeing(thread, remark)
    return None


def _agreeing(thread: str | None, remark: Remark) -> str:
    """Who goes on with a dispute, and says no more than that the other side is right, may have left it open unasked."""
    words = (
        f"the reply goes on with {thread}, and says {' '.join(remark.content.split())[:80]!r}: which holds? To agree"
    )
    return f"{words} give it status resolved and a resolution; to disagree say in its words what is wrong"


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
