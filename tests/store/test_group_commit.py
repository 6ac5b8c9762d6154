"""Works of several threads share a commit, and nobody notices but by the speed."""

import contextlib
import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.core.commands import Actor, AddItem, LockPaths, UnlockPaths
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, MootError, Unavailable
from folkmoot.store.port import Store, Stretch, Transaction
from folkmoot.store.sql import group_commit
from folkmoot.store.sql.writer_queue import WriteRequest, WriterQueue
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from folkmoot.testing.builders import CountedIds
from folkmoot.testing.clock import VirtualClock
from folkmoot.testing.scribe import make_flow
from tests.some import some

PATIENCE = 30.0
PERSON = Actor("ann")


def engine_for(store: Store) -> Engine:
    return Engine(store, VirtualClock(), CountedIds())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.create(tmp_path / "board.db")
    engine_for(store).adopt_flow(PERSON, make_flow(1), "small")
    yield store
    store.close()


def add(title: str) -> Callable[[Transaction], str]:
    """A work that adds an item, as the engine would do it."""

    def work(tx: Transaction) -> str:
        engine = engine_for(Inside(tx))
        return str(engine.add(PERSON, AddItem(title=title)).id)

    return work


class Inside:
    """A store that is a transaction already, for an engine that works in it."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx

    def transact(self, work: Callable[[Transaction], Any], *, alone: bool = False) -> Any:
        return work(self.tx)

    read = transact

    def broken_links(self) -> list[str]:
        return []

    def prove(self, after: int, limit: int) -> Stretch:
        return Stretch(after, [], ends=True)

    def try_write(self, seconds: float) -> int | None:
        return None

    def close(self) -> None: ...


class Callers:
    """One caller leads and is kept busy until the others stand behind him."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.answers: dict[str, Any] = {}
        self.commits = 0
        store._connection.set_commit_hook(self._commit)

    def _commit(self) -> bool:
        self.commits += 1
        return False

    def together(self, first: Callable[[Transaction], Any], others: dict[str, Callable[[Transaction], Any]]) -> None:
        """What each got is in `answers`: what the work returned, or what was raised."""
        queued = threading.Event()

        def held_up(tx: Transaction) -> Any:
            assert queued.wait(PATIENCE)
            return first(tx)

        leader = self.start("first", held_up)
        self.until(lambda: self.store._queue._leader is not None)
        threads = []
        for count, (name, work) in enumerate(others.items(), start=1):
            threads.append(self.start(name, work))
            self.until(lambda count=count: len(self.store._queue._waiting) == count)  # type: ignore[misc]
        queued.set()
        for thread in [leader, *threads]:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def start(self, name: str, work: Callable[[Transaction], Any]) -> threading.Thread:
        def call() -> None:
            try:
                self.answers[name] = self.store.transact(work, alone=name.startswith("alone"))
            except BaseException as fault:
                self.answers[name] = fault

        thread = threading.Thread(target=call, name=name, daemon=True)
        thread.start()
        return thread

    def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(int(PATIENCE * 1000)):
            if holds():
                return
            threading.Event().wait(0.001)
        raise AssertionError("it did not come to that")


def titles(store: SqliteStore) -> list[str]:
    assert store.broken_links() == []
    store.read(store_contract.log_folds_to_rows)
    return store.read(lambda reading: [item.title for item in reading.items()])


def fail(tx: Transaction) -> None:
    add("must not stay")(tx)
    raise Invalid("no", "no", "no")


def test_who_comes_meanwhile_is_carried_along_in_one_commit(store: SqliteStore) -> None:
    callers = Callers(store)
    callers.together(add("first"), {name: add(name) for name in "abcdef"})
    assert callers.commits == 1
    assert titles(store) == ["first", *"abcdef"]
    assert callers.answers == {"first": "1", **{name: str(at) for at, name in enumerate("abcdef", start=2)}}


def test_who_wants_to_be_alone_shares_his_commit_with_nobody(store: SqliteStore) -> None:
    """A failure behind him would have his work done once more, and what he did outside of the store with it."""
    callers = Callers(store)
    times: list[str] = []

    def once(tx: Transaction) -> str:
        times.append("once")
        return str(add("alone")(tx))

    callers.together(add("first"), {"a": add("a"), "alone": once, "bad": fail, "b": add("b")})
    assert times == ["once"] and callers.commits == 3
    assert titles(store) == ["first", "a", "alone", "b"] and isinstance(callers.answers["bad"], Invalid)


