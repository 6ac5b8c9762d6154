"""A signal, a trigger or a result that an author of the escalation document denies is not taken for said."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_escalation import ASKED, block, blocks, board, counts


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        *("no", "No.", "nope", "n", "❌", "✗", "TBD", "No, verify() is missing", "false"),
        *("0", "no - verify() is missing"),
    ],
)
def test_complete_that_is_denied_on_its_line_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"TASK_COMPLETE: {words}\n")
    assert said.error == "unreadable_report" and "is not clear; say done, or what is left" in said.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "words", ["no regressions", "No test fails", "no changes were needed", "nothing left to do", "yes", "n + 1 queries"]
)
def test_complete_beside_words_that_only_begin_like_a_denial_is_done(tmp_path: Path, words: str) -> None:
    assert board(tmp_path).speak("developer", f"TASK_COMPLETE: {words}\n")["status"] == "done"


DENIED = ["no", "No", "false", "none", "N/A", "not needed", "not required yet"]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("denied", DENIED)
@pytest.mark.parametrize("name", ["SEEKING_DIVINE_CLARIFICATION", "TASK_INCOMPLETE", "EXPERT_UNSUCCESSFUL"])
def test_a_signal_that_is_denied_on_its_line_is_not_said(tmp_path: Path, name: str, denied: str) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"{name}: {denied}\n")
    assert said.error == "unreadable_report" and f"{name}: '{denied}' says that it is not so" in said.err
    item = moot.hand_in(moot("show", "1")["runs"][-1], f"{block(1)}\n{name}: {denied}\n")
    assert (item["status"], counts(moot)) == ("ready", (1, 0, 1))
    item = moot.speak("developer", f"TASK_COMPLETE: true\n{name}: {denied}\n\nThe keys rotate now.\n")
    assert item["status"] == "done" and "The keys rotate now" in json.dumps(item["runs"][-1]["report"])


@pytest.mark.ledger("E-04", "E-07", "R-32")
@pytest.mark.parametrize(
    "words", ["no\n\nUse AES-GCM instead.", "No, use AES-GCM instead.", "❌", "false\nAdvice: AES-GCM"]
)
def test_an_expert_that_denies_it_was_unsuccessful_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    said = moot.try_in(moot("claim", "crypto-expert"), f"EXPERT_UNSUCCESSFUL: {words}\n")
    assert said.error == "unreadable_report" and "says that it is not so" in said.err
    assert counts(moot) == (3, 0, 3)


@pytest.mark.ledger("E-04", "E-07")
@pytest.mark.parametrize("words", ["no cipher fits", "nothing found", "none of them fits", "not found"])
def test_an_expert_that_says_what_there_is_not_was_unsuccessful(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", f"EXPERT_UNSUCCESSFUL: {words}\n")
    assert counts(moot) == (3, 1, 4)


TABLE = "| Trigger | {} |\n|---|---|\n| Security concern | {} |\n| Circular dependency detected | {} |\n"
WIDE = "| Trigger | Signal | Met |\n|--|--|--|\n| Security concern | SEEKING_DIVINE_CLARIFICATION | No |\n"
NOT_THERE = [
    TABLE.format("Met?", "No", "no"),
    TABLE.format("Met?", "none", "false"),
    WIDE,
    "6 total failed attempts: not reached\nSecurity concern: not applicable\nCircular dependency detected: no",
    "Security concern: does not apply\nAmbiguous acceptance criteria: not met",
    "Security concerns: addressed\nCircular dependency: not detected",
    "I checked: circular dependency, security concern, ambiguous acceptance criteria. None applies.",
]


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize("words", NOT_THERE)
def test_a_trigger_that_is_denied_in_its_row_or_behind_its_name_stops_nothing(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"{block(1)}\n{words}\n")
    assert (item["status"], counts(moot)) == ("ready", (1, 0, 1))


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "words",
    [
        TABLE.format("Met?", "Yes", "No"),
        TABLE.format("Met?", "No", "Yes"),
        TABLE.format("Detail", "the key is in git", "-"),
        WIDE.replace("No |", "x |"),
        "Security concern: no key is encrypted",
        *("Security concern: not yet fixed", "Security concern: must be addressed", "Security concern: to be handled"),
    ],
)
def test_a_trigger_that_is_stated_in_its_row_or_behind_its_name_asks(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    assert moot.speak("developer", f"{block(1)}\n{words}\n")["status"] == ASKED


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "words", ["The acceptance criteria are not met.", "I was unable to make the tests pass.", "No solution found."]
)
def test_complete_beside_words_that_say_it_did_not_come_out_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    for text in (f"TASK_COMPLETE\n\n{words}\n", json.dumps({"outcome": "done", "summary": words})):
        said = moot.try_in(claim, text)
        assert said.code == 2 and words.rstrip(".") in said.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "field",
    [
        *(
            "Pending divine questions: which key?",
            "Blockers: the key is missing",
            "Remaining: verify()",
            "Remaining work:\n- verify()",
            "Outcome: failure",
        ),
        *("Acceptance Criteria:\n- [x] sign()\n- [ ] verify()", "Acceptance criteria met: no", "Result: unsuccessful"),
    ],
)
def test_complete_beside_a_field_that_says_what_is_left_is_asked_back(tmp_path: Path, field: str) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"TASK_COMPLETE\n\n{field}\n")
    assert said.error == "report_refused" and "which holds?" in said.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "field",
    [
        *(
            "Pending divine questions: none",
            "Blockers: none",
            "Remaining: nothing",
            "Remaining work: n/a",
            "Outcome: success",
            "Result: all tests pass",
        ),
        *(
            "Acceptance Criteria:\n- [x] sign()\n- [x] verify()",
            "Acceptance criteria met: yes",
            "Remaining budget: 3 h",
        ),
    ],
)
def test_complete_beside_a_field_that_says_that_nothing_is_left_is_done(tmp_path: Path, field: str) -> None:
    assert board(tmp_path).speak("developer", f"TASK_COMPLETE\n\n{field}\n")["status"] == "done"


@pytest.mark.ledger("E-05", "E-07", "R-32")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        *(("Divine intervention required.", 2), ("MANDATORY ESCALATION", 2), ("Escalation: Divine", 2)),
        *(("Divine intervention: not required", 0), ("No escalation needed.", 0), ("Escalation: none", 0)),
    ],
)
def test_a_person_asked_for_in_the_documents_headings_is_asked_back(tmp_path: Path, words: str, code: int) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), f"{block(1)}\n{words}\n")
    assert said.code == code and (code == 0 or "it asks a person in words" in said.err)
