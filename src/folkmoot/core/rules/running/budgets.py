"""What agents may use up, and what begins no runs for a while: quota, budgets, the rate of starts. Looked at here."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from msgspec import Struct

from folkmoot.core.commands import CloseQuestion, WeighDay
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import Budget, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Meter, Pause, Run
from folkmoot.core.report import Usage
from folkmoot.core.rules.running.spending import DAY, DAY_MS, dollars, money_of, token_sum
from folkmoot.core.situation import Case
from folkmoot.errors import NothingToDo, Refused

ALL, POOL, STARTS = "all", "pool:", "starts:"
NOTHING = Usage()


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
    return shut_for(flow, agent, item, shut_pools(flow, paused, live)) is None


def pool_of(flow: Flow, agent: str, item: Item) -> str | None:
    """The pool of the model that would take the item, as pauses are named; None where no model would. A gate is a pool
    of its own: what keeps it from running keeps all items from being proved by it."""
    if agent in flow.gates:
        return POOL + gate_pool(agent)
    if agent not in flow.agents or item.status == "proving":
        return None
    return POOL + flow.pool(agent, flow.agents[agent].model(item.failures.get(agent, 0)))


def pools_of(flow: Flow, agent: str, item: Item) -> list[str]:
    """All that must work for the item's next run to be of use: its pool, and the gates that are to prove what it makes.
    Where nothing can be proved, more work would only wait."""
    own = pool_of(flow, agent, item)
    column = flow.columns.get(item.column) if own is not None and agent in flow.agents else None
    gates = [POOL + gate_pool(gate) for gate in column.gate] if column is not None else []
    return [*([own] if own is not None else []), *gates]


def shut_for(flow: Flow, agent: str, item: Item, shut: Collection[str]) -> str | None:
    """Which of those that are shut keeps the agent from the item."""
    return next((name for name in pools_of(flow, agent, item) if name in shut), None) if shut else None


def gate_pool(gate: str) -> str:
    return f"the gate {gate}"


def shut_pools(flow: Flow, paused: Iterable[str], live: Iterable[Run]) -> set[str]:
    """The pools that have no quota, or no free slot."""
    busy = Counter(run.pool for run in live if not run.gate)
    full = {POOL + name for name, pool in flow.pools.items() if pool.slots is not None and busy[name] >= pool.slots}
    return full | set(paused)


def waits_no_more(case: Case) -> dict[str, Any]:
    """A pool that lets a run report works again: what it counts of pauses in a row begins anew, and nobody is asked."""
    run = case.run
    pause = case.pauses.get(POOL + (run.pool or "")) if run is not None else None
    if run is None or pause is None or not pause.in_a_row:
        return {}
    if pause.question and pause.asks and pause.until is not None:
        case.tell(pause.asks, CloseQuestion(question=pause.question, why=f"{run.pool} works again"))
    return {"pauses": [(pause.id, {"in_a_row": 0})]}


def day_is_spent(budget: Budget, meter: Meter) -> bool:
    money = _spent(meter.usd, budget.day_usd) or _spent(meter.tokens, budget.day_tokens)
    return money or _spent(meter.seconds, budget.day_time)


def spend_day(case: Case) -> None:
    """Where the day's budget is used up, agents begin again the next day. A person may have let them go on today."""
    meter, before = case.meters.get(DAY), case.pauses.get(DAY)
    if meter is None or not day_is_spent(case.flow.budget, meter):
        return
    now = case.situation.now
    if before is not None and before.until is not None and before.until > now:
        return
    left = (DAY_MS - case.situation.at % DAY_MS) / 1000
    pause = {
        "on": True,
        "until": now + left,
        "ends_at": case.situation.at + round(left * 1000),
        "why": "the day's budget is spent",
        "by": ENGINE_NAME,
        "at": case.situation.at,
    }
    case.emit("budget_spent", {"usd": meter.usd, "tokens": meter.tokens, "seconds": meter.seconds}, pauses=(DAY, pause))


def weigh_day(case: Case, command: WeighDay) -> None:
    """Another flow holds from now on: a day that its budget leaves open goes on, and where it is spent no agent begins.
    That a person let today go on stands."""
    today = case.situation.at // DAY_MS
    meter = case.meters.get(DAY)
    if meter is not None and meter.day == today and day_is_spent(case.flow.budget, meter):
        spend_day(case)
    elif DAY in in_force(case.pauses.values(), case.now):
        over = {
            "on": False,
            "until": None,
            "ends_at": None,
        }  # without an end: nobody let the day go on whatever it costs
        why = "the flow's budget leaves more for today"
        case.emit("board_resumed", {"pauses": [DAY], "why": why}, pauses=(DAY, over))