def test_one_fails_alone_and_leaves_no_trace(store: SqliteStore) -> None:
    callers = Callers(store)
    callers.together(add("first"), {"a": add("a"), "bad": fail, "b": add("b")})
    assert callers.commits == 1
    assert titles(store) == ["first", "a", "b"]
    assert isinstance(callers.answers["bad"], Invalid) and callers.answers["b"] == "3"


def take(path: str) -> LockPaths:
    return LockPaths(paths=[path], seconds=60.0)


def locks(command: LockPaths | UnlockPaths, fails: bool = False) -> Callable[[Transaction], Any]:
    """A work that takes or releases a path, and tells all that are held after it."""

    def work(tx: Transaction) -> list[str]:
        view = engine_for(Inside(tx)).lock(PERSON, command)
        if fails:
            raise Invalid("no", "no", "no")
        return [lock.resource for lock in view.locks]

    return work


def test_works_of_one_commit_see_the_holds_of_those_before_them_that_did_not_fail(store: SqliteStore) -> None:
    engine = engine_for(store)
    for path in ("old", "older"):
        engine.lock(PERSON, take(path))
    engine.lock(PERSON, UnlockPaths(paths=["older"]))
    callers = Callers(store)
    works = {
        "new": locks(take("new")),
        "newer": locks(take("newer")),
        "failed": locks(take("failed"), fails=True),
        "failed release": locks(UnlockPaths(paths=["old"]), fails=True),
        "less": locks(UnlockPaths(paths=["new"])),
        "again": locks(take("older")),  # keeps the place it had
        "new again": locks(take("new")),
    }
    callers.together(add("first"), works)
    assert callers.commits == 1
    assert callers.answers["newer"] == ["old", "new", "newer"]
    assert callers.answers["less"] == ["old", "newer"]
    assert callers.answers["again"] == ["old", "older", "newer"]
    last = ["old", "older", "new", "newer"]
    assert callers.answers["new again"] == last
    assert [hold.path for hold in store.read(lambda reading: reading.holds(0.0))] == last


def test_the_leader_fails_and_the_others_do_not(store: SqliteStore) -> None:
    callers = Callers(store)
    callers.together(fail, {"a": add("a"), "bad": fail, "b": add("b")})
    assert titles(store) == ["a", "b"]
    assert isinstance(callers.answers["first"], Invalid) and callers.answers["b"] == "2"


def test_a_work_that_hides_a_failed_save_is_refused_alone(store: SqliteStore) -> None:
    def hides(tx: Transaction) -> None:
        with pytest.raises(AttributeError):
            tx.save([], [("items", None, False)], {})  # type: ignore[list-item]

    callers = Callers(store)
    callers.together(add("first"), {"bad": hides, "a": add("a")})
    assert titles(store) == ["first", "a"]
    assert isinstance(callers.answers["bad"], RuntimeError)


@pytest.mark.parametrize(("fault", "code"), [(apsw.FullError, "store_full"), (apsw.IOError, "store_failed")])
def test_a_commit_that_fails_is_told_to_everybody(store: SqliteStore, fault: type[apsw.Error], code: str) -> None:
    execute = store._execute

    def failing(statement: str, *values: Any) -> Any:
        if statement == group_commit.COMMIT and "first" not in callers.answers:
            raise fault("planted")
        return execute(statement, *values)

    store._execute = failing
    callers = Callers(store)
    callers.together(add("first"), {"a": add("a"), "bad": fail, "b": add("b")})
    for name in ("first", "a", "b"):
        assert isinstance(callers.answers[name], Unavailable) and callers.answers[name].code == code
    # It was refused behind changes that are undone, so it is asked again; if it can be.
    assert isinstance(callers.answers["bad"], Invalid if fault is apsw.FullError else Unavailable)
    store._execute = execute
    if fault is apsw.FullError:
        assert titles(store) == []
        assert store.transact(add("later")) == "1"
    else:
        with pytest.raises(Unavailable, match="failed earlier"):
            store.transact(add("later"))


def test_a_work_that_ends_the_transaction_takes_the_others_with_it(store: SqliteStore) -> None:
    def rolls_back(tx: Any) -> None:
        tx.execute("ROLLBACK")
        raise ValueError("odd")

    callers = Callers(store)
    callers.together(add("first"), {"a": add("a"), "odd": rolls_back, "b": add("b")})
    assert isinstance(callers.answers["odd"], ValueError)
    assert callers.answers["a"].code == callers.answers["first"].code == "store_undone"
    assert callers.answers["b"] == "1"
    assert titles(store) == ["b"]


