"""What runs have used up, by item, run, agent, model, pool or day. A run that goes on counts as far as it has told."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from typing import cast, get_args

from msgspec.structs import replace

from folkmoot.api.usage import BudgetLine, By, Unit, UsageLine, UsageView
from folkmoot.core.flow import RUNG_ESCALATE, Budget, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Meter, Run
from folkmoot.core.rules.running.spending import DAY, DAY_MS, money_of, tokens_of
from folkmoot.engine.loading import known_item
from folkmoot.engine.moment import Moment
from folkmoot.engine.reads.metrics import family, workflow_of
from folkmoot.engine.reads.quotas import windows_of
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.views import moment_text, pause_views
from folkmoot.errors import Invalid
from folkmoot.flows.spans import parse_span

DAYS_MAX = 400  # of a row of days without a gap
OWN_CHOICE = "the client's own choice"


def used(snapshot: Snapshot, by: str, since: str | None, item: str | None) -> UsageView:
    reading, now = snapshot.reading, snapshot.moment
    way = _way(by)
    after = moment_of(since, now.at) if since else None
    if item is None:
        items = {one.id: one for one in cast("Iterable[Item]", reading.rows("items"))}
        found = cast("Iterable[Run]", reading.rows("runs"))
    else:
        items = family(reading, known_item(reading, item))
        found = (run for one in items for run in reading.runs(one))
    wanted = (lean(run) for run in found if after is None or run.started_at >= after)
    chosen = sorted(wanted, key=lambda run: run.started_at)
    runs, gates = [run for run in chosen if not run.gate], [run for run in chosen if run.gate]
    lines = _lines(way, runs, items, now)
    return UsageView(
        by=way,
        since=moment_text(after),
        lines=lines,
        total=_line("", "in all", runs, now),
        days=_days(runs, now),
        gate_runs=len(gates),
        gate_seconds=round(sum(seconds_of(run, now) for run in gates), 3),
        budgets=[*([] if item else _of_day(snapshot)), *_of_items(snapshot.flow.budget, list(items.values()))],
        windows=windows_of(reading, snapshot.flow),
        pauses=pause_views(reading.pauses(), now),
        priceless=_priceless(snapshot.flow, runs),
        unmetered=_is_unmetered(snapshot.flow, runs),
    )


def _latest(flow: Flow, runs: Iterable[Run]) -> dict[str, Run]:
    """The last run that has ended with each model that an agent of the flow would begin with now. What a model that
    nobody starts any more has cost, no price can tell later."""
    named = {rung.model for agent in flow.agents.values() for rung in agent.ladder if rung.model != RUNG_ESCALATE}
    named |= {OWN_CHOICE for agent in flow.agents.values() if not agent.ladder}
    ended = {run.model or OWN_CHOICE: run for run in runs if run.ended_at is not None}
    return {model: run for model, run in ended.items() if model in named}


def _has_price(flow: Flow, model: str) -> bool:
    return model in flow.models and flow.models[model].price is not None


def _priceless(flow: Flow, runs: Iterable[Run]) -> list[str]:
    """Runs are in the order in which they began. One of long ago says nothing of the next: since then the model got a
    price, its client tells money, or the flow names another."""
    latest = _latest(flow, runs).items()
    unpriced = (model for model, run in latest if tokens_of(run) and money_of(run) is None)
    return sorted(model for model in unpriced if not _has_price(flow, model))


def _is_unmetered(flow: Flow, runs: Iterable[Run]) -> bool:
    latest = _latest(flow, runs)
    return bool(latest) and not any(
        money_of(run) is not None or (tokens_of(run) and _has_price(flow, model)) for model, run in latest.items()
    )


def lean(run: Run) -> Run:
    """A run without what was said and changed in it, which is most of it: many are kept at once to be counted."""
    return replace(run, report=None, refused=None, work=None, weighed=None, said={}, contracts={}, kept=[])


def _way(by: str) -> By:
    if by not in get_args(By):
        words, hint = "what was used cannot be told by {by!r}", "use one of {known}"
        raise Invalid("bad_usage", words, hint, by=by, known=list(get_args(By)))
    return cast("By", by)


def moment_of(text: str, now: int) -> int:
    """A span back from now, or a day."""
    if text.strip().lower() in ("today", "yesterday"):
        return now // DAY_MS * DAY_MS - (DAY_MS if text.strip().lower() == "yesterday" else 0)
    try:
        day = datetime.fromisoformat(text.strip())
    except ValueError:
        day = None
    if day is not None and "-" in text:
        return round((day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp() * 1000)
    try:
        return now - round(parse_span(text) * 1000)
    except Invalid:
        hint = "write a span back from now, like 24h or 7d, or a day, like 2026-11-18"
        raise Invalid("bad_span", "{text!r} is neither a time span nor a day", hint, text[:60]) from None


def _lines(by: By, runs: list[Run], items: dict[str, Item], now: Moment) -> list[UsageLine]:
    if by == "day":
        return _days(runs, now)
    flows: dict[str, str] = {}

    def whole(run: Run) -> str:
        if run.item not in flows:
            flows[run.item] = workflow_of(items, run.item)
        return flows[run.item]

    keys: dict[str, Callable[[Run], str]] = {
        "run": lambda run: run.id,
        "item": whole,
        "agent": lambda run: run.agent,
        "model": lambda run: run.model or OWN_CHOICE,
        "pool": lambda run: run.pool or run.agent,
    }
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[keys[by](run)].append(run)
    lines = [_line(key, _title(by, key, some, items), some, now) for key, some in groups.items()]
    if by == "item":
        return sorted(lines, key=lambda line: int(line.key))
    return lines if by == "run" else sorted(lines, key=lambda line: (-(line.cost_usd or 0.0), -line.seconds))


def _title(by: By, key: str, runs: list[Run], items: dict[str, Item]) -> str:
    if by == "item":
        return items[key].title
    return f"#{runs[0].item} {runs[0].agent}" if by == "run" else key


def _days(runs: list[Run], now: Moment) -> list[UsageLine]:
    """Every day from the first to the last: one without runs has used nothing."""
    groups: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.started_at // DAY_MS].append(run)
    if not groups:
        return []
    first, last = min(groups), max(groups)
    wanted = range(first, last + 1) if last - first < DAYS_MAX else sorted(groups)
    return [_line(day_text(day), day_text(day), groups.get(day, []), now) for day in wanted]


def day_text(day: int) -> str:
    return datetime.fromtimestamp(day * 86_400, UTC).date().isoformat()


def _line(key: str, title: str, runs: list[Run], now: Moment) -> UsageLine:
    tokens = [tokens_of(run) for run in runs]
    told = [one for one in tokens if one is not None]
    costs = [money_of(run) for run in runs]
    known = [cost for cost in costs if cost is not None]
    return UsageLine(
        key=key,
        title=title,
        runs=len(runs),
        running=sum(run.ended_at is None and run.lease_until > now.now for run in runs),
        input_tokens=sum(one.input_tokens for one in told),
        cached_tokens=sum(one.cached_tokens for one in told),
        output_tokens=sum(one.output_tokens for one in told),
        untold=len(runs) - len(told),
        cost_usd=round(sum(known), 6) if known else None,
        unpriced=len(runs) - len(known),
        seconds=round(sum(seconds_of(run, now) for run in runs), 3),
    )


def seconds_of(run: Run, now: Moment) -> float:
    """Of a run that goes on until now; of one whose lease has run out, until then."""
    late = max(now.now - run.lease_until, 0.0)
    ended = run.ended_at if run.ended_at is not None else now.at - round(late * 1000)
    return max(ended - run.started_at, 0) / 1000


def _of_day(snapshot: Snapshot) -> list[BudgetLine]:
    budget, meter = snapshot.flow.budget, snapshot.reading.meter(DAY)
    day = meter if meter is not None and meter.day == snapshot.moment.at // DAY_MS else Meter(id=DAY)
    limits: dict[Unit, float | None] = {"usd": budget.day_usd, "tokens": budget.day_tokens, "seconds": budget.day_time}
    used_up = {unit: float(getattr(day, unit)) for unit in limits}
    ran = day.seconds > 0  # time is always counted
    return [
        BudgetLine(of="day", unit=unit, used=used_up[unit], most=most, item=None, unknown=ran and not used_up[unit])
        for unit, most in limits.items()
        if most is not None
    ]


def _of_items(budget: Budget, items: Collection[Item]) -> list[BudgetLine]:
    """Of each budget the item that has used most, as far as anybody can tell."""
    limits: dict[Unit, float | None] = {
        "usd": budget.item_usd,
        "tokens": budget.item_tokens,
        "seconds": budget.item_time,
    }
    found = []
    for unit, most in limits.items():
        spent = {one.id: float(getattr(one.span, unit)) for one in items}
        top = max(items, key=lambda one: (spent[one.id], -one.number), default=None)
        if most is None or top is None:
            continue
        used_up = spent[top.id]
        found.append(
            BudgetLine(
                of="item",
                unit=unit,
                used=used_up,
                most=most,
                item=top.id if used_up or len(items) == 1 else None,
                unknown=not used_up and unit != "seconds" and any(one.span.runs for one in items),
                alike=sum(one == used_up for one in spent.values()) - 1 if len(items) > 1 else None,
                again=top.clarifications > 0,
            )
        )
    return found
