"""The form of a report: what breaks it, and how one that breaks it is refused while its run lives (R-07, R-32)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ENDED, OUTCOMES
from folkmoot.core.item import Item
from folkmoot.core.records import Comment
from folkmoot.core.report import Remark, Report, Try
from folkmoot.core.rules.breaker import artifact_of, thread_of
from folkmoot.core.rules.children.help import fault_of_delegation, fault_of_signal, is_asked_back
from folkmoot.core.rules.children.looking import fault_of_looking
from folkmoot.core.rules.children.replacing import task_named
from folkmoot.core.rules.children.saying import fault_of_told_pieces, fault_of_unread_tasks
from folkmoot.core.rules.children.tasks import fault_of_discovery, fault_of_split
from folkmoot.core.rules.disputes import fault_of_done, fault_of_resolutions, fault_of_statement
from folkmoot.core.rules.distinct import fault_of_attempts, normal
from folkmoot.core.rules.judging.against.contradictions import (
    fault_of_contradiction,
    fault_of_no_verdict,
    fault_of_rejection,
    fault_of_verdict_word,
)
from folkmoot.core.rules.judging.carrying import PERMISSION, UNSPEAKABLE, may_say
from folkmoot.core.rules.judging.examples import way_on
from folkmoot.core.rules.judging.spoken import fault_of_comments
from folkmoot.core.rules.judging.together import fault_of_meaning, fault_of_outcomes
from folkmoot.core.rules.judging.understanding import fault_of_number, fault_of_words
from folkmoot.core.rules.messages.enclosed import fault_of_enclosed, has_told
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.running.work import fault_of_files
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.plans import numbered
from folkmoot.core.vocabulary.roles import agent_named, folded
from folkmoot.core.vocabulary.words import plain as words
from folkmoot.errors import Invalid

# Where the documents let an agent say who it is.
SIGNED = ("agentType", "agent_type", "Agent")
# Beyond this many a refusal writes nothing down any more: an agent that repeats itself must not fill the board.
REFUSALS_KEPT = 20
REPORT_REFUSED = "report_refused"
_SIGNED = "a comment that the report signs as "


def fault_of(case: Case, said: Report) -> str | None:
    """What is wrong with a report that could be read, in words that its agent is told; None if nothing is."""
    several = fault_of_outcomes(said) or fault_of_meaning(said, checks=case.flow.checks(stage_of(case)))
    if several:
        return several
    if said.outcome in UNSPEAKABLE.get(case.item.kind, ()):
        return f"an item of kind {case.item.kind} cannot end with {said.outcome}"
    if not may_say(case.flow, case.run.agent if case.run else "", said.outcome):
        return f"this agent may not report {said.outcome}: {PERMISSION[said.outcome]!r} is not in its `may`"
    fault = (
        fault_of_signature(case, said)
        or fault_of_task(case, said)
        or fault_of_attempts(said)
        or fault_of_files(case, said)
    )
    fault = fault or fault_of_signal(case, said) or fault_of_enclosed(case, said) or fault_of_contradiction(case, said)
    fault = fault or fault_of_no_verdict(case, said) or fault_of_verdict_word(case, said)
    fault = fault or fault_of_rejection(case, said)
    if fault or case.item.kind == "part":
        return fault or _fault_of_part(case, said)
    fault = fault_of_words(case, said) or fault_of_comments(case, said) or fault_of_resolutions(case, said)
    fault = fault or _fault_of_findings(said)
    if fault:
        return fault
    match said.outcome:
        case "done":
            fault = fault_of_done(case, said) or fault_of_unread_tasks(case, said) or fault_of_discovery(case, said)
            fault = fault or fault_of_told_pieces(case, said)
            return fault or fault_of_looking(case, said)
        case "disputed":
            return fault_of_statement(case, said)
        case "split":
            return fault_of_split(case, said) or fault_of_looking(case, said)
        case "delegates":
            return fault_of_delegation(case, said)
        case "asks" if said.question is None:
            return "asks needs a question"
        case "changes_requested" if not has_told(case, said):
            return _fault_of_verdict(said)
        case _:
            return None


def fault_of_signature(case: Case, said: Report) -> str | None:
    """A report is its own run's. One that another role has signed may be meant for another run, or copied."""
    run = case.run
    for name in SIGNED if said.extra else ():
        word = said.extra.get(name)
        signer = agent_named(case.flow, word) if isinstance(word, str) else ""
        if run is not None and signer in case.flow.agents and signer != run.agent:
            return (
                f"it is signed by {signer} ({name}), but this run is {run.agent}'s: report as {run.agent}, for its item"
            )
    return None


