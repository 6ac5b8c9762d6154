"""An attempt that has not ended, or that worked, is no failed one, wherever its author says so."""

from pathlib import Path

import pytest

from tests.acceptance.test_escalation import block, board, counts
from tests.acceptance.test_escalation_told import told


@pytest.mark.ledger("E-02", "E-06", "R-32")
@pytest.mark.parametrize(
    "outcome",
    [
        *("pending", "In progress", "not tried yet", "Not yet run.", "TBD", "to be determined", "still pending"),
        *("awaiting the expert's answer", "waiting for crypto-expert's reply"),
    ],
)
def test_an_attempt_that_has_not_ended_is_asked_back_and_not_counted(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = moot.try_in(claim, f"{told(1)}\n{told(2, outcome=outcome)}")
    assert said.error == "report_refused" and "has not ended" in said.err and "report incomplete" in said.err
    item = moot.hand_in(claim, f"{told(2, outcome=outcome)}\n{told(3)}")
    *_, open_one, failed = item["failure_history"]
    assert (open_one["counted"], failed["counted"]) == (False, True)
    assert open_one["ground"] == "it has not ended: only what failed counts"


@pytest.mark.ledger("E-02", "E-06")
@pytest.mark.parametrize(
    "outcome",
    [
        *("started, then crashed", "waiting for the lock timed out", "not tested, the build fails", "unknown"),
        *("Delegated to crypto-expert, EXPERT_UNSUCCESSFUL", "Pending expert requests time out"),
    ],
)
def test_an_attempt_that_ended_badly_counts(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", told(1, outcome=outcome))
    assert counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-06", "R-32")
@pytest.mark.parametrize(
    "title", ["Self-Solve - SUCCESS", "Self-Solve ✅", "Self-Solve (succeeded)", "Self-Solve: fixed"]
)
def test_a_success_in_the_title_of_the_last_block_is_asked_back(tmp_path: Path, title: str) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"{told(1)}\nATTEMPT 2: {title}\nApproach: jose cli\n")
    assert said.error == "report_refused" and "succeeded" in said.err


@pytest.mark.ledger("E-06", "R-32")
@pytest.mark.parametrize("words", ["All tests pass now and the task is complete.", "The second approach worked."])
def test_a_success_in_words_before_failed_attempts_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"{words}\n\n{told(1)}")
    assert said.error == "report_refused" and "which holds" in said.err


@pytest.mark.ledger("E-03", "R-08", "R-32")
@pytest.mark.parametrize("outcome", ["", "Outcome: pending\n"])
def test_an_expert_whom_an_open_block_asks_for_is_asked_back(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    asks = f"ATTEMPT 2: Expert Delegation\nApproach: Please ask database-expert which index fits\n{outcome}"
    said = moot.try_in(moot("claim", "developer"), f"{block(1)}\n{asks}")
    assert said.error == "report_refused" and "delegates" in said.err
