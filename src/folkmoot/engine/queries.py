"""Reads: one consistent view each, as of now, and never a write (R-29)."""

from collections.abc import Callable
from typing import Any, TypeVar

from folkmoot.core import commands
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Question, Run
from folkmoot.core.rules.decide import decide
from folkmoot.core.situation import Case, Draw
from folkmoot.engine.moment import Moment, moment
from folkmoot.engine.ports import Clock
from folkmoot.engine.turn import ENGINE, flow_in_force, known_item, situation
from folkmoot.engine.views import comment_view, item_view, moment_text, question_view, summary_view
from folkmoot.errors import Invalid
from folkmoot.store.base import Reading, Store

View = dict[str, Any]
Result = TypeVar("Result")
PAGE = 1000


class Queries:
    def __init__(self, store: Store, clock: Clock, flows: dict[int, Flow]) -> None:
        self.store = store
        self.clock = clock
        self.flows = flows

    def _glance(self, look: Callable[["Glance"], Result]) -> Result:
        return self.store.read(lambda reading: look(Glance(reading, self.clock, self.flows)))

    def show(self, item: str) -> View:
        return self._glance(lambda glance: glance.show(item))

    def list(
        self, *, column: str | None = None, tag: str | None = None, status: str | None = None, after: int = 0
    ) -> View:
        """A page of items, in the order they were added, and the cursor of the next page."""

        def look(glance: "Glance") -> View:
            found = glance.reading.items(column=column, tag=tag, after=after, limit=PAGE)
            views = [glance.summary(item) for item in found]
            following = found[-1].number if len(found) == PAGE else None
            return {"items": [v for v in views if status is None or v["status"] == status], "next": following}

        return self._glance(look)

    def comments(self, item: str) -> View:
        return self._glance(
            lambda glance: {
                "comments": [comment_view(c) for c in glance.reading.comments(known_item(glance.reading, item).id)]
            }
        )

    def inbox(self) -> View:
        return self._glance(lambda glance: {"questions": [question_view(q) for q in glance.inbox()]})

    def log(self, after: int = 0, item: str | None = None, limit: int = PAGE) -> View:
        def look(glance: "Glance") -> View:
            if item is not None:
                known_item(glance.reading, item)
            events = glance.reading.events(after, item=item, limit=limit)
            views = [
                {
                    "seq": event.seq,
                    "timestamp": moment_text(event.at),
                    "event": event.name,
                    "item": event.item,
                    "run": event.run,
                    "agent": event.agent,
                    "context": event.context,
                }
                for event in events
            ]
            return {"events": views, "next": events[-1].seq if events else after}

        if after < 0:
            raise Invalid("bad_cursor", f"the log begins at 1; there is nothing after {after}", "use --after 0")
        return self._glance(look)

    def flow(self) -> Flow:
        return self._glance(lambda glance: glance.flow)

    def flow_source(self) -> tuple[int, str]:
        """The version of the flow in force, and the checksum of the file it was read from."""

        def look(glance: "Glance") -> tuple[int, str]:
            version = glance.reading.head().flow_version
            return version, glance.reading.flow(version).source

        return self._glance(look)


class Glance:
    """A reading of the board at one moment. What time has made due is shown as if it had been applied."""

    def __init__(self, reading: Reading, clock: Clock, flows: dict[int, Flow]) -> None:
        self.reading = reading
        head = reading.head()
        self.flow_version = head.flow_version
        self.flow = flow_in_force(reading, head.flow_version, flows)
        self.moment: Moment = moment(clock, head)

    def show(self, item_id: str) -> View:
        item = known_item(self.reading, item_id)
        case = self._due(item)
        if case is None:
            return item_view(self.reading, item, self.flow, self.moment)
        return item_view(AsOfNow(self.reading, case), case.item, self.flow, self.moment)

    def summary(self, item: Item) -> View:
        case = self._due(item)
        questions = list(case.questions.values()) if case else self._questions(item)
        return summary_view(case.item if case else item, self.flow, self.moment, questions)

    def inbox(self) -> list[Question]:
        """Open questions, oldest first; one whose default holds by now is open no more."""
        now = self.moment.now
        found = self.reading.inbox()
        return [q for q in found if q.default is None or q.deadline is None or q.deadline > now]

    def _questions(self, item: Item) -> list[Question]:
        return self.reading.questions(item.id) if item.open_questions else []

    def _due(self, item: Item) -> Case | None:
        """What the next writing command will make of the item first, if time has made anything due; else None."""
        run = self.reading.run(item.run) if item.run else None
        orders: list[commands.Command] = []
        if run is not None and run.lease_until <= self.moment.now:
            orders.append(commands.LapseRun())
        for question in self._questions(item):
            passed = question.deadline is not None and question.deadline <= self.moment.now
            if passed and question.state == "open":
                orders.append(commands.PassDeadline(question=question.id))
        if not orders:
            return None
        head = self.reading.head()
        draw = Draw(run="", item=head.items + 1, comment=head.comments + 1, question=head.questions + 1)
        facts = situation(
            self.reading,
            orders[0],
            item,
            ENGINE,
            flow=self.flow,
            flow_version=self.flow_version,
            moment=self.moment,
            draw=draw,
        )
        return decide(facts, *orders)


class AsOfNow:
    """A reading in which one item and the rows beside it are as a case has left them."""

    def __init__(self, reading: Reading, case: Case) -> None:
        self._reading = reading
        self._case = case

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
