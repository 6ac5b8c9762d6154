"""Traces, sent for real to a receiver on loopback: once each, in order, from where it left off; dead or alive."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.doors.observe.spans import item_span, run_span, trace_id
from folkmoot.engine.application import Application
from folkmoot.engine.reads.history import History
from folkmoot.errors import Unavailable
from folkmoot.testing.builders import PERSON, report
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.observing.telemetry import FILE, Telemetry, board_id
from tests.doors.observe.collector import Collector, told

SOURCE = Path(__file__).parents[3] / "src"
FLOW = "flow: small\nstart: dev\ncolumns: {dev: {agents: [dev], next: done}}\nagents: {dev: {}}\n"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".moot").mkdir(parents=True)
    (tmp_path / ".moot" / "flow.yaml").write_text(FLOW)
    board = FileBoards().create(str(tmp_path), "simple")
    yield board
    board.close()


def effort(board: Application, title: str = "A title") -> tuple[str, str]:
    """An item that is done, and its run."""
    item = board.engine.add(PERSON, commands.AddItem(title=title)).id
    claim = board.engine.claim(PERSON, "dev", item=item, show=False)
    said = report("done", summary="so it is", usage={"input_tokens": 5, "output_tokens": 2})
    board.engine.act(Actor("dev", claim.run, claim.token), commands.ReportRun(report=said, final=True))
    return item, claim.run


@contextmanager
def sending(board: Application, collector: Collector, **how: object) -> Iterator[Telemetry]:
    telemetry = Telemetry(board, endpoint=collector.endpoint, pause=0.01, **how)  # type: ignore[arg-type]
    telemetry.start()
    try:
        yield telemetry
    finally:
        telemetry.close()


def test_a_collector_gets_one_trace_for_an_item_and_one_span_for_its_run(board: Application) -> None:
    with Collector() as collector, sending(board, collector):
        item, run = effort(board)
        collector.wait(spans=2)
    known = board_id(History(board.engine.store))
    first, second = collector.spans
    assert [span.name for span in collector.spans] == ["invoke_agent dev", "item"]
    assert {span.trace_id for span in collector.spans} == {trace_id(known, item).to_bytes(16, "big")}
    assert first.span_id == run_span(known, run).to_bytes(8, "big")
    assert first.parent_span_id == second.span_id == item_span(known, item).to_bytes(8, "big")
    assert second.parent_span_id == b""
    assert told(first)["gen_ai.usage.input_tokens"] == 5 and told(first)["gen_ai.agent.name"] == "dev"
    assert told(second)["moot.title"] == "A title"
    assert first.start_time_unix_nano <= first.end_time_unix_nano <= second.end_time_unix_nano
    assert collector.resources[0]["service.name"] == "folkmoot"
    assert collector.resources[0]["moot.board"] == known


def test_a_restart_goes_on_where_it_was_and_sends_nothing_twice(board: Application) -> None:
    with Collector() as collector:
        with sending(board, collector):
            effort(board)
            collector.wait(spans=2)
        _, run = effort(board, "while nobody sends")
        begun = board.engine.add(PERSON, commands.AddItem(title="begun before")).id
        claim = board.engine.claim(PERSON, "dev", item=begun, show=False)
        with sending(board, collector):
            collector.wait(spans=4)
            said = commands.ReportRun(report=report("done", summary="x"), final=True)
            board.engine.act(Actor("dev", claim.run, claim.token), said)
            collector.wait(spans=6)
        with sending(board, collector):
            pass
    assert len(collector.spans) == len({span.span_id for span in collector.spans}) == 6
    known = board_id(History(board.engine.store))
    ids = [span.span_id for span in collector.spans]
    assert ids[2] == run_span(known, run).to_bytes(8, "big")
    assert ids[4] == run_span(known, claim.run).to_bytes(8, "big"), "begun before the restart, ended after it"


def test_two_exporters_make_the_same_spans(board: Application) -> None:
    with Collector() as one, Collector() as other:
        with sending(board, one), sending(board, other):
            [effort(board, f"item {number}") for number in range(5)]
            one.wait(spans=10)
            other.wait(spans=10)
        assert [span.SerializeToString() for span in one.spans] == [span.SerializeToString() for span in other.spans]


def test_what_was_sent_and_not_noted_is_sent_again_as_the_same_spans(board: Application) -> None:
    """As after a kill between the two."""
    with Collector() as collector:
        with sending(board, collector):
            effort(board)
            collector.wait(spans=2)
        Path(board.board_dir, FILE).unlink()
        with sending(board, collector, whole=True):
            collector.wait(spans=4)
    first, again = collector.spans[:2], collector.spans[2:]
    assert [span.SerializeToString() for span in first] == [span.SerializeToString() for span in again]


def test_a_collector_that_is_down_stops_nothing_and_gets_everything_in_order_later(board: Application) -> None:
    words: list[str] = []
    told_once = threading.Event()

    def tell(text: str) -> None:
        words.append(text)
        told_once.set()

    with Collector() as collector:
        collector.status = 503
        with sending(board, collector, tell=tell):
            effort(board)
            assert told_once.wait(60)
            [effort(board, f"item {number}") for number in range(4)]
            assert collector.spans == []
            collector.status = 200
            collector.wait(spans=10)
    assert len(words) == 1 and "cannot be sent" in words[0]
    assert [span.name for span in collector.spans] == ["invoke_agent dev", "item"] * 5
    ends = [span.end_time_unix_nano for span in collector.spans]
    assert ends == sorted(ends)


def test_nobody_at_the_address_stops_nothing_and_nothing_is_lost_by_a_restart(board: Application) -> None:
    with Collector() as gone:
        endpoint = gone.endpoint
    words: list[str] = []
    telemetry = Telemetry(board, endpoint=endpoint, tell=words.append, pause=0.01)
    telemetry.start()
    [effort(board, f"item {number}") for number in range(3)]
    telemetry.close()
    assert telemetry.seq < board.last(), "what was not sent does not count as sent"
    with Collector() as collector, sending(board, collector):
        collector.wait(spans=6)
    assert len({span.span_id for span in collector.spans}) == len(collector.spans) == 6


def test_spans_that_a_collector_refuses_are_left_out_in_the_end(board: Application) -> None:
    """Else one that it never takes would keep all others back."""
    words: list[str] = []
    left_out = threading.Event()

    def tell(text: str) -> None:
        words.append(text)
        if "left out" in text:
            left_out.set()

    with Collector() as collector:
        collector.status = 400
        with sending(board, collector, tell=tell):
            effort(board)
            assert left_out.wait(60)
            collector.status = 200
            _, run = effort(board, "the next one")
            collector.wait(spans=2)
    known = board_id(History(board.engine.store))
    assert run_span(known, run).to_bytes(8, "big") in [span.span_id for span in collector.spans]


def test_what_was_there_before_is_sent_only_if_it_is_asked_for(board: Application) -> None:
    effort(board, "before")
    with Collector() as collector, sending(board, collector):
        effort(board, "after")
        collector.wait(spans=2)
    assert [told(span)["moot.title"] for span in collector.spans if span.name == "item"] == ["after"]


def test_the_endpoint_is_taken_from_the_environment(board: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint.removesuffix("/v1/traces"))
        telemetry = Telemetry(board)
        telemetry.start()
        effort(board)
        collector.wait(spans=2)
        telemetry.close()


def test_without_the_extra_it_is_said_what_to_install(board: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(Unavailable) as found:
        Telemetry(board)
    assert found.value.code == "not_installed" and "folkmoot[otel]" in found.value.hint


def test_nothing_of_it_is_imported_by_a_command_that_does_not_need_it(tmp_path: Path) -> None:
    code = (
        "import sys; from folkmoot.wiring.boards import FileBoards; import folkmoot.wiring.observing.telemetry; "
        "import folkmoot.doors.cli.runs; "
        "print([name for name in sys.modules if name.split('.')[0] in ('opentelemetry', 'requests', 'google')])"
    )
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_an_address_is_told_without_its_password(board: Application) -> None:
    words: list[str] = []
    heard = threading.Event()
    with Collector() as gone:
        port = gone.endpoint.split(":")[2].partition("/")[0]

    def tell(text: str) -> None:
        words.append(text)
        heard.set()

    endpoint = f"http://me:canary77@127.0.0.1:{port}/v1/traces?key=canary78"
    telemetry = Telemetry(board, endpoint=endpoint, tell=tell, pause=0.01)
    telemetry.start()
    effort(board)
    assert heard.wait(60)
    telemetry.close()
    assert "127.0.0.1" in words[0] and "canary" not in words[0]
