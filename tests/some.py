"""Tables of cases of which some run every time, and all in the long tests."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], every_time: Iterable[Any]) -> list[Any]:
    """Cases for `parametrize`. What runs every time stands for the others: one of each way a case can go."""
    found, always = list(cases), list(every_time)
    missing = [case for case in always if case not in found]
    assert not missing, f"no such case: {missing}"
    return [pytest.param(*_parts(case), marks=[] if case in always else [pytest.mark.slow]) for case in found]


def one_of_each(cases: Iterable[Any], kind: Callable[[Any], Any]) -> list[Any]:
    """The first case of each kind."""
    found: dict[Any, Any] = {}
    for case in cases:
        found.setdefault(kind(case), case)
    return list(found.values())


def _parts(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
