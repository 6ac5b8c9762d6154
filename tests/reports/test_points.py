"""Issues Found in whichever layout: lists, sub-headings, tables, fields. How bad each is, is not lost (R-22)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.enums import SEVERITIES
from folkmoot.core.vocabulary.lines import finding_in, unmarked
from folkmoot.reports.loose.options import options_in
from folkmoot.reports.read import read_report

FORM = """## Summary
Reviewed it

{heading}
{issues}

## Next Steps (if applicable)
- Fix what was found

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""
MISSING = ("high", "handlers/feature.go", 42)
# Each lays out the same finding: high, at handlers/feature.go:42, Missing error handling.
LAYOUTS = {
    "as printed": "- High: handlers/feature.go:42: Missing error handling",
    "with the place in brackets": "- High (handlers/feature.go:42): Missing error handling",
    "in square brackets": "- [HIGH] handlers/feature.go:42 - Missing error handling",
    "the place in square brackets": "- High [handlers/feature.go:42] Missing error handling",
    "without signs": "- HIGH handlers/feature.go:42 Missing error handling",
    "in a sentence": "- High in handlers/feature.go:42: Missing error handling",
    "with a picture": "- 🔴 High: handlers/feature.go:42: Missing error handling",
    "the line in words": "- **High** - handlers/feature.go line 42: Missing error handling",
    "the severity behind": "- handlers/feature.go:42: Missing error handling (high)",
    "the severity between": "- handlers/feature.go:42 - High - Missing error handling",
    "the severity last": "- Missing error handling in handlers/feature.go:42 - high",
    "numbered": "1. **High**: handlers/feature.go:42: Missing error handling",
    "labelled": "- Severity: High - Missing error handling in handlers/feature.go:42",
    "a sub-heading": "### High\n- handlers/feature.go:42: Missing error handling",
    "a sub-heading in other words": (
        "### 🟠 High Priority Issues (1)\n\n1. handlers/feature.go:42: Missing error handling"
    ),
    "beside empty ones": (
        "### Critical\nNone\n\n### High\n- handlers/feature.go:42: Missing error handling\n\n### Low\n- None"
    ),
    "a sub-heading that tells it": "### High: Missing error handling in handlers/feature.go:42",
    "a sub-heading with words below": "### High: Missing error handling\nIn handlers/feature.go:42 the error is lost.",
    "a sub-heading with fields": (
        "### 1. Missing error handling\n- **Severity:** High\n- **File:** handlers/feature.go\n- **Line:** 42"
    ),
    "what must become of it": (
        "### Must Fix\n- handlers/feature.go:42: Missing error handling\n\n### Nice to have\n- None"
    ),
    "bold above a list": "**High**\n- handlers/feature.go:42: Missing error handling",
    "a list in a list": "- High:\n  - handlers/feature.go:42: Missing error handling",
    "two lines": "- Severity: High\n- Missing error handling in handlers/feature.go:42",
    "a table": (
        "| Severity | File | Line | Issue |\n|---|---|---|---|\n"
        "| High | handlers/feature.go | 42 | Missing error handling |"
    ),
    "a table with the place in one": (
        "| # | Issue | Location | Severity |\n|--|:-:|--|--|\n"
        "| 1 | Missing error handling | `handlers/feature.go:42` | **High** |"
    ),
    "a table without bars around": (
        "Severity | Location | Description\n--- | --- | ---\nHigh | handlers/feature.go:42 | Missing error handling"
    ),
    "a table without a head": "| High | handlers/feature.go:42 | Missing error handling |",
    "a table below a sub-heading": (
        "### High\n| File | Issue |\n|---|---|\n| handlers/feature.go:42 | Missing error handling |"
    ),
    "fields below a point": (
        "- **High**: Missing error handling\n  - File: handlers/feature.go:42\n  - Fix: Add an error check"
    ),
    "fields below a bold line": (
        "**Issue 1: Missing error handling**\n- Severity: High\n- File: handlers/feature.go\n- Line: 42"
    ),
    "fields alone": "- Severity: High\n- File: handlers/feature.go:42\n- Description: Missing error handling",
    "a numbered sub-heading": "### 2.1 High\n- handlers/feature.go:42: Missing error handling",
    "with code below": "- High: handlers/feature.go:42: Missing error handling\n```go\nif err != nil {\n}\n```",
    "after an opening": "I found these:\n- High: handlers/feature.go:42: Missing error handling",
}
HEADINGS = ["## Issues Found", "## Issues Found (if applicable)", "**Issues Found**", "## Findings", "# Issues"]


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("issues", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_same_finding_in_any_layout(issues: str) -> None:
    (found,) = read_report(FORM.format(heading=HEADINGS[0], issues=issues)).findings
    assert (found.severity, found.file, found.line) == MISSING
    assert "Missing error handling" in found.issue


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize("heading", [*HEADINGS, "## Vulnerabilities", "## Security Issues", "## Problems", "## Review"])
def test_under_whichever_heading_it_stands(heading: str) -> None:
    (found,) = read_report(FORM.format(heading=heading, issues=LAYOUTS["as printed"])).findings
    assert (found.severity, found.file, found.line) == MISSING
    assert (found.kind == "security") == ("Security" in heading or "Vuln" in heading)


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    "issues",
    [
        "None",
        "- None found.",
        "### Critical\nNone\n\n### High\n- None",
        "### High: none",
        "- Critical: none\n- High: None found\n- Low: 0",
        "- **High:** none.",
        "| Severity | Issue |\n|--|--|\n",
    ],
)
def test_none_in_any_layout_is_nothing(issues: str) -> None:
    assert read_report(FORM.format(heading=HEADINGS[0], issues=issues)).findings == []


