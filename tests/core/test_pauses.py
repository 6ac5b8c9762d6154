"""What begins no runs for a while: pools without quota, stop and go, budgets of days and items, the rate of starts."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.flow import Budget, Flow
from folkmoot.errors import Invalid, NothingToDo, Refused
from folkmoot.testing.builders import PERSON, SoundBoard, TrialBoard, change, limited, small_flow

ASKED = "awaiting-divine-guidance"
DAY = 86_400.0
FLOW = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents:
  d: {ladder: {0: small, 1+: large}}
  r: {write: none}
gates: {ward: {run: ["true"]}}
models: {small: {pool: cheap}, large: {pool: dear}}
pools: {cheap: {slots: 9}, dear: {slots: 9}}
""")


def with_budget(**most: Any) -> Flow:
    return replace(FLOW, budget=Budget(**most))


def pause(board: TrialBoard, run: Actor, seconds: float | None = None, **more: Any) -> None:
    board.engine.handle_run(run, commands.PauseRun(why="429", seconds=seconds, **more))


def ends(board: TrialBoard) -> dict[str, float]:
    """What is paused, and for how much longer."""
    now = board.engine.store.read(lambda reading: reading.head().time)
    pauses = board.engine.store.read(lambda reading: reading.pauses())
    return {one.id: round((one.until or now) - now) for one in pauses if one.on}


@pytest.mark.ledger("R-07")
def test_a_pool_without_quota_pauses_and_nothing_is_counted() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        before = board.item(item)
        pause(board, board.claim("d"))
        row = board.item(item)
        assert (row.status, row.effort, row.failures, row.attempt_count) == ("ready", before.effort, {}, 0)
        assert ends(board) == {"pool:cheap": 300}
        with pytest.raises(NothingToDo):
            board.claim("d")
        board.sleep(300)
        assert board.claim("d").run is not None


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(("said", "waits"), [(None, 300), (42.0, 42), (0.0, 1), (1e12, 7 * 86_400)])
def test_the_pause_ends_when_the_client_says_and_never_far_away(said: float | None, waits: int) -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        pause(board, board.claim("d"), said, shown=True)
        assert ends(board) == {"pool:cheap": waits}


@pytest.mark.attack("pauses", "words alone say that a quota is back in a month", "the pool pauses for an hour at most")
@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(("said", "waits"), [(42.0, 42), (3_600.0, 3_600), (30 * DAY, 3_600), (1e12, 3_600)])
def test_words_alone_pause_a_pool_for_an_hour_at_most(said: float, waits: int) -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        board.add()
        runs = [board.claim("d"), board.claim("d")]
        for run in runs:
            pause(board, run, said)
            assert ends(board) == {"pool:cheap": waits} and board.inbox() == []


@pytest.mark.ledger("R-07")
def test_a_long_pause_asks_once_for_the_pool_and_the_item_goes_on_by_itself() -> None:
    with SoundBoard(FLOW) as board:
        items = [board.add(), board.add(), board.add()]
        runs = [board.claim("d") for _ in items]
        pause(board, runs[0], 6 * 3_600, shown=True)
        assert board.inbox() == []
        for run in runs[1:]:
            pause(board, run, 3 * DAY, shown=True)
        assert len(board.inbox()) == 1 and ends(board) == {"pool:cheap": 3 * DAY}
        assert [board.place(item)[1] for item in items] == ["ready"] * 3
        board.sleep(3 * DAY)
        assert board.claim("d").run is not None


@pytest.mark.attack("pauses", "a forged event of the client pauses a pool for a week", "a person is asked and ends it")
@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("answered", [True, False])
def test_a_person_ends_the_pause_of_one_pool(answered: bool) -> None:
    with SoundBoard(FLOW) as board:
        other, first = board.add("b"), board.add("a")
        board.effort("d", "failed", item=other, attempts=[{"approach": "this"}])
        runs = [board.claim("d", item=first), board.claim("d", item=other)]
        for run in runs:
            pause(board, run, 5 * DAY, shown=True)
        assert set(ends(board)) == {"pool:cheap", "pool:dear"} and len(board.inbox()) == 2
        if answered:
            (question,) = board.item(first).open_questions
            board.answer(question, "try it now")
        else:
            with pytest.raises(Invalid, match="is not paused"):
                board.engine.on_board(PERSON, commands.ResumeBoard(pool="nobody"))
            board.engine.on_board(PERSON, commands.ResumeBoard(pool="cheap"))
        assert set(ends(board)) == {"pool:dear"}
        assert board.claim("d").run == board.item(first).run


@pytest.mark.ledger("R-07")
def test_a_pool_that_stays_empty_asks_once_while_nobody_answers() -> None:
    with SoundBoard(FLOW) as board:
        for _ in range(5):
            board.add()
        for _ in range(5):
            pause(board, board.claim("d"))
            board.sleep(3_600)
        assert len(board.inbox()) == 1
        board.answer(board.inbox()[0])
        pause(board, board.claim("d"))
        assert len(board.inbox()) == 1


