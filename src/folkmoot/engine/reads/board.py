"""The board as a screen shows it: its cards, and the small lists beside them. What ended long ago is only counted."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from folkmoot.api.screen import BoardView, Card
from folkmoot.api.views import LiveRun
from folkmoot.core.enums import ENDED, OWN_KINDS
from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.order import actor, iteration
from folkmoot.core.rules.sharing.choice import wanted
from folkmoot.core.rules.sharing.findings import to_change
from folkmoot.engine.reads.quotas import near_their_end, windows_of
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.views import moment_text, pause_views, question_view

EVENTS_MAX = 1000  # between two looks; after more of them all items are told
ITEMS_MAX = 1_000_000


def board(snapshot: Snapshot, since: int | None, ended: int | None, runs: list[LiveRun]) -> BoardView:
    """`runs` are those that nobody has written down as ended."""
    reading = snapshot.reading
    open_cards = [card_of(snapshot, item) for item in reading.open_items()]
    changes = _changes(snapshot, since)
    if changes is None:
        cards = [*open_cards, *(card_of(snapshot, item) for item in reading.ended_items(ended or ITEMS_MAX))]
    else:
        touched = _touched(snapshot, changes)
        shown = [card for card in open_cards if card.id in touched or card.status == "blocked"]
        known = {card.id for card in open_cards}
        rows = (reading.item(item) for item in touched - known)
        cards = [*shown, *(card_of(snapshot, item) for item in rows if item is not None)]
    running = {card.id for card in open_cards if card.status == "running"}
    return BoardView(
        flow=snapshot.flow.name,
        seq=reading.head().seq,
        whole=changes is None,
        columns=list(snapshot.flow.columns),
        totals=_totals(snapshot, open_cards),
        items=sorted(cards, key=lambda card: int(card.id)),
        next=None,
        questions=[question_view(asked) for asked in snapshot.inbox()],
        # A run whose lease is over has ended, though nobody has written that down yet.
        runs=[run for run in runs if run.item in running],
        pauses=pause_views(reading.pauses(), snapshot.moment),
        windows=near_their_end(windows_of(reading, snapshot.flow), snapshot.moment.at),
        blocked=snapshot.blocked(open_cards),
        messages=snapshot.loose_messages(),
    )


def _changes(snapshot: Snapshot, since: int | None) -> list[Event] | None:
    """The events after one; None: they are too many, or the log has no such event, or it was not asked for."""
    if since is None or not 0 <= since <= snapshot.reading.head().seq:
        return None
    found = snapshot.reading.events(since, limit=EVENTS_MAX + 1)
    return found if len(found) <= EVENTS_MAX else None


def _touched(snapshot: Snapshot, events: list[Event]) -> set[str]:
    """What is shown otherwise after these events: the items they changed, whoever waits for one of those, the whole
    that it is a part of; what time has made due meanwhile; and where paths were taken or let go, who wants some."""
    found = {change.id for event in events for change in event.changes if change.table == "items"}
    tables = {change.table for event in events for change in event.changes}
    near = {other for item in found for other in snapshot.reading.waiters(item)}
    found |= near | set(snapshot.due)
    if "flows" in tables:
        return found | {item.id for item in snapshot.reading.open_items()}
    if "holds" in tables:
        found |= {item.id for item in snapshot.reading.open_items() if wanted(snapshot.flow, item)}
    return found


def _totals(snapshot: Snapshot, open_cards: Iterable[Card]) -> dict[str, int]:
    counted = Counter(snapshot.reading.ended_in())
    counted.update(card.column for card in open_cards if card.kind in OWN_KINDS)
    return {
        column: counted[column] for column in [*snapshot.flow.columns, *sorted({*counted} - {*snapshot.flow.columns})]
    }


def card_of(snapshot: Snapshot, item: Item) -> Card:
    return snapshot.shown(item, lambda item, fields: _card(snapshot, item, fields))


def _card(snapshot: Snapshot, item: Item, fields: dict[str, Any]) -> Card:
    flow = snapshot.flow
    whole = (snapshot.reading.item(item.parent or "") if item.kind == "part" else None) or item
    acts = actor(flow, item) if item.column in flow.columns and item.status not in ENDED else None
    agent, failures = flow.agents.get(acts or ""), item.failures.get(acts or "", 0)
    rung, rungs = (agent.step(failures) if agent is not None else None) or (None, None)
    return Card(
        **fields,
        version=item.version,
        updated_at=moment_text(item.updated_at),
        since=moment_text(item.since or item.updated_at),
        model=agent.model(failures) if agent is not None else None,
        rung=rung,
        rungs=rungs,
        iteration=iteration(flow, whole),
        max_rounds=flow.limits.feedback_rounds,
        questions=item.open_questions,
        runs_begun=item.token,
        findings_open=len(to_change(item.findings)),
        lines_added=None,
        lines_removed=None,
    )
