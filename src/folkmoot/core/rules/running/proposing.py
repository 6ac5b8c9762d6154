"""Work that people merge on a forge: proposed, then landed once the target branch has it (R-19).

A proposal is a landing that waits for people. What they ask for goes to the stage that made the work; what they merge
has landed; what they close, and what somebody else puts on the branch, is a person's to decide.
"""

from collections.abc import Collection, Iterable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ASKING, ENDED
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.proposals.orders import MeetOthersWork, PausePool, RecordProposal, SeeProposal, TellMerge
from folkmoot.core.proposals.proposal import (
    HEARD_KEPT,
    Check,
    Meaning,
    Proposal,
    Said,
    Seen,
    finding_id,
    is_ready,
    meaning,
    picture,
    wants_merge,
)
from folkmoot.core.records import Hold, Pause
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.judging.required import required, unproved
from folkmoot.core.rules.movement import at_rest, enter
from folkmoot.core.rules.questions import ask, withdraw
from folkmoot.core.rules.running.budgets import ALL, POOL, in_force
from folkmoot.core.rules.running.landing import GIVE_UP, check_lease, mend
from folkmoot.core.rules.running.looking import unseen_by
from folkmoot.core.rules.sharing.holds import in_the_way, is_landing
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import PARK, Way
from folkmoot.core.work import Landing
from folkmoot.errors import Refused

PROPOSE_AGAIN = Way("propose it again", "again")
TAKE_IN = Way("take it in and go on", "join")
WORDS_KEPT = 4_000  # of one comment or one check


def record(case: Case, command: RecordProposal) -> None:
    """It was proved before it was pushed (`landing.record`): what is proposed is what was written down then."""
    run = fence(case)
    proposal, intent = command.proposal, case.item.landing
    check_lease(run, case.now)
    _check_intent(case, intent, run.id, proposal.commit)
    before = case.item.proposal
    same = before is not None and before.number == proposal.number
    heard = before.heard if before is not None and same else []
    kept = replace(proposal, head=run.head, run=run.id, at=case.situation.at, heard=heard, state="open", renew=False)
    effort = replace(case.item.effort, releases=0, deferrals=0, outages=0)
    said = Report(outcome="done", summary=f"proposed as {proposal.url}", commit=proposal.commit)
    context = {"outcome": "released", "summary": said.summary}
    fields = {"effort": effort, "landing": None}
    end_run(case, "agent_completed", "released", context, outcome="released", report=said, item=fields)
    told = {"number": proposal.number, "url": proposal.url, "branch": proposal.branch, "commit": proposal.commit}
    because = "its gates are green, and people are asked"
    case.set("work_proposed", {**told, "run": run.id, "renewed": same}, proposal=kept, because=because)


def pause(case: Case, command: PausePool) -> None:
    """The longer of two pauses holds."""
    name, until = POOL + command.pool, case.now + max(1.0, command.seconds)
    held = in_force(case.pauses.values(), case.now).get(name)
    if held is not None and held.until is not None and held.until >= until:
        return
    ends_at = case.situation.at + round(command.seconds * 1000)
    row: dict[str, Any] = {"on": True, "until": until, "ends_at": ends_at, "why": command.why, "by": case.actor.name}
    row |= {"in_a_row": 1, "cause": "quota", "at": case.situation.at}
    told = {"pool": command.pool, "seconds": round(command.seconds, 1), "how": f"for {command.seconds:.0f}s"}
    case.emit("pool_paused", {**told, "why": command.why, "shown": True, "cause": "quota"}, pauses=(name, row))


def _check_intent(case: Case, intent: Landing | None, run: str, commit: str) -> None:
    if intent is None or intent.run != run or intent.new != commit:
        words = "{commit} was not written down as what item {item} brings"
        raise Refused("not_proved", words, "prove it first, then push it", commit, case.item.id)


def meet(case: Case, command: MeetOthersWork) -> None:
    """Nobody's work is overwritten. A person says whether it is taken in."""
    run = fence(case)
    if run.agent != LANDING:
        words = "run {run} is of {agent}, and moves no branch"
        raise Refused("not_landing", words, "report the work instead", run.id, run.agent)
    words = f"{command.branch} holds {command.commit[:12]}, which this board did not put there"
    told = {"outcome": "released", "summary": words}
    end_run(case, "agent_completed", "released", told, outcome="released", item={"landing": None})
    before = case.item.proposal
    proposal = before or Proposal(number=0, url="", branch=command.branch, commit="")
    _ask_about_change(case, proposal, command.commit, words)