@pytest.mark.ledger("R-07")
def test_an_unknown_reset_is_waited_for_twice_as_long_each_time_and_a_third_asks() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        waits = []
        for _ in range(6):
            pause(board, board.claim("d"))
            waits.append(ends(board)["pool:cheap"])
            assert (board.place(item)[1] == ASKED) == (len(waits) >= 3)
            if len(waits) >= 3:
                board.answer(board.inbox()[0], "wait until then")
            board.sleep(waits[-1])
        assert waits == [300, 600, 1200, 2400, 3600, 3600]


@pytest.mark.ledger("R-07")
def test_a_run_that_reports_begins_the_count_again() -> None:
    with SoundBoard(FLOW) as board:
        for _ in range(3):
            board.add()
        for _ in range(2):
            pause(board, board.claim("d"))
            board.sleep(3600)
        board.effort("d", "done")
        pause(board, board.claim("d"))
        assert ends(board) == {"pool:cheap": 300} and board.inbox() == []


@pytest.mark.ledger("R-07")
def test_runs_that_meet_the_same_empty_pool_at_once_are_one_pause() -> None:
    with SoundBoard(FLOW) as board:
        for _ in range(4):
            board.add()
        runs = [board.claim("d") for _ in range(4)]
        for run in runs[:3]:
            pause(board, run)
        assert ends(board) == {"pool:cheap": 300} and board.inbox() == []
        pause(board, runs[3], 900)  # one of them knows better
        assert ends(board) == {"pool:cheap": 900}


@pytest.mark.ledger("R-07")
def test_another_pool_and_gates_go_on() -> None:
    with SoundBoard(FLOW) as board:
        first, second, third = board.add("a"), board.add("b"), board.add("c")
        board.effort("d", "done")
        board.effort("d", "failed", attempts=[{"approach": "this"}])
        pause(board, board.claim("d", item=third))
        assert board.claim("d").run == board.item(second).run  # its failure brought it to another model's pool
        board.effort("ward", "done")
        assert board.place(first) == ("look", "ready")
        board.effort("r", "done")


def test_an_agents_own_word_for_quota_is_a_passing_fault() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "failed", cause="quota")
        assert ends(board) == {} and board.item(item).effort.executions == 1


def test_a_gate_has_no_quota_to_lose() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        pause(board, board.claim("ward"))
        assert ends(board) == {} and board.item(item).effort.executions == 1


@pytest.mark.ledger("Q-03", "R-19")
@pytest.mark.parametrize(("path", "head"), [("src/a.py", "c1"), ("src/b.py", None), (".git/config", None)])
def test_work_of_a_paused_run_is_kept_if_it_may_be_made_at_all(path: str, head: str | None) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add(files=["src/a.py"])
        pause(board, board.claim("d"), work=change(path))
        assert board.item(item).head == head and board.place(item) == ("dev", "ready")


# Stop and go


def test_a_stopped_board_begins_nothing_and_lets_what_runs_end() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("d")
        stopped = board.engine.on_board(PERSON, commands.StopBoard(why="the bill"))
        assert [one["what"] for one in stopped["pauses"]] == ["all"]
        board.engine.on_board(PERSON, commands.StopBoard(why="again"))
        board.report(run, "done")
        assert board.place(item) == ("dev", "proving")
        for claim in (lambda: board.claim("ward"), lambda: board.next("ward", "d"), lambda: board.claim("d")):
            with pytest.raises(Refused) as caught:
                claim()
            assert caught.value.code == "stopped" and "the bill" in caught.value.message
        assert board.engine.on_board(PERSON, commands.ResumeBoard()) == {"pauses": []}
        board.effort("ward", "done")


def test_go_ends_every_pause() -> None:
    with SoundBoard(with_budget(day_usd=1.0)) as board:
        board.add()
        board.add()
        pause(board, board.claim("d"))
        board.engine.on_board(PERSON, commands.StopBoard())
        board.engine.on_board(PERSON, commands.ResumeBoard())
        assert ends(board) == {}
        board.effort("d", "done", usage={"cost_usd": 2.0})
        assert list(ends(board)) == ["day"]
        board.engine.on_board(PERSON, commands.ResumeBoard())
        board.effort("d", "done", usage={"cost_usd": 2.0})
        assert ends(board) == {}  # a person has let them go on today


def test_only_people_stop_the_board() -> None:
    with SoundBoard(FLOW) as board:
        board.add()
        run = board.claim("d")
        with pytest.raises(Refused) as caught:
            board.engine.on_board(run, commands.StopBoard())
        assert caught.value.code == "only_people"


# Budgets


