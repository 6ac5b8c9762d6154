"""What an agent tells of its attempts keeps its meaning: what worked is no failure, the same again not new (E-02)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.rules.distinct import fault_of_attempts, judge
from folkmoot.core.vocabulary.tries import denies_difference, worked
from folkmoot.core.vocabulary.triggers import trigger_in
from folkmoot.errors import Invalid
from folkmoot.testing.builders import SoundBoard, TrialBoard, preset_flow, report, small_flow
from tests.core.test_distinct import DIFFERENT, earlier
from tests.core.test_experts import WAYS, attempt, expert_of, tracking

FLOW = preset_flow("escalation")
ASKED = "awaiting-divine-guidance"
WORKED = [
    *(
        "Success",
        "success!",
        "SUCCESS",
        "Succeeded",
        "It works now",
        "It worked",
        "All tests pass",
        "Tests passed",
        "Done",
    ),
    *(
        "Fixed: the cookie is signed",
        "Solved.",
        "✅ Success",
        "Success - all 12 tests green",
        "resolved",
        "passed",
        "OK",
    ),
]
DID_NOT = [
    *(
        "partial success",
        "works, but slow",
        "passed locally, CI red",
        "No success",
        "not successful",
        "red",
        "failed",
        "",
    ),
    *(
        "Older clients reject the signature",
        "success (3 tests still failing)",
        "Fixed two, broke three",
        "Unsuccessful",
    ),
    *("It works only on Linux", "done except for the migration", "worked until the cache was cold"),
]
DENIALS = [
    *(
        "same approach",
        "Same approach as before",
        "The same",
        "not different",
        "none",
        "None.",
        "It is the same",
    ),
    *("same approach, typo fixed", "fixed a typo", "Fixing typos", "retry", "Retrying the same approach", "nothing"),
    *(
        "identical to attempt 1",
        "just a retry",
        "no different from before",
        "Same approach again",
        "It isn't different",
    ),
    *("it is not different, I retried the same", "Not different - same approach retried", "identical, run again"),
    *("It isn't really different, just a retry with a clean cache", "Not different, I only cleared the cache"),
    "No real difference: a retry with more memory",
]
# A field that nobody filled in says nothing: the approaches are compared, as where there is no such field.
LEFT_EMPTY = ["N/A", "n/a", "", "-", "not applicable", "unknown", "TBD"]
GROUNDS = [
    *(
        "Same approach, but another tool",
        "Same tool, different method",
        "A smaller payload",
        "The first idea",
        "No cookie",
    ),
    *(
        "Leaves the cookie as it is",
        "Nothing is stored at all",
        "Same idea with the library's own parser",
        "first attempt",
    ),
    *("Not really different, but with another library", "Not a different tool: the key is new", "Nothing: no cookie"),
]


@pytest.mark.ledger("E-06")
def test_which_outcomes_say_that_an_attempt_worked() -> None:
    assert [words for words in WORKED if not worked(words)] == []
    assert [words for words in DID_NOT if worked(words)] == []
    assert not worked(None)


@pytest.mark.ledger("E-02", "R-06")
def test_which_words_say_that_nothing_is_different() -> None:
    assert [words for words in DENIALS if not denies_difference(words)] == []
    assert [words for words in [*GROUNDS, *LEFT_EMPTY] if denies_difference(words)] == []
    assert not denies_difference(None), "who was not asked has denied nothing"


@pytest.mark.ledger("E-02", "R-06")
@pytest.mark.parametrize("words", DENIALS)
def test_whoever_says_that_it_is_the_same_is_believed(words: str) -> None:
    before = [earlier("Rotate the keys")]
    verdict = judge("Sign the cookie", "other", ["b.py"], "c2", before, words)
    assert not verdict.distinct and "attempt 1" in verdict.ground
    assert judge("Sign the cookie", "other", ["b.py"], "c2", [], words).distinct, "the first is different from nothing"


@pytest.mark.ledger("E-02", "R-06")
@pytest.mark.parametrize(
    ("approach", "distinct"),
    [
        ("Fixed a typo", False),
        ("Fix the typo in the config", False),
        ("Retry", False),
        ("The same approach again", False),
        ("Same as attempt 1", False),
        ("Run the tests again", False),
        ("Rotate teh keys on every deployment", False),
        ("Rotate the keys on every deploymnet", False),
        ("Rotate the keys on every deploymant", False),
        ("Retried: rotate the keys on every deployment", False),
        ("rotate the keys on every deployment (typo fixed)", False),
        ("Retry with exponential backoff", True),
        ("Retried: sign the cookie by hand", True),
        ("Fix the typo, then rewrite the parser by hand", True),
    ],
)
def test_a_typo_or_a_retry_is_no_new_approach(approach: str, distinct: bool) -> None:
    before = [earlier("Rotate the keys on every deployment")]
    assert judge(approach, None, [], None, before).distinct is distinct


@pytest.mark.ledger("E-02", "R-06")
@pytest.mark.parametrize(
    ("one", "two", "distinct"),
    [
        ("Use row locking", "Use row lokcing", False),
        ("Use symmetric keys", "Use asymmetric keys", True),
        ("Use sync calls", "Use async calls", True),
        ("Hash with sha256", "Hash with sha512", True),
        ("Encode the header", "Decode the header", True),
    ],
)
def test_one_slip_of_the_keyboard_is_the_same_word_and_a_prefix_is_another(one: str, two: str, distinct: bool) -> None:
    assert judge(one, None, [], None, [earlier(two)]).distinct is distinct
    assert judge(two, None, [], None, [earlier(one)]).distinct is distinct


@pytest.mark.ledger("R-06")
@given(st.sampled_from(DIFFERENT), st.sampled_from(GROUNDS))
def test_a_ground_that_says_something_never_makes_a_new_approach_the_same(pair: tuple[str, str], ground: str) -> None:
    one, two = pair
    assert judge(one, None, [], None, [earlier(two)], ground).distinct


@pytest.mark.ledger("E-06", "R-05")
def test_only_what_failed_is_counted_and_what_worked_is_kept() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        tries = [{"approach": WAYS[0], "outcome": "Success"}, {"approach": WAYS[1], "outcome": "red"}]
        board.effort("developer", "failed", attempts=tries)
        history = board.show(item)["failure_history"]
        assert [(told["outcome"], told["counted"]) for told in history] == [("Success", False), ("red", True)]
        assert "succeeded" in history[0]["ground"]
        assert tracking(board, item)["total_attempts"] == 1


@pytest.mark.ledger("E-06", "R-32")
def test_a_failed_report_whose_last_attempt_worked_is_asked_back() -> None:
    said = report("failed", attempts=[{"approach": "a", "outcome": "red"}, {"approach": "b", "outcome": "Success"}])
    assert "succeeded ('Success'), but it says failed" in (fault_of_attempts(said) or "")
    with SoundBoard(FLOW) as board:
        item = board.add()
        run = board.claim("developer")
        with pytest.raises(Invalid) as caught:
            board.say(run, "failed", attempts=[{"approach": "b", "outcome": "All tests pass"}])
        assert caught.value.code == "report_refused"
        board.say(run, "done", summary="b")
        assert board.place(item) == ("done", "done")
        assert [told["counted"] for told in board.show(item)["failure_history"]] == [False], "and it is kept"


@pytest.mark.ledger("E-06", "E-11")
@pytest.mark.parametrize("outcome", ["done", "changes_requested", "split"])
def test_attempts_beside_a_verdict_are_kept_and_count_nothing(outcome: str) -> None:
    flow = small_flow("""
