"""Finds the item that a claim gets. What keeps an item out is noted in its row, so that it hides no other (R-20, R-23).

A queue of up to `CANDIDATES_MAX` items is looked at whole. In a longer one a claim looks at those behind no bar, and
notes the bar of each that it finds kept out. Behind a bar that stands it does not look again; behind one
that has fallen it does.
"""

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import claimant, order_key
from folkmoot.core.records import Pause
from folkmoot.core.rules.admission import check_pause, lease_for
from folkmoot.core.rules.running.budgets import (
    POOL,
    STARTS,
    check_day,
    check_rate,
    check_stop,
    in_force,
    pools_of,
    shut_for,
    shut_pools,
)
from folkmoot.core.rules.running.joining import needs_for
from folkmoot.core.rules.running.spending import DAY
from folkmoot.core.rules.sharing.choice import (
    PATH,
    RESERVED,
    Ground,
    choose,
    is_kept_out_by,
    landing_obstacle,
    standing,
)
from folkmoot.core.rules.sharing.holds import landing_bar, taken_branches
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.engine.loading import claim_context
from folkmoot.engine.subjects import nothing_ready
from folkmoot.errors import NothingToDo, unknown_column
from folkmoot.store.port import Reading, Transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from folkmoot.engine.unit_of_work import UnitOfWork

Found = TypeVar("Found")
CANDIDATES_MAX = 256
AWAITED_MAX = 20_000
LABEL = "label:"  # how the name of a bar begins that only workers with this label pass
LISTS_MAX = 8  # fallen bars that are looked behind one by one; where there are more, all behind them are let in


class Shut(Struct, frozen=True):
    """What pools, branches and labels say: is one of this name shut, and which one would an item need?"""

    has: "Callable[[str], bool]"
    needed: "Callable[[Item], str | None]"


def next_item(
    tx: Transaction,
    flow: Flow,
    agent: str,
    now: float,
    *,
    column: str | None,
    item: str | None,
    labels: "Collection[str] | None" = None,
) -> Item | None:
    """The item this agent would get now, or None; `labels` are those of its worker, None where it has none to have."""
    starve = flow.limits.starve
    head = tx.head()
    writer = flow.agents.get(agent)
    shut = _shut(tx, flow, agent, now)
    careless = not head.filed or writer is None or writer.write == "none"
    if careless and shut is None and not head.pauses and not labels:
        # Whoever has no label passes no bar of labels; whoever need have none looks behind them where nothing else is.
        first = tx.next_ready(agent, now, starve, column=column, item=item)
        if first is None and (labels is not None or item is not None or not tx.bars(agent)):
            return None
        if first is not None and missing_label(flow, first, agent, labels) is None:
            return first
    search = _Search(tx, flow, agent, now, _with_labels(shut, flow, agent, labels), careless)
    if item is not None:
        one = tx.next_ready(agent, now, starve, column=column, item=item)
        return search.choose([one])[0] if one is not None else None
    bars = tx.bars(agent)
    if bars and tx.queued(agent, CANDIDATES_MAX + 1) <= CANDIDATES_MAX:
        tx.let_in(agent, bars)
        bars = []
    found = tx.ready(agent, now, starve, column=column, limit=CANDIDATES_MAX + 1)
    if not bars and len(found) <= CANDIDATES_MAX:
        return search.choose(found)[0] if found else None
    return search.look_on(bars, found, column)


