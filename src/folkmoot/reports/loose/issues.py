"""Issues that a verdict names, in whichever shape: a number, a text, a list, objects under names."""

from typing import Any

from folkmoot.core.vocabulary.lines import number_in, says_severity
from folkmoot.core.vocabulary.phrases.mended import mended, mended_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing

OPEN = "open_issues"  # of `extra`: how many a verdict names that have no severity


def open_issues(value: Any) -> int:
    """How many are named without saying how bad each is: those with a severity are findings, and weighed as such."""
    if isinstance(value, str) and number_in(value) is None:
        value = [value]
    if isinstance(value, dict):
        value = list(value.values()) if not {"severity", "issue", "description"} & value.keys() else [value]
    if not isinstance(value, list):
        return number_in(value) or 0
    return sum(_is_open(one) for one in value)


def _is_open(one: Any) -> bool:
    if isinstance(one, dict):
        return mended(one) is None and not (isinstance(one.get("severity"), str) and one["severity"].strip())
    return (
        isinstance(one, str)
        and bool(one.strip())
        and not mended_in(one)[1]
        and not says_nothing(one)
        and not says_severity(one)
    )