def see(case: Case, command: SeeProposal) -> None:
    """The picture is of the item as it was when the forge was asked: what has moved on since is asked about again."""
    item, seen = case.item, command.seen
    proposal = item.proposal
    if proposal is None or item.status in ENDED or item.run is not None or item.head != proposal.head:
        return
    found = meaning(proposal, seen)
    if found.means == "merged" and not item.made:
        _landed(case, proposal, seen, found)
    elif proposal.state in ("closed", "changed"):
        _over(case, proposal, seen, found)
    elif not waits_for_merge(item):
        return
    elif found.means == "closed":
        _closed(case, proposal, found)
    elif found.means == "changed":
        _ask_about_change(case, proposal, seen.commit, f"{found.why}: {proposal.url}")
    elif found.means == "red":
        _red(case, proposal, found)
    elif found.means in ("behind", "dirty"):
        _note(case, proposal, found, renew=True)
    elif why := outdated(case.flow, item, seen):
        _note(case, proposal, Meaning("behind", why), renew=True)
    elif found.why != proposal.stands:
        _note(case, proposal, found)


def waits_for_merge(item: Item) -> bool:
    return item.status == "proving" and item.is_proposed and item.column == END and item.run is None


def is_to_be_merged(flow: Flow, item: Item, seen: Seen, at: int) -> bool:
    """As for any landing, what is merged is proved by the gates that the flow has now, on the very tree that comes."""
    proposal = item.proposal
    if proposal is None or not waits_for_merge(item) or outdated(flow, item, seen):
        return False
    return wants_merge(flow.land, proposal, seen, at)


def is_kept_off(
    item: Item, holds: Iterable[Hold], pauses: Collection[Pause], waiters: Iterable[str], now: float
) -> bool:
    """Does somebody hold what it would change, or has a person paused the board? Then no landing begins either."""
    others = in_the_way(item.changed, [hold for hold in holds if not is_landing(hold)], item.id, waiters)
    return bool(others) or ALL in in_force(pauses, now)


def outdated(flow: Flow, item: Item, seen: Seen) -> str:
    """Why it must be proved and proposed again; empty: it need not. What people merge by their own hand is theirs to
    judge, but for the branch: what came onto another one than the flow's has not landed."""
    proposal = item.proposal
    if proposal is None:
        return ""
    if proposal.onto not in ("", flow.target):
        return f"it was proposed for {proposal.onto}, and the flow's target is {flow.target}"
    if flow.land.merge != "when_green" or seen.state != "open":
        return ""
    if missing := unproved(flow, item, True, proposal.tree):
        return f"{missing[0]} has not been green on it, as the flow has that gate now"
    if look := unseen_by(flow, item):
        return f"{look} has not seen it as it is"
    moved = seen.base not in (None, proposal.base) and not seen.queues
    return "the target branch has moved on since it was proved" if moved and is_ready(proposal, seen) else ""


MERGED = {
    "merged": "the forge has merged it, as the flow says",
    "queued": "it was put into the merge queue, as the flow says",
}


def tell_merge(case: Case, command: TellMerge) -> None:
    """It has landed once the target branch has it: this is only how it stands. A refused merge is asked for again where
    the branch has moved, or after a while."""
    item, seen, proposal = case.item, command.seen, case.item.proposal
    if proposal is None or not waits_for_merge(item) or proposal.commit != seen.commit:
        return
    if command.became == "refused":
        why = f"every check is green, and the forge does not merge it: {command.why}"
        changed: dict[str, Any] = {"refused": picture(proposal, seen), "refused_at": case.situation.at}
    else:
        why, changed = MERGED[command.became], {}
    _note(case, proposal, Meaning("green", why), {"asked": command.became}, **changed)


def _note(case: Case, proposal: Proposal, found: Meaning, more: dict[str, Any] | None = None, **changed: Any) -> None:
    told = {"number": proposal.number, "url": proposal.url, "means": found.means, "why": found.why, **(more or {})}
    case.set("proposal_seen", told, proposal=replace(proposal, stands=found.why, **changed))