def used_today(runs: Iterable[Run], at: int) -> Meter:
    """What runs that began today have used. The time of one that goes on is counted when it is next heard of."""
    today, usd, tokens, seconds = at // DAY_MS, 0.0, 0, 0.0
    for run in runs:
        if run.gate or run.started_at // DAY_MS != today:
            continue
        usd, tokens = usd + (money_of(run) or 0.0), tokens + (token_sum(run) or 0)
        seconds += run.seconds if run.ended_at is None else max(run.ended_at - run.started_at, 0) / 1000
    return Meter(id=DAY, day=today, usd=usd, tokens=tokens, seconds=seconds)


def _spent(used_up: float, most: float | None) -> bool:
    return most is not None and used_up >= most


def over_budget(flow: Flow, item: Item) -> str | None:
    """Which budget of the item is used up since a person last looked, in words; None if none is."""
    budget, span = flow.budget, item.span
    if _spent(span.usd, budget.item_usd):
        return f"{dollars(span.usd)} of {dollars(budget.item_usd or 0.0)}"
    if _spent(span.tokens, budget.item_tokens):
        return f"{span.tokens:,} of {budget.item_tokens:,} tokens"
    if _spent(span.seconds, budget.item_time):
        return f"{_time(span.seconds)} of {_time(budget.item_time or 0.0)}"
    return None


def _time(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} second{'' if whole == 1 else 's'}" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def allowance(flow: Flow) -> str:
    """What an item may use up between two answers of a person, in words."""
    budget = flow.budget
    told = [dollars(budget.item_usd)] if budget.item_usd is not None else []
    told += [f"{budget.item_tokens:,} tokens"] if budget.item_tokens is not None else []
    told += [_time(budget.item_time)] if budget.item_time is not None else []
    return ", ".join(told)


def spent_so_far(item: Item) -> str:
    """What its runs have used since a person last looked, and where what they made is."""
    span = item.span
    told = [f"{span.runs} run{'' if span.runs == 1 else 's'}"]
    told += [f"{span.tokens:,} tokens"] if span.tokens else []
    told += [dollars(span.usd)] if span.usd else []
    told += [_time(span.seconds)] if span.seconds >= 1 else []
    kept = "; what they made is kept on the item's branch" if item.head is not None else ""
    since = "since the last answer" if item.clarifications else "so far"
    return f"used {since}: {', '.join(told)}{kept}"


class Left(Struct, frozen=True, kw_only=True):
    """What a run may still use up before a budget ends it. None: no budget says so."""

    usd: float | None = None
    tokens: float | None = None
    seconds: float | None = None

    def ends(self, more: Usage = NOTHING) -> bool:
        """Is a budget used up, after so much more than was counted?"""
        tokens = more.input_tokens + more.output_tokens
        pairs = ((self.usd, more.cost_usd or 0.0), (self.tokens, tokens), (self.seconds, 0.0))
        return any(left is not None and used_up >= left for left, used_up in pairs)


def left(flow: Flow, item: Item, day: Meter | None, pauses: Collection[Pause], now: float, at: int) -> Left:
    """What is left for the runs of an item: of its own budget, and of the day's unless a person let today go on."""
    budget, span = flow.budget, item.span
    let_go = any(pause.id == DAY and not pause.on and (pause.until or 0.0) > now for pause in pauses)
    of_day = day if day is not None and day.day == at // DAY_MS else None
    today = (of_day.usd, of_day.tokens, of_day.seconds) if of_day else (0.0, 0, 0.0)
    most = (budget.day_usd, budget.day_tokens, budget.day_time) if budget.has_day and not let_go else (None,) * 3
    usd, tokens, seconds = (
        _least(own, spent, whole, used_up)
        for own, spent, whole, used_up in zip(
            (budget.item_usd, budget.item_tokens, budget.item_time),
            (span.usd, span.tokens, span.seconds),
            most,
            today,
            strict=True,
        )
    )
    return Left(usd=usd, tokens=tokens, seconds=seconds)


def _least(own: float | None, spent: float, whole: float | None, used_up: float) -> float | None:
    found = [most - used for most, used in ((own, spent), (whole, used_up)) if most is not None]
    return min(found, default=None)


def ended_by(case: Case) -> str:
    """Which budget ends the run, in words; empty if none does any more."""
    if spent := over_budget(case.flow, case.item):
        return f"the item has used {spent}"
    meter = case.meters.get(DAY)
    if meter is not None and DAY in in_force(case.pauses.values(), case.now) and day_is_spent(case.flow.budget, meter):
        return "the day's budget is spent"
    return ""
