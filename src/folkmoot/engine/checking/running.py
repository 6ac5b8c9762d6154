"""The part of the audit that follows what really runs: pauses, starts, branches and what comes onto them."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.events import Event, Row
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.rules.running.budgets import ALL, POOL, day_is_spent, over_budget
from folkmoot.core.rules.running.pauses import LONG_SECONDS, QUOTA_SECONDS_MAX
from folkmoot.core.rules.running.rights import may_write, strays, trespasses
from folkmoot.core.rules.running.spending import DAY
from folkmoot.core.rules.running.work import leaked, too_much
from folkmoot.core.rules.sharing.holds import branch_of
from folkmoot.core.rules.sharing.paths import outside

Found = Callable[[str, str, str | None], None]
NOBODYS = frozenset({".git", ".moot"})  # no run changes what lies in one of these, at any depth
# What ends a run with a change that is taken in.
KEEPS_WORK = ("agent_completed", "run_paused", "run_stopped", "run_released", "landing_failed")
ROUNDED = 0.01  # seconds
LANDED_BY = ("done", "changes_requested", "disputed")  # a bound child hands its work over with its verdict


class Running:
    """Fed by the audit like `Conduct`. It keeps its own count of what began, so as to believe no row about it."""

    def __init__(self, tables: dict[str, dict[str, Row]], found: Found) -> None:
        self.tables: dict[str, dict[str, Any]] = tables
        self.found = found
        self._starts: dict[str, list[float]] = {}
        self._rate: tuple[int | None, float] = (None, 0.0)  # what the starts are counted against
        self._landings: dict[str, str] = {}  # run -> branch
        self._refused: str | None = None  # the run whose change was just refused

    def claimed(self, event: Event, item: Item, flow: Flow) -> None:
        """Before the event is folded: might this run begin at all?"""
        agent = event.agent or ""
        row = next((c.fields for c in event.changes if c.table == "runs"), {})
        if row.get("person"):
            return  # pauses and rates are for agents
        self._check_pauses(event, agent, row.get("pool"), flow, item.id)
        self._check_rate(event, agent, flow, item.id)
        if agent == LANDING:
            branch = branch_of(flow, item)
            others = [run for run, where in self._landings.items() if where == branch and self._is_open(run)]
            beside = row.get("beside")
            if others if beside is None else not self._is_beside(beside, others):
                others = others or ["no other"]
                self.found("R-19", f"{event.run} lands on {branch} while {others[0]} does", item.id)
            self._landings[event.run or ""] = branch

    def _is_beside(self, first: str, others: list[str]) -> bool:
        """Is it the one that lands there, and are all others beside it too?"""
        rows = self.tables.get("runs", {})
        return first in others and all(run == first or rows[run].beside == first for run in others)

    def _is_open(self, run: str) -> bool:
        row = self.tables.get("runs", {}).get(run)
        return row is not None and row.ended_at is None

    def _check_pauses(self, event: Event, agent: str, pool: str | None, flow: Flow, item: str) -> None:
        pauses = self.tables.get("pauses", {})
        if not pauses:
            return
        on = {name for name, one in pauses.items() if one.on and (one.until is None or one.until > event.time)}
        if ALL in on:
            self.found("R-07", f"{event.run} begins on a stopped board", item)
        if agent in flow.agents and pool and POOL + pool in on:
            self.found("R-07", f"{event.run} begins in {pool}, which is paused", item)
        day = self.tables.get("meters", {}).get(DAY)
        if agent in flow.agents and DAY in on and day is not None and day_is_spent(flow.budget, day):
            self.found("R-07", f"{event.run} begins after the day's budget was spent", item)

    def paused(self, event: Event, item: Item | None) -> None:
        """Before the event is folded: may the pool pause for so long? Older versions did not say who showed it."""
        change = next((c for c in event.changes if c.table == "pauses"), None)
        if change is None or "shown" not in event.context:
            return
        until = change.fields["until"]
        if until is None:
            return  # until a person says so: see `check_pauses`
        before = self.tables.get("pauses", {}).get(change.id)
        longer = before is None or not before.on or until > (before.until or 0.0) + ROUNDED
        seconds = until - event.time
        if longer and not event.context["shown"] and seconds > QUOTA_SECONDS_MAX + ROUNDED:
            self.found("R-07", f"{change.id} pauses for {seconds:.0f}s because of words alone", event.item)
        asks = item is not None and item.kind not in ONE_SHOT_KINDS
        if asks and seconds > LONG_SECONDS + ROUNDED and change.fields["question"] is None:
            self.found("R-07", f"{change.id} pauses for {seconds:.0f}s and nobody is asked", event.item)

    def stopped(self, event: Event, item: Item, flow: Flow) -> None:
        """Before the event is folded: was there a budget that the run had used up? One may have been raised since."""
        day = self.tables.get("meters", {}).get(DAY)
        of_day = day is not None and day_is_spent(flow.budget, day)
        if not (event.context["raised"] or over_budget(flow, item) or of_day):
            self.found("R-07", f"{event.run} is stopped for a budget that is not spent", item.id)

    def _check_rate(self, event: Event, agent: str, flow: Flow, item: str) -> None:
        most, window = flow.limits.starts, flow.limits.window
        if (most, window) != self._rate:
            self._rate = (most, window)
            self._starts.clear()
        if most is None or agent not in flow.agents:
            return
        recent = [at for at in self._starts.get(agent, ()) if at > event.time - window]
        if len(recent) >= most:
            self.found("R-33", f"{agent} begins {len(recent) + 1} runs within {window:.0f}s", item)
        self._starts[agent] = [*recent, event.time]

    def after(self, event: Event, before: Item | None, item: Item | None, flow: Flow | None) -> None:
        """After the event is folded: did work come onto a branch as it may, and was none refused for nothing?"""
        if event.name == "work_refused" and "write" in event.context:  # older versions refused what others held
            self._refused = event.run
        elif event.name == "agent_completed" and event.run and self._refused == event.run and item and flow:
            self._refused = None
            self._check_refusal(item, self.tables["runs"][event.run], flow)
        if item is None or (before is not None and before.head == item.head and before.landed == item.landed):
            return
        if before is None:
            if item.head is not None:
                self.found("R-19", f"it is added with work at {item.head}", item.id)
            return
        run = self.tables.get("runs", {}).get(event.run or "")
        if before.landed != item.landed and not (
            _has_landed(event, item, run) or self._was_found(event, before, item) or _was_merged(event, before, item)
        ):
            self.found("R-19", f"{event.name} says that {item.landed} has landed, and no run reported it", item.id)
        if run is not None and _has_landed(event, item, run) and run.agent == LANDING and run.lease_until <= event.time:
            self.found("R-19", f"{run.id} moved a branch after its lease", item.id)
        if before.head != item.head:
            self._check_head(event, before, item, run)
            if flow is not None and item.head is not None and run is not None and event.name == "agent_completed":
                self._check_rights(item, run, flow)

    def _was_found(self, event: Event, before: Item, item: Item) -> bool:
        """A move that was written down, by a run that is over, and that git shows."""
        intent = before.landing
        known = event.name == "landing_found" and intent is not None and intent.commit == item.landed
        return known and not self._is_open(intent.run if intent else "") and before.run is None

    def _check_head(self, event: Event, before: Item, item: Item, run: Run | None) -> None:
        if event.name == "work_kept":
            child = self.tables["items"].get(event.context.get("child", ""))
            known = child is not None and child.landed == item.head and child.asker == item.id
        elif event.name == "landing_found":
            known = item.head is None and before.landing is not None and before.head == before.landing.head
        elif event.name == "work_landed":
            known = item.head is None and _was_merged(event, before, item)
        elif run is None or event.name not in KEEPS_WORK:
            known = False
        elif item.head is None:
            known = before.landed != item.landed and before.head == run.head
        else:
            made = run.work
            known = made is not None and made.commit == item.head and before.head in (run.head, made.base)
        if not known:
            self.found("R-19", f"{event.name} moves its branch from {before.head} to {item.head}", item.id)

    def _check_refusal(self, item: Item, run: Run, flow: Flow) -> None:
        """Whoever only reads keeps its word, and what others hold is waited for (R-20)."""
        work, write = run.work, may_write(flow, item, run.agent)
        if write == "none":
            self.found("R-20", f"{run.id} of {run.agent} only reads, and its word was lost with its files", item.id)
        if work is None or work.commit is None or too_much(work, flow.limits) or leaked(work, flow):
            return
        faults = trespasses(work.touched, write, flow, item)
        faults += strays(work.lands or [], flow, item, [*item.changed, *(one.path for one in work.touched)])
        if not faults:
            self.found("R-20", f"{run.id} of {run.agent} was refused for what others hold, and did not wait", item.id)

    def _check_rights(self, item: Item, run: Run, flow: Flow) -> None:
        agent = flow.agents.get(run.agent)
        if run.gate or agent is None or run.work is None:
            return
        paths = [one.path for one in run.work.touched]
        if any(one.name for one in run.work.secrets):
            self.found("R-20", f"{run.id} of {run.agent} changed a file that holds a secret, and it was taken", item.id)
        if run.work.aside is not None or run.work.files > len(paths):
            self.found("R-20", f"{run.id} of {run.agent} changed more than was judged, and it was taken", item.id)
        taboo = [path for path in paths if not NOBODYS.isdisjoint(path.casefold().split("/"))]
        strange = outside(paths, item.files) if agent.write == "own" and item.files else []
        if taboo or strange or (paths and (agent.write == "none" or item.kind in ("expert", "sub"))):
            path = [*taboo, *strange, *paths][0]
            self.found("R-20", f"{run.id} of {run.agent} changed {path}, and it was taken", item.id)


def _has_landed(event: Event, item: Item, run: Run | None) -> bool:
    if run is None or event.name != "agent_completed":
        return False
    if run.agent == LANDING:
        return run.outcome == "done"
    return item.asker is not None and run.outcome in LANDED_BY


def _was_merged(event: Event, before: Item, item: Item) -> bool:
    """A pull request of the board's that people merged, with the work that the item had."""
    asked, now = before.proposal, item.proposal
    if event.name != "work_landed" or event.run is not None or asked is None or now is None:
        return False
    return now.state == "merged" and now.number == asked.number and asked.head == before.head
