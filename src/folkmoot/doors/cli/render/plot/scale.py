"""Where a value stands on an axis, and which round numbers are written beside it; and how measures are spelled."""

from collections.abc import Callable
from math import ceil, floor, log10
from typing import Any

from folkmoot.core.rules.running.spending import dollars

View = dict[str, Any]
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers from `low` to `high`, about so many; the ends need not be among them."""
    span = high - low
    if span <= 0:
        return [low]
    rough = span / max(wanted, 1)
    size = 10.0 ** floor(log10(rough))
    step = next(size * part for part in STEPS if size * part >= rough * 0.999)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [number * step + 0.0 for number in range(first, last + 1)]


def spelled(value: float) -> str:
    """A tick in as few letters as it takes."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}"


def hours(value: float) -> str:
    return f"{_rounded(value, 1):.1f} h"


def percent(value: float) -> str:
    hundredths = _rounded(value * 100, 1)
    return f"{hundredths:.0f}%" if hundredths == int(hundredths) else f"{hundredths:.1f}%"


def number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{_rounded(value, 1):.1f}"


def _rounded(value: float, digits: int) -> float:
    """Without the zero that is less than zero."""
    return round(value, digits) + 0.0


# What each measure is called, and how its numbers are written.
MEASURES: dict[str, tuple[str, Callable[[float], str]]] = {
    "success": ("items done", percent),
    "hours": ("time in all", hours),
    "median_item_hours": ("median item", hours),
    "cost_usd": ("cost in all", dollars),
    "cost_per_done_usd": ("cost of a done item", dollars),
    "questions": ("questions", number),
    "runs": ("runs", number),
    "wasted_runs": ("runs to nowhere", number),
}
VERDICTS = {"better": "better", "worse": "worse", "same": "the same", "unclear": "cannot tell"}


def signed(value: float, shape: Callable[[float], str]) -> str:
    told = shape(value)
    return told if told.startswith("-") or not any(letter in told for letter in "123456789") else f"+{told}"


def names_of(plots: View) -> list[str]:
    """The sides that are drawn: `a`, or `a` and `b`."""
    return [name for name in "ab" if name in plots["finished"]]


def seeds_of(view: View) -> str:
    seeds = view["seeds"]
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]}-{seeds[-1]}"
