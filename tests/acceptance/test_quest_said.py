"""Quest reports as authors of the document write them from memory: none of it is lost or turned around (R-32)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_quest import decomposed, green, quest
from tests.acceptance.test_quest_words import reviewed
from tests.documents import TASKS

View = dict[str, Any]
FIRST, SECOND = TASKS["codeweaver-1"], TASKS["codeweaver-2"]
FOUND: View = {"agentType": "pathseeker", "status": "complete", "report": "Two actions"}
WOVEN: View = {"agentType": "codeweaver", "status": "complete", "report": "Registration works"}
BLOCKED: View = {"status": "blocked", "report": "It stopped", "blockers": "Unexpected dependencies: no mailer"}
MAILER: View = {"task": "Mailer can send", "files": ["src/mail.ts"]}


def sieged(folder: Path) -> Moot:
    moot = reviewed(folder)
    moot.speak("lawbringer", {"agentType": "lawbringer", "status": "complete", "report": "Consistent"})
    green(moot)
    return moot


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize(
    "said",
    [
        {"testResults": {"passed": 10, "failed": 2}},
        {"tests": {"total": 12, "passed": 10, "failed": 2, "skipped": 0}},
        {"tests": {"passed": 10, "failed": 2, "duration": "4s"}},
        {"test_results": {"total": 12, "failed": 2}},
        {"integrationTests": {"passed": 10, "failed": 2}},
        {"output": {"testResults": {"passed": 10, "failed": 2}}},
        {"testResults": {"passed": 10, "failed": ["a session survives", "two tokens"]}},
        {"report": "Tests written; 2 of 12 tests still fail."},
    ],
)
def test_red_tests_beside_complete_go_to_the_mender_under_each_name(tmp_path: Path, said: View) -> None:
    whole = {"agentType": "siegemaster", "status": "complete", "report": "Integration tests written", **said}
    item = sieged(tmp_path).speak("siegemaster", whole)
    assert (item["column"], item["runs"][-1]["report"]["tests"]["failed"]) == ("mend", 2)


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize("status", ["changes_requested", "complete"])
def test_red_tests_in_the_form_of_the_siegemasters_prompt_go_to_the_mender(tmp_path: Path, status: str) -> None:
    moot = sieged(tmp_path)
    claim = moot("claim", "siegemaster")
    form = claim["brief"]["instructions"].partition("```json")[2].partition("```")[0]
    assert status in json.loads(form)["status"].split("|")
    red = {"severity": "high", "test": "reset.test.ts", "issue": "500 on reset"}
    assert set(red) < set(json.loads(form)["findings"][0])
    said = {"agentType": "siegemaster", "status": status, "report": "One of two tests is red", "findings": [red]}
    item = moot.hand_in(claim, json.dumps(said))
    assert (item["column"], item["status"]) == ("mend", "ready")
    (found,) = moot("claim", "spiritmender")["brief"]["findings"]
    assert (found["kind"], found["test"], found["issue"]) == ("test", "reset.test.ts", "500 on reset")


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize("status", ["complete", "failed"])
@pytest.mark.parametrize("field", ["report", "blockers"])
def test_a_file_of_tests_that_fails_is_asked_back(tmp_path: Path, status: str, field: str) -> None:
    moot = sieged(tmp_path)
    red = {"report": "Tests written", field: "Two cases. tests/integration/auth.test.ts fails: the token stays valid"}
    told = moot.try_in(moot("claim", "siegemaster"), {"agentType": "siegemaster", "status": status, **red})
    assert (told.code, told.error) == (2, "report_refused") and "tests/integration/auth.test.ts fails" in told.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("R-07")
def test_a_siegemaster_that_cannot_test_is_followed_by_a_fresh_one(tmp_path: Path) -> None:
    failed = {"agentType": "siegemaster", "status": "failed", "report": "The database does not start here"}
    item = sieged(tmp_path).speak("siegemaster", failed)
    assert (item["column"], item["status"], item["failure_count"]) == ("siege", "ready", 1)


@pytest.mark.ledger("Q-12")
def test_a_file_of_tests_that_failed_once_and_passes_is_none_that_fails(tmp_path: Path) -> None:
    whole = {
        "agentType": "siegemaster",
        "status": "complete",
        "report": "auth.test.ts failed at first, and is fixed now",
    }
    assert sieged(tmp_path).speak("siegemaster", whole)["status"] == "proving"


@pytest.mark.ledger("Q-12", "R-22")
def test_red_tests_only_in_words_are_asked_back_with_what_to_write(tmp_path: Path) -> None:
    moot = sieged(tmp_path)
    said = {"agentType": "siegemaster", "status": "complete", "report": "Two integration tests are red: 500 on reset"}
    told = moot.try_in(moot("claim", "siegemaster"), said)
    assert told.error == "report_refused" and "report changes_requested with it in `findings`" in told.err


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize(
    "said",
    [
        {"tests": {"total": 5, "passed": 0, "failed": 0, "skipped": 5}},
        {"report": "Integration tests written but could not be run: there is no database here"},
    ],
)
def test_tests_of_which_none_has_run_are_asked_back(tmp_path: Path, said: View) -> None:
    moot = sieged(tmp_path)
    whole = {"agentType": "siegemaster", "status": "complete", "report": "Tests written", **said}
    assert "which holds?" in moot.try_in(moot("claim", "siegemaster"), whole).err


@pytest.mark.ledger("Q-12", "R-22")
def test_green_tests_beside_complete_are_green_and_what_counts_no_tests_is_none(tmp_path: Path) -> None:
    said = {"testResults": {"passed": 12, "failed": 0}, "testCoverage": {"total": 80}}
    item = sieged(tmp_path).speak("siegemaster", {"status": "complete", "report": "All works", **said})
    assert (item["status"], item["runs"][-1]["report"]["tests"]["total"]) == ("proving", 12)


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize("ended", [True, False])
def test_a_plan_that_repeats_a_task_of_the_whole_is_asked_back(tmp_path: Path, ended: bool) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    if ended:
        moot.speak("codeweaver", WOVEN)
    moot.hand_in(claim, json.dumps(BLOCKED))
    claim = moot("claim", "pathseeker")
    again = {"codeweaver-2": SECOND, "codeweaver-3": MAILER}
    said = moot.try_in(claim, {**FOUND, "tasks": {"codeweaver-1": {**FIRST, "status": "complete"}, **again}})
    assert said.code == 2 and "looks like item 2" in said.err
    assert ("which is done" if ended else "which is still open") in said.err
    moot.hand_in(claim, json.dumps({**FOUND, "tasks": again}))
    assert moot("show", "3")["children"] == ["4", "5"]


@pytest.mark.ledger("Q-10", "R-24")
def test_a_plan_for_the_whole_that_repeats_a_finished_task_is_asked_back(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    moot.speak("codeweaver", WOVEN)
    moot.speak("codeweaver", {"status": "failed", "report": "Integration conflict: User has no mail"})
    claim = moot("claim", "pathseeker")
    again = {"codeweaver-2": {**SECOND, "replaces": "codeweaver-2"}, "codeweaver-3": MAILER}
    said = moot.try_in(claim, {**FOUND, "tasks": {"codeweaver-1": FIRST, **again}})
    assert said.code == 2 and "looks like item 2" in said.err and "which is done" in said.err
    besides = {"codeweaver-1": {**FIRST, "besides": True}, **again}
    assert moot.hand_in(claim, json.dumps({**FOUND, "tasks": besides}))["column"] == "weave"


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize("name", ["depedencies", "dependecies", "preRequisites", "dpends_on"])
def test_a_misspelt_order_is_asked_back(tmp_path: Path, name: str) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    tasks = {"codeweaver-1": FIRST, "codeweaver-2": {**SECOND, name: ["codeweaver-1"]}}
    said = moot.try_in(claim, {**FOUND, "tasks": tasks})
    assert said.code == 2 and f"`{name}`" in said.err and "`after`" in said.err
    said = moot.try_in(claim, {**FOUND, "tasks": TASKS, name: {"codeweaver-2": ["codeweaver-1"]}})
    assert said.code == 2 and f"`{name}`" in said.err


@pytest.mark.ledger("Q-05", "Q-11")
@pytest.mark.parametrize(
    "said",
    [
        "src/auth/user.ts - modify",
        "src/auth/user.ts — new",
        "src/auth/user.ts: adds the User type",
        "src/auth/user.ts (adds the User type)",
        "src/auth/user.ts - add User and Email",
        "NEW: src/auth/user.ts",
        "create src/auth/user.ts",
    ],
)
def test_a_remark_beside_a_path_is_no_part_of_it(tmp_path: Path, said: str) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, "tasks": [{"task": "User can register", "files": [said]}, SECOND]})
    assert moot("show", "2")["files"] == ["src/auth/user.ts"]
    assert said in json.dumps(moot("claim", "codeweaver", "--item", "2")["brief"], ensure_ascii=False), (
        "its agent is told"
    )


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize("path", ["docs/My notes - old.md", "v1.2 - notes.md", "app/(auth)/page.tsx", "a (copy).txt"])
def test_a_path_with_spaces_or_brackets_stays_as_it_is(tmp_path: Path, path: str) -> None:
    moot = quest(tmp_path)
    moot.speak("pathseeker", {**FOUND, "tasks": [{"task": "User can register", "files": [path]}, SECOND]})
    assert moot("show", "2")["files"] == [path]


@pytest.mark.ledger("Q-07", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "I am blocked: the mail key is missing.",
        "I'm still blocked because the mail key is missing.",
        "Blocked by the missing mail key.",
        "Blocked: the mail key is missing.",
    ],
)
def test_blocked_in_words_beside_complete_is_asked_back(tmp_path: Path, words: str) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    for said in (f"{words}\n\n```json\n{json.dumps(WOVEN)}\n```", json.dumps({**WOVEN, "report": words})):
        refused = moot.try_in(claim, said)
        assert refused.code == 2 and "locked" in json.loads(refused.err)["error"]["message"]


@pytest.mark.ledger("Q-07", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "I was blocked by the parser, so I wrote a new one.",
        "Blocked users cannot log in.",
        "A request is blocked by the limiter after ten tries.",
        "No longer blocked.",
    ],
)
def test_words_about_what_is_blocked_are_no_contradiction(tmp_path: Path, words: str) -> None:
    assert decomposed(tmp_path).speak("codeweaver", {**WOVEN, "report": words})["status"] == "done"


@pytest.mark.ledger("Q-07", "Q-06")
@pytest.mark.parametrize(
    "names",
    [("FilesCreated", "Interfaces", "IntegrationPoints"), ("files_created", "interfaces", "integration_points")],
)
def test_the_fields_of_the_output_are_known_in_each_spelling(tmp_path: Path, names: tuple[str, str, str]) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    output = dict(zip(names, (["src/other.ts"], ["register(email)"], ["routes/auth.ts"]), strict=True))
    assert "src/other.ts is not among its files" in moot.try_in(claim, {**WOVEN, "output": output}).err
    item = moot.hand_in(claim, json.dumps({**WOVEN, "output": {**output, names[0]: FIRST["files"]}}))
    said = item["runs"][-1]["report"]
    assert (said["files"]["created"], said["interfaces"]) == (FIRST["files"], ["register(email)"])
    assert said["integration_points"] == {"routes/auth.ts": ""} and not said.get("contracts")


@pytest.mark.ledger("Q-02", "R-22")
@pytest.mark.parametrize(
    "said",
    [
        {"report": "The error codes differ; codeweaver-2 must change them."},
        {"report": "Codeweaver 2 needs to rename User in reset.ts."},
        {"report": "The codeweaver has to rename User in reset.ts."},
        {"recommendations": "codeweaver-1 must rename usr"},
    ],
)
def test_what_a_codeweaver_must_still_do_is_asked_back_beside_the_lawbringers_complete(
    tmp_path: Path, said: View
) -> None:
    moot = reviewed(tmp_path)
    whole = {"agentType": "lawbringer", "status": "complete", "report": "Looked at all of it", **said}
    refused = moot.try_in(moot("claim", "lawbringer"), whole)
    assert refused.code == 2 and "changes_requested" in refused.err


@pytest.mark.ledger("Q-12", "R-32")
@pytest.mark.parametrize(
    "said",
    [
        {"wardAll": "failed"},
        {"ward:all": False},
        {"validation": "failing"},
        {"output": {"wardStatus": "failed"}},
        {"ward": {"lint": "pass", "test": "fail"}},
    ],
)
def test_a_red_ward_beside_complete_is_asked_back(tmp_path: Path, said: View) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    refused = moot.try_in(claim, {**WOVEN, **said})
    assert refused.code == 2 and "which holds?" in refused.err
    assert moot.hand_in(claim, json.dumps({**WOVEN, "wardAll": "passed", "validation": True}))["status"] == "done"