@pytest.mark.parametrize("who", ["first", "b"])
def test_an_interrupted_leader_leaves_the_others_to_the_next(store: SqliteStore, who: str) -> None:
    """An interrupt comes to a thread, whosever work it does just then."""
    once = [True]

    def interrupted(tx: Transaction) -> str:
        answer = add(who)(tx)
        if once:
            once.clear()
            raise KeyboardInterrupt
        return answer

    works = {name: interrupted if name == who else add(name) for name in ("first", "a", "b", "c")}
    first = works.pop("first")
    callers = Callers(store)
    callers.together(first, works)
    assert isinstance(callers.answers["first"], KeyboardInterrupt)
    assert titles(store) == ["a", "b", "c"]
    assert [callers.answers[name] for name in "abc"] == ["1", "2", "3"]


def test_an_interrupt_after_the_commit_repeats_nothing(store: SqliteStore) -> None:
    execute = store._execute

    def interrupted(statement: str, *values: Any) -> Any:
        answer = execute(statement, *values)
        if statement == group_commit.COMMIT:
            store._execute = execute
            raise KeyboardInterrupt
        return answer

    store._execute = interrupted
    callers = Callers(store)
    callers.together(add("first"), {name: add(name) for name in "ab"})
    assert isinstance(callers.answers["first"], KeyboardInterrupt)
    assert (callers.answers["a"], callers.answers["b"]) == ("2", "3")
    assert titles(store) == ["first", "a", "b"]


def test_a_reader_sees_what_is_committed_and_waits_for_nobody(store: SqliteStore) -> None:
    store.transact(add("old"))
    seen: list[list[str]] = []

    def looked_at(tx: Transaction) -> None:
        add("new")(tx)
        reader = threading.Thread(target=lambda: seen.append(titles(store)))
        reader.start()
        reader.join(PATIENCE)

    store.transact(looked_at)
    assert seen == [["old"]]
    assert titles(store) == ["old", "new"]


def test_a_flow_that_was_not_committed_is_forgotten(store: SqliteStore) -> None:
    """A later work of the same commit has read it; when the commit fails, another flow gets its number."""
    execute = store._execute

    def full(statement: str, *values: Any) -> Any:
        if statement == group_commit.COMMIT:
            raise apsw.FullError("planted")
        return execute(statement, *values)

    store._execute = full
    engine = engine_for(store)
    callers = Callers(store)
    adopt = lambda tx: engine_for(Inside(tx)).adopt_flow(PERSON, make_flow(2), "lost")  # noqa: E731
    callers.together(adopt, {"a": lambda tx: add("a")(tx)})
    assert callers.answers["first"].code == "store_full"
    store._execute = execute
    assert engine.adopt_flow(PERSON, make_flow(3), "kept") == 2
    assert store.transact(lambda tx: tx.flow(2)).source == "kept"


def test_the_bell_rings_once_for_a_commit_and_never_for_nothing(store: SqliteStore) -> None:
    before = store.change_signal.count
    Callers(store).together(add("first"), {"a": add("a")})
    assert store.change_signal.count == before + 1
    store.transact(lambda tx: tx.head())
    with pytest.raises(MootError):
        store.transact(fail)
    assert store.change_signal.count == before + 1


def test_who_gives_up_waiting_is_not_waited_for() -> None:
    turns, leader, follower, last = WriterQueue(), WriteRequest(len), WriteRequest(len), WriteRequest(len)
    assert turns.enter(leader)
    for request in (follower, last):
        request._turn = threading.Lock()
        request._turn.acquire()
        turns._waiting.append(request)
    taken: list[WriteRequest] = []
    assert turns.take(taken) and taken == [follower]
    turns.leave(follower)  # interrupted while it is carried
    turns.leave(last)  # and while it waits
    turns.leave(leader, taken)
    assert not turns._waiting and turns.enter(WriteRequest(None), wait=False)


def test_a_chosen_leader_who_was_interrupted_passes_it_on() -> None:
    turns, leader, chosen = WriterQueue(), WriteRequest(len), WriteRequest(len)
    assert turns.enter(leader)
    chosen._turn = threading.Lock()
    chosen._turn.acquire()
    turns._waiting.append(chosen)
    turns.leave(leader)
    turns.leave(chosen)
    assert turns.enter(WriteRequest(None), wait=False)


