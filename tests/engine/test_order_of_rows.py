"""Rows of one command are listed in the order they were written, also where their ids grow by a digit."""

import pytest

from folkmoot.core import commands
from folkmoot.testing.builders import TrialBoard


@pytest.mark.ledger("K-04")
def test_comments_of_one_report_keep_their_order_past_c999() -> None:
    with TrialBoard() as board:
        item = board.add(column="dev")
        for number in range(998):
            board.on(item, commands.AddComment(content=f"comment {number}"))
        board.effort("dev-agent", "incomplete", comments=[{"content": word} for word in ("first", "second", "third")])
        last = board.show(item)["comments"][-3:]
        assert [comment["content"] for comment in last] == ["first", "second", "third"]
        assert [comment["id"] for comment in last] == ["c999", "c1000", "c1001"]
