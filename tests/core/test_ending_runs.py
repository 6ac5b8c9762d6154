"""A person ends one run: the item stays where it is, with all that was counted, and the next run begins anew."""

from typing import Any

import pytest

from folkmoot.core import commands
from folkmoot.errors import Refused
from folkmoot.testing.builders import TrialBoard, line_flow


def counted(board: TrialBoard, item: str) -> tuple[Any, ...]:
    row = board.item(item)
    return row.column, row.failure_count, row.failures, row.clarifications, row.span.attempts


def test_a_run_that_a_person_ends_counts_as_nothing_and_resets_nothing() -> None:
    with TrialBoard(line_flow("dev", "review")) as board:
        item = board.add()
        board.effort("dev-agent", "failed", attempts=[{"approach": "by hand"}], cause="capability")
        run, before = board.claim("dev-agent"), counted(board, item)
        view = board.on(item, commands.EndRun(why="begin with the tests"))
        assert (view["status"], counted(board, item)) == ("ready", before)
        assert view["runs"][-1]["outcome"] == "revoked"
        assert "ended the run of dev-agent: “begin with the tests”" in view["why"]
        with pytest.raises(Refused) as refused:
            board.report(run, "done")
        assert refused.value.code == "stale_claim"
        board.report(board.claim("dev-agent"), "done")
        assert board.item(item).column == "review"


def test_what_waits_for_a_person_is_still_asked_after_the_run_has_ended() -> None:
    with TrialBoard(line_flow("dev")) as board:
        item = board.add()
        run = board.claim("dev-agent")
        board.on(item, commands.AskPerson(question="Which one?"), run)
        view = board.on(item, commands.EndRun())
        assert [asked["state"] for asked in view["questions"]] == ["open"]


def test_where_nobody_works_there_is_no_run_to_end() -> None:
    with TrialBoard(line_flow("dev")) as board:
        item = board.add()
        with pytest.raises(Refused) as refused:
            board.on(item, commands.EndRun())
        assert refused.value.code == "not_at_work"


def test_a_run_ends_no_run() -> None:
    with TrialBoard(line_flow("dev")) as board:
        item = board.add()
        run = board.claim("dev-agent")
        with pytest.raises(Refused) as refused:
            board.on(item, commands.EndRun(), run)
        assert refused.value.code == "only_people"
