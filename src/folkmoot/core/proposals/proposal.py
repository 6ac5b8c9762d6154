"""Work that is proposed on a forge: what is kept of a pull request, what a forge says of it, and what that means.

A forge is asked again and again, and each answer is a picture that may be old or a part only. So nothing here follows
from what is missing: green is what is shown to be green, on exactly the commit that was pushed.
"""

from typing import Literal

from msgspec import Struct, field

from folkmoot.core.flow import Land
from folkmoot.core.report import Count
from folkmoot.core.vocabulary.patterns import pattern

CheckState = Literal["success", "failure", "pending"]
ProposalState = Literal["open", "changed", "closed", "merged"]
HEARD_KEPT = 500
MERGE_AGAIN = 600_000  # milliseconds after which a merge that was refused is asked for again
# How a check ended, by the words of the forge. Whatever else is said, and an empty word, is no end.
PASSED = frozenset({"success", "neutral", "skipped"})
FAILED = frozenset({"failure", "error", "timed_out", "startup_failure"})
COMPLETED = "completed"
COMMIT = pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Taken(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What somebody else put on the branch of a proposal, and a person had taken in: from then on it belongs to it."""

    commit: str
    onto: str = ""  # the board's own commit that was on the branch before; empty where it had put none there


class Proposal(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A pull request of the board's, and the commit that it was opened or last renewed for."""

    number: int
    url: str
    branch: str
    commit: str  # that was pushed; its gates were green
    node: str = ""  # its name in the forge's own queries
    tree: str | None = None
    head: str | None = None  # the item's work that is in it
    onto: str = ""  # the branch that it is to come onto, by name; empty on an older board
    base: str | None = None  # where that branch was
    run: str = ""  # the landing that pushed it
    at: int = 0
    state: ProposalState = "open"
    renew: bool = False  # the target branch has moved on, and it must be brought along
    found: str | None = None  # what somebody else has put on its branch
    taking: str | None = None  # of that, what a person has said to take in
    taken: list[Taken] = field(default_factory=list)  # what is in the commit of that, by a person's word
    heard: list[str] = field(default_factory=list)  # of failed checks and of what people said: told already
    question: str | None = None  # in which a person was asked about it
    stands: str = ""  # how it stood when it was last seen, in words
    refused: str = ""  # the picture in which the forge would not merge it
    refused_at: int = 0


class Check(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One check of a commit, by the name that the rules of a branch have for it."""

    name: str
    state: CheckState
    words: str = ""
    url: str = ""


class Said(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What somebody said in a review."""

    id: str
    by: str
    text: str
    asks: bool = False  # it is a verdict that asks for changes
    path: str | None = None
    line: Count | None = None
    may: bool = False  # by somebody who may write there
    own: bool = False  # by the board itself


class Seen(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A pull request as the forge shows it at one moment."""

    state: Literal["open", "merged", "closed"]
    commit: str  # where its branch is
    base: str | None = None  # where the target branch is; None: not told
    merged: str | None = None  # the commit by which it came onto the target branch
    holds: bool = False  # that commit was found on the target branch
    by: str = ""  # who merged or closed it
    fits: Literal["clean", "behind", "dirty", "unknown"] = "unknown"
    queued: bool = False
    draft: bool = False
    clear: bool = False  # the forge says that nothing is in the way of a merge
    queues: bool = False  # what is merged there goes through a queue
    vetoed: bool = False  # somebody who may write there asks for changes, and has not taken that back
    required: list[str] | None = None  # the checks that the rules of the branch name; None: nobody knows
    checks: list[Check] = field(default_factory=list)
    whole: bool = True  # all of its checks are here, and of this commit
    said: list[Said] = field(default_factory=list)
    all_said: bool = False  # nothing was said that is not here: who may write there may be among what is missing

    @property
    def no_commit(self) -> str:
        """What it calls a commit and is none: git is asked for no such thing, whoever says so."""
        return next((one for one in (self.commit, self.base, self.merged) if one and not COMMIT.fullmatch(one)), "")


Means = Literal["merged", "closed", "changed", "red", "dirty", "behind", "pending", "green"]


class Meaning(Struct, frozen=True, gc=False):
    """What follows from it, why in words, and of which failed checks and words."""

    means: Means
    why: str
    checks: list[Check] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)


def check_state(status: str | None, conclusion: str | None) -> CheckState:
    """By a forge's own words. A check that was cancelled or that waits for a person has not failed: nobody can mend
    anything for it."""
    if (status or "").casefold() != COMPLETED:
        return "pending"
    word = (conclusion or "").casefold()
    return "success" if word in PASSED else "failure" if word in FAILED else "pending"


def counted(seen: Seen) -> list[Check]:
    """The checks that decide: those that the rules of the branch name, and where they name none, all."""
    if seen.required is None:
        return []
    return [check for check in seen.checks if not seen.required or check.name in seen.required]


def is_green(seen: Seen, commit: str) -> bool:
    """Is every required check there, and each that has its name successful, on exactly this commit?"""
    if not seen.required or not seen.whole or seen.commit != commit:
        return False
    by_name = {name: [check.state for check in seen.checks if check.name == name] for name in seen.required}
    return all(states and all(state == "success" for state in states) for states in by_name.values())


def meaning(proposal: Proposal, seen: Seen) -> Meaning:
    if seen.state == "merged":
        by = f" by {seen.by}" if seen.by else ""
        return Meaning("merged", f"it was merged{by}") if seen.holds else Meaning("pending", "it is being merged")
    if seen.state == "closed":
        return Meaning("closed", f"it was closed without a merge{f' by {seen.by}' if seen.by else ''}")
    if seen.commit != proposal.commit:
        return Meaning("changed", f"{proposal.branch} was moved to {seen.commit[:12]} by somebody else")
    failed = [check for check in counted(seen) if check.state == "failure"]
    waits = [check.name for check in counted(seen) if check.state == "pending"]
    red = failed if not waits else []  # all that is wrong is told at once
    said = [one for one in seen.said if one.may and not one.own and one.id not in proposal.heard]
    if red or said:
        names = [f"{check.name} is red" for check in red]
        asked = [f"{one.by} {'asks for changes' if one.asks else 'has commented'}" for one in said]
        return Meaning("red", ", ".join(dict.fromkeys([*names, *asked])), red, said)
    if seen.queued:
        return Meaning("pending", "it is in the merge queue")
    if seen.fits in ("dirty", "behind") and seen.base not in (None, proposal.base):
        why = "it conflicts with the target branch" if seen.fits == "dirty" else "the target branch has moved on"
        return Meaning(seen.fits, why)
    if is_green(seen, proposal.commit):
        more = "" if seen.all_said else ", and more was said than is looked at: people merge it"
        return Meaning("green", f"every required check is green{more}")
    return Meaning("pending", _awaited(seen, waits))


def wants_merge(land: Land, proposal: Proposal, seen: Seen, at: int) -> bool:
    """Is the forge to be asked to merge it? Only where the flow says so, all is shown to be green, and nobody is left
    to be heard. Whoever may merge past the rules of a branch does not do so by this: the forge must call it clear."""
    if land.merge != "when_green" or not is_ready(proposal, seen):
        return False
    return proposal.refused != picture(proposal, seen) or at - proposal.refused_at >= MERGE_AGAIN


def is_ready(proposal: Proposal, seen: Seen) -> bool:
    """Is it green, with nobody and nothing in the way?"""
    is_known = seen.all_said and seen.base is not None
    return is_known and seen.clear and not seen.draft and not seen.vetoed and meaning(proposal, seen).means == "green"


def picture(proposal: Proposal, seen: Seen) -> str:
    """What a refused merge was about: with another base it may be another answer."""
    return f"{proposal.commit}@{seen.base or ''}"


def _awaited(seen: Seen, waits: list[str]) -> str:
    there = {check.name for check in seen.checks}
    missing = [name for name in seen.required or [] if name not in there]
    if names := [*waits, *missing]:
        return f"it waits for {', '.join(dict.fromkeys(names))}"
    return "it waits to be merged" if seen.required is not None else "which checks it needs is not known yet"


def finding_id(proposal: Proposal, check: Check) -> str:
    """A check that fails again on another commit is another finding."""
    return f"check:{check.name}@{proposal.commit[:12]}"
