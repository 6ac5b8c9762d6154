"""What runs have used up: tokens, money where anybody can tell it, time."""

from typing import Literal

from msgspec import field

from folkmoot.api.views import PauseView, View

Unit = Literal["usd", "tokens", "seconds"]
By = Literal["item", "run", "agent", "model", "pool", "day"]


class UsageLine(View, frozen=True, gc=False, kw_only=True):
    """The sum of some runs of agents."""

    key: str
    title: str
    runs: int
    running: int  # of those, runs that still go on
    input_tokens: int
    cached_tokens: int  # of those: what came from a cache
    output_tokens: int
    untold: int  # runs that told no tokens: the sums lack theirs
    cost_usd: float | None  # null: of none of them anybody can tell it
    unpriced: int  # runs whose cost nobody can tell: the sum lacks theirs
    seconds: float


class BudgetLine(View, frozen=True, gc=False, kw_only=True):
    """A budget of the flow, and how far it is used up; of `item`, by the item that has used most."""

    of: Literal["item", "day"]
    unit: Unit
    used: float
    most: float
    item: str | None
    unknown: bool = False  # there were runs, and nobody can tell what any of them used
    alike: int | None = None  # other items that have used as much; null: there is no other item
    again: bool = False  # an answer of a person has given the item its budget anew: used is what came after


class WindowLine(View, frozen=True, gc=False, kw_only=True):
    """A window of a pool's quota, as a client last told it."""

    pool: str
    window: str
    used: float | None  # a share of 1; null: not told
    resets_at: str | None
    status: str
    seen_at: str | None


class UsageView(View, frozen=True, gc=False, kw_only=True):
    by: By
    since: str | None
    lines: list[UsageLine]
    total: UsageLine
    days: list[UsageLine]  # the same runs by the day on which they began (UTC, as budgets count), none left out
    gate_runs: int  # gates and landings: they use no model
    gate_seconds: float
    budgets: list[BudgetLine]
    windows: list[WindowLine]
    pauses: list[PauseView]
    # Models that the flow names now, and whose latest run told tokens and no money: a price would help.
    priceless: list[str] = field(default_factory=list)
    unmetered: bool = False  # agents ran, and nobody can tell what any of the latest runs has cost, nor the next
