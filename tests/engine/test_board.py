"""The board as a live screen asks for it: what has changed, and never more than it shows."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET

from folkmoot.api.requests import ListRuns
from folkmoot.api.screen import ShowBoard
from folkmoot.core import commands
from folkmoot.core.events import Change, Event
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.engine.reads import board as reads
from folkmoot.engine.reads.doing import LATEST_PART
from folkmoot.store.codec import decode_row
from folkmoot.store.port import Transaction
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow, preset_flow
from folkmoot.worker.clients.transcript import Transcript

if TYPE_CHECKING:
    from folkmoot.api.call import Role
    from folkmoot.core.commands import Actor

KANBAN = preset_flow()


def look(board: TrialBoard, **asked: Any) -> Any:
    return board.application.asked_by(PERSON)(ShowBoard(**asked))


def cards(board: TrialBoard, **asked: Any) -> dict[str, Any]:
    return {card.id: card for card in look(board, **asked).items}


def ids(board: TrialBoard, **asked: Any) -> list[str]:
    return list(cards(board, **asked))


def end_many(board: TrialBoard, count: int) -> None:
    """Many items that ended long ago."""

    def work(tx: Transaction) -> None:
        first = tx.head().items + 1
        items = [
            Item(id=str(number), title="Old", column="done", status="done", version=1, since=number)
            for number in range(first, first + count)
        ]
        events = [
            Event(
                name="item_added",
                item=item.id,
                version=1,
                changes=[Change("items", item.id, {"title": "Old", "column": "done", "status": "done", "version": 1})],
            )
            for item in items
        ]
        tx.save(events, [("items", item, True) for item in items], {i.id: queue_position(KANBAN, i) for i in items})

    board.application.engine.store.transact(work)


@contextmanager
def rows_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """By their tables, every row that is read in here."""
    seen: list[str] = []

    def counted(table: str, doc: str) -> Any:
        seen.append(table)
        return decode_row(table, doc)

    with monkeypatch.context() as patch:
        patch.setattr("folkmoot.store.sql.reading.decode_row", counted)
        yield seen


def test_of_what_has_ended_the_board_reads_no_more_than_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(KANBAN) as board:
        for _ in range(20):
            board.add(column="dev")
        board.claim("dev-agent")
        end_many(board, 100)
        look(board, ended=50)
        with rows_read(monkeypatch) as few:
            look(board, ended=50)
        end_many(board, 20_000)
        began = time.perf_counter()
        with rows_read(monkeypatch) as many:
            view = look(board, ended=50)
        print(f"the board with 20,120 items took {(time.perf_counter() - began) * 1000:.0f} ms")
        assert sorted(many) == sorted(few) and many.count("items") <= 72
        assert view.totals["dev"] == 20 and view.totals["done"] == 20_100
        newest = [str(number) for number in range(20_120, 20_070, -1)]
        assert [card.id for card in view.items if card.status == "done"] == newest[::-1]
        with rows_read(monkeypatch) as since:
            assert look(board, since=view.seq, ended=50).items == []
        assert since.count("items") <= 21


def test_after_an_event_only_what_it_touched_is_told_and_the_small_lists_are_whole() -> None:
    with TrialBoard(KANBAN) as board:
        board.add("Another", column="dev")
        item, last = board.add(column="dev"), board.application.last()
        run = board.claim("dev-agent", item=item)
        view = look(board, since=last)
        assert (view.whole, [card.id for card in view.items], [one.run for one in view.runs]) == (
            False,
            [item],
            [run.run],
        )
        assert view.seq == board.application.last()
        board.report(run, "asks", question={"question": "Which one?"})
        view = look(board, since=view.seq)
        assert [card.id for card in view.items] == [item] and view.runs == []
        assert [asked.id for asked in view.questions] == view.items[0].questions == ["q1"]
        assert ids(board, since=view.seq) == []


def test_what_ends_is_told_once_more_and_with_it_who_waited_for_it() -> None:
    with TrialBoard(line_flow("dev")) as board:
        first = board.add()
        second = board.add(after=[first])
        whole = board.add()
        child = board.add(parent=whole)
        last = board.application.last()
        board.report(board.claim("dev-agent", item=first), "done")
        assert {one: card.status for one, card in cards(board, since=last).items()} == {first: "done", second: "ready"}
        last = board.application.last()
        board.on(child, commands.EditItem(title="Another title"))
        assert ids(board, since=last) == [whole, child]


def test_what_others_hold_is_told_anew_when_paths_are_let_go() -> None:
    with TrialBoard(line_flow("dev")) as board:
        first, second = board.add(files=["src/"]), board.add(files=["src/a.py"])
        run = board.claim("dev-agent", item=first)
        last = board.application.last()
        assert cards(board)[second].status == "blocked"
        board.report(run, "done")
        assert cards(board, since=last)[second].status == "ready"


def test_after_too_many_events_or_an_unknown_one_the_board_is_told_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrialBoard(KANBAN) as board:
        added = [board.add(column="dev") for _ in range(5)]
        last = board.application.last()
        monkeypatch.setattr(reads, "EVENTS_MAX", 3)
        assert (look(board, since=last - 4).whole, ids(board, since=last - 4)) == (True, added)
        assert (look(board, since=last - 3).whole, ids(board, since=last - 3)) == (False, added[2:])
        assert look(board, since=last + 1).whole, "another board stands here than the one that was seen"
        assert look(board, since=-1).whole


def test_a_card_says_since_when_it_stands_so_and_what_comes_next() -> None:
    with TrialBoard(line_flow("dev", "review", ladder="small middle large")) as board:
        item = board.add(column="dev")
        board.sleep(10)
        board.on(item, commands.EditItem(title="Another title"))
        card = cards(board)[item]
        assert card.since == board.show(item)["created_at"] != card.updated_at == board.show(item)["updated_at"]
        assert (card.model, card.rung, card.rungs, card.runs_begun) == ("small", 1, 3, 0)
        board.sleep(10)
        board.effort("dev-agent", "failed", attempts=[{"approach": "by hand"}], cause="capability")
        card = cards(board)[item]
        assert (card.model, card.rung, card.rungs, card.runs_begun) == ("middle", 2, 3, 1)
        assert card.since == card.updated_at and card.version == board.item(item).version


def test_a_card_counts_what_a_review_has_found_and_its_rounds() -> None:
    with TrialBoard(KANBAN) as board:
        item = board.add(column="review")
        found = [{"issue": "It is slow", "severity": "high"}, {"issue": "It is long"}]
        board.effort("review-agent", "changes_requested", findings=found)
        card = cards(board)[item]
        assert (card.column, card.findings_open, card.iteration) == ("dev", 2, board.show(item)["iteration"])
        assert card.max_rounds == KANBAN.limits.feedback_rounds


def test_a_run_at_work_has_its_limits_and_when_it_was_last_heard() -> None:
    with TrialBoard(KANBAN) as board:
        board.add(column="dev")
        run = board.claim("dev-agent", worker="here-12.34.0123abcd.56-0a1b2c")
        board.application.engine.keep_output(run, [(0, "one\n"), (1, "two\n")])
        (shown,) = look(board).runs
        assert (shown.host, shown.time_limit, shown.silence_limit) == ("here", *KANBAN.longest("dev-agent"))
        assert shown.last_output_at is not None and shown.doing is None, "nobody here knows what its client means"


TOOL = (
    '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"make test"}}]}}\n'
)


def test_what_a_run_does_is_its_last_line_as_a_person_reads_it_and_no_other_run_sees_it() -> None:
    with TrialBoard(KANBAN) as board:
        board.application.queries.reader = lambda flow, agent, model: Transcript(None)
        board.add(column="dev")
        run, engine = board.claim("dev-agent"), board.application.engine
        board.add(column="dev")
        other = board.claim("dev-agent")
        engine.keep_output(run, [(0, "x" * 20_000 + "\n" + TOOL)])
        engine.keep_output(run, [(1_000_000, "the change of the run")])
        callers: list[tuple[Actor, Role]] = [(PERSON, "person"), (PERSON, "observer"), (run, "run"), (other, "run")]
        answers = [board.application.asked_by(who, role)(ListRuns()) for who, role in callers]
        seen = [{one.run: one.doing for one in answer.runs} for answer in answers]
        assert [shown[run.run or ""] for shown in seen] == ["Bash make test"] * 3 + [None]
        engine.keep_output(run, [(LATEST_PART, f"The end of much. {'y' * 200}\n")])
        (doing,) = [one.doing for one in look(board).runs if one.run == run.run]
        assert doing is not None and doing.startswith("The end of much. yyy") and len(doing) == 160


def test_what_a_run_printed_is_told_line_by_line_where_somebody_asks_for_it() -> None:
    with TrialBoard(KANBAN) as board:
        board.add(column="dev")
        run, queries = board.claim("dev-agent"), board.application.queries
        words = {
            "id": "m",
            "role": "assistant",
            "content": [{"type": "text", "text": "I read the tests.\nAll of them."}],
        }
        text = json.dumps({"type": "assistant", "message": words}) + "\nplain\n"
        # A line is cut where the parts are, and the change of the run is no part of what it said.
        board.application.engine.keep_output(run, [(1, text[:30]), (2, text[30:]), (1_000_000, "+a change\n")])
        assert queries.output(run.run or "", said=True).said is UNSET, "nobody here knows what its client means"
        queries.reader = lambda flow, agent, model: Transcript(None)
        assert queries.output(run.run or "").said is UNSET
        said = queries.output(run.run or "", said=True).said
        assert said is not UNSET
        assert [(one.kind, one.text) for one in said] == [
            ("text", "I read the tests."),
            ("text", "All of them."),
            ("printed", "plain"),
        ]
