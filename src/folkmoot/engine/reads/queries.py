"""Reads: one consistent view each, as of now, and never a write (R-29)."""

from _thread import allocate_lock
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from msgspec import UNSET

from folkmoot.api.metrics import Metrics
from folkmoot.api.pages import (
    BlockedItems,
    BoardStatus,
    Comments,
    Escalations,
    EventPage,
    Inbox,
    ItemPage,
    Lessons,
    LiveRuns,
    Locks,
    Messages,
    Pauses,
    Questions,
    RunOutput,
    Today,
)
from folkmoot.api.requests import LESSONS_MAX
from folkmoot.api.usage import UsageView
from folkmoot.api.views import EventView, ItemView, LiveRun, OutputPart
from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.flow import Flow
from folkmoot.core.proposals.issue import Tracked
from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.core.rules.running.budgets import Left, left
from folkmoot.core.rules.running.spending import DAY
from folkmoot.core.work import Landing
from folkmoot.engine.clock_and_ids import Clock
from folkmoot.engine.loading import known_item, workflow
from folkmoot.engine.naming import known_run
from folkmoot.engine.reads.snapshot import MESSAGES_MAX, NOBODY, PAGE, Snapshot
from folkmoot.engine.reads.views import (
    comment_view,
    hold_views,
    lesson_view,
    message_view,
    moment_text,
    pause_views,
    pending_view,
    question_view,
    tracking_view,
)
from folkmoot.engine.run_context import (
    RunContext,
    is_to_be_merged,
    proposals,
    run_context,
    tracked_issues,
    unsettled_landing,
)
from folkmoot.errors import Invalid
from folkmoot.store.port import Store

if TYPE_CHECKING:
    from folkmoot.api.gauges import Figures, Gauges
    from folkmoot.api.screen import BoardView
    from folkmoot.engine.reads.doing import Reader
    from folkmoot.engine.reads.gauges import Watched

Result = TypeVar("Result")
ITEMS_MAX = 1_000_000


