"""Pieces of work that a pathseeker only tells are asked back as a split; one task goes on (Q-04, R-24, R-32)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_quest import decomposed, quest

View = dict[str, Any]
LONG: View = {"agentType": "pathseeker", "status": "complete", "task": "User auth", "blockers": "none"}
PIECES = [
    {
        **LONG,
        "report": "Two observable actions: 1. User can register with email (src/auth/registration.ts). "
        "2. User can reset password (src/auth/password-reset.ts). 2 depends on 1.",
    },
    {**LONG, "report": "The quest is mapped:\n- User can register with email\n- User can reset password\n"},
    {**LONG, "report": "Decomposition:\n\n1. Registration in src/a.ts\n   with its test\n2. Reset in src/b.ts\n"},
    {**LONG, "report": "Mapped. Task 1: registration, task 2: reset of the password."},
    {**LONG, "report": "Plan:\n1) Add the registration\n2) Implement the reset"},
    {**LONG, "report": "Two pieces: (1) registration, in src/a.ts (2) reset, in src/b.ts, depends on 1."},
    {
        "outcome": "done",
        "summary": "The quest is mapped. Tasks: 1. Registration (Files: src/a.ts) 2. Reset (Files: src/b.ts) "
        "(depends on 1)",
    },
    {
        **LONG,
        "report": "The quest is mapped.",
        "nextSteps": ["Codeweaver: User can register with email", "Codeweaver: User can reset password"],
    },
    {**LONG, "report": "Mapped.", "recommendations": ["Codeweaver 1 should do registration", "codeweaver-2: reset"]},
    {**LONG, "report": "Mapped.", "plan": ["User can register with email", "User can reset password"]},
]
ONE = [
    "One task is enough: 1. Add the route 2. Add its test",
    "Nothing has to be split. Steps:\n- Add the route\n- Add its test",
    "No split needed. The user can register; 1. route 2. test",
    "Findings:\n1. The routes are in routes/auth.ts\n2. Nobody tests the session",
    "It touches these files:\n- src/auth/registration.ts\n- src/auth/registration.test.ts",
    "The files of all tasks:\n- src/auth/registration.ts\n- src/auth/registration.test.ts",
    "One observable action: 1. User can register with email (src/auth/registration.ts).",
    "User can register with email (src/auth/registration.ts).",
    "Mapped. What I looked at: 1. the routes 2. the sessions",
    "Users can already log in (version 1. Since version 2. also by mail).",
    "The schema has two parts:\n- the users\n- their sessions",
    "The build depends on 3 packages:\n- a depends on 2 others\n- b needs 1 of them",
]


@pytest.mark.ledger("Q-04", "R-24", "R-32")
@pytest.mark.parametrize("said", PIECES)
def test_pieces_of_work_that_are_only_told_are_asked_back_as_a_split(tmp_path: Path, said: View) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    answer = moot.try_in(claim, said)
    assert answer.error == "report_refused" and "tasks" in answer.err, answer.err
    assert '"outcome": "split"' in json.loads(answer.err)["error"]["hint"]
    assert moot("show", "1")["status"] == "running"
    tasks = [{"task": "User can register with email"}, {"task": "User can reset password"}]
    assert moot.hand_in(claim, json.dumps({"outcome": "split", "tasks": tasks}))["status"] == "waiting"


FORMS = [
    "# Discovery\n\n**Status:** complete\n**Outcome:** split\n\n## Tasks\n\n1. **Registration**\n   - Files: src/a.ts\n"
    "2. **Reset**\n   - Files: src/b.ts\n   - Depends on: Registration\n",
    "## Summary\nMapped.\n\n## Tasks\n1. Registration\n   Files: src/a.ts\n2. Reset\n   Files: src/b.ts\n\n"
    "## Status\n- [x] Complete\n",
    "# Discovery\n\n## Tasks\n\n1. Registration\n   Files: src/a.ts\n2. Reset\n   Depends on: 1\n",
]


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize("text", FORMS)
def test_tasks_in_a_form_are_asked_back_with_the_form_of_a_split(tmp_path: Path, text: str) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    answer = moot.try_in(claim, text)
    assert answer.code == 2 and '"outcome": "split"' in json.loads(answer.err)["error"]["hint"], answer.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize("words", ONE)
def test_what_is_one_task_goes_on_with_whatever_list_beside_it(tmp_path: Path, words: str) -> None:
    item = quest(tmp_path).speak("pathseeker", {**LONG, "report": words})
    assert (item["column"], item["status"]) == ("weave", "ready")


@pytest.mark.ledger("Q-04", "R-32")
def test_one_next_step_and_steps_for_nobody_split_nothing(tmp_path: Path) -> None:
    steps = ["Codeweaver: User can register with email", "Mind the length of the password", "Run the migration first"]
    item = quest(tmp_path).speak("pathseeker", {**LONG, "report": "Mapped.", "nextSteps": steps})
    assert (item["column"], item["status"]) == ("weave", "ready")


@pytest.mark.ledger("Q-04", "R-32")
def test_whoever_makes_the_work_may_list_it(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    words = "Tasks:\n1. User can register with email\n2. User can log in"
    item = moot.speak("codeweaver", {"agentType": "codeweaver", "status": "complete", "report": words})
    assert item["status"] == "done"
