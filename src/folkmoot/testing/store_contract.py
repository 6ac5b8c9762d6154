"""What every store must keep to. Give a fresh store to each of these; they raise AssertionError where it does not."""

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.core.events import Change, Event, Row, evolve, type_of_table, typed
from folkmoot.core.item import Item
from folkmoot.core.order import QueuePosition
from folkmoot.core.records import Hold, Lesson, Message, Run
from folkmoot.errors import Invalid, Refused
from folkmoot.store.port import BoardHead, KeptAnswer, Reading, Store, Stretch, Transaction
from folkmoot.testing.model import Model
from folkmoot.testing.scribe import AGENTS, BARS, COLUMNS, RECEIVERS, TAGS, Scribe


def answers_as_the_model(store: Store, chance: random.Random, steps: int = 40) -> None:
    """Random transactions, some of which fail; after each, what all verbs answer is compared."""
    scribe = Scribe(store, chance)
    for _ in range(steps):
        scribe.step()
        store.read(lambda reading: compare(reading, scribe.model, chance, scribe.now))
    assert store.broken_links() == []
    store.read(lambda reading: log_folds_to_rows(reading))


def compare(reading: Reading, model: Model, chance: random.Random, now: float) -> None:
    assert replace(reading.head(), chain=b"") == model.head()
    for version, flow in model.tables["flows"].items():
        assert reading.flow(int(version)) == flow
    for item in [*model.tables["items"], "0", "01", "999", "none", "²", "1_0", ""]:
        compare_item(reading, model, item)
    for run, row in [*model.tables["runs"].items(), ("none", None)]:
        assert reading.run(run) == row
    for question, row in [*model.tables["questions"].items(), ("none", None)]:
        assert reading.question(question) == row
    assert reading.inbox() == model.inbox()
    for table, rows in model.tables.items():
        found = list(reading.rows(table))
        assert {row.id: row for row in found} == rows and len(found) == len(rows)
    compare_lists(reading, model, chance)
    compare_messages(reading, model, chance)
    compare_time(reading, model, chance, now)


def compare_item(reading: Reading, model: Model, item: str) -> None:
    assert reading.item(item) == model.tables["items"].get(item)
    assert reading.children(item) == model.children(item)
    assert reading.child_items(item) == model.child_items(item)
    assert reading.runs(item) == model.runs(item)
    assert reading.open_run(item) == model.open_run(item)
    assert reading.attempts(item) == model.attempts(item)
    assert reading.comments(item) == model.comments(item)
    assert reading.questions(item) == model.questions(item)
    assert reading.dependents(item) == model.dependents(item)
    assert reading.waiters(item) == model.waiters(item)


