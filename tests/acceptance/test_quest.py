"""The quest document's own examples: decomposition, parallel work, wards, escape hatch, sub-agents (Q-01 to Q-15)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import SHARED, SUB_AGENTS, TASKS

View = dict[str, Any]

DECOMPOSITION = {**TASKS, **SHARED}
SHORT_REPORT = {
    "status": "complete",
    "output": "src/auth/registration.ts",
    "report": "Registration works",
    "nextSteps": "Wire the route",
    "retro": "The validator is strict about empty strings",
}
LONG_REPORT = {
    "agentType": "codeweaver",
    "status": "complete",
    "task": "User can reset password",
    "output": {
        "filesCreated": ["src/auth/password-reset.ts"],
        "filesModified": ["src/auth/password-reset.test.ts"],
        "interfaces": ["ResetToken"],
        "integrationPoints": ["mailer"],
    },
    "report": "Reset by mail works",
    "blockers": "none",
    "recommendations": "Limit the rate of requests",
    "retro": "Tokens need a clock that tests can set",
}


def quest(folder: Path) -> Moot:
    moot = new_board(folder, "quest")
    moot("add", "User auth")
    return moot


def decomposed(folder: Path) -> Moot:
    moot = quest(folder)
    moot.speak("pathseeker", DECOMPOSITION)
    return moot


def split(moot: Moot, *tasks: View, **parts: Any) -> View:
    return moot.effort("pathseeker", "split", tasks=list(tasks), **parts)


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


def green(moot: Moot) -> View:
    return moot.effort("ward", "done", summary="all checks passed")


@pytest.mark.ledger("Q-09", "R-25")
def test_sub_agents_look_and_the_parent_puts_it_together(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    item = moot.speak("pathseeker", SUB_AGENTS)
    assert place(item) == ("discover", "waiting")
    first, second = moot("claim", "pathseeker"), moot("claim", "pathseeker")
    assert {first["item"]["kind"], second["item"]["kind"]} == {"sub"}, "several at once"
    assert first["brief"]["constraints"]["write"] == "none"
    moot.hand_in(first, json.dumps({**SHORT_REPORT, "report": "auth uses sessions"}))
    assert moot("show", "1")["status"] == "waiting"
    moot.hand_in(second, json.dumps({**SHORT_REPORT, "report": "routes/auth.ts is shared"}))
    claim = moot("claim", "pathseeker")
    assert (claim["item"]["id"], claim["item"]["kind"]) == ("1", "item")
    assert [output["summary"] for output in claim["brief"]["outputs"]] == [
        "auth uses sessions",
        "routes/auth.ts is shared",
    ]
    assert moot.try_in(claim, SUB_AGENTS).error == "report_refused", "one fan-out per item"
    assert place(moot.hand_in(claim, json.dumps(DECOMPOSITION))) == ("weave", "waiting")


@pytest.mark.ledger("Q-04", "Q-05", "Q-06", "R-24")
def test_the_decomposition_becomes_tasks_with_files_and_contracts(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    parent = moot("show", "1")
    assert place(parent) == ("weave", "waiting")
    assert parent["contracts"] == [
        {"name": "User interface", "text": "defined by Pathseeker"},
        {"name": "AuthResult type", "text": "defined by Pathseeker"},
    ]
    assert parent["integration_points"] == DECOMPOSITION["integrationPoints"]
    claim = moot("claim", "codeweaver")
    task, brief = claim["item"], claim["brief"]
    assert (task["kind"], task["parent"], task["title"]) == ("task", "1", "User can register with email")
    assert brief["role"] == "codeweaver" and brief["task"]["title"] == task["title"]
    assert brief["constraints"]["files"] == ["src/auth/registration.ts", "src/auth/registration.test.ts"]
    assert brief["constraints"]["write"] == "own"
    assert brief["constraints"]["contracts"] == parent["contracts"]
    assert brief["projectContext"]["integrationPoints"] == DECOMPOSITION["integrationPoints"]
    assert brief["escapeHatch"] and "transcript" not in brief


@pytest.mark.ledger("Q-04", "R-20", "H-10", "Q-11")
def test_independent_tasks_run_at_once_and_shared_files_one_after_the_other(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    split(
        moot,
        {"key": "a", "title": "registration", "files": ["src/auth/registration.ts", "routes/auth.ts"]},
        {"key": "b", "title": "login", "files": ["src/auth/login.ts", "routes/auth.ts"]},
        {"key": "c", "title": "mailer", "files": ["src/mail/"]},
        {"key": "d", "title": "welcome mail", "files": ["src/welcome.ts"], "after": ["c"]},
    )
    first, second = moot("claim", "codeweaver"), moot("claim", "codeweaver")
    assert {first["item"]["title"], second["item"]["title"]} in (
        {"registration", "mailer"},
        {"login", "mailer"},
    ), "two running tasks never share a file"
    assert moot.say("claim", "codeweaver").code == 3
    held = {lock["resource"] for lock in moot("locks")["locks"]}
    assert {"routes/auth.ts", "src/mail/"} <= held
    routes, mail = sorted((first, second), key=lambda claim: claim["item"]["title"] == "mailer")
    moot.report(mail, "failed", summary="no mail server", attempts=[{"approach": "smtp"}])
    assert moot("show", routes["item"]["id"])["status"] == "running", "a failing agent disturbs nobody"
    assert moot("claim", "codeweaver")["item"]["title"] == "mailer"
    moot.report(routes, "done")
    assert moot("claim", "codeweaver")["item"]["title"] in {"registration", "login"}


@pytest.mark.ledger("Q-07", "Q-15", "Q-13")
def test_both_forms_of_the_report_survive_with_all_their_fields(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    first = moot.speak("codeweaver", SHORT_REPORT)
    said = first["runs"][0]["report"]
    assert (said["outcome"], said["summary"], said["next_steps"]) == ("done", "Registration works", ["Wire the route"])
    assert said["lessons"] == ["The validator is strict about empty strings"]
    second = moot.speak("codeweaver", LONG_REPORT)
    said = second["runs"][0]["report"]
    assert said["files"] == {
        "created": ["src/auth/password-reset.ts"],
        "modified": ["src/auth/password-reset.test.ts"],
    }
    kept = json.dumps(said)
    for value in ("codeweaver", "ResetToken", "mailer", "Limit the rate of requests", "Tokens need a clock"):
        assert value in kept, value
    assert "blockers" not in said, "none is no blocker"
    assert moot.say("report", second["runs"][0]["run"], "-", "--token", "1", stdin="{}").code != 0, "the run is over"


@pytest.mark.ledger("Q-12", "Q-02", "R-21", "R-22", "R-24")
def test_the_phases_each_with_its_ward(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    for report in (SHORT_REPORT, LONG_REPORT):
        assert place(moot.speak("codeweaver", report)) == ("weave", "done")
    assert place(moot("show", "1")) == ("weave", "proving"), "the ward comes before the review"
    assert moot.say("claim", "lawbringer").code == 3
    assert place(green(moot)) == ("review", "ready")
    claim = moot("claim", "lawbringer")
    assert [output["summary"] for output in claim["brief"]["outputs"]] == ["Registration works", "Reset by mail works"]
    assert claim["brief"]["constraints"]["write"] == "any"
    assert place(moot.report(claim, "done")) == ("review", "proving")
    assert place(green(moot)) == ("siege", "ready")
    siege = moot("claim", "siegemaster")
    assert siege["brief"]["constraints"]["write"] == "new_tests"
    assert place(moot.report(siege, "done")) == ("siege", "proving")
    item = green(moot)
    assert place(item) == ("done", "done")
    assert [(proof["gate"], proof["column"], proof["green"]) for proof in item["evidence"]] == [
        ("ward", "weave", True),
        ("ward", "review", True),
        ("ward", "siege", True),
    ]


@pytest.mark.ledger("Q-12", "R-21", "R-24")
def test_a_red_ward_goes_to_mend_and_back_to_the_same_ward_three_times(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    moot("add", "User auth", "--column", "weave")
    moot.effort("codeweaver", "done")
    failure = {"kind": "test", "issue": "expected 200, got 500", "file": "src/auth/index.ts", "line": 7}
    for _ in range(3):
        item = moot.effort("ward", "failed", summary="1 test failed", findings=[failure])
        assert place(item) == ("mend", "ready")
        claim = moot("claim", "spiritmender")
        found = claim["brief"]["findings"][0]
        assert (found["issue"], found["found_by"]) == ("expected 200, got 500", ["ward"])
        assert claim["brief"]["constraints"]["write"] == "any"
        assert place(moot.report(claim, "done")) == ("weave", "proving")
    item = moot.effort("ward", "failed", summary="1 test failed", findings=[failure])
    assert item["status"] == "awaiting-divine-guidance"
    assert place(moot("answer", item["questions"][-1]["id"], "run ward again, the server was down")) == (
        "weave",
        "proving",
    )
    assert place(green(moot)) == ("review", "ready")


@pytest.mark.ledger("Q-08", "Q-10", "R-24")
@pytest.mark.parametrize(
    "escape",
    [
        {"outcome": "failed", "cause": "size", "summary": "the task holds three features"},
        {"status": "failed", "report": "context window is nearly full; registration is half done", "cause": "size"},
        {"outcome": "stuck", "reason": "unexpected_dependency", "summary": "it needs the mailer first"},
    ],
)
def test_the_escape_hatch_brings_a_fresh_decomposition(tmp_path: Path, escape: View) -> None:
    moot = decomposed(tmp_path)
    claim = moot("claim", "codeweaver")
    item = moot.hand_in(claim, json.dumps(escape))
    assert place(item) == ("discover", "ready")
    assert moot("claim", "codeweaver")["item"]["title"] == "User can reset password", "the others go on"
    seeker = moot("claim", "pathseeker")
    assert seeker["item"]["id"] == item["id"]
    told = json.dumps(seeker["brief"])
    assert (escape.get("summary") or escape["report"]) in told, "with the failure in hand"
    refused = moot.hand_in(seeker, '{"outcome": "done", "summary": "looks fine to me"}', "--final")
    assert refused["runs"][-1]["cause"] == "protocol", "it must be split or asked about"
    item = split(moot, {"title": "the form"}, {"title": "the mail", "after": ["the form"]})
    assert place(item) == ("weave", "waiting")
    assert moot.effort("codeweaver", "done")["title"] == "the form"
    assert moot.effort("codeweaver", "done")["title"] == "the mail"
    assert place(moot("show", item["id"])) == ("weave", "done"), "its new tasks stand for it"


@pytest.mark.ledger("Q-08", "R-24")
def test_repeated_failure_is_a_reason_to_decompose_again_three_times_at_most(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    split(moot, {"title": "registration"})
    for count in range(3):
        for _ in range(3):
            attempt = {"approach": f"{chr(97 + count)}{_} " * 5}
            moot.effort("codeweaver", "failed", summary="still red", attempts=[attempt])
        assert place(moot("show", "2")) == ("discover", "ready")
        asked = moot.effort("pathseeker", "asks", question={"question": "Which form of registration?"})
        moot("answer", asked["questions"][-1]["id"], "by mail", "--to", "weave")
    assert moot("show", "2")["status"] == "ready"


@pytest.mark.ledger("Q-10", "R-24", "R-07")
def test_an_integration_conflict_lets_the_whole_be_looked_at(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    other = moot("claim", "codeweaver", "--item", "3")
    item = moot.effort("codeweaver", "failed", cause="conflict", summary="User has no email")
    assert place(item) == ("weave", "waiting")
    assert place(moot("show", "1")) == ("discover", "ready")
    assert moot("show", "3")["status"] == "running", "the others run on"
    claim = moot("claim", "pathseeker")
    assert claim["item"]["id"] == "1" and "User has no email" in json.dumps(claim["brief"])
    contract = [{"name": "User interface", "text": "{id, email}"}]
    assert place(moot.report(claim, "done", contracts=contract)) == ("weave", "waiting")
    assert place(moot("show", "2")) == ("weave", "ready")
    brief = moot("claim", "codeweaver")["brief"]
    assert {"name": "User interface", "text": "{id, email}"} in brief["constraints"]["contracts"]
    moot.report(other, "done")


@pytest.mark.ledger("R-24", "Q-05")
def test_a_contract_that_changes_reopens_the_tasks_that_rely_on_it(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    tasks: list[View] = [
        {"title": "one", "contracts": ["User"]},
        {"title": "two", "contracts": ["Mail"]},
        {"title": "three"},
    ]
    contracts = [{"name": "User", "text": "1"}, {"name": "Mail", "text": "1"}]
    split(moot, *tasks, contracts=contracts)
    moot.effort("codeweaver", "done")
    moot.effort("codeweaver", "done")
    for text in ("2", "3"):
        last = moot("claim", "codeweaver", "--item", "4")
        moot.report(last, "incomplete", contracts=[{"name": "User", "text": text}])
        assert [place(moot("show", number))[1] for number in ("2", "3")] == ["ready", "done"]
        assert moot("show", "2")["contracts"] == [{"name": "User", "text": text}]
        again = moot("claim", "codeweaver", "--item", "2")
        assert "User" in again["brief"]["told"]
        moot.report(again, "done")
    last = moot("claim", "codeweaver", "--item", "4")
    moot.report(last, "done", contracts=[{"name": "User", "text": "4"}])
    assert moot("show", "1")["status"] == "awaiting-divine-guidance", "the third change asks"


@pytest.mark.ledger("R-24", "R-13")
def test_findings_about_a_tasks_files_reopen_that_task(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    moot.speak("codeweaver", SHORT_REPORT)
    moot.speak("codeweaver", LONG_REPORT)
    green(moot)
    finding = {"issue": "names differ", "file": "src/auth/password-reset.ts", "line": 3}
    item = moot.effort("lawbringer", "changes_requested", findings=[finding])
    assert place(item) == ("weave", "waiting")
    assert [moot("show", number)["status"] for number in ("2", "3")] == ["done", "ready"]
    claim = moot("claim", "codeweaver")
    assert claim["brief"]["findings"][0]["issue"] == "names differ"
    moot.report(claim, "done")
    assert place(green(moot)) == ("review", "ready"), "and back to whoever asked"


@pytest.mark.ledger("Q-13")
def test_what_one_learnt_reaches_the_next_of_its_role(tmp_path: Path) -> None:
    moot = decomposed(tmp_path)
    moot.speak("codeweaver", SHORT_REPORT)
    assert [lesson["text"] for lesson in moot("claim", "codeweaver")["brief"]["lessons"]] == [SHORT_REPORT["retro"]]
    assert [lesson["text"] for lesson in moot("lessons")["lessons"]] == [SHORT_REPORT["retro"]]


@pytest.mark.ledger("R-32")
def test_a_circle_in_a_split_ends_the_run_and_asks(tmp_path: Path) -> None:
    moot = quest(tmp_path)
    item = split(moot, {"key": "a", "title": "one", "after": ["b"]}, {"key": "b", "title": "two", "after": ["a"]})
    assert item["status"] == "awaiting-divine-guidance"
    assert "wait for each other" in item["questions"][0]["question"]
    assert item["runs"][-1]["outcome"] == "split" and item["children"] == []
