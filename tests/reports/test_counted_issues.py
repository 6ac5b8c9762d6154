"""A number beside a list of issues counts them, and is none of them; one that differs from the list is a fault."""

import pytest

from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

LIST = "1. a.py:3 password logged\n2. b.py:9 no test\n"
HEADS = [
    "**Issues**: 2\n",
    "**Issues**: 2\n\n",
    "**Issues:** 2\n",
    "Issues: 2\n",
    "Issues: two\n",
    "Issues: 2 found:\n",
    "Issues Found: 2 issues\n",
    "- **Issues**: 2\n",
    "## Issues: 2\n",
    "## Issues (2)\n",
    "## Issues\n2\n\n",
    "## Issues\n2 issues found:\n\n",
    "## Findings: **2**\n",
]
FORMS = [
    "**Status**: needs_fixes\n{}",
    "## Summary\nlooked\n\n## Status\nneeds fixes\n\n{}",
    "{}\n## Status\nneeds_fixes\n",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("head", HEADS)
def test_a_number_above_a_list_is_none_of_it(head: str, form: str) -> None:
    said = read_report(form.replace("{}", head + LIST))
    assert [finding.issue for finding in said.findings] == ["a.py:3 password logged", "b.py:9 no test"]
    assert said.outcome == "changes_requested" and said.extra["issues"] == 2


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", ["1", "0", "one"])
def test_a_number_that_is_smaller_than_the_list_is_a_fault(number: str, form: str) -> None:
    with pytest.raises(Invalid, match="and tells 2: which holds"):
        read_report(form.replace("{}", f"**Issues**: {number}\n{LIST}"))


@pytest.mark.parametrize("head", HEADS)
def test_a_number_without_a_list_tells_of_none(head: str) -> None:
    said = read_report(f"{head.rstrip()}\n\n## Status\nneeds_fixes\n")
    assert said.findings == [] and said.extra["issues"] == 2


@pytest.mark.parametrize(
    ("told", "number"),
    [
        ("1. a.py:3 password logged\n   - in login()\n   - in logout()\n2. b.py:9 no test\n", 2),
        ("- [x] a.py:3 password logged\n- [ ] b.py:9 no test\n", 1),
        ("- High: a.py:3 password logged\n- Low: b.py:9 no test\n", 2),
        ("### High\n- a.py:3 password logged\n### Low\n- b.py:9 no test\n", 2),
    ],
)
def test_what_stands_below_a_point_or_is_mended_need_not_be_counted(told: str, number: int) -> None:
    said = read_report(f"## Status\nneeds fixes\n\n## Issues: {number}\n{told}")
    assert said.extra["issues"] == number and "2" not in [finding.issue for finding in said.findings]


@pytest.mark.parametrize(
    "told", ["1.\n   a.py:3 password logged\n", "- 404 for a known page\n", "2 users share one key\n"]
)
def test_a_point_that_begins_with_a_number_is_one(told: str) -> None:
    said = read_report(f"## Issues\n{told}\n## Status\nneeds_fixes\n")
    assert len(said.findings) == 1 and "issues" not in said.extra
