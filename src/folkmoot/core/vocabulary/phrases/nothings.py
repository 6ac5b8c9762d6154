"""Words that only fill in a field: "none", "n/a", "-", "no blockers", "nothing to add". Written once: whoever reads a
report, and every rule about what it says, asks here whether a field says anything at all."""

from collections.abc import Iterable

from msgspec.structs import replace

from folkmoot.core.report import SIGNALS, Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

_NONE = r"none|nothing|nil|null|n a|na|no|zero|0|clean|undefined|not applicable|does not apply"
_WHAT = (
    r"issues?|findings?|problems?|vulnerabilit(?:y|ies)|failures?|bugs?|errors?|concerns?|blockers?|insights?|lessons?"
    r"|recommendations?|suggestions?|comments?|notes?|remarks?|feedback|steps?|next steps?|actions?|follow ups?"
    r"|learnings?|retro|retrospective|changes|observations?|improvements?|dependencies"
)
_KIND = r"(?:new|further|other|more|open|known|additional|specific|particular|major|real|remaining|security|special)"
_BEHIND = (
    r"found|so far|at this time|at the moment|for now|right now|to (?:add|report|note|say|share|mention|do)|known|here"
    r"|identified|remaining|left|open|at all|needed|required|this time|yet|really|learned|learnt|detected|else|new"
    r"|special|further|more|of note|worth (?:noting|mentioning|adding)|in particular|currently|applicable|necessary"
)
_NOTHING = pattern(
    rf"(?:{_NONE}|(?:no|zero|0|without)(?: {_KIND})*(?: (?:{_WHAT}))(?: (?:and|or) (?:{_WHAT}))*)(?: (?:{_BEHIND}))*"
    r"|(?:there (?:is|are|were|was) |i have |we have )(?:none|nothing|no (?:" + _WHAT + rf"))(?: (?:{_BEHIND}))*|"
)
# `No critical or high issues found`: none of that weight, and others would be listed.
_NONE_SO_BAD = pattern(
    r"(?:no|zero|0)(?: (?:critical|high|medium|low|major|minor|severe|blocking|serious|severity|priority|risk|security"
    r"|and|or|new|open|other|further|known))+"
    r"(?: (?:issues?|findings?|problems?|bugs?|vulnerabilit(?:y|ies)|concerns?|defects?))?"
    r"(?: (?:found|identified|detected|remaining|left|seen|here|at all|so far))*"
)
LONGEST = 100  # characters of what could say nothing


def says_nothing(words: str) -> bool:
    """Is it all that these words say that there is nothing to say?"""
    if len(words) > LONGEST:
        return False
    told = plain(words)
    return _NOTHING.fullmatch(told) is not None or _NONE_SO_BAD.fullmatch(told) is not None


def telling(words: Iterable[str]) -> list[str]:
    """Those that say something."""
    return [one for one in words if not says_nothing(one)]


def without_nothing(said: Report) -> Report:
    """The report without lessons, next steps, blockers and a reason to ask that say that there are none: nobody is to
    be told those. Behind a signal they are all that its speaker says: "EXPERT_UNSUCCESSFUL: nothing found" is what came
    out."""
    if said.escalation_reason and says_nothing(said.escalation_reason):
        said = replace(said, escalation_reason=None)
    if not (said.lessons or said.next_steps or said.blockers):
        return said
    parts = {"lessons": telling(said.lessons), "next_steps": telling(said.next_steps)}
    of_signal = said.outcome != "done" and said.summary in SIGNALS
    blockers = said.blockers if said.blockers and (of_signal or not says_nothing(said.blockers)) else None
    if (*parts.values(), blockers) == (said.lessons, said.next_steps, said.blockers):
        return said
    return replace(said, **parts, blockers=blockers)
