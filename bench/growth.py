"""What a board of a million items costs beside one of a thousand: the cycle, beside raw on each; and looking at it.

A million items are not added one by one: a few are added by the engine, and the rest are written from them, with their
events and places, by the store's own `save`. Chain, rows and head are what the engine would have left.
"""

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from bench.board import PERSON, copy_of, engine_on, make_board
from bench.cycle import Cost, Statement, cycles, measured, record, replay
from folkmoot.core.commands import AddItem
from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.order import QueuePosition, queue_position
from folkmoot.core.report import AskedQuestion, Report
from folkmoot.doors.python import Board
from folkmoot.engine.application import Application
from folkmoot.engine.checking.doctor import examine
from folkmoot.store.port import Reading, Store, Transaction
from folkmoot.store.sql.group_commit import COMMIT
from folkmoot.store.sqlite.store import SqliteStore

FEW, MANY = 1000, 1_000_000
BATCH = 20_000  # items of one transaction
SOON = 1000  # items that are taken first, and lie far from each other on a large board
CYCLES = 40
ROUNDS = 20
QUESTIONS = 20
LOOKS = 9  # how often a look is taken; a slow one once
SLOW_LOOK = 1.0  # seconds
MIDDLE = 100_000  # for what reads all of a board, and so takes minutes and gigabytes where there are many items


class Template(Struct, frozen=True):
    """An item that the engine added, to be written again under other ids."""

    item: Item
    event: Event
    place: QueuePosition

    def again(self, number: int, now: float) -> tuple[Item, Event]:
        """`now` is of the store's clock, which never goes back."""
        name, title = str(number), f"item {number}"
        change = self.event.changes[0]
        changed = replace(change, id=name, fields={**change.fields, "title": title, "ready_at": now})
        context = {**self.event.context, "title": title}
        event = replace(self.event, item=name, context=context, changes=[changed], seq=0, time=now)
        return replace(self.item, id=name, title=title, ready_at=now), event


def templates(store: Store) -> dict[tuple[str, str], Template]:
    """By column and priority."""
    engine = engine_on(store)
    found = {}
    for column in ("dev", "review"):
        for priority in ("high", "medium"):
            added = engine.add(PERSON, AddItem(title="first", column=column, priority=priority)).id

            def look(reading: Reading, added: str = added) -> Template:
                item, events = reading.item(added), reading.events(0, item=added)
                flow = reading.flow(reading.head().flow_version).flow
                if item is None or len(events) != 1:
                    raise RuntimeError("an item that was added is there, with one event")
                return Template(item, events[0], queue_position(flow, item))

            found[column, priority] = store.read(look)
    return found


def fill(path: Path, items: int) -> None:
    """A board of so many items, one in ten in review; those that are claimed first are spread over all of it."""
    make_board(path, 0)
    store = SqliteStore.open(path, durable=False)
    fill_store(store, items)
    store.close()


