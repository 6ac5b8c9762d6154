"""The board in numbers: what is kept from look to look is what a look at everything would find."""

import random

import pytest

from folkmoot.api.gauges import Gauges, ReadGauges
from folkmoot.api.metrics import Metrics
from folkmoot.core import commands
from folkmoot.engine.reads import totals
from folkmoot.engine.reads.gauges import Watched
from folkmoot.engine.reads.queries import Queries
from folkmoot.sim.flows import choose_flow
from folkmoot.sim.run import chaos
from folkmoot.sim.world import World
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow
from tests.some import some


def looked(queries: Queries, watched: Watched) -> Gauges:
    return queries._snapshot(watched.look)


def no_time() -> float:
    return 0.0


def check_same_measures(gauges: Gauges, found: Metrics) -> None:
    four = gauges.metrics
    assert four.time_per_agent == found.time_per_agent
    assert four.workflows == {kind: counts.items for kind, counts in found.by_workflow.items()}
    assert sum(four.handoffs.values()) == sum(found.handoffs_per_workflow.values())
    assert sum(four.fix_iterations.values()) == sum(found.fix_iterations.values())
    assert (four.escalation_rate or 0.0) == found.escalation_rate


@pytest.mark.ledger("H-13")
@pytest.mark.parametrize("ended_kept", [totals.ENDED_KEPT, 1])
@pytest.mark.parametrize("seed", some(range(6), range(2)))
def test_what_is_kept_is_what_a_look_at_everything_finds(
    seed: int, ended_kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a world in which everything goes wrong, flows are changed and processes die."""
    monkeypatch.setattr(totals, "ENDED_KEPT", ended_kept)
    chance = random.Random(seed)
    store = TrialBoard.new_store()
    world = World(seed, [store], choose_flow(chance), chance)
    kept = Watched(no_time)
    try:
        chaos(world, 20, agents=4, items=8)
        for target in range(40, 260, 20):
            world.run(lambda until=target: world.step >= until)  # type: ignore[misc]
            queries = Queries(store, world.clock)
            found = looked(queries, kept)
            assert found == looked(queries, Watched(no_time))
            check_same_measures(found, queries.metrics())
    finally:
        world.close()


def test_a_look_reads_only_what_has_happened_since_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(line_flow("plan", "build")) as board:
        [board.add() for _ in range(3)]
        first = board.application.queries.gauges()
        assert [(one.column, one.items) for one in first.items] == [("plan", 3)]
        board.effort("plan-agent", "done")
        from folkmoot.store.sql.reading import SqlReading

        def rows(self: SqlReading, table: str) -> None:
            raise AssertionError(f"all {table} were read again")

        monkeypatch.setattr(SqlReading, "rows", rows)
        again = board.application.queries.gauges()
        assert [(one.column, one.items) for one in again.items] == [("build", 1), ("plan", 2)]
        assert [(one.agent, one.outcome, one.runs) for one in again.runs] == [("plan-agent", "done", 1)]


def test_of_items_that_have_ended_only_the_last_are_known_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "ENDED_KEPT", 2)
    with TrialBoard(line_flow("plan")) as board:
        watched = Watched(no_time)
        for _ in range(6):
            board.add()
            board.effort("plan-agent", "done")
            found = looked(board.application.queries, watched)
        kept = watched._totals
        assert len(kept._items) == len(kept._measures._of) == len(kept._ended) == 2
        assert [(one.status, one.items) for one in found.items] == [("done", 6)]
        board.engine.handle_item(PERSON, "1", commands.ReopenItem())
        again = looked(board.application.queries, watched)
        assert again == looked(board.application.queries, Watched(no_time))


def test_a_board_that_went_back_is_read_anew() -> None:
    with TrialBoard() as before, TrialBoard() as after:
        [before.add() for _ in range(5)]
        after.add()
        watched = Watched(no_time)
        looked(before.application.queries, watched)
        found = looked(after.application.queries, watched)
        assert sum(one.items for one in found.items) == 1


def test_what_nobody_has_told_is_no_number() -> None:
    with TrialBoard(line_flow("plan")) as board:
        board.add()
        board.effort("plan-agent", "done")
        assert board.application.queries.gauges().spent == []
        board.add()
        board.effort("plan-agent", "done", usage={"input_tokens": 70, "output_tokens": 5})
        (spent,) = board.application.queries.gauges().spent
        assert (spent.input_tokens, spent.output_tokens, spent.cost_usd) == (70, 5, None)


def test_queues_leases_and_questions_have_an_age() -> None:
    with TrialBoard(line_flow("plan")) as board:
        [board.add() for _ in range(3)]
        board.sleep(100)
        actor = board.claim("plan-agent", lease=60)
        board.engine.act(actor, commands.AskPerson(question="Which?", options=["a", "b"]))
        board.sleep(90)
        found = board.application.asked_by(PERSON)(ReadGauges())
        queue = next(one for one in found.queues if one.agent == "plan-agent")
        assert (queue.items, queue.oldest_seconds) == (2, 190.0)
        assert [(one.agent, one.runs, one.late) for one in found.live] == [("plan-agent", 1, 1)]
        assert found.next_lease_end == -30.0
        assert (found.open_questions, found.oldest_question_seconds) == (1, 90.0)


def test_a_measure_that_took_long_is_not_taken_again_at_once() -> None:
    """A workflow of thousands of tasks is not measured at each look."""
    with TrialBoard(line_flow("plan")) as board:
        board.add()
        board.add()
        ticks = iter([0.0, 3.0, 10.0, 100.0, 100.0])  # taken in 3 seconds, so not again before second 60
        watched = Watched(lambda: next(ticks))
        queries = board.application.queries
        looked(queries, watched)
        board.effort("plan-agent", "done")
        assert looked(queries, watched).metrics.workflows == {}
        assert looked(queries, watched).metrics.workflows == {"feature": 1}


def test_a_report_is_counted_by_its_agent_and_outcome() -> None:
    with TrialBoard(line_flow("plan", ladder="small large")) as board:
        board.add()
        board.report(board.claim("plan-agent"), "failed", summary="no", attempts=[{"approach": "one"}])
        found = board.application.queries.gauges()
        assert [(one.agent, one.kind, one.outcome, one.end, one.runs) for one in found.runs] == [
            ("plan-agent", "agent", "failed", "reported", 1)
        ]
