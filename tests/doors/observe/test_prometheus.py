"""What Prometheus reads, checked by a strict reader of its format."""

import threading
from pathlib import Path

import pytest

from folkmoot.api.gauges import Gauges
from folkmoot.core import commands
from folkmoot.core.flow import Agent, Column, Flow
from folkmoot.doors.observe.counters import Counters
from folkmoot.doors.observe.prometheus import render
from folkmoot.engine.registry import BY_NAME
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow, preset_flow
from tests.doors.conftest import Moot
from tests.doors.observe.exposition import parse

HARD = 'a "quoted"\\back\nslash, {x="y"} ü'
CANARY = "an-item-named-canary"


def worked() -> TrialBoard:
    board = TrialBoard(line_flow("plan", "build", ladder="small large"))
    for _ in range(3):
        board.add(CANARY)
    board.sleep(5)
    actor = board.claim("plan-agent", lease=600)
    board.sleep(60)
    board.report(actor, "done", usage={"input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5})
    board.effort("plan-agent", "done")
    asking = board.claim("build-agent")
    board.engine.act(asking, commands.AskPerson(question="Which?", options=["a", "b"]))
    board.sleep(7)
    return board


@pytest.mark.ledger("H-13")
def test_a_board_is_told_in_numbers_that_prometheus_reads() -> None:
    with worked() as board:
        found = parse(render(board.application.queries.gauges(), store_bytes=4096))
    assert found["moot_items"].value(column="plan", status="ready") == 1
    assert found["moot_items"].value(column="build", status="ready") == 1
    assert found["moot_runs_total"].value(agent="plan-agent", outcome="done", end="reported") == 2
    assert found["moot_tokens_total"].value(agent="plan-agent", model="small", kind="input") == 100
    assert found["moot_cost_usd_total"].value(agent="plan-agent", model="small") == 0.5
    assert found["moot_open_questions"].value() == 1
    assert found["moot_oldest_question_seconds"].value() == 7
    assert found["moot_queue_items"].value(agent="plan-agent") == 1
    assert found["moot_queue_oldest_ready_seconds"].value(agent="plan-agent") == 72
    assert found["moot_live_runs"].value(agent="build-agent") == 1
    assert found["moot_live_runs"].value(agent="plan-agent") == 0
    assert found["moot_leases"].value() == 1
    assert found["moot_rows"].value(of="items") == 3
    assert found["moot_store_bytes"].value() == 4096
    # The document's four, by their names.
    assert found["moot_time_per_agent_seconds_total"].value(agent="plan-agent") == 60
    assert found["moot_handoffs_per_workflow"].value(type="feature") == 0.5
    assert found["moot_fix_iterations"].value(type="feature") == 0
    assert found["moot_escalation_rate"].value() == 0.5


def test_what_is_unknown_is_left_out_and_never_zero() -> None:
    with TrialBoard(line_flow("plan")) as board:
        empty = parse(render(board.application.queries.gauges()))
        board.add()
        board.effort("plan-agent", "done", usage={"input_tokens": 1, "output_tokens": 1})
        found = parse(render(board.application.queries.gauges()))
    assert {"moot_cost_usd_total", "moot_tokens_total", "moot_escalation_rate", "moot_store_bytes"}.isdisjoint(empty)
    assert "moot_oldest_question_seconds" not in empty and "moot_next_lease_end_seconds" not in empty
    assert "moot_tokens_total" in found and "moot_cost_usd_total" not in found


def test_names_with_quotes_and_line_ends_come_back_as_they_were() -> None:
    flow = Flow(
        name=HARD,
        start=HARD,
        columns={HARD: Column(name=HARD, agents=[HARD], next="done"), "done": Column(name="done")},
        agents={HARD: Agent(name=HARD)},
    )
    with TrialBoard(flow) as board:
        board.add()
        found = parse(render(board.application.queries.gauges()))
    assert found["moot_items"].value(column=HARD, status="ready") == 1
    assert found["moot_flow_info"].value(flow=HARD) == 1


def test_no_label_names_an_item_and_the_page_does_not_grow_with_them() -> None:
    with TrialBoard(preset_flow("simple")) as board:
        board.add(CANARY)
        few = render(board.application.queries.gauges())
        [board.add(CANARY) for _ in range(200)]
        many = render(board.application.queries.gauges())
    assert CANARY not in many
    assert len(few.splitlines()) == len(many.splitlines())


def test_a_paused_board_says_so() -> None:
    with TrialBoard() as board:
        board.application.engine.on_board(PERSON, commands.StopBoard(why="night"))
        found = parse(render(board.application.queries.gauges()))
    assert found["moot_paused"].value(what="all") == 1


def gauges() -> Gauges:
    with TrialBoard() as board:
        return board.application.queries.gauges()


def test_requests_are_counted_by_call_and_status_and_how_long_they_took() -> None:
    counters = Counters(BY_NAME)
    for seconds in (0.001, 0.005, 0.3, 60.0):
        counters.request("show", 200, seconds)
    counters.request("claim", 409, 0.02)
    counters.streams(1)
    counters.streams(1)
    counters.streams(-1)
    found = parse(render(gauges(), counters.counted()))
    assert found["moot_http_requests_total"].value(call="show", status="200") == 4
    assert found["moot_http_requests_total"].value(call="claim", status="409") == 1
    took = {
        (one.name.rpartition("_")[2], dict(one.labels).get("le")): one.value
        for one in found["moot_http_request_duration_seconds"].samples
        if dict(one.labels)["call"] == "show"
    }
    assert took["bucket", "0.005"] == 2 and took["bucket", "0.5"] == 3 and took["bucket", "+Inf"] == 4
    assert took["count", None] == 4 and took["sum", None] == pytest.approx(60.306)
    assert found["moot_event_streams"].value() == 1


def test_a_path_that_somebody_made_up_becomes_no_label() -> None:
    counters = Counters(BY_NAME)
    for number in range(1000):
        counters.request(f"/made/up/{number}", 404, 0.0)
    found = parse(render(gauges(), counters.counted()))
    assert found["moot_http_requests_total"].value(call="other", status="404") == 1000
    assert len(found["moot_http_requests_total"].samples) == 1


def test_threads_lose_no_count() -> None:
    counters = Counters(BY_NAME)

    def many() -> None:
        for _ in range(2000):
            counters.request("show", 200, 0.01)

    threads = [threading.Thread(target=many) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert counters.counted().requests == (("show", 200, 8000),)


def test_the_command_line_tells_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moot = Moot(tmp_path, capsys, monkeypatch)
    moot("init", "--preset", "simple")
    moot("add", "An item")
    found = parse(moot("metrics", "--prometheus").out)
    assert found["moot_rows"].value(of="items") == 1
    assert moot("metrics", "--prometheus", "--json", code=2).error["code"] == "bad_usage"


@pytest.mark.parametrize(
    "wrong",
    [
        "# HELP a b\n# TYPE a gauge\na 1",
        "# HELP a b\n# TYPE a gauge\na one\n",
        "# HELP a b\n# TYPE a gauge\nb 1\n",
        "# HELP a b\n# TYPE a counter\na 1\n",
        '# HELP a b\n# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n',
        '# HELP a b\n# TYPE a gauge\na{x="1"y"} 1\n',
        "# HELP a b\n# TYPE a gauge\n",
        '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    ],
)
def test_the_strict_reader_is_strict(wrong: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        parse(wrong)
