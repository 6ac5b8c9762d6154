"""The board at one moment, as a read sees it: what time has made due is shown as if it had been applied."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec.structs import asdict, replace

from folkmoot.api.pages import ItemPage
from folkmoot.api.views import Blocked, ItemSummary, ItemView, LiveRun, MessageView
from folkmoot.core import commands
from folkmoot.core.commands import ENGINE
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import LANDING
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Question, Run
from folkmoot.core.rules.decide import carry_out
from folkmoot.core.rules.running.budgets import STARTS, in_force, next_start
from folkmoot.core.rules.sharing.choice import Ground, obstacle, wanted
from folkmoot.core.rules.sharing.paths import meeting
from folkmoot.core.situation import Case, Draw, Situation
from folkmoot.engine.claiming import CANDIDATES_MAX
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.engine.loading import claim_context, flow_in_force, known_item, situation
from folkmoot.engine.moment import Moment, moment
from folkmoot.engine.naming import host_of
from folkmoot.engine.reads.blocked import blocked
from folkmoot.engine.reads.views import (
    item_view,
    message_view,
    moment_text,
    pause_views,
    run_view,
    summary_fields,
)
from folkmoot.engine.screen.register import registered
from folkmoot.store.port import Reading

Shown = TypeVar("Shown", bound=ItemSummary)
PAGE = 1000
DUE_SHOWN = 1000
NOBODY: Mapping[str, str] = MappingProxyType({})
MESSAGES_MAX = 100_000


class Snapshot:
    """A reading of the board at one moment. What time has made due is shown as if it had been applied."""

    def __init__(self, reading: Reading, clock: Clock) -> None:
        self.reading = reading
        head = reading.head()
        self.flow_version = head.flow_version
        self.flow = flow_in_force(reading)
        self.moment: Moment = moment(clock, head)

    def show(self, item_id: str) -> ItemView:
        item = known_item(self.reading, item_id)
        case = self.due.get(item.id)
        if case is None:
            return self._blocked(item, item_view(self.reading, item, self.flow, self.moment))
        return self._blocked(case.item, item_view(AsOfNow(self.reading, case), case.item, self.flow, self.moment))

    def page(
        self, column: str | None, tag: str | None, status: str | None, after: int, *, open: bool = False
    ) -> ItemPage:
        """Never an empty page with others behind it: what is asked for may stand far behind."""
        view = self._page(column, tag, status, after, open)
        while not view.items and view.next is not None:
            view = self._page(column, tag, status, view.next, open)
        return view

    def _page(self, column: str | None, tag: str | None, status: str | None, after: int, open: bool) -> ItemPage:
        stored = "ready" if status == "blocked" else status  # blocked is only ever shown
        items = self.reading.items(column=column, tag=tag, status=stored, after=after, limit=PAGE)
        found = {item.number: item for item in items}
        following = max(found) if len(found) == PAGE else None
        for case in self.due.values():
            # What time has moved into the column stands there already, though no write has said so yet.
            number = case.item.number
            if number > after and (following is None or number < following) and (tag is None or tag in case.item.tags):
                found[number] = case.item
        views = [self.summary(found[number]) for number in sorted(found)]
        fitting = [view for view in views if column in (None, view.column) and status in (None, view.status)]
        fitting = [view for view in fitting if not (open and view.status in ENDED)]
        return ItemPage(items=fitting, next=following)

    def all_items(self, *, open: bool = False) -> list[ItemSummary]:
        items: list[ItemSummary] = []
        following: int | None = 0
        while following is not None:
            page = self.page(None, None, None, following, open=open)
            items += page.items
            following = page.next
        return items

    def blocked(
        self, items: Iterable[ItemSummary], unable: Mapping[str, str] = NOBODY, only: Iterable[str] = ()
    ) -> list[Blocked]:
        """What could be worked on and begins no run. `unable` is what only a machine can tell: whom it cannot start."""
        pauses = pause_views(self.reading.pauses(), self.moment)
        starts = {agent: wait for agent in self.flow.agents if (wait := self._next_start(agent)) > 0}
        items = list(items)
        labels = self.labels() if any(item.runs_on for item in items) else []
        return blocked(items, self.flow, pauses, unable, only, self._in, starts, labels)

    def labels(self) -> list[list[str]]:
        """Those of each worker that lives."""
        return [one.labels for one in registered(self.reading, self.moment.now).values()]

    def _in(self, seconds: float) -> str | None:
        """The time of day in so many seconds."""
        return moment_text(self.moment.at + round(seconds * 1000))

    def _next_start(self, agent: str) -> float:
        meter = self.reading.meter(STARTS + agent) if self.flow.limits.starts is not None else None
        return 0.0 if meter is None else next_start(self.flow, meter, self.moment.now)

    def live(self) -> list[LiveRun]:
        return [self.run(run) for run in self.reading.open_runs()]

    def run(self, run: Run) -> LiveRun:
        lease = self._in(run.lease_until - self.moment.now) if run.ended_at is None else None
        wall, silence = self.flow.longest(run.agent) if run.person is None else (None, None)
        return LiveRun(
            **asdict(run_view(run)),
            item=run.item,
            lease_expires_at=lease,
            pool=run.pool,
            host=host_of(run.worker),
            time_limit=wall,
            silence_limit=silence,
        )

    def loose_messages(self) -> list[MessageView]:
        """Those that belong to no item, and that nobody has taken up yet."""
        found = self.reading.messages(status="pending", limit=MESSAGES_MAX)
        return [message_view(message) for message in found if message.item is None]

    def summary(self, item: Item) -> ItemSummary:
        return self.shown(item, lambda item, fields: ItemSummary(**fields))

    def shown(self, item: Item, make: Callable[[Item, dict[str, Any]], Shown]) -> Shown:
        """The item as of now, in a form of its own: `make` gets what the short form has."""
        case = self.due.get(item.id)
        if case is not None:
            item, questions = case.item, list(case.questions.values())
        else:
            questions = self.reading.questions(item.id) if item.open_questions else []
        return self._blocked(item, make(item, summary_fields(item, self.flow, self.moment, questions)))

    def _blocked(self, item: Item, view: Shown) -> Shown:
        """A ready item whose paths another holds is shown as blocked, and by what; nothing of it is stored. Of one that
        is to land it is said too: it stays what it is, done but for its work."""
        if not wanted(self.flow, item):
            return view
        lands = item.status == "proving"
        stands = obstacle(item, self.ground, lands)
        if stands is None:
            return view
        why = f"{view.why.rstrip('.')}, but {stands}."
        return replace(view, status=view.status if lands else "blocked", blocked_by=stands, why=why)

    @cached_property
    def ground(self) -> Ground:
        found = claim_context(self.reading, self.flow, self.moment.now)
        # The locks of a run that time has ended are over, though no write has said so yet.
        ended = {case.run.id for case in self.due.values() if case.run is not None and case.run.ended_at is not None}
        return Ground([hold for hold in found.holds if hold.run not in ended], found.starved, found.waiters_of)

    def current(self, item: Item) -> Item:
        case = self.due.get(item.id)
        return item if case is None else case.item

    def inbox(self) -> list[Question]:
        """Open questions, oldest first."""
        changed = {row_id: row for case in self.due.values() for row_id, row in case.questions.items()}
        return [question for question in _laid_over(self.reading.inbox(), changed) if question.state == "open"]

    def soonest(self, times: Iterable[float]) -> float | None:
        """Seconds until the first of these times of the store's clock."""
        return min((max(0.0, at - self.moment.now) for at in times), default=None)

    @cached_property
    def leases(self) -> list[float]:
        return [run.lease_until for run in self.reading.open_runs()]

    @cached_property
    def locks(self) -> list[tuple[str, float]]:
        """The paths of locks that end by themselves, and when."""
        holds = self.reading.holds(self.moment.now) if self.reading.head().held else []
        return [(hold.path, hold.until) for hold in holds if hold.until is not None]

    @property
    def ends(self) -> list[float]:
        """When what may keep anybody from beginning ends: a lease, a pause, the time for an answer."""
        pauses = in_force(self.reading.pauses(), self.moment.now).values()
        until = [pause.until for pause in pauses if pause.until]
        return [*self.leases, *until, *(q.deadline for q in self.reading.inbox() if q.deadline is not None)]

    def wakes(self, agents: list[str]) -> list[float]:
        """When what keeps these agents from an item ends: its rest, the window of starts, a lock on its paths."""
        now, found = self.moment.now, []
        for agent in agents:
            rest = self.reading.next_wake(agent, now)
            found += [] if rest is None else [rest]
            known = self.flow.agents.get(agent)
            if known is None:
                found += self._lock_ends(agent) if agent == LANDING and self.locks else []
                continue
            wait = self._next_start(agent)
            if wait > 0 and self._ready(agent, 1):
                found.append(now + wait)
            if self.locks and known.write != "none":
                found += self._lock_ends(agent)
        return found

    def _lock_ends(self, agent: str) -> list[float]:
        """When the locks end that keep this agent from an item. Among very many items any lock may."""
        if self.reading.queued(agent, CANDIDATES_MAX + 1) > CANDIDATES_MAX:
            return [until for _, until in self.locks]
        meets = meeting(path for item in self._ready(agent, CANDIDATES_MAX) for path in wanted(self.flow, item))
        return [until for path, until in self.locks if meets(path)]

    def _ready(self, agent: str, limit: int) -> list[Item]:
        """The first of those behind no bar and behind each, that time does not keep back."""
        now, starve, bars = self.moment.now, self.flow.limits.starve, (None, *self.reading.bars(agent))
        return [item for bar in bars for item in self.reading.ready(agent, now, starve, limit=limit, bar=bar)]

    @cached_property
    def due(self) -> dict[str, Case]:
        """What the next writing commands will make of items first, in the order and with the ids they will use."""
        head = self.reading.head()
        comment, question = head.comments + 1, head.questions + 1
        cases: dict[str, Case] = {}
        for item_id, asked in self.reading.due(self.moment.now, DUE_SHOWN):
            command = commands.PassDeadline(question=asked) if asked else commands.LapseRun()
            if item_id not in cases:
                draw = Draw(run="", item=head.items + 1, comment=comment, question=question)
                cases[item_id] = Case(self._situation(command, item_id, draw))
            case = cases[item_id]
            case.draw_from(comment, question)
            carry_out(case, command)
            comment, question = case.next_comment, case.next_question
        return cases

    def _situation(self, command: commands.Command, item: str, draw: Draw) -> Situation:
        return situation(
            self.reading,
            command,
            known_item(self.reading, item),
            ENGINE,
            flow=self.flow,
            flow_version=self.flow_version,
            moment=self.moment,
            draw=draw,
        )


class AsOfNow:
    """A reading in which one item and the rows beside it are as a case has left them."""

    def __init__(self, reading: Reading, case: Case) -> None:
        self._reading = reading
        self._case = case

    def item(self, item: str) -> Item | None:
        return self._reading.item(item)

    def children(self, item: str) -> list[str]:
        return self._reading.children(item)

    def runs(self, item: str) -> list[Run]:
        ended = self._case.run
        return [ended if ended and run.id == ended.id else run for run in self._reading.runs(item)]

    def attempts(self, item: str) -> list[Attempt]:
        return _laid_over(self._reading.attempts(item), {a.id: a for a in self._case.attempts})

    def comments(self, item: str) -> list[Comment]:
        return _laid_over(self._reading.comments(item), self._case.comments)

    def questions(self, item: str) -> list[Question]:
        return _laid_over(self._reading.questions(item), self._case.questions)


def _laid_over(rows: list[Any], changed: dict[str, Any]) -> list[Any]:
    known = {row.id for row in rows}
    return [changed.get(row.id, row) for row in rows] + [row for row_id, row in changed.items() if row_id not in known]