limits: {attempts: 6}
discover: plan
columns: {plan: {agents: [p], next: dev}, dev: {agents: [d], next: check}, check: {agents: [d], fix: dev, next: done}}
agents: {p: {may: [split]}, d: {may: [split]}}
""")
    parts: dict[str, Any] = {"summary": "x", "attempts": [{"approach": "a", "outcome": "red"}]}
    with SoundBoard(flow) as board:
        item = board.add(column="check" if outcome == "changes_requested" else "dev")
        board.effort("d", outcome, **parts, **({"tasks": [{"title": "t"}]} if outcome == "split" else {}))
        (told,) = board.show(item)["failure_history"]
        assert (told["approach"], told["counted"]) == ("a", False)
        assert f"beside {outcome}" in told["ground"]
        assert tracking(board, item)["total_attempts"] == 0


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize("outcome", ["failed", "incomplete", "stuck", "delegates"])
def test_attempts_beside_a_security_concern_are_in_the_history_and_in_the_question(outcome: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        more = {"delegate": [{"to": "crypto-expert", "task": "Which key?"}]} if outcome == "delegates" else {}
        board.effort("developer", outcome, reason="security", summary="A key leaks", **attempt(0), **more)
        assert board.place(item)[1] == ASKED
        assert [told["approach"] for told in board.show(item)["failure_history"]] == [WAYS[0]]
        assert tracking(board, item)["total_attempts"] == 1


STATED = [
    *("Circular dependency detected", "circular_dependency_detected", "a circular dependency between a and b"),
    *("Dependency cycle a → b → a", "circular dependency cannot be resolved", "6 total failed attempts"),
    *("3 EXPERT_UNSUCCESSFUL", "All experts failed", "three experts were unsuccessful", "Exhausted all options"),
    *("Security concern", "Security concern: a key leaks", "There is a security concern", "Security risk: eval"),
    *("Ambiguous acceptance criteria", "The acceptance criteria are ambiguous", "unclear acceptance criteria"),
    *("we found a vulnerability in login", "The API keys of staging were leaked", "- [x] Security concern"),
    *("a.py imports b.py, and b.py imports a.py", "both modules depend on each other", "security_concern: True"),
    "- [ ] Circular dependency / [x] Security concern",
    *("It is unclear what the acceptance criteria mean", "I cannot tell what the acceptance criterion asks for"),
    *("not clear how the acceptance criteria are checked", "I don't understand the acceptance criteria"),
    *("the acceptance criteria do not say which unit", "unclear to me what our three acceptance criteria mean"),
]
NOT_STATED = [
    *(
        "no circular dependency",
        "The circular dependency was removed",
        "fixed the circular dependency",
        "tests red",
        "",
    ),
    *("No security concerns", "could not reproduce the security issue of the report", "2 attempts failed"),
    *("The acceptance criteria are met", "the expert failed", "the vulnerability scan timed out", "a depends on b"),
    *("fixed a vulnerability", "no credentials were leaked", "the token was rejected", "a password is required"),
    *("- [ ] Security concern", "1. [ ] Circular dependency", "☐ Security concern", "Security concern: [ ]"),
    *("- [x] Cannot build / [ ] Security concern", "- [ ] Cannot build / [ ] Security concern / [x] Slow"),
    *("It is clear what the acceptance criteria mean", "it is no longer unclear what the acceptance criteria mean"),
    *("it was unclear what the acceptance criteria mean, and Ann cleared it up", "unclear what the log says"),
    *("I do not know the cause, and the acceptance criteria say enough", "The acceptance criteria say what is meant"),
    *("| Security concern | [ ] |", "security_concern: False", "a imports b and c imports d"),
]


@pytest.mark.ledger("E-05")
def test_the_mandatory_triggers_in_the_documents_words_and_close_to_them() -> None:
    assert [words for words in STATED if trigger_in([words]) is None] == []
    assert [words for words in NOT_STATED if trigger_in([words]) is not None] == []


@pytest.mark.ledger("E-05", "R-07", "R-10")
@pytest.mark.parametrize("words", ["Circular dependency detected", "Ambiguous acceptance criteria", "Security concern"])
@pytest.mark.parametrize("cause", [None, "capability", "conflict", "size", "integration"])
@pytest.mark.parametrize("field", ["summary", "reason", "blockers"])
def test_a_trigger_asks_at_once_whatever_cause_stands_beside_it(words: str, cause: str | None, field: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "failed", **({"cause": cause} if cause else {}), **{field: words})
        assert board.place(item)[1] == ASKED
        assert tracking(board, item)["total_attempts"] == 0


@pytest.mark.ledger("E-05")
def test_a_clients_own_output_states_no_trigger() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "failed", cause="transient", summary="npm: circular dependency detected")
        assert board.place(item)[1] == "ready"


@pytest.mark.ledger("E-05", "R-16")
@pytest.mark.parametrize("reason", ["security", "Circular dependency detected"])
def test_an_expert_whom_a_mandatory_escalation_names_can_be_chosen(reason: str) -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        delegate = [{"to": "database-expert", "task": "Which index?", "scope": "the sessions table"}]
        board.effort("developer", "delegates", reason=reason, delegate=delegate)
        assert board.place(item)[1] == ASKED and board.children(item) == []
        (question,) = board.show(item)["questions"]
        assert "database-expert" in question["context"]
        options = [option["option"] for option in question["options"]]
        assert "ask database-expert for advice" in options
        board.answer("q1", "ask database-expert for advice")
        child = expert_of(board, item)
        assert (child.agent, board.place(item)[1]) == ("database-expert", "waiting")
        assert "Which index?" in child.body and "the sessions table" in child.body


@pytest.mark.ledger("E-06", "R-06")
def test_a_label_that_is_not_taken_over_is_named_in_the_ground() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "failed", **attempt(0, kind="expert_delegation"))
        (told,) = board.show(item)["failure_history"]
        assert told["kind"] == "self_solve" and "labelled Expert Delegation" in told["ground"]


def experts(number: int) -> str:
    names = ["crypto-expert", "protocol-expert", "database-expert"][:number]
    lines = "".join(f", {name}: {{expert: true, write: none}}" for name in names)
    return f"""
