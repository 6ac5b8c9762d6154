"""Who may ask for work at all, for how long, and which flow a board may take in."""

from msgspec.structs import replace

from folkmoot.core.commands import Actor
from folkmoot.core.enums import ASKING, ONE_SHOT_KINDS
from folkmoot.core.flow import END, LANDING, LEASE_MAX, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.rules.claims import stale
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.errors import Invalid, NothingToDo, Refused, unknown_agent, unknown_column

CLONE_LEASE = 3_600.0  # seconds: an open session may think, or wait for its person, for a while


def check_claimer(actor: Actor, run: Run | None) -> None:
    """A run works on its own item and takes no other; `run` is the actor's, if it is one."""
    if actor.is_person:
        return
    if run is None or run.ended_at is not None or run.token != actor.token:
        raise stale(actor, "it has ended")
    words = "run {run} works on item {item}, and takes no other"
    raise Refused("inside_a_run", words, "report it first", run.id, run.item)


def check_agent(flow: Flow, agent: str) -> None:
    """Who plays agents plays no gate and lands nothing: by an agent's own word no gate is green."""
    if agent_named(flow, agent) not in flow.agents:
        raise unknown_agent(agent, list(flow.agents))


def lease_for(flow: Flow, agent: str, column: str | None, lease: float | None, *, cloned: bool = False) -> float:
    """How long the claim will hold, if this agent may claim there at all. An agent from outside that works in a clone
    (`cloned`) is an agent of the flow, no gate and no landing, and nothing renews its lease while it thinks."""
    if cloned:
        check_agent(flow, agent)
    if agent not in flow.agents and agent not in flow.gates and agent != LANDING:
        raise unknown_agent(agent, [*flow.agents, *flow.gates])
    if column is not None and column not in flow.watched_by(agent):
        if column not in flow.columns:
            raise unknown_column(column, flow.columns)
        words, watched = "{agent} does not watch {column!r}", list(flow.watched_by(agent))
        raise Invalid("not_watched", words, "it watches: {watched}", agent, column, watched)
    usual = max(flow.limits.lease, CLONE_LEASE) if cloned else flow.limits.lease
    seconds = usual if lease is None else lease
    if not 1 <= seconds <= LEASE_MAX:
        words = "a lease of {seconds:g}s is not possible"
        raise Invalid("bad_lease", words, "between {least}s and {most:.0f}s", seconds, 1, LEASE_MAX)
    return seconds


def check_pause(flow: Flow, open_questions: int) -> None:
    """The stricter reading of a pending question, where the flow wants it (R-17)."""
    if flow.questions.pause_all and open_questions:
        words = "a question is open, and this flow pauses all work until it is answered"
        raise NothingToDo("paused", words, "<inbox>", questions=open_questions)


def check_moves(old: Flow, new: Flow, moves: dict[str, str]) -> None:
    """Is it said for columns that were there, to columns that will be there, where their items go?"""
    for column, target in moves.items():
        if column not in old.columns or column == END:
            words = "the board has no column {column!r} whose items could be moved"
            raise Invalid("unknown_column", words, "columns: {known}", column, list(old.columns))
        if target not in new.columns:
            words = "the new flow has no column {target!r} for the items of {column!r}"
            raise Invalid("unknown_column", words, "columns: {known}", target, column, list(new.columns))


def bridge(old: Flow, new: Flow) -> Flow:
    """The new flow, in which what it removes is still known for as long as items are moved out of it.

    A removed column is off the flow there, so that nothing remembers it as the stage to go back to.
    """
    removed = {name: replace(c, kind="backflow") for name, c in old.columns.items() if name not in new.columns}
    return replace(
        new,
        columns={**removed, **new.columns},
        agents={**old.agents, **new.agents},
        gates={**old.gates, **new.gates},
    )


def way_out(new: Flow, item: Item, moves: dict[str, str]) -> str | None:
    """Where an item goes that is in a column with a move, or will return to one that is no more; None if it stays.

    What is bound to another item never moves: it goes with its parent.
    """
    if item.kind in ONE_SHOT_KINDS:
        return None
    if item.column in moves:
        return moves[item.column]
    return next((moves[c] for c in _remembered(item) if c in moves and c not in new.columns), None)


def check_place(flow: Flow, item: Item, run: Run | None) -> None:
    """A flow that would leave this unfinished item, or its live run, without a place is refused (R-30)."""
    for column in _remembered(item):
        if column not in flow.columns:
            words = "the new flow has no column {column!r}, but item {item} is in it or will return to it"
            raise Refused("column_in_use", words, _advice(item), column, item.id)
    place = flow.acting(item.column, item.tags)
    idle = not place.agents and not place.next and item.column != END
    if idle and item.status not in ASKING:
        words = "in the new flow no agent watches {column!r}, but item {item} is in it ({status})"
        hint = f"give it an agent, or {_advice(item)}"
        raise Refused("column_unwatched", words, hint, item.column, item.id, item.status)
    gone = [gate for gate in item.proving.left if gate not in flow.gates and gate != LANDING] if item.proving else []
    if gone:
        words = "the new flow has no gate {gate!r}, but item {item} must pass it"
        hint = f"keep the gate until it has, or {_advice(item)}"
        raise Refused("gate_in_use", words, hint, gone[0], item.id, column=item.column)
    if run is not None and run.agent not in {*flow.agents, *flow.gates, LANDING}:
        words = "the new flow has no agent {agent!r}, but it is working on item {item}"
        hint = "wait for its report, or take it away: <apply move=column>={column}"
        raise Refused("agent_in_use", words, hint, run.agent, item.id, item.column)


def _advice(item: Item) -> str:
    if item.kind in ONE_SHOT_KINDS:
        return "wait until it has ended, or: <cancel item>"
    return "say where its items go: <apply move=column>=COLUMN"


def _remembered(item: Item) -> list[str]:
    """Every column the item is in or must be able to go back to."""
    sides = [side for dispute in item.disputes for side in (dispute.disputer, dispute.maker)]
    disputed = [column for side in sides for column in (side.column, side.stage, *side.origins)]
    home = item.home if item.kind == "task" else None
    also = [column for column in (item.returns_to, item.goes_to, home) if column]
    return [item.column, *item.origins, *also, *disputed]


def check_version(item: Item, version: int | None) -> Item:
    """Whoever decided by what they had read says which version that was: nobody's change is written over unseen."""
    if version is not None and item.version != version:
        words = "item {item} has version {version}, and not {expected} as when it was read"
        raise Refused("version_changed", words, "look again, and decide: <show item>", item.id, item.version, version)
    return item