class _Search:
    """One claim among the items of a queue."""

    def __init__(self, tx: Transaction, flow: Flow, agent: str, now: float, shut: Shut | None, careless: bool) -> None:
        self._tx = tx
        self._flow = flow
        self._agent = agent
        self._now = now
        self._shut = shut
        self._careless = careless
        self._ground: Ground | None = None

    def choose(self, candidates: list[Item]) -> tuple[Item | None, dict[str, str]]:
        """The one to take; and by what those that were looked at before it are kept out."""
        kept_out: dict[str, str] = {}
        fitting = candidates
        if self._shut is not None:
            fitting = []
            for item in candidates:
                needed = self._shut.needed(item)
                if needed is not None and self._shut.has(needed):
                    kept_out[item.id] = needed
                else:
                    fitting.append(item)
        lands = self._agent == LANDING and bool(self._tx.head().held)
        if not fitting or (self._careless and not lands):
            return (fitting[0] if fitting else None), kept_out
        if self._ground is None:
            self._ground = claim_context(self._tx, self._flow, self._now)
        if lands:
            return self._first_to_land(fitting, kept_out)
        found, more = choose(fitting, self._ground, self._now - self._flow.limits.starve)
        return found, kept_out | more

    def _first_to_land(self, candidates: list[Item], kept_out: dict[str, str]) -> tuple[Item | None, dict[str, str]]:
        """What others hold a path of waits for them in its queue: that costs no run (R-20)."""
        assert self._ground is not None
        for item in candidates:
            stands = landing_obstacle(item, self._ground)
            if stands is None:
                return item, kept_out
            kept_out[item.id] = stands.name
        return None, kept_out

    def look_on(self, bars: list[str], first: list[Item], column: str | None) -> Item | None:
        """Look until one is free, or none is left that might be. `first` are the first of those behind no bar."""
        names = set[str]()
        if not self._careless or self._agent == LANDING:
            self._ground = claim_context(self._tx, self._flow, self._now)
            names = standing(self._ground)
        fallen = [bar for bar in bars if bar not in names and not (self._shut is not None and self._shut.has(bar))]
        if len(fallen) > LISTS_MAX:
            self._tx.let_in(self._agent, fallen)
            fallen, first = [], self._window([], column)
        elif fallen:
            first = self._window(fallen, column)
        # Whoever holds paths without a run, or is waited for by one that does, may pass where no other may.
        awaited = self._awaited(column) if len(fallen) < len(bars) else []
        window = first[:CANDIDATES_MAX]
        for _ in range(self._tx.head().items + 1):
            found, kept_out = self.choose(window)
            self._tx.keep_out(kept_out)
            if found is not None or not window:
                left = {item.id: item for item in [*window, *awaited] if item.id not in kept_out}
                return self.choose(list(left.values()))[0] if awaited else found
            window = self._window(fallen, column)[:CANDIDATES_MAX]
        return None

    def _window(self, fallen: list[str], column: str | None) -> list[Item]:
        """The first of those behind no bar, or behind one that has fallen, in the order of the queue."""
        starve, found = self._flow.limits.starve, []
        for bar in (None, *fallen):
            found += self._tx.ready(self._agent, self._now, starve, column=column, limit=CANDIDATES_MAX + 1, bar=bar)
        return sorted(found, key=lambda item: order_key(item, self._now, starve)) if fallen else found

    def _awaited(self, column: str | None) -> list[Item]:
        holds = self._ground.holds if self._ground is not None else []
        holders = sorted({hold.item for hold in holds if hold.item is not None and hold.run is None})
        if not holders:
            return []
        return self._tx.awaited(holders, self._agent, self._now, column=column, limit=AWAITED_MAX)


def is_barred_by(flow: Flow, agent: str, item: Item, name: str) -> bool:
    """May this bar keep the item out of the agent's hands, when it stands? An item behind another one is hidden."""
    if name.startswith(LABEL):
        return name.removeprefix(LABEL) in needs_for(flow, item, agent)
    if name.startswith((PATH, RESERVED)):
        return is_kept_out_by(item, name, agent == LANDING)
    return name == landing_bar(flow, item) if agent == LANDING else name in pools_of(flow, agent, item)


def _shut(reading: Reading, flow: Flow, agent: str, now: float) -> Shut | None:
    """Which items the agent could not begin now for all that pools and branches say; None if they say nothing."""
    if agent == LANDING:
        holds = reading.holds(now) if reading.head().held else []
        return Shut(taken_branches(holds).__contains__, lambda item: landing_bar(flow, item))
    pauses = reading.pauses() if reading.head().pauses else []
    paused = {one for one in in_force(pauses, now) if one.startswith(POOL)}
    if not paused and (agent not in flow.agents or not flow.pools):
        return None
    live = [run for run in reading.open_runs() if run.lease_until > now] if flow.pools else []
    shut = shut_pools(flow, paused, live)
    return Shut(shut.__contains__, lambda item: shut_for(flow, agent, item, shut))


def missing_label(flow: Flow, item: Item, agent: str, labels: "Collection[str] | None") -> str | None:
    """The bar of the first label that a worker lacks for this item; whoever is no worker lacks none."""
    if labels is None:
        return None
    return next((LABEL + label for label in needs_for(flow, item, agent) if label not in labels), None)


