"""The disputes document's reasons and tags: each is understood, and whoever reports hears what it will do."""

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


@pytest.mark.ledger("K-12")
def test_a_failure_with_a_reason_is_told_when_the_reason_acts(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = moot.effort("dev-agent", "failed", summary="Test expects 42, got 41", escalation_reason="concurrency")
    assert item["column"] == "dev" and "needs-concurrency-expert when dev-agent is at its end" in item["reason_does"]
    for number in range(2, 7):
        item = moot.effort("dev-agent", "failed", summary=f"red for the {number}. reason")
    assert item["column"] == "needs-concurrency-expert", "and so it does"


@pytest.mark.ledger("K-11", "K-12")
def test_a_senior_who_is_stuck_too_moves_it_to_needs_human(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot.effort("dev-agent", "stuck", escalation_reason="unknown", blockers="I cannot")
    item = moot.effort("senior-dev-agent", "stuck", escalation_reason="unknown", blockers="Nor can I")
    assert item["column"] == "needs-human" and moot("doctor")["ok"]
