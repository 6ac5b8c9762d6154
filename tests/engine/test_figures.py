"""Figures for plots: waits apart from work, days without a gap, and never more than is drawn."""

from typing import Any

import pytest

from folkmoot.core.flow import LEASE_MAX
from folkmoot.engine.reads.plots import figures
from folkmoot.errors import Invalid
from folkmoot.testing.builders import TrialBoard, line_flow

HOUR, DAY = 3600.0, 86_400.0
FLOW = line_flow("dev", "review", lease=LEASE_MAX)


def run_of(found: dict[str, Any], agent: str) -> dict[str, Any]:
    return next(run for run in found["runs"] if run["agent"] == agent)


def test_the_wait_before_a_run_is_told_apart_from_its_work() -> None:
    with TrialBoard(FLOW) as board:
        item = board.add("Count the days")
        board.sleep(HOUR)
        dev = board.claim("dev-agent")
        board.sleep(HOUR / 2)
        board.report(dev, "done", usage={"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.5})
        board.sleep(3 * HOUR)
        board.effort("review-agent", "done")
        found = board.queries.figures("7d")
        made, looked = run_of(found, "dev-agent"), run_of(found, "review-agent")
        assert (made["waited_seconds"], made["seconds"]) == (HOUR, HOUR / 2)
        assert (looked["waited_seconds"], looked["asked_seconds"]) == (3 * HOUR, 0.0)
        assert (made["cost_usd"], made["tokens"]) == (0.5, 15)
        assert (looked["cost_usd"], looked["tokens"]) == (None, None), "what nobody told is unknown, and not nothing"
        assert found["titles"] == {item: "Count the days"} and found["slots"] == FLOW.limits.slots
        columns = {one["column"]: one for one in found["columns"]}
        assert list(columns) == ["dev", "review"]
        assert (columns["dev"]["worked_seconds"], columns["dev"]["waited_seconds"]) == (HOUR / 2, HOUR)
        assert columns["review"]["waited_seconds"] == 3 * HOUR and columns["review"]["items"] == 1


def test_the_time_a_person_was_asked_is_not_the_queue_s() -> None:
    with TrialBoard(FLOW) as board:
        board.add()
        board.effort("dev-agent", "asks", question={"question": "Which?", "options": [{"option": "a"}]})
        board.sleep(5 * HOUR)
        board.answer("q1", "a")
        board.sleep(HOUR)
        board.effort("dev-agent", "done")
        found = board.queries.figures("1d")
        second = found["runs"][1]
        assert (second["waited_seconds"], second["asked_seconds"]) == (6 * HOUR, 5 * HOUR)
        dev = found["columns"][0]
        assert (dev["asked_seconds"], dev["waited_seconds"]) == (5 * HOUR, HOUR)
        assert sum(day["asked"] for day in found["days"]) == 1


def test_an_open_question_and_a_run_that_goes_on_count_so_far() -> None:
    with TrialBoard(FLOW) as board:
        board.add("Asks")
        board.effort("dev-agent", "asks", question={"question": "Which?"})
        board.add("Runs")
        board.claim("dev-agent")
        board.sleep(HOUR / 2)
        found = board.queries.figures("1d")
        live = found["runs"][-1]
        assert live["ended_at"] is None and live["seconds"] == HOUR / 2
        assert found["columns"][0]["asked_seconds"] == HOUR / 2


def test_every_day_is_there_and_an_item_landed_on_the_day_of_its_last_run() -> None:
    with TrialBoard(FLOW) as board:
        board.add("First")
        board.effort("dev-agent", "done")
        board.sleep(2 * DAY)
        board.effort("review-agent", "done")
        board.add("Second")
        board.effort("dev-agent", "done")
        days = board.queries.figures("4d")["days"]
        assert [day["landed"] for day in days] == [0, 0, 0, 0, 1]
        assert [day["added"] for day in days] == [0, 0, 1, 0, 1]
        assert len({day["day"] for day in days}) == 5


def test_what_ended_before_is_left_out_and_what_is_clipped_counts_since_then() -> None:
    with TrialBoard(FLOW) as board:
        board.add()
        board.effort("dev-agent", "done")
        board.sleep(3 * DAY)
        board.effort("review-agent", "done")
        found = board.queries.figures("1d")
        assert [run["agent"] for run in found["runs"]] == ["review-agent"]
        assert found["columns"][0]["waited_seconds"] == DAY, "of three days of waiting one lies in the time asked for"


def test_the_newest_runs_are_kept_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "RUNS_MAX", 2)
    with TrialBoard(FLOW) as board:
        for number in range(3):
            board.add(f"Item {number}")
            board.effort("dev-agent", "done")
            board.sleep(60)
        found = board.queries.figures("1d")
        assert found["left_out"] == 1 and [run["item"] for run in found["runs"]] == ["2", "3"]


def test_items_behind_more_than_a_page_of_others_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "PAGE", 2)
    with TrialBoard(FLOW) as board:
        for number in range(5):
            board.add(f"Item {number}")
        assert sum(day["added"] for day in board.queries.figures("1d")["days"]) == 5


@pytest.mark.parametrize("since", ["soon", "9000d", "1970-01-01"])
def test_a_beginning_that_is_none_is_refused(since: str) -> None:
    with TrialBoard(FLOW) as board, pytest.raises(Invalid) as refused:
        board.application.queries.figures(since)
    assert refused.value.code == "bad_span"