@pytest.mark.ledger("P-09")
def test_what_was_fixed_before_is_no_finding() -> None:
    form = FORM.format(heading="## Previously fixed", issues=LAYOUTS["as printed"])
    assert read_report(form).findings == []


@pytest.mark.ledger("P-09")
def test_everything_below_a_heading_is_kept() -> None:
    issues = """### 1. SQL injection
**Severity:** Critical
**File:** services/user.go:123
**Recommendation:** Use parameterized queries

Input ' OR '1'='1 bypasses auth"""
    (found,) = read_report(FORM.format(heading=HEADINGS[0], issues=issues)).findings
    assert (found.severity, found.file, found.line) == ("critical", "services/user.go", 123)
    assert found.recommendation == "Use parameterized queries" and "bypasses auth" in found.issue


severities = st.sampled_from(SEVERITIES)


@pytest.mark.ledger("P-09", "R-22")
@given(st.lists(st.tuples(severities, st.sampled_from(["a.go:4", "b/c.ts:12"])), min_size=1, max_size=5))
def test_a_list_sub_headings_and_a_table_say_the_same(told: list[tuple[str, str]]) -> None:
    layouts = [
        "\n".join(f"- {severity.title()}: {place}: bad" for severity, place in told),
        "\n\n".join(f"### {severity.title()}\n- {place}: bad" for severity, place in told),
        "| Severity | Place | Issue |\n|---|---|---|\n" + "\n".join(f"| {s} | {place} | bad |" for s, place in told),
    ]
    for issues in layouts:
        found = read_report(FORM.format(heading=HEADINGS[0], issues=issues)).findings
        assert [(one.severity, f"{one.file}:{one.line}") for one in found] == told


