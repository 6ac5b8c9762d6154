"""The quest document's words in other places than it prints them: taken up, or asked back while its agent is there."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_quest import quest
from tests.documents import SUB_AGENTS, TASKS

FIRST, SECOND = TASKS["codeweaver-1"], TASKS["codeweaver-2"]


@pytest.mark.ledger("Q-05", "R-32")
@pytest.mark.parametrize(
    "files",
    [
        "exclusive: src/auth/registration.ts and src/auth/registration.test.ts",
        "src/auth/registration.ts and its tests",
        ["src/auth/registration.ts with everything it imports"],
    ],
)
def test_words_around_the_files_of_a_task_are_no_path(tmp_path: Path, files: Any) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = {"status": "complete", "report": "Two", "tasks": {"codeweaver-1": {**FIRST, "files": files}}}
    refused = moot.try_in(claim, said)
    assert refused.error == "unreadable_report" and "is the path of no file" in refused.err
    paths = "src/auth/registration.ts and src/auth/registration.test.ts"
    moot.hand_in(claim, json.dumps({**said, "tasks": {"codeweaver-1": {**FIRST, "files": paths}}}))
    assert moot("show", "2")["files"] == FIRST["files"]


@pytest.mark.ledger("Q-01", "Q-04")
def test_the_spawn_form_of_a_task_in_a_split_reaches_its_agent(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    spawn = {
        "role": "codeweaver",
        "task": FIRST["task"],
        "projectContext": {"patterns": "the repository pattern of src/users"},
        "constraints": {"fileOwnership": FIRST["files"], "dependencies": ["b"], "style": "no new dependency"},
        "escapeHatch": "report blocked if the database is missing",
    }
    moot.effort("pathseeker", "split", tasks=[{"key": "a", **spawn}, {"key": "b", **SECOND}])
    task = moot("show", "2")
    assert (task["files"], task["after"]) == (FIRST["files"], ["3"])
    assert task["constraints"] == ["style: no new dependency"]
    moot.effort("codeweaver", "done", summary="Reset works")
    brief = json.dumps(moot("claim", "codeweaver")["brief"])
    assert "the repository pattern of src/users" in brief and "if the database is missing" in brief


@pytest.mark.ledger("Q-07", "Q-11")
def test_the_standard_fields_count_beside_an_outcome_as_well(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    tasks = [{"key": "a", **FIRST}, {"key": "b", **SECOND}]
    more = {"agentType": "pathseeker", "task": "User auth", "report": "Two tasks", "retro": "Look at src/users first"}
    item = moot.effort("pathseeker", "split", tasks=tasks, **more, recommendations=["Limit the rate"], nextSteps="none")
    report = item["runs"][-1]["report"]
    assert (report["summary"], report["lessons"]) == ("Two tasks", ["Look at src/users first"])
    assert report["next_steps"] == ["Limit the rate"]
    assert [one["text"] for one in moot("claim", "codeweaver")["brief"]["lessons"]] == ["Look at src/users first"]


@pytest.mark.ledger("Q-09")
def test_sub_agents_by_name_look_and_still_make_nothing(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    made = {"Sub-Agent 1": {"task": "Write the code", "scope": "implementation"}}
    assert moot.try_in(claim, {"decision": "delegate", "subAgents": made}).error == "report_refused"
    first, second = (one["task"] for one in SUB_AGENTS["subAgents"])
    named = {"Sub-Agent 1": first, "Sub-Agent 2": second}
    moot.hand_in(claim, json.dumps({"decision": "delegate", "subAgents": named}))
    assert [moot("show", child)["title"] for child in ("2", "3")] == [first, second]
