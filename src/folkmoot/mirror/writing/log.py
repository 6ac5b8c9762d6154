"""The log in the form of the document's event log: a line for each event, in files of a thousand (H-12)."""

from collections.abc import Callable

import msgspec

from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.engine.reads.views import moment_text

LINES = 1000  # in a file that is full; what is newer stands in events.jsonl
_encode = msgspec.json.Encoder().encode


class LogLines:
    """Says of each event what it belonged to when it happened, so it is fed the events in their order.

    `item_at` gives an item as it was at a version: for those that were changed before the first event it is fed.
    """

    def __init__(self, item_at: Callable[[str, int], Item | None]) -> None:
        self._item_at = item_at
        self._about: dict[str, dict[str, str]] = {}

    def line(self, event: Event) -> bytes:
        about = self._told(event) if event.item is not None else {}
        view = {
            "event": event.name,
            "agent": event.agent,
            "timestamp": moment_text(event.at),
            "context": {**about, **event.context},
            "seq": event.seq,
            "item": event.item,
            "run": event.run,
        }
        return _encode(view) + b"\n"

    def _told(self, event: Event) -> dict[str, str]:
        item = event.item or ""
        known = self._about.get(item)
        if known is None:
            row = self._item_at(item, event.version - 1) if event.version > 1 else None
            known = self._about[item] = {"workflow": row.type if row else "feature"}
            if row is not None and row.spec:
                known["spec"] = row.spec
        for change in event.changes:
            if change.table == "items" and change.id == item:
                if "type" in change.fields:
                    known = {**known, "workflow": change.fields["type"]}
                if "spec" in change.fields:
                    known = {**known, "spec": change.fields["spec"]}
        self._about[item] = known
        return {name: value for name, value in known.items() if value}
