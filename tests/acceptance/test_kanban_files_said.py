"""A file of comments as a report: its order, what it repeats and what it marks lose nothing of what is said."""

from pathlib import Path

import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_kanban_words import replied
from tests.acceptance.test_kanban_yaml import AGREES, TESTS, disputed, fault, hand_in, in_dev

CONCERN = "Test assumes sync, arch says async."
FIRST = f"""\
  - id: c001
    author: dev-agent
    target: test_trade_cancellation
    content: {CONCERN}
    status: %s
"""
OPEN, MARKED = FIRST % "open", FIRST % "resolved\n    resolution: accepted"
NEW = "  - author: dev-agent\n    target: test_b\n    content: Test b limit is wrong.\n    status: open\n"
GIVES_IN = (
    "  - parent: c002\n    author: dev-agent\n    content: I see.\n    status: resolved\n    resolution: accepted\n"
)
REPLY = "  - id: c002\n    author: test-architect\n    parent: c001\n    content: %s\n"
SETTLED = MARKED + REPLY % "You're right." + "    status: resolved\n    resolution: accepted\n"


def settled(folder: Path) -> Moot:
    moot = disputed(folder)
    assert hand_in(moot, "test-architect", AGREES).json["column"] == "dev"
    return moot


@pytest.mark.ledger("K-04", "K-06")
@pytest.mark.parametrize("listed", [NEW + SETTLED, SETTLED + NEW])
def test_a_new_concern_disputes_wherever_it_stands_in_the_file(tmp_path: Path, listed: str) -> None:
    item = hand_in(settled(tmp_path), "dev-agent", f"comments:\n{listed}").json
    assert (item["column"], item["dispute_agents"]) == ("tests", ["dev-agent"])


@pytest.mark.ledger("K-04", "K-06")
@pytest.mark.parametrize("listed", [NEW + GIVES_IN, GIVES_IN + NEW])
def test_who_gives_in_and_has_another_concern_says_both_in_any_order(tmp_path: Path, listed: str) -> None:
    item = hand_in(replied(tmp_path), "dev-agent", f"comments:\n{listed}").json
    assert item["column"] == "tests" and item["comments"][0]["resolution"] == "rejected"


@pytest.mark.ledger("K-04", "K-06")
def test_the_newest_comment_may_stand_first(tmp_path: Path) -> None:
    item = hand_in(disputed(tmp_path), "test-architect", AGREES + OPEN).json
    assert item["column"] == "dev" and item["comments"][0]["resolution"] == "accepted"


@pytest.mark.ledger("R-32")
def test_a_file_that_says_nothing_new_ends_no_work(tmp_path: Path) -> None:
    moot = settled(tmp_path)
    assert "nothing new" in fault(hand_in(moot, "dev-agent", f"comments:\n{SETTLED}"))
    assert moot("show", "1")["column"] == "dev"


@pytest.mark.ledger("R-32")
def test_the_others_words_are_not_said_again_by_who_hands_the_file_back(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    text = f"comments:\n{OPEN}{REPLY % 'No, arch section 3 says sync.'}    status: open\n"
    assert "nothing new" in fault(hand_in(moot, "dev-agent", text))
    assert len(moot("comments", "1")["comments"]) == 2


@pytest.mark.ledger("K-04", "R-12")
@pytest.mark.parametrize("reply", ["", REPLY % "You're right.", REPLY % "You're right." + "    status: resolved\n"])
def test_who_marks_the_concern_as_accepted_in_its_place_agrees(tmp_path: Path, reply: str) -> None:
    item = hand_in(disputed(tmp_path), "test-architect", f"comments:\n{MARKED}{reply}").json
    assert (item["column"], item["dispute_rounds"]) == ("dev", 0)
    assert item["comments"][0]["resolution"] == "accepted" and len(item["comments"]) == 2


@pytest.mark.ledger("R-12")
def test_a_concern_that_is_marked_and_answered_against_is_asked_back(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    text = f"comments:\n{MARKED}{REPLY % 'No.'}    status: open\n"
    assert "both answered and resolved" in fault(hand_in(moot, "test-architect", text))


@pytest.mark.ledger("R-12")
def test_a_disputer_ends_its_own_concern_in_its_place(tmp_path: Path) -> None:
    moot = replied(tmp_path)
    item = hand_in(moot, "dev-agent", f"comments:\n{MARKED.replace('accepted', 'rejected')}").json
    assert item["column"] == "dev" and item["comments"][0]["resolution"] == "rejected"


@pytest.mark.ledger("R-27")
def test_a_persons_comment_is_resolved_in_its_place(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot("comment", "1", "Which limit?", "--artifact", "spec.md")
    said = {"id": "c001", "author": "alice", "content": "Which limit?", "status": "resolved", "resolution": "accepted"}
    item = moot.effort("dev-agent", "done", comments=[said])
    assert item["column"] == "review" and item["comments"][0]["status"] == "resolved"


@pytest.mark.ledger("K-04", "R-12")
def test_the_same_words_about_another_test_are_another_concern(tmp_path: Path) -> None:
    moot = settled(tmp_path)
    same = NEW.replace("Test b limit is wrong.", CONCERN)
    item = hand_in(moot, "dev-agent", f"comments:\n{same}{NEW.replace('test_b', 'test_c')}").json
    assert [one["target"] for one in item["comments"][2:]] == ["test_b", "test_c"]


@pytest.mark.ledger("R-12")
def test_the_same_words_in_another_thread_are_another_answer(tmp_path: Path) -> None:
    moot = settled(tmp_path)
    hand_in(moot, "dev-agent", f"# Artifact: {TESTS}\ncomments:\n{NEW}")
    item = hand_in(moot, "test-architect", AGREES.replace("c001", "c003")).json
    assert item["column"] == "dev" and item["comments"][2]["resolution"] == "accepted"


@pytest.mark.ledger("R-12", "K-07")
def test_the_same_answer_again_is_an_answer_in_each_thread(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot.effort("dev-agent", "disputed", comments=[{"target": one, "content": f"{one} is wrong"} for one in "ab"])
    for agent in ("test-architect", "dev-agent", "test-architect"):
        answers = [f"  - {{author: {agent}, parent: {one}, content: No., status: open}}\n" for one in ("c001", "c002")]
        hand_in(moot, agent, "comments:\n" + "".join(answers))
    assert len(moot("inbox")["questions"]) == 2, "both have gone three rounds"


@pytest.mark.ledger("R-12")
def test_a_reply_that_does_not_say_how_it_is_meant_is_asked_back(tmp_path: Path) -> None:
    moot = disputed(tmp_path)
    told = fault(hand_in(moot, "test-architect", "comments:\n  - parent: c001\n    content: You're right, fixed.\n"))
    assert "status: open to disagree" in told and "status: resolved and a resolution" in told
    assert moot("show", "1")["dispute_rounds"] == 0
