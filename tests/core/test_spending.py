"""What runs have used up: counted while they work, once only, and the budgets that end a run under way."""

from typing import Any

import pytest
from msgspec.structs import replace

from folkmoot.core.commands import CancelItem, PauseRun, ReleaseRun, RenewRun, ResumeBoard, StopRun
from folkmoot.core.flow import Agent, Budget, Column, Flow, Model, Price, Rung
from folkmoot.core.records import Run, Window
from folkmoot.core.report import Usage
from folkmoot.core.rules.running.budgets import Left, allowance
from folkmoot.core.rules.running.spending import TOKENS_MAX, USD_MAX, money_of, priced, tokens_of
from folkmoot.core.work import Touched, Work
from folkmoot.testing.builders import PERSON, SoundBoard

FLOW = Flow(
    name="f",
    start="dev",
    columns={"dev": Column(name="dev", agents=["d"], next="done")},
    agents={"d": Agent(name="d", ladder=[Rung(0, None, "opus")])},
    models={"opus": Model(pool="p")},
)


def flow(price: Price | None = None, **most: Any) -> Flow:
    return replace(FLOW, models={"opus": Model(pool="p", price=price)}, budget=Budget(**most))


def usage(tokens: int, usd: float | None = None) -> Usage:
    return Usage(input_tokens=tokens, output_tokens=0, cost_usd=usd)


def line(board: SoundBoard, by: str = "item") -> Any:
    return board.application.queries.usage(by=by).total


@pytest.mark.parametrize(
    ("seconds", "said"), [(1, "1 second"), (1.2, "1 second"), (60, "60 seconds"), (180, "3 minutes")]
)
def test_a_time_is_said_as_people_count(seconds: float, said: str) -> None:
    assert allowance(flow(item_time=seconds)) == said


@pytest.mark.attack(
    "limits",
    "a client, or an agent in its stead, tells of more tokens than a number can hold, or of a fortune",
    "it counts as more than any run uses: budgets end the run, and every row can be read",
)
@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("told", [Usage(input_tokens=2**53), Usage(input_tokens=2**62, output_tokens=2**62)], ids=str)
@pytest.mark.parametrize("price", [None, Price(input=3.0, output=15.0)], ids=["no price", "a price"])
def test_a_forged_number_counts_as_the_most_there_can_be(told: Usage, price: Price | None) -> None:
    with SoundBoard(flow(price, item_tokens=1_000_000)) as board:
        items = [board.add() for _ in range(3)]
        for item in items:
            run = board.claim("d", item=item)
            board.engine.handle_run(run, RenewRun(usage=told))
            counted = board.application.queries.run_context(run.run or "")
            assert counted.live and board.item(item).span.tokens >= TOKENS_MAX
            assert board.application.queries.left(run.run or "").ends()
            board.report(run, "incomplete", usage={"input_tokens": 2**62, "cost_usd": 1e6})
            assert board.item(item).span.tokens <= 2 * TOKENS_MAX and board.item(item).span.usd <= USD_MAX
        assert len(board.application.queries.usage(by="item").lines) == 3 and board.wrong() == []


def test_what_a_run_tells_in_the_middle_counts_and_is_not_counted_again_with_its_report() -> None:
    with SoundBoard(flow(item_usd=100.0)) as board:
        item = board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(1000, 0.5)))
        assert line(board).cost_usd == 0.5 and line(board).running == 1
        board.engine.act(claim, RenewRun(usage=usage(3000, 1.5)))
        board.engine.act(claim, RenewRun())
        board.report(claim, "done", usage={"input_tokens": 4000, "output_tokens": 0, "cost_usd": 2.0})
        assert board.show(item)["cost_usd"] == 2.0
        assert (line(board).input_tokens, line(board).cost_usd, line(board).running) == (4000, 2.0, 0)


@pytest.mark.parametrize("end", ["released", "lapsed", "paused", "cancelled"])
def test_a_run_that_never_reports_counts_as_far_as_it_has_told(end: str) -> None:
    with SoundBoard(flow(item_usd=100.0, day_usd=100.0)) as board:
        item = board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(1000, 0.5)))
        match end:
            case "released":
                board.engine.act(claim, ReleaseRun())
            case "paused":
                board.engine.act(claim, PauseRun(why="429", seconds=60.0))
            case "cancelled":
                board.on(item, CancelItem())
            case "lapsed":
                board.sleep(3600)
                board.add("another: what is due is applied")
        assert (line(board).input_tokens, line(board).cost_usd, line(board).runs) == (1000, 0.5, 1)
        assert board.application.queries.usage().budgets[0].used == 0.5


def test_what_nobody_can_tell_is_unknown_and_never_nothing() -> None:
    with SoundBoard(flow()) as board:
        item = board.add()
        board.report(board.claim("d"), "done", usage={"input_tokens": 5, "output_tokens": 5, "cost_usd": 0.0})
        assert board.show(item)["cost_usd"] is None and board.show(item)["runs"][0]["cost_usd"] is None
        total = line(board)
        assert total.cost_usd is None and total.unpriced == 1 and total.untold == 0


def test_a_price_of_the_flow_comes_before_what_the_client_says() -> None:
    price = Price(input=3.0, output=15.0, cached=0.3)
    told = Usage(input_tokens=1_000_000, cached_tokens=500_000, output_tokens=100_000, cost_usd=99.0)
    assert priced(flow(price), "opus", told).cost_usd == pytest.approx(1.5 + 0.15 + 1.5)
    assert priced(flow(), "opus", told).cost_usd == 99.0
    assert priced(flow(Price(input=0.0, output=0.0)), "opus", told).cost_usd == 0.0  # it is known to be free
    assert priced(flow(price), "other", replace(told, cost_usd=0.0)).cost_usd is None
    assert priced(flow(price), "opus", Usage(cost_usd=2.0)).cost_usd == 2.0


