"""Which run is meant: by its id, by how it begins, or by its item."""

import tracemalloc
from typing import Any

import pytest
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.engine.reads.queries import Queries
from folkmoot.errors import Invalid
from folkmoot.store import codec
from folkmoot.store.sql import reading
from folkmoot.testing.builders import TrialBoard, line_flow

LINE = line_flow("a", "b")
RUN = {name: replace(agent, run={"command": ["true"]}) for name, agent in LINE.agents.items()}
STARTED = replace(LINE, agents=RUN)  # so that a worker would begin runs


def look(board: TrialBoard) -> Queries:
    return Queries(board.engine.store, board.engine.clock)


def named(board: TrialBoard, words: str) -> str:
    return look(board).run(words).run


def test_the_beginning_of_an_id_is_enough_and_several_are_asked_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(STARTED) as board:
        names = ["rab12", "rab34", "rc999"]
        monkeypatch.setattr(board.engine.ids, "run", lambda: names.pop(0))
        for _ in range(3):
            board.add()
            board.claim("a-agent")
        assert named(board, "rab12") == named(board, "rab1") == named(board, "RAB1") == "rab12"
        assert named(board, "rc99") == "rc999"
        with pytest.raises(Invalid) as refused:
            named(board, "rab")
        assert refused.value.code == "ambiguous_run" and "too short" in refused.value.message
        names.append("rab1x")
        board.add()
        board.claim("a-agent")
        with pytest.raises(Invalid) as refused:
            named(board, "rab1")
        assert (
            refused.value.code == "ambiguous_run"
            and "rab12 (a-agent on #1), rab1x (a-agent on #4)" in refused.value.message
        )
        for words in ("rx", "", " ", "9", "#x"):
            with pytest.raises(Invalid):
                named(board, words)


@pytest.mark.ledger("R-27")
@pytest.mark.parametrize("cut", [1, 4, -1])
def test_whoever_speaks_as_a_run_has_its_whole_id(monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    with TrialBoard(STARTED) as board:
        monkeypatch.setattr(board.engine.ids, "run", lambda: "rab12cd34")
        item = board.add()
        run = board.claim("a-agent")
        short = Actor("a-agent", str(run.run)[:cut], run.token)
        for command in (commands.RenewRun(), commands.ReleaseRun()):
            with pytest.raises(Invalid) as refused:
                board.engine.handle_run(short, command)
            assert refused.value.code == "unknown_run" and "whole id" in str(refused.value.hint)
        assert board.item(item).run == run.run


def test_an_item_means_its_latest_run_and_for_output_the_latest_that_said_something() -> None:
    with TrialBoard(STARTED) as board:
        item = board.add()
        with pytest.raises(Invalid, match="nobody has worked on item 1 yet"):
            named(board, item)
        first = board.claim("a-agent")
        assert named(board, item) == named(board, f"#{item}") == first.run
        board.engine.keep_output(first, [(0, "words\n")])
        board.engine.report(first, Report.done("It is done."))
        second = board.claim("b-agent")
        assert named(board, item) == second.run
        assert look(board).output(item).run == second.run, "it may yet say something"
        board.engine.report(second, Report.done("It is done."))
        assert named(board, item) == second.run
        assert look(board).output(item).run == first.run


def test_what_stands_still_is_told_with_its_reason_and_its_end() -> None:
    with TrialBoard(STARTED) as board:
        item = board.add()
        board.effort("a-agent", "failed", cause="transient", summary="the network is gone")
        found = look(board).blocked().blocked
        assert [(one.why, one.items) for one in found] == [("resting", [item])] and found[0].until is not None
        assert look(board).status().blocked == found == look(board).board().blocked
        board.sleep(3600)
        assert look(board).blocked().blocked == []
        assert [one.reason for one in look(board).blocked({"a-agent": "it is not there"}).blocked] == [
            "it is not there"
        ]
        run = board.claim("a-agent")
        live = look(board).blocked().runs
        assert [one.run for one in live] == [run.run] and live[0].lease_expires_at is not None


def test_the_status_reads_no_run_that_ended_before_today(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(STARTED) as board:
        for _ in range(3):
            board.add()
            board.effort("a-agent", "done")
        board.sleep(2 * 86_400)
        board.add()
        board.effort("a-agent", "done")
        read: list[str] = []

        def decode(table: str, doc: str) -> Any:
            read.append(table)
            return codec.decode_row(table, doc)

        monkeypatch.setattr(reading, "decode_row", decode)
        assert look(board).status().today.runs == 1
        assert read.count("runs") == 1


def test_the_status_counts_what_is_done_without_reading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(line_flow("a")) as board:
        for _ in range(5):
            board.add()
            board.effort("a-agent", "done")
        board.on(board.add(), commands.CancelItem())
        board.add()
        read: list[str] = []

        def decode(table: str, doc: str) -> Any:
            read.append(table)
            return codec.decode_row(table, doc)

        monkeypatch.setattr(reading, "decode_row", decode)
        assert look(board).status().counts == {"ready": 1, "done": 5, "cancelled": 1}
        assert read.count("items") == 2, "the one that is open, and the one that was cancelled"


@pytest.mark.parametrize("asked", ["status", "figures", "usage"])
def test_a_look_at_many_runs_holds_no_more_than_it_counts(asked: str) -> None:
    """Else a server's memory grows with each run that has ever been: what it needed for a moment is not given back."""
    runs, letters = 40, 50_000
    with TrialBoard(line_flow("a")) as board:
        for _ in range(runs):
            board.add()
            board.effort("a-agent", "done", summary="x" * letters)
        queries = look(board)
        ask = {"status": queries.status, "figures": lambda: queries.figures("1d"), "usage": queries.usage}[asked]
        ask()
        tracemalloc.start()
        try:
            ask()
            assert tracemalloc.get_traced_memory()[1] < runs * letters / 4
        finally:
            tracemalloc.stop()


def test_the_status_counts_today() -> None:
    with TrialBoard(STARTED) as board:
        board.add()
        board.add()
        empty = look(board).status()
        assert empty.counts == {"ready": 2} and empty.today.runs == 0 and empty.today.cost_usd is None
        board.effort("a-agent", "done")
        status = look(board).status()
        assert status.today.runs == 1 and status.today.cost_usd is None, "nobody told what it cost"
        board.effort("a-agent", "done", usage={"cost_usd": 0.25})
        assert look(board).status().today.cost_usd == 0.25
        board.engine.claim(Actor("ada"), "b-agent")
        assert [run.agent for run in look(board).status().runs] == ["b-agent"]
