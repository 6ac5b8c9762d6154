"""The board as a screen shows it: its cards, and the small lists beside them. What ended long ago is only counted."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from folkmoot.api.screen import BoardView, Card
from folkmoot.api.views import LiveRun
from folkmoot.core.enums import ENDED, OWN_KINDS
from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.order import actor, iteration, shown_key
from folkmoot.core.rules.sharing.choice import wanted
from folkmoot.core.rules.sharing.findings import to_change
from folkmoot.engine.reads.quotas import near_their_end, windows_of
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.views import moment_text, pause_views, question_view

EVENTS_MAX = 1000  # between two looks; after more of them all items are told
ITEMS_MAX = 1_000_000


def board(
    snapshot: Snapshot,
    runs: list[LiveRun],
    since: int | None = None,
    ended: int | None = None,
    each: int | None = None,
) -> BoardView:
    """`runs` are those that nobody has written down as ended."""
    reading = snapshot.reading
    rows = {item.id: item for item in reading.open_items(each)}
    first, questions, joined = list(rows.values()), snapshot.inbox(), set[str]()
    if each is not None:
        beside = _joining(snapshot, rows, {*(run.item for run in runs), *(asked.item for asked in questions)})
        joined = beside.keys() - rows.keys()
        rows |= beside
    cards = {item.id: card_of(snapshot, item) for item in rows.values()}
    changes = _changes(snapshot, since)
    if changes is None:
        told = [*cards.values(), *(card_of(snapshot, item) for item in reading.ended_items(ended or ITEMS_MAX))]
    else:
        touched = _touched(snapshot, changes, rows.values())
        come = touched | joined | _may_have_come(first, each, len(touched))
        told = [card for card in cards.values() if card.id in come or card.status == "blocked"]
        others = (reading.item(item) for item in touched - rows.keys())
        told += [card_of(snapshot, item) for item in others if item is not None]
    running = {card.id for card in cards.values() if card.status == "running"}
    counts = _open(snapshot)
    return BoardView(
        flow=snapshot.flow.name,
        seq=reading.head().seq,
        whole=changes is None,
        columns=list(snapshot.flow.columns),
        kinds={name: column.kind for name, column in snapshot.flow.columns.items()},
        start=snapshot.flow.start,
        totals=_totals(snapshot, counts),
        open=counts,
        items=sorted(told, key=lambda card: int(card.id)),
        next=None,
        questions=[question_view(asked) for asked in questions],
        # A run whose lease is over has ended, though nobody has written that down yet.
        runs=[run for run in runs if run.item in running],
        pauses=pause_views(reading.pauses(), snapshot.moment),
        windows=near_their_end(windows_of(reading, snapshot.flow), snapshot.moment.at),
        blocked=snapshot.blocked(cards.values()),
        messages=snapshot.loose_messages(),
    )


def _joining(snapshot: Snapshot, rows: Mapping[str, Item], wanted: set[str]) -> dict[str, Item]:
    """What is shown wherever it stands in its column: these, what time has just changed, and the wholes that all of it
    is a part of."""
    found: dict[str, Item] = {}
    seen = set(rows)
    wanted |= {*snapshot.due, *(item.parent for item in rows.values() if item.parent)}
    while wanted := wanted - seen:
        read = (snapshot.reading.item(item) for item in wanted)
        new = {item.id: item for item in read if item is not None and item.status not in ENDED}
        seen |= wanted
        found |= new
        wanted = {item.parent for item in new.values() if item.parent}
    return found


def _may_have_come(first: list[Item], each: int | None, changed: int) -> set[str]:
    """Of the first of a column those that may be there only now. One that has not changed itself comes when another
    leaves, and then it is the last: no more can have come than have changed."""
    columns: dict[str, list[Item]] = {}
    for item in sorted(first, key=shown_key):
        columns.setdefault(item.column, []).append(item)
    return {item.id for found in columns.values() if changed and len(found) == each for item in found[-changed:]}


def _changes(snapshot: Snapshot, since: int | None) -> list[Event] | None:
    """The events after one; None: they are too many, or the log has no such event, or it was not asked for."""
    if since is None or not 0 <= since <= snapshot.reading.head().seq:
        return None
    found = snapshot.reading.events(since, limit=EVENTS_MAX + 1)
    return found if len(found) <= EVENTS_MAX else None


def _touched(snapshot: Snapshot, events: list[Event], rows: Collection[Item]) -> set[str]:
    """What is shown otherwise after these events: the items they changed, whoever waits for one of those, the whole
    that it is a part of; what time has made due meanwhile; and where paths were taken or let go, who wants some of
    those that are shown."""
    found = {change.id for event in events for change in event.changes if change.table == "items"}
    tables = {change.table for event in events for change in event.changes}
    near = {other for item in found for other in snapshot.reading.waiters(item)}
    found |= near | set(snapshot.due)
    if "flows" in tables:
        return found | {item.id for item in rows}
    if "holds" in tables:
        found |= {item.id for item in rows if wanted(snapshot.flow, item)}
    return found


def _open(snapshot: Snapshot) -> dict[str, int]:
    """How many have not ended in each column, what time has made due included."""
    counted = Counter(snapshot.reading.open_in())
    for case in snapshot.due.values():
        before = snapshot.reading.item(case.item.id)
        if before is not None and before.kind in OWN_KINDS:
            counted[before.column] -= before.status not in ENDED
            counted[case.item.column] += case.item.status not in ENDED
    return {column: count for column, count in counted.items() if count}


def _totals(snapshot: Snapshot, opened: Mapping[str, int]) -> dict[str, int]:
    counted = Counter(snapshot.reading.ended_in())
    counted.update(opened)
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
    changed = item.lines_added or item.lines_removed
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
        landed=item.landed,
        lines_added=item.lines_added if changed else None,
        lines_removed=item.lines_removed if changed else None,
    )
