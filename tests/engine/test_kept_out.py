"""Items that are kept out hide no other: a claim looks on until one is free, at a cost that stays flat (R-20, R-23)."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import apsw
import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor, LockPaths, UnlockPaths
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import order_key
from folkmoot.core.rules.running.budgets import POOL, has_room, in_force
from folkmoot.core.rules.sharing.choice import obstacle
from folkmoot.engine import claiming
from folkmoot.engine.claiming import CANDIDATES_MAX
from folkmoot.engine.loading import claim_context
from folkmoot.engine.moment import moment
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.store.port import Reading, Transaction
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, limited, small_flow
from tests.some import some

ANN = Actor("ann")
MANY = CANDIDATES_MAX + 20
FLOW = small_flow("""
columns: {dev: {agents: [d], next: look}, look: {agents: [r], next: done, fix: dev}}
agents:
  d: {ladder: {0: small, 1+: large}}
  r: {write: none}
models: {small: {pool: cheap}, large: {pool: dear}}
pools: {cheap: {slots: 500}, dear: {slots: 500}}
limits: {starve: 1000s}
""")
FERRY = small_flow("""
target: main
columns: {dev: {agents: [d], next: done}}
agents: {d: {}}
""")


def lock(board: TrialBoard, *paths: str, seconds: float = 1800.0) -> None:
    board.engine.lock(ANN, LockPaths(paths=list(paths), seconds=seconds))


def unlock(board: TrialBoard, *paths: str) -> None:
    board.engine.lock(ANN, UnlockPaths(paths=list(paths)))


def taken(board: TrialBoard, agent: str = "d") -> str:
    """The item that a claim gets."""
    run = board.claim(agent)
    found = board.engine.store.read(lambda reading: reading.run(run.run or ""))
    assert found is not None
    return found.item


def barred(board: TrialBoard) -> dict[str, str]:
    return board.engine.store.read(lambda reading: reading.barred())


@pytest.mark.attack(
    "claims",
    "More items on one locked path are ready before a free one than a claim looks at at once.",
    "The claim looks on and gets the free one; behind a bar that stands no later claim looks.",
)
@pytest.mark.ledger("R-20", "R-23")
@pytest.mark.parametrize("path", ["src/hot.py", "src/part{}/code.py"], ids=["one path", "many below one folder"])
def test_items_on_a_locked_path_hide_no_other(path: str) -> None:
    with SoundBoard(FLOW) as board:
        lock(board, "src/")
        for number in range(MANY):
            board.add(files=[path.format(number)])
        free = board.add("free", files=["docs/a.md"])
        assert taken(board) == free
        assert len(barred(board)) == MANY
        with pytest.raises(NothingToDo):
            board.claim("d")


@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("how", ["unlocked", "expired"])
def test_what_was_kept_out_is_found_when_the_lock_is_over(how: str) -> None:
    with SoundBoard(FLOW) as board:
        lock(board, "src/", seconds=60.0)
        first = [board.add(files=[f"src/{number}.py"]) for number in range(MANY)][:3]
        with pytest.raises(NothingToDo):
            board.claim("d")
        if how == "unlocked":
            unlock(board, "src/")
        else:
            board.sleep(61.0)
        assert [taken(board) for _ in range(3)] == first


@pytest.mark.ledger("R-20")
def test_one_after_the_other_gets_a_hot_path() -> None:
    """Whoever takes it keeps the others out while it runs and while it waits for review."""
    with SoundBoard(FLOW) as board:
        items = [board.add(files=["src/hot.py"]) for _ in range(MANY)]
        for item in items[:4]:
            run = board.claim("d")
            assert board.item(item).run == run.run
            with pytest.raises(NothingToDo):
                board.claim("d")
            board.report(run, "done")
            with pytest.raises(NothingToDo):
                board.claim("d")
            board.effort("r", "done")


@pytest.mark.ledger("R-03", "R-20")
def test_a_bar_does_not_keep_out_what_its_holder_begins_to_wait_for() -> None:
    """The holder has a run first, and waits for its child after it: the child was kept out, and now is not."""
    with SoundBoard(FLOW) as board:
        for _ in range(MANY):
            board.add(files=["src/hot.py"], priority="low")
        holder = board.add("holder", files=["src/hot.py"], priority="high")
        run = board.claim("d")
        child = board.add("child", files=["src/hot.py"], parent=holder, priority="low")
        with pytest.raises(NothingToDo):
            board.claim("d")
        assert child in barred(board)
        board.report(run, "done")
        assert board.item(holder).status == "waiting"
        assert taken(board) == child


@pytest.mark.attack(
    "claims",
    "More items of a pool without quota are ready before another than a claim looks at at once.",
    "The claim looks on and gets the one whose pool has quota.",
)
@pytest.mark.ledger("R-07", "R-23")
def test_items_of_a_paused_pool_hide_no_other() -> None:
    with SoundBoard(FLOW) as board:
        other = board.add("failed once")
        board.effort("d", "failed", cause="capability", attempts=[{"approach": "a"}])
        for _ in range(MANY):
            board.add(priority="high")
        run = board.claim("d")
        board.engine.handle_run(run, commands.PauseRun(why="429", seconds=600.0))
        assert taken(board) == other
        assert set(barred(board).values()) == {"pool:cheap"}
        board.sleep(601.0)
        assert board.item(taken(board)).priority == "high"


@pytest.mark.ledger("R-19", "R-23")
def test_landings_on_a_taken_branch_hide_no_other() -> None:
    with SoundBoard(FERRY) as board:
        parent = board.add("parent")
        child = board.add("child", parent=parent, priority="low")
        ends = [board.add(f"for main {number}") for number in range(MANY)]
        for number, item in enumerate([*ends, child]):
            board.bring(board.claim("d", item=item), work=change(f"f{number}.py", commit=f"c{number}"))
        landing = board.claim("landing")
        assert board.item(ends[0]).run == landing.run
        assert taken(board, "landing") == child
        with pytest.raises(NothingToDo):
            board.claim("landing")
        assert set(barred(board).values()) == {"landing:main"}
        board.bring(landing, work=change("f0.py", commit="l0"))
        assert taken(board, "landing") == ends[1]


@pytest.mark.ledger("R-20", "R-23")
def test_landings_behind_a_held_path_hide_no_other() -> None:
    with SoundBoard(FERRY) as board:
        hot = [board.add(f"hot {number}") for number in range(MANY)]
        free = board.add("free", priority="low")
        for number, item in enumerate([*hot, free]):
            path = "hot.py" if item != free else "free.py"
            board.bring(board.claim("d", item=item), work=change(path, commit=f"c{number}"))
        lock(board, "hot.py")
        landing = board.claim("landing")
        assert board.item(free).run == landing.run
        board.bring(landing, work=change("free.py", commit="l0"))
        with pytest.raises(NothingToDo):
            board.claim("landing")
        assert set(barred(board).values()) == {"path:hot.py"}
        unlock(board, "hot.py")
        assert taken(board, "landing") == hot[0]


def statements(board: TrialBoard, work: Callable[[], Any]) -> int:
    counted: list[str] = []

    def trace(cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        counted.append(sql)
        return True

    store = board.engine.store
    if isinstance(store, PostgresStore):
        before = store.round_trips
        work()
        return store.round_trips - before
    connection: apsw.Connection = store._connection
    connection.exec_trace = trace
    work()
    connection.exec_trace = None
    return len(counted)


@pytest.mark.ledger("R-23")
@pytest.mark.parametrize("held_by", ["a person", "an item at rest"])
def test_a_claim_costs_the_same_however_many_are_kept_out(held_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in statements and in items read, once the first claim has found out what keeps them out."""
    read: list[str] = []
    known = claiming._Search.choose

    def counting(self: Any, candidates: list[Item]) -> Any:
        read.extend(item.id for item in candidates)
        return known(self, candidates)

    monkeypatch.setattr(claiming._Search, "choose", counting)
    costs = []
    for blocked in (MANY, 4 * MANY):
        with TrialBoard(FLOW) as board:
            if held_by == "a person":
                lock(board, "src/hot.py")
            else:
                board.add(files=["src/hot.py"])
                board.effort("d", "done")
            for _ in range(blocked):
                board.add(files=["src/hot.py"])
            for number in range(3):
                board.add(files=[f"docs/{number}.md"])
            board.claim("d")
            read.clear()
            costs.append((statements(board, partial(board.claim, "d")), len(read)))
    assert costs[0] == costs[1]
    assert costs[0][1] <= 3


