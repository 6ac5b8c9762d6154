"""What is said behind ATTEMPT blocks keeps its meaning: a signal, words of success, or what is in the way (E-06)."""

import pytest

from folkmoot.core.rules.distinct import fault_of_attempts
from folkmoot.core.vocabulary.tries import claims_success
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

BLOCKS = """ATTEMPT 1: Self-Solve
Approach: the framework's helper
Outcome: Older clients reject the signature
Why Different: the first idea

ATTEMPT 2: Self-Solve
Approach: a table of its own
Outcome: Each request waits 80 ms
Why Different: no cookie at all

"""
COMPLETE = [
    *("TASK_COMPLETE", "**TASK_COMPLETE**", "Signal: TASK_COMPLETE", "TASK_COMPLETED", "TASK COMPLETE"),
    *("TASK_COMPLETE: all 12 tests are green", "TASK_COMPLETE\n\nThe proxy does it now.", "Status: complete"),
]
SUCCESS = [
    *("The third approach worked. All tests pass now.", "Done.", "SUCCESS", "Result: success", "It works now!"),
    *("Everything is green.", "I tried a proxy.\nThat one works.", "All tests are passing", "The problem is solved."),
    *("I then fixed it by linking statically. TASK_COMPLETE", "Signal TASK_COMPLETE", "Task complete."),
]
OTHER = [
    *("The HSM is missing, so nothing can work.", "It works only on Linux.", "The tests do not pass.", "Not done."),
    *("Almost everything passes, one test is still red.", "Somebody must give me the key.", "No approach worked."),
]


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("words", COMPLETE)
def test_a_signal_of_success_behind_failed_attempts_is_done(words: str) -> None:
    said = read_report(BLOCKS + words)
    assert (said.outcome, len(said.attempts)) == ("done", 2)


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("words", ["TASK_COMPLETE", "TASK_COMPLETE\n\nSummary: the keys rotate"])
def test_the_signal_alone_is_done(words: str) -> None:
    assert read_report(words).outcome == "done"


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("words", ["TASK_COMPLETE except for the migration", "TASK_COMPLETE: but two tests fail"])
def test_a_success_that_is_taken_back_is_no_done(words: str) -> None:
    try:
        said = read_report(BLOCKS + words)
    except Invalid:
        return
    assert said.outcome != "done"


@pytest.mark.ledger("E-06", "R-32")
@pytest.mark.parametrize("words", SUCCESS)
def test_words_of_success_behind_failed_attempts_are_asked_back(words: str) -> None:
    said = read_report(BLOCKS + words)
    assert (
        said.outcome == "failed" and len(said.attempts) == 2 and said.attempts[-1].outcome == "Each request waits 80 ms"
    )
    fault = fault_of_attempts(said)
    assert fault is not None and "which holds" in fault and "TASK_COMPLETE" in fault


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("words", OTHER)
def test_other_words_behind_the_blocks_are_kept(words: str) -> None:
    said = read_report(BLOCKS + words)
    assert not claims_success(words)
    assert (said.outcome, said.blockers, fault_of_attempts(said)) == ("failed", words, None)


@pytest.mark.ledger("E-02", "E-06")
@pytest.mark.parametrize(
    "why", ["Why Different:", "Why Different: ", "Why Different: [how this differs from previous attempts]"]
)
def test_a_difference_that_nobody_filled_in_is_told_as_empty(why: str) -> None:
    said = read_report(f"ATTEMPT 2: Self-Solve\nApproach: a table of its own\nOutcome: red\n{why}\n")
    assert said.attempts[0].why_different == ""
    without = read_report("ATTEMPT 2: Self-Solve\nApproach: a table of its own\nOutcome: red\n")
    assert without.attempts[0].why_different is None, "who was not asked has not denied it"


@pytest.mark.ledger("E-02", "E-06")
@pytest.mark.parametrize("outcome", ["all 42 tests pass", "works on all samples", "All of the 3 checks are green"])
def test_who_says_that_all_of_it_works_has_not_failed(outcome: str) -> None:
    fault = fault_of_attempts(read_report(f"ATTEMPT 1: Self-Solve\nApproach: a proxy\nOutcome: {outcome}\n"))
    assert fault is not None and "succeeded" in fault


@pytest.mark.ledger("E-02", "E-06")
@pytest.mark.parametrize("outcome", ["3 of 5 tests pass", "works on Linux", "all 42 tests pass, but it takes 40 s"])
def test_half_a_success_is_none(outcome: str) -> None:
    assert fault_of_attempts(read_report(f"ATTEMPT 1: Self-Solve\nApproach: a proxy\nOutcome: {outcome}\n")) is None


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("mark", [".", ";", " |", ",", " -"])
@pytest.mark.parametrize("first", [" ", "\n"])
def test_a_block_on_one_line_keeps_its_fields(mark: str, first: str) -> None:
    fields = f"{mark} ".join(["Approach: a proxy", "Outcome: 80 ms, too slow", "Why Different: no cookie"])
    head = "ATTEMPT 1: Self-Solve" + (f"{mark} " if first == " " else first)
    (told,) = read_report(head + fields).attempts
    assert (told.approach, told.outcome, told.why_different) == ("a proxy", "80 ms, too slow", "no cookie")


@pytest.mark.ledger("E-06")
def test_words_of_a_field_are_no_field_of_their_own() -> None:
    (told,) = read_report("ATTEMPT 1: Self-Solve\nApproach: renamed the outcome: label\nOutcome: red").attempts
    assert (told.approach, told.outcome) == ("renamed the outcome: label", "red")