def names_another(item: Item, said: Report) -> str:
    """The task that a report says it is of, by its title, its id or its key, or that it is signed with
    (`builder-2`), where that is not plainly this item; else nothing."""
    own = {words(item.title), item.id, words(item.called or "")}
    signed = (word for name in SIGNED if isinstance(word := said.extra.get(name), str) and numbered(word))
    told = (word for word in (said.extra.get("task"), *signed) if isinstance(word, str) and word.strip())
    return next((word for word in told if words(word) not in own), "")


def fault_of_task(case: Case, said: Report) -> str | None:
    """A report that says it is of another open task of the same whole would finish the wrong one."""
    if not case.situation.siblings:
        return None
    word = names_another(case.item, said)
    other = task_named([one for one in case.situation.siblings if one.status not in ENDED], word) if word else None
    if other is None:
        return None
    return (
        f"it is of {word[:80]!r}, which is item {other.id}; this run is about item {case.item.id} "
        f"({case.item.title[:80]!r}): report what was done for that, with its own `task` or none"
    )


def _fault_of_part(case: Case, said: Report) -> str | None:
    if said.outcome == "asks" and said.question is None:
        return "asks needs a question"
    if said.outcome == "disputed" and not (said.comments or said.summary):
        return "a dispute needs a comment that says the specific concern"
    untold = said.outcome == "changes_requested" and not has_told(case, said)
    return (_fault_of_verdict(said) if untold else None) or _fault_of_findings(said) or fault_of_number(said)


def _fault_of_findings(said: Report) -> str | None:
    """One that says how bad it is or where, and not what: whoever is to change it could not know what is wrong."""
    asks = said.outcome == "changes_requested" and not said.summary.strip()
    for one in said.findings if asks else ():
        told = (one.issue, one.recommendation, one.test, one.exploit, one.why, one.category, one.fixed, *one.wordings)
        if not any(words and words.strip() for words in told):
            place = f", {one.file}{f':{one.line}' if one.line is not None else ''}" if one.file else ""
            return f"a finding ({one.severity}{place}) has no words: say in its `issue` what is wrong"
    return None


def _fault_of_verdict(said: Report) -> str | None:
    """Whoever is to change something must be told what."""
    tests = said.tests is not None and said.tests.failed > 0
    words = said.summary.strip() or (said.blockers or "").strip()
    if said.findings or said.comments or said.next_steps or tests or words:
        return None
    return "changes_requested needs findings, or a summary that says what to change"


def refuse(case: Case, said: Report, fault: str) -> None:
    """The run lives and can report again. What it said is kept: comments as comments, the rest on the run."""
    run = case.run
    assert run is not None
    way = way_on(fault, said.outcome, sayable(case))
    hint = "the run still lives: mend this and report again, with all of it; {way}"
    if said.comments or said.attempts or said.contracts or said.integration_points:
        hint = (
            "the run still lives. Its comments, attempts, contracts and integration points are kept; what its comments "
            "resolve, and all else, must be said again: mend this and report again; {way}"
        )
    words = "the report was not accepted: {fault}"
    error = Invalid(REPORT_REFUSED, words, hint, fault, way, run=run.id, outcome=said.outcome)
    if run.refusals >= REFUSALS_KEPT:
        raise error
    rows = _rows(case, said)
    row: dict[str, Any] = {"refused": with_kept(case, said), "refusals": run.refusals + 1, "refused_for": fault}
    if rows:
        row["kept"] = [*run.kept, *(comment for comment, _ in rows)]
    fields = {"comment_count": case.item.comment_count + len(rows)} if rows else {}
    context = {"why": fault} if said.is_unread else {"outcome": said.outcome, "why": fault}
    case.emit("report_refused", context, item=fields, runs=(run.id, row), **({"comments": rows} if rows else {}))
    case.refusal = error


def sayable(case: Case) -> list[str]:
    """The outcomes that this run may end with."""
    assert case.run is not None
    if case.run.gate:
        return ["done", "failed"]
    never, agent = UNSPEAKABLE.get(case.item.kind, ()), case.run.agent
    return [outcome for outcome in OUTCOMES if outcome not in never and may_say(case.flow, agent, outcome)]


