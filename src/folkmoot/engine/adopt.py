"""Taking in a changed flow: nothing on the board may be left without a place (R-30)."""

from folkmoot.core.flow import END, Flow
from folkmoot.core.item import ASKING, ENDED, Item
from folkmoot.errors import Refused
from folkmoot.store.base import Reading

ITEMS_MAX = 1_000_000


def check_adoption(reading: Reading, flow: Flow) -> None:
    for item in reading.items(limit=ITEMS_MAX):
        if item.status not in ENDED:
            _check_item(reading, flow, item)


def _check_item(reading: Reading, flow: Flow, item: Item) -> None:
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
    run = reading.open_run(item.id) if item.run else None
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
