"""Workers of several machines on one board: who may begin what by its labels, and which program is too old."""

from collections.abc import Collection, Iterable

from folkmoot.core.flow import Flow
from folkmoot.errors import Refused

LABELS_MAX = 32


def needs_of(flow: Flow, agent: str) -> list[str]:
    """The labels that a worker must have to run an agent or a gate."""
    known = flow.agents.get(agent) or flow.gates.get(agent)
    return known.needs if known is not None else []


def lacking(flow: Flow, agent: str, labels: Collection[str]) -> list[str]:
    """Those of them that are missing."""
    return [label for label in needs_of(flow, agent) if label not in labels]


def label_words(labels: list[str]) -> str:
    """For whom it waits, in words."""
    return f"a worker with label {' and '.join(labels)}"


def check_labels(flow: Flow, agent: str, labels: Collection[str] | None) -> None:
    """Refuse a worker that lacks a label. Who is no worker (a person, an agent from outside) chose where it is."""
    missing = lacking(flow, agent, labels) if labels is not None else []
    if missing:
        words = "{agent} runs on {whom} only, and this one has no label {missing}"
        hint = "start a worker with the label {label}"
        whom = label_words(needs_of(flow, agent))
        raise Refused("label_missing", words, hint, agent, whom, missing, label=missing[0])


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
