"""A dispute as the document tells it, step by step through the command line (K-04, K-06, K-07, R-12)."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, View, new_board

ARTIFACT = "tests/247-trading-tests.md"
CONCERN = "This test assumes synchronous cancellation, but the architecture doc specifies async."
FLAG = "Agents disagree after 3 rounds - human decision needed"


def disputed(folder: Path) -> Moot:
    """The test-architect made the tests; the dev comments on one of them and moves the issue back."""
    moot = new_board(folder)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", artifacts=[{"name": ARTIFACT, "path": ARTIFACT}])
    assert moot("show", "1")["column"] == "dev"
    concern = {"artifact": ARTIFACT, "target": "test_trade_cancellation", "content": CONCERN}
    moot.effort("dev-agent", "disputed", comments=[concern])
    return moot


def reply(moot: Moot, agent: str, words: str = "I do not agree.") -> View:
    return moot.effort(agent, "disputed", comments=[{"parent": "c001", "content": words}])


def settle(moot: Moot, agent: str, resolution: str) -> View:
    said = {"parent": "c001", "content": "You're right.", "resolution": resolution}
    return moot.effort(agent, "done", comments=[said])


@pytest.mark.ledger("K-06", "K-01")
def test_the_dispute_goes_to_the_maker_who_reads_the_comment(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    item = moot("show", "1")
    assert (item["column"], item["status"], item["failure_count"]) == ("tests", "ready", 0)
    assert moot.say("claim", "dev-agent").code == 3, "the dev has nothing to do"
    brief = moot("claim", "test-architect")["brief"]
    assert brief["comments"][0]["content"] == CONCERN
    assert [dispute["thread"] for dispute in brief["disputes"]] == ["c001"]


@pytest.mark.ledger("K-04", "K-06")
def test_agrees_fixes_resolves_and_moves_forward(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    item = settle(moot, "test-architect", "accepted")
    assert (item["column"], item["status"]) == ("dev", "ready")
    assert (item["dispute_rounds"], item["dispute_agents"], item["flag"]) == (0, [], None)
    first, second = moot("comments", "1")["comments"]
    assert {**first, "timestamp": "…"} == {
        "id": "c001",
        "author": "dev-agent",
        "timestamp": "…",
        "artifact": ARTIFACT,
        "target": "test_trade_cancellation",
        "content": CONCERN,
        "parent": None,
        "status": "resolved",
        "resolution": "accepted",
    }
    assert (second["id"], second["author"], second["parent"]) == ("c002", "test-architect", "c001")
    assert (second["status"], second["resolution"]) == ("resolved", "accepted")
    assert first["timestamp"] <= second["timestamp"] and first["timestamp"].endswith("Z")


@pytest.mark.ledger("K-06")
def test_disagrees_replies_and_the_disputer_reads_it_and_accepts(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    item = reply(moot, "test-architect", "The architecture changed last week.")
    assert (item["column"], item["dispute_rounds"]) == ("dev", 1)
    brief = moot("claim", "dev-agent")["brief"]
    assert brief["comments"][-1]["content"] == "The architecture changed last week."
    assert brief["disputes"][0]["to_agree"]["comments"][0]["resolution"] == "rejected"
    moot("release", moot("show", "1")["runs"][-1]["run"], "--token", "4")
    item = settle(moot, "dev-agent", "rejected")
    assert (item["column"], item["status"]) == ("review", "ready")
    assert item["comments"][0]["resolution"] == "rejected" and item["dispute_rounds"] == 0


@pytest.mark.ledger("K-06", "R-12")
@pytest.mark.parametrize("reason", [None, "test-vs-dev"])
def test_who_gives_in_before_its_work_is_done_is_shown_how_and_keeps_the_item(
    tmp_path: Path, reason: str | None
) -> None:
    moot = new_board(tmp_path)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", artifacts=[{"name": ARTIFACT, "path": ARTIFACT}])
    moot.effort("dev-agent", "disputed", comments=[{"artifact": ARTIFACT, "content": CONCERN}], reason=reason)
    reply(moot, "test-architect")
    claim = moot("claim", "dev-agent")
    way = claim["brief"]["disputes"][0]["to_go_on"]
    item = moot("report", claim["run"], "--token", str(claim["token"]), "-", stdin=json.dumps(way))
    assert (item["column"], item["status"], item["failure_count"]) == ("dev", "ready", 0)
    assert item["comments"][0]["resolution"] == "rejected"


@pytest.mark.ledger("K-06")
def test_the_maker_that_agrees_is_shown_no_way_to_leave_it_unmended(tmp_path: Path) -> None:
    brief = disputed(tmp_path)("claim", "test-architect")["brief"]
    assert "to_go_on" not in brief["disputes"][0]


def flagged(folder: Path) -> Moot:
    moot = disputed(folder)
    for agent in ("test-architect", "dev-agent", "test-architect"):
        reply(moot, agent)
    return moot


@pytest.mark.ledger("K-07", "R-12", "K-16")
def test_after_three_rounds_the_breaker_has_the_documents_values(tmp_path: Path) -> None:
    moot = flagged(tmp_path)
    item = moot("show", "1")
    assert item["dispute_rounds"] == 3
    assert item["dispute_agents"] == ["dev-agent", "test-architect", "dev-agent", "test-architect"]
    assert item["status"] == "needs-human-review"
    assert item["flag"] == FLAG
    assert item["column"] == "tests" and item["escalation_tier"] == 2
    for agent in ("dev-agent", "test-architect", "senior-dev-agent"):
        assert moot.say("claim", agent).code == 3, "nobody is dispatched until the human has decided"
    assert moot.say("claim", "test-architect", "--item", "1").error == "not_claimable"
    question = moot("inbox")["questions"][0]
    assert (question["task_id"], question["kind"]) == ("1", "dispute")
    assert CONCERN in question["context"]
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-07", "R-12")
@pytest.mark.parametrize(
    ("words", "agent", "column", "resolution"),
    [
        (["1"], "test-architect", "tests", "accepted"),
        (["2"], "dev-agent", "dev", "rejected"),
        (["dev-agent is right"], "test-architect", "tests", "accepted"),
        (["test-architect is right"], "dev-agent", "dev", "rejected"),
        (["2", "The test stays", "--to", "dev"], "dev-agent", "dev", "rejected"),
    ],
)
def test_the_human_decides_for_either_side(
    tmp_path: Path, words: list[str], agent: str, column: str, resolution: str
) -> None:
    moot = flagged(tmp_path)
    item = moot("answer", "q1", *words)
    assert (item["column"], item["status"], item["flag"]) == (column, "ready", None)
    assert (item["dispute_rounds"], item["dispute_agents"]) == (0, [])
    assert item["comments"][0]["resolution"] == resolution
    claim = moot("claim", agent)
    assert claim["brief"]["guidance"][-1]["answer"]
    assert claim["brief"]["disputes"] == [], "it is decided: nobody must settle it again"
    moot.report(claim, "done")
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-07")
def test_the_number_of_rounds_is_the_users(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    flow = tmp_path / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("dispute_rounds: 3", "dispute_rounds: 1"), "utf-8")
    assert moot("apply")["version"] == 2
    item = reply(moot, "test-architect")
    assert (item["status"], item["flag"]) == ("needs-human-review", FLAG.replace("3 rounds", "1 rounds"))


@pytest.mark.ledger("K-04", "R-27")
def test_a_person_comments_replies_and_resolves(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Trading", "--column", "dev")
    moot("comment", "1", "Which limit?", "--artifact", "spec.md", "--target", "Limits")
    assert [c["status"] for c in moot("comments", "1")["comments"]] == ["open"]
    moot("comment", "1", "20 MB", "--parent", "c001", "--resolve", "accepted", "--as", "bob")
    first, second = moot("show", "1")["comments"]
    assert (first["author"], first["artifact"], first["target"]) == ("alice", "spec.md", "Limits")
    assert (first["status"], first["resolution"]) == ("resolved", "accepted")
    assert (second["author"], second["parent"]) == ("bob", "c001")
    assert moot.say("comment", "1", "x", "--parent", "c099").error == "unknown_comment"
    assert moot.say("comment", "1", "x", "--resolve", "accepted").error == "no_parent"
    assert moot.say("comment", "1", "  ").error == "empty_comment"
    assert len(moot("comments", "1")["comments"]) == 2


@pytest.mark.ledger("K-04", "R-27")
def test_a_runs_resolution_takes_effect_with_its_report(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    claim = moot("claim", "test-architect")
    fence = ["--run", claim["run"], "--token", str(claim["token"])]
    moot("comment", "1", "Fixed.", "--parent", "c001", "--resolve", "accepted", *fence)
    item = moot("show", "1")
    assert item["comments"][0]["status"] == "open" and item["dispute_agents"] == ["dev-agent"]
    item = moot.report(claim, "done")
    assert (item["column"], item["comments"][0]["resolution"]) == ("dev", "accepted")


@pytest.mark.ledger("R-12", "R-27")
def test_who_has_agreed_in_the_middle_of_a_run_may_still_disagree(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    claim = moot("claim", "test-architect")
    fence = ["--run", claim["run"], "--token", str(claim["token"])]
    moot("comment", "1", "You are right.", "--parent", "c001", "--resolve", "accepted", *fence)
    item = moot.report(claim, "disputed", comments=[{"parent": "c001", "content": "No, section 3 says sync."}])
    assert (item["column"], item["dispute_rounds"]) == ("dev", 1)
    assert item["comments"][0]["status"] == "open" and moot("doctor")["ok"]


@pytest.mark.ledger("K-07", "R-16")
@pytest.mark.parametrize("words", ["2", "test-architect is right", "Test architect is right.", "cancel it"])
def test_two_options_in_one_answer_are_asked_back(tmp_path: Path, words: str) -> None:
    moot = flagged(tmp_path)
    assert moot.say("answer", "q1", "1", words).error == "ambiguous_option"
    assert moot("show", "1")["status"] == "needs-human-review"
    assert moot("answer", "q1", "1", "Keep the old test too")["column"] == "tests"