def _landed(case: Case, proposal: Proposal, seen: Seen, found: Meaning) -> None:
    """The target branch has it, by a person's hand. Whatever else was asked about it is answered by that."""
    target = case.flow.target
    if case.questions:
        withdraw(case, f"{proposal.url}: {found.why}")
    told: dict[str, Any] = {"branch": target, "commit": seen.merged, "run": proposal.run, "url": proposal.url}
    told["proved"] = required(case.flow, case.item, True)
    if seen.commit != proposal.commit:
        told["others"] = seen.commit  # somebody has added to it before it was merged
    fields: dict[str, Any] = {"head": None, "landed": seen.merged, "landed_on": target, "changed": []}
    fields |= {"landing": None, "proving": None, "returns_to": None, "marked": None, "column": END, "origins": []}
    merged = replace(proposal, state="merged", stands=found.why, question=None, renew=False)
    case.set("work_landed", told, **at_rest(case, **fields), proposal=merged)
    enter(case, END, f"its work is on {target}: {proposal.url} was merged")


def _closed(case: Case, proposal: Proposal, found: Meaning) -> None:
    """A person's answer, and no failure: nothing is counted, and what becomes of the work is asked."""
    words = f"{proposal.url} was closed without a merge{_by(found)}. What should become of the work? It is kept."
    _ask(case, replace(proposal, state="closed", stands=found.why), found.why, words, PROPOSE_AGAIN)


def _by(found: Meaning) -> str:
    _, by, who = found.why.partition(" by ")
    return f"{by}{who}" if by else ""


def _ask_about_change(case: Case, proposal: Proposal, commit: str, why: str) -> None:
    words = f"{why}. Nothing of it was overwritten. Should it be taken in?"
    changed = replace(proposal, state="changed", found=commit, taking=None, stands=why)
    _ask(case, changed, why, words, TAKE_IN)


def take_in(case: Case) -> None:
    """By a person's word, and by nothing else: what was found there belongs to the work from now on."""
    proposal = case.item.proposal
    if proposal is None or proposal.state != "changed" or proposal.found is None:
        return
    why = f"{proposal.found[:12]} is taken in: {case.actor.name} says so"
    told = {"number": proposal.number, "url": proposal.url, "means": "changed", "why": why}
    case.set("proposal_seen", told, proposal=replace(proposal, taking=proposal.found, stands=why))


def _ask(case: Case, proposal: Proposal, why: str, words: str, first: Way) -> None:
    before = set(case.questions)
    told = {"number": proposal.number, "url": proposal.url, "why": why}
    case.emit("proposal_answered", told, item=at_rest(case, proposal=proposal, because=why))
    ask(case, "decision", words, first, GIVE_UP, PARK, context=f"its work is at {case.item.head}")
    asked = next((one for one in case.questions if one not in before), None)
    if asked is not None:
        told = {"number": proposal.number, "url": proposal.url, "means": proposal.state, "question": asked}
        case.set("proposal_seen", told, proposal=replace(proposal, question=asked))


def _over(case: Case, proposal: Proposal, seen: Seen, found: Meaning) -> None:
    """Somebody has opened it again, or taken back what was put on its branch: the question has no point any more."""
    open_again = seen.state == "open" and seen.commit == proposal.commit
    if not open_again or case.item.status not in ASKING or proposal.question not in case.questions:
        return
    withdraw(case, f"{proposal.url} is open again, as it was proposed", question=proposal.question)
    as_it_was = replace(proposal, state="open", question=None, found=None, taking=None, stands=found.why)
    told = {"number": proposal.number, "url": proposal.url, "means": found.means, "why": "it is open again"}
    case.emit("proposal_seen", told, item=at_rest(case, proposal=as_it_was))


def _red(case: Case, proposal: Proposal, found: Meaning) -> None:
    """To the stage that made the work, as findings, each with the name by which it is told once."""
    names = [*(finding_id(proposal, check) for check in found.checks), *(one.id for one in found.said)]
    findings = [_of_check(proposal, check) for check in found.checks]
    findings += [_of_words(one) for one in found.said]
    _note(case, proposal, found, heard=list(dict.fromkeys([*proposal.heard, *names]))[-HEARD_KEPT:])
    mend(case, Report.failed(f"{proposal.url}: {found.why}", cause="gate", findings=findings))


def _of_check(proposal: Proposal, check: Check) -> Finding:
    words = f"the check {check.name} is red on {proposal.commit[:12]}"
    told = f"{words}: {check.words[:WORDS_KEPT]}" if check.words else words
    name = finding_id(proposal, check)
    return Finding(kind="test", severity="high", issue=told, test=check.name, found_by=[name], category=name)


def _of_words(one: Said) -> Finding:
    words = one.text.strip()[:WORDS_KEPT] or "changes are asked for, without words"
    return Finding(
        kind="review",
        severity="high" if one.asks else "medium",
        issue=words,
        file=one.path,
        line=one.line,
        found_by=[one.by],
        category=one.id,
    )
