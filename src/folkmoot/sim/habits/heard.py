"""What was said must have been understood: held against each event of a seeded world, where no board is older."""

from collections.abc import Iterable
from typing import Any

from folkmoot.core.events import Event
from folkmoot.core.item import Item


def misheard(events: Iterable[Event], tables: dict[str, dict[str, Any]]) -> list[str]:
    """A reply that opened a dispute of its own, and attempts of experts whom nobody asked."""
    events = list(events)
    found = _unheard(events, tables)
    replied = {event.run for event in events if event.name == "dispute_answered"}
    for event in events:
        item: Item | None = tables.get("items", {}).get(event.item or "")
        if item is None:
            continue
        if event.name == "dispute_opened":
            statement = tables["comments"][event.context["thread"]]
            # Who replies may have another concern beside it.
            if event.run not in replied and _is_reply(item, statement.id, event.context["by"], statement.artifact):
                found.append(f"R-12: item {item.id}: {event.agent} replied without a parent, and a dispute was opened")
        if event.name == "attempt_counted" and item.span.expert_attempts > len(item.span.experts):
            asked, made = len(item.span.experts), item.span.expert_attempts
            found.append(f"R-08: item {item.id}: {made} attempts are experts', and {asked} were asked")
    return found


def _unheard(events: list[Event], tables: dict[str, dict[str, Any]]) -> list[str]:
    """A concern of a report that was taken as `disputed`, and is neither a dispute nor a part of one."""
    disputing = {e.run for e in events if e.name == "agent_completed" and e.context.get("outcome") == "disputed"}
    opened = {event.context["thread"] for event in events if event.name == "dispute_opened"}
    found = []
    for event in events:
        said = event.run in disputing and event.name in ("comment_added", "comment_restated")
        comment = tables["comments"].get(event.context.get("comment", "")) if said else None
        if comment is not None and comment.parent is None and comment.status == "open" and comment.id not in opened:
            found.append(f"R-12: item {event.item}: {comment.id} is a concern, and nobody has to answer it")
    return found


def _is_reply(item: Item, thread: str, agent: str, artifact: str | None) -> bool:
    """Was it this side's turn in the dispute before, and is it about nobody else's work?"""
    earlier = next((dispute for dispute in reversed(item.disputes) if dispute.thread != thread), None)
    if earlier is None or earlier.side(earlier.turn).agent != agent:
        return False
    side, opened = earlier.side(earlier.turn), next((d for d in item.disputes if d.thread == thread), None)
    # An agent that watches several columns is this side only where it speaks for its stage.
    here = opened.disputer.stage == side.stage if opened else item.column in (side.column, earlier.column)
    if not here:
        return False
    made = item.artifacts.get(artifact or "")
    return made is None or made.column in (earlier.maker.stage, earlier.disputer.stage)
