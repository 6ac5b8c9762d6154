"""Two flows, ladders or populations on the same items with the same luck: what changes, and what may be chance."""

from collections.abc import Callable
from statistics import median
from typing import Any

from folkmoot.sim.population.curves import curves_view
from folkmoot.sim.population.paired import Difference, difference
from folkmoot.sim.population.tally import Tally
from folkmoot.sim.population.trials import Job, Players, Side, one_by_one, side_view

View = dict[str, Any]
# What is measured, how, and whether more of it is better.
MEASURES: dict[str, tuple[Callable[[Tally], float | None], bool]] = {
    "success": (lambda tally: tally.done / tally.items if tally.items else None, True),
    "hours": (lambda tally: tally.seconds / 3600, False),
    "median_item_hours": (lambda tally: median(tally.item_seconds) / 3600 if tally.item_seconds else None, False),
    "cost_usd": (lambda tally: tally.cost, False),
    "cost_per_done_usd": (lambda tally: tally.cost / tally.done if tally.done else None, False),
    "questions": (lambda tally: float(tally.questions), False),
    "runs": (lambda tally: float(tally.runs), False),
    "wasted_runs": (lambda tally: float(sum(tally.wasted.values())), False),
}
# How many seeds to try next, where so many were too few to tell.
ENOUGH_SEEDS = (20, 50, 100, 200)


def compare(a: Side, b: Side, seeds: list[int], play: Players = one_by_one) -> View:
    """Play every seed on both sides. Whatever is broken is named in the answer, and never raised."""
    tallies = list(play([Job(side, seed) for seed in seeds for side in (a, b)]))
    first, second = tallies[0::2], tallies[1::2]
    sides = {
        name: {"label": side.label, **side_view(side, own)} for name, side, own in (("a", a, first), ("b", b, second))
    }
    rows = [_row(name, first, second) for name in MEASURES]
    unclear = [row["measure"] for row in rows if row["verdict"] == "unclear"]
    return {
        "ok": all(side["ok"] for side in sides.values()),
        "seeds": seeds,
        "measures": rows,
        "unclear": unclear,
        "more_seeds": _more_seeds(seeds) if unclear else None,
        "sides": sides,
        "plots": curves_view([first, second]),
    }


def _row(name: str, a: list[Tally], b: list[Tally]) -> View:
    pick, more_is_better = MEASURES[name]
    found = difference([pick(tally) for tally in a], [pick(tally) for tally in b])
    return {
        "measure": name,
        "a": _rounded(found.a),
        "b": _rounded(found.b),
        "difference": _rounded(found.mean),
        "low": _rounded(found.low),
        "high": _rounded(found.high),
        "pairs": found.pairs,
        "verdict": _verdict(found, more_is_better),
    }


def _verdict(found: Difference, more_is_better: bool) -> str:
    """Of B: better, worse, the same, or unclear, which is no word for "the same"."""
    if found.is_none:
        return "same"
    if not found.is_clear or found.mean is None:
        return "unclear"
    return "better" if (found.mean > 0) == more_is_better else "worse"


def _more_seeds(seeds: list[int]) -> str | None:
    more = next((enough for enough in ENOUGH_SEEDS if enough > len(seeds)), None)
    return f"{seeds[0]}-{seeds[0] + more - 1}" if more is not None else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
