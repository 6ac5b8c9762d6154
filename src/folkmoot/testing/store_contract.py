"""What every store must keep to. Give a fresh store to each of these; they raise AssertionError where it does not."""

import random
from typing import Any

from msgspec.structs import replace

from folkmoot.core.events import Change, Event, Row, evolve, type_of_table, typed
from folkmoot.core.item import Item
from folkmoot.core.order import Place
from folkmoot.core.records import Run
from folkmoot.errors import Invalid, Refused
from folkmoot.store.base import KeptAnswer, Reading, Store, Transaction
from folkmoot.testing.model import Model
from folkmoot.testing.scribe import AGENTS, COLUMNS, TAGS, Scribe


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
    assert reading.counts() == model.counts()
    for table, rows in model.tables.items():
        found = list(reading.rows(table))
        assert {row.id: row for row in found} == rows and len(found) == len(rows)
    compare_lists(reading, model, chance)
    compare_time(reading, model, chance, now)


def compare_item(reading: Reading, model: Model, item: str) -> None:
    assert reading.item(item) == model.tables["items"].get(item)
    assert reading.children(item) == model.children(item)
    assert reading.runs(item) == model.runs(item)
    assert reading.open_run(item) == model.open_run(item)
    assert reading.attempts(item) == model.attempts(item)
    assert reading.comments(item) == model.comments(item)
    assert reading.questions(item) == model.questions(item)
    assert reading.dependents(item) == model.dependents(item)


def compare_lists(reading: Reading, model: Model, chance: random.Random) -> None:
    for _ in range(6):
        column = chance.choice([None, *COLUMNS, "nowhere"])
        tag = chance.choice([None, *TAGS])
        status = chance.choice([None, "ready", "running", "done"])
        after, limit = chance.choice([0, 0, 3]), chance.choice([1000, 2])
        found = reading.items(column=column, tag=tag, status=status, after=after, limit=limit)
        assert found == model.items(column, tag, status, after, limit)
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


def compare_time(reading: Reading, model: Model, chance: random.Random, now: float) -> None:
    for moment in (now, max(0.0, now - 30.0), now + 100.0):
        for limit in (100, 2):
            assert reading.due(moment, limit) == model.due(moment, limit)
        for agent in (*AGENTS, "nobody"):
            assert reading.next_wake(agent, moment) == model.next_wake(agent, moment)
            for starve in (20.0, 1800.0):
                column = chance.choice([None, *COLUMNS])
                item = chance.choice([None, None, *model.tables["items"], "none"])
                for wanted in ({"column": None, "item": None}, {"column": column, "item": item}):
                    found = reading.next_ready(agent, moment, starve, **wanted)
                    assert found == model.next_ready(agent, moment, starve, **wanted)


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
    """Two open runs of an item, a token or a version or a key given twice, a change of what is not there: no trace."""
    first = make_run("r1", token=1)
    ended = replace(first, ended_at=5, end="reported")
    store.transact(lambda tx: save_item(tx, version=1, is_new=True))
    store.transact(lambda tx: tx.save([], [("runs", first, True)], {}))
    store.transact(lambda tx: tx.keep_answer("me", "k", KeptAnswer(b"d", b"a"), 1))
    refused(store, lambda tx: tx.save([], [("runs", make_run("r2", token=2), True)], {}))
    store.transact(lambda tx: tx.save([], [("runs", ended, False)], {}))
    refused(store, lambda tx: tx.save([], [("runs", make_run("r3", token=1), True)], {}))
    refused(store, lambda tx: tx.save([], [("runs", make_run("r1", token=7), True)], {}))
    refused(store, lambda tx: tx.save([], [("runs", make_run("r9", token=9), False)], {}))
    refused(store, lambda tx: save_item(tx, version=1, is_new=False))
    refused(store, lambda tx: save_item(tx, version=2, is_new=True))
    refused(store, lambda tx: tx.keep_answer("me", "k", KeptAnswer(b"e", b"b"), 2))
    store.transact(lambda tx: tx.save([], [("runs", make_run("r2", token=2), True)], {}))
    assert store.read(lambda reading: [run.id for run in reading.runs("1")]) == ["r1", "r2"]
    assert store.read(lambda reading: reading.head()).seq == 1


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


def refused(store: Store, work: Any) -> None:
    before = store.read(lambda reading: (reading.head(), list(reading.rows("runs")), list(reading.rows("items"))))
    code = None
    try:
        store.transact(work)
    except Refused as error:
        code = error.code
    assert code == "conflict", "it was not refused"
    after = store.read(lambda reading: (reading.head(), list(reading.rows("runs")), list(reading.rows("items"))))
    assert before == after


def save_item(tx: Transaction, version: int, is_new: bool) -> None:
    item = Item(id="1", title="one", column="todo", version=version)
    change = Change("items", "1", {"title": "one", "column": "todo", "version": version})
    event = Event(name="item_added", item="1", changes=[change], version=version)
    tx.save([event], [("items", item, is_new)], {"1": Place("dev", 2, 0)})


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