@pytest.mark.ledger("P-09")
@given(
    severities,
    st.sampled_from(["{s}: {p}: x y", "{s} ({p}): x y", "[{s}] {p} x y", "{p}: x y ({s})", "{s} - {p} - x y"]),
)
def test_a_line_says_how_bad_and_where_in_any_order(severity: str, shape: str) -> None:
    found = finding_in(shape.format(s=severity.title(), p="src/a.go:7"))
    assert (found.severity, found.file, found.line) == (severity, "src/a.go", 7) and "x y" in found.issue


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    "issues",
    [
        "## Failures\n- TestFeatureAPI: expected 200, got 500 (tests/integration/api_test.go:42)",
        "## Failed Tests\n- TestFeatureAPI",
        "## Failures\n- TestFeatureAPI failed: expected 200, got 500",
        "## Issues Found\n| Test | Error | File |\n|--|--|--|\n| TestFeatureAPI | got 500 | tests/api_test.go:42 |",
    ],
)
def test_a_failure_in_words_names_its_test(issues: str) -> None:
    (found,) = read_report(f"## Summary\nRan them\n\n{issues}\n\n## Status\n- [x] Complete\n").findings
    assert (found.kind, found.test) == ("test", "TestFeatureAPI")


@pytest.mark.parametrize(
    ("words", "options"),
    [("None", []), ("N/A", []), ("- none", []), ("(none yet)", []), ("no", ["no"]), ("yes, no", ["yes", "no"])],
)
def test_no_options_are_none(words: str, options: list[str]) -> None:
    assert [choice.option for choice in options_in(words)] == options


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize("mark", ["**", "__", "*", "`"])
@pytest.mark.parametrize(
    "point", ["1. {m}Hash:{m} slow\n2. {m}Plain:{m} a risk", "- {m}Hash:{m}\n  - slow\n- {m}Plain:{m} a risk"]
)
def test_an_option_with_its_colon_inside_of_the_marks_is_told_from_why_it_is_not_enough(mark: str, point: str) -> None:
    found = options_in(point.format(m=mark))
    assert [(one.option, one.why_insufficient) for one in found] == [("Hash", "slow"), ("Plain", "a risk")]


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize("sign", ["  ", "- "])
def test_fields_without_an_issue_are_called_by_their_type(sign: str) -> None:
    fields = ["Severity: critical", "Location: a.go:3", "Type: sql_injection", "Exploit: ' OR '1'='1", "Fix: bind it"]
    issues = "- " + f"\n{sign}".join(fields)
    (found,) = read_report(f"## Summary\nTried\n\n## Issues Found\n{issues}\n\n## Status\n- [x] Complete\n").findings
    assert (found.severity, found.issue, found.category) == ("critical", "sql_injection", "sql_injection")
    assert (found.file, found.line, found.exploit, found.recommendation) == ("a.go", 3, "' OR '1'='1", "bind it")


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    ("words", "options"),
    [
        (
            "1. `key: value` in YAML: slow\n2. JSON: no comments",
            [("`key: value` in YAML", "slow"), ("JSON", "no comments")],
        ),
        ("1. Use `a: b`\n2. Use `c`", [("Use `a: b`", None), ("Use `c`", None)]),
        ("1. Set `x - y` - slow\n2. **`c: d`**: new", [("Set `x - y`", "slow"), ("c: d", "new")]),
        ("1. Use `a: b\n2. c: d", [("Use `a", "b"), ("c", "d")]),
        (
            "a) PEM: large\nb) DER: binary\n* Neither: more work",
            [("PEM", "large"), ("DER", "binary"), ("Neither", "more work")],
        ),
        (
            "1. PEM: large\n2. DER: binary\n- Both: work\n- None of them: late",
            [("PEM", "large"), ("DER", "binary"), ("Both", "work"), ("None of them", "late")],
        ),
        ("1. PEM: large\n2. DER: binary\n* it is small", [("PEM", "large"), ("DER", "binary; it is small")]),
        ("1. PEM: large\n2. DER: binary\n* Pro: small", [("PEM", "large"), ("DER", "binary; Pro: small")]),
        ("1. PEM: a\n- Ann: no\n2. DER: b\n- Bob: no", [("PEM", "a; Ann: no"), ("DER", "b; Bob: no")]),
        ("1. PEM\n2. DER\n* Size: small", [("PEM", None), ("DER", "Size: small")]),
    ],
)
def test_an_option_is_whole_and_one_of_its_own(words: str, options: list[tuple[str, str | None]]) -> None:
    assert [(one.option, one.why_insufficient) for one in options_in(words)] == options


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    ("point", "kind", "issue", "fixed"),
    [
        ("Critical (fixed): plain text token", "review", "plain text token", "fixed"),
        ("Critical [FIXED] plain text token", "review", "plain text token", "FIXED"),
        ("Critical, fixed: plain text token", "review", "plain text token", "fixed"),
        ("Critical - fixed: plain text token", "review", "plain text token", "fixed"),
        ("Critical (security, already fixed in abc123): it leaks", "security", "it leaks", "already fixed in abc123"),
        ("Critical security (resolved): it leaks", "security", "it leaks", "resolved"),
        ("Critical (not fixed): it leaks", "review", "it leaks (not fixed)", None),
        ("Critical (partially fixed): it leaks", "review", "it leaks (partially fixed)", None),
        ("Critical (to be fixed): it leaks", "review", "it leaks (to be fixed)", None),
        ("Critical (CWE-89): it leaks", "review", "it leaks (CWE-89)", None),
        ("Critical SQL injection: the id is pasted", "review", "SQL injection: the id is pasted", None),
        ("Critical severity issue: it leaks", "review", "it leaks", None),
        ("Critical (security): it leaks", "security", "it leaks", None),
    ],
)
def test_what_stands_between_a_severity_and_its_words_is_kept(
    point: str, kind: str, issue: str, fixed: str | None
) -> None:
    found = finding_in(point)
    assert (found.severity, found.kind, found.issue, found.fixed) == ("critical", kind, issue, fixed)


