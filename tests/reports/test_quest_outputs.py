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
