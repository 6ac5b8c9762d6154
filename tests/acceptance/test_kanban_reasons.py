"""The disputes document's reasons and tags: each is understood, and whoever reports hears what it will do."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, new_board


def in_dev(folder: Path) -> Moot:
    moot = new_board(folder)
    moot("add", "Trading", "--column", "dev")
    return moot


@pytest.mark.ledger("K-13")
@pytest.mark.parametrize(
    "said",
    [
        "status: blocked\ntags: [concurrency]\n",
        "status: blocked\ntags: concurrency\n",
        '{"status": "blocked", "tags": ["concurrency"]}',
        '{"outcome": "stuck", "blockers": "a race", "tags": ["concurrency"]}',
        "# Issue metadata\nescalation_reason: concurrency\n# or: security, performance, architecture, unknown\n",
    ],
)
def test_blocked_with_a_tag_goes_to_who_can_help(tmp_path: Path, said: str) -> None:
    moot = in_dev(tmp_path)
    assert moot.speak("dev-agent", said)["column"] == "needs-concurrency-expert"


@pytest.mark.ledger("K-13", "R-32")
def test_the_answer_names_the_tag_that_acted_and_those_that_did_not(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    said = {"outcome": "stuck", "summary": "x", "tags": ["needs-arch-clarification", "concurrency"]}
    item = moot.speak("dev-agent", json.dumps(said))
    assert (item["column"], item["escalation_reason"]) == ("needs-arch-clarification", "architecture")
    assert {"what": "tags", "said": "needs-arch-clarification; concurrency"} in item["acted"]
    (other,) = item["kept"]
    assert (other["what"], other["said"]) == ("other reasons", "concurrency") and "architecture" in other["why"]


@pytest.mark.ledger("K-13")
@pytest.mark.parametrize("tag", ["blocked-needs-story-clarification", "needs-story-clarification", "story"])
def test_the_end_of_a_columns_name_is_the_reason_that_leads_there(tmp_path: Path, tag: str) -> None:
    moot = in_dev(tmp_path)
    item = moot.speak("dev-agent", f"status: blocked\ntags: [{tag}]\nsummary: Does cancel refund?\n")
    assert (item["column"], item["escalation_reason"]) == ("blocked-needs-story-clarification", "story")
    assert item["acted"] == [{"what": "tags", "said": tag}] and item["kept"] == []


@pytest.mark.ledger("K-11", "K-13")
@pytest.mark.parametrize(
    "said",
    [
        "status: blocked\ntags: [needs-concurrency-expert]\ncomment: The two locks deadlock.\n",
        "escalation_reason: concurrency\ncomment: The two locks deadlock.\n",
        '{"outcome": "stuck", "escalation_reason": "concurrency", "comment": "The two locks deadlock."}',
    ],
)
def test_a_comment_in_plain_words_says_what_it_is_stuck_on(tmp_path: Path, said: str) -> None:
    moot = in_dev(tmp_path)
    item = moot.speak("dev-agent", said)
    assert (item["column"], item["kept"]) == ("needs-concurrency-expert", [])
    assert "The two locks deadlock" in item["why"]


@pytest.mark.ledger("K-12")
def test_a_failure_with_a_reason_is_told_when_the_reason_acts(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = moot.effort("dev-agent", "failed", summary="Test expects 42, got 41", escalation_reason="concurrency")
    assert item["column"] == "dev" and "needs-concurrency-expert when dev-agent is at its end" in item["reason_does"]
    for number in range(2, 7):
        item = moot.effort("dev-agent", "failed", summary=f"red for the {number}. reason")
    assert item["column"] == "needs-concurrency-expert", "and so it does"


@pytest.mark.ledger("R-10")
def test_a_concern_about_ones_own_work_is_fixed_where_it_was_made(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", artifacts=[{"name": "tests.md"}])
    moot.effort("dev-agent", "done", escalation_reason="security", summary="It works, but the token is in the log")
    item = moot("answer", "q1", "fix it")
    assert (item["column"], item["watcher"]) == ("dev", "dev-agent"), "the tests are not what is to be fixed"


@pytest.mark.ledger("K-11", "K-12")
def test_a_senior_who_is_stuck_too_moves_it_to_needs_human(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot.effort("dev-agent", "stuck", escalation_reason="unknown", blockers="I cannot")
    item = moot.effort("senior-dev-agent", "stuck", escalation_reason="unknown", blockers="Nor can I")
    assert item["column"] == "needs-human" and moot("doctor")["ok"]


@pytest.mark.ledger("K-11", "R-32")
@pytest.mark.parametrize(
    "said",
    [
        "escalation_reason: concurrency - two locks, ZEBRA first\n",
        "escalation_reason: Concurrency (ZEBRA deadlocks)\n",
        "escalation_reason: concurrency, because ZEBRA deadlocks\nsummary: see the reason\n",
        "escalation_reason: |\n  concurrency\n  ZEBRA deadlocks\n",
        '{"outcome": "failed", "escalation_reason": "concurrency: ZEBRA deadlocks", "summary": "red"}',
    ],
)
def test_what_is_said_behind_a_reason_is_told_to_who_can_help(tmp_path: Path, said: str) -> None:
    moot = in_dev(tmp_path)
    item = moot.speak("dev-agent", said)
    assert item["escalation_reason"] == "concurrency"
    next_one = "dev-agent" if "failed" in said else "concurrency-specialist"
    assert "ZEBRA" in json.dumps(moot("claim", next_one)["brief"])


@pytest.mark.parametrize("said", ["Concurrency", "needs-concurrency-expert", "Needs Concurrency Expert"])
def test_a_reason_that_is_one_says_nothing_more(tmp_path: Path, said: str) -> None:
    item = in_dev(tmp_path).speak("dev-agent", f"escalation_reason: {said}\nsummary: two locks\n")
    assert item["column"] == "needs-concurrency-expert" and item["kept"] == []
