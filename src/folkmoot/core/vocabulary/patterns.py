"""Patterns that are made when they are first asked: to make them all takes longer than most commands do."""

import re
from typing import Any, cast


class Later:
    """Stands for a pattern. What was asked of it once is at hand the next time."""

    def __init__(self, text: str, flags: int) -> None:
        self._made_of = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made_of), name)
        setattr(self, name, found)
        return found


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` would give, later."""
    return cast("re.Pattern[str]", Later(text, flags))
