"""A gate that says done, and in its own words that a check is red, is asked which of the two holds (R-22)."""

from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.vocabulary.phrases.reds import said_failed, said_red
from folkmoot.errors import Invalid
from folkmoot.testing.builders import SoundBoard, preset_flow
from tests.acceptance.test_quest import quest

QUEST = preset_flow("quest")


@pytest.mark.ledger("R-22", "Q-12")
@pytest.mark.parametrize(
    ("words", "red"),
    [
        ("ward is red", True),
        ("The Ward is still RED", True),
        ("lint red, tests green", True),
        ("lint: red", True),
        ("tests are failing", True),
        ("Ran it. Two suites failed", True),
        ("the build does not compile", True),
        ("eslint found 3 errors", True),
        ("2 tests failed", True),
        ("red", True),
        ("tests pass but types fail", True),
        ("all checks passed", False),
        ("no tests failed", False),
        ("0 failures, 0 errors", False),
        ("none of the checks is red", False),
        ("tests were failing, now green", False),
        ("lint was red before; it is fixed", False),
        ("the tests no longer fail", False),
        ("covers failed logins and red buttons", False),
        ("checks that a broken link is told", False),
        ("42 checks", False),
        ("the ward is not red", False),
    ],
)
def test_what_words_say_about_a_check(words: str, red: bool) -> None:
    assert (said_red([words], "ward") is not None) == red


WORDS: list[dict[str, Any]] = [
    {"summary": "lint red"},
    {"summary": "ran it", "blockers": "tests are failing"},
    {"summary": "ran it", "extra": {"lint": "red"}},
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("parts", WORDS)
def test_a_gate_whose_words_say_red_is_asked_back_and_red_as_its_last_word(parts: dict[str, Any]) -> None:
    for final in (False, True):
        with SoundBoard(QUEST) as board:
            item = board.add("A quest", column="review")
            board.effort("lawbringer", "done")
            claim = board.claim("ward")
            if final:
                board.report(claim, "done", **parts)
                assert board.place(item)[0] == "mend"
            else:
                with pytest.raises(Invalid, match="report failed if ward is red"):
                    board.say(claim, "done", **parts)
                board.report(claim, "done", summary="all green")
                assert board.place(item)[0] == "siege"


@pytest.mark.ledger("Q-12", "R-22")
def test_the_documents_form_beside_a_red_ward_does_not_pass_it(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot("move", "1", "review")
    moot.effort("lawbringer", "done")
    claim = moot("claim", "ward")
    said = moot.try_in(claim, "Status: complete\nReport: ward is red, lint fails in src/auth/registration.ts\n")
    assert said.code == 2 and "its words say 'ward is red'" in said.err
    moot.hand_in(claim, '{"status": "complete", "report": "tests are failing"}', "--final")
    assert moot("show", "1")["column"] == "mend"


@pytest.mark.ledger("R-22", "Q-12")
@pytest.mark.parametrize(
    ("words", "unrun"),
    [
        ("Integration tests written but could not be run: there is no database here", True),
        ("Integration tests written. They could not be run.", True),
        ("Integration tests written, not run (no database).", True),
        ("Wrote the tests; I was unable to run them because the database is missing", True),
        ("The suite is complete, but I couldn't run it here", True),
        ("Wrote the tests, never executed them", True),
        ("Tests written and run, all pass", False),
        ("Tests show that jobs which were cancelled do not run", False),
        ("Nothing was not run", False),
    ],
)
def test_whether_words_say_that_tests_were_not_run(words: str, unrun: bool) -> None:
    assert (said_failed([words]) is not None) == unrun


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    ("words", "red"),
    [
        ("tests/integration/auth.test.ts fails: the token stays valid", True),
        ("Tests are written. `auth.test.ts` still fails.", True),
        ("Heal tests/integration/auth.test.ts, it fails", True),
        ("tests/test_login.py failed", True),
        ("tests/auth_test.go does not pass", True),
        ("src/auth/login.spec.ts is red", True),
        ("auth.test.ts failed before; it is fixed", False),
        ("tests/auth.test.ts failed at first. The import is fixed.", False),
        ("auth.test.ts fails without the fix", False),
        ("auth.test.ts no longer fails", False),
        ("If auth.test.ts fails, run it again", False),
        ("src/auth.ts fails on bad input", False),
        ("tests/auth.test.ts was added; login fails closed", False),
    ],
)
def test_a_file_of_tests_fails_where_its_path_is_said_to(words: str, red: bool) -> None:
    assert (said_failed([words]) is not None) == red
