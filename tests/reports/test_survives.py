"""Every field that a document prints survives from the report to what `show --json` gives (Q-15)."""

import json
from typing import Any

import pytest

from folkmoot.reports.read import read_report
from folkmoot.testing.builders import TrialBoard
from tests.reports.test_json_dialects import DOCUMENTS
from tests.reports.test_markdown import FIXED, TIDY
from tests.reports.test_signals import ATTEMPTS, SEEKING


def shown(text: str) -> str:
    """The report of a run as the board shows it, as text."""
    with TrialBoard() as board:
        item = board.add(column="review")
        board.engine.report(board.claim("review-agent"), read_report(text), final=True)
        view = json.loads(json.dumps(board.show(item)))
        return json.dumps(view["runs"][0]["report"], ensure_ascii=False)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


@pytest.mark.ledger("Q-15", "P-03", "Q-07", "H-09")
@pytest.mark.parametrize("data", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_every_value_of_a_json_report_is_shown(data: dict[str, Any]) -> None:
    found = shown(json.dumps(data))
    for value in leaves(data):
        # `file:line` is shown as its two halves.
        halves = str(value).rsplit(":", 1) if isinstance(value, str) and ".go:" in value else [value]
        for half in halves:
            text = json.dumps(half, ensure_ascii=False)
            assert text in found or text.strip('"') in found, (value, found)


@pytest.mark.ledger("Q-15", "P-09", "E-06", "E-07")
@pytest.mark.parametrize("text", [TIDY, FIXED.format("Local test passes"), SEEKING, ATTEMPTS])
def test_every_word_of_a_form_is_shown(text: str) -> None:
    found = shown(text)
    for line in text.splitlines():
        is_title = line.startswith("#") or line.endswith(":") or "_" in line or "[x]" in line
        words = line.strip("-* ").split(": ")[-1]
        words = words.removesuffix(" (if applicable)").removesuffix(" attempts")  # the number is kept, as a number
        for word in [] if is_title else words.split():
            assert word.strip('",:;') in found, (word, found)
