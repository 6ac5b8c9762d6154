"""A store in a few dictionaries: it says what every verb must answer, and is too slow and too forgetful to be one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import ENDED, OWN_KINDS
from folkmoot.core.events import Event, Row, evolve, type_of_table
from folkmoot.core.item import Item
from folkmoot.core.order import QueuePosition, order_key, shown_first
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Meter, Pause, Question, Run
from folkmoot.core.situation import Neighbour
from folkmoot.errors import Invalid
from folkmoot.store.port import BoardHead, KeptAnswer


class Model:
    """Rows are folded from events alone; the rows a caller hands over must be the same."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {table: {} for table in type_of_table}
        self.log: list[Event] = []
        self.places: dict[str, QueuePosition] = {}
        self.bars: dict[str, str] = {}  # by item
        self.keys: dict[tuple[str, str], KeptAnswer] = {}

    def save(
        self, events: Sequence[Event], rows: Sequence[tuple[str, Row, bool]], places: dict[str, QueuePosition]
    ) -> None:
        before = {table: set(known) for table, known in self.tables.items()}
        for event in events:
            self.log.append(replace(event, seq=len(self.log) + 1))
            for change in event.changes:
                table = self.tables[change.table]
                table[change.id] = evolve(table.get(change.id), change)
        for name, row, is_new in rows:
            assert self.tables[name][row.id] == row, f"the events do not fold to {name} {row.id}"
            # A hold may be taken again by somebody who does not know that it was taken before.
            known = name in ("holds", "pauses", "meters")
            assert known or is_new == (row.id not in before[name]), f"{name} {row.id} is new or it is not"
            if name == "flows":
                self.bars.clear()
        for item in places:
            self.bars.pop(item, None)
        self.places.update(places)

    def head(self) -> BoardHead:
        """All but the hash, which the model does not know."""
        last = self.log[-1] if self.log else None
        clock = self.tables["clock"].get("clock")
        return BoardHead(
            seq=last.seq if last else 0,
            time=last.time if last else 0.0,
            boot=clock.boot if clock else "",
            offset=clock.offset if clock else 0.0,
            flow_version=max((int(version) for version in self.tables["flows"]), default=0),
            items=len(self.tables["items"]),
            comments=len(self.tables["comments"]),
            questions=len(self.tables["questions"]),
            open_questions=len(self.inbox()),
            messages=len(self.tables["messages"]),
            lessons=len(self.tables["lessons"]),
            filed=sum(item.files != [] for item in self.tables["items"].values()),
            held=sum(hold.held for hold in self.tables["holds"].values()),
            pauses=len(self.tables["pauses"]),
        )

    def all_items(self) -> list[Item]:
        return sorted(self.tables["items"].values(), key=lambda item: item.number)

    def items(self, column: str | None, tag: str | None, status: str | None, after: int, limit: int) -> list[Item]:
        return [
            item
            for item in self.all_items()
            if column in (None, item.column)
            and status in (None, item.status)
            and (tag is None or tag in item.tags)
            and item.number > after
        ][:limit]

    def open_items(self, each: int | None = None) -> list[Item]:
        return shown_first((item for item in self.all_items() if item.status not in ENDED), each)

    def open_in(self) -> dict[str, int]:
        return dict(Counter(item.column for item in self.open_items() if item.kind in OWN_KINDS))

    def ended_items(self, limit: int) -> list[Item]:
        ended = [item for item in self.all_items() if item.status in ENDED]
        return sorted(ended, key=lambda item: (-item.since, -item.number))[:limit]

    def ended_in(self) -> dict[str, int]:
        return dict(Counter(item.column for item in self.ended_items(10**9) if item.kind in OWN_KINDS))

    def children(self, item: str) -> list[str]:
        return [child.id for child in self.all_items() if child.parent == item]

    def child_items(self, item: str) -> list[Item]:
        return [child for child in self.all_items() if child.parent == item]

    def runs(self, item: str) -> list[Run]:
        return sorted((run for run in self.tables["runs"].values() if run.item == item), key=lambda run: run.token)

    def open_run(self, item: str) -> Run | None:
        return next((run for run in self.runs(item) if run.ended_at is None), None)

    def attempts(self, item: str) -> list[Attempt]:
        return sorted((a for a in self.tables["attempts"].values() if a.item == item), key=lambda a: a.number)

    def comments(self, item: str) -> list[Comment]:
        return [comment for comment in self.tables["comments"].values() if comment.item == item]

    def questions(self, item: str) -> list[Question]:
        return [question for question in self.tables["questions"].values() if question.item == item]

    def inbox(self) -> list[Question]:
        return [question for question in self.tables["questions"].values() if question.state == "open"]

    def needs(self, item: Item) -> list[str]:
        return sorted({*item.after, *self.children(item.id)}, key=int)

    def dependents(self, item: str) -> list[str]:
        return [other.id for other in self.all_items() if item in self.needs(other)]

    def waiters(self, item: str) -> set[str]:
        stopped = {other.id for other in self.all_items() if item == other.parent and item in other.waits_for}
        return stopped | set(self.dependents(item))

    def upstream(self, items: Iterable[str], limit: int) -> dict[str, Neighbour]:
        reached: dict[str, Neighbour | None] = {}
        waiting = list(items)
        while waiting:
            name = waiting.pop()
            if name in reached:
                continue
            item = self.tables["items"].get(name)
            reached[name] = None
            if item is not None:
                needs = self.needs(item)
                reached[name] = Neighbour(name, item.status, needs, item.rank, item.generation)
                waiting += needs
        if len(reached) > limit:
            raise Invalid("too_deep", "more than the limit")
        return {name: neighbour for name, neighbour in reached.items() if neighbour is not None}

    def due(self, now: float, limit: int) -> list[tuple[str, str | None]]:
        runs = [
            (run.lease_until, 0, int(run.item), "")
            for run in self.tables["runs"].values()
            if run.ended_at is None and run.lease_until <= now
        ]
        questions = [
            (question.deadline, 1, int(question.item), question.id)
            for question in self.inbox()
            if question.deadline is not None and question.deadline <= now
        ]
        return [(str(item), question or None) for _, _, item, question in sorted(runs + questions)[:limit]]

    def queue(self, agent: str) -> list[Item]:
        return [item for item in self.all_items() if self.places[item.id].queue == agent]

    def awake(self, agent: str, now: float, column: str | None) -> list[Item]:
        return [item for item in self.queue(agent) if item.wake_at <= now and column in (None, item.column)]

    def ready(
        self, agent: str, now: float, starve: float, column: str | None, limit: int, bar: str | None = None
    ) -> list[Item]:
        behind = [item for item in self.awake(agent, now, column) if self.bars.get(item.id) == bar]
        return sorted(behind, key=lambda item: order_key(item, now, starve))[:limit]

    def next_ready(self, agent: str, now: float, starve: float, column: str | None, item: str | None) -> Item | None:
        """By name one behind a bar too."""
        if item is None:
            return next(iter(self.ready(agent, now, starve, column, 1)), None)
        return next((one for one in self.awake(agent, now, column) if item == one.id), None)

    def keep_out(self, bars: dict[str, str]) -> None:
        self.bars.update(bars)

    def let_in(self, agent: str, bars: Sequence[str]) -> None:
        for item in self.queue(agent):
            if self.bars.get(item.id) in bars:
                del self.bars[item.id]

    def bars_of(self, agent: str) -> list[str]:
        return sorted({self.bars[item.id] for item in self.queue(agent) if item.id in self.bars})

    def awaited(self, items: Iterable[str], agent: str, now: float, column: str | None) -> list[Item]:
        rows = self.tables["items"]
        reached: set[str] = set()
        waiting = [item for item in items if item in rows and rows[item].status != "running"]
        while waiting:
            name = waiting.pop()
            if name in rows and name not in reached:
                reached.add(name)
                waiting += [other for other in rows if name in self.waiters(other)]
        return [item for item in self.awake(agent, now, column) if item.id in self.bars and item.id in reached]

    def starved(self, before: float, limit: int) -> list[Item]:
        found = [
            item
            for item in self.all_items()
            if item.files and self.places[item.id].queue is not None and item.ready_at <= before
        ]
        return sorted(found, key=lambda item: (item.ready_at, item.number))[:limit]

    def next_wake(self, agent: str, now: float) -> float | None:
        return min((item.wake_at for item in self.queue(agent) if item.wake_at > now), default=None)

    def messages(self, item: str | None, to: str | None, status: str | None, after: int, limit: int) -> list[Message]:
        return [
            message
            for number, message in enumerate(self.tables["messages"].values(), start=1)
            if item in (None, message.item)
            and to in (None, message.to)
            and status in (None, message.status)
            and number > after
        ][:limit]

    def loose_messages(self, to: str | None, limit: int) -> list[Message]:
        found = (m for m in self.tables["messages"].values() if m.item is None and to in (None, m.to))
        return [message for message in found if message.status in ("pending", "accepted")][:limit]

    def holds(self, now: float) -> list[Hold]:
        """A row that is written again keeps its place, here as in a store."""
        rows: Iterable[Hold] = self.tables["holds"].values()
        return [hold for hold in rows if hold.held and (hold.until is None or hold.until > now)]

    def pauses(self) -> list[Pause]:
        return [self.tables["pauses"][name] for name in sorted(self.tables["pauses"])]

    def meter(self, meter: str) -> Meter | None:
        return self.tables["meters"].get(meter)

    def runs_named(self, beginning: str, limit: int) -> list[Run]:
        named = [run for run in self.tables["runs"].values() if run.id.startswith(beginning)]
        return sorted(named, key=lambda run: run.id)[:limit]

    def runs_ended(self, since: int) -> list[Run]:
        """Those that end at once stand in the order in which they began."""
        ended = [run for run in self.tables["runs"].values() if run.ended_at is not None and run.ended_at >= since]
        return sorted(ended, key=lambda run: run.ended_at or 0)

    def open_runs(self) -> list[Run]:
        live = [run for run in self.tables["runs"].values() if run.ended_at is None]
        return sorted(live, key=lambda run: (run.lease_until, int(run.item)))

    def lessons(self, limit: int) -> list[Lesson]:
        return list(reversed(self.tables["lessons"].values()))[:limit]

    def events(self, after: int, item: str | None, limit: int) -> list[Event]:
        return [event for event in self.log if event.seq > after and item in (None, event.item)][:limit]
