"""Reads: one consistent view each, as of now, and never a write (R-29)."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from folkmoot.api.metrics import Metrics
from folkmoot.api.pages import (
    BoardView,
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
)
from folkmoot.api.requests import LESSONS_MAX
from folkmoot.api.views import EventView, ItemView, OutputPart
from folkmoot.core.flow import Flow
from folkmoot.core.terms import BOUND
from folkmoot.core.work import Landing
from folkmoot.engine.loading import known_item, workflow
from folkmoot.engine.ports import Clock
from folkmoot.engine.reads.glance import MESSAGES_MAX, PAGE, Glance
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
from folkmoot.engine.standing import Standing, standing, unsettled_landing
from folkmoot.errors import Invalid
from folkmoot.store.base import Store

Result = TypeVar("Result")
ITEMS_MAX = 1_000_000


class Queries:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock

    def _glance(self, look: Callable[[Glance], Result]) -> Result:
        return self.store.read(lambda reading: look(Glance(reading, self.clock)))

    def show(self, item: str) -> ItemView:
        return self._glance(lambda glance: glance.show(item))

    def list(
        self, *, column: str | None = None, tag: str | None = None, status: str | None = None, after: int = 0
    ) -> ItemPage:
        """A page of items, in the order they were added, and the cursor of the next page."""

        return self._glance(lambda glance: glance.page(column, tag, status, after))

    def comments(self, item: str) -> Comments:
        def look(glance: Glance) -> Comments:
            found = glance.reading.comments(known_item(glance.reading, item).id)
            return Comments(comments=[comment_view(comment) for comment in found])

        return self._glance(look)

    def questions(self) -> Questions:
        return self._glance(lambda glance: Questions(questions=[question_view(asked) for asked in glance.inbox()]))

    def inbox(self) -> Inbox:
        """What waits for a person."""

        def look(glance: Glance) -> Inbox:
            return Inbox(questions=[question_view(asked) for asked in glance.inbox()], messages=glance.loose_messages())

        return self._glance(look)

    def board(self) -> BoardView:
        """All that a screen shows, as of one moment."""
        return self._glance(lambda glance: glance.board())

    def log(self, after: int = 0, item: str | None = None, limit: int = PAGE) -> EventPage:
        def look(glance: Glance) -> EventPage:
            if item is not None:
                known_item(glance.reading, item)
            events = glance.reading.events(after, item=item, limit=limit)
            about = {one: workflow(glance.reading, one) for one in {event.item for event in events if event.item}}
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
            last = glance.reading.head().seq
            return EventPage(events=views, next=events[-1].seq if events else after, last=last)

        if after < 0:
            raise Invalid("bad_cursor", f"the log begins at 1; there is nothing after {after}", "use --after 0")
        return self._glance(look)

    def flow(self) -> Flow:
        return self._glance(lambda glance: glance.flow)

    def flow_source(self) -> tuple[int, str]:
        """The version of the flow in force, and the checksum of the file it was read from."""

        def look(glance: Glance) -> tuple[int, str]:
            version = glance.reading.head().flow_version
            return version, glance.reading.flow(version).source

        return self._glance(look)

    def locks(self) -> Locks:
        """Every hold in force: what items own while they are worked on, and what runs and people have locked."""

        def look(glance: Glance) -> Locks:
            holds = glance.reading.holds(glance.moment.now) if glance.reading.head().held else []
            return Locks(locks=hold_views(holds))

        return self._glance(look)

    def messages(self, *, to: str | None = None, status: str | None = None, item: str | None = None) -> Messages:
        """Messages as envelopes, in the order they were sent."""

        def look(glance: Glance) -> Messages:
            if item is not None:
                known_item(glance.reading, item)
            found = glance.reading.messages(item=item, to=to, status=status, limit=MESSAGES_MAX)
            return Messages(messages=[message_view(message) for message in found])

        return self._glance(look)

    def lessons(self, agent: str | None = None, limit: int = LESSONS_MAX) -> Lessons:
        """What runs have learnt, the newest first."""

        def look(glance: Glance) -> Lessons:
            found = [one for one in glance.reading.lessons(LESSONS_MAX) if agent in (None, one.agent)]
            return Lessons(lessons=[lesson_view(lesson) for lesson in found[:limit]])

        return self._glance(look)

    def standing(self, run: str) -> Standing:
        """For whoever runs agents: how the run's item stands now."""
        return self._glance(lambda glance: standing(glance.reading, glance.flow, run))

    def unsettled_landing(self, item: str) -> tuple[bool, Landing | None]:
        """Whether a landing may yet be at work on an item; and the move that nobody has told of, if there is one."""
        return self._glance(lambda glance: unsettled_landing(glance.reading, item))

    def output(self, run: str, after: int = 0) -> RunOutput:
        """What a run printed, as far as it was kept."""

        def look(glance: Glance) -> RunOutput:
            found = glance.reading.run(run)
            if found is None:
                raise Invalid("unknown_run", f"there is no run {run}", "see the runs of an item: moot show ID")
            parts = [OutputPart(part=part, text=text) for part, text in glance.reading.output(run, after)]
            return RunOutput(run=run, agent=found.agent, item=found.item, live=found.ended_at is None, parts=parts)

        return self._glance(look)

    def pauses(self) -> Pauses:
        """What begins no runs now."""
        return self._glance(lambda glance: Pauses(pauses=pause_views(glance.reading.pauses(), glance.moment)))

    def live(self) -> LiveRuns:
        """Who works now."""

        def look(glance: Glance) -> LiveRuns:
            return LiveRuns(runs=glance.live())

        return self._glance(look)

    def next_wake(self, agents: Iterable[str]) -> float | None:
        """Seconds until time alone may give one of these agents an item. None: nothing will, unless somebody writes."""
        return self._glance(lambda glance: glance.soonest([*glance.ends, *glance.wakes(list(agents))]))

    def next_end(self) -> float | None:
        """Seconds until the next lock or lease ends by itself."""
        return self._glance(lambda glance: glance.soonest([*glance.leases, *(until for _, until in glance.locks)]))

    def last(self) -> int:
        """The number of the last event."""
        return self._glance(lambda glance: glance.reading.head().seq)

    def metrics(self, item: str | None = None) -> Metrics:
        from folkmoot.engine.reads.measures import measure  # only this one command needs it

        return self._glance(lambda glance: measure(glance.reading, glance.flow, item))

    def escalations(self) -> Escalations:
        """The state of the escalation document: what was tried on each item, and what people were asked (E-16)."""

        def look(glance: Glance) -> Escalations:
            items = [glance.current(item) for item in glance.reading.items(limit=ITEMS_MAX)]
            # What an expert or a sub-agent tried is told by the item it was for.
            own = [item for item in items if item.kind not in BOUND]
            tried = [item for item in own if item.attempt_count or item.clarifications or item.span.experts_tried]
            return Escalations(
                escalation_tracking={item.id: tracking_view(item) for item in tried},
                pending_divine_questions=[pending_view(question) for question in glance.inbox()],
            )

        return self._glance(look)
