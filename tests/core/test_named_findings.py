"""The name under which a finding stands in an object is its place, its test, its number, or what it is called."""

from typing import Any

import pytest

from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.problems import finding_told, problems_in

View = dict[str, Any]


def read(name: str, about: str, part: View) -> Finding:
    (listed,) = problems_in({name: {about: part}})
    ((told, severity),) = listed.parts
    return finding_told(told, listed.kind or "review", severity).finding


@pytest.mark.parametrize("about", ["handlers/feature.go", "b.go", "docs/"])
def test_a_path_is_the_place(about: str) -> None:
    found = read("findings", about, {"severity": "high", "issue": "no check"})
    assert (found.file, found.issue, found.why) == (about, "no check", None)


def test_what_has_a_line_is_a_file() -> None:
    assert read("findings", "Makefile", {"line": 3, "issue": "no check"}).file == "Makefile"


@pytest.mark.parametrize("about", ["F-1", "auth", "error handling"])
def test_another_name_is_told_beside_the_words(about: str) -> None:
    found = read("findings", about, {"severity": "high", "issue": "no check"})
    assert (found.file, found.issue, found.why) == (None, "no check", f"name: {about}")
    placed = read("findings", about, {"severity": "high", "issue": "no check", "file": "a.go"})
    assert (placed.file, placed.why) == ("a.go", f"name: {about}")


def test_a_name_beside_a_kind_of_hole_does_not_hide_it() -> None:
    found = read("vulnerabilities", "V-1", {"severity": "high", "type": "xss", "location": "b.go:1", "exploit": "E"})
    assert (found.issue, found.category, found.why) == ("xss", "xss", "listed as: V-1")


def test_a_number_only_counts() -> None:
    found = read("findings", "2", {"severity": "high", "issue": "no check"})
    assert (found.file, found.why) == (None, None)


@pytest.mark.parametrize("about", ["TestA", "store.TestA", "TestA/sub-case"])
def test_under_failures_it_is_the_test(about: str) -> None:
    found = read("failures", about, {"error": "boom", "file": "a_test.go:4"})
    assert (found.test, found.issue, found.file, found.line) == (about, "boom", "a_test.go", 4)


def test_a_file_under_failures_stays_one() -> None:
    assert read("failures", "tests/a_test.go", {"error": "boom"}).file == "tests/a_test.go"
