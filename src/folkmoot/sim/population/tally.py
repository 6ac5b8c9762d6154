"""What a trial came to, in numbers: time, cost, questions, success, and the runs that led nowhere."""

from collections.abc import Iterable
from statistics import mean, median
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.enums import ASKING
from folkmoot.core.flow import Flow
from folkmoot.core.records import Run
from folkmoot.engine.reads.metrics import workflow_of
from folkmoot.sim.population.trial import Trial

View = dict[str, Any]
# Outcomes with which a run has done what it was there for, also where that is to find fault.
OF_USE = frozenset({"done", "changes_requested", "split", "delegates"})
PASSING = frozenset({"transient", "environment", "quota", "timeout"})
WASTED = ("lapsed", "revoked", "released", "protocol", "transient", "repeats", "red_gates")


class Share(Struct, frozen=True, kw_only=True):
    """What one agent did with one model."""

    agent: str
    model: str | None
    runs: int
    of_use: int
    seconds: float
    cost: float

    def plus(self, other: "Share") -> "Share":
        return replace(
            self,
            runs=self.runs + other.runs,
            of_use=self.of_use + other.of_use,
            seconds=self.seconds + other.seconds,
            cost=self.cost + other.cost,
        )


class Tally(Struct, frozen=True, kw_only=True):
    seed: int
    items: int = 0  # that were brought
    made: int = 0  # that agents made on top: tasks, parts, questions to experts
    done: int = 0
    given_up: int = 0
    failed: int = 0
    asked: int = 0  # a person was asked, and has not answered
    waiting: int = 0  # for one of those
    seconds: float = 0.0
    item_seconds: list[float] = field(default_factory=list)  # of each done item, from coming in to its end
    finished: list[float] = field(default_factory=list)  # when each done item was, in seconds since the first came in
    cost: float = 0.0
    item_costs: list[float] = field(default_factory=list)  # of each that was brought, with all that was made of it
    questions: int = 0
    answered: int = 0
    runs: int = 0
    wasted: dict[str, int] = field(default_factory=dict)
    shares: list[Share] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def tally(trial: Trial, broken: list[str]) -> Tally:
    seen = trial.seen
    brought = [seen.items[name] for name in trial.brought]
    statuses = [item.status for item in brought]
    done = [item for item in brought if item.status == "done"]
    arrived = {name: number * trial.population.items.every for number, name in enumerate(trial.brought)}
    asked = sum(status in ASKING for status in statuses)
    ended = sum(statuses.count(status) for status in ("done", "cancelled", "failed"))
    return Tally(
        seed=trial.seed,
        items=len(brought),
        made=len(seen.items) - len(brought),
        done=len(done),
        given_up=statuses.count("cancelled"),
        failed=statuses.count("failed"),
        asked=asked,
        waiting=len(brought) - ended - asked,
        seconds=max(seen.audit.time - trial.begin, 0.0),
        item_seconds=sorted(trial.ended_at[item.id] - arrived[item.id] for item in done),
        finished=sorted(trial.ended_at[item.id] for item in done),
        cost=sum(spent.cost for spent in trial.spent.values()),
        item_costs=_item_costs(trial),
        questions=len(seen.questions),
        answered=sum(question.state == "answered" for question in seen.questions.values()),
        runs=len(seen.runs),
        wasted=_wasted(trial),
        shares=_shares(trial),
        broken=broken,
    )


def _item_costs(trial: Trial) -> list[float]:
    seen = trial.seen
    costs = dict.fromkeys(trial.brought, 0.0)
    for run, spent in trial.spent.items():
        whole = workflow_of(seen.items, seen.runs[run].item)
        # What a broken trial leaves behind may belong to nobody.
        if whole in costs:
            costs[whole] += spent.cost
    return sorted(costs.values())


def _wasted(trial: Trial) -> dict[str, int]:
    """Runs whose effort led nowhere, each under one cause. A failed attempt at something new is no waste: it counts."""
    repeated = {attempt.run for attempt in trial.seen.attempts.values() if not attempt.counted}
    counts = dict.fromkeys(WASTED, 0)
    for run in trial.seen.runs.values():
        why = _why_wasted(trial, run, repeated)
        if why is not None:
            counts[why] += 1
    return counts


