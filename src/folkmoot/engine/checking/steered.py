"""The part of the audit that follows what people say to agents. It keeps its own count, so as to believe no row."""

from collections.abc import Callable

from folkmoot.core.events import Event
from folkmoot.core.flow import END
from folkmoot.core.item import Item

Found = Callable[[str, str, str | None], None]


def _ends(event: Event, item: Item) -> bool:
    """Is its work over, and well done? A task ends where it is."""
    if event.name in ("item_done", "landing_called"):
        return item.kind == "task"
    return event.name == "phase_completed" and item.column == END


class Steered:
    def __init__(self, found: Found) -> None:
        self._found = found
        self._unheard: dict[str, set[int]] = {}  # item -> sentences that no run was told
        self._told: dict[str, set[int]] = {}  # run -> what it was told

    def after(self, event: Event, before: Item | None, item: Item | None) -> None:
        """After the event is folded: who was told what, and did anything go past what nobody has heard?"""
        if item is None:
            return
        if event.name == "sentence_said":
            self._unheard.setdefault(item.id, set()).add(event.context["number"])
        elif event.name == "sentence_heard":
            told, now = self._told.setdefault(event.run or "", set()), set(event.context["numbers"])
            if told & now:
                self._found("I32", f"{event.run} is told sentence {min(told & now)} again", item.id)
            told |= now
            self._unheard[item.id] = self._unheard.get(item.id, set()) - now
        elif _ends(event, item) and self._unheard.get(item.id):
            words = f"it goes on to its end, and nobody has heard sentence {min(self._unheard[item.id])}"
            self._found("I32", words, item.id)
        if event.name == "agent_started" and before is not None and before.taken is not None:
            self._found("I33", f"{event.run} begins while {before.taken} has it", item.id)
