"""How agents are named: each document spells its roles in its own way, and all of them mean the same agent."""

from collections.abc import Iterable

from msgspec.structs import replace

from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.records import ANY, ORCHESTRATOR
from folkmoot.core.report import Report
from folkmoot.core.vocabulary.patterns import pattern

DISPATCHER = "dispatcher"  # the pipeline document's name for the rules
NEAREST_MAX = 64  # letters of a word that are looked at
_MARKS = pattern(r"['’‘`´\"“”*]")
_GAPS = pattern(r"[\s_‐‑–—-]+")


def folded(name: str) -> str:
    """A name without what is only its spelling: `Devil's Advocate`, `DEVILS_ADVOCATE`, `devil's-advocate` are one."""
    return _GAPS.sub("-", _MARKS.sub("", name).strip().removeprefix("@")).strip("-").casefold()


def role(name: str, known: Iterable[str]) -> str:
    """The one of the known names that is meant; a name that means none of them, or several, stays as it is."""
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    fold = folded(name)
    meant = [one for one in names if folded(one) == fold]
    if not meant:
        # `DevAgent` and `dev agent` are one, and so are `CodeWeaver` and `codeweaver`.
        meant = [one for one in names if folded(one).replace("-", "") == fold.replace("-", "")]
    return meant[0] if len(meant) == 1 and fold else name


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant by one that nobody knows: another spelling, what it ends with
    (`ready-for-dev` is `dev`), or one that looks like it."""
    from difflib import get_close_matches  # slow to import, and only needed when something is wrong

    names, word = list(dict.fromkeys(known)), word[:NEAREST_MAX]
    if role(word, names) in names:
        return role(word, names)
    fold = folded(word)
    ends = [one for one in names if folded(one) and fold.endswith(f"-{folded(one)}")]
    if ends:
        return max(ends, key=len)
    last = fold.rpartition("-")[2] if "-" in fold else ""
    begin = [one for one in names if last and folded(one).startswith(f"{last}-")]
    by_lower_case = {one.lower(): one for one in names}
    close = get_close_matches(word.lower(), by_lower_case, 1)
    return by_lower_case[close[0]] if close else begin[0] if len(begin) == 1 else None


def helping_column(flow: Flow, name: str | None) -> str | None:
    """The column off the flow that is named where a reason belongs, such as `needs-human`; also by the end of its name,
    where that has two words and is the end of no other: `needs-test-review` is `blocked-needs-test-review`."""
    if not name:
        return None
    helping = [one for one in flow.columns.values() if one.human or one.kind in ("escalation", "backflow")]
    found = role(name, flow.columns)
    if found in flow.columns:
        return next((one.name for one in helping if one.name == found), None)
    fold = folded(name[:NEAREST_MAX])
    ends = [one.name for one in helping if "-" in fold and folded(one.name).endswith(f"-{fold}")]
    return ends[0] if len(ends) == 1 else None


def actors(flow: Flow) -> list[str]:
    """Who can be asked to act: agents, gates, and the landing."""
    return [*flow.agents, *flow.gates, LANDING]


def agent_named(flow: Flow, name: str) -> str:
    return role(name, actors(flow))


def as_named(flow: Flow, said: Report) -> Report:
    """The report with its agents under the flow's own names, whoever it hands work to."""
    if not said.delegate and not said.tasks:
        return said
    delegate = [replace(one, to=agent_named(flow, one.to)) if one.to else one for one in said.delegate]
    tasks = [replace(one, agent=agent_named(flow, one.agent)) if one.agent else one for one in said.tasks]
    return replace(said, delegate=delegate, tasks=tasks)


def correspondent(flow: Flow, name: str) -> str:
    """Who may send or get a message: an agent, the rules under either of their names, or whom the flow lists."""
    listed = (one for rule in flow.messages.values() for one in (*rule.senders, *rule.receivers) if one != ANY)
    found = role(name, [*flow.agents, ORCHESTRATOR, *listed])
    known = found in flow.agents or any(found in (*rule.senders, *rule.receivers) for rule in flow.messages.values())
    return ORCHESTRATOR if not known and folded(name) == DISPATCHER else found


def message_type(flow: Flow, name: str) -> str:
    """The flow's own spelling of a type of message: `Task Assignment` is its `task_assignment`."""
    return role(name, flow.messages)
