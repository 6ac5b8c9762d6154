"""What a worker asks of the engine: the next run for any of its agents, how an item stands, what was printed."""

import pytest

from folkmoot.core import commands
from folkmoot.core.work import Evidence, Work
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, change, limited, small_flow

FLOW = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents:
  d: {ladder: {0: small, 1+: large}, may: [ask, split]}
  r: {write: none}
gates: {ward: {run: ["true"]}}
models: {small: {pool: cheap}, large: {pool: dear}}
pools: {cheap: {slots: 2}, dear: {slots: 9}}
""")
ALL = ("d", "r", "ward", "landing")


@pytest.mark.ledger("R-21")
def test_what_is_to_land_comes_first_then_what_is_to_be_proved_then_agents() -> None:
    with SoundBoard(FLOW) as board:
        for _ in range(2):
            board.add()
        board.bring(board.next("d"), work=change("src/a.py"))
        board.effort("ward", "done")
        board.effort("r", "done")
        board.effort("d", "done")
        urgent = board.add(priority="critical")
        order = [board.next(*ALL) for _ in range(3)]
        assert [run.name for run in order] == ["landing", "ward", "d"]
        assert board.item(urgent).run == order[2].run
        with pytest.raises(NothingToDo):
            board.next(*ALL)


def test_between_agents_the_order_of_items_holds() -> None:
    with SoundBoard(FLOW) as board:
        board.add(priority="low")
        board.add(column="look", priority="high")
        assert [board.next(*ALL).name for _ in range(2)] == ["r", "d"]


def test_a_worker_gets_only_what_its_agents_may_take() -> None:
    with SoundBoard(FLOW) as board:
        board.add(column="look")
        with pytest.raises(NothingToDo):
            board.next("d", "ward")
        with pytest.raises(NothingToDo):
            board.next()
        view = board.engine.claim_next(PERSON, ["r"], worker="w1", sandboxed=True)
        run = board.show(view.run_context.item)["runs"][-1]
        assert (run["worker"], run["sandboxed"]) == ("w1", True)


@pytest.mark.ledger("E-14")
def test_a_pool_has_only_so_many_slots_and_a_free_one_is_filled_at_once() -> None:
    with SoundBoard(FLOW) as board:
        for _ in range(4):
            board.add()
        board.effort("d", "failed", attempts=[{"approach": "this"}])  # its next run is of another pool
        first, second = board.claim("d", item="2"), board.claim("d", item="3")
        with pytest.raises(Refused):
            board.claim("d", item="4")
        assert board.next(*ALL).run == board.item("1").run
        with pytest.raises(NothingToDo):
            board.next(*ALL)
        board.report(first, "incomplete")
        assert board.place("2") == ("dev", "ready")
        assert board.next(*ALL).name == "d"
        board.report(second, "done")
        assert board.item("1").run in {run["run"] for run in board.queries.live()["runs"]}


@pytest.mark.ledger("R-07")
def test_a_paused_pool_keeps_back_only_its_own_items() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        board.add()
        board.effort("d", "failed", attempts=[{"approach": "this"}])
        board.engine.handle_run(board.claim("d", item="2"), commands.PauseRun(why="429"))
        assert board.next(*ALL).run == board.item("1").run
        with pytest.raises(NothingToDo):
            board.next(*ALL)
        wait = board.queries.next_wake(ALL)
        assert wait is not None and 0 < wait <= 300
        board.sleep(300)
        # The lease on the first has ended long ago, and the rest after it too: it is free as well.
        assert [board.next(*ALL).run for _ in range(2)] == [board.item(item).run for item in ("1", "2")]


def test_what_may_not_begin_is_passed_over_for_what_may() -> None:
    with SoundBoard(limited(FLOW, starts=1, window=60.0)) as board:
        board.add()
        board.add()
        board.add(column="look", priority="low")
        assert [board.next(*ALL).name for _ in range(2)] == ["d", "r"]
        with pytest.raises(NothingToDo):
            board.next(*ALL)


@pytest.mark.ledger("R-29")
def test_a_claim_first_rescues_what_time_has_ended() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        lost = board.next(*ALL)
        board.sleep(61)
        with pytest.raises(NothingToDo):
            board.next(*ALL)  # it rests for a while
        board.sleep(60)
        assert board.next(*ALL).token == 2
        with pytest.raises(Refused):
            board.engine.keep_output(lost, [(1, "I am still here")])


@pytest.mark.ledger("R-27", "R-31")
def test_what_a_run_prints_is_kept_beside_the_log_while_it_lives() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        run = board.next("d")
        before = board.engine.store.read(lambda reading: reading.head().seq)
        board.engine.keep_output(run, [(1, "one\n"), (2, "two\n")])
        board.engine.keep_output(run, [(3, "three\n")])
        assert board.engine.store.read(lambda reading: reading.head().seq) == before
        view = board.queries.output(run.run or "")
        assert [(part["part"], part["text"]) for part in view["parts"]] == [(1, "one\n"), (2, "two\n"), (3, "three\n")]
        assert view["live"] and view["agent"] == "d"
        assert [part["part"] for part in board.queries.output(run.run or "", after=3)["parts"]] == [3]
        for wrong in (commands.Actor("d", run.run, 9), commands.Actor("d", "nobody", 1)):
            with pytest.raises(Refused) as caught:
                board.engine.keep_output(wrong, [(4, "x")])
            assert caught.value.code == "stale_claim"
        board.report(run, "done")
        with pytest.raises(Refused):
            board.engine.keep_output(run, [(4, "late")])
        assert not board.queries.output(run.run or "")["live"]
        with pytest.raises(Invalid):
            board.queries.output("nobody")


@pytest.mark.ledger("R-19")
def test_how_an_item_stands_for_whoever_makes_its_workspace() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        run_context = board.queries.run_context(run.run or "")
        assert (run_context.write, run_context.head, run_context.parent, run_context.live) == ("own", None, None, True)
        assert (run_context.branch, run_context.target, run_context.ends_here) == ("main", "main", False)
        board.bring(run, "split", work=change("src/a.py"), tasks=[{"title": "half"}])
        assert not board.queries.run_context(run.run or "").live
        task = board.queries.run_context(board.claim("d").run or "")
        assert (task.parent, task.parent_head, task.ends_here) == (item, "c1", True)
        with pytest.raises(Invalid):
            board.queries.run_context("nobody")


def test_what_was_proved_and_what_was_begun_is_known_to_the_next_landing() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        board.bring("d", work=change("src/a.py"))
        board.bring("ward", evidence=[Evidence(gate="ward", green=True, command=["true"], tree="t1")])
        board.effort("r", "done")
        lost = board.next(*ALL)
        board.engine.handle_run(lost, commands.RecordLanding(branch="main", old="o", new="n"))
        board.crash(lost)
        run_context = board.queries.run_context(board.next(*ALL).run or "")
        assert run_context.landing is not None and (run_context.landing.old, run_context.landing.new) == ("o", "n")
        assert (run_context.gates, run_context.proved, run_context.write) == (["ward"], {"t1": ["ward"]}, "none")


def test_pauses_are_shown_while_they_last() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        assert board.queries.pauses() == {"pauses": []}
        board.engine.handle_run(board.claim("d"), commands.PauseRun(why="429", seconds=60.0, work=Work()))
        board.engine.on_board(PERSON, commands.StopBoard(why="lunch"))
        shown = {one["what"]: one for one in board.queries.pauses()["pauses"]}
        assert (shown["pool:cheap"]["by"], shown["pool:cheap"]["why"]) == ("d", "429")
        assert (shown["all"]["by"], shown["all"]["until"]) == ("alice", None)
        board.sleep(61)
        assert [one["what"] for one in board.queries.pauses()["pauses"]] == ["all"]
