"""What must hold of messages inside reports: each is on the board, and none asks for a fix beside an approval."""

from collections.abc import Iterable

from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.records import Message
from folkmoot.core.report import Report
from folkmoot.core.rules.messages.kinds import FIX_TYPES


def check_enclosed(
    event: Event, item: Item, said: Report, outcome: str | None, messages: Iterable[Message], checks: bool
) -> Iterable[tuple[str, str]]:
    """Of a report that was taken; `checks`: its run has looked at the work of others. What its agent has sent about the
    item outside of the run is on the board, too."""
    if not said.messages:
        return
    run, beside = event.run or "", (None, event.agent, item.id)
    sent = {one.type for one in messages if one.run == run or (one.run, one.sender, one.item) == beside}
    for posted in said.messages:
        if posted.type not in sent:
            yield "R-26", f"the {posted.type} that run {run} has printed in its report was not sent"
        elif outcome == "done" and checks and posted.type in FIX_TYPES:
            yield "R-22", f"run {run} checks it and says done, and its report holds a {posted.type}"
