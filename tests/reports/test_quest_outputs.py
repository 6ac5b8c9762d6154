"""What a quest report says others can build on, in each shape that the document prints or an agent may give it."""

import json
from typing import Any

import pytest

from folkmoot.reports.read import read_report


@pytest.mark.ledger("Q-07", "Q-15")
@pytest.mark.parametrize(
    ("output", "interfaces", "points"),
    [
        (
            {"interfaces": ["defined_types"], "integrationPoints": ["identified_connections"]},
            ["defined_types"],
            {"identified_connections": ""},
        ),
        ({"interfaces": "AuthResult", "integrationPoints": "auth routes"}, ["AuthResult"], {"auth routes": ""}),
        ({"integrationPoints": {"auth routes": "both modify it"}}, [], {"auth routes": "both modify it"}),
        ({"interfaces": [], "integrationPoints": []}, [], {}),
        ("files_created_or_modified", [], {}),
    ],
)
def test_interfaces_and_integration_points_are_read(output: Any, interfaces: list[str], points: dict[str, str]) -> None:
    said = {"agentType": "codeweaver", "status": "complete", "output": output, "report": "done"}
    report = read_report(json.dumps(said))
    assert (report.outcome, report.interfaces, report.integration_points) == ("done", interfaces, points)
    assert report.extra["output"] == output, "and all of it survives as it was said"


@pytest.mark.ledger("Q-05", "R-32")
@pytest.mark.parametrize(
    ("output", "created", "modified"),
    [
        ({"filesModified": {"a.ts": "the form", "lib/b.ts": "its type"}}, [], ["a.ts", "lib/b.ts"]),
        ({"filesRenamed": {"a.ts": "b.ts"}}, [], ["a.ts", "b.ts"]),
        ({"filesRenamed": [{"from": "a.ts", "to": "b.ts"}]}, [], ["a.ts", "b.ts"]),
        ({"filesChanged": ["a.ts"], "filesTouched": "b.ts"}, [], ["a.ts", "b.ts"]),
        ({"files": ["a.ts"], "created": ["b.ts"], "testFiles": ["a.test.ts"]}, ["b.ts", "a.test.ts"], ["a.ts"]),
        ({"testsAdded": ["a.test.ts"]}, ["a.test.ts"], []),
        ({"testsAdded": ["registers by mail"]}, [], []),
        ({"filesCreated": ["none"], "filesModified": "None"}, [], []),
        ({"filesModified": ["N/A"]}, [], []),
        ({"filesModified": {"count": 2}}, [], []),
        ({"filesReviewed": ["a.ts"]}, [], []),
        ("none", [], []),
    ],
    ids=str,
)
def test_files_are_read_in_each_of_their_names_and_shapes(output: Any, created: list[str], modified: list[str]) -> None:
    said = {"agentType": "codeweaver", "status": "complete", "report": "done", "output": output}
    report = read_report(json.dumps(said))
    assert (report.files.created, report.files.modified) == (created, modified)
    assert report.extra["output"] == output


FAILED = {"agentType": "codeweaver", "status": "failed", "report": "I could not finish."}


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize(
    "recommended",
    [
        {"tasks": [{"task": "schema", "files": ["a.ts"]}, {"task": "endpoint", "files": ["b.ts"]}]},
        {"suggestedDecomposition": [{"task": "schema"}, {"task": "endpoint"}]},
        {"decomposition": {"subtasks": ["schema", "endpoint"]}},
        {"recommendedSplit": ["schema", "endpoint"]},
        {"output": {"proposedTasks": ["schema", "endpoint"]}},
    ],
    ids=lambda said: next(iter(said)),
)
def test_a_failure_that_lists_the_tasks_of_its_task_is_to_be_split(recommended: dict[str, Any]) -> None:
    assert read_report(json.dumps({**FAILED, **recommended})).cause == "size"


@pytest.mark.parametrize(
    "beside",
    [
        {"tasks": []},
        {"subtasks": ["none"]},
        {"task": "User can register"},
        {"tasks": "3"},
        {"cause": "environment", "tasks": ["schema"]},
    ],
    ids=str,
)
def test_a_failure_that_lists_none_is_tried_again(beside: dict[str, Any]) -> None:
    assert read_report(json.dumps({**FAILED, **beside})).cause == beside.get("cause")
