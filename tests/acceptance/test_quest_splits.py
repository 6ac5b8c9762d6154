"""The quest document's decomposition as pathseekers write it: no task, order, file or contract of it gets lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_quest import SHORT_REPORT, quest
from tests.documents import SHARED, TASKS

View = dict[str, Any]
FIRST, SECOND = TASKS["codeweaver-1"], TASKS["codeweaver-2"]
FOUND: View = {
    "agentType": "pathseeker",
    "status": "complete",
    "task": "User auth",
    "report": "Two observable actions, with their files",
    "retro": "routes/auth.ts is shared",
}


@pytest.mark.ledger("Q-04", "Q-07")
def test_every_entry_of_the_decomposition_is_a_task(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    said = {**TASKS, "codeweaver-3": {"task": "User can log out"}, "codeweaver-4": "User can log in"}
    moot.speak("pathseeker", said)
    titles = [moot("show", child)["title"] for child in moot("show", "1")["children"]]
    assert titles == [FIRST["task"], SECOND["task"], "User can log out", "User can log in"]


@pytest.mark.ledger("Q-04", "Q-09")
@pytest.mark.parametrize("word", ["self-execute", "Self-Execute", "self_execute"])
def test_a_pathseeker_that_splits_without_others_may_say_so(tmp_path: Path, word: str) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {"decision": word, **TASKS, **SHARED})
    quested = moot("show", "1")
    titles = [moot("show", child)["title"] for child in quested["children"]]
    assert titles == [FIRST["task"], SECOND["task"]]
    assert [one["name"] for one in quested["contracts"]] == list(SHARED["sharedTypes"])


@pytest.mark.ledger("Q-09", "R-32")
def test_a_decision_to_send_others_beside_tasks_is_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    assert moot.try_in(claim, {"decision": "delegate", **TASKS}).code == 2
    assert moot.try_in(claim, {"decision": "ask a person", **TASKS}).code == 2
    assert moot("show", "1")["children"] == []


@pytest.mark.ledger("Q-04", "R-32")
def test_an_entry_that_is_no_task_is_asked_back_by_its_name(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, {**TASKS, "codeweaver-3": {"files": ["src/auth/logout.ts"]}})
    assert (said.code, said.error) == (2, "unreadable_report")
    assert "codeweaver-3: it does not say what is to be done" in said.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("Q-06")
@pytest.mark.parametrize(
    ("task", "whole"),
    [
        ({"depends_on": ["codeweaver-1"]}, {}),
        ({"requires": "codeweaver-1"}, {}),
        ({"blockedBy": ["codeweaver-1"]}, {}),
        ({"parallel": False}, {}),
        ({}, {"execution": "sequential"}),
        ({}, {"executionOrder": ["codeweaver-1", "codeweaver-2"]}),
        ({}, {"parallel": False}),
    ],
)
def test_tasks_with_dependencies_run_sequentially(tmp_path: Path, task: View, whole: View) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, "output": {"codeweaver-1": FIRST, "codeweaver-2": {**SECOND, **task}, **whole}})
    claim = moot("claim", "codeweaver")
    assert claim["item"]["title"] == FIRST["task"]
    assert moot.say("claim", "codeweaver").code == 3, "the other waits"
    moot.hand_in(claim, json.dumps(SHORT_REPORT))
    after = moot("claim", "codeweaver")
    assert after["item"]["title"] == SECOND["task"]
    assert after["brief"]["projectContext"]["buildsOn"][0]["summary"] == "Registration works"


@pytest.mark.ledger("Q-06", "R-32")
def test_an_order_that_nobody_understands_is_asked_back_with_its_key(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, {"codeweaver-1": FIRST, "codeweaver-2": {**SECOND, "runAfterDeploy": "yes"}})
    assert said.code == 2 and "codeweaver-2: nobody knows `runAfterDeploy`" in said.err


@pytest.mark.ledger("Q-04", "Q-05")
def test_what_the_board_does_not_know_of_a_task_its_agent_is_told_and_the_answer_names(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    said = moot.speak("pathseeker", {**TASKS, "codeweaver-1": {**FIRST, "estimate": "2 hours"}})
    assert {"what": "codeweaver-1.estimate", "said": "2 hours"} in said["kept"]
    assert "estimate: 2 hours" in moot("claim", "codeweaver")["brief"]["task"]["body"]


@pytest.mark.ledger("Q-03", "R-20")
def test_files_of_a_task_own_what_they_mean_and_are_asked_back_where_they_mean_nothing(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    for files, words in (([], "`files` is []"), (None, "`files` is None"), (["src/auth/*.ts"], "it is a pattern")):
        said = moot.try_in(claim, {**TASKS, "codeweaver-2": {**SECOND, "files": files}})
        assert said.code == 2 and words in said.err and moot("show", "1")["status"] == "running"
    marked = {**SECOND, "files": ["`src/auth/password-reset.ts:10-20`", "src/mail/**"]}
    moot.hand_in(claim, json.dumps({**TASKS, "codeweaver-2": marked}))
    task = moot("claim", "codeweaver", "--item", "3")["brief"]
    assert task["constraints"]["files"] == ["src/auth/password-reset.ts", "src/mail/"]
    assert "10-20" in task["task"]["body"], "the lines are told"


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize(
    "shared",
    [
        SHARED,
        {"interfaces": SHARED["sharedTypes"]},
        {"contracts": SHARED["sharedTypes"]},
        {"interfaceContracts": SHARED["sharedTypes"]},
        {"interfaces": [f"{name}: {text}" for name, text in SHARED["sharedTypes"].items()]},
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_contracts_of_the_pathseeker_reach_the_codeweaver(tmp_path: Path, shared: View, nested: bool) -> None:
    moot = quest(tmp_path)
    output = {"taskDecomposition": TASKS, **shared} if nested else {**TASKS, **shared}
    moot.speak("pathseeker", {**FOUND, "output": output})
    contracts = moot("claim", "codeweaver")["brief"]["constraints"]["contracts"]
    assert contracts == [{"name": name, "text": text} for name, text in SHARED["sharedTypes"].items()]


@pytest.mark.ledger("Q-05")
def test_shared_types_of_one_task_are_that_tasks_contracts(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "codeweaver-1": {**FIRST, "sharedTypes": {"AuthResult type": "ok or not"}}})
    told = moot("claim", "codeweaver", "--item", "2")["brief"]["constraints"]["contracts"]
    assert told == [{"name": "AuthResult type", "text": "ok or not"}]


@pytest.mark.ledger("Q-02", "Q-13")
def test_a_task_that_is_named_after_another_role_is_that_roles(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "siegemaster-1": {"task": "Both together", "files": ["tests/auth.test.ts"]}})
    for _ in TASKS:
        claim = moot("claim", "codeweaver")
        moot.hand_in(claim, json.dumps({"status": "complete", "report": "works"}))
    assert moot.say("claim", "codeweaver").code == 3, "it is none of the codeweaver's"
    claim = moot("claim", "siegemaster")
    assert (claim["item"]["title"], claim["brief"]["constraints"]["write"]) == ("Both together", "new_tests")
    assert len(claim["brief"]["projectContext"]["buildsOn"]) == 2


@pytest.mark.ledger("Q-02", "Q-13")
@pytest.mark.parametrize("more", [{}, {"files": ["tests/auth.test.ts"]}])
@pytest.mark.parametrize("nested", [False, True])
def test_a_task_under_the_bare_name_of_a_role_is_that_roles_and_comes_last(
    tmp_path: Path, more: View, nested: bool
) -> None:
    moot = quest(tmp_path)
    said = {**TASKS, "siegemaster": {"task": "Integration tests", **more}}
    item = moot.speak("pathseeker", {"outcome": "split", "tasks": said} if nested else {**FOUND, **said})
    assert len(item["children"]) == 3
    for _ in TASKS:
        claim = moot("claim", "codeweaver")
        assert claim["item"]["title"] != "Integration tests"
        moot.hand_in(claim, json.dumps({"status": "complete", "report": "works"}))
    assert moot.say("claim", "codeweaver").code == 3, "it is none of the codeweaver's"
    assert moot("claim", "siegemaster")["item"]["title"] == "Integration tests"


@pytest.mark.ledger("Q-02", "R-32")
@pytest.mark.parametrize("said", ["Review all", {"description": "Review all"}])
def test_a_role_that_is_named_beside_the_tasks_without_a_task_is_asked_back(tmp_path: Path, said: Any) -> None:
    moot = quest(tmp_path)
    answer = moot.try_in(moot("claim", "pathseeker"), {**TASKS, "lawbringer": said})
    assert answer.code == 2 and "it names lawbringer beside its tasks, and not as a task" in answer.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("Q-07", "Q-04")
@pytest.mark.parametrize("shape", [TASKS, [*TASKS.values()], {"tasks": [*TASKS.values()], **SHARED}])
def test_a_nested_decomposition_is_the_split(tmp_path: Path, shape: Any) -> None:
    moot = quest(tmp_path)
    item = moot.speak("pathseeker", {**FOUND, "output": {"taskDecomposition": shape}})
    assert (item["column"], item["status"], len(item["children"])) == ("weave", "waiting", 2)


@pytest.mark.ledger("Q-05", "Q-08")
def test_whoever_depends_on_a_task_that_was_split_again_is_told_what_its_tasks_made(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "codeweaver-2": {**SECOND, "dependsOn": ["codeweaver-1"]}})
    moot.speak(
        "codeweaver", {"status": "failed", "report": "Task is too large", "recommendations": "Split the mail off"}
    )
    moot.speak("pathseeker", {**FOUND, "output": {"taskDecomposition": {"codeweaver-1": FIRST}}})
    moot.speak("codeweaver", {**SHORT_REPORT, "output": {"filesCreated": FIRST["files"], "interfaces": ["AuthResult"]}})
    built = moot("claim", "codeweaver")["brief"]["projectContext"]["buildsOn"]
    (made,) = [one for one in built if one.get("summary") == "Registration works"]
    assert (made["interfaces"], made["next_steps"]) == (["AuthResult"], ["Wire the route"])


@pytest.mark.ledger("Q-07", "Q-15")
def test_a_report_in_words_keeps_its_parts(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", TASKS)
    claim = moot("claim", "codeweaver", "--item", "2")
    words = (
        "Status: complete\nReport: Registration works\nFiles created: src/auth/registration.ts\n"
        "Next steps: Wire the route\nRetro: The validator is strict about empty strings\n"
    )
    assert moot.hand_in(claim, words)["status"] == "done"
    (output,) = moot("show", "1")["outputs"]
    assert (output["summary"], output["files"]) == ("Registration works", ["src/auth/registration.ts"])
    assert output["next_steps"] == ["Wire the route"]
    assert [one["text"] for one in moot("lessons")["lessons"]] == ["The validator is strict about empty strings"]


@pytest.mark.ledger("Q-08", "Q-10")
@pytest.mark.parametrize(
    "escape",
    [
        {"escapeHatch": "Context window approaching limits"},
        {"escapeHatch": {"trigger": "Task complexity exceeds agent capability", "state": "the form is there"}},
        {"escape_hatch": ["Unexpected dependencies discovered"]},
    ],
)
@pytest.mark.parametrize("status", ["failed", "blocked"])
def test_the_escape_hatch_brings_a_fresh_pathseeker(tmp_path: Path, escape: View, status: str) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", TASKS)
    claim = moot("claim", "codeweaver", "--item", "2")
    item = moot.hand_in(claim, json.dumps({"status": status, "report": "Half of it stands", **escape}))
    assert (item["column"], item["status"]) == ("discover", "ready")
    assert "Half of it stands" in json.dumps(moot("claim", "pathseeker")["brief"])


@pytest.mark.ledger("Q-08")
def test_words_about_something_else_are_no_escape(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", TASKS)
    claim = moot("claim", "codeweaver", "--item", "2")
    item = moot.hand_in(claim, json.dumps({"status": "failed", "report": "The mail server says 413 payload too large"}))
    assert (item["column"], item["failure_count"]) == ("weave", 1)


@pytest.mark.ledger("Q-08", "Q-10")
def test_a_pathseeker_whose_context_is_exhausted_is_followed_by_a_fresh_one(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    said = {**FOUND, "status": "failed", "report": "Mapped 3 of 9 modules", "blockers": "Context Exhaustion"}
    item = moot.speak("pathseeker", said)
    assert (item["column"], item["status"]) == ("discover", "ready")
    assert "Mapped 3 of 9 modules" in json.dumps(moot("claim", "pathseeker")["brief"])


@pytest.mark.ledger("Q-03")
def test_files_of_a_role_that_only_reads_are_answered(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    said = moot.speak("pathseeker", {**FOUND, "output": {**TASKS, "filesModified": ["src/auth/registration.ts"]}})
    (told,) = [one["said"] for one in said["kept"] if one["what"] == "files"]
    assert "pathseeker only reads" in told and "src/auth/registration.ts" in told


@pytest.mark.ledger("Q-05", "Q-08")
def test_what_the_pathseeker_says_beside_its_tasks_is_told_to_each_of_them_once(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    words = "Sequential execution for shared files to avoid conflicts"
    beside = {"recommendations": "Mail through the queue", "blockers": "No SMTP account yet", "resolution": words}
    moot.speak("pathseeker", {**FOUND, **beside, "output": {"taskDecomposition": TASKS}})
    for _ in TASKS:
        brief = json.dumps(moot("claim", "codeweaver")["brief"])
        for told in (FOUND["report"], "Mail through the queue", "No SMTP account yet", words):
            assert brief.count(told) == 1, told


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize("name", ["report", "nextSteps", "recommendations", "blockers", "resolution"])
def test_an_order_in_words_beside_the_tasks_is_asked_back(tmp_path: Path, name: str) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, {**FOUND, name: "codeweaver-2 depends on codeweaver-1", **TASKS})
    assert said.code == 2 and "write it as `after` of a task" in said.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("Q-03", "Q-07")
def test_the_answer_says_that_the_report_itself_is_the_discovery(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    item = moot.speak("pathseeker", {**FOUND, "filesCreated": ["discovery.json"], **TASKS})
    (told,) = [one["said"] for one in item["kept"] if one["what"] == "files"]
    assert "the report itself is the discovery" in told and "discovery.json" in told


@pytest.mark.ledger("R-24")
def test_tasks_that_were_made_are_not_shown_as_without_effect(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", TASKS)
    assert "What else the last run said" not in moot.process_text("show", "1")
    moot = quest(tmp_path / "another")
    moot.speak("pathseeker", {**TASKS, "resolution": "Sequential execution for shared files"})
    shown = " ".join(moot.process_text("show", "1").split())
    assert "resolution: Sequential execution for shared files" in shown and "tasks: User" not in shown


@pytest.mark.ledger("Q-04", "R-32")
def test_a_list_of_tasks_by_itself_is_the_split_and_another_list_is_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, json.dumps([{"task": "analyze_existing_auth_patterns", "scope": "discovery_only"}]))
    assert said.code == 2 and "under `tasks`" in said.err and "under `subAgents`" in said.err
    item = moot.hand_in(claim, json.dumps([*TASKS.values()]))
    assert (item["column"], item["status"], len(item["children"])) == ("weave", "waiting", 2)


@pytest.mark.ledger("Q-10")
@pytest.mark.parametrize("shape", [["Analyze existing auth code"], "Analyze existing auth code"])
def test_a_sub_agent_that_is_asked_for_in_words_gets_them_as_its_task(tmp_path: Path, shape: Any) -> None:
    moot = quest(tmp_path)
    item = moot.speak("pathseeker", {"decision": "delegate", "subAgents": shape})
    assert [moot("show", child)["title"] for child in item["children"]] == ["Analyze existing auth code"]


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"contract": "must export foo"}, {"name": "must export foo", "text": ""}),
        ({"contracts": [{"name": "foo", "text": "exported"}]}, {"name": "foo", "text": "exported"}),
    ],
)
def test_a_task_with_a_contract_of_its_own_is_told_the_shared_ones_too(tmp_path: Path, own: View, told: View) -> None:
    moot = quest(tmp_path)
    tasks = [{"id": "cw1", "task": "A1", "files": ["m/a.ts"], **own}, {"id": "cw2", "task": "A2", "files": ["m/b.ts"]}]
    shared = {"User interface": "{id: string}"}
    moot.speak("pathseeker", {"status": "complete", "report": "r", "tasks": tasks, "sharedTypes": shared})
    contracts = moot("claim", "codeweaver", "--item", "2")["brief"]["constraints"]["contracts"]
    assert contracts == [{"name": "User interface", "text": "{id: string}"}, told]


@pytest.mark.ledger("Q-03")
def test_files_without_an_ending_in_one_text_are_each_a_file(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "codeweaver-2": {**SECOND, "files": "m9/Makefile, m9/Dockerfile"}})
    assert moot("show", "3")["files"] == ["m9/Makefile", "m9/Dockerfile"]
