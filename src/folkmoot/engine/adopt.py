"""Taking in a changed flow: nothing on the board may be left without a place."""

from folkmoot.core.flow import Flow
from folkmoot.core.item import ENDED
from folkmoot.errors import Refused
from folkmoot.store.base import Reading


def check_adoption(reading: Reading, flow: Flow) -> None:
    for (column, status), count in sorted(reading.counts().items()):
        if status not in ENDED and column not in flow.columns:
            raise Refused(
                "column_in_use",
                f"the new flow has no column {column!r}, but {count} items are in it ({status})",
                f"keep the column, or move them first: moot list --column {column}",
            )
        if status not in ENDED and (flow.columns[column].human or not flow.columns[column].agents):
            raise Refused(
                "column_unwatched",
                f"in the new flow no agent watches {column!r}, but {count} items are in it ({status})",
                f"give it an agent, or move them first: moot list --column {column}",
            )
    for item in reading.items(status="running", limit=100_000):
        run = reading.open_run(item.id)
        if run is not None and run.agent not in flow.agents:
            raise Refused(
                "agent_in_use",
                f"the new flow has no agent {run.agent!r}, but it is working on item {item.id}",
                f"wait for its report, or move the item: moot move {item.id} {item.column}",
            )