limits: {{attempts: 6}}
columns: {{dev: {{agents: [d], next: done}}}}
agents: {{d: {{may: [delegate, ask], experts: [{", ".join(names)}]}}{lines}}}
"""


def play(board: TrialBoard, item: str, number: int, advises: bool, at_once: bool) -> None:
    """Failures until a person is asked, by whoever's turn it is."""
    tried = 0
    for _ in range(20):
        if board.place(item)[1] == ASKED:
            return
        child = next((one for one in board.children(item, "expert") if one.status == "ready"), None)
        if child is not None and child.agent:
            said = (
                {"outcome": "done", "summary": "try"}
                if advises
                else {"outcome": "failed", "summary": "EXPERT_UNSUCCESSFUL"}
            )
            board.effort(child.agent, **said)
            continue
        told = [
            {"approach": WAYS[n % len(WAYS)] + str(n // 8) * 9, "outcome": f"red {n}"} for n in range(tried, tried + 7)
        ]
        board.effort("d", "failed", attempts=told if at_once else told[:1])
        tried += 7 if at_once else 1
    raise AssertionError("nobody was asked")


@pytest.mark.ledger("E-01", "E-11", "R-08", "R-11")
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("advises", [False, True])
@pytest.mark.parametrize(("number", "own", "delegated"), [(0, 6, 0), (1, 5, 1), (2, 4, 2), (3, 3, 3)])
def test_six_attempts_with_any_number_of_experts(
    number: int, own: int, delegated: int, advises: bool, at_once: bool
) -> None:
    """While an expert is left the agent's own end at three; where fewer than three can be asked, the rest of the six
    is its own again, since nobody is asked twice (R-08)."""
    with SoundBoard(small_flow(experts(number))) as board:
        item = board.add()
        play(board, item, number, advises, at_once)
        found = tracking(board, item)
        assert (found["self_solve_attempts"], found["expert_attempts"]) == (own, delegated)
        assert found["total_attempts"] == 6
        assert len(board.children(item, "expert")) == number


@pytest.mark.ledger("R-10", "E-05")
@pytest.mark.parametrize("said", [{"cause": "fatal"}, {}])
def test_the_words_of_a_security_concern_reach_the_person_whatever_field_they_stand_in(said: dict[str, Any]) -> None:
    for name in ("summary", "reason", "blockers"):
        with SoundBoard(FLOW) as board:
            board.add()
            words = {name: "a token is logged", "escalation_reason": "security", **said}
            board.effort("developer", "failed", **words)
            (asked,) = board.queries.inbox()["questions"]
            assert asked["question"] == "A security concern: a token is logged"


@pytest.mark.ledger("R-10", "E-05")
def test_at_the_end_of_a_process_a_concern_in_words_goes_to_a_person_whatever_it_says() -> None:
    with SoundBoard(FLOW) as board:
        item = board.add()
        claim = board.claim("developer")
        said = report("done", summary="Done. There is a security concern: the key is in git.")
        board.engine.report(claim, said, final=True)
        assert board.place(item)[1] == ASKED
        (asked,) = board.queries.inbox()["questions"]
        assert asked["question"] == "A security concern: the key is in git"


@pytest.mark.ledger("R-06")
@pytest.mark.parametrize("summary", ["done", "Success", "it works now"])
def test_a_failure_whose_summary_says_success_counts_and_the_board_stays_sound(summary: str) -> None:
    """Nobody told of an attempt: the summary stands for it, and the outcome says that it failed."""
    with SoundBoard(FLOW) as board:
        item = board.add()
        board.effort("developer", "failed", summary=summary)
        assert tracking(board, item)["total_attempts"] == 1
