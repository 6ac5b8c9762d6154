"""What a program lists beside a report, such as `env`, is said of no work; a label of its agent is (R-22, R-32)."""

import pytest

from folkmoot.core.report import WORDS_BESIDE, Report
from folkmoot.core.rules.judging.against.deciding import undecided

LISTING = "SHELL=sh\nGIT_ASKPASS=true\nCI=false\nLANG=C\nSHLVL=1"


def beside(text: str) -> Report:
    return Report(outcome="done", summary="built", extra={WORDS_BESIDE: text})


def test_a_listing_of_settings_decides_nothing() -> None:
    assert undecided(beside(f"I looked around:\n{LISTING}\nThen I built it."), judges=True) == {}


@pytest.mark.parametrize("text", ["READY=no", "READY=no\nLINT=true", "Ready: no", f"{LISTING}\n\nReady: no"])
def test_a_label_beside_or_without_one_is_asked_about(text: str) -> None:
    assert {name.casefold() for name in undecided(beside(text), judges=True)} >= {"ready"}
