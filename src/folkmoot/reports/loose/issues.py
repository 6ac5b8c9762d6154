"""Issues that a verdict names, in whichever shape: a number, a text, a list, objects under names."""

from typing import Any

from folkmoot.core.vocabulary.lines import number_in, says_severity, severity_of
from folkmoot.core.vocabulary.phrases.mended import mended, mended_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.undone import verdict_named
from folkmoot.core.vocabulary.problems import listed_under, problems_in
from folkmoot.core.vocabulary.words import plain

OPEN = "open_issues"  # of `extra`: how many a verdict names that have no severity

_WEAK = ("low", "medium")  # under a name that says so (`minor_issues`) they are remarks


def left_open(data: dict[str, Any]) -> int:
    """How many are so under whichever names; `findings` is the field for remarks, too."""
    listed = (one for one in problems_in(data) if not one.within and one.name != "findings")
    told = (one for one in listed if not any(severity_of(word) in _WEAK for word in plain(one.name).split()))
    unweighed = sum(open_issues([part]) for one in told for part, severity in one.parts if severity is None)
    return max(unweighed, uncounted(data))


def uncounted(data: dict[str, Any]) -> int:
    """What a bare `count` says where the list of problems beside it is shorter: `{"issues": [], "count": 2}`."""
    count = number_in(data.get("count")) or 0
    listed = [len(value) for name, value in data.items() if isinstance(value, list) and listed_under(name)[0]]
    return count if listed and count > sum(listed) else 0


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
        and verdict_named(one) is None  # `**Approval:** true` below a list
    )
