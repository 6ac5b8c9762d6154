"""How a handler finds out who calls."""

from collections.abc import Callable
from typing import Any

from folkmoot.engine.access.callers import Caller as Caller

CallerOf = Callable[[Any], Caller]
"""Finds the caller in the context that the SDK hands to a handler."""


def always(caller: Caller) -> CallerOf:
    """On standard input and output there is one caller, for as long as the process lives."""
    return lambda context: caller
