"""The markdown form, from tidy to sloppy: what it says is heard, and nothing it does not say."""

from typing import Any

import pytest

from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

TIDY = """## Summary
Sessions are now checked.

## Changes Made
- src/auth/session.py: checks the expiry
- tests/test_session.py (new): three cases

## Issues Found (if applicable)
- High: src/auth/login.py:42 swallows an error
- Low: naming

## Next Steps (if applicable)
- Rotate the keys

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""


@pytest.mark.ledger("P-09")
def test_the_tidy_form_with_every_section() -> None:
    report = read_report(TIDY)
    assert (report.outcome, report.summary) == ("done", "Sessions are now checked.")
    assert report.files.modified == ["src/auth/session.py"]
    assert report.files.created == ["tests/test_session.py"]
    assert [(f.severity, f.file, f.line) for f in report.findings] == [
        ("high", "src/auth/login.py", 42),
        ("low", None, None),
    ]
    assert report.findings[1].issue == "naming"
    assert report.next_steps == ["Rotate the keys"]
    assert report.extra["Changes Made"][0] == "src/auth/session.py: checks the expiry"


BOXES = "- [ ] Complete / [ ] Needs follow-up / [ ] Blocked"
SAYS = {
    "[x] Complete / [ ] Needs follow-up / [ ] Blocked": "done",
    "- [ ] Complete / [x] Needs follow-up / [ ] Blocked": "incomplete",
    "- [ ] Complete / [ ] Needs follow-up / [X] Blocked": "stuck",
    "- [ ] Complete\n- [x] Needs follow-up\n- [ ] Blocked": "incomplete",
    "* [x] Complete\n* [ ] Needs follow-up": "done",
    "[x] Complete [ ] Needs follow-up [ ] Blocked": "done",
    "Complete [x] / Needs follow-up [ ] / Blocked [ ]": "done",
    "(x) Complete ( ) Blocked": "done",
    "[✓] Complete": "done",
    "[✔] Complete": "done",
    "✓ Complete": "done",
    "✔ Complete": "done",
    "✔️ Complete": "done",
    "✅ Complete": "done",
    "☑ Complete / ☐ Needs follow-up / ☐ Blocked": "done",
    "☐ Complete / ☐ Needs follow-up / ☑ Blocked": "stuck",
    "❌ Complete / ✅ Blocked": "stuck",
    "Complete ✓": "done",
    "- [x] ✅ Complete": "done",
    "- [x] **Complete**": "done",
    "**Complete**": "done",
    "`Complete`": "done",
    "Complete.": "done",
    "COMPLETE": "done",
    "Completed": "done",
    "Done": "done",
    "Complete – all tests pass, 0 failed": "done",
    "Complete - nothing is left": "done",
    "🟢 Complete": "done",
    "[ ] Needs follow-up / [ ] Blocked / Complete": "done",
    "Needs follow-up": "incomplete",
    "needs follow up: the docs": "incomplete",
    "Needs follow‑up": "incomplete",
    "Not complete": "incomplete",
    "Incomplete": "incomplete",
    "In progress": "incomplete",
    "Blocked": "stuck",
    "Blocked by the missing key": "stuck",
    "- [x] Blocked: no access": "stuck",
    "Failed": "failed",
    "Changes requested": "changes_requested",
    "- [x] ~~Complete~~ Blocked": "stuck",
}


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(("status", "outcome"), SAYS.items())
@pytest.mark.parametrize("before", ["", "## Summary\nwords\n\n"], ids=["alone", "with a summary"])
def test_what_status_says(before: str, status: str, outcome: str) -> None:
    assert read_report(f"{before}## Status\n{status}\n").outcome == outcome


UNCLEAR = [
    BOXES,
    "- [ ] Complete\n- [ ] Needs follow-up\n- [ ] Blocked",
    "☐ Complete ☐ Blocked",
    "☒ Complete",
    "[x] Complete [x] Blocked",
    "- [x] Complete\n- [x] Needs follow-up",
    "[x] Complete\n\nBlocked",
    "[x]",
    "✓",
    "Complete / Needs follow-up / Blocked",
    "Complete | Needs follow-up | Blocked",
    "Complete, but the tests fail",
    "Complete except for the docs",
    "Complete once CI is green",
    "Complete?",
    "90% complete",
    "Complete: 90%",
    "Almost complete",
    "Nearly done",
    "Completely blocked",
    "[x] Complete (not tested)",
    "[x] Complete, tests failing",
    "~~Complete~~",
    "[*] Complete",
    "We hope to be\ndone.",
    "This cannot be\ncomplete",
    "The work is complete",
    "",
    "\n\n",
    "> [x] Complete",
    "- [ ] Complete\n\nComplete",
    "[x] Complete " + "and more " * 1000,
]


@pytest.mark.ledger("P-09", "R-07")
@pytest.mark.parametrize("status", UNCLEAR)
def test_what_is_not_clear_is_refused(status: str) -> None:
    with pytest.raises(Invalid, match="Status"):
        read_report(f"## Summary\nreal words\n\n## Changes Made\n- a.py: b\n\n## Status\n{status}\n")


@pytest.mark.ledger("P-09", "R-07")
def test_boxes_that_nobody_ticked_are_named() -> None:
    with pytest.raises(Invalid, match="no box is ticked"):
        read_report(f"## Summary\nreal words\n\n## Status\n{BOXES}\n")


HEADINGS = {
    "other levels": "# Summary\nx\n##### Status\n[x] Complete",
    "closed": "## Summary ##\nx\n## Status ##\n[x] Complete",
    "no space": "##Summary\nx\n##Status\n[x] Complete",
    "bold": "**Summary**\nx\n\n**Status**\n[x] Complete",
    "bold with colon": "**Summary:** x\n**Status:** Complete",
    "bold before colon": "**Summary**: x\n**Status**: Complete",
    "underlined": "Summary\n=======\nx\n\nStatus\n------\nComplete",
    "words with colon": "Summary:\nx\n\nStatus:\nComplete",
    "one line each": "Summary: x\nStatus: Complete",
    "a list of them": "- Summary: x\n- Status: Complete",
    "numbered": "1. Summary\nx\n\n2. Status\n[x] Complete",
    "numbered headings": "## 1. Summary\nx\n## 2) Status\n[x] Complete",
    "in the heading": "## Summary\nx\n## Status: Complete",
    "in the heading, dashed": "## Summary\nx\n## Status – Complete",
    "shouted": "## SUMMARY\nx\n## STATUS\nCOMPLETE",
    "pictures": "## 📋 Summary\nx\n## ✅ Status\nComplete",
    "indented": "  ## Summary\n  x\n  ## Status\n  [x] Complete",
    "status first": "## Status\n[x] Complete\n\n## Summary\nx",
    "line ends": "## Summary\r\nx\r\n## Status\r\n- [x] Complete\r\n",
    "old line ends": "## Summary\rx\r## Status\r- [x] Complete\r",
    "byte order mark": "\ufeff## Summary\nx\n## Status\n[x] Complete",
    "unseen letters": "## Sum\u200bmary\nx\n## St\u2060at\u200dus\n[x]\u00a0Com\u00adplete",
    "tabs": "##\tSummary\nx\n##\tStatus\n-\t[x]\tComplete",
    "a fence": "```markdown\n## Summary\nx\n\n## Status\n[x] Complete\n```",
    "a fence without a name": "Here it is:\n\n~~~\n## Summary\nx\n## Status\n[x] Complete\n~~~\nBye.",
    "prose around": "I looked at it all.\n\n## Summary\nx\n\n## Status\n- [x] Complete\n\nLet me know.\n",
    "unknown heading before": "# Report of the day\n\nhello\n\n## Summary\nx\n## Status\n[x] Complete",
    "an open fence before": "```sh\nmake\n\n## Summary\nx\n## Status\n[x] Complete",
}


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize("text", HEADINGS.values(), ids=HEADINGS.keys())
def test_however_the_headings_are_written(text: str) -> None:
    report = read_report(text)
    assert report.outcome == "done"
    if text != HEADINGS["status first"]:
        assert report.summary == "x"


@pytest.mark.ledger("P-09")
def test_code_in_a_section_is_not_read_as_sections() -> None:
    text = "## Summary\nran it:\n```sh\n# Status\nBlocked\n```\n\n## Status\n- [x] Complete\n"
    report = read_report(text)
    assert report.outcome == "done" and "# Status" in report.summary


@pytest.mark.ledger("P-09", "Q-15")
def test_sections_that_the_form_does_not_know_survive() -> None:
    report = read_report("## Summary\nx\n\n## Decisions\n- one\n- two\n\n## Status\nBlocked: no key\n")
    assert report.extra == {"Decisions": ["one", "two"], "Status": "no key"}
    assert (report.outcome, report.blockers) == ("stuck", "no key")


FIXED = "## Fixed Issues\n- handlers/feature.go: Added error handling for missing input\n\n## Tests\n- {}\n"


@pytest.mark.ledger("P-09")
def test_a_form_that_only_tells_of_fixes_is_done() -> None:
    report = read_report(FIXED.format("Local test passes: go test ./internal/..."))
    assert (report.outcome, report.files.modified) == ("done", ["handlers/feature.go"])
    assert report.extra["Tests"] == ["Local test passes: go test ./internal/..."]


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    "text",
    [
        FIXED.format("2 tests fail"),
        FIXED.format("not run"),
        FIXED.format("still red"),
        FIXED.format("all pass") + "\n## Issues Found\n- High: one is left\n",
        FIXED.format("all pass") + "\n## Open\n- one is left\n",
        "## Fixed Issues\n\n## Tests\n- all pass\n",
        "## Fixed Issues\n- none\n",
        "## Tests\n- all pass\n",
        "## Summary\nAll is well.\n",
        "## Summary\nAll is well.\n\n## Changes Made\n- a.py: b\n",
        "## Phase 2 Complete ✓\n- Integration tests: 10/10 passed\n- Rounds: 2\n- Proceeding to Phase 3...\n",
    ],
)
def test_other_forms_without_status_are_not(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


@pytest.mark.ledger("P-09")
def test_what_is_said_outright_goes_before_what_fixes_imply() -> None:
    fixes = FIXED.format("all pass")
    assert read_report('{"outcome": "failed"}\n\n' + fixes).outcome == "failed"
    assert read_report(fixes + "\nTASK_INCOMPLETE\n").outcome == "incomplete"


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        ("I found two small things.", "done"),
        ("No changes needed.", "done"),
        ("Changes are needed before this can go in.", "changes_requested"),
        ("This needs fixes.", "changes_requested"),
        ("The first one must be fixed.", "changes_requested"),
    ],
)
def test_a_reviewer_with_issues_is_done_unless_changes_are_needed(summary: str, outcome: str) -> None:
    text = f"## Summary\n{summary}\n\n## Issues Found\n- Medium: a.py:3: odd name\n\n## Status\n- [x] Complete\n"
    report = read_report(text)
    assert report.outcome == outcome
    assert [(f.severity, f.file, f.line) for f in report.findings] == [("medium", "a.py", 3)]


@pytest.mark.parametrize(
    "point",
    ["**Critical**: x in `a/b.go:7`", "[Critical] x (a/b.go:7)", "critical - a/b.go:7 x", "Critical: a/b.go:7: x"],
)
def test_severity_and_place_of_an_issue_in_any_markup(point: str) -> None:
    finding = read_report(f"## Issues Found\n- {point}\n## Status\nBlocked").findings[0]
    assert (finding.severity, finding.file, finding.line) == ("critical", "a/b.go", 7)


def test_no_issues_are_no_findings() -> None:
    for words in ("None", "- none.", "N/A", "- No issues found"):
        assert read_report(f"## Issues Found\n{words}\n## Status\n[x] Complete").findings == []


def test_a_security_issue_keeps_its_kind() -> None:
    finding = read_report("## Issues Found\n- Critical security: open door\n## Status\nBlocked").findings[0]
    assert (finding.kind, finding.severity, finding.issue) == ("security", "critical", "open door")


@pytest.mark.ledger("P-09")
def test_of_two_forms_the_last_one_decides() -> None:
    first, second = "## Summary\na\n## Status\n[x] Complete\n", "## Summary\nb\n## Status\n[x] Blocked\n"
    assert read_report(first + second).outcome == "stuck"
    assert read_report(second + first).outcome == "done"
    assert read_report(first + "\nNo.\n\n## Issues Found\n- High: c\n## Status\nBlocked\n").findings[0].issue == "c"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "later",
    [
        "## Summary\nno wait, it",
        "## Summary\nno wait\n\n## Changes Made\n- a.py: undone\n",
        f"## Summary\nno wait\n\n## Status\n{BOXES}\n",
        "## Summary\nno wait\n\n## Status\nhm\n",
    ],
)
def test_a_form_that_was_begun_again_takes_back_the_one_before(later: str) -> None:
    with pytest.raises(Invalid):
        read_report(f"## Summary\nx\n## Status\n[x] Complete\n\n{later}")


def test_a_status_in_the_middle_of_other_words_is_none() -> None:
    with pytest.raises(Invalid):
        read_report("The build server says\nStatus: Complete\nand goes on for a while.")
    assert read_report("All went well.\n\nStatus: Complete\n").outcome == "done"


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    "text",
    [
        "## Fixed Issues - [x] Complete\n",
        "## Fixed Issues\n- [x] Complete\n",
        "## Fixed Issues - [x] Complete ## Summary\n",
    ],
)
def test_a_ticked_box_among_the_fixes_is_no_fix(text: str) -> None:
    with pytest.raises(Invalid):
        read_report(text)


@pytest.mark.ledger("R-22", "P-08")
@pytest.mark.parametrize(
    ("words", "counted"),
    [
        ("Integration tests: 8/10 passed", (10, 8, 2)),
        ("8 of 10 tests passed", (10, 8, 2)),
        ("8 passed, 2 failed in 3.1s", (10, 8, 2)),
        ("8/10 passed at first, 10/10 passed after the fix", (10, 10, 0)),
        ("unit 20/20 passed, integration 8/10 passed", (30, 28, 2)),
        ("12/10 passed", None),
        ("everything passed", None),
    ],
)
def test_counts_of_tests_are_read_wherever_the_form_has_room_for_them(words: str, counted: Any) -> None:
    """The document's form has no section for tests: a tester says it in the summary."""
    for form in (
        f"## Summary\n{words}\n\n## Status\n- [x] Complete\n",
        f"## Summary\nran\n\n## Tests\n{words}\n\n## Status\n[x] Complete",
    ):
        tests = read_report(form).tests
        assert (None if tests is None else (tests.total, tests.passed, tests.failed)) == counted