def compare_lists(reading: Reading, model: Model, chance: random.Random) -> None:
    for _ in range(6):
        column = chance.choice([None, *COLUMNS, "nowhere"])
        tag = chance.choice([None, *TAGS])
        status = chance.choice([None, "ready", "running", "done"])
        after, limit = chance.choice([0, 0, 3]), chance.choice([1000, 2])
        found = reading.items(column=column, tag=tag, status=status, after=after, limit=limit)
        assert found == model.items(column, tag, status, after, limit)
    for each in (None, 1, 3):
        assert reading.open_items(each) == model.open_items(each)
    assert reading.open_in() == model.open_in()
    assert reading.ended_in() == model.ended_in()
    for limit in (1000, 2):
        assert reading.ended_items(limit) == model.ended_items(limit)
    compare_words(reading, model)
    known = list(model.tables["items"])
    some = chance.sample(known, min(len(known), 2))
    for limit in (1000, 3):
        assert outcome(reading.upstream, some, limit) == outcome(model.upstream, some, limit)
    for item in (None, *some):
        after, limit = chance.choice([0, len(model.log) // 2]), chance.choice([1000, 3])
        found_events = [
            replace(event, changes=[typed(change) for change in event.changes])
            for event in reading.events(after, item=item, limit=limit)
        ]
        assert found_events == model.events(after, item, limit)


def compare_words(reading: Reading, model: Model) -> None:
    for word in {item.title[:4] for item in model.all_items()} | {"nowhere"}:
        held = [item for item in reversed(model.all_items()) if word.casefold() in item.title.casefold()]
        rows = (row for row in reading.holding("items", [word.upper()]) if isinstance(row, Item))
        found = [item for item in rows if word.casefold() in item.title.casefold()]
        assert found == held, f"not all items with {word!r} in their title"
    for table in ("comments", "questions", "runs"):
        every = list(reading.holding(table, []))
        assert every == list(model.tables[table].values())[::-1], f"not all {table}, the newest first"


def compare_messages(reading: Reading, model: Model, chance: random.Random) -> None:
    for message, row in [*model.tables["messages"].items(), ("none", None)]:
        assert reading.message(message) == row
    for _ in range(6):
        item = chance.choice([None, None, *model.tables["items"], "none"])
        to = chance.choice([None, *RECEIVERS, "nobody"])
        status = chance.choice([None, *MESSAGE_STATUSES])
        after, limit = chance.choice([0, 0, len(model.tables["messages"]) // 2]), chance.choice([1000, 2])
        for wanted in ({"item": item, "to": to, "status": status}, {"item": None, "to": None, "status": status}):
            found = reading.messages(**wanted, after=after, limit=limit)
            assert found == model.messages(**wanted, after=after, limit=limit)
    for limit in (1000, 2):
        assert reading.lessons(limit) == model.lessons(limit)
        for receiver in (None, *RECEIVERS, "nobody"):
            assert reading.loose_messages(receiver, limit) == model.loose_messages(receiver, limit)
    assert reading.pauses() == model.pauses()
    assert reading.open_runs() == model.open_runs()
    ends = sorted({run.ended_at for run in model.tables["runs"].values() if run.ended_at is not None})
    for since in (0, *ends[-3:], 10**15):
        assert list(reading.runs_ended(since)) == model.runs_ended(since)
    for beginning in ("", "r", "none", *(run[:cut] for run in model.tables["runs"] for cut in (2, 5, len(run)))):
        for limit in (1000, 2):
            assert reading.runs_named(beginning, limit) == model.runs_named(beginning, limit)
    for meter in (*model.tables["meters"], "none"):
        assert reading.meter(meter) == model.meter(meter)


def compare_time(reading: Reading, model: Model, chance: random.Random, now: float) -> None:
    for moment in (now, max(0.0, now - 30.0), now + 100.0):
        assert reading.holds(moment) == model.holds(moment)
        for limit in (100, 2):
            assert reading.due(moment, limit) == model.due(moment, limit)
            assert reading.starved(moment, limit) == model.starved(moment, limit)
        for agent in (*AGENTS, "nobody"):
            compare_bars(reading, model, agent, moment)
            assert reading.next_wake(agent, moment) == model.next_wake(agent, moment)
            for starve in (20.0, 1800.0):
                column, limit = chance.choice([None, *COLUMNS]), chance.choice([1, 3, 100])
                for place in (None, column):
                    ready = reading.ready(agent, moment, starve, column=place, limit=limit)
                    assert ready == model.ready(agent, moment, starve, place, limit)
                    for bar in (*BARS, "none"):
                        behind = reading.ready(agent, moment, starve, column=place, limit=limit, bar=bar)
                        assert behind == model.ready(agent, moment, starve, place, limit, bar)
                item = chance.choice([None, None, *model.tables["items"], "none"])
                for wanted in ({"column": None, "item": None}, {"column": column, "item": item}):
                    found = reading.next_ready(agent, moment, starve, **wanted)
                    assert found == model.next_ready(agent, moment, starve, **wanted)


def compare_bars(reading: Reading, model: Model, agent: str, moment: float) -> None:
    assert reading.bars(agent) == model.bars_of(agent)
    for limit in (1, 3, 1000):
        assert reading.queued(agent, limit) == min(limit, len(model.queue(agent)))
    assert reading.barred() == model.bars
    for item in [*list(model.tables["items"])[-4:], "999"]:
        for column in (None, COLUMNS[0]):
            found = reading.awaited([item], agent, moment, column=column, limit=1000)
            assert sorted(found, key=lambda one: one.number) == model.awaited([item], agent, moment, column)
        assert len(reading.awaited([item], agent, moment, limit=1)) <= 1


def log_folds_to_rows(reading: Reading) -> None:
    """Every table is a fold of the log (R-31), read page by page as a follower would."""
    tables: dict[str, dict[str, Row]] = {table: {} for table in type_of_table}
    seq = 0
    while page := reading.events(seq, limit=7):
        for event in page:
            assert event.seq == seq + 1, "the log has a gap"
            seq = event.seq
            for change in event.changes:
                rows = tables[change.table]
                rows[change.id] = evolve(rows.get(change.id), typed(change))
    for table, rows in tables.items():
        assert {row.id: row for row in reading.rows(table)} == rows, f"the log does not fold to {table}"


def refuses_what_cannot_be(store: Store) -> None:
    """Two open runs of an item, a token, version, key or id given twice, a change of what is not there: no trace."""
    first = make_run("r1", token=1)
    ended = replace(first, ended_at=5, end="reported")
    store.transact(lambda tx: save_item(tx, version=1, is_new=True))
    store.transact(saving("runs", first, True))
    store.transact(lambda tx: tx.keep_answer("me", "k", KeptAnswer(b"d", b"a"), 1))
    refused(store, saving("runs", make_run("r2", token=2), True))
    store.transact(saving("runs", ended, False))
    refused(store, saving("runs", make_run("r3", token=1), True))
    refused(store, saving("runs", make_run("r1", token=7), True))
    refused(store, saving("runs", make_run("r9", token=9), False))
    refused(store, lambda tx: save_item(tx, version=1, is_new=False))
    refused(store, lambda tx: save_item(tx, version=2, is_new=True))
    refused(store, lambda tx: tx.keep_answer("me", "k", KeptAnswer(b"e", b"b"), 2))
    refuses_second_messages(store)
    store.transact(saving("runs", make_run("r2", token=2), True))
    assert store.read(lambda reading: [run.id for run in reading.runs("1")]) == ["r1", "r2"]
    assert store.read(lambda reading: reading.head()).seq == 1


def refuses_second_messages(store: Store) -> None:
    """An id is given once. Only a hold may be written as often as its path is taken, new or not."""
    message = Message(id="m1", sender="dev", to="rev", type="task_handoff")
    lesson = Lesson(id="l1", text="look first", agent="dev", item="1", run="r1")
    refused(store, saving("messages", message, False))
    store.transact(saving("messages", message, True))
    store.transact(saving("lessons", lesson, True))
    refused(store, saving("messages", message, True))
    refused(store, saving("lessons", lesson, True))
    hold = Hold(id="h1", path="src/", owner="dev")
    for row, is_new, held in [(hold, False, 1), (hold, True, 1), (replace(hold, held=False), True, 0), (hold, True, 1)]:
        store.transact(saving("holds", row, is_new))
        assert store.read(lambda reading: reading.head()).held == held
        assert store.read(lambda reading: list(reading.rows("holds"))) == [row]


def undoes_what_was_caught(store: Store) -> None:
    """A save that fails half way must not become durable because somebody caught its error."""

    def work(tx: Transaction) -> None:
        try:
            save_item(tx, version=1, is_new=False)
        except Exception:
            return

    try:
        store.transact(work)
    except Exception:
        assert store.read(lambda reading: reading.events(0)) == []
        return
    raise AssertionError("half a save was committed")


def reads_on_between_rows(store: Store) -> None:
    """Rows that are taken one by one stay what they are, whatever is read between two of them."""
    for one in range(1, 4):
        store.transact(saving("lessons", Lesson(id=f"l{one}", text="look", agent="dev", item="1", run="r1"), True))

    def look(reading: Reading) -> list[tuple[str, list[str], list[str]]]:
        words = [str(row.id) for row in reading.rows("lessons")]
        return [(row.id, words, [str(row.id) for row in reading.rows("items")]) for row in reading.rows("lessons")]

    assert store.read(look) == [(f"l{one}", ["l1", "l2", "l3"], []) for one in range(1, 4)]


def is_proved_in_parts(store: Store) -> None:
    """The log is proved from any event on, and from its end; a trial write changes nothing that anybody sees."""
    assert store.prove(0, 10) == store.prove(-1, 10) == Stretch(0, [], ends=True)
    for version in range(1, 8):
        store.transact(lambda tx, version=version: save_item(tx, version, is_new=version == 1))  # type: ignore[misc]
    assert store.prove(0, 3) == Stretch(3, [], ends=False)
    assert store.prove(3, 3) == Stretch(6, [], ends=False)
    assert store.prove(6, 3) == store.prove(-1, 3) == store.prove(0, 100) == Stretch(7, [], ends=True)
    assert store.prove(100, 3) == Stretch(7, [], ends=True)
    before = store.read(whole)
    store.try_write(1.0)
    assert store.read(whole) == before


def refused(store: Store, work: Any) -> None:
    before = store.read(whole)
    code = None
    try:
        store.transact(work)
    except Refused as error:
        code = error.code
    assert code == "conflict", "it was not refused"
    assert store.read(whole) == before


def whole(reading: Reading) -> tuple[BoardHead, dict[str, list[Row]]]:
    return reading.head(), {table: list(reading.rows(table)) for table in type_of_table}


def save_item(tx: Transaction, version: int, is_new: bool) -> None:
    item = Item(id="1", title="one", column="todo", version=version)
    change = Change("items", "1", {"title": "one", "column": "todo", "version": version})
    event = Event(name="item_added", item="1", changes=[change], version=version)
    tx.save([event], [("items", item, is_new)], {"1": QueuePosition("dev", 2, 0)})


def saving(table: str, row: Row, is_new: bool) -> Callable[[Transaction], None]:
    return lambda tx: tx.save([], [(table, row, is_new)], {})


def make_run(name: str, token: int) -> Run:
    return Run(id=name, item="1", token=token, agent="dev", column="todo", lease_until=60.0, lease=60.0)


def outcome(call: Any, *values: Any) -> Any:
    try:
        return call(*values)
    except Invalid as error:
        return error.code


def known(reading: Reading, item: str = "1") -> Item:
    found = reading.item(item)
    assert found is not None
    return found
