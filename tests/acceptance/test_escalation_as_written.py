"""ATTEMPT blocks as agents really write them: logs inside of a field, misspelt or dashed labels, words of their own."""

from pathlib import Path

import pytest

from tests.acceptance.test_escalation import block, board, counts

LOG = "```\nERROR: deadlock detected\nHINT: See the log\n```"
BETWEEN = [
    f"Outcome: It aborts after 40 s.\n{LOG}\nTests of the schema passed before.",
    f"Outcome: It aborts after 40 s.\n\n{LOG}\n",
    "Outcome: It aborts after 40 s.\n\nThe log says: ERROR: deadlock detected\n",
    "Outcome: It aborts after 40 s.\n> ERROR: deadlock detected",
    "Outcome: It aborts after 40 s.\n```sql\n-- ERROR: deadlock detected\n```",
]


def titled(title: str, outcome: str, why: str = "another way") -> str:
    return f"{title}\nApproach: Run the migration in batches\n{outcome}\nWhy Different: {why}\n"


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("outcome", BETWEEN)
def test_the_fields_behind_a_log_are_the_blocks_and_so_is_the_log(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"{titled('ATTEMPT 1: Self-Solve', outcome)}\n{block(2)}")
    first, second = item["failure_history"]
    beside = item["runs"][-1]["report"]["extra"].get("words beside the report", "")
    assert "40 s" in first["outcome"] and "ERROR: deadlock detected" in first["outcome"] + beside
    assert ("ERROR" in beside) == ("The log says" in outcome), "words of its own are held against the outcome"
    assert (first["why_different"], second["attempt"], counts(moot)) == ("another way", 2, (2, 0, 2))


