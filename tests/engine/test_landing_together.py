"""Several landings in one transaction each: all of it happens, or nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from folkmoot.core.commands import Actor, CancelItem, ClaimItem, LockPaths, RecordLanding, ReportRun, StopBoard
from folkmoot.core.flow import LANDING, Land
from folkmoot.core.report import Report
from folkmoot.core.work import Batch, Evidence, Touched
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.landing import together
from folkmoot.engine.landing.together import Joined, Mate, NotTogether
from folkmoot.errors import Refused
from folkmoot.testing.builders import PERSON, TrialBoard, change, small_flow

if TYPE_CHECKING:
    from collections.abc import Callable

FLOW = small_flow("""
columns: {dev: {agents: [d], next: done, gate: [ward]}, doc: {agents: [w], next: done}}
agents: {d: {}, w: {}}
gates: {ward: {run: ["true"]}}
land: {batch: 9}
""")
GREEN = Evidence(gate="ward", green=True, command=["true"], commit="m9", tree="t9")
EARLIER = Evidence(gate="ward", green=True, command=["true"], commit="c1", tree="t1")


def made(board: TrialBoard, **fields: Any) -> str:
    """An item whose work is to land."""
    item = board.add(**fields)
    if fields.get("column") == "doc":
        board.bring("w", work=change(f"src/{item}.py", commit=f"c{item}"))
    else:
        board.bring("d", work=change(f"src/{item}.py", commit=f"c{item}"))
        board.bring("ward", evidence=[EARLIER])
    assert board.place(item) == ("done", "proving")
    return item


class Trial:
    """Three items, and the landing of the first has begun."""

    def __init__(self) -> None:
        self.board = TrialBoard(FLOW)
        self.items = [made(self.board) for _ in range(3)]
        self.first = self.board.claim(LANDING, item=self.items[0])
        self.engine: Any = self.board.application.engine
        self.moved: list[str] = []

    def mates(self, most: int = 8) -> list[Mate]:
        queries = self.board.application.queries
        return queries.at_one_moment(lambda snapshot: together.mates(snapshot, self.first.run or "", most))

    def take(self) -> list[Joined]:
        return together.take(self.engine, self.first, self.mates())

    def runs(self, joined: list[Joined]) -> dict[str, Actor]:
        return {self.items[0]: self.first, **{one.item: one.actor for one in joined}}

    def write_down(self, joined: list[Joined], tree: str = "t9") -> None:
        runs = self.runs(joined)
        together.write_down(self.engine, [(actor, self.record(item, runs, tree)) for item, actor in runs.items()])

    def record(self, item: str, runs: dict[str, Actor], tree: str) -> RecordLanding:
        batch = Batch(own=f"m{item}", beside=[other for other in runs if other != item])
        paths = [Touched(f"src/{item}.py")]
        return RecordLanding(branch="main", old="b0", new="m9", tree=tree, touched=paths, evidence=[GREEN], batch=batch)

    def land(self, joined: list[Joined]) -> None:
        reports = [
            (actor, ReportRun(report=Report.done("landed", commit=f"m{item}"), evidence=[GREEN], moves=[], final=True))
            for item, actor in self.runs(joined).items()
        ]
        together.land(self.engine, reports, "m9", self.moved.append)

    def statuses(self) -> list[str]:
        return [self.board.place(item)[1] for item in self.items]

    def sound(self) -> None:
        found = examine(self.engine)
        assert found.ok, [check for check in found.checks if not check.ok]


@pytest.fixture
def trial() -> Iterator[Trial]:
    trial = Trial()
    yield trial
    trial.engine.store.close()


@pytest.mark.ledger("R-19", "R-27")
def test_all_of_them_land_by_one_move(trial: Trial) -> None:
    joined = trial.take()
    trial.write_down(joined)
    trial.land(joined)
    assert trial.statuses() == ["done"] * 3 and trial.moved == ["m9"]
    shown = [trial.board.show(item) for item in trial.items]
    assert [one["landed"] for one in shown] == [f"m{item}" for item in trial.items]
    assert [one["evidence"][-1]["evidence"].get("beside", []) for one in shown] == [[], [], []]  # as the worker said it
    trial.sound()


def test_who_joins_needs_the_same_gates_and_has_the_order_of_the_queue(trial: Trial) -> None:
    made(trial.board, column="doc")
    urgent = made(trial.board, priority="high")
    assert [mate.item for mate in trial.mates()] == [urgent, *trial.items[1:]]
    assert [mate.item for mate in trial.mates(1)] == [urgent]
    assert trial.mates(0) == []


def test_who_is_held_up_does_not_join(trial: Trial) -> None:
    trial.engine.lock(PERSON, LockPaths(paths=[f"src/{trial.items[1]}.py"], seconds=60.0))
    assert [mate.item for mate in trial.mates()] == trial.items[2:]


def test_a_move_that_fails_has_landed_none(trial: Trial) -> None:
    joined = trial.take()
    trial.write_down(joined)
    before = trial.engine.store.read(lambda reading: reading.head().seq)

    def fail(commit: str) -> None:
        raise Refused("stale_target", "it has moved")

    trial.moved = type("Fails", (list,), {"append": staticmethod(fail)})()
    with pytest.raises(Refused, match="it has moved"):
        trial.land(joined)
    assert trial.engine.store.read(lambda reading: reading.head().seq) == before
    assert trial.statuses() == ["running"] * 3
    trial.sound()


@pytest.mark.parametrize("done", [0, 1, 2], ids=["taken", "written down", "landed"])
def test_one_that_is_cancelled_before_they_are_keeps_all_from_it_and_nothing_has_happened(
    trial: Trial, done: int
) -> None:
    mates, joined = trial.mates(), list[Joined]()
    steps: list[Callable[[], object]] = [
        lambda: joined.extend(together.take(trial.engine, trial.first, mates)),
        lambda: trial.write_down(joined),
        lambda: trial.land(joined),
    ]
    for step in steps[:done]:
        step()
    trial.engine.handle_item(PERSON, trial.items[1], CancelItem())
    before = trial.engine.store.read(lambda reading: reading.head().seq)
    with pytest.raises(NotTogether) as error:
        steps[done]()
    assert error.value.details["item"] == trial.items[1]
    assert trial.engine.store.read(lambda reading: reading.head().seq) == before and trial.moved == []
    together.leave(trial.engine, joined)
    assert trial.statuses() == ["running", "cancelled", "proving"]
    trial.sound()


def test_what_is_not_proved_on_that_tree_is_not_written_down(trial: Trial) -> None:
    joined = trial.take()
    with pytest.raises(NotTogether, match="ward is not green"):
        trial.write_down(joined, tree="another")
    together.leave(trial.engine, joined)
    assert trial.statuses() == ["running", "proving", "proving"]
    trial.sound()


def test_to_be_given_back_by_the_others_is_never_counted(trial: Trial) -> None:
    for _ in range(5):
        together.leave(trial.engine, trial.take())
    assert trial.statuses() == ["running", "proving", "proving"] and trial.board.inbox() == []
    assert len(trial.take()) == 2
    trial.sound()


def test_a_board_that_is_paused_begins_none(trial: Trial) -> None:
    trial.engine.on_board(PERSON, StopBoard())
    with pytest.raises(NotTogether):
        trial.take()
    assert trial.statuses() == ["running", "proving", "proving"]


@pytest.mark.attack(
    "fence",
    "a worker is killed in the middle of a landing of several, and the run that had the branch is ended first",
    "nobody else lands before the last of them has ended",
)
def test_the_branch_is_free_when_the_last_of_them_has_ended(trial: Trial) -> None:
    """Whoever had it may die or be cancelled before the others: they may still be about to move it."""
    joined = trial.take()
    late = made(trial.board)
    trial.board.report(trial.first, "failed", cause="transient")
    for one in joined:
        with pytest.raises(Refused):
            trial.board.claim(LANDING, item=late)
        together.leave(trial.engine, [one])
    trial.board.claim(LANDING, item=late)
    trial.sound()


@pytest.mark.attack(
    "fence",
    "the flow asks for pull requests while a landing of several proves them",
    "the one that has begun ends as it began; none that begins after it joins",
)
@pytest.mark.parametrize("land", [Land(mode="pr"), Land(batch=2), Land()], ids=["pr", "fewer", "alone"])
def test_who_is_taken_along_may_land_so_by_the_flow_of_that_moment(trial: Trial, land: Land) -> None:
    """The landing that has begun ends as it began; the others begin now."""
    mates = trial.mates()
    trial.board.adopt(replace(FLOW, land=land))
    with pytest.raises(NotTogether):
        together.take(trial.engine, trial.first, mates)
    assert trial.statuses() == ["running", "proving", "proving"]
    trial.sound()


def test_nobody_lands_beside_a_run_that_has_no_branch(trial: Trial) -> None:
    second = trial.engine.store.read(lambda reading: reading.item(trial.items[1]))
    order = ClaimItem(agent=LANDING, lease=60.0, beside="r-another")

    def claim(unit: Any) -> None:
        unit.apply(order, second, PERSON)

    with pytest.raises(Refused) as error:
        trial.engine.transact(PERSON, order, claim, None, "", type(None))
    assert error.value.code == "path_held"
    trial.board.report(trial.first, "failed", cause="transient")
    with pytest.raises(Refused) as error:
        trial.engine.transact(PERSON, order, claim, None, "", type(None))
    assert error.value.code == "stale_claim"
    with pytest.raises(Refused) as error:
        trial.take()
    assert error.value.code == "stale_claim"
