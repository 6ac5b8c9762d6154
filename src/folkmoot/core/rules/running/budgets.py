"""What agents may use up, and what begins no runs for a while: quota, budgets, the rate of starts. Looked at here."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from folkmoot.core.commands import CloseQuestion
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import Budget, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Meter, Pause, Run
from folkmoot.core.report import Report
from folkmoot.core.situation import Case
from folkmoot.errors import NothingToDo, Refused

ALL, DAY, POOL, STARTS = "all", "day", "pool:", "starts:"
DAY_MS = 86_400_000


def in_force(pauses: Collection[Pause], now: float) -> dict[str, Pause]:
    if not pauses:
        return {}
    return {pause.id: pause for pause in pauses if pause.on and (pause.until is None or pause.until > now)}


def check_stop(pauses: Collection[Pause], now: float) -> None:
    """`moot pause` ends all beginning of runs, on every machine; the day's budget that of agents."""
    stopped = in_force(pauses, now).get(ALL)
    if stopped is not None:
        words = "{by} paused the board: {why}" if stopped.why else "{by} paused the board"
        raise Refused("stopped", words, "let it go on: <resume>", by=stopped.by, why=stopped.why)


def check_day(pauses: Collection[Pause], meter: Meter | None, agent: str, flow: Flow, now: float) -> None:
    """A flow with a larger budget lets agents begin again at once."""
    spent = in_force(pauses, now).get(DAY)
    is_spent = spent is not None and (meter is None or day_is_spent(flow.budget, meter))
    if spent is not None and spent.until is not None and is_spent and agent in flow.agents:
        words = "{spent}; the next day begins in {seconds:.0f}s"
        hint = "raise `budget` in the flow, then: <apply>"
        raise NothingToDo("budget_spent", words, hint, spent.why, spent.until - now)


def check_rate(flow: Flow, agent: str, meter: Meter | None, now: float) -> None:
    """An agent that always fails cannot begin more runs than the flow allows in any window."""
    wait = next_start(flow, meter, now) if meter is not None and agent in flow.agents else 0.0
    if wait > 0:
        words = "{agent} has begun {limit} runs within {window:.0f}s; the next in {wait:.0f}s"
        hint = "try again then, or raise `starts` in the flow's limits"
        raise NothingToDo("too_many_starts", words, hint, agent, flow.limits.starts, flow.limits.window, wait)


def next_start(flow: Flow, meter: Meter, now: float) -> float:
    """Seconds until the window has room for another start; 0 or less if it has."""
    most = flow.limits.starts
    if most is None or len(meter.starts) < most:
        return 0.0
    return meter.starts[-most] + flow.limits.window - now


def started(case: Case, agent: str) -> dict[str, Any]:
    """The rows that change because a run begins."""
    most = case.flow.limits.starts
    if most is None or agent not in case.flow.agents:
        return {}
    meter = case.meters.get(STARTS + agent)
    starts = [*(meter.starts if meter else []), case.now][-most:]
    return {"meters": (STARTS + agent, {"starts": starts})}


def has_room(flow: Flow, agent: str, item: Item, paused: Collection[str], live: Iterable[Run]) -> bool:
    """Has the pool of the model that would take the item a free slot, and quota?"""
    return pool_of(flow, agent, item) not in shut_pools(flow, paused, live)


def pool_of(flow: Flow, agent: str, item: Item) -> str | None:
    """The pool of the model that would take the item, as pauses are named; None where no model would."""
    if agent not in flow.agents or item.status == "proving":
        return None
    return POOL + flow.pool(agent, flow.agents[agent].model(item.failures.get(agent, 0)))


def shut_pools(flow: Flow, paused: Iterable[str], live: Iterable[Run]) -> set[str]:
    """The pools that have no quota, or no free slot."""
    busy = Counter(run.pool for run in live if not run.gate)
    full = {POOL + name for name, pool in flow.pools.items() if pool.slots is not None and busy[name] >= pool.slots}
    return full | set(paused)


def used(case: Case, said: Report) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a run used up: the change of the item's span, and the rows of the board that follow."""
    run = case.run
    assert run is not None
    usage = said.usage
    usd = usage.cost_usd if usage else 0.0
    tokens = usage.input_tokens + usage.output_tokens if usage else 0
    seconds = max(0.0, case.now - run.began) if run.began else 0.0
    rows: dict[str, Any] = {}
    pause = case.pauses.get(POOL + (run.pool or ""))
    if pause is not None and pause.in_a_row:
        rows["pauses"] = [(pause.id, {"in_a_row": 0})]
        if pause.question and pause.asks and pause.until is not None:
            case.tell(pause.asks, CloseQuestion(question=pause.question, why=f"{run.pool} works again"))
    budget = case.flow.budget
    if budget.has_day:
        rows["meters"] = _day(case, usd, tokens, seconds)
    if usd or tokens or budget.item_time is not None:
        span = case.item.span
        return {"usd": span.usd + usd, "tokens": span.tokens + tokens, "seconds": span.seconds + seconds}, rows
    return {}, rows


def _day(case: Case, usd: float, tokens: int, seconds: float) -> tuple[str, dict[str, Any]]:
    day = case.situation.at // DAY_MS
    meter = case.meters.get(DAY)
    before = meter if meter is not None and meter.day == day else Meter(id=DAY, day=day)
    used_up = {"usd": before.usd + usd, "tokens": before.tokens + tokens, "seconds": before.seconds + seconds}
    return DAY, {"day": day, **used_up}


def day_is_spent(budget: Budget, meter: Meter) -> bool:
    money = _spent(meter.usd, budget.day_usd) or _spent(meter.tokens, budget.day_tokens)
    return money or _spent(meter.seconds, budget.day_time)


def spend_day(case: Case) -> None:
    """Where the day's budget is used up, agents begin again the next day. A person may have let them go on today."""
    meter, before = case.meters.get(DAY), case.pauses.get(DAY)
    if meter is None or not day_is_spent(case.flow.budget, meter):
        return
    if before is not None and before.until is not None and before.until > case.now:
        return
    left = (DAY_MS - case.situation.at % DAY_MS) / 1000
    pause = {
        "on": True,
        "until": case.now + left,
        "ends_at": case.situation.at + round(left * 1000),
        "why": "the day's budget is spent",
        "by": ENGINE_NAME,
        "at": case.situation.at,
    }
    case.emit("budget_spent", {"usd": meter.usd, "tokens": meter.tokens, "seconds": meter.seconds}, pauses=(DAY, pause))


def _spent(used_up: float, most: float | None) -> bool:
    return most is not None and used_up >= most


def over_budget(flow: Flow, item: Item) -> str | None:
    """Which budget of the item is used up since a person last looked, in words; None if none is."""
    budget, span = flow.budget, item.span
    if _spent(span.usd, budget.item_usd):
        return f"${span.usd:.2f} of ${budget.item_usd:.2f}"
    if _spent(span.tokens, budget.item_tokens):
        return f"{span.tokens:,} of {budget.item_tokens:,} tokens"
    if _spent(span.seconds, budget.item_time):
        return f"{span.seconds / 60:.0f} of {(budget.item_time or 0) / 60:.0f} minutes"
    return None
