"""What can be drawn of trials: how many items were finished when, and how hours and cost are spread over the items."""

from bisect import bisect_right
from typing import Any

from folkmoot.sim.population.tally import Tally

View = dict[str, Any]
POINTS = 61  # of a curve
SHARES = {"low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95}
NAMES = "ab"


def curves_view(sides: list[list[Tally]]) -> View:
    """One side or two, drawn on the same scales: all times in hours, all costs in dollars."""
    hours = max((tally.seconds for tallies in sides for tally in tallies), default=0.0) / 3600
    at = [hours * point / (POINTS - 1) for point in range(POINTS)]
    items = max((tally.items for tallies in sides for tally in tallies), default=0)
    return {
        "finished": {
            "hours": [round(hour, 3) for hour in at],
            "items": items,
            **{name: _finished(tallies, at) for name, tallies in zip(NAMES, sides, strict=False)},
        },
        "item_hours": {name: _hours(tallies) for name, tallies in zip(NAMES, sides, strict=False)},
        "item_cost_usd": {name: _costs(tallies) for name, tallies in zip(NAMES, sides, strict=False)},
    }


def _finished(tallies: list[Tally], at: list[float]) -> list[float]:
    """The mean over the seeds of the number of items that are done at each of these hours."""
    number = max(len(tallies), 1)
    # A hair of patience: the last item ends at the very hour where the curve does.
    return [round(sum(bisect_right(t.finished, hour * 3600 + 1e-3) for t in tallies) / number, 3) for hour in at]


def _hours(tallies: list[Tally]) -> View | None:
    return _spread([seconds / 3600 for tally in tallies for seconds in tally.item_seconds])


def _costs(tallies: list[Tally]) -> View | None:
    return _spread([cost for tally in tallies for cost in tally.item_costs])


def _spread(values: list[float]) -> View | None:
    """Where the items lie, over all seeds; None if there are none."""
    if not values:
        return None
    ordered = sorted(values)
    spread = {name: round(quantile(ordered, share), 3) for name, share in SHARES.items()}
    return {**spread, "least": round(ordered[0], 3), "most": round(ordered[-1], 3), "count": len(ordered)}


def quantile(ordered: list[float], share: float) -> float:
    """Between the two nearest values, in proportion."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
