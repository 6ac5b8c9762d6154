"""A list of problems is findings, under whichever of the documents' names it stands; none passes unseen (R-22)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.judging.carrying import against
from folkmoot.core.vocabulary.problems import finding_told, listed_under, problems_in
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import FAILURES, RESULTS, REVIEW, SECURITY

VULNERABILITY = SECURITY["vulnerabilities"][0]
FAILURE = FAILURES["failures"][0]
FINDING = REVIEW["findings"][0]
APPROVED = {"type": "review_findings", "reviewer": "reviewer", "status": "approved", "findings": [], "approval": True}
CLEAN = {"type": "security_issues", "source": "devil's-advocate", "vulnerabilities": []}
# Every message that can approve, and every name under which others list what they found.
APPROVALS: dict[str, dict[str, Any]] = {
    "review_findings": APPROVED,
    "security_issues": CLEAN,
    "security_issues that approve": {**CLEAN, "status": "approved"},
    "test_results": RESULTS,
    "canonical": {"outcome": "done", "summary": "fine"},
    "quest": {"status": "complete", "report": "fine"},
    "completion": {"type": "completion", "payload": {"summary": "fine"}},
}
LISTS: dict[str, tuple[str, Any, str]] = {
    "vulnerabilities": ("vulnerabilities", [VULNERABILITY], "security"),
    "security_issues": ("security_issues", [VULNERABILITY], "security"),
    "failures": ("failures", [FAILURE], "test"),
    "test_failures": ("test_failures", [FAILURE], "test"),
    "failed tests": ("failedTests", [FAILURE], "test"),
    "issues": ("issues", [FINDING], ""),
    "findings": ("findings", [FINDING], ""),
    "bugs": ("bugs", [FINDING], ""),
    "problems": ("problems", [FINDING], ""),
    "issues found": ("issuesFound", [FINDING], ""),
    "a single one": ("bugs", FINDING, ""),
    "words": ("issues", ["High: handlers/feature.go:42: Missing error handling"], ""),
    "by severity": ("problems", {"high": ["handlers/feature.go:42: Missing error handling"], "low": []}, ""),
    "objects by severity": ("issues", {"Critical": [{"issue": "Deletes all rows"}]}, ""),
    "the severity in the name": ("critical_issues", ["Deletes all rows"], ""),
    "a name that nobody knows": ("observations", [FINDING], ""),
    "capital letters": ("Issues", [{"Severity": "High", "File": "a.go", "Issue": "bad"}], ""),
}


def read(data: Any) -> Report:
    return read_report(data if isinstance(data, str) else json.dumps(data))


@pytest.mark.ledger("P-03", "P-05", "R-22")
@pytest.mark.parametrize("approval", APPROVALS.values(), ids=APPROVALS.keys())
@pytest.mark.parametrize(("name", "listed", "kind"), LISTS.values(), ids=LISTS.keys())
def test_a_list_of_problems_is_found_under_whichever_name(
    approval: dict[str, Any], name: str, listed: Any, kind: str
) -> None:
    said = read({**approval, name: listed})
    assert len(said.findings) == 1
    assert not kind or said.findings[0].kind == kind
    assert said.findings[0].severity in ("critical", "high") or said.findings[0].test, "it says what keeps it from done"
    assert said.findings[0].issue


@pytest.mark.ledger("P-03", "R-22")
@pytest.mark.parametrize("nothing", [[], {}, "none", "None found.", "N/A"])
@pytest.mark.parametrize("name", ["vulnerabilities", "failures", "issues", "bugs", "securityIssues"])
@pytest.mark.parametrize("approval", APPROVALS.values(), ids=APPROVALS.keys())
def test_a_list_of_none_finds_nothing(approval: dict[str, Any], name: str, nothing: Any) -> None:
    said = read({**approval, name: nothing})
    assert (said.findings, said.outcome) == ([], "done") and against(said) is None


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("name", ["fixed_issues", "issuesFixed", "resolved_findings", "previous_failures"])
def test_what_was_mended_is_no_finding(name: str) -> None:
    said = read({**APPROVED, name: [FINDING]})
    assert said.findings == [] and said.extra[name] == [FINDING]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize(
    "counted",
    [{"vulnerabilities": 2}, {"failures": "3"}, {"summary": {"critical": 1, "high": 2}}, {"findings_by": {"high": 1}}],
)
def test_a_number_of_problems_that_are_not_told_speaks_against_an_approval(counted: dict[str, Any]) -> None:
    approval = {key: value for key, value in APPROVED.items() if key != "findings"}
    assert "open issue" in (against(read({**approval, **counted})) or "")


@pytest.mark.ledger("P-03")
def test_problems_within_another_object_are_found() -> None:
    said = read({**APPROVED, "review": {"by": "reviewer", "vulnerabilities": [VULNERABILITY]}})
    assert [(one.kind, one.severity) for one in said.findings] == [("security", "critical")]


@pytest.mark.ledger("P-03")
def test_an_object_of_problems_beside_a_form_adds_to_it() -> None:
    form = "## Summary\nAttacked it\n\n## Status\n- [x] Complete\n"
    said = read(f"```json\n{json.dumps({'vulnerabilities': [VULNERABILITY]})}\n```\n\n{form}")
    assert [(one.kind, one.severity) for one in said.findings] == [("security", "critical")]


@pytest.mark.ledger("R-32")
def test_a_severity_that_nobody_knows_is_asked_back_under_any_name() -> None:
    with pytest.raises(Invalid, match="bugs: severity 'terrible'"):
        read({**APPROVED, "bugs": [{**FINDING, "severity": "terrible"}]})


parts = st.fixed_dictionaries(
    {"severity": st.sampled_from(["critical", "High", "blocker"]), "issue": st.sampled_from(["a b", "c"])},
    optional={"file": st.just("a.go:3"), "fix": st.just("so"), "exploit": st.just("x"), "note": st.just("n")},
)


@pytest.mark.ledger("R-22")
@given(st.text(max_size=12), st.lists(parts, min_size=1, max_size=3))
def test_whatever_the_name_a_list_that_tells_severities_is_read_or_is_over(name: str, listed: list[Any]) -> None:
    found = [one for one in problems_in({name: listed}) if one.parts]
    over = not found
    assert over != (sum(len(one.parts) for one in found) == len(listed))
    assert not (over and listed_under(name)[0])


@pytest.mark.ledger("R-22")
@given(parts)
def test_no_word_of_a_finding_is_lost(part: dict[str, Any]) -> None:
    told = finding_told(part, "review")
    assert isinstance(told.finding, Finding) and told.faults == []
    assert part.keys() - told.used <= {"note"} | ({"severity"} if part["severity"] == "blocker" else set())


COMPLETE = "## Summary\nLooked at it\n\n## Status\n- [x] Complete\n"


@pytest.mark.ledger("P-03", "R-22")
@pytest.mark.parametrize("listed", [[FINDING], [FINDING, {**FINDING, "line": 50}], [VULNERABILITY]])
def test_a_list_of_findings_by_itself_adds_to_the_form_beside_it(listed: list[Any]) -> None:
    said = read(f"Findings:\n```json\n{json.dumps(listed, indent=1)}\n```\n\n{COMPLETE}")
    assert [one.severity for one in said.findings] == [one["severity"] for one in listed]


@pytest.mark.ledger("P-03", "R-22")
def test_a_finding_by_itself_adds_to_the_form_beside_it() -> None:
    assert [one.severity for one in read(f"```json\n{json.dumps(FINDING)}\n```\n\n{COMPLETE}").findings] == ["high"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("listed", [[FINDING], FINDING])
def test_what_somebody_says_to_have_fixed_is_no_finding_of_its_own(listed: Any) -> None:
    assert read(f"I fixed the following:\n```json\n{json.dumps(listed)}\n```\n\n{COMPLETE}").findings == []


@pytest.mark.ledger("R-32")
def test_a_list_of_findings_alone_is_told_what_to_add() -> None:
    with pytest.raises(Invalid, match="beside `findings` add"):
        read(f"```json\n{json.dumps([FINDING])}\n```\n")


@pytest.mark.ledger("P-03")
def test_a_message_in_yaml_is_the_same_message() -> None:
    text = """type: review_findings
