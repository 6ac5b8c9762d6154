"""Who may ask for work at all, for how long, and which flow a board may take in."""

from folkmoot.core.commands import Speaker
from folkmoot.core.flow import END, LEASE_MAX, Flow
from folkmoot.core.item import ASKING, Item
from folkmoot.core.records import Run
from folkmoot.core.rules.claims import stale
from folkmoot.errors import Invalid, NothingToDo, Refused


def check_claimer(speaker: Speaker, run: Run | None) -> None:
    """A run works on its own item and takes no other; `run` is the speaker's, if it is one."""
    if speaker.is_person:
        return
    if run is None or run.ended_at is not None or run.token != speaker.token:
        raise stale(speaker, "it has ended")
    raise Refused("inside_a_run", f"run {run.id} works on item {run.item}, and takes no other", "report it first")


def lease_for(flow: Flow, agent: str, column: str | None, lease: float | None) -> float:
    """How long the claim will hold, if this agent may claim there at all."""
    if agent not in flow.agents:
        raise Invalid("unknown_agent", f"the flow has no agent {agent!r}", f"agents: {', '.join(flow.agents)}")
    if column is not None and column not in flow.watched_by(agent):
        watched = ", ".join(flow.watched_by(agent))
        raise Invalid("not_watched", f"{agent} does not watch {column!r}", f"it watches: {watched}")
    seconds = flow.limits.lease if lease is None else lease
    if not 1 <= seconds <= LEASE_MAX:
        raise Invalid("bad_lease", f"a lease of {seconds:g}s is not possible", f"between 1s and {LEASE_MAX:.0f}s")
    return seconds


def check_pause(flow: Flow, open_questions: int) -> None:
    """The stricter reading of a pending question, where the flow wants it (R-17)."""
    if flow.questions.pause_all and open_questions:
        words = "a question is open, and this flow pauses all work until it is answered"
        raise NothingToDo("paused", words, "moot inbox")


def check_place(flow: Flow, item: Item, run: Run | None) -> None:
    """A flow that would leave this unfinished item, or its live run, without a place is refused (R-30)."""
    for column in _remembered(item):
        if column not in flow.columns:
            raise Refused(
                "column_in_use",
                f"the new flow has no column {column!r}, but item {item.id} is in it or will return to it",
                f"keep the column, or move the item first: moot move {item.id} COLUMN",
            )
    place = flow.columns[item.column]
    idle = not place.agents and not place.next and item.column != END
    if idle and item.status not in ASKING:
        raise Refused(
            "column_unwatched",
            f"in the new flow no agent watches {item.column!r}, but item {item.id} is in it ({item.status})",
            f"give it an agent, or move the item first: moot move {item.id} COLUMN",
        )
    if run is not None and run.agent not in flow.agents:
        raise Refused(
            "agent_in_use",
            f"the new flow has no agent {run.agent!r}, but it is working on item {item.id}",
            f"wait for its report, or move the item: moot move {item.id} {item.column}",
        )


def _remembered(item: Item) -> list[str]:
    """Every column the item is in or must be able to go back to."""
    sides = [side for dispute in item.disputes for side in (dispute.disputer, dispute.maker)]
    disputed = [column for side in sides for column in (side.column, side.stage, *side.origins)]
    return [item.column, *item.origins, *([item.returns_to] if item.returns_to else []), *disputed]