@pytest.mark.parametrize(
    ("most", "usage", "minutes"),
    [
        ({"day_usd": 2.0}, {"cost_usd": 1.0}, 0),
        ({"day_tokens": 200}, {"input_tokens": 60, "output_tokens": 40}, 0),
        ({"day_time": 1200.0}, {}, 10),
    ],
)
def test_a_spent_day_begins_no_agents_before_the_next(most: Any, usage: Any, minutes: int) -> None:
    with SoundBoard(with_budget(**most)) as board:
        for _ in range(3):
            board.add()
        for count in range(2):
            assert ends(board) == {}, count
            run = board.claim("d", lease=3600)
            board.sleep(60 * minutes)
            board.report(run, "done", usage=usage)
        left = ends(board)["day"]
        assert 0 < left <= DAY
        with pytest.raises(NothingToDo) as caught:
            board.claim("d")
        assert caught.value.code == "budget_spent"
        with pytest.raises(NothingToDo):
            board.next("d", "r")
        board.effort("ward", "done")  # gates cost nothing
        assert "budget_spent" in [event["event"] for event in board.log()]
        board.sleep(left)
        board.effort("d", "done", usage=usage)
        assert ends(board).get("day", left) == left or board.claim("r").run  # a new day has a budget of its own


def test_a_larger_budget_ends_the_wait() -> None:
    with SoundBoard(with_budget(day_usd=1.0)) as board:
        board.add()
        board.add()
        board.effort("d", "done", usage={"cost_usd": 1.0})
        with pytest.raises(NothingToDo):
            board.claim("d")
        board.adopt(with_budget(day_usd=5.0))
        board.claim("d")


@pytest.mark.parametrize(
    ("most", "usage", "minutes"),
    [
        ({"item_usd": 2.0}, {"cost_usd": 1.0}, 0),
        ({"item_tokens": 200}, {"input_tokens": 60, "output_tokens": 40}, 0),
        ({"item_time": 1200.0}, {}, 10),
    ],
)
def test_an_item_that_used_up_its_budget_asks_and_guidance_gives_it_another(
    most: Any, usage: Any, minutes: int
) -> None:
    with SoundBoard(with_budget(**most)) as board:
        item = board.add()
        for round_ in range(2):
            for count in range(2):
                assert board.place(item) == ("dev", "ready"), (round_, count)
                run = board.claim("d", lease=3600)
                board.sleep(60 * minutes)
                board.report(run, "incomplete", usage=usage)
            assert board.place(item) == ("dev", ASKED)
            board.answer(board.inbox()[0])
        assert board.item(item).span.usd == 0 and board.item(item).cost_usd == 4 * usage.get("cost_usd", 0)


def test_a_wrong_clock_spends_no_time() -> None:
    with SoundBoard(with_budget(item_time=600.0)) as board:
        item = board.add()
        run = board.claim("d")
        board.clock.set_wall(2 * DAY)
        board.report(run, "incomplete")
        assert board.item(item).span.seconds < 60 and board.place(item) == ("dev", "ready")


# The rate of starts


@pytest.mark.ledger("R-33")
@settings(max_examples=40, deadline=None)
@given(
    most=st.integers(1, 4),
    window=st.sampled_from([10.0, 60.0]),
    pauses=st.lists(st.floats(0, 40), min_size=1, max_size=25),
)
def test_no_window_has_more_starts_than_the_flow_allows(most: int, window: float, pauses: list[float]) -> None:
    flow = limited(small_flow("{columns: {a: {agents: [x], next: done}}, agents: {x: {}}}"), starts=most, window=window)
    begun: list[float] = []
    with TrialBoard(flow) as board:
        for _ in range(len(pauses)):
            board.add()
        for seconds in pauses:
            board.sleep(seconds)
            recent = [
                at for at in begun if at + window > board.clock.time
            ]  # in one order: sums of fractions are rounded
            if len(recent) >= most:
                with pytest.raises(NothingToDo):
                    board.claim("x", lease=3600)
            else:
                board.claim("x", lease=3600)
                begun.append(board.clock.time)
    for at in begun:
        assert sum(at < other + window and other <= at for other in begun) <= most


def test_the_rate_is_of_one_agent_and_of_no_gate() -> None:
    with SoundBoard(limited(FLOW, starts=1, window=60.0)) as board:
        board.add()
        board.add(column="look")
        board.effort("d", "done")
        with pytest.raises(NothingToDo) as caught:
            board.claim("d")
        assert caught.value.code == "too_many_starts"
        board.effort("ward", "done")
        board.effort("r", "done")
        board.sleep(60)
        with pytest.raises(NothingToDo) as caught:
            board.claim("d")
        assert caught.value.code == "nothing_ready"


def test_a_gate_that_meets_an_outage_is_tried_again_after_growing_pauses_and_nothing_is_counted() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("d", "done")
        for seconds in (10.0, 30.0, 90.0, 270.0, 300.0, 300.0):
            gate = board.claim("ward")
            board.application.engine.act(gate, commands.PauseRun(why="the remote is away", cause="outage"))
            assert board.place(item) == ("dev", "proving")
            board.sleep(seconds - 1)
            with pytest.raises(NothingToDo):
                board.claim("ward")
            board.sleep(1)
        assert board.item(item).effort.executions == 0
        assert board.show(item)["questions"] == []
        board.effort("ward", "done")
        assert board.place(item)[0] == "look"