class Queries:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self._watched: Watched | None = None
        self._watching = allocate_lock()
        self.reader: Reader | None = None  # of what runs print; set where their clients are known

    def _snapshot(self, look: Callable[[Snapshot], Result]) -> Result:
        return self.store.read(lambda reading: look(Snapshot(reading, self.clock)))

    def at_one_moment(self, look: Callable[[Snapshot], Result]) -> Result:
        """For looks that stand in modules of their own."""
        return self._snapshot(look)

    def show(self, item: str) -> ItemView:
        return self._snapshot(lambda snapshot: snapshot.show(item))

    def list(
        self,
        *,
        column: str | None = None,
        tag: str | None = None,
        status: str | None = None,
        open: bool = False,
        after: int = 0,
    ) -> ItemPage:
        """A page of items, in the order they were added, and the cursor of the next page."""

        return self._snapshot(lambda snapshot: snapshot.page(column, tag, status, after, open=open))

    def comments(self, item: str) -> Comments:
        def look(snapshot: Snapshot) -> Comments:
            found = snapshot.reading.comments(known_item(snapshot.reading, item).id)
            return Comments(comments=[comment_view(comment) for comment in found])

        return self._snapshot(look)

    def questions(self) -> Questions:
        return self._snapshot(
            lambda snapshot: Questions(questions=[question_view(asked) for asked in snapshot.inbox()])
        )

    def inbox(self) -> Inbox:
        """What waits for a person."""

        def look(snapshot: Snapshot) -> Inbox:
            return Inbox(
                questions=[question_view(asked) for asked in snapshot.inbox()], messages=snapshot.loose_messages()
            )

        return self._snapshot(look)

    def board(self, since: int | None = None, ended: int | None = None, each: int | None = None) -> "BoardView":
        """All that a screen shows, as of one moment."""
        from folkmoot.engine.reads.board import board  # few commands need it

        return self._snapshot(lambda snapshot: board(snapshot, self._live(snapshot).runs, since, ended, each))

    def _live(self, snapshot: Snapshot) -> LiveRuns:
        from folkmoot.engine.reads.doing import told

        return LiveRuns(runs=[told(snapshot, run, self.reader) for run in snapshot.live()])

    def blocked(self, unable: Mapping[str, str] = NOBODY, only: Iterable[str] = ()) -> BlockedItems:
        """What could be worked on and begins no run, and why."""
        return self._snapshot(
            lambda snapshot: BlockedItems(
                blocked=snapshot.blocked(snapshot.all_items(open=True), unable, only), runs=snapshot.live()
            )
        )

    def status(self) -> BoardStatus:
        """How the board stands, in few words."""
        from folkmoot.engine.reads.status import status  # only this one command needs it

        return self._snapshot(status)

    def today(self) -> Today:
        """What was done since midnight, UTC."""
        from folkmoot.engine.reads.status import today

        return self._snapshot(today)

    def log(self, after: int = 0, item: str | None = None, limit: int = PAGE) -> EventPage:
        def look(snapshot: Snapshot) -> EventPage:
            if item is not None:
                known_item(snapshot.reading, item)
            events = snapshot.reading.events(after, item=item, limit=limit)
            about = {one: workflow(snapshot.reading, one) for one in {event.item for event in events if event.item}}
            views = [
                EventView(
                    seq=event.seq,
                    timestamp=moment_text(event.at),
                    event=event.name,
                    item=event.item,
                    run=event.run,
                    agent=event.agent,
                    context={**about.get(event.item or "", {}), **event.context},
                )
                for event in events
            ]
            last = snapshot.reading.head().seq
            return EventPage(events=views, next=events[-1].seq if events else after, last=last)

        if after < 0:
            raise Invalid("bad_cursor", "the log begins at 1; there is nothing after {after}", "use <.after> 0", after)
        return self._snapshot(look)

    def flow(self) -> Flow:
        return self._snapshot(lambda snapshot: snapshot.flow)

    def flow_source(self) -> tuple[int, str]:
        """The version of the flow in force, and the checksum of the file it was read from."""

        def look(snapshot: Snapshot) -> tuple[int, str]:
            version = snapshot.reading.head().flow_version
            return version, snapshot.reading.flow(version).source

        return self._snapshot(look)

    def locks(self) -> Locks:
        """Every hold in force: what items own while they are worked on, and what runs and people have locked."""

        def look(snapshot: Snapshot) -> Locks:
            holds = snapshot.reading.holds(snapshot.moment.now) if snapshot.reading.head().held else []
            return Locks(locks=hold_views(holds))

        return self._snapshot(look)

    def messages(self, *, to: str | None = None, status: str | None = None, item: str | None = None) -> Messages:
        """Messages as envelopes, in the order they were sent."""

        def look(snapshot: Snapshot) -> Messages:
            if item is not None:
                known_item(snapshot.reading, item)
            found = snapshot.reading.messages(item=item, to=to, status=status, limit=MESSAGES_MAX)
            return Messages(messages=[message_view(message) for message in found])

        return self._snapshot(look)

    def lessons(self, agent: str | None = None, limit: int = LESSONS_MAX) -> Lessons:
        """What runs have learnt, the newest first."""

        def look(snapshot: Snapshot) -> Lessons:
            found = [one for one in snapshot.reading.lessons(LESSONS_MAX) if agent in (None, one.agent)]
            return Lessons(lessons=[lesson_view(lesson) for lesson in found[:limit]])

        return self._snapshot(look)

    def run_context(self, run: str) -> RunContext:
        """For whoever runs agents: how the run's item stands now."""
        return self._snapshot(lambda snapshot: run_context(snapshot.reading, snapshot.flow, run))

    def unsettled_landing(self, item: str) -> tuple[bool, Landing | None]:
        """Whether a landing may yet be at work on an item; and the move that nobody has told of, if there is one."""
        return self._snapshot(lambda snapshot: unsettled_landing(snapshot.reading, item))

    def proposals(self) -> dict[str, Proposal]:
        """The pull requests of items that have not ended, by item."""
        return self._snapshot(lambda snapshot: proposals(snapshot.reading))

    def tracked_issues(self) -> dict[str, Tracked]:
        """The issues on a forge below which something may yet be said, by item."""
        return self._snapshot(lambda snapshot: tracked_issues(snapshot.reading))

    def is_to_be_merged(self, item: str, seen: Seen, at: int) -> bool:
        """Is the forge to be asked to merge what was proposed for the item, which stands so?"""
        return self._snapshot(
            lambda snapshot: is_to_be_merged(snapshot.reading, snapshot.flow, item, seen, at, snapshot.moment.now)
        )

    def run(self, run: str) -> LiveRun:
        """One run, by its id, the beginning of it, or an item: then its latest."""

        def look(snapshot: Snapshot) -> LiveRun:
            from folkmoot.engine.reads.doing import told

            return told(snapshot, snapshot.run(known_run(snapshot.reading, run)), self.reader)

        return self._snapshot(look)

    def output(self, run: str, after: int = 0, said: bool = False, prompt: bool = False) -> RunOutput:
        """What a run printed, as far as it was kept; with `said` also as a person reads it. With `prompt` instead what
        its agent was told."""

        def look(snapshot: Snapshot) -> RunOutput:
            from folkmoot.engine.reads.doing import PROMPT_PART, lines_of

            found = known_run(snapshot.reading, run, printed=True)
            begin = PROMPT_PART if prompt else max(0, after)
            parts = [
                OutputPart(part=part, text=text)
                for part, text in snapshot.reading.output(found.id, begin)
                if (part >= PROMPT_PART) == prompt
            ]
            return RunOutput(
                run=found.id,
                agent=found.agent,
                model=found.model,
                item=found.item,
                live=found.ended_at is None,
                parts=parts,
                said=lines_of(snapshot, found, parts, self.reader) if said and not prompt else UNSET,
            )

        return self._snapshot(look)

    def pauses(self) -> Pauses:
        """What begins no runs now."""
        return self._snapshot(lambda snapshot: Pauses(pauses=pause_views(snapshot.reading.pauses(), snapshot.moment)))

    def live(self) -> LiveRuns:
        """Who works now."""

        return self._snapshot(self._live)

    def ended(self, runs: Iterable[str]) -> set[str]:
        """Which of these runs the board counts no more, whatever their processes do."""

        def look(snapshot: Snapshot) -> set[str]:
            found = {run: snapshot.reading.run(run) for run in runs}
            return {run for run, row in found.items() if row is None or row.ended_at is not None}

        return self._snapshot(look)

    def next_wake(self, agents: Iterable[str]) -> float | None:
        """Seconds until time alone may give one of these agents an item. None: nothing will, unless somebody writes."""
        return self._snapshot(lambda snapshot: snapshot.soonest([*snapshot.ends, *snapshot.wakes(list(agents))]))

    def next_end(self) -> float | None:
        """Seconds until the next lock or lease ends by itself."""
        return self._snapshot(
            lambda snapshot: snapshot.soonest([*snapshot.leases, *(until for _, until in snapshot.locks)])
        )

    def last(self) -> int:
        """The number of the last event."""
        return self._snapshot(lambda snapshot: snapshot.reading.head().seq)

    def left(self, run: str) -> Left:
        """What budgets leave a run, before they end it."""

        def look(snapshot: Snapshot) -> Left:
            reading, moment = snapshot.reading, snapshot.moment
            row = reading.run(run)
            item = reading.item(row.item) if row is not None else None
            if item is None:
                return Left()
            return left(snapshot.flow, item, reading.meter(DAY), reading.pauses(), moment.now, moment.at)

        return self._snapshot(look)

    def usage(self, by: str = "item", since: str | None = None, item: str | None = None) -> UsageView:
        from folkmoot.engine.reads.usage import used

        return self._snapshot(lambda snapshot: used(snapshot, by, since, item))

    def metrics(self, item: str | None = None) -> Metrics:
        from folkmoot.engine.reads.metrics import measure  # only this one command needs it

        return self._snapshot(lambda snapshot: measure(snapshot.reading, snapshot.flow, item))

    def gauges(self) -> "Gauges":
        """The board in numbers. What is counted is kept, so that the next look reads only what is new."""
        from folkmoot.engine.reads.gauges import Watched

        with self._watching:
            watched = self._watched = self._watched or Watched(lambda: self.clock.boot()[1])
            return self._snapshot(watched.look)

    def figures(self, since: str, item: str | None = None) -> "Figures":
        from folkmoot.engine.reads.plots.figures import figures  # only plots need it

        return self._snapshot(lambda snapshot: figures(snapshot, since, item))

    def escalations(self) -> Escalations:
        """The state of the escalation document: what was tried on each item, and what people were asked (E-16)."""

        def look(snapshot: Snapshot) -> Escalations:
            items = [snapshot.current(item) for item in snapshot.reading.items(limit=ITEMS_MAX)]
            # What an expert or a sub-agent tried is told by the item it was for.
            own = [item for item in items if item.kind not in ONE_SHOT_KINDS]
            tried = [item for item in own if item.attempt_count or item.clarifications or item.span.experts_tried]
            return Escalations(
                escalation_tracking={item.id: tracking_view(item) for item in tried},
                pending_divine_questions=[pending_view(question) for question in snapshot.inbox()],
            )

        return self._snapshot(look)