def _why_wasted(trial: Trial, run: Run, repeated: set[str]) -> str | None:
    if run.end in ("rescued", "revoked", "released"):
        return "lapsed" if run.end == "rescued" else run.end
    if run.cause == "protocol":
        return "protocol"
    if run.cause in PASSING:
        return "transient"
    if run.agent in trial.flow.gates and run.outcome == "failed":
        return "red_gates"
    return "repeats" if run.id in repeated else None


def _shares(trial: Trial) -> list[Share]:
    found = []
    for run in trial.seen.runs.values():
        spent = trial.spent.get(run.id)  # none for the run whose claim broke the trial
        took = (run.ended_at - run.started_at) / 1000 if run.ended_at is not None else 0.0
        of_use = int(run.outcome in OF_USE)
        found.append(
            Share(
                agent=run.agent, model=run.model, runs=1, of_use=of_use, seconds=took, cost=spent.cost if spent else 0.0
            )
        )
    return summed(trial.flow, found)


def summed(flow: Flow, shares: Iterable[Share]) -> list[Share]:
    """One share for each agent with each model: agents in the order of the flow, models as on the ladder."""
    sums: dict[tuple[str, str | None], Share] = {}
    for share in shares:
        before = sums.get((share.agent, share.model))
        sums[(share.agent, share.model)] = before.plus(share) if before else share
    names = [*flow.agents, *flow.gates]

    def rank(share: Share) -> tuple[int, int]:
        agent = flow.agents.get(share.agent)
        rungs = [rung.model for rung in agent.ladder] if agent else []
        return names.index(share.agent), rungs.index(share.model) if share.model in rungs else len(rungs)

    return sorted(sums.values(), key=rank)


# As JSON


def trial_view(tally: Tally) -> View:
    """One trial."""
    return {
        "seed": tally.seed,
        "items": {
            "count": tally.items,
            "done": tally.done,
            "given_up": tally.given_up,
            "failed": tally.failed,
            "asked": tally.asked,
            "waiting": tally.waiting,
            "made_by_agents": tally.made,
        },
        "success": _part(tally.done, tally.items),
        "hours": round(tally.seconds / 3600, 2),
        "median_item_hours": round(median(tally.item_seconds) / 3600, 2) if tally.item_seconds else None,
        "cost_usd": round(tally.cost, 6),
        "cost_per_done_usd": round(tally.cost / tally.done, 6) if tally.done else None,
        "questions": {"asked": tally.questions, "answered": tally.answered},
        "runs": {"count": tally.runs, "wasted": sum(tally.wasted.values()), **tally.wasted},
        "broken": tally.broken,
    }


def whole_view(flow: Flow, tallies: list[Tally]) -> View:
    """All trials together: the means, who did what in all of them, and each trial for itself."""
    trials = [trial_view(tally) for tally in tallies]
    shares = summed(flow, (share for tally in tallies for share in tally.shares))
    return {
        "ok": not any(tally.broken for tally in tallies),
        "seeds": [tally.seed for tally in tallies],
        "mean": _mean(trials),
        "agents": [_share_view(share) for share in shares],
        "trials": trials,
    }


def _share_view(share: Share) -> View:
    return {
        "agent": share.agent,
        "model": share.model,
        "runs": share.runs,
        "success": _part(share.of_use, share.runs),
        "hours": round(share.seconds / 3600, 2),
        "cost_usd": round(share.cost, 6),
    }


def _mean(views: list[View]) -> View:
    """The means of all numbers, in the shape of one view; where no trial has a number, none."""
    means: View = {}
    for key, value in views[0].items():
        values = [view[key] for view in views if view[key] is not None]
        if isinstance(value, dict):
            means[key] = _mean(values)
        elif key not in ("seed", "broken"):
            means[key] = round(mean(values), 6 if key.endswith("_usd") else 3) if values else None
    return means


def _part(some: int, of: int) -> float:
    return round(some / of, 3) if of else 0.0