def fill_store(store: Store, items: int) -> None:
    """The same in a store that has a flow and no items."""
    known = templates(store)
    step = max(1, items // SOON)
    now = max(template.event.time for template in known.values())

    def write(tx: Transaction, numbers: range) -> None:
        rows: list[tuple[str, Item, bool]] = []
        events: list[Event] = []
        places: dict[str, QueuePosition] = {}
        for number in numbers:
            template = known["dev" if number % 10 else "review", "high" if number % step in (0, 1) else "medium"]
            item, event = template.again(number, now)
            rows.append(("items", item, True))
            events.append(event)
            places[item.id] = template.place
        tx.save(events, rows, places)

    for first in range(len(known) + 1, items + 1, BATCH):
        store.transact(partial(write, numbers=range(first, min(first + BATCH, items + 1))))
    ask(store)


def ask(store: Store) -> None:
    """Some questions for the inbox, by the engine's own hand."""
    board = Board(Application(engine_on(store), "bench", []))
    for number in range(QUESTIONS):
        question = AskedQuestion(question=f"which way, {number}?")
        board.claim("review-agent", lease=60).report(Report(outcome="asks", question=question))


class Pair:
    """A board for the engine and its like for raw; both get the same cycles, bit by bit."""

    def __init__(self, folder: Path, items: int, rounds: int) -> None:
        self.items = items
        path = folder / f"{items}.db"
        started = time.perf_counter()
        fill(path, items)
        self.seconds_to_fill = time.perf_counter() - started
        self.statements = by_rounds(record(path, partial(cycles, count=CYCLES * rounds)), rounds)
        # The board that was recorded on has made the cycles: its place is needed, and on a large one its room.
        path.with_name("recorded.db").unlink()
        beside = copy_of(path, f"{items}-raw.db")
        for written in (path, beside):
            to_disk(written)
        self.raw = SqliteStore.open(beside)
        self.ours = SqliteStore.open(path)
        self.our_costs: list[Cost] = []
        self.raw_costs: list[Cost] = []

    def go_on(self, number: int) -> None:
        """Each is the first every other time."""
        sides = [
            (self.our_costs, partial(cycles, self.ours, CYCLES)),
            (self.raw_costs, partial(replay, self.raw._connection, self.statements[number])),
        ]
        for costs, work in sides if number % 2 else reversed(sides):
            costs.append(measured(work))

    @property
    def speed(self) -> float:
        return median(raw.wall / ours.wall for raw, ours in zip(self.raw_costs, self.our_costs, strict=True))

    @property
    def cpu(self) -> float:
        """Of one cycle of ours, in seconds."""
        return median(cost.cpu for cost in self.our_costs) / CYCLES

    def close(self) -> None:
        self.ours.close()
        self.raw.close()


def to_disk(path: Path) -> None:
    """Else the first flush of what is measured would have to write the whole file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def by_rounds(statements: list[Statement], rounds: int) -> list[list[Statement]]:
    """A cycle of one caller is two commits."""
    found: list[list[Statement]] = [[]]
    commits = 0
    for statement in statements:
        found[-1].append(statement)
        commits += statement[0] == COMMIT
        if commits == 2 * CYCLES:
            found.append([])
            commits = 0
    if len(found) != rounds + 1 or found[-1]:
        raise RuntimeError("a cycle of one caller is not two commits any more")
    return found[:-1]


def looks(store: SqliteStore) -> dict[str, float]:
    """How long it takes to look at a part of the board, in seconds."""
    queries = Application(engine_on(store), "bench", []).queries
    last = queries.last()
    ways: dict[str, Callable[[], object]] = {
        "list 50 items of a column": lambda: store.read(lambda reading: reading.items(column="dev", limit=50)),
        "inbox": queries.questions,
        "the last 50 events": lambda: queries.log(last - 50, limit=50),
        "show an item": lambda: queries.show("500"),
    }
    return {name: seconds(look) for name, look in ways.items()}


def looks_at_all(path: Path) -> dict[str, float]:
    """How long it takes to look at every item, in seconds."""
    store = SqliteStore.open(path)
    application = Application(engine_on(store), "bench", [])
    found = {
        "board, every item of it": seconds(Board(application).list),
        "doctor": seconds(partial(sound, application)),
    }
    store.close()
    return found


def sound(application: Application) -> None:
    found = examine(application.engine)
    if not found.ok:
        raise RuntimeError(f"the board is not sound: {found}")


def seconds(look: Callable[[], object]) -> float:
    """The median of several looks, or what the first one took where that is long."""
    taken: list[float] = []
    while len(taken) < LOOKS and (not taken or taken[0] < SLOW_LOOK):
        start = time.perf_counter()
        look()
        taken.append(time.perf_counter() - start)
    return median(taken)


def run(many: int = MANY, rounds: int = ROUNDS) -> dict[str, object]:
    """Few and many take turns, each with raw beside it."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        small, large = (Pair(Path(folder), items, rounds) for items in (FEW, many))
        for number in range(rounds):
            small.go_on(number)
            large.go_on(number)
        few, lots = looks(small.ours), looks(large.ours)
        size = os.path.getsize(large.ours.path)
        small.close()
        large.close()
        middle = min(MIDDLE, many)
        fill(Path(folder) / "middle.db", middle)
        all_few, all_middle = (looks_at_all(Path(folder) / name) for name in (f"{FEW}.db", "middle.db"))
    told: dict[str, object] = {
        f"{many:,} items written by the store, seconds": f"{large.seconds_to_fill:.0f}",
        f"{many:,} items, bytes on disk for each": round(size / many),
        f"speed of a cycle, share of raw, {FEW:,} items": f"{small.speed:.2f}",
        f"speed of a cycle, share of raw, {many:,} items": f"{large.speed:.2f}",
        "that share at many, part of the share at few (goal ≥ 0.9)": f"{large.speed / small.speed:.2f}",
        f"CPU of a cycle, {FEW:,} items, µs": round(small.cpu * 1e6),
        f"CPU of a cycle, {many:,} items, µs": round(large.cpu * 1e6),
        "CPU of a cycle at many, multiple of that at few (goal ≤ 1.2)": f"{large.cpu / small.cpu:.2f}",
    }
    for name, before in few.items():
        told[f"{name}, ms at {FEW:,} and at {many:,} items"] = f"{before * 1e3:.2f} and {lots[name] * 1e3:.2f}"
    for name, before in all_few.items():
        each = f"{before / FEW * 1e6:.0f} and {all_middle[name] / middle * 1e6:.0f}"
        told[f"{name}, µs for each of {FEW:,} and of {middle:,} items"] = each
    return told


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
