"""The quest document sentence by sentence through the command line, in its own words (Q-01 to Q-15, R-24, R-25)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board

View = dict[str, Any]

# As the document prints them.
PARALLEL = """\
```json
{
  "codeweaver-1": {
    "task": "User can register with email",
    "files": ["src/auth/registration.ts", "src/auth/registration.test.ts"]
  },
  "codeweaver-2": {
    "task": "User can reset password",
    "files": ["src/auth/password-reset.ts", "src/auth/password-reset.test.ts"]
  }
}
```
"""
SHARED = """\
```json
{
  "sharedTypes": {
    "User interface": "defined by Pathseeker",
    "AuthResult type": "defined by Pathseeker"
  },
  "integrationPoints": {
    "auth routes": "registration + login both modify routes/auth.ts",
    "user service": "multiple features depend on user-service.ts"
  }
}
```
"""
DELEGATE = """\
```json
{
  "decision": "delegate",
  "subAgents": [
    {
      "task": "analyze_existing_auth_patterns",
      "scope": "discovery_only"
    },
    {
      "task": "identify_integration_points",
      "scope": "discovery_only"
    }
  ]
}
```
"""
STANDARD: View = {
    "agentType": "codeweaver",
    "status": "complete",
    "task": "original_task_definition",
    "output": {
        "filesCreated": ["file1.ts", "file2.test.ts"],
        "filesModified": ["existing.ts"],
        "interfaces": ["defined_types"],
        "integrationPoints": ["identified_connections"],
    },
    "report": "narrative_of_work_completed",
    "blockers": "specific_issues_preventing_completion",
    "recommendations": "suggested_next_steps",
    "retro": "insights_for_system_improvement",
}


def said(agent: str, status: str = "complete", **parts: Any) -> str:
    """The document's report with the words of this agent in it."""
    return json.dumps({**STANDARD, "agentType": agent, "status": status, **parts})


def quest(folder: Path) -> Moot:
    moot = new_board(folder, "quest")
    moot("add", "User auth")
    return moot


def split(folder: Path) -> Moot:
    """The quest as the document splits it, both of its blocks in one answer."""
    moot = quest(folder)
    moot.speak("pathseeker", f"Here is the decomposition.\n\n{PARALLEL}\n{SHARED}")
    return moot


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


def claim(moot: Moot, agent: str, item: str) -> View:
    return moot("claim", agent, "--item", item)


def green(moot: Moot) -> View:
    return moot.effort("ward", "done", summary="all checks passed")


def woven(folder: Path) -> Moot:
    """Both tasks are done, and the ward was green."""
    moot = split(folder)
    for task, words in (("2", "registration works"), ("3", "reset works")):
        moot.hand_in(claim(moot, "codeweaver", task), said("codeweaver", report=words))
    green(moot)
    return moot


@pytest.mark.ledger("Q-06", "Q-04", "Q-05")
def test_each_spawn_gets_the_five_fields_and_nothing_of_a_conversation(tmp_path: Path) -> None:
    moot = split(tmp_path)
    brief = moot("claim", "codeweaver")["brief"]
    assert brief["role"] == "codeweaver"
    assert brief["task"]["title"] == "User can register with email"
    assert brief["projectContext"]["integrationPoints"] == {
        "auth routes": "registration + login both modify routes/auth.ts",
        "user service": "multiple features depend on user-service.ts",
    }
    assert brief["constraints"]["files"] == ["src/auth/registration.ts", "src/auth/registration.test.ts"]
    assert [one["name"] for one in brief["constraints"]["contracts"]] == ["User interface", "AuthResult type"]
    assert "Stop at once" in brief["escapeHatch"]


