"""The quest document's notions in other forms than it prints: each acts, or is asked back while its agent is there."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_quest import quest
from tests.documents import TASKS

View = dict[str, Any]
FIRST, SECOND = TASKS["codeweaver-1"], TASKS["codeweaver-2"]
NAMED = {key: {"task": task["task"]} for key, task in TASKS.items()}
FOUND: View = {"agentType": "pathseeker", "status": "complete", "report": "Two actions"}


@pytest.mark.ledger("Q-04", "Q-05")
@pytest.mark.parametrize(
    "owners",
    [
        {key: task["files"] for key, task in TASKS.items()},
        {path: key for key, task in TASKS.items() for path in task["files"]},
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_file_ownership_that_is_assigned_beside_the_tasks_holds(tmp_path: Path, owners: View, nested: bool) -> None:
    moot = quest(tmp_path)
    said = {"tasks": NAMED, "fileOwnership": owners}
    moot.speak("pathseeker", {**FOUND, **({"output": said} if nested else said)})
    assert [moot("show", child)["files"] for child in moot("show", "1")["children"]] == [
        FIRST["files"],
        SECOND["files"],
    ]


@pytest.mark.ledger("Q-05", "R-32")
@pytest.mark.parametrize("owners", [{"codeweaver-7": ["a.ts"]}, {"codeweaver-1": []}, "each its own", ["a.ts"]])
def test_file_ownership_that_nobody_understands_is_asked_back(tmp_path: Path, owners: Any) -> None:
    moot = quest(tmp_path)
    said = moot.try_in(moot("claim", "pathseeker"), {**FOUND, "tasks": NAMED, "file_ownership": owners})
    assert said.code == 2 and "`file_ownership`" in said.err and "'codeweaver-1', 'codeweaver-2'" in said.err


@pytest.mark.ledger("Q-05", "Q-06")
def test_shared_dependencies_hold_the_types_and_the_meeting_points(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    shared = {"sharedTypes": {"User": "interface User"}, "integrationPoints": {"auth routes": "both modify them"}}
    moot.speak("pathseeker", {**FOUND, **TASKS, "sharedDependencies": shared})
    task = moot("show", "2")
    assert task["contracts"] == [{"name": "User", "text": "interface User"}]
    assert task["integration_points"] == {"auth routes": "both modify them"}


@pytest.mark.ledger("Q-06")
def test_integration_points_may_be_objects_in_a_list(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    points = [{"name": "auth routes", "description": "both modify them"}, "user service"]
    moot.speak("pathseeker", {**FOUND, **TASKS, "integrationPoints": points})
    assert moot("show", "2")["integration_points"] == {"auth routes": "both modify them", "user service": ""}


@pytest.mark.ledger("Q-09")
def test_insights_in_an_object_are_lessons_and_blockers_in_one_are_blockers(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, **TASKS, "retro": {"insights": ["mock the clock"], "next": "none"}})
    assert [lesson["text"] for lesson in moot("lessons")["lessons"]] == ["insights: mock the clock"]
    claim = moot("claim", "codeweaver")
    blockers = [{"type": "dependency", "description": "the mail key is missing"}]
    said = moot.try_in(claim, {"status": "complete", "report": "Registration works", "blockers": blockers})
    assert said.code == 2 and "it names a blocker" in said.err


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize(
    "said",
    [
        {"codeweavers": [FIRST, SECOND]},
        {"phases": [{"name": "Phase 1", "tasks": [FIRST]}, {"name": "Phase 2", "tasks": [SECOND]}]},
        {"parallel": [FIRST], "sequential": [SECOND]},
        {"report": {"codeweaver-1": FIRST}},
        {"output": {"plan": {"weavers": [FIRST, SECOND]}}},
        {"observableAtomicActions": [FIRST["task"], SECOND["task"]]},
    ],
)
def test_tasks_under_a_name_that_nobody_knows_are_asked_back(tmp_path: Path, said: View) -> None:
    moot = quest(tmp_path)
    answer = moot.try_in(moot("claim", "pathseeker"), {"status": "complete", "report": "Two actions", **said})
    assert answer.code == 2 and next(iter(said)) in answer.err and "tasks" in answer.err
    assert moot("show", "1")["column"] == "discover"


@pytest.mark.ledger("Q-04")
def test_what_the_pathseeker_only_looked_at_is_no_task(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    looked = [{"name": "auth service", "path": "src/auth/service.ts"}]
    moot.speak("pathseeker", {**FOUND, "report": "It is one task already", "existingCode": looked})
    assert moot("show", "1")["column"] == "weave"


THIRD: View = {"task": "User can log in", "files": ["src/auth/login.ts"]}
TOO_LARGE = {"status": "failed", "report": "Task is too large", "recommendations": "Split it"}


def _split_again(tmp_path: Path, **more: Any) -> tuple[Any, View]:
    """A quest of three tasks, the second of which was too large, and the claim of whoever splits that."""
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "codeweaver-3": {**THIRD, **more}})
    moot.hand_in(moot("claim", "codeweaver", "--item", "3"), json.dumps(TOO_LARGE))
    return moot, moot("claim", "pathseeker", "--item", "3")


@pytest.mark.ledger("Q-06", "Q-08")
@pytest.mark.parametrize("name", ["after", "dependencies"])
@pytest.mark.parametrize("word", ["codeweaver-1", "Codeweaver 1", "#2"])
def test_a_task_of_a_later_split_may_come_after_one_that_is_there(tmp_path: Path, name: str, word: str) -> None:
    moot, claim = _split_again(tmp_path)
    assert [task["key"] for task in claim["brief"]["projectContext"]["tasks"]] == ["codeweaver-1", "codeweaver-3"]
    said = {"codeweaver-2a": {**SECOND, name: [word]}, "codeweaver-2b": {"task": "Mail it", "files": ["src/auth/m.ts"]}}
    moot.hand_in(claim, json.dumps({**FOUND, "tasks": said}))
    assert (moot("show", "5")["after"], moot("show", "5")["status"]) == (["2"], "waiting")
    assert moot("show", "6")["status"] == "ready"


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize("word", ["codeweaver-9", "2", "#99"])
def test_what_is_no_task_of_either_split_is_asked_back(tmp_path: Path, word: str) -> None:
    moot, claim = _split_again(tmp_path)
    said = moot.try_in(claim, {**FOUND, "tasks": {"codeweaver-2a": {**SECOND, "after": [word]}}})
    assert said.code == 2 and f"'{word}'" in said.err and "#2 ('User can register with email')" in said.err


@pytest.mark.ledger("Q-06", "R-03")
def test_no_task_of_a_later_split_comes_after_what_waits_for_it(tmp_path: Path) -> None:
    moot, claim = _split_again(tmp_path, dependencies=["codeweaver-2"])
    said = moot.try_in(claim, {**FOUND, "tasks": {"codeweaver-2a": {**SECOND, "after": ["codeweaver-3"]}}})
    assert said.code == 2 and "that waits for this item: 3 → 4 → 3" in said.err


@pytest.mark.ledger("Q-04", "Q-08")
def test_a_task_is_cancelled_and_replaced_by_its_key(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**TASKS, "codeweaver-3": THIRD})
    conflict = {"status": "failed", "report": "They do not fit", "blockers": "Integration conflict detected"}
    moot.hand_in(moot("claim", "codeweaver", "--item", "2"), json.dumps(conflict))
    said = {"codeweaver-2": {**SECOND, "replaces": "codeweaver-2"}}
    claim = moot("claim", "pathseeker", "--item", "1")
    moot.hand_in(claim, json.dumps({**FOUND, "tasks": said, "cancel": ["codeweaver-3"]}))
    assert [moot("show", task)["status"] for task in ("3", "4")] == ["cancelled", "cancelled"]
    assert moot("show", "2")["status"] == "ready"


RED: View = {"agentType": "ward", "status": "failed", "report": "ward:all is red"}


def at_the_ward(folder: Path) -> Moot:
    moot = quest(folder)
    moot.speak("pathseeker", {"status": "complete", "report": "One task already"})
    moot.speak("codeweaver", {"status": "complete", "report": "Registration works"})
    return moot


@pytest.mark.ledger("Q-12", "R-21")
def test_what_a_ward_says_in_the_form_of_all_agents_reaches_who_heals(tmp_path: Path) -> None:
    moot = at_the_ward(tmp_path)
    said = {"blockers": "src/a.ts(3,4): TS2322", "recommendations": "type the id", "retro": "run tsc first"}
    output: View = {"filesCreated": [], "filesModified": []}
    told = moot.speak("ward", {**RED, **said, "output": output, "failures": {"reset": "gives 500"}})
    assert {"blockers", "lessons"} <= {one["what"] for one in told["acted"]} and told["kept"] == []
    brief = moot("claim", "spiritmender")["brief"]
    found = brief["findings"][-1]
    assert "ward:all is red\nsrc/a.ts(3,4): TS2322" in found["issue"] and "filesCreated" not in found["issue"]
    assert found["recommendation"] == "type the id" and "gives 500" in json.dumps(brief["findings"])
    assert [lesson["text"] for lesson in brief["lessons"]] == ["run tsc first"]


@pytest.mark.ledger("Q-12", "R-21")
def test_blockers_and_tests_in_words_stand_beside_what_a_ward_has_found(tmp_path: Path) -> None:
    moot = at_the_ward(tmp_path)
    errors = [{"file": "src/a.ts", "line": 3, "message": "TS2322"}]
    moot.speak("ward", {**RED, "errors": errors, "blockers": "the schema is old"})
    issues = [one["issue"] for one in moot("claim", "spiritmender")["brief"]["findings"]]
    assert issues == ["TS2322", "ward:all is red\nthe schema is old"]
    other = at_the_ward(tmp_path / "other")
    other.speak("ward", {**RED, "tests": {"passed": 10, "failed": 2, "failures": ["reset gives 500"]}})
    assert "reset gives 500" in other("claim", "spiritmender")["brief"]["findings"][0]["issue"]


@pytest.mark.ledger("Q-12", "R-32")
def test_a_ward_that_is_complete_and_names_blockers_is_asked_back(tmp_path: Path) -> None:
    moot = at_the_ward(tmp_path)
    claim = moot("claim", "ward")
    green = {"agentType": "ward", "status": "complete", "report": "green"}
    said = moot.try_in(claim, {**green, "blockers": "2 suites skipped"})
    assert said.code == 2 and "2 suites skipped" in said.err and "leave that out" in said.err
    assert moot.hand_in(claim, json.dumps({**green, "blockers": "none"}))["column"] == "review"


STUCK: View = {"agentType": "pathseeker", "status": "blocked", "report": "It can be read in two ways"}


@pytest.mark.ledger("Q-08", "R-16")
@pytest.mark.parametrize(
    "asked",
    [
        {"question": "Email or SMS?", "options": ["Email", "SMS"], "context": "The request says both"},
        {"question": "Email or SMS?", "options": "1. Email\n2. SMS", "context": "The request says both"},
        {"question": {"question": "Email or SMS?", "options": ["Email", "SMS"], "context": "The request says both"}},
    ],
)
def test_who_is_blocked_by_a_question_asks_it_once_with_its_options(tmp_path: Path, asked: View) -> None:
    moot = quest(tmp_path)
    told = moot.speak("pathseeker", {**STUCK, "blockers": "no channel is named", **asked})
    assert {"question", "blockers"} <= {one["what"] for one in told["acted"]} and told["kept"] == []
    [open_one] = moot("inbox")["questions"]
    assert open_one["question"] == "Email or SMS?" and [one["option"] for one in open_one["options"]] == [
        "Email",
        "SMS",
    ]
    for words in ("The request says both", "It can be read in two ways", "no channel is named"):
        assert words in open_one["context"]
    moot("answer", "q1", "2")
    claim = moot("claim", "pathseeker")
    assert claim["brief"]["guidance"][-1]["answer"] == "SMS"


@pytest.mark.ledger("Q-08", "R-32")
def test_options_that_nobody_understands_are_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    said = {**STUCK, "question": "Email or SMS?", "options": [{"cost": "low"}]}
    told = moot.try_in(moot("claim", "pathseeker"), said)
    assert told.code == 2 and "is not an option" in told.err


@pytest.mark.ledger("Q-08", "R-16")
def test_who_is_blocked_and_asks_what_need_not_be_waited_for_asks_how_to_go_on_as_well(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**STUCK, "question": {"question": "Email or SMS?", "blocking": False}})
    assert [one["kind"] for one in moot("inbox")["questions"]] == ["clarification", "decision"]


@pytest.mark.ledger("Q-06")
def test_objects_without_a_name_are_each_a_meeting_point_or_a_contract(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    points = [{"file": "routes/auth.ts", "tasks": ["both"]}, {"file": "user-service.ts", "tasks": ["the second"]}]
    types = [{"type": "User", "fields": "id, mail"}, {"type": "AuthResult", "fields": "ok"}]
    moot.speak("pathseeker", {**FOUND, **TASKS, "integrationPoints": points, "sharedTypes": types})
    task = moot("show", "2")
    assert task["integration_points"] == {"routes/auth.ts": '["both"]', "user-service.ts": '["the second"]'}
    assert task["contracts"] == [{"name": "User", "text": "id, mail"}, {"name": "AuthResult", "text": "ok"}]


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize("name", ["observableActions", "atomic_actions"])
def test_observable_actions_in_the_output_without_tasks_are_asked_back(tmp_path: Path, name: str) -> None:
    moot = quest(tmp_path)
    said = moot.try_in(moot("claim", "pathseeker"), {**FOUND, "output": {name: ["User can register"]}})
    assert said.code == 2 and "no split is said" in said.err


@pytest.mark.ledger("Q-06", "R-24")
def test_a_path_that_stands_as_a_name_is_told_to_every_task(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    told = moot.speak("pathseeker", {**FOUND, **TASKS, "sharedFiles": {"routes/auth.ts": list(TASKS)}})
    assert [one["what"] for one in told["kept"]] == ["sharedFiles"]
    assert "routes/auth.ts" in json.dumps(moot("claim", "codeweaver")["brief"])


@pytest.mark.ledger("Q-05", "R-32")
@pytest.mark.parametrize("use", ["readOnly", "read", "forbidden", "do_not_touch"])
def test_files_that_a_task_does_not_write_are_not_its_own(tmp_path: Path, use: str) -> None:
    moot = quest(tmp_path)
    tasks = [{"task": "Register", "files": {"create": ["a.ts"], use: ["b.ts"]}}, {"task": "Reset", "files": ["b.ts"]}]
    said = moot.try_in(moot("claim", "pathseeker"), {**FOUND, "tasks": tasks})
    assert said.code == 2 and f"`{use}` of `files`" in said.err


@pytest.mark.ledger("Q-05")
def test_files_by_what_is_done_with_them_are_all_owned(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    files = {"implementation": ["a.ts"], "tests": ["a.test.ts"], "toModify": ["routes.ts"]}
    moot.speak("pathseeker", {**FOUND, "tasks": [{"task": "Register", "files": files}]})
    assert moot("show", "2")["files"] == ["a.ts", "a.test.ts", "routes.ts"]


@pytest.mark.ledger("Q-05", "R-32")
def test_to_delete_the_file_of_another_task_is_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, **TASKS})
    output = {"filesModified": [FIRST["files"][0]], "filesDeleted": [SECOND["files"][0]]}
    said = moot.try_in(moot("claim", "codeweaver"), {"status": "complete", "report": "moved", "output": output})
    assert said.code == 2 and f"{SECOND['files'][0]} is not among its files" in said.err


@pytest.mark.ledger("Q-05", "R-32")
@pytest.mark.parametrize(
    "output",
    [
        {"filesModified": {SECOND["files"][0]: "one line"}},
        {"filesChanged": [SECOND["files"][0]]},
        {"filesRenamed": {FIRST["files"][0]: SECOND["files"][0]}},
    ],
    ids=lambda output: next(iter(output)),
)
def test_a_file_of_another_task_is_asked_back_however_it_is_listed(tmp_path: Path, output: View) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, **TASKS})
    said = moot.try_in(moot("claim", "codeweaver"), {"status": "complete", "report": "moved", "output": output})
    assert said.code == 2 and f"{SECOND['files'][0]} is not among its files" in said.err


@pytest.mark.ledger("Q-12", "R-21")
def test_what_a_ward_says_of_a_problem_beyond_our_fields_is_told_and_so_is_what_blocked_it_before(
    tmp_path: Path,
) -> None:
    moot = at_the_ward(tmp_path)
    rules = [{"file": "src/a.ts", "rule": "no-any", "severity": "high"}]
    moot.speak("ward", {**RED, "violations": rules, "blockers": "the schema is old"})
    claim = moot("claim", "spiritmender")
    assert claim["brief"]["findings"][0]["issue"] == "no-any"
    moot.hand_in(claim, json.dumps({"status": "complete", "report": "typed it"}))
    failures = [{"test": "reset", "expected": "a mail", "received": "nothing"}]
    moot.speak("ward", {**RED, "failures": failures})
    brief = moot("claim", "spiritmender")["brief"]
    assert (
        "a mail" in json.dumps(brief["findings"]) and brief["heals"][0]["red"] == "ward:all is red\nthe schema is old"
    )


@pytest.mark.ledger("Q-08", "Q-11")
@pytest.mark.parametrize(
    "said",
    [
        "STATUS: FAILED\nREPORT: Context window approaching limits\n",
        "## Status\nfailed\n\n## Report\nTask complexity exceeds agent capability\n",
        "**Status**: blocked\n**Report**: I stopped\n**Next Steps**:\n- Unexpected dependencies discovered\n",
    ],
)
def test_a_reason_to_stop_in_a_report_in_plain_words_brings_a_fresh_pathseeker(tmp_path: Path, said: str) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, **TASKS})
    told = moot.speak("codeweaver", said)
    assert told["runs"][-1]["cause"] == "size" and (told["column"], told["status"]) == ("discover", "ready")


def test_a_table_beside_the_report_is_told(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    table = "| Part | Owner |\n|---|---|\n| sessions | the mailer |\n"
    told = moot.speak("pathseeker", f"{table}\n```json\n{json.dumps(FOUND)}\n```\n")
    assert [one["what"] for one in told["kept"]] == ["words beside the report"]
    assert "the mailer" in json.dumps(moot("claim", "codeweaver")["brief"])


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "| Task | Files | Depends on |\n|---|---|---|\n| Register | a.ts | |\n| Reset | b.ts | Register |\n",
        "## Tasks\n- Register (a.ts)\n- Reset (b.ts)\n",
        "### Task decomposition\n1. Register: a.ts\n2. Reset: b.ts\n",
    ],
)
def test_tasks_in_words_beside_the_report_are_asked_back(tmp_path: Path, words: str) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    said = moot.try_in(claim, f"{words}\n```json\n{json.dumps(FOUND)}\n```\n")
    assert said.code == 2 and "no split is said" in said.err
    assert moot.hand_in(claim, f"I looked at all tasks of the tool.\n\n{json.dumps(FOUND)}")["column"] == "weave"


@pytest.mark.ledger("Q-08", "R-18")
def test_a_default_beside_the_question_is_its_default(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**STUCK, "question": "Email or SMS?", "options": ["Email", "SMS"], "default": "Email"})
    assert moot("inbox")["questions"][0]["default"] == "Email"
