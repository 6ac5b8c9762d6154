"""ATTEMPT blocks in forms close to the printed one: a table, other signs, numbers as words, other labels."""

import pytest

from folkmoot.reports.read import read_report

TOLD = [
    ("Match the header by a pattern", "The header is binary", "The first idea"),
    ("Parse it as a stream", "Out of memory", "Streams instead of matching"),
]
TABLE = (
    "| # | Type | Approach | Outcome | Why Different |\n|---|---|---|---|---|\n"
    "| 1 | Self-Solve | Match the header by a pattern | The header is binary | The first idea |\n"
    "| 2 | Expert Delegation | **Parse it as a stream** | Out of memory | Streams instead of matching |\n"
)


def block(
    title: str, labels: tuple[str, str, str] = ("Approach:", "Outcome:", "Why Different:"), number: int = 1
) -> str:
    return "\n".join([title, *(f"{label} {said}" for label, said in zip(labels, TOLD[number - 1], strict=True))]) + "\n"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"## Attempts\n\n{TABLE}\nNothing else came to mind.\n",
        f'{TABLE}\n{{"outcome": "failed", "summary": "two ways"}}\n',
        f"TASK_INCOMPLETE\n\n{TABLE}",
        TABLE.replace("| # |", "| Attempt |").replace("| Type |", "| Kind |"),
        block("ATTEMPT №1: Self‑Solve") + "\n" + block("ATTEMPT #2 (self solve)", number=2),
        block("ATTEMPT 1：Self-Solve", ("Approach：", "Outcome：", "Why Different："))
        + "\n"
        + block("ATTEMPT 2:", number=2),
        block("Attempt one: Self-Solve") + "\n" + block("Attempt two – Self Solve", number=2),
        block("ATTEMPT 1: Self-Solve", ("What I tried:", "Result:", "How it differs:"))
        + "\n"
        + block("ATTEMPT 2: Self-Solve", ("What was tried:", "Result:", "Difference:"), 2),
    ],
)
def test_each_attempt_is_read_with_its_fields(text: str) -> None:
    report = read_report(text)
    assert report.outcome == ("incomplete" if "INCOMPLETE" in text else "failed")
    assert [(one.approach, one.outcome, one.why_different) for one in report.attempts] == TOLD


@pytest.mark.ledger("E-07", "E-08")
def test_a_table_in_a_question_is_one_of_its_fields() -> None:
    report = read_report(f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which?\n\nAttempts Made:\n{TABLE}\n")
    assert (report.outcome, report.attempts) == ("asks", []) and "Parse it as a stream" in str(report.question)


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "text",
    [
        "TASK_COMPLETE\n\n| Approach | Outcome |\n|---|---|\n| PEM | large |\n",
        "TASK_COMPLETE\n\nAttempt one failed because the header is binary.\n",
        "TASK_COMPLETE\n\n| Case | Outcome | Why Different |\n|---|---|---|\n| a | b | c |\n",
    ],
)
def test_other_tables_and_sentences_tell_of_no_attempt(text: str) -> None:
    report = read_report(text)
    assert (report.outcome, report.attempts) == ("done", [])