def test_who_was_refused_because_of_what_is_undone_is_asked_again(store: SqliteStore) -> None:
    """The first takes something, the second finds it taken, and then the commit fails: nobody has it."""
    execute = store._execute

    def failing(statement: str, *values: Any) -> Any:
        if statement == group_commit.COMMIT and "first" not in callers.answers:
            raise apsw.FullError("planted")
        return execute(statement, *values)

    def only_if_empty(tx: Transaction) -> str:
        if tx.items():
            raise Invalid("taken", "somebody was here", "")
        return add("second")(tx)

    store._execute = failing
    callers = Callers(store)
    callers.together(add("first"), {"second": only_if_empty})
    assert callers.answers["first"].code == "store_full"
    assert callers.answers["second"] == "1"
    assert titles(store) == ["second"]


def test_a_work_that_exits_does_so_for_its_own_caller(store: SqliteStore) -> None:
    def exits(tx: Transaction) -> None:
        add("must not stay")(tx)
        raise SystemExit(3)

    callers = Callers(store)
    callers.together(add("first"), {"a": add("a"), "exits": exits, "b": add("b")})
    assert isinstance(callers.answers["exits"], SystemExit)
    assert titles(store) == ["first", "a", "b"]


def test_a_busy_store_is_told_to_all_who_wait(store: SqliteStore) -> None:
    begun = 0

    def busy() -> None:
        nonlocal begun
        begun += 1
        callers.until(lambda: len(store._queue._waiting) == 2)
        raise apsw.BusyError("planted")

    whole = store._take_write_lock
    store._take_write_lock = busy  # type: ignore[method-assign]
    callers = Callers(store)
    threads = [callers.start(name, add(name)) for name in "abc"]
    for thread in threads:
        thread.join(PATIENCE)
    store._take_write_lock = whole  # type: ignore[method-assign]
    assert begun == 1 and {answer.code for answer in callers.answers.values()} == {"store_busy"}
    assert store.transact(add("later")) == "1"


def test_a_store_is_not_closed_from_inside_a_work(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match="inside"):
        store.transact(lambda tx: store.close())
    assert store.transact(add("later")) == "1"


def test_after_closing_nothing_is_open(tmp_path: Path) -> None:
    for number in range(5):
        store = SqliteStore.create(tmp_path / f"{number}.db", durable=False)
        engine_for(store).adopt_flow(PERSON, make_flow(1), "small")

        def read(store: SqliteStore = store) -> None:
            with contextlib.suppress(Unavailable):
                while True:
                    store.read(lambda reading: reading.items())

        def write(store: SqliteStore = store) -> None:
            with contextlib.suppress(Unavailable):
                while True:
                    store.transact(add("x"))

        threads = [threading.Thread(target=work, daemon=True) for work in (read, read, write)]
        for thread in threads:
            thread.start()
        threading.Event().wait(0.02)
        store.close()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert not [name for name in open_files() if f"{number}.db" in name]


def open_files() -> list[str]:
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return found


@pytest.mark.parametrize("seed", some(range(6), range(2)))
def test_the_contract_holds_in_a_crowd(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every work of the contract is carried along behind others, of which some fail."""
    chance = random.Random(seed)
    whole = group_commit.CommitBatch.lead

    def crowded(self: group_commit.CommitBatch, first: WriteRequest, turns: WriterQueue) -> None:
        def nothing(tx: Transaction) -> None:
            if chance.random() < 0.5:
                tx.keep_output("r", 1, "said")
                raise ValueError

        self._careful = True  # the contract's own works must not be done twice
        self.carried.append(WriteRequest(nothing))
        self._carry(self.carried[0])
        turns._waiting.append(WriteRequest(nothing))
        whole(self, first, turns)

    monkeypatch.setattr(group_commit.CommitBatch, "lead", crowded)
    store = SqliteStore.create(tmp_path / "board.db", durable=False)
    store_contract.answers_as_the_model(store, chance, steps=25)
    store.close()


@pytest.mark.parametrize("seed", range(3))
def test_many_threads_lose_nothing_and_double_nothing(store: SqliteStore, seed: int) -> None:
    engine = engine_for(store)
    kept: list[list[str]] = [[] for _ in range(12)]

    def work(number: int) -> None:
        chance = random.Random(f"{seed} {number}")
        for step in range(12):
            title = f"{number} {step}"
            if chance.random() < 0.2:
                with pytest.raises(MootError):
                    store.transact(fail)
            elif chance.random() < 0.2:
                store.read(lambda reading: reading.items())
            else:
                engine.add(PERSON, AddItem(title=title))
                kept[number].append(title)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert sorted(titles(store)) == sorted(title for mine in kept for title in mine)
