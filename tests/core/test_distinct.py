"""When is an attempt the same as an earlier one? (R-06, E-02)"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.commands import EditItem
from folkmoot.core.records import Attempt
from folkmoot.core.rules.distinct import judge, normal, similarity
from folkmoot.core.vocabulary.tries import denies_difference
from folkmoot.testing.builders import Story, preset_flow

KANBAN = preset_flow()
LONG = "Add a retry loop with exponential backoff around the payment call"
# The pairs on which the threshold was fitted; docs/decisions/0006 tells why. Rephrasings first.
SAME = [
    ("Add a mutex around the counter update", "Adding a mutex around the update of the counter"),
    ("Retry the request with exponential backoff", "Retry requests using exponential backoff"),
    ("Use a regular expression to parse the header", "Parse the header with a regular expression"),
    ("Rewrite the loop to use an inclusive upper bound", "Rewrite loop with inclusive upper bound"),
    ("Cache the user lookup in memory", "Cache user lookups in memory"),
    ("Mock the clock in the test", "Mock the clock in tests"),
    ("Increase the timeout to 30 seconds", "Increase the timeout to 60 seconds"),
    ("Use async/await with an event loop", "Use async / await with event loops"),
    ("Sort the list before comparing it", "Sort the list, then compare it"),
    ("Split the function into two smaller ones", "Split the function in two smaller functions"),
    ("Wrap the writes in one transaction", "Wrap all writes in a single transaction"),
    ("Normalise the path before the lookup", "Normalise paths before looking them up"),
]
DIFFERENT = [
    ("Add a mutex around the counter update", "Make the counter an atomic integer"),
    ("Retry the request with exponential backoff", "Send the request through a queue"),
    ("Use a regular expression to parse the header", "Use the standard library's header parser"),
    ("Rewrite the loop to use an inclusive upper bound", "Replace the loop by a slice"),
    ("Cache the user lookup in memory", "Cache the user lookup in Redis"),
    ("Cache the user lookup in memory", "Load all users at start"),
    ("Mock the clock in the test", "Inject a fake clock into the service"),
    ("Raise the pool size to 20", "Lower the pool size to 5"),
    ("Read the file inside the transaction", "Read the file outside the transaction"),
    ("Use async/await with an event loop", "Use a thread pool"),
    ("Sort the list before comparing it", "Compare as sets"),
    ("Wrap the writes in one transaction", "Write with optimistic version checks"),
    ("Fix the test's expected value", "Fix the off-by-one in the loop"),
    ("Use row locks", "Use advisory locks"),
    ("Validate input in the handler", "Validate input in the schema"),
]
CAUGHT_AT_LEAST = 7  # of the rephrasings, by words alone


def earlier(approach: str | None = LONG, **fields: object) -> Attempt:
    return Attempt(id="1/1", item="1", number=1, run="r1", agent="dev-agent", column="dev", approach=approach, **fields)  # type: ignore[arg-type]


@pytest.mark.ledger("R-06", "E-02")
@pytest.mark.parametrize(
    ("why", "approach", "outcome", "files", "commit", "before", "distinct"),
    [
        ("equal", LONG, None, [], None, {}, False),
        ("equal after normalising", LONG.upper().replace(" ", "  ") + "!", None, [], None, {}, False),
        ("equal, whatever the files", LONG, None, ["b.py"], None, {"files": ["a.py"]}, False),
        ("alike, nothing against it", LONG.replace("a retry", "the retry"), None, [], None, {}, False),
        ("alike, same files", LONG + "s", None, ["a.py"], None, {"files": ["a.py"]}, False),
        ("alike, other files", LONG + "s", None, ["b.py"], None, {"files": ["a.py"]}, True),
        ("alike, another failure", LONG + "s", "the port is taken", [], None, {"outcome": "timeout in test 7"}, True),
        ("alike, same failure", LONG + "s", "timeout in test 7", [], None, {"outcome": "Timeout in test 7."}, False),
        ("opposite direction", LONG.replace("Add", "Remove"), None, [], None, {}, True),
        ("not alike", "Rewrite the client in another library", None, [], None, {}, True),
        ("no name, same change", None, None, [], "abc", {"approach": None, "commit": "abc"}, False),
        ("no name, another change", None, None, [], "def", {"approach": None, "commit": "abc"}, True),
        ("no name, unknown change", None, None, [], None, {"approach": None}, True),
    ],
)
def test_the_verdict(
    why: str,
    approach: str | None,
    outcome: str | None,
    files: list[str],
    commit: str | None,
    before: dict[str, object],
    distinct: bool,
) -> None:
    verdict = judge(approach, outcome, files, commit, [earlier(**before)])  # type: ignore[arg-type]
    assert verdict.distinct == distinct, f"{why}: {verdict.ground}"
    assert verdict.ground, "a verdict always has a ground"


@pytest.mark.ledger("R-06", "E-02")
@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_truly_different_approaches_are_never_judged_the_same(one: str, two: str) -> None:
    assert judge(one, None, [], None, [earlier(two)]).distinct
    assert judge(two, None, [], None, [earlier(one)]).distinct


@pytest.mark.ledger("R-06", "E-02")
def test_most_rephrasings_are_caught_by_words_alone() -> None:
    assert (len(SAME), len(DIFFERENT)) == (12, 15)
    caught = [(one, two) for one, two in SAME if not judge(one, None, [], None, [earlier(two)]).distinct]
    assert len(caught) >= CAUGHT_AT_LEAST, caught


@pytest.mark.ledger("R-06")
@given(st.text(min_size=1, max_size=60).filter(normal))
def test_an_approach_is_the_same_as_itself_however_it_is_spaced_and_cased(approach: str) -> None:
    spaced = "  ".join(approach.casefold().split()) + " ..."
    if normal(spaced) == normal(approach):
        assert not judge(spaced, None, [], None, [earlier(approach)]).distinct
    assert not judge(approach, None, [], None, [earlier(approach)]).distinct


@pytest.mark.ledger("R-06")
@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_symmetric_and_between_nought_and_one(one: str, two: str) -> None:
    alike = similarity(normal(one), normal(two))
    assert alike == similarity(normal(two), normal(one))
    assert 0.0 <= alike <= 1.0


@pytest.mark.ledger("R-06")
@given(st.text(max_size=40), st.text(max_size=40))
def test_who_came_first_does_not_change_the_verdict(one: str, two: str) -> None:
    assert judge(one, None, [], None, [earlier(two)]).distinct == judge(two, None, [], None, [earlier(one)]).distinct


@pytest.mark.ledger("E-02", "R-05", "R-06")
def test_the_first_repeat_is_not_counted_and_the_second_is() -> None:
    story = Story(KANBAN, "dev")
    counted = []
    for _ in range(3):
        story.effort("failed", attempts=[{"approach": LONG}])
        counted.append(story.it.failure_count)
    assert counted == [1, 1, 2]
    assert [a.counted for a in story.attempts] == [True, False, True]
    assert "same as attempt 1" in story.attempts[1].ground
    assert story.names().count("attempt_repeated") == 1


@pytest.mark.ledger("E-02")
def test_repeats_alone_still_reach_the_end_of_the_ladder() -> None:
    story = Story(KANBAN, "dev")
    runs = 0
    while story.it.column == "dev":
        story.effort("failed", attempts=[{"approach": LONG}])
        runs += 1
        assert runs <= 12, "the same approach must not go on for ever"
    assert story.it.column == "needs-senior-dev"


@pytest.mark.ledger("R-06")
def test_several_attempts_in_one_report_count_one_by_one() -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", attempts=[{"approach": "alpha"}, {"approach": "beta"}, {"approach": "alpha"}])
    assert [a.counted for a in story.attempts] == [True, True, False]
    assert story.it.failure_count == 2


@pytest.mark.ledger("R-06", "R-18")
def test_attempts_are_compared_since_the_last_guidance_only() -> None:
    story = Story(KANBAN, "dev")
    story.effort("failed", attempts=[{"approach": LONG}])
    story.effort("asks", question={"question": "what now?"})
    story.answer("q1", "try it again, the server is up")
    story.effort("failed", attempts=[{"approach": LONG}])
    assert story.attempts[-1].counted and story.it.failure_count == 1


@pytest.mark.ledger("R-06")
def test_a_person_can_overrule_the_verdict_either_way() -> None:
    story = Story(KANBAN, "dev")
    for _ in range(2):
        story.effort("failed", attempts=[{"approach": LONG}])
    story.do(EditItem(overrule=2))
    assert story.it.failures == {"dev-agent": 2} and story.attempts[1].counted
    assert "overruled by alice" in story.attempts[1].ground
    story.do(EditItem(overrule=2))
    assert story.it.failures == {"dev-agent": 1} and not story.attempts[1].counted


@pytest.mark.ledger("R-05", "R-06")
def test_overruling_an_attempt_from_before_the_item_went_forward_counts_nothing_now() -> None:
    story = Story(KANBAN, "tests")
    for _ in range(2):
        story.effort("failed", attempts=[{"approach": LONG}])
    story.effort("done")
    story.do(EditItem(overrule=2))
    assert story.it.column == "dev" and story.it.failure_count == 0


@pytest.mark.ledger("R-03", "R-06")
def test_overruling_up_to_the_end_of_the_ladder_moves_the_item() -> None:
    story = Story(KANBAN, "tests")
    for approach in (LONG, LONG, "alpha", "beta"):
        story.effort("failed", attempts=[{"approach": approach}])
    assert story.place == ("tests", "ready") and story.it.failure_count == 3
    story.do(EditItem(overrule=2))
    assert story.it.column == "needs-senior-dev", "four failures end this ladder, so no rung is left to claim it on"


@pytest.mark.ledger("E-02")
@pytest.mark.parametrize(
    ("why", "denied"),
    [
        ("Same approach as attempt 1, longer timeout", True),
        ("The same method as before (with a longer timeout)", True),
        ("re-ran it", True),
        ("second try of the same", True),
        ("Retried: longer timeout", True),
        ("Same approach, but in another library", False),
        ("Same library, but a different algorithm", False),
        ("Same tool, other flags", False),
        ("Same idea, in Rust", False),
        ("The same approach is impossible on Windows, so it uses pipes", False),
        ("Retries were removed; it uses a queue", False),
    ],
)
def test_whoever_says_that_it_is_the_same_approach_is_believed(why: str, denied: bool) -> None:
    assert denies_difference(why) is denied
