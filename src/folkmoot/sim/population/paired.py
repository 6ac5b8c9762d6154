"""Two sides measured with the same seeds: the difference, and how far it could be off."""

from math import sqrt
from statistics import fmean, stdev

from msgspec import Struct

# Student's t for 95 % of the time, two-sided, by degrees of freedom; between them the inverse is nearly straight.
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}
T_95 |= {12: 2.179, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980, 1_000_000: 1.960}
# Differences below this part of the values are those of adding up floats in another order.
NOISE = 1e-9


class Difference(Struct, frozen=True, kw_only=True):
    """B less A, over the pairs that have both; with one pair nobody knows how far it is off."""

    a: float | None
    b: float | None
    mean: float | None
    low: float | None
    high: float | None
    pairs: int

    @property
    def is_none(self) -> bool:
        """The same in every pair."""
        return self.mean == 0 and self.low == 0 == self.high

    @property
    def is_clear(self) -> bool:
        """More than chance alone makes, at 95 %."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def difference(a: list[float | None], b: list[float | None]) -> Difference:
    """Of the same measure on both sides, seed by seed; where one side has no number, the pair is left out."""
    pairs = [(first, second) for first, second in zip(a, b, strict=True) if first is not None and second is not None]
    if not pairs:
        return Difference(a=_mean(a), b=_mean(b), mean=None, low=None, high=None, pairs=0)
    apart = [_less(second, first) for first, second in pairs]
    middle, reach = fmean(apart), None
    if len(apart) > 1:
        reach = t_95(len(apart) - 1) * stdev(apart) / sqrt(len(apart))
    elif middle == 0:
        reach = 0.0
    low, high = (None, None) if reach is None else (middle - reach, middle + reach)
    means = [fmean(side) for side in zip(*pairs, strict=True)]
    return Difference(a=means[0], b=means[1], mean=middle, low=low, high=high, pairs=len(pairs))


def t_95(freedom: int) -> float:
    """By the table, and between its rows in proportion to the inverse."""
    if freedom in T_95:
        return T_95[freedom]
    below = max(known for known in T_95 if known < freedom)
    above = min(known for known in T_95 if known > freedom)
    part = (1 / below - 1 / freedom) / (1 / below - 1 / above)
    return T_95[below] + (T_95[above] - T_95[below]) * part


def _less(value: float, other: float) -> float:
    apart = value - other
    return 0.0 if abs(apart) <= NOISE * max(abs(value), abs(other)) else apart


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
