"""The quest document's report as plain words, one field on a line: each part is what its name says."""

import pytest

from folkmoot.reports.read import read_report

COMPLETE = """\
Status: complete
Report: A user can register with an email address
Files created: src/auth/registration.ts, src/auth/registration.test.ts
Files modified: `src/auth/index.ts`
Next steps: Wire the route
Retro: The fixtures are in tests/helpers
"""
MARKED = """\
**Status**: complete
**Report**: A user can register with an email address
**Files created**:
- src/auth/registration.ts
- `src/auth/registration.test.ts` (new)
**Files modified**: src/auth/index.ts
**Next steps**: Wire the route
**Retro**: The fixtures are in tests/helpers
"""
HEADED = COMPLETE.replace("Status:", "## Status\n").replace("Report:", "## Report\n").replace("Retro:", "## Retro\n")


@pytest.mark.ledger("Q-07")
@pytest.mark.parametrize("text", [COMPLETE, MARKED, HEADED, f"All is there.\n\n{COMPLETE}", COMPLETE.upper().lower()])
def test_a_report_in_words_keeps_its_parts(text: str) -> None:
    report = read_report(text)
    assert report.outcome == "done"
    assert report.summary.lower() == "a user can register with an email address"
    assert report.files.created == ["src/auth/registration.ts", "src/auth/registration.test.ts"]
    assert report.files.modified == ["src/auth/index.ts"]
    assert [step.lower() for step in report.next_steps] == ["wire the route"]
    assert [lesson.lower() for lesson in report.lessons] == ["the fixtures are in tests/helpers"]


@pytest.mark.ledger("Q-07", "Q-11")
def test_a_blocked_report_in_words_keeps_its_blockers_and_what_others_build_on() -> None:
    text = (
        "Status: blocked\nReport: The form is there\nBlockers: No mail service is configured\n"
        "Interfaces: AuthResult, User\nIntegration points: auth routes\nRetro: Ask first\n"
    )
    report = read_report(text)
    assert (report.outcome, report.summary) == ("stuck", "The form is there")
    assert report.blockers == "No mail service is configured"
    assert (report.interfaces, report.integration_points) == (["AuthResult", "User"], {"auth routes": ""})
    assert report.lessons == ["Ask first"]


def test_what_is_a_finding_or_a_title_is_no_part_of_it() -> None:
    issues = "## Summary\nLooked at it\n## Issues Found\nInterfaces: no validation\n- Report: returns 500\n## Status\n"
    found = read_report(f"{issues}- [x] Complete / [ ] Blocked").findings
    assert [one.issue for one in found] == ["Interfaces: no validation", "Report: returns 500"]
    assert read_report("# Report\n\n## Summary\ndid it\n\n## Status\nComplete").summary == "did it"
    counted = read_report("Status: complete\nReport: 8 of 10 tests passed\n")
    assert counted.tests is not None and counted.tests.failed == 2


OUTPUT = """\
# Codeweaver report

**Status**: complete

## Output

- Files created: src/auth/registration.ts
- Interfaces: User {id: number}

## Report

Registration works. The earlier one said:

> **Status**: failed
> The mail service is missing.

## Recommendations

- unify the names of errors

## Retro

Fixtures are slow.
"""
NESTED = OUTPUT.replace("- Files created: ", "### Files created\n").replace("- Interfaces: ", "### Interfaces\n")


@pytest.mark.ledger("Q-07")
@pytest.mark.parametrize("text", [OUTPUT, NESTED])
def test_what_stands_below_output_is_part_of_the_report_and_ends_it_not(text: str) -> None:
    report = read_report(text)
    assert report.outcome == "done" and "The mail service is missing." in report.summary
    assert report.files.created == ["src/auth/registration.ts"] and report.interfaces == ["User {id: number}"]
    assert (report.next_steps, report.lessons) == (["unify the names of errors"], ["Fixtures are slow."])


def test_output_in_words_of_its_own_is_kept_and_a_line_that_begins_so_is_no_part() -> None:
    report = read_report("## Summary\nDid it\nOutput: three lines\n\n## Output\n3 passed\n\n## Status\nComplete\n")
    assert report.summary == "Did it\nOutput: three lines" and report.extra["Output"] == ["3 passed"]
