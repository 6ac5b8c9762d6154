"""The way of a board's items through its columns, step by step, so that it can be seen again."""

from collections.abc import Collection

from folkmoot.api.machine import Step
from folkmoot.engine.reads.views import moment_text
from folkmoot.store.port import Reading

STEPS_MAX = 50_000
PAGE = 1000


def steps(reading: Reading, only: Collection[str] | None = None) -> tuple[list[Step], bool]:
    """From the log alone, by what its events changed; and whether there are more than are told."""
    stands: dict[str, tuple[str, str]] = {}
    found: list[Step] = []
    after = 0
    while events := reading.events(after, limit=PAGE):
        after = events[-1].seq
        for event in events:
            for change in event.changes:
                if change.table != "items" or (only is not None and change.id not in only):
                    continue
                before = stands.get(change.id, ("", "ready"))
                now = (change.fields.get("column", before[0]), change.fields.get("status", before[1]))
                if now == before:
                    continue
                stands[change.id] = now
                if len(found) == STEPS_MAX:
                    return found, True
                at = moment_text(event.at)
                found.append(Step(seq=event.seq, at=at, event=event.name, item=change.id, column=now[0], status=now[1]))
    return found, False
