"""Tables of cases of which some run every time, and all in the long tests."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], every_time: Collection[Any]) -> list[Any]:
    """Cases for `parametrize`. What runs every time stands for the others: one of each way a case can go."""
    found = list(cases)
    missing = [case for case in every_time if case not in found]
    assert not missing, f"no such case: {missing}"
    return [pytest.param(*_parts(case), marks=[] if case in every_time else [pytest.mark.slow]) for case in found]


def _parts(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