@pytest.mark.ledger("Q-04", "R-20")
def test_the_printed_tasks_run_at_once_and_never_on_the_same_file(tmp_path: Path) -> None:
    moot = split(tmp_path)
    first, second = moot("claim", "codeweaver"), moot("claim", "codeweaver")
    assert {first["item"]["status"], second["item"]["status"]} == {"running"}
    held = [lock["resource"] for lock in moot("locks")["locks"]]
    assert len(held) == len(set(held)) == 4
    (tmp_path / "shared").mkdir()
    again = quest(tmp_path / "shared")
    both = json.loads(PARALLEL.strip().removeprefix("```json").removesuffix("```"))
    for one in both.values():
        one["files"].append("routes/auth.ts")
    again.speak("pathseeker", both)
    again("claim", "codeweaver")
    assert again.say("claim", "codeweaver").code == 3, "sequential execution for shared files"


@pytest.mark.ledger("Q-04", "Q-05")
@pytest.mark.parametrize("form", ["two blocks", "one object", "in a report"])
def test_the_decomposition_is_understood_in_each_form_that_the_document_allows(tmp_path: Path, form: str) -> None:
    moot = quest(tmp_path)
    tasks, shared = (
        json.loads(text.strip().removeprefix("```json").removesuffix("```")) for text in (PARALLEL, SHARED)
    )
    if form == "two blocks":
        moot.speak("pathseeker", f"{PARALLEL}\n{SHARED}")
    elif form == "one object":
        moot.speak("pathseeker", {**tasks, **shared})
    else:
        moot.speak("pathseeker", said("pathseeker", output={**tasks, **shared}, blockers=""))
    item = moot("show", "1")
    assert place(item) == ("weave", "waiting") and item["children"] == ["2", "3"]
    assert [one["name"] for one in item["contracts"]] == ["User interface", "AuthResult type"]
    assert item["integration_points"] == shared["integrationPoints"]


@pytest.mark.ledger("Q-05", "R-24")
def test_a_contract_that_changes_while_a_task_runs_is_held_against_its_done(tmp_path: Path) -> None:
    moot = split(tmp_path)
    first, second = claim(moot, "codeweaver", "2"), claim(moot, "codeweaver", "3")
    contract = [{"name": "User interface", "text": "{id, email}"}]
    moot.report(first, "done", summary="registration works", contracts=contract)
    assert place(moot.hand_in(second, said("codeweaver"))) == ("weave", "ready")
    again = claim(moot, "codeweaver", "3")
    changed = {"name": "User interface", "before": "defined by Pathseeker", "now": "{id, email}"}
    assert again["brief"]["constraints"]["changed_contracts"] == [changed]
    assert place(moot.hand_in(again, said("codeweaver"))) == ("weave", "done")
    assert place(moot("show", "1")) == ("weave", "proving")