MEANT = "`SELECT *` reads `*cfg` before 2 * n, see src/**/*.go and (*T).String of **this** `a_b`"
KEPT = "SELECT * reads *cfg before 2 * n, see src/**/*.go and (*T).String of this a_b"
WAYS_TO_WRITE = {
    "a point": "- High: a.go:7: {}",
    "a bold severity": "- **High** — a.go:7 — {}",
    "a star": "* `High`: a.go:7: {}",
    "a number": "1. [HIGH] a.go:7 - {}",
    "below a heading": "### High\n- a.go:7: {}",
    "fields": "- **Severity**: high\n  **File**: a.go:7\n  **Issue**: {}",
    "a table": "| Severity | File | Issue |\n|---|---|---|\n| **High** | `a.go:7` | {} |",
}


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize("written", WAYS_TO_WRITE.values(), ids=WAYS_TO_WRITE)
def test_a_sign_that_marks_nothing_is_kept_in_what_was_found(written: str) -> None:
    """`2 * n` became `2  n`, and `src/**/*.go` another folder: whoever mends it was told something else."""
    text = f"## Summary\nRead.\n## Issues Found\n{written.format(MEANT)}\n## Status\n- [x] Needs follow-up\n"
    (found,) = read_report(text).findings
    assert (found.severity, found.file, found.line) == ("high", "a.go", 7)
    assert found.issue.endswith(KEPT)


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    ("words", "bare"),
    [
        ("**High**: x", "High: x"),
        ("**High: `a*b` and c**", "High: a*b and c"),
        ("**High: x", "High: x"),
        ("High**: x", "High: x"),
        ("***x*** y", "x y"),
        ("*x* y", "x y"),
        ("*x is no pointer", "*x is no pointer"),
        ("2*3*4 and **kw", "2*3*4 and **kw"),
        ("*.go and *.ts, a.*, *args", "*.go and *.ts, a.*, *args"),
        ("``a`b`` and ` alone", "a`b and  alone"),
        ("```go", "```go"),
    ],
)
def test_only_marks_are_taken_away(words: str, bare: str) -> None:
    assert unmarked(words) == bare