def test_boards_of_older_versions_tell_no_cost_where_they_have_none() -> None:
    run = Run(id="r", item="1", token=1, agent="d", column="dev", lease_until=0, lease=1)
    assert money_of(run) is None and tokens_of(run) is None and money_of(replace(run, cost_usd=0.5)) == 0.5


def test_left_ends_a_run_once_any_budget_is_used_up() -> None:
    assert not Left().ends(usage(10**9, 10.0**6))
    assert Left(usd=1.0).ends(usage(0, 1.0)) and not Left(usd=1.0).ends(usage(10**9, 0.99))
    assert Left(tokens=10).ends(usage(10)) and Left(seconds=0.0).ends() and not Left(seconds=1.0).ends()


def test_what_is_left_is_the_least_of_item_and_day() -> None:
    with SoundBoard(flow(item_usd=2.0, day_usd=1.0, item_tokens=100)) as board:
        board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(30, 0.25)))
        assert board.application.queries.left(str(claim.run)) == Left(usd=0.75, tokens=70)


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize(
    ("most", "told"), [({"item_usd": 1.0}, "$1.20 of $1.00"), ({"item_tokens": 500}, "1,000 of 500 tokens")]
)
def test_a_run_that_has_used_up_its_items_budget_ends_with_its_work_kept_and_a_person_is_asked(
    most: dict[str, Any], told: str
) -> None:
    with SoundBoard(flow(**most)) as board:
        item = board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(1000, 1.2)))
        assert board.application.queries.left(str(claim.run)).ends()
        board.engine.act(claim, StopRun(work=Work(touched=[Touched("a.py")], commit="c" * 40)))
        view = board.show(item)
        assert view["head"] == "c" * 40 and view["failure_count"] == 0
        [question] = board.queries.inbox()["questions"]
        assert question["kind"] == "budget" and told in question["question"]
        assert "used so far: 1 run, 1,000 tokens, $1.20; what they made is kept" in question["context"]
        board.answer(question["id"], "go on")
        assert board.application.queries.left(str(board.claim("d").run)).ends() is False
        assert [e["event"] for e in board.log() if e["event"].startswith("run_")] == ["run_stopped"]


@pytest.mark.ledger("R-07")
def test_a_days_budget_ends_every_run_and_no_item_is_asked_about() -> None:
    with SoundBoard(flow(day_usd=1.0)) as board:
        first, second = board.add(), board.add()
        one, other = board.claim("d"), board.claim("d")
        board.engine.act(one, RenewRun(usage=usage(10, 1.5)))
        assert board.application.queries.left(str(other.run)).ends()
        for claim in (one, other):
            board.engine.act(claim, StopRun())
        assert board.inbox() == [] and board.show(first)["status"] == board.show(second)["status"] == "ready"
        assert "the day's budget is spent" in board.show(second)["why"]


def test_a_person_who_lets_today_go_on_lets_the_runs_under_way_go_on_too() -> None:
    with SoundBoard(flow(day_usd=1.0)) as board:
        board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(10, 1.5)))
        board.engine.on_board(PERSON, ResumeBoard())
        assert board.application.queries.left(str(claim.run)) == Left()


def test_a_stop_for_a_budget_that_was_raised_meanwhile_asks_nobody() -> None:
    with SoundBoard(flow(item_usd=1.0)) as board:
        item = board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(usage=usage(10, 1.5)))
        board.adopt(flow(item_usd=9.0))
        board.engine.act(claim, StopRun())
        assert board.inbox() == [] and board.show(item)["status"] == "ready"


def test_minutes_are_counted_while_a_run_works() -> None:
    with SoundBoard(flow(item_time=600.0)) as board:
        board.add()
        claim = board.claim("d", lease=3600.0)
        board.sleep(400)
        board.engine.act(claim, RenewRun())
        assert board.application.queries.left(str(claim.run)).seconds == pytest.approx(200.0, abs=1)
        board.sleep(201)
        board.engine.act(claim, RenewRun())
        assert board.application.queries.left(str(claim.run)).ends()


def test_windows_of_a_quota_are_shown_as_they_were_last_told() -> None:
    with SoundBoard(flow()) as board:
        board.add()
        claim = board.claim("d")
        board.engine.act(claim, RenewRun(windows=[Window("five hour", 0.7, 1_800_000_000_000, "allowed_warning")]))
        [window] = board.application.queries.usage().windows
        assert (window.pool, window.window, window.used) == ("p", "five hour", 0.7)
        assert window.resets_at is not None and window.resets_at.startswith("2027-01-15")


@pytest.mark.parametrize("by", ["item", "run", "agent", "model", "pool", "day"])
def test_the_lines_add_up_to_the_whole_however_it_is_told(by: str) -> None:
    with SoundBoard(flow()) as board:
        for usd in (0.5, None, 0.25):
            board.add()
            board.report(board.claim("d"), "done", usage={"input_tokens": 10, "output_tokens": 1, "cost_usd": usd})
        view = board.application.queries.usage(by=by)
        assert sum(one.runs for one in view.lines) == view.total.runs == 3
        assert sum(one.cost_usd or 0 for one in view.lines) == view.total.cost_usd == 0.75
        assert sum(one.input_tokens for one in view.lines) == 30 and view.total.unpriced == 1
