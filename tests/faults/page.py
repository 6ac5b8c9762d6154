"""Writes down what came of each fault, and the page that tells it: `python -m tests.faults.page [--long]`.

Runs the tests of this folder, the long ones with `--long`; what they saw goes into observed.json, and the page
docs/reference/faults.md is made of it. The tests of other folders that the matrix names run in `make test`.
A case that was not run keeps what was seen of it before.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.faults.matrix import HERE, NO_DOOR, ROWS, Row
from tests.faults.witness import OBSERVED, WRITE_TO, Observed, read_observed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "faults.md"
HEAD = """<!-- Made from the tests by `python -m tests.faults.page`; do not edit. -->

# Faults

What can go wrong under a board, how each fault is made in our tests, and what came of it when they were last run. A row
ends with a board on which `moot doctor` finds nothing, or with a refusal that says what to do. Of a test that could not
be run where the page was written, nothing stands here.

| | fault | what must come of it | how it is made |
|---|---|---|---|
"""


class Results:
    """How each named test ended, without its parameters."""

    def __init__(self) -> None:
        self.ended: dict[str, set[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.split("[")[0]
            self.ended.setdefault(name, set()).add("open" if hasattr(report, "wasxfail") else report.outcome)


def run(long: bool) -> tuple[Observed, dict[str, Any]]:
    """What the tests saw this time, and how they ended."""
    wanted = sorted({test for row in ROWS for test in row.tests if test.startswith(HERE)})
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "seen")
        os.environ[WRITE_TO] = place
        marks = [] if long else ["-m", "not slow"]
        pytest.main(["-q", "-p", "no:cacheprovider", "-n", "2", *marks, *wanted], plugins=[results])
        lines = Path(place).read_text("utf-8").splitlines() if os.path.exists(place) else []
    return merged(read_observed(), [json.loads(line) for line in lines]), results.ended


def merged(known: Observed, seen: list[dict[str, Any]]) -> Observed:
    """Of a case with the same end in a short and in a long form, the long one stays."""
    for line in seen:
        place = known.setdefault(line["row"], {})
        was = place.get(line["case"], {"outcome": "", "counts": {}})
        if was["outcome"] != line["outcome"] or sum(line["counts"].values()) >= sum(was["counts"].values()):
            place[line["case"]] = {"outcome": line["outcome"], "counts": line["counts"]}
    return known


def page(observed: Observed) -> str:
    table = "".join(f"| {row.number} | {row.fault} | {row.expected} | {row.how} |\n" for row in ROWS)
    return HEAD + table + "\n## What was seen\n" + "".join(section(row, observed) for row in ROWS)


def section(row: Row, observed: Observed) -> str:
    lines = [f"\n### {row.number}: {row.fault}\n"]
    if row.how == NO_DOOR:
        return "".join([*lines, f"\n{NO_DOOR[0].upper()}{NO_DOOR[1:]}: there is nothing here that it could strike.\n"])
    cases = {name: case for name, case in observed.get(row.number, {}).items() if name != "tests"}
    if cases:
        lines.append("\n| case | what came of it | how much |\n|---|---|---|\n")
        for name, case in sorted(cases.items()):
            counts = ", ".join(f"{count} {what}" for what, count in case["counts"].items())
            lines.append(f"| {name} | {case['outcome']} | {counts} |\n")
    ended = observed.get(row.number, {}).get("tests", {}).get("counts", {})
    lines.append("\nShown by:\n\n")
    lines += [
        f"- `{test}`{'' if ended.get(test, 'passed') == 'passed' else ': ' + ended[test]}\n" for test in row.tests
    ]
    return "".join(lines)


def main(long: bool) -> None:
    observed, ended = run(long)
    for row in ROWS:
        told = {test: " and ".join(sorted(ended[test])) for test in row.tests if test in ended}
        if told:
            kept = observed.setdefault(row.number, {}).setdefault("tests", {"outcome": "", "counts": {}})
            kept["counts"].update(told)
    OBSERVED.write_text(json.dumps(observed, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(observed), "utf-8")


if __name__ == "__main__":
    main("--long" in sys.argv)
