"""What a worker tells whoever watches it, as lines of a log."""

from collections.abc import Callable
from typing import Any

from folkmoot.doors.observe.logs import JsonLog, Level


def logged(log: JsonLog, tell: Callable[[Any], None]) -> Callable[[Any], None]:
    """Tells it further too. What has no name, such as a call to look again, is no event."""

    def both(told: Any) -> None:
        what = getattr(told, "what", None)
        if what:
            level: Level = "error" if what == "fault" else "warning" if told.good is False else "info"
            log.event(
                what,
                level=level,
                item=told.item or None,
                run=told.run or None,
                agent=told.agent or None,
                model=told.model,
                words=told.words or None,
            )
        tell(told)

    return both
