"""Whatever was tried is in the item's history, in the escalation document's forms, through the command line."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import new_board
from tests.acceptance.test_escalation import ASKED, EXPERTS, TRIES, UNSUCCESSFUL, block, blocks, board, counts

APPROACHES = [approach for approach, _, _ in TRIES]


@pytest.mark.ledger("E-06", "R-08")
def test_what_an_unsuccessful_expert_tried_is_in_the_history_and_asking_it_counts_once(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", f"{block(4)}\n{block(5)}\n{UNSUCCESSFUL}")
    history = moot("show", "1")["failure_history"]
    told = [(one["agent"], one["approach"], one["counted"]) for one in history[3:]]
    assert told == [
        ("crypto-expert", APPROACHES[3], False),
        ("crypto-expert", APPROACHES[4], False),
        ("crypto-expert", None, True),
    ]
    assert history[3]["why_different"] == TRIES[3][2] and history[-1]["outcome"] == "EXPERT_UNSUCCESSFUL"
    assert counts(moot) == (3, 1, 4)
    claim = moot("claim", "protocol-expert")
    assert APPROACHES[3] in claim["brief"]["task"]["body"], "the next expert is told"


@pytest.mark.ledger("E-06", "R-08")
def test_what_an_expert_with_advice_tried_is_in_the_history(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", f'{block(4)}\n{{"outcome": "done", "summary": "Use the other cipher"}}')
    assert APPROACHES[3] in [one["approach"] for one in moot("show", "1")["failure_history"]]
    item = moot.speak("developer", block(4, "Expert Delegation"))
    assert item["failure_history"][-1]["counted"], "what the expert tried was no attempt of the developer's"
    assert counts(moot) == (3, 1, 4)


@pytest.mark.ledger("E-05", "E-06", "R-10")
@pytest.mark.parametrize(
    ("preset", "agent", "column"), [("kanban", "dev-agent", "dev"), ("escalation", "developer", "")]
)
@pytest.mark.parametrize(
    "parts",
    [{"escalation_reason": "security"}, {"reason": "security"}, {"cause": "requirement"}, {"cause": "fatal"}],
)
def test_a_failure_that_asks_at_once_is_in_the_history(
    tmp_path: Path, preset: str, agent: str, column: str, parts: dict[str, str]
) -> None:
    moot = new_board(tmp_path, preset)
    moot("add", "Trading", *(["--column", column] if column else []))
    item = moot.effort(agent, "failed", summary="Test expects 42, got 41", **parts)
    assert item["status"] == ASKED
    (one,) = item["failure_history"]
    assert (one["attempt"], one["reason"], one["counted"]) == (1, "Test expects 42, got 41", False)
    assert item["failure_count"] == 0 and moot("doctor")["ok"]


@pytest.mark.ledger("E-06", "R-32")
def test_attempts_in_a_last_word_in_bad_form_are_in_the_history(tmp_path: Path) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    told = {"outcome": "asks", "attempts": [{"approach": APPROACHES[0], "outcome": TRIES[0][1]}]}
    assert moot.try_in(claim, told).code == 2
    assert moot.try_in(claim, told, "--final").code == 0
    (one,) = moot("show", "1")["failure_history"]
    assert (one["approach"], one["counted"]) == (APPROACHES[0], False)
    item = moot.speak("developer", block(1))
    assert [one["counted"] for one in item["failure_history"]] == [False, True], "told again in good form it counts"


@pytest.mark.ledger("E-06", "R-08", "R-32")
def test_an_experts_attempts_in_bad_form_reach_the_problems_history(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    claim = moot("claim", "crypto-expert")
    told = {"outcome": "asks", "attempts": [{"approach": APPROACHES[3], "outcome": TRIES[3][1]}]}
    assert moot.try_in(claim, told, "--final").code == 0
    moot.speak("crypto-expert", UNSUCCESSFUL)
    assert APPROACHES[3] in [one["approach"] for one in moot("show", "1")["failure_history"]]
    assert counts(moot) == (3, 1, 4) and EXPERTS[1] in moot("show", "1")["why"]


@pytest.mark.ledger("E-06", "R-07")
@pytest.mark.parametrize("cause", ["transient", "environment", "timeout", "conflict"])
def test_attempts_beside_a_passing_fault_are_kept_and_may_be_made_again(tmp_path: Path, cause: str) -> None:
    moot = board(tmp_path)
    told = [{"approach": APPROACHES[0], "outcome": "The network was gone"}]
    item = moot.effort("developer", "failed", cause=cause, summary="The network was gone", attempts=told)
    (one,) = item["failure_history"]
    assert (one["approach"], one["cause"], one["counted"]) == (APPROACHES[0], cause, False)
    assert counts(moot) == (0, 0, 0)


@pytest.mark.ledger("E-06", "R-08")
def test_the_reason_why_an_expert_is_stuck_reaches_the_next_and_the_story(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.effort("crypto-expert", "stuck", blockers="The wire is closed to it", reason="tcpdump needs root here")
    assert "tcpdump needs root here" in json.dumps(moot("claim", EXPERTS[1])["brief"])
    assert "tcpdump needs root here" in moot.process_text("show", "1")


@pytest.mark.ledger("E-06", "R-08")
@pytest.mark.parametrize("place", ["Why Different:", "ATTEMPT 2:"])
def test_what_is_said_inside_or_right_behind_an_attempt_stays_with_it(tmp_path: Path, place: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 2).replace(place, f"\nThe provider closes port 25.\n\n{place}", 1))
    first, second = moot("show", "1")["failure_history"]
    assert "The provider closes port 25." in first["reason"] and second["reason"] == TRIES[1][1]
    tried = moot.process_text("show", "1").partition("What was tried")[2].partition("What the last run said")[0]
    assert "The provider closes port 25." in tried
    claim = moot("claim", "developer")
    assert "The provider closes port 25." in json.dumps(claim["brief"]["attempts"])
    moot.hand_in(claim, block(3))
    assert "The provider closes port 25." in moot("claim", EXPERTS[0])["brief"]["task"]["body"]