@pytest.mark.ledger("Q-05", "Q-07", "Q-15", "Q-02")
def test_interfaces_and_integration_points_reach_who_builds_on_them_and_who_puts_it_together(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    tasks = [
        {"key": "a", "title": "User can register with email", "files": ["src/a.ts"]},
        {"key": "b", "title": "User can reset password", "files": ["src/b.ts"], "after": ["a"]},
    ]
    moot.effort("pathseeker", "split", tasks=tasks)
    moot.speak("codeweaver", said("codeweaver", retro="Sessions are made in one place"))
    second = moot("claim", "codeweaver")
    needed = second["brief"]["projectContext"]["buildsOn"][0]
    assert needed["interfaces"] == ["defined_types"]
    assert list(needed["integration_points"]) == ["identified_connections"]
    moot.hand_in(second, said("codeweaver", report="the second"))
    green(moot)
    for agent in ("lawbringer", "siegemaster"):
        taken = moot("claim", agent)
        outputs = taken["brief"]["outputs"]
        assert [one["interfaces"] for one in outputs] == [["defined_types"]] * 2
        assert {name for one in outputs for name in one["integration_points"]} == {"identified_connections"}
        moot.hand_in(taken, said(agent))
        green(moot)
    assert place(moot("show", "1")) == ("done", "done")
    kept = moot("show", "2")["runs"][0]["report"]
    assert kept["interfaces"] == ["defined_types"] and kept["lessons"] == ["Sessions are made in one place"]


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize("agent", ["codeweaver", "lawbringer", "siegemaster", "spiritmender"])
def test_blocked_brings_a_fresh_pathseeker_with_the_failure_context(tmp_path: Path, agent: str) -> None:
    moot = split(tmp_path) if agent == "codeweaver" else woven(tmp_path)
    if agent == "siegemaster":
        moot.speak("lawbringer", said("lawbringer"))
        green(moot)
    elif agent == "spiritmender":
        moot.speak("lawbringer", said("lawbringer"))
        moot.effort("ward", "failed", summary="1 test is red")
    blocked = said(agent, "blocked", report="Sessions are stored in two ways", blockers="No common session type")
    item = moot.speak(agent, blocked)
    assert place(item) == ("discover", "ready")
    seeker = moot("claim", "pathseeker")
    told = json.dumps(seeker["brief"])
    assert "Sessions are stored in two ways" in told and "No common session type" in told
    assert place(moot.hand_in(seeker, PARALLEL.replace("src/auth/", "src/session/"))) == ("weave", "waiting")


@pytest.mark.ledger("Q-08", "R-24")
@pytest.mark.parametrize("agent", ["codeweaver", "lawbringer", "spiritmender"])
def test_a_recommended_decomposition_brings_a_fresh_pathseeker(tmp_path: Path, agent: str) -> None:
    moot = split(tmp_path) if agent == "codeweaver" else woven(tmp_path)
    if agent == "spiritmender":
        moot.speak("lawbringer", said("lawbringer"))
        moot.effort("ward", "failed", summary="1 test is red")
    item = moot.speak(
        agent, said(agent, "failed", report="It does not come together", nextSteps="Re-decompose the quest")
    )
    assert place(item) == ("discover", "ready")
    told = json.dumps(moot("claim", "pathseeker")["brief"])
    assert "It does not come together" in told and "Re-decompose the quest" in told


@pytest.mark.ledger("R-07")
def test_a_recommended_change_of_the_code_is_another_try(tmp_path: Path) -> None:
    moot = split(tmp_path)
    failed = said("codeweaver", "failed", report="The parser is wrong", recommendations="Split the line on commas")
    assert place(moot.speak("codeweaver", failed)) == ("weave", "ready")


@pytest.mark.ledger("Q-10", "R-24")
def test_an_integration_conflict_goes_to_the_architecture_review_at_once_with_both_reports(tmp_path: Path) -> None:
    moot = split(tmp_path)
    moot.hand_in(claim(moot, "codeweaver", "2"), said("codeweaver", report="A session is a cookie"))
    conflict = said("codeweaver", "failed", report="A session must be a token", cause="conflict")
    moot.hand_in(claim(moot, "codeweaver", "3"), conflict)
    assert place(moot("show", "1")) == ("discover", "ready")
    told = json.dumps(moot("claim", "pathseeker")["brief"])
    assert "A session is a cookie" in told and "A session must be a token" in told


@pytest.mark.ledger("R-24", "R-22", "Q-02")
def test_findings_beside_complete_open_the_task_that_they_are_about(tmp_path: Path) -> None:
    moot = woven(tmp_path)
    issue = {"severity": "high", "file": "src/auth/password-reset.ts", "line": 3, "issue": "the token never expires"}
    item = moot.speak("lawbringer", said("lawbringer", issues=[issue]))
    assert place(item) == ("weave", "waiting")
    assert [moot("show", number)["status"] for number in ("2", "3")] == ["done", "ready"]
    again = claim(moot, "codeweaver", "3")
    assert again["brief"]["findings"][0]["issue"] == "the token never expires"
    moot.hand_in(again, said("codeweaver", report="it expires"))
    assert place(green(moot)) == ("review", "ready"), "and back to whoever found it"


@pytest.mark.ledger("R-24", "Q-02")
def test_what_the_lawbringer_remarks_beside_complete_opens_nothing_and_is_told_on(tmp_path: Path) -> None:
    moot = woven(tmp_path)
    issue = {"severity": "low", "file": "src/auth/password-reset.ts", "issue": "a name could be better"}
    assert place(moot.speak("lawbringer", said("lawbringer", issues=[issue]))) == ("review", "proving")
    green(moot)
    assert "a name could be better" in json.dumps(moot("claim", "siegemaster")["brief"])


@pytest.mark.ledger("Q-09", "R-25")
def test_sub_agents_as_printed_one_level_deep_discovery_only_and_whole(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    assert place(moot.speak("pathseeker", DELEGATE)) == ("discover", "waiting")
    first, second = moot("claim", "pathseeker"), moot("claim", "pathseeker")
    assert {first["item"]["title"], second["item"]["title"]} == {
        "analyze_existing_auth_patterns",
        "identify_integration_points",
    }
    assert {first["brief"]["constraints"]["write"], second["brief"]["constraints"]["write"]} == {"none"}
    deeper = moot.say("report", first["run"], "-", "--token", str(first["token"]), stdin=DELEGATE)
    assert deeper.code == 2 or moot("show", "2")["runs"][-1]["cause"] == "protocol", "one level deep"
    if deeper.code == 0:
        first = claim(moot, "pathseeker", "2")
    analysis = "".join(f"route {n} reads the session\n" for n in range(900))
    moot.hand_in(first, said("pathseeker", report=analysis))
    moot.hand_in(second, said("pathseeker", report="routes/auth.ts is shared"))
    brief = moot("claim", "pathseeker")["brief"]
    assert [one["summary"] for one in brief["outputs"]] == [analysis, "routes/auth.ts is shared"]


@pytest.mark.ledger("Q-12", "Q-13", "Q-06")
def test_the_mender_knows_the_earlier_heals_and_all_later_roles_the_lessons(tmp_path: Path) -> None:
    moot = split(tmp_path)
    for task in ("2", "3"):
        moot.hand_in(claim(moot, "codeweaver", task), said("codeweaver", retro=f"learnt on {task}"))
    moot.effort("ward", "failed", summary="TestReset is red", findings=[{"kind": "test", "issue": "expected 200"}])
    output = {"filesModified": ["src/clock.ts"]}
    moot.speak(
        "spiritmender", said("spiritmender", report="The clock was read twice", output=output, retro="learnt here")
    )
    moot.effort("ward", "failed", summary="TestReset is still red")
    taken = moot("claim", "spiritmender")
    (heal,) = taken["brief"]["heals"]
    assert (heal["red"], heal["report"], heal["changed"]) == (
        "TestReset is red",
        "The clock was read twice",
        ["src/clock.ts"],
    )
    lessons = {"learnt on 2", "learnt on 3", "learnt here"}
    assert {one["text"] for one in taken["brief"]["lessons"]} == lessons
    moot.hand_in(taken, said("spiritmender", retro=""))
    green(moot)
    assert lessons <= {one["text"] for one in moot("claim", "lawbringer")["brief"]["lessons"]}


@pytest.mark.ledger("Q-11", "Q-12")
def test_a_failing_agent_does_not_stop_the_others_and_the_ward_comes_after_each_phase(tmp_path: Path) -> None:
    moot = split(tmp_path)
    first, second = claim(moot, "codeweaver", "2"), claim(moot, "codeweaver", "3")
    moot.hand_in(first, said("codeweaver", "failed", report="no idea"))
    assert moot("show", "3")["status"] == "running"
    moot.hand_in(second, said("codeweaver"))
    moot.hand_in(claim(moot, "codeweaver", "2"), said("codeweaver"))
    for stage, agent in (("weave", None), ("review", "lawbringer"), ("siege", "siegemaster")):
        if agent:
            moot.speak(agent, said(agent))
        assert place(moot("show", "1")) == (stage, "proving")
        green(moot)
    assert place(moot("show", "1")) == ("done", "done")
