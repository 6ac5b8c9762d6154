"""Which plain words beside `done` say that the work is not done (R-32)."""

import pytest

from folkmoot.core.vocabulary.phrases.undone import is_fix, said_undone, says_no_success

UNDONE = [
    *("The acceptance criteria are not met.", "Acceptance criterion 2 is not yet met"),
    "Two of the acceptance criteria are not met",
    *("I was not able to verify the second acceptance criterion.", "I could not check all of the acceptance criteria"),
    *("Not all acceptance criteria could be verified.", "Unfortunately, the acceptance criteria aren't fully met."),
    *("I was unable to make the tests pass.", "I could not get it to work.", "We couldn't get the parser to compile"),
    *("I could not find a way.", "No solution found.", "No working solution was found", "Nothing worked so far."),
    *("None of my approaches worked", "It does not work yet.", "Changed the cipher, but it still doesn't work."),
    *("I failed to fix the bug.", "I cannot solve this", "Rotated the keys. We were not able to finish it."),
    *("I stopped since I am running out of context", "Done so far. I had no time left for the tests."),
    *("a.ts is half written", "The mailer is still only partly implemented.", "I didn't get around to the docs"),
    *("Keys rotated, but the third could not be rotated.", "Two keys are new, but I couldn’t rotate the third"),
    "Rotated. However, the HSM could not be reached.",
]
DONE = [
    *("The acceptance criteria are met", "Items whose acceptance criteria are not met are shown in red"),
    *(
        "I could not find a bug in it.",
        "I could not find a way to break it",
        "Users who cannot complete the form see why",
    ),
    *("At first nothing worked. The second cipher works now.", "I was unable to make it pass; then fixed the key"),
    *("I could not get PyJWT to work, so I wrote the signer by hand.", "We couldn't get it to run. Instead it polls."),
    *("It does not work on Windows, as before", "I could not make sense of the old comment, and removed it"),
    *("Shows 'no solution found' when the solver gives up", "If it does not work yet, the page says so"),
    *("A record that is half written is dropped", "A file which is half written is read again", "Half of it was there"),
    *("The old parser could not be kept, so it is new", "It looked wrong, but I could not reproduce it"),
    *("It was slow, but it could not be cached. Now it is.", "Old keys work on, but new ones cannot be reused."),
    *("Warns when running out of time", "Callers get an error if a key could not be read"),
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("plainly", [False, True])
def test_words_that_say_that_the_work_is_not_done(plainly: bool) -> None:
    assert [words for words in UNDONE if said_undone(words, plainly=plainly) is None] == []
    assert [words for words in DONE if said_undone(words, plainly=plainly) is not None] == []


@pytest.mark.ledger("R-22")
def test_a_step_that_has_somebody_mend_the_work_is_one_whoever_it_names() -> None:
    steps = ["Fix the lockout", "Spiritmender should fix the failing test", "The codeweaver-2 must fix its type"]
    assert [step for step in steps if not is_fix(step)] == []
    told = ["This should fix the flake", "It has to fix itself", "Spiritmender could fix the names some day"]
    assert [step for step in told if is_fix(step)] == []


@pytest.mark.ledger("E-04", "R-32")
@pytest.mark.parametrize(
    ("words", "none"),
    [
        ("After looking at the nonce, the curve and the padding, I was unable to determine the cause.", True),
        ("Despite three attempts I could not identify the root cause of the failure.", True),
        ("I have been unable to find a cause. No root cause could be determined so far.", True),
        ("I found no cause", True),
        ("I could not find the cause: use a counter.", False),
        ("I could not find the cause, but a counter nonce avoids it.", False),
        ("I found no cause. The nonce and the curve are right.", False),
        ("After the upgrade, use P-256.", False),
    ],
)
def test_advice_that_only_says_that_nothing_was_found_is_none(words: str, none: bool) -> None:
    assert says_no_success(words) is none
