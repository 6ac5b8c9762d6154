"""The tutorial is run as it stands: each command in one shell, and what it prints is what the page shows."""

from pathlib import Path

import pytest

from scripts.tutorial import PAGE, harmless, played


@pytest.mark.ledger("K-06", "K-09", "E-13", "R-19")
def test_every_command_of_the_tutorial_prints_what_the_page_shows(tmp_path: Path) -> None:
    compared = 0
    for step in played(PAGE.read_text("utf-8"), tmp_path):
        said = f"the page shows something else (mend it: python -m scripts.tutorial):\n{step.commands}\n{step.printed}"
        assert harmless(step.printed) == harmless(step.shown or ""), said
        compared += step.shown is not None
    assert compared >= 15


def test_what_is_made_harmless_is_not_the_words() -> None:
    assert harmless("12:00:01  a run of r3 took 0.7s") == harmless("13:59:59   a run of r3 took 12.0s")
    assert harmless("It landed.") != harmless("It failed.")
    assert harmless("effaced") == "effaced"
