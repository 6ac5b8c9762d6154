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