def _with_labels(shut: Shut | None, flow: Flow, agent: str, labels: "Collection[str] | None") -> Shut | None:
    if labels is None:
        return shut
    lacks = partial(missing_label, flow, agent=agent, labels=labels)
    return Shut(
        lambda name: (
            (name.startswith(LABEL) and name.removeprefix(LABEL) not in labels) or (shut is not None and shut.has(name))
        ),
        lambda item: lacks(item) or (shut.needed(item) if shut is not None else None),
    )


def wanted(
    unit: "UnitOfWork", agent: str | None, *, column: str | None, item: str | None, lease: float | None, cloned: bool
) -> tuple[str, Item, float]:
    """What a claim gets, and for how long. It names an agent, or leaves it to the board which one of the flow: gates
    and landings are only given to whoever names them. Raises if nothing is ready."""
    flow, now = unit.flow, unit.moment.now
    if agent is None and item is None:
        return _wanted_by_any(unit, column, lease, cloned=cloned)
    who = agent_named(flow, agent) if agent is not None else _whose(unit, item or "")
    seconds = lease_for(flow, who, column, lease, cloned=cloned)
    check_starting(unit.tx, flow, who, check_pauses(unit), now)
    known = unit.item(item).id if item else None
    if known is not None:
        unit.sweep_item(known)
    ready = found_among_due(unit, partial(next_item, unit.tx, flow, who, now, column=column, item=known))
    if ready is None:
        raise nothing_ready(unit, who, known)
    return who, ready, seconds


def _wanted_by_any(
    unit: "UnitOfWork", column: str | None, lease: float | None, *, cloned: bool
) -> tuple[str, Item, float]:
    flow = unit.flow
    if column is not None and column not in flow.columns:
        raise unknown_column(column, flow.columns)
    pauses = check_pauses(unit)
    agents = [name for name in flow.agents if column is None or column in flow.watched_by(name)]
    look = partial(next_of, unit.tx, flow, agents, pauses, unit.moment.now, column=column)
    found = found_among_due(unit, look)
    if found is None:
        raise NothingToDo("nothing_ready", "no item is ready for any agent of the flow", "see what is where: <board>")
    return *found, lease_for(flow, found[0], column, lease, cloned=cloned)


def _whose(unit: "UnitOfWork", item: str) -> str:
    """Which agent of the flow a named item is for."""
    known = unit.item(item)
    unit.sweep_item(known.id)
    agent = claimant(unit.flow, unit.item(known.id))
    if agent is None or agent not in unit.flow.agents:
        raise nothing_ready(unit, agent or "an agent", known.id)
    return agent


def check_pauses(unit: "UnitOfWork") -> list[Pause]:
    head = unit.tx.head()
    check_pause(unit.flow, head.open_questions)
    pauses = unit.tx.pauses() if head.pauses else []
    check_stop(pauses, unit.moment.now)
    return pauses


def found_among_due(unit: "UnitOfWork", look: "Callable[[], Found | None]") -> Found | None:
    """Where nothing is ready, what is still due may be: whoever looks for work applies it all."""
    found = look()
    for _ in range(unit.tx.head().items):
        if found is not None or not unit.sweep():
            break
        found = look()
    return found


def next_of(
    tx: Transaction,
    flow: Flow,
    agents: "Iterable[str]",
    pauses: list[Pause],
    now: float,
    *,
    column: str | None = None,
    labels: "Collection[str] | None" = None,
) -> tuple[str, Item] | None:
    """The agent and the item that a worker begins next: what is to land, then what is to be proved, then by order."""
    found = []
    agents = list(agents)
    tx.expect_ready(agents, now, flow.limits.starve, column=column)
    for agent in agents:
        try:
            check_starting(tx, flow, agent, pauses, now)
        except NothingToDo:
            continue  # the others may; what keeps this one is told to whoever claims for it alone
        item = next_item(tx, flow, agent, now, column=column, item=None, labels=labels)
        if item is not None:
            turn = 0 if agent == LANDING else 1 if agent in flow.gates else 2
            found.append((turn, order_key(item, now, flow.limits.starve), agent, item))
    return min(found, key=lambda one: one[:2])[2:] if found else None


def check_starting(reading: Reading, flow: Flow, agent: str, pauses: list[Pause], now: float) -> None:
    """Raises if the agent may begin no run at all now: the day's budget is spent, or it has begun too many."""
    if DAY in in_force(pauses, now):
        check_day(pauses, reading.meter(DAY), agent, flow, now)
    if flow.limits.starts is not None:
        check_rate(flow, agent, reading.meter(STARTS + agent), now)
