"""What must hold of messages inside reports: each is on the board, and none asks for a fix beside an approval."""

from collections.abc import Iterable

from folkmoot.core.records import Message
from folkmoot.core.report import Report
from folkmoot.core.rules.messages.kinds import FIX_TYPES


def check_enclosed(
    run: str, said: Report, outcome: str | None, messages: Iterable[Message], checks: bool
) -> Iterable[tuple[str, str]]:
    """Of a report that was taken; `checks`: its run has looked at the work of others."""
    if not said.messages:
        return
    sent = {message.type for message in messages if message.run == run}
    for posted in said.messages:
        if posted.type not in sent:
            yield "R-26", f"the {posted.type} that run {run} has printed in its report was not sent"
        elif outcome == "done" and checks and posted.type in FIX_TYPES:
            yield "R-22", f"run {run} checks it and says done, and its report holds a {posted.type}"
