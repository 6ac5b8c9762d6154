"""The documents' own words for causes and reasons, however they are spelt; and what nobody knows is named back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.enums import CAUSES, ReportedCause
from folkmoot.core.vocabulary.lines import nth_time
from folkmoot.core.vocabulary.words import (
    CAUSE_WORDS,
    REASONS,
    Meaning,
    asks_to_split,
    known_reason,
    meaning_in,
    meaning_of,
    plain,
)

# As the documents print them.
QUEST_FAILURES = {
    "Task Complexity Failure": "size",
    "Integration Conflict": "integration",
    "Context Exhaustion": "size",
    "Context window approaching limits": "size",
    "Task complexity exceeds agent capability": "size",
    "Unexpected dependencies discovered": "size",
    "Integration conflicts detected": "integration",
    "Repeated failure cycles": "size",
}
TRIGGERS = {
    "6 total failed attempts": Meaning(cause="fatal"),
    "3 EXPERT_UNSUCCESSFUL": Meaning(cause="fatal"),
    "Circular dependency detected": Meaning(cause="fatal"),
    "Security concern": Meaning(reason="security"),
    "Ambiguous acceptance criteria": Meaning(cause="requirement"),
}
ERRORS = {"RecoverableError": "transient", "FatalError": "fatal", "fatal": "fatal", "context exhausted": "size"}
PHRASES = [phrase for phrases in CAUSE_WORDS.values() for phrase in phrases]
KANBAN = {"concurrency": "needs-concurrency-expert", "security": "needs-security-review", "test-vs-dev": "dispute"}


@pytest.mark.ledger("R-07", "R-24", "Q-08")
@pytest.mark.parametrize(("words", "cause"), [*QUEST_FAILURES.items(), *ERRORS.items()])
def test_the_documents_words_name_a_cause(words: str, cause: ReportedCause) -> None:
    spelt = (words, words.upper(), words.lower().replace(" ", "_"), f"**1. {words}**".strip("*"), f"{words}: 80% done")
    assert [meaning_of(one) for one in spelt] == [Meaning(cause=cause)] * 5


@pytest.mark.ledger("R-10", "R-11", "E-08")
@pytest.mark.parametrize(("words", "meaning"), TRIGGERS.items())
def test_the_mandatory_triggers_are_known_in_every_spelling(words: str, meaning: Meaning) -> None:
    assert [meaning_of(one) for one in (words, words.lower().replace(" ", "_"), f" {words}. ")] == [meaning] * 3


@given(
    st.sampled_from(PHRASES),
    st.sampled_from(["_", "-", " ", "  "]),
    st.sampled_from(["upper", "lower", "title", "capitalize"]),
)
def test_case_and_signs_between_words_make_no_difference(phrase: str, sign: str, shape: str) -> None:
    spelt = getattr(phrase, shape)().replace(" ", sign)
    assert plain(spelt) == plain(phrase)
    assert meaning_of(spelt) == meaning_of(phrase) is not None


def test_every_cause_is_its_own_word_and_no_phrase_has_two_meanings() -> None:
    assert {cause: meaning_of(cause) for cause in CAUSES} == {cause: Meaning(cause=cause) for cause in CAUSES}
    assert set(CAUSE_WORDS) == set(CAUSES) and len(PHRASES) == len(set(PHRASES))


@pytest.mark.parametrize("words", [None, "", "moon", "it did not work", "Test expects 42, got 41", "concurrent"])
def test_what_nobody_knows_has_no_meaning(words: str | None) -> None:
    assert meaning_of(words) is None and known_reason(KANBAN, words) is None


@pytest.mark.ledger("K-11", "R-09")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Concurrency", "concurrency"),
        ("SECURITY", "security"),
        ("Security concern", "security"),
        ("needs-concurrency-expert", "concurrency"),
        ("test vs dev", "test-vs-dev"),
        ("concurrency: two locks", "concurrency"),
        ("Performance", "performance"),
    ],
)
def test_a_reason_is_found_whatever_its_case(words: str, reason: str) -> None:
    assert known_reason(KANBAN, words) == reason


def test_the_documents_reasons_are_known_in_every_flow() -> None:
    assert [known_reason({}, reason) for reason in REASONS] == list(REASONS)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Half is there. Context window approaching limits, so I stop.", Meaning(cause="size")),
        ("Stopped: integration conflicts detected (AuthResult differs)", Meaning(cause="integration")),
        ("There were no integration conflicts detected, and it is red", None),
        ("I fixed the circular dependency. The test is red", None),
        ("Found a security concern in the login", Meaning(reason="security")),
        ("It failed", None),
        ("", None),
    ],
)
def test_a_text_names_a_kind_of_failure_unless_it_denies_it(text: str, meaning: Meaning | None) -> None:
    assert meaning_in([None, text]) == meaning


@pytest.mark.ledger("Q-08", "R-07")
@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("The upload fails with 413 payload too large", None),
        ("the request body is too large", None),
        ("Context exhaustion was not the cause", None),
        ("The context limit was not reached", None),
        ("an integration conflict is ruled out", None),
        ("Too large for one agent", "size"),
        ("the migration is too large for one effort", "size"),
        ("This is way too complex", "size"),
        ("Context exhaustion is the cause", "size"),
        ("the task is too large: the payload too", "size"),
    ],
)
def test_a_phrase_about_something_else_or_that_was_not_the_cause_names_none(words: str, cause: str | None) -> None:
    found = meaning_in([words])
    assert (found.cause if found else None) == cause


@pytest.mark.parametrize(
    ("number", "words"),
    [
        *((0, ""), (1, ""), (2, " for the 2nd time"), (3, " for the 3rd time"), (4, " for the 4th time")),
        *((11, " for the 11th time"), (12, " for the 12th time"), (21, " for the 21st time")),
    ],
)
def test_how_often_is_said_as_people_say_it(number: int, words: str) -> None:
    assert nth_time(number) == words


@pytest.mark.ledger("Q-08")
@pytest.mark.parametrize(
    "step",
    [
        *("Split: model", "Split the task into model and mail", "split into form and mail", "Re-decompose the quest"),
        *("The rest should be split", "2. Break it down into smaller tasks", "Recommend splitting the task"),
        *("Respawn Pathseeker", "Spawn a fresh pathseeker with this report", "Re-run the pathseeker"),
        *("Task needs decomposition", "A fresh Pathseeker must split the work. Registration stands."),
    ],
)
def test_a_step_may_recommend_that_the_task_is_split(step: str) -> None:
    assert asks_to_split(["none", step])


@pytest.mark.parametrize(
    "step",
    [
        *("Do not split the task", "No need to decompose", "Split the line on commas", "Divide by the number of users"),
        *("The pathseeker was right", "Run the tests as the pathseeker said"),
        *("Break the cache", "The task was split", "The string should be split on commas", "Try again with a mock", ""),
    ],
)
def test_a_step_about_the_code_splits_no_task(step: str) -> None:
    assert not asks_to_split([step])
