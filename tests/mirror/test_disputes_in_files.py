"""The file beside an artifact says a dispute whole: several concerns, replies without parent, giving in (K-05)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mirror.desk import Desk

TESTS, META = "tests/247-trading-tests.md", "tests/247-trading-tests.meta.yaml"
FIRST = "  - author: dev-agent\n    target: test_a\n    content: A is wrong\n    status: open\n"
SECOND = FIRST.replace("test_a", "test_b").replace("A is", "B is")
REPLY = "  - author: test-architect\n    parent: c001\n    content: No.\n    status: open\n"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path, "kanban", people="bob")
    found.moot("add", "Trading", "--column", "tests")
    found.moot.effort("test-architect", "done", artifacts=[{"name": TESTS, "path": TESTS}])
    found.look()
    yield found
    found.close()


def write(desk: Desk, *more: str) -> None:
    desk.put(META, desk.text(META).replace("comments: []", "comments:") + "".join(more))
    desk.look()


def why(desk: Desk) -> str:
    return "".join(path.read_text("utf-8") for path in (desk.dir / "rejected").glob("*.why.txt"))


def place(desk: Desk) -> tuple[str, int]:
    item = desk.moot("show", "1")
    return item["column"], item["dispute_rounds"]


@pytest.mark.ledger("K-05", "K-06")
def test_two_concerns_of_one_file_are_two_disputes(desk: Desk) -> None:
    write(desk, FIRST, SECOND)
    brief = desk.moot("claim", "test-architect")["brief"]
    assert [dispute["thread"] for dispute in brief["disputes"]] == ["c001", "c002"]
    assert len(desk.moot("comments", "1")["comments"]) == 2 and desk.moot("doctor")["ok"]


@pytest.mark.ledger("K-05", "K-06")
def test_each_of_two_concerns_is_answered_in_one_file(desk: Desk) -> None:
    write(desk, FIRST, SECOND)
    agrees = REPLY.replace("c001", "c002").replace("No.", "Yes.").replace("open", "resolved\n    resolution: accepted")
    write(desk, agrees, REPLY)
    item = desk.moot("show", "1")
    assert place(desk) == ("dev", 1) and why(desk) == ""
    assert [one["resolution"] for one in item["comments"][:2]] == [None, "accepted"]


@pytest.mark.ledger("K-05", "K-06")
@pytest.mark.parametrize(("end", "rounds"), [("open", 1), ("resolved\n    resolution: accepted", 0)])
def test_a_reply_needs_no_parent_in_a_file_either(desk: Desk, end: str, rounds: int) -> None:
    write(desk, FIRST)
    words = "No." if rounds else "Yes."
    write(desk, REPLY.replace("    parent: c001\n", "").replace("No.", words).replace("open", end))
    assert place(desk) == ("dev", rounds) and desk.moot("comments", "1")["comments"][1]["parent"] == "c001"


@pytest.mark.ledger("K-05", "R-32")
def test_a_reply_that_does_not_say_how_it_is_meant_is_set_aside(desk: Desk) -> None:
    write(desk, FIRST)
    write(desk, REPLY.replace("    status: open\n", "").replace("No.", "You're right."))
    assert place(desk) == ("tests", 0) and "how the reply to c001 is meant" in why(desk)


@pytest.mark.ledger("K-05", "K-06")
def test_a_disputer_who_accepts_the_reply_goes_on_with_its_own_work(desk: Desk) -> None:
    write(desk, FIRST)
    write(desk, REPLY)
    write(
        desk,
        "  - author: dev-agent\n    parent: c002\n    content: I see.\n",
        "    status: resolved\n    resolution: accepted\n",
    )
    assert place(desk) == ("dev", 0) and desk.moot("show", "1")["dispute_agents"] == []