@pytest.mark.ledger("E-02", "E-06", "R-06")
@pytest.mark.parametrize("outcome", BETWEEN)
def test_a_denial_behind_a_log_is_heard(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", f"{block(1)}\n{titled('ATTEMPT 2: Self-Solve', outcome, 'same approach')}")
    assert counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-06", "R-32")
def test_a_log_below_a_success_takes_nothing_back(tmp_path: Path) -> None:
    moot = board(tmp_path)
    text = titled("ATTEMPT 1: Self-Solve", "Outcome: Success\n```\n12 passed, 0 failed\n```")
    assert "succeeded" in moot.try_in(moot("claim", "developer"), text).err


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize("name", ["ATEMPT", "Attemp", "ATTMEPT", "Attemt"])
def test_a_misspelt_block_is_counted_like_the_other(tmp_path: Path, name: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"{block(1)}\n{block(2).replace('ATTEMPT', name)}")
    assert (counts(moot), len(item["failure_history"])) == ((2, 0, 2), 2)


LABELS = [
    ("Aproach: ", "Outcom: ", "Why Diferent: "),
    ("Approach: ", "Results: ", "Why is it different: "),
    ("Approach - ", "Outcome - ", "Why Different - "),
    ("**Approach** – ", "**Outcome** – ", "**Why Different** – "),
]


@pytest.mark.ledger("E-02", "E-06", "R-06", "R-32")
@pytest.mark.parametrize("labels", LABELS)
def test_labels_that_are_misspelt_or_stand_before_a_dash_are_the_forms(
    tmp_path: Path, labels: tuple[str, str, str]
) -> None:
    moot = board(tmp_path)

    def told(outcome: str, why: str) -> str:
        words = ("Rotate the keys", outcome, why)
        return "\n".join(["ATTEMPT 2: Self-Solve", *(label + said for label, said in zip(labels, words, strict=True))])

    assert "succeeded" in moot.try_in(moot("claim", "developer"), told("Success", "new")).err
    item = moot.hand_in(moot("show", "1")["runs"][-1], f"{block(1)}\n{told('All are logged out', 'same approach')}")
    last = item["failure_history"][-1]
    assert (last["approach"], last["outcome"], last["why_different"]) == (
        *("Rotate the keys", "All are logged out", "same approach"),
    )
    assert counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-06")
def test_a_label_inside_of_a_sentence_is_none(tmp_path: Path) -> None:
    outcome = "Older clients reject it.\nThe end result - a red build - is the same, and attempted logins fail."
    item = board(tmp_path).speak("developer", titled("ATTEMPT 1: Self-Solve", f"Outcome: {outcome}"))
    assert item["failure_history"][0]["outcome"] == outcome


@pytest.mark.ledger("E-03", "E-06", "R-08", "R-32")
@pytest.mark.parametrize(
    "outcome",
    [
        *("Waiting for expert", "Awaiting the expert", "waiting on protocol-expert", "Pending expert response"),
        *("Delegated", "Delegated to protocol-expert", "Requested, waiting for protocol-expert"),
    ],
)
def test_an_expert_who_is_waited_for_was_not_asked_yet(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    asks = "ATTEMPT 2: Expert Delegation\nApproach: Delegate to protocol-expert: which header?\n"
    said = moot.try_in(moot("claim", "developer"), f"{block(1)}\n{asks}Outcome: {outcome}\nWhy Different: new\n")
    assert said.error == "report_refused" and "delegates" in said.err


@pytest.mark.ledger("E-02", "E-06", "R-32")
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_fields_that_are_headings_are_the_forms(tmp_path: Path, gap: str) -> None:
    moot = board(tmp_path)

    def told(outcome: str, why: str) -> str:
        fields = (("Approach", "Rotate the keys"), ("Outcome", outcome), ("Why Different", why))
        return "\n\n".join(["## Attempt 2: Self-Solve", *(f"### {name}{gap}{said}" for name, said in fields)])

    assert "succeeded" in moot.try_in(moot("claim", "developer"), told("Success", "new")).err
    item = moot.hand_in(moot("show", "1")["runs"][-1], f"{block(1)}\n{told('All are logged out', 'same approach')}\n")
    last = item["failure_history"][-1]
    assert (last["approach"], last["outcome"], last["why_different"]) == (
        *("Rotate the keys", "All are logged out", "same approach"),
    )
    assert counts(moot) == (1, 0, 1)


WRAPPED = [
    "out of memory, as in\nattempt 1 on the large file",
    "Still red.\nattempt 1 with a larger heap ended so too.",
    "the same stack trace that we saw in\nAttempt 1: Timeout in the pool",
    "slower than both\nattempt 1 and\nattempt 2 together",
]


@pytest.mark.ledger("E-02", "E-06", "R-08")
@pytest.mark.parametrize("outcome", WRAPPED)
def test_a_wrapped_line_about_an_attempt_goes_on_with_its_field(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"{block(1)}\n{titled('ATTEMPT 2: Self-Solve', f'Outcome: {outcome}')}")
    last = item["failure_history"][-1]
    assert (last["outcome"], last["why_different"], counts(moot)) == (outcome, "another way", (2, 0, 2))
    assert item["status"] == "ready", "no expert is called an attempt too early"


NEXT = [
    "ATTEMPT 2: Self-Solve\nApproach: Retry in one batch\nOutcome: red too",
    "Attempt 2: Retry in one batch\nOutcome: red too",
    "attempt 2 in one batch\nOutcome: red too",
    "attempt 2 Self-Solve\nApproach: Retry in one batch",
]


@pytest.mark.ledger("E-02", "E-06", "R-08")
@pytest.mark.parametrize("second", NEXT)
def test_a_block_right_below_another_one_is_counted(tmp_path: Path, second: str) -> None:
    moot = board(tmp_path)
    first = "ATTEMPT 1: Self-Solve\nApproach: Batches\nOutcome: it fails, as before"
    item = moot.speak("developer", f"{first}\n{second}")
    assert (len(item["failure_history"]), counts(moot)) == (2, (2, 0, 2))