reviewer: reviewer
status: changes_requested
findings:
  - severity: high
    file: handlers/feature.go
    line: 42
    issue: Missing error handling
    recommendation: Add error check before proceeding
approval: false
"""
    assert read(text).findings == read(REVIEW).findings and read(text).outcome == "changes_requested"


@pytest.mark.ledger("P-03", "R-22")
def test_failures_in_words_beside_passed_are_failed_tests() -> None:
    said = read({**RESULTS, "failures": ["TestFeatureAPI: expected 200, got 500"]})
    assert [(one.kind, one.test) for one in said.findings] == [("test", "TestFeatureAPI")]


@pytest.mark.ledger("P-05", "R-22")
def test_a_field_told_as_a_list_is_that_field() -> None:
    steps = {**VULNERABILITY, "exploit": ["Open /login", "Enter ' OR '1'='1"], "fix": ["Bind the values", "Test it"]}
    found = finding_told(steps, "security").finding
    assert found.exploit == "Open /login; Enter ' OR '1'='1"
    assert found.recommendation == "Bind the values; Test it" and found.why is None


@pytest.mark.ledger("P-05", "R-22")
def test_a_place_told_as_an_object_is_the_place() -> None:
    told = finding_told({**VULNERABILITY, "location": {"file": "a.go", "line": 7, "function": "login"}}, "security")
    assert (told.finding.file, told.finding.line, told.finding.why) == ("a.go", 7, "function: login")
    assert not told.faults


@pytest.mark.ledger("P-05", "R-22")
def test_several_files_are_all_told() -> None:
    found = finding_told({**FINDING, "file": ["a.go", "b.go"], "line": None}, "review").finding
    assert (found.file, found.issue) == ("a.go", "Missing error handling (a.go, b.go)") and found.why is None


@pytest.mark.ledger("R-22")
def test_a_field_without_a_name_is_no_other_field() -> None:
    found = finding_told({"severity": "high", "": "a.go", "issue": "no check"}, "review").finding
    assert (found.file, found.recommendation, found.fixed, found.issue) == (None, None, None, "no check")
    assert "a.go" in (found.why or "")


SEVERAL = "services/user.go:123, services/auth.go:45"


@pytest.mark.ledger("P-03", "R-22")
@pytest.mark.parametrize("between", [", ", "; ", " and ", "\n", ", and "])
def test_several_places_in_one_text_are_no_file_of_that_name(between: str) -> None:
    places = SEVERAL.replace(", ", between)
    said = read_report(json.dumps({**SECURITY, "vulnerabilities": [{**VULNERABILITY, "location": places}]}))
    found = said.findings[0]
    assert (found.file, found.line) == ("services/user.go", 123)
    assert found.issue == f"sql_injection ({SEVERAL})"
    (found,) = read_report(
        json.dumps({"outcome": "changes_requested", "findings": [{"issue": "a hole", "file": places}]})
    ).findings
    assert (found.file, found.line, found.issue) == ("services/user.go", 123, f"a hole ({SEVERAL})")


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("name", ["notes, old.md", "a, b.go:3", "C:5, x", "one and two:3"])
def test_a_file_may_have_such_a_name(name: str) -> None:
    told = finding_told({"issue": "a hole", "file": name}, "review").finding
    assert (told.file or "") in name and name.startswith(told.file or "?")
    assert "(" not in told.issue
