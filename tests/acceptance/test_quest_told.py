"""What a quest's roles declare in the document's forms keeps its meaning, by hand as under a worker."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_quest import LONG_REPORT, decomposed, green, quest
from tests.acceptance.test_quest_said import sieged
from tests.documents import SUB_AGENTS, TASKS


@pytest.mark.ledger("Q-03", "R-20")
def test_a_file_outside_of_the_tasks_ownership_is_asked_back(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    output = {"filesCreated": ["src/auth/password-reset.ts"], "filesModified": ["src/auth/registration.ts"]}
    said = moot.try_in(claim, {**LONG_REPORT, "output": output})
    assert (said.code, said.error) == (2, "report_refused")
    assert "src/auth/registration.ts is not among its files" in said.err and "(widen)" in said.err
    assert moot("show", "3")["status"] == "running"
    assert moot.hand_in(claim, json.dumps(LONG_REPORT))["status"] == "done"


@pytest.mark.ledger("Q-07")
def test_a_report_of_another_role_is_asked_back(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    said = moot.try_in(claim, {**LONG_REPORT, "agentType": "lawbringer"})
    assert said.error == "report_refused" and "signed by lawbringer" in said.err and "codeweaver's" in said.err
    assert moot.hand_in(claim, json.dumps(LONG_REPORT))["status"] == "done"


@pytest.mark.ledger("Q-09", "R-25")
def test_a_sub_agent_that_should_implement_is_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    first, second = SUB_AGENTS["subAgents"]
    said = moot.try_in(claim, {"decision": "delegate", "subAgents": [first, {**second, "scope": "implementation"}]})
    assert said.error == "report_refused" and "identify_integration_points" in said.err and "only looks" in said.err
    assert moot.hand_in(claim, json.dumps(SUB_AGENTS))["status"] == "waiting"


@pytest.mark.ledger("Q-04")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"after": ["c"]}, ["task 2 ('User can reset password')", "comes after 'c'", "they are 'a', 'b'"]),
        ({"agent": "tester"}, ["task 2", "'tester', whom the flow does not know", "codeweaver"]),
        ({"key": "a"}, ["'User can register with email' and 'User can reset password'", "the same key 'a'"]),
        ({"files": ["/etc/passwd"]}, ["task 2", "'/etc/passwd'", "from the project's root"]),
        ({"title": " "}, ["task 2 has no title"]),
    ],
)
def test_a_split_that_cannot_be_says_which_task_what_holds_and_what_to_do(
    tmp_path: Path, change: dict[str, object], words: list[str]
) -> None:
    moot = quest(tmp_path)
    tasks = [{"key": "a", "title": "User can register with email"}, {"key": "b", "title": "User can reset password"}]
    said = moot.try_in(moot("claim", "pathseeker"), {"outcome": "split", "tasks": [tasks[0], {**tasks[1], **change}]})
    assert said.code == 2
    assert [word for word in words if word not in json.loads(said.err)["error"]["message"]] == []


@pytest.mark.ledger("Q-04", "Q-06", "R-24")
@pytest.mark.parametrize(
    "beside",
    [
        "codeweaver-2 should only start once codeweaver-1 is finished.",
        "codeweaver-2 can start when codeweaver-1 is done.",
        "codeweaver-1 and codeweaver-2 must run sequentially.",
        {"integrationPoints": {"auth routes": "codeweaver-1 first, then codeweaver-2"}},
        {
            "integrationPoints": [
                {"point": "auth routes", "tasks": ["codeweaver-1", "codeweaver-2"], "resolution": "sequential"}
            ]
        },
    ],
)
def test_an_order_beside_the_tasks_or_at_a_meeting_point_is_asked_back(tmp_path: Path, beside: object) -> None:
    moot = quest(tmp_path)
    claim = moot("claim", "pathseeker")
    words, more = (beside, {}) if isinstance(beside, str) else ("", beside)
    assert isinstance(more, dict)
    said = moot.try_in(claim, f"```json\n{json.dumps({**TASKS, **more})}\n```\n{words}")
    assert said.error == "report_refused" and "write it as `after` of a task" in said.err


@pytest.mark.ledger("Q-04", "R-24")
def test_a_call_that_happens_once_is_no_order(tmp_path: Path) -> None:
    words = "The mailer of codeweaver-1 is called once by codeweaver-2, with sequential ids."
    said = f"```json\n{json.dumps(TASKS)}\n```\nThe check is called once by codeweaver-1. {words}"
    assert quest(tmp_path).speak("pathseeker", said)["status"] == "waiting"


@pytest.mark.ledger("Q-06", "R-24")
def test_tasks_that_run_in_turn_by_their_files_need_no_order_in_words(tmp_path: Path) -> None:
    tasks = {name: {**task, "files": [*task["files"], "routes/auth.ts"]} for name, task in TASKS.items()}
    point = {"point": "auth routes", "tasks": list(tasks), "resolution": "sequential"}
    item = quest(tmp_path).speak("pathseeker", {**tasks, "integrationPoints": [point]})
    assert (item["status"], list(item["integration_points"])) == ("waiting", ["auth routes"])


@pytest.mark.ledger("Q-04", "R-32")
def test_a_table_of_tasks_below_the_status_is_asked_back(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    table = (
        "| # | Task | Files |\n|---|---|---|\n| 1 | User can register | src/a.ts |\n| 2 | User can reset | src/b.ts |"
    )
    said = moot.try_in(moot("claim", "pathseeker"), f"## Decomposition\n\n**Status:** complete\n\n{table}\n")
    assert said.error == "report_refused" and "looks like tasks" in said.err


@pytest.mark.ledger("Q-03", "R-20")
def test_files_that_are_told_with_their_purpose_are_files(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    other = {"filesCreated": [{"path": "src/auth/registration.ts", "purpose": "the form"}]}
    assert "src/auth/registration.ts is not among its files" in moot.try_in(claim, {**LONG_REPORT, "output": other}).err
    own = {"filesCreated": [{"path": "src/auth/password-reset.ts", "purpose": "sends the mail"}]}
    report = moot.hand_in(claim, json.dumps({**LONG_REPORT, "output": own}))["runs"][-1]["report"]
    assert report["files"]["created"] == ["src/auth/password-reset.ts"] and report["extra"]["output"] == own


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize(
    "said",
    [
        {
            "output": {
                "integrationPoints": [{"point": "auth routes", "tested": True}, {"point": "users", "tested": False}]
            }
        },
        {"integrationPointsTested": {"auth routes": True, "users": False}},
    ],
)
def test_a_meeting_point_that_was_not_tested_is_asked_back_beside_complete(tmp_path: Path, said: object) -> None:
    assert isinstance(said, dict)
    moot = sieged(tmp_path)
    claim = moot("claim", "siegemaster")
    whole = {"agentType": "siegemaster", "status": "complete", "report": "Integration tests written"}
    assert moot.try_in(claim, {**whole, **said}).error == "report_refused"
    points = [{"point": "auth routes", "tested": True}, {"point": "users", "tested": True}]
    item = moot.hand_in(claim, json.dumps({**whole, "output": {"integrationPoints": points}}))
    assert item["runs"][-1]["report"]["integration_points"] == dict.fromkeys(
        ("auth routes", "users"), '{"tested": true}'
    )


@pytest.mark.ledger("Q-10", "Q-11")
@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("Still red. The cause lies in how the quest was split: both define User.", ("discover", "ready")),
        ("Still red. The cause does not lie in how the quest was split.", ("mend", "ready")),
        ("Still red. I looked at how the quest was split, and that is fine.", ("mend", "ready")),
        (
            "Still red. The cause lies in what the quest asks for: a mail without an address.",
            ("mend", "awaiting-divine-guidance"),
        ),
    ],
)
def test_a_mender_that_finds_the_cause_in_the_split_or_the_quest_hands_it_on(
    tmp_path: Path, words: str, place: tuple[str, str]
) -> None:
    moot = sieged(tmp_path)
    moot.speak("siegemaster", {"agentType": "siegemaster", "status": "complete", "report": "Tests written"})
    moot.effort("ward", "failed", summary="two are red")
    item = moot.speak("spiritmender", {"agentType": "spiritmender", "status": "failed", "report": words})
    assert (item["column"], item["status"]) == place


@pytest.mark.ledger("Q-04", "Q-11")
def test_where_parts_meet_is_told_to_a_task_also_where_it_is_only_named(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    output = {"tasks": [{"task": "Register", "files": ["a.ts"]}], "integrationPoints": ["both call user-service.ts"]}
    moot.speak("pathseeker", {"agentType": "pathseeker", "status": "complete", "output": output, "report": "Split"})
    assert "| - both call user-service.ts" in moot.process_text("claim", "codeweaver", "--prompt")


@pytest.mark.ledger("Q-09", "R-25")
def test_a_sub_agent_is_told_all_that_it_is_asked(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    first = {"task": "analyze_auth", "scope": "discovery_only", "questions": ["Who checks it?", "Where?"], "depth": 2}
    moot.speak("pathseeker", {"decision": "delegate", "subAgents": [first]})
    child = moot("claim", "pathseeker")["item"]
    assert child["title"] == "analyze_auth" and child["kind"] == "sub"
    assert child["body"] == "analyze_auth\nquestions: Who checks it?\nWhere?\ndepth: 2\n\ndiscovery_only"
    assert moot("show", "1")["why"].endswith("pathseeker delegates: analyze_auth.")


@pytest.mark.ledger("Q-02", "Q-07")
@pytest.mark.parametrize(
    "said",
    [
        "## Task decomposition\n\n### Task 1: Register\n- Files: `a.ts`\n\n### Task 2: Reset\n- Files: `b.ts`\n"
        "- Depends on: Task 1\n\nStatus: complete\n",
        {"status": "complete", "report": "Two tasks.\n1. **Task 1:** register (a.ts)\n2. **Task 2:** reset (b.ts)"},
    ],
)
def test_tasks_that_a_text_numbers_are_asked_back_beside_complete(tmp_path: Path, said: str | dict[str, str]) -> None:
    moot = quest(tmp_path)
    answer = moot.try_in(moot("claim", "pathseeker"), said)
    assert answer.error == "report_refused" and "looks like tasks" in answer.err


@pytest.mark.ledger("Q-10")
@pytest.mark.parametrize(
    "said",
    [
        {"status": "partially complete", "report": "Context window approaching its limit. Storage is not begun."},
        {"status": "failed", "report": {"left": "storage", "analysis": "I am running out of context"}},
        {"status": "failed", "report": "My context runs low; storage is left."},
    ],
)
def test_a_context_that_ends_has_the_task_split_however_that_is_put(tmp_path: Path, said: dict[str, object]) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    item = moot.hand_in(claim, json.dumps({"agentType": "codeweaver", **said}))
    assert (item["column"], item["status"], item["failure_count"]) == ("discover", "ready", 0)
    assert "torage" in moot.process_text("claim", "pathseeker", "--prompt")


def test_a_context_that_did_not_end_is_no_reason_to_split(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    words = "The request context is missing, and the example was taken out of context. I did not run out of context."
    item = moot.hand_in(claim, json.dumps({"agentType": "codeweaver", "status": "failed", "report": words}))
    assert (item["column"], item["failure_count"]) == ("weave", 1)


@pytest.mark.ledger("Q-12", "R-22")
@pytest.mark.parametrize(
    ("checks", "accepted"),
    [
        ({"qualityGate": {"consistency": "pass", "contracts": "fail"}}, False),
        ({"Ward:all": {"lint": "pass", "unit": "40 passed, 1 failed"}}, False),
        ({"Ward:all": {"lint": "pass", "unit": "41 passed, 0 failed"}}, True),
        ({"Ward:all": {"before": "failed", "after": "green"}}, True),
        ({"qualityGate": {"consistency": "pass", "contractsChanged": False}}, True),
    ],
)
def test_a_part_of_a_check_that_is_red_is_asked_back_whatever_it_is_called(
    tmp_path: Path, checks: dict[str, object], accepted: bool
) -> None:
    moot = sieged(tmp_path)
    moot.speak("siegemaster", {"agentType": "siegemaster", "status": "complete", "report": "Tests written"})
    moot.effort("ward", "failed", summary="two are red")
    whole = {"agentType": "spiritmender", "status": "complete", "report": "Healed", "blockers": "none"}
    said = moot.try_in(moot("claim", "spiritmender"), {**whole, **checks})
    assert (said.code == 0) is accepted


@pytest.mark.ledger("Q-10", "R-32")
def test_a_persons_comment_on_a_task_at_work_is_heard_before_the_task_ends(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    moot("comment", "3", "The token is valid for 20 minutes")
    assert moot.hand_in(claim, json.dumps(LONG_REPORT))["status"] == "ready"
    again = moot("claim", "codeweaver", "--item", "3")
    assert [one["content"] for one in again["brief"]["comments"]] == ["The token is valid for 20 minutes"]
    assert moot.hand_in(again, json.dumps(LONG_REPORT))["status"] == "done"
    moot("comment", "3", "And the mail is in English")
    moot.speak("codeweaver", {**LONG_REPORT, "task": "User can register with email", "output": {}})
    green(moot)
    told = moot("claim", "lawbringer")["brief"]["comments"]
    assert [(one["item"], one["content"]) for one in told][-1] == ("3", "And the mail is in English")


@pytest.mark.ledger("Q-10", "R-32")
def test_a_running_agent_hears_a_persons_comment(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver", "--item", "3")
    moot("comment", "3", "The token is valid for 20 minutes")
    heard = moot.say("hear", run_id=claim["run"], token=claim["token"]).json
    assert [one["text"] for one in heard["sentences"]] == ["The token is valid for 20 minutes"]
    assert moot.hand_in(claim, json.dumps(LONG_REPORT))["status"] == "done"


@pytest.mark.ledger("R-16", "R-32")
def test_words_beside_park_it_are_in_the_brief_of_whoever_takes_it_up(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    tasks = [{"task": name, "files": [name], "dependsOn": [other]} for name, other in (("A", "B"), ("B", "A"))]
    moot.speak("pathseeker", {"tasks": tasks})
    assert moot("answer", "q1", "2.", "wait for Ann")["status"] == "parked"
    assert moot("answer", "q1", "1")["status"] == "ready"
    (told,) = moot("claim", "pathseeker")["brief"]["comments"]
    assert told["author"] == "alice" and told["content"].endswith(": park it: wait for Ann")