def note(bars: dict[str, str], tx: Transaction) -> None:
    tx.keep_out(bars)


@pytest.mark.ledger("R-03")
def test_the_doctor_finds_an_item_behind_a_bar_that_is_not_its_own() -> None:
    with TrialBoard(FLOW) as board:
        item = board.add(files=["docs/a.md"])
        for bar in ("path:src", "pool:dear", "landing:main", "reserved:x", "reserved:9:1e9:docs/a.md", ""):
            board.engine.store.transact(partial(note, {item: bar}))
            assert any("hidden" in words for words in board.wrong()), bar
        board.engine.store.transact(partial(note, {item: "path:docs"}))
        assert board.wrong() == []


def free_items(reading: Reading, flow: Flow, now: float) -> list[Item]:
    """The model: every ready item is looked at, and whatever nothing keeps out may be taken."""
    ready = [item for item in reading.items(limit=10_000) if item.status == "ready" and item.column == "dev"]
    paused = {one for one in in_force(reading.pauses(), now) if one.startswith(POOL)}
    stands = claim_context(reading, flow, now)
    able = [item for item in ready if item.wake_at <= now and has_room(flow, "d", item, paused, reading.open_runs())]
    return [item for item in able if obstacle(item, stands) is None]


@pytest.mark.ledger("R-03", "R-20", "R-23")
@pytest.mark.parametrize("seed", some(range(30), range(10)))
def test_a_claim_finds_what_a_look_at_every_item_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is locked, held, awaited, reserved or paused: an item is taken if and only if one is free; a starved one
    before the others, and of those one of the highest priority."""
    chance = random.Random(seed)
    monkeypatch.setattr(claiming, "CANDIDATES_MAX", chance.choice([1, 2, 4]))
    monkeypatch.setattr(claiming, "LISTS_MAX", chance.choice([0, 1, 8]))
    flow = limited(FLOW, starve=chance.choice([50.0, 1e6]))
    paths = ["src/", "src/a.py", "src/b/", "src/b/c.py", "docs/", "docs/d.md", "e.py", "SRC/A.py"]
    looked = 0
    with SoundBoard(flow) as board:
        life = Life(board, chance, paths)
        for _ in range(80):
            life.step()
            board.engine.lock(PERSON, LockPaths(paths=["nobody/wants"], seconds=1.0))  # what is due is applied
            now = board.engine.store.read(lambda reading: moment(board.clock, reading.head()).now)
            free = board.engine.store.read(partial(free_items, flow=flow, now=now))
            try:
                run = board.claim("d")
            except NothingToDo:
                assert free == []
                continue
            item = next(item for item in free if board.item(item.id).run == run.run)
            first = min((order_key(one, now, flow.limits.starve)[:3] for one in free), default=None)
            assert order_key(item, now, flow.limits.starve)[:3] == first
            life.runs.append(run)
            looked += bool(barred(board))
    assert looked > 2, "a life in which nobody was kept out shows nothing"


class Life:
    """One random thing after the other that brings up a bar or takes one away."""

    def __init__(self, board: TrialBoard, chance: random.Random, paths: list[str]) -> None:
        self.board = board
        self.chance = chance
        self.paths = paths
        self.items: list[str] = []
        self.runs: list[Actor] = []
        self.add()

    def step(self) -> None:
        ways = [self.add, self.add, self.report, self.report, self.lock, self.unlock, self.sleep, self.review]
        self.chance.choice([*ways, self.edit, self.pause])()

    def add(self) -> None:
        chance = self.chance
        for _ in range(chance.randint(1, 5)):
            files = chance.sample(self.paths, chance.choice([0, 1, 1, 2]))
            more: dict[str, Any] = {"priority": chance.choice(["high", "medium"])}
            if self.items and chance.random() < 0.3:
                more["parent" if chance.random() < 0.5 else "after"] = chance.choice(self.items)
            if "after" in more:
                more["after"] = [more["after"]]
            with suppress(Refused, Invalid):
                self.items.append(self.board.add(files=files, **more))

    def report(self) -> None:
        if self.runs:
            run = self.runs.pop(self.chance.randrange(len(self.runs)))
            outcome = self.chance.choice(["done", "done", "failed"])
            more = {"attempts": [{"approach": f"way {run.run}"}]} if outcome == "failed" else {}
            self._try(lambda: self.board.report(run, outcome, **more))

    def review(self) -> None:
        outcome = self.chance.choice(["done", "changes_requested"])
        findings = [{"issue": "it is wrong", "severity": "high"}]
        more: dict[str, Any] = {"findings": findings} if outcome == "changes_requested" else {}
        self._try(lambda: self.board.effort("r", outcome, **more))

    def lock(self) -> None:
        path, seconds = self.chance.choice(self.paths), self.chance.choice([5.0, 500.0])
        self._try(lambda: unlock(self.board, path))  # a lock that is taken again is never shorter than before
        self._try(lambda: lock(self.board, path, seconds=seconds))

    def unlock(self) -> None:
        path = self.chance.choice(self.paths)
        self._try(lambda: unlock(self.board, path))

    def edit(self) -> None:
        item, files = self.chance.choice(self.items), self.chance.sample(self.paths, 1)
        self._try(lambda: self.board.on(item, commands.EditItem(files=files)))

    def pause(self) -> None:
        if self.runs:
            run = self.runs.pop()
            self._try(lambda: self.board.engine.handle_run(run, commands.PauseRun(why="429", seconds=20.0)))

    def sleep(self) -> None:
        self.board.sleep(self.chance.choice([1.0, 10.0, 100.0]))

    def _try(self, work: Callable[[], Any]) -> None:
        with suppress(Refused, Invalid, NothingToDo):
            work()