def _rows(case: Case, said: Report) -> list[tuple[str, dict[str, Any]]]:
    """The comments of a refused report that were not kept before. They say something, and resolve nothing yet."""
    run = case.run
    assert run is not None
    if case.item.kind == "part":
        return []  # a part speaks beside the item: what it says goes with its report
    room = case.flow.limits.comments - run.said.get("comments", 0) - len(run.kept)
    return [(case.new_comment_id(), row_of(case, remark)) for remark in not_kept(case, said)[: max(room, 0)]]


def not_kept(case: Case, said: Report) -> list[Remark]:
    """The comments of a report in bad form that no refused one has brought before, as words alone."""
    pairs = zip(said.comments, said_before(case, said.comments), strict=True)
    return [plain(case, remark) for remark, known in pairs if remark.content.strip() and known is None]


def said_before(case: Case, remarks: list[Remark]) -> list[Comment | None]:
    """For each remark the comment by which a refused report of this run said the same; each is that of one at most."""
    kept = case.run.kept if case.run else []
    left = [case.comments[comment] for comment in kept if comment in case.comments]
    if not left:
        return [None] * len(remarks)
    found: list[Comment | None] = []
    for remark in remarks:
        alike = [comment for comment in left if comment.content in (remark.content, _as_said(case, remark))]
        alike = alike or [comment for comment in left if _is_quoted(comment.content, remark.content)]
        same = next((comment for comment in alike if comment.parent == remark.parent), alike[0] if alike else None)
        left = [comment for comment in left if comment is not same]
        found.append(same)
    return found


def plain(case: Case, remark: Remark) -> Remark:
    """The words alone: where they belong to a thread they stay in it, and they end none."""
    parent = remark.parent if remark.parent and thread_of(case, remark.parent) is not None else None
    return replace(remark, parent=parent, resolution=None)


def _as_said(case: Case, remark: Remark, author: str | None = None) -> str:
    """Under another's name it is no word of this agent's own: the signature stays as it was written, quoted."""
    own = author or (case.run.agent if case.run else "")
    if not remark.author or not remark.content.strip() or folded(remark.author) == folded(own):
        return remark.content
    return f"{_SIGNED}{remark.author}:\n{remark.content}"


def _is_quoted(kept: str, words: str) -> bool:
    """Is it what was kept under another's name, said again without that name?"""
    return kept.startswith(_SIGNED) and bool(words.strip()) and kept.endswith(f":\n{words}")


def row_of(case: Case, remark: Remark, author: str | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item": case.item.id,
        "author": author or (case.run.agent if case.run else ""),
        "content": _as_said(case, remark, author),
        "run": case.run.id if case.run else None,
        "at": case.situation.at,
    }
    artifact = remark.artifact or artifact_of(case, remark.parent)
    about = {"artifact": artifact, "target": remark.target, "parent": remark.parent}
    row |= {name: value for name, value in about.items() if value is not None}
    if remark.resolution:
        row |= {"status": "resolved", "resolution": remark.resolution}
    return row


def with_kept(case: Case, said: Report) -> Report:
    """The report with the attempts, and for a part the comments, that a refused one of the same run told and this one
    does not tell again. What tasks share, and where they meet, need not be said again either where both end alike."""
    before = case.run.refused if case.run else None
    if before is None:
        return said
    told = {_same(attempt) for attempt in said.attempts}
    attempts = [one for one in before.attempts if _same(one) not in told and not is_asked_back(case, one)]
    words = {remark.content for remark in said.comments}
    left = before.comments if case.item.kind == "part" else []
    comments = [replace(remark, resolution=None) for remark in left if remark.content not in words]
    shared = _shared_before(before, said) if before.outcome == said.outcome else {}
    if not attempts and not comments and not shared:
        return said
    return replace(said, attempts=[*attempts, *said.attempts], comments=[*said.comments, *comments], **shared)


def _shared_before(before: Report, said: Report) -> dict[str, Any]:
    named = {one.name for one in said.contracts}
    contracts = [one for one in before.contracts if one.name not in named]
    points = {name: told for name, told in before.integration_points.items() if name not in said.integration_points}
    found: dict[str, Any] = {"contracts": [*contracts, *said.contracts]} if contracts else {}
    return found | ({"integration_points": {**points, **said.integration_points}} if points else {})


def _same(attempt: Try) -> str:
    """What makes an attempt one that was told before. Mended words about what came of it make no other of it: counted
    twice it would be a repeat that nobody made (R-06)."""
    return normal(attempt.approach or "") or normal(attempt.outcome or "")
