"""The disputes document's own file of comments: it goes to whoever made the artifact, however that was told."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.acceptance.test_kanban_concerns import TESTS, place
from tests.documents import CONCERN


def at_review(folder: Path, **made: Any) -> Moot:
    moot = new_board(folder)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", **made)
    moot.effort("dev-agent", "done", files={"created": ["src/trade.py"]})
    return moot


def by_reviewer(text: str) -> str:
    return text.replace("author: dev-agent", "author: review-agent")


@pytest.mark.ledger("K-04", "K-06")
@pytest.mark.parametrize(
    "made",
    [
        {"files": {"created": [TESTS]}},
        {"artifacts": [{"name": "247-trading-tests.md"}]},
        {"artifacts": [{"name": "trading tests", "path": TESTS}]},
    ],
)
def test_the_documents_comment_reaches_whoever_made_the_file(tmp_path: Path, made: dict[str, Any]) -> None:
    moot = at_review(tmp_path, **made)
    item = moot.speak("review-agent", by_reviewer(CONCERN))
    assert place(item) == ("tests", "ready") and item["dispute_agents"] == ["review-agent"]
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-04", "K-06", "R-12")
def test_a_concern_about_another_file_is_no_reply_in_the_open_thread(tmp_path: Path) -> None:
    moot = at_review(tmp_path, files={"created": [TESTS]})
    moot.speak("review-agent", by_reviewer(CONCERN))
    other = {"artifact": "stories/247.md", "content": "The story never says whether it is async."}
    item = moot.effort("test-architect", "disputed", comments=[other])
    assert place(item) == ("arch", "ready")
    assert [(comment["artifact"], comment["parent"]) for comment in item["comments"]] == [
        (TESTS, None),
        ("stories/247.md", None),
    ]
    agreed = [{"parent": "c002", "content": "Async.", "resolution": "accepted"}]
    assert place(moot.effort("architect-agent", "done", comments=agreed)) == ("tests", "ready")
    assert [d["thread"] for d in moot("claim", "test-architect")["brief"]["disputes"]] == ["c001"], "it has waited"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-07", "R-16")
def test_cancelling_at_the_breaker_leaves_the_dispute_undecided(tmp_path: Path) -> None:
    moot = at_review(tmp_path, files={"created": [TESTS]})
    moot.speak("review-agent", by_reviewer(CONCERN))
    for number, agent in enumerate(["test-architect", "review-agent", "test-architect"]):
        moot.effort(agent, "disputed", comments=[{"content": f"No, for the reason {number}."}])
    assert moot("show", "1")["status"] == "needs-human-review"
    moot("answer", "q1", "cancel it")
    item = moot("show", "1")
    assert item["status"] == "cancelled"
    assert {(comment["status"], comment["resolution"]) for comment in item["comments"]} == {("open", None)}
    assert "dispute_settled" not in [event["event"] for event in moot.events("1")] and moot("doctor")["ok"]


@pytest.mark.ledger("K-06")
@pytest.mark.parametrize("target", ["arch/247.md", "arch/247.md#Events", "`arch/247.md`"])
def test_a_target_that_is_an_artifact_names_whose_work_is_meant(tmp_path: Path, target: str) -> None:
    moot = new_board(tmp_path)
    moot("add", "Trading", "--column", "arch")
    moot.effort("architect-agent", "done", artifacts=[{"name": "arch/247.md"}])
    moot.effort("test-architect", "done", artifacts=[{"name": "tests/247-trading-tests.md"}])
    item = moot.effort("dev-agent", "disputed", comments=[{"target": target, "content": "The design names no event."}])
    assert item["column"] == "arch" and item["comments"][0]["target"] == target
