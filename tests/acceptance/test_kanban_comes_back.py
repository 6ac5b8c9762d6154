"""An item that went elsewhere and came back: whoever goes on is told what was said of the work before it went."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, View, new_board

TESTS = "tests/247-trading-tests.md"
HALF = {"summary": "The queue is built; ZEBRA is not wired", "next_steps": ["wire ZEBRA to cancel()"]}
DISPUTE = {"comments": [{"artifact": TESTS, "target": "test_trade_cancellation", "content": "Test assumes sync."}]}


@pytest.fixture
def moot(tmp_path: Path) -> Moot:
    moot = new_board(tmp_path)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", summary="LEMUR: two tests wait for events", artifacts=[{"name": TESTS}])
    return moot


def told(moot: Moot, agent: str) -> str:
    claim: View = moot("claim", agent)
    words = json.dumps(claim["brief"])
    moot("release", claim["run"], "--token", str(claim["token"]))
    return words


@pytest.mark.ledger("K-01", "R-32")
def test_who_was_stuck_is_told_what_it_had_left_beside_the_answer(moot: Moot) -> None:
    moot.effort("dev-agent", "stuck", reason="story", blockers="What of partial fills?", **HALF)
    moot.effort("story-agent", "done", summary="The open part only")
    words = told(moot, "dev-agent")
    assert "The open part only" in words and "ZEBRA is not wired" in words and "wire ZEBRA" in words


@pytest.mark.ledger("K-01", "R-32")
def test_who_is_asked_and_asks_in_turn_still_has_the_first_question(moot: Moot) -> None:
    moot.effort("dev-agent", "stuck", reason="story", blockers="What of partial fills?", **HALF)
    moot.effort("story-agent", "stuck", reason="arch", blockers="Can the exchange cancel a part?")
    moot.effort("architect-agent", "done", summary="It can")
    assert "What of partial fills?" in told(moot, "story-agent")
    moot.effort("story-agent", "done", summary="The open part only")
    assert "ZEBRA is not wired" in told(moot, "dev-agent")


@pytest.mark.ledger("K-03", "K-06", "R-32")
@pytest.mark.parametrize("reply", ["agrees", "disagrees"])
def test_who_disputed_is_told_what_it_had_said_of_its_work(moot: Moot, reply: str) -> None:
    moot.effort("dev-agent", "disputed", **HALF, **DISPUTE)
    comment: View = {"parent": "c001", "content": "I mend it"}
    if reply == "agrees":
        moot.effort("test-architect", "done", comments=[{**comment, "resolution": "accepted"}])
    else:
        moot.effort("test-architect", "disputed", comments=[{**comment, "content": "It awaits the event"}])
    words = told(moot, "dev-agent")
    assert "ZEBRA is not wired" in words and "wire ZEBRA" in words


@pytest.mark.ledger("K-03", "R-32")
def test_half_done_work_is_told_behind_a_dispute_that_says_nothing_of_it(moot: Moot) -> None:
    moot.effort("dev-agent", "incomplete", **HALF)
    moot.effort("dev-agent", "disputed", **DISPUTE)
    moot.effort("test-architect", "done", comments=[{"parent": "c001", "content": "Yes", "resolution": "accepted"}])
    assert "ZEBRA is not wired" in told(moot, "dev-agent")


@pytest.mark.ledger("K-01", "R-32")
@pytest.mark.parametrize("between", ["released", "asks", "failed"])
def test_what_an_item_was_handed_on_with_is_told_until_somebody_goes_on_from_it(moot: Moot, between: str) -> None:
    if between == "released":
        told(moot, "dev-agent")
    elif between == "asks":
        moot.effort("dev-agent", "asks", question="Sync or async?")
        moot("answer", "q1", "async")
    else:
        moot.effort("dev-agent", "failed", reason="Test expects 42, got 41")
    assert "LEMUR" in told(moot, "dev-agent")


@pytest.mark.ledger("R-32")
def test_what_was_gone_on_from_is_told_no_more(moot: Moot) -> None:
    moot.effort("dev-agent", "incomplete", **HALF)
    moot.effort("dev-agent", "done", summary="All of it is built")
    words = told(moot, "review-agent")
    assert "All of it is built" in words and "ZEBRA" not in words and "LEMUR" not in words


@pytest.mark.ledger("K-12", "R-32")
@pytest.mark.parametrize("between", ["a person", "another column"])
def test_an_answer_stands_beside_what_was_asked_though_somebody_else_had_to_be_asked(moot: Moot, between: str) -> None:
    moot.effort("dev-agent", "stuck", reason="story", blockers="What of partial fills?")
    if between == "a person":
        moot.effort("story-agent", "asks", question="Is a part a trade?")
        moot("answer", "q1", "no")
    else:
        moot.effort("story-agent", "stuck", reason="arch", blockers="Can the exchange cancel a part?")
        moot.effort("architect-agent", "done", summary="It can")
    moot.effort("story-agent", "done", summary="The open part only")
    answer = moot("comments", "1")["comments"][-1]
    assert answer["content"].startswith(
        "In answer to “dev-agent is stuck (story): What of partial fills?”: The open part"
    )


@pytest.mark.ledger("K-12")
def test_what_a_column_was_asked_is_over_when_a_person_takes_the_item_elsewhere(moot: Moot) -> None:
    moot.effort("dev-agent", "stuck", reason="story", blockers="What of partial fills?")
    moot("move", "1", "review")
    moot("move", "1", "blocked-needs-story-clarification", "--why", "Name the user")
    moot.effort("story-agent", "done", summary="The trader")
    assert "partial fills" not in moot("comments", "1")["comments"][-1]["content"]
