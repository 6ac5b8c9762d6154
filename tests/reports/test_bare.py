"""Objects as the handoff document prints them in its example: names and words without quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.reports.returning.returns import bare_object


@pytest.mark.ledger("H-14", "H-07")
@pytest.mark.parametrize(
    ("text", "outcome", "extra"),
    [
        ('{status: completed, spec: "specs/..."}', "done", {"status": "completed", "spec": "specs/..."}),
        ('{status: completed, commit: "abc123"}', "done", {"status": "completed"}),
        ("{status: needs_fixes, issues: 2}", "changes_requested", {"status": "needs_fixes", "issues": 2}),
        ("{status: fixes_applied}", "done", {"status": "fixes_applied"}),
        (" {status: approved}\n", "done", {"status": "approved"}),
    ],
)
def test_what_the_example_flow_returns_is_read_as_it_is_printed(text: str, outcome: str, extra: object) -> None:
    said = read_report(text)
    assert (said.outcome, said.extra) == (outcome, extra)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{status}",
        "{status: }",
        "{status: a, status: b}",
        "{a: {b: c}}",
        "{status: a|b|c}",
        "{status: a} b",
    ],
)
def test_what_is_no_flat_object_is_none(text: str) -> None:
    assert bare_object(text) is None
    with pytest.raises(Invalid):
        read_report(text)


def test_inside_of_prose_it_is_a_quotation() -> None:
    with pytest.raises(Invalid):
        read_report("I was told to say {status: approved} at the end, and did not look yet.")


@given(st.text(alphabet='{}:,"\\ abs01', max_size=40))
def test_whatever_stands_there_it_is_an_object_or_none(text: str) -> None:
    found = bare_object(text)
    assert found is None or (found and all(isinstance(name, str) for name in found))


@pytest.mark.ledger("H-13")
@pytest.mark.parametrize(
    ("text", "outcome", "issues"),
    [
        ('Returns: {status: needs_fixes, issues: ["no rate limit", "no test"]}', "changes_requested", 2),
        ("- Returns: {status: needs_fixes, issues: [no rate limit, 'no test']}", "changes_requested", 2),
        ("Returns: {status: approved, issues: []}", "done", 0),
        ("**Returns:** `{status: approved}`", "done", 0),
        ('{"status": "needs_fixes", "issues": "- no rate limit\\n- no test"}', "changes_requested", 2),
        ('{"status": "needs_fixes", "issues": "1) no rate limit 2) no test"}', "changes_requested", 2),
        ('{"status": "needs_fixes", "issues": "no check for (2) and more"}', "changes_requested", 1),
        ('{"status": "needs_fixes", "issues": "1. a 2. b 4. c"}', "changes_requested", 1),
        ("All is mended.\n\n- **Returns**: `{status: approved}`", "done", 0),
        ("Returns: ```{status: needs_fixes, issues: [no rate limit]}```", "changes_requested", 1),
        ("I looked.\n\nReturns: approved", "done", 0),
        ("I looked.\n\n- Returns: `needs_fixes`.", "changes_requested", 0),
        ("Returns: completed", "done", 0),
    ],
)
def test_a_return_may_list_what_it_found_or_be_one_word(text: str, outcome: str, issues: int) -> None:
    said = read_report(text)
    assert (said.outcome, len(said.findings)) == (outcome, issues)


@pytest.mark.parametrize("text", ["Returns: the number of rows", "Returns: {status: approved, issues: [[a]]}"])
def test_what_is_no_return_is_none(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


@pytest.mark.parametrize(
    ("text", "outcome", "cause"),
    [
        ('{"status": "completed", "verdict": "approved"}', "done", None),
        ('{"status": "failed", "error": "FatalError"}', "failed", "fatal"),
        ('{"status": "failed", "error": "RecoverableError"}', "failed", "transient"),
        ('{"status": "passed"}', "done", None),
    ],
)
def test_a_whole_text_with_a_status_is_a_report_whatever_stands_beside_it(
    text: str, outcome: str, cause: str | None
) -> None:
    said = read_report(text)
    assert (said.outcome, said.cause) == (outcome, cause)


def test_a_status_that_nobody_knows_is_named_with_those_that_are() -> None:
    with pytest.raises(Invalid, match="status: 'wonderful' is not one of complete"):
        read_report('{"status": "wonderful"}')
