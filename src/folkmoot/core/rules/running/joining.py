"""Workers of several machines on one board: who may begin what by its labels, and which program is too old."""

from collections.abc import Collection, Iterable

from folkmoot.core.enums import ENDED
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor, claimant
from folkmoot.core.rules.judging.required import required
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid, Refused

LABELS_MAX = 32
_LABEL = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")  # like the names in a flow
_NUMBER = pattern(r"#?[0-9]+")


def needs_of(flow: Flow, agent: str) -> list[str]:
    """The labels that a worker must have to run an agent or a gate."""
    known = flow.agents.get(agent) or flow.gates.get(agent)
    return known.needs if known is not None else []


def needs_for(flow: Flow, item: Item, agent: str) -> list[str]:
    """The labels that a worker must have to begin this agent's run on the item: the item's own, and those of the agent
    or gate. A landing may have to run each gate of the item again, on what it merges, so it needs what they need."""
    gates = required(flow, item, item.asker is None) if agent == LANDING else []
    played = [agent, *(gate for gate in gates if flow.gates[gate].run)]
    return list(dict.fromkeys([*item.needs, *(label for one in played for label in needs_of(flow, one))]))


def runs_on(flow: Flow, item: Item) -> list[str]:
    """Those for whoever acts next on the item; none where nobody will."""
    if item.status in ENDED or item.column not in flow.columns:
        return []
    agent = claimant(flow, item) or actor(flow, item)
    return needs_for(flow, item, agent) if agent is not None else item.needs


def lacking(flow: Flow, agent: str, labels: Collection[str]) -> list[str]:
    """Those that are missing for any run of an agent or gate, whatever its item."""
    return [label for label in needs_of(flow, agent) if label not in labels]


def good_labels(labels: list[str]) -> list[str]:
    """The labels of an item, each of them once; refused if no worker could have one."""
    if len(labels) > LABELS_MAX:
        words = "{count} labels are too many for an item"
        raise Invalid("too_many", words, "at most {limit}", len(labels), LABELS_MAX)
    bad = next((label for label in labels if not _LABEL.fullmatch(label) or _NUMBER.fullmatch(label)), None)
    if bad is not None:
        words = "{label!r} is no label of a worker"
        hint = "a label is a word, like gpu or macos; items that must be done first stand in <.after>"
        raise Invalid("bad_label", words, hint, bad[:80])
    return list(dict.fromkeys(labels))


def label_words(labels: list[str]) -> str:
    """For whom it waits, in words."""
    return f"a worker with label {' and '.join(labels)}"


def check_labels(flow: Flow, item: Item, agent: str, labels: Collection[str] | None) -> None:
    """Refuse a worker that lacks a label. Who is no worker (a person, an agent from outside) chose where it is."""
    needs = needs_for(flow, item, agent) if labels is not None else []
    missing = [label for label in needs if label not in (labels or ())]
    if missing:
        words = "{agent} runs on {whom} only for item {item}, and this one has no label {missing}"
        hint = "start a worker with the label {label}"
        raise Refused("label_missing", words, hint, agent, label_words(needs), item.id, missing, label=missing[0])


def note_on_labels(needs: Collection[str], workers: Iterable[Collection[str]]) -> str | None:
    """What whoever asks for a run on such a worker should know, if none lives; `workers` are the labels of each."""
    if not needs or any(set(needs) <= set(labels) for labels in workers):
        return None
    return f"it waits for {label_words(list(needs))}, and none lives now"


def check_program(own: str, others: Iterable[tuple[str, str]]) -> None:
    """Refuse a worker whose program is older than one that works on the board: `others` are their names and versions.
    It might not know what a newer one has written."""
    for worker, version in others:
        if own and _number(version) > _number(own):
            words = (
                "this is Folkmoot {own}, and {worker} works on the board with {version}: an older worker cannot join it"
            )
            raise Refused("older_program", words, "install Folkmoot {version} here", own, worker, version)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
