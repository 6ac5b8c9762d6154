"""What an agent quotes beside its report is told as it stands, and decides nothing."""

import pytest

from folkmoot.core.report import SHOWN_BESIDE
from folkmoot.reports.read import read_report

BLOCK = "ATTEMPT 1: Self-Solve\nApproach: the old library\nOutcome: red\nWhy Different: first\n"
QUOTED = "> RFC 5116: a nonce that is used twice is fatal"


@pytest.mark.ledger("E-06")
@pytest.mark.parametrize(
    "text",
    [
        f"{QUOTED}\n\n{BLOCK}",
        f"{BLOCK}\n{QUOTED}\n",
        f'The log says:\n{QUOTED}\n\n{{"outcome": "failed", "summary": "red"}}',
        f"TASK_INCOMPLETE: the reader is left\n\n{QUOTED}\n",
        f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which mode?\n\n---\n\n{QUOTED}\n",
    ],
)
def test_a_quotation_beside_a_report_is_told(text: str) -> None:
    said = read_report(text)
    assert str(said).count(QUOTED.removeprefix("> ")) == 1


@pytest.mark.ledger("E-05", "E-08")
@pytest.mark.parametrize("words", ["SEEKING_DIVINE_CLARIFICATION", "security concern", "TASK_COMPLETE: 1"])
def test_a_quotation_decides_nothing(words: str) -> None:
    said = read_report(f"> {words}\n\n{BLOCK}")
    assert (said.outcome, said.extra[SHOWN_BESIDE]) == ("failed", {"1": f"> {words}"})


@pytest.mark.ledger("E-09")
def test_what_the_board_quoted_in_the_brief_is_not_told_again() -> None:
    brief = "> Report of developer in implementing:\n> | outcome: failed\n"
    assert SHOWN_BESIDE not in read_report(f"{brief}\n{BLOCK}").extra
