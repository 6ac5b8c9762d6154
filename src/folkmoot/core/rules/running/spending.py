"""What a run has used up: tokens, money where anybody can tell it, and time. Counted while it runs, and once only.

A client tells its totals again and again; what was counted before stands in the run's row, so only the difference is
added to the item and the day. A run that is killed has counted up to what its worker last told.
"""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.records import Meter, Run, Window
from folkmoot.core.report import Usage
from folkmoot.core.situation import Case

DAY, QUOTA = "day", "quota:"
DAY_MS = 86_400_000
MILLION = 1_000_000
# More than any run uses. A client, or an agent in its stead, can tell any number: it counts as no more than this, so
# that budgets act on it and sums stay numbers that every row can hold.
TOKENS_MAX = 10**12
USD_MAX = 1_000_000.0


class Counted(Struct, frozen=True):
    """The changed fields of the run and its item, and the rows of the board beside them."""

    run: dict[str, Any]
    item: dict[str, Any]
    rows: dict[str, Any]


def dollars(usd: float) -> str:
    """A sum of money as people read it, wherever it is told. Below a cent it has two digits: what was used is never
    shown as nothing, and two small sums can be compared."""
    size = abs(round(usd, 9))  # what is less comes from adding, not from a price
    if not size:
        return "$0.00"
    places = 0 if size >= 1000 else 2 if size >= 0.01 else 1 - floor(log10(size))
    told = f"{size:.{places}f}"
    whole, _, parts = told.partition(".")
    told = f"{whole}.{parts.rstrip('0').ljust(2, '0')}" if parts else whole
    return f"{'-' if usd < 0 else ''}${told}"


def at_least(usd: float, unpriced: int) -> str:
    """A sum that may lack what some runs have cost: a + says so, wherever it is told."""
    return dollars(usd) + ("+" if unpriced else "")


def priced(flow: Flow, model: str | None, usage: Usage) -> Usage:
    """With its money: by the flow's own price, else as the client tells it. None where nobody can tell; a client that
    does not know the price says 0."""
    price = flow.models[model].price if model in flow.models else None
    if price is None:
        return replace(usage, cost_usd=usage.cost_usd or None)
    if not (usage.input_tokens or usage.output_tokens):
        return replace(usage, cost_usd=usage.cost_usd or None)
    cached = min(usage.cached_tokens, usage.input_tokens)
    of_cache = price.input if price.cached is None else price.cached
    usd = (usage.input_tokens - cached) * price.input + cached * of_cache + usage.output_tokens * price.output
    return replace(usage, cost_usd=round(usd / MILLION, 6))


def bounded(usage: Usage) -> Usage:
    """With no number that is larger than anybody could have used."""
    cost = usage.cost_usd
    return Usage(
        input_tokens=min(usage.input_tokens, TOKENS_MAX),
        cached_tokens=min(usage.cached_tokens, TOKENS_MAX),
        output_tokens=min(usage.output_tokens, TOKENS_MAX),
        cost_usd=min(cost, USD_MAX) if cost is not None else None,
    )


def money_of(run: Run) -> float | None:
    """What a run has cost; None: nobody can tell. Boards of older versions have only the sum, 0 where none was told."""
    if run.usage is not None:
        return run.usage.cost_usd
    return run.cost_usd or None


def tokens_of(run: Run) -> Usage | None:
    """The tokens of a run, if anybody told them."""
    told = run.usage or (run.report.usage if run.report else None)
    return told if told is not None and (told.input_tokens or told.output_tokens) else None


def token_sum(run: Run) -> int | None:
    told = tokens_of(run)
    return told.input_tokens + told.output_tokens if told is not None else None


def spend(case: Case, told: Usage | None) -> Counted:
    """Count what the run has used up since it was last counted. `told` are its totals so far, None: nothing new. Gates
    use no model, and their time is nobody's effort."""
    run, item, budget = case.run, case.item, case.flow.budget
    assert run is not None
    if run.gate:
        return Counted({}, {}, {})
    before = run.usage or Usage()
    usage = _most(before, bounded(priced(case.flow, run.model, bounded(told)))) if told is not None else before
    usd = (usage.cost_usd or 0.0) - (before.cost_usd or 0.0)
    tokens = usage.input_tokens + usage.output_tokens - before.input_tokens - before.output_tokens
    timed = budget.has_day or budget.item_time is not None
    seconds = max(0.0, case.now - run.began - run.seconds) if run.began and timed else 0.0
    row: dict[str, Any] = {"usage": usage, "cost_usd": usage.cost_usd or 0.0} if usage != before else {}
    if seconds:
        row["seconds"] = run.seconds + seconds
    fields: dict[str, Any] = {"cost_usd": item.cost_usd + usd} if usd else {}
    if usd or tokens or seconds:
        span = item.span
        fields["span"] = replace(span, usd=span.usd + usd, tokens=span.tokens + tokens, seconds=span.seconds + seconds)
    rows = {"meters": [_of_day(case, usd, tokens, seconds)]} if budget.has_day and (usd or tokens or seconds) else {}
    return Counted(row, fields, rows)


def windows_of(case: Case, windows: Sequence[Window]) -> list[tuple[str, dict[str, Any]]]:
    """The row of the pool's quota, as the client of a run has just told it."""
    if not windows or case.run is None:
        return []
    return [(QUOTA + (case.run.pool or case.run.agent), {"windows": list(windows), "at": case.situation.at})]


def _most(before: Usage, told: Usage) -> Usage:
    """Totals only grow: an agent's own word in its report is no reason to count less than its client showed."""
    costs = [cost for cost in (before.cost_usd, told.cost_usd) if cost is not None]
    return Usage(
        input_tokens=max(before.input_tokens, told.input_tokens),
        cached_tokens=max(before.cached_tokens, told.cached_tokens),
        output_tokens=max(before.output_tokens, told.output_tokens),
        cost_usd=max(costs, default=None),
    )


def _of_day(case: Case, usd: float, tokens: int, seconds: float) -> tuple[str, dict[str, Any]]:
    day = case.situation.at // DAY_MS
    meter = case.meters.get(DAY)
    before = meter if meter is not None and meter.day == day else Meter(id=DAY, day=day)
    used_up = {"usd": before.usd + usd, "tokens": before.tokens + tokens, "seconds": before.seconds + seconds}
    return DAY, {"day": day, **used_up}
