"""The disputes document played with its own text: several concerns, comments alone, reasons beside a dispute."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, Said, View, new_board
from tests.documents import COMMENTS, CONCERN

TESTS, DESIGN = "tests/247-trading-tests.md", "arch/247.md"
# The document's reply, whole.
AGREED = COMMENTS.removeprefix(CONCERN)
SECOND = """
  - id: c002
    author: dev-agent
    timestamp: 2024-01-17T14:31:00
    target: "test_trade_limit"
    content: The story says 20, the test says 10.
    status: open
"""


def in_dev(folder: Path) -> Moot:
    moot = new_board(folder)
    moot("add", "Trading", "--column", "arch")
    moot.effort("architect-agent", "done", artifacts=[{"name": DESIGN}])
    moot.effort("test-architect", "done", artifacts=[{"name": TESTS}])
    return moot


def place(item: View) -> tuple[str, str]:
    return item["column"], item["status"]


def message(said: Said) -> str:
    assert said.code == 2, said.out
    error = json.loads(said.err)["error"]
    return f"{error['message']} ({error['hint']})"


@pytest.mark.ledger("K-04", "K-06")
def test_the_documents_file_disputes_and_its_reply_moves_forward(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    assert place(moot.speak("dev-agent", CONCERN)) == ("tests", "ready")
    item = moot.speak("test-architect", CONCERN + AGREED)
    assert place(item) == ("dev", "ready"), "AGREES: fixes, marks resolved, moves forward"
    assert [c["status"] for c in item["comments"]] == ["resolved", "resolved"]
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-04", "K-06")
def test_two_concerns_of_one_file_are_two_threads_that_must_be_resolved(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    assert place(moot.speak("dev-agent", CONCERN + SECOND)) == ("tests", "ready")
    claim = moot("claim", "test-architect")
    assert [dispute["thread"] for dispute in claim["brief"]["disputes"]] == ["c001", "c002"]
    reply = AGREED.replace("id: c002", "id: c003")
    assert "c002" in message(moot.try_in(claim, CONCERN + SECOND + reply)), "the second concern is not forgotten"
    other = reply.replace("c003", "c004").replace("parent: c001", "parent: c002").replace("async/await", "the limit")
    item = moot.hand_in(claim, CONCERN + SECOND + reply + other)
    assert place(item) == ("dev", "ready")
    assert {c["id"]: c["resolution"] for c in item["comments"] if not c["parent"]} == {
        "c001": "accepted",
        "c002": "accepted",
    }
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-06", "K-07")
def test_concerns_about_two_artifacts_are_answered_by_both_makers(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    design = SECOND.replace('    target: "test_trade_limit"\n', f"    artifact: {DESIGN}\n")
    assert place(moot.speak("dev-agent", CONCERN + design)) == ("arch", "ready")
    reply = {"outcome": "disputed", "comments": [{"parent": "c002", "content": "20 was never meant."}]}
    assert place(moot.speak("architect-agent", reply)) == ("dev", "ready")
    gives_in = {"parent": "c002", "content": "Fine.", "resolution": "rejected"}
    item = moot.speak("dev-agent", {"outcome": "done", "comments": [gives_in]})
    assert place(item) == ("tests", "ready"), "the test-architect has not answered c001 yet"
    assert "c001 has waited" in item["why"]
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-04", "K-06")
@pytest.mark.parametrize("fence", ["", "```yaml\n"])
def test_two_files_of_comments_in_one_text_keep_their_artifacts(tmp_path: Path, fence: str) -> None:
    moot = in_dev(tmp_path)
    other = CONCERN.replace(TESTS, DESIGN).replace("This test assumes", "The design assumes").replace("c001", "c002")
    item = moot.speak("dev-agent", f"{fence}{CONCERN}\n{other}{fence[:3]}\n")
    assert [(c["id"], c["artifact"]) for c in item["comments"]] == [("c001", TESTS), ("c002", DESIGN)]
    assert place(item) == ("arch", "ready") and "c001 waits" in item["why"]


@pytest.mark.ledger("K-06")
@pytest.mark.parametrize(("parent", "resolution"), [("c002", "accepted"), ("c001", "rejected")])
def test_a_dev_who_only_accepts_the_reply_has_its_own_work_before_it(
    tmp_path: Path, parent: str, resolution: str
) -> None:
    moot = in_dev(tmp_path)
    moot.speak("dev-agent", CONCERN)
    no = "comments:\n  - author: test-architect\n    parent: c001\n    content: The design changed.\n    status: open\n"
    assert place(moot.speak("test-architect", no)) == ("dev", "ready")
    yes = f"comments:\n  - author: dev-agent\n    parent: {parent}\n    content: I see.\n    status: resolved\n"
    item = moot.speak("dev-agent", f"{yes}    resolution: {resolution}\n")
    assert place(item) == ("dev", "ready"), "8. Dev-agent picks up, reads reply, continues or accepts"
    assert item["dispute_agents"] == [] and item["comments"][0]["status"] == "resolved"
    assert item["failure_count"] == item["incomplete_count"] == 0
    assert place(moot.effort("dev-agent", "done")) == ("review", "ready")
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-12", "R-10")
def test_a_dispute_for_security_keeps_both_ways_open(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    item = moot.speak("dev-agent", {"outcome": "disputed", "reason": "security", "comments": [_json_concern()]})
    assert item["status"] == "awaiting-divine-guidance" and item["dispute_agents"] == ["dev-agent"]
    options = [option["option"] for option in moot("inbox")["questions"][0]["options"]]
    assert options[:2] == ["let test-architect answer the dispute", "to needs-security-review"]
    assert place(moot("answer", "q1", "to needs-security-review")) == ("needs-security-review", "ready")
    assert place(moot.effort("security-specialist", "done")) == ("tests", "ready"), "the dispute had waited"
    assert [d["thread"] for d in moot("claim", "test-architect")["brief"]["disputes"]] == ["c001"]
    assert moot("doctor")["ok"]


def _json_concern() -> View:
    return {"artifact": TESTS, "target": "test_trade_cancellation", "content": "Test assumes sync. Test is wrong."}


# The document's item, as an agent hands it in for a report.
ITEM = """\
# Issue 247 in kanban
issue: 247
status: ready-for-dev
failure_count: 3
failure_history:
  - attempt: 1
    model: glm-4
    reason: "Test expects 42, got 41"
"""


# And its circuit breaker.
BREAKER = """\
issue: 247
dispute_rounds: 3
dispute_agents: [dev-agent, test-architect, dev-agent, test-architect]
status: needs-human-review
flag: "Agents disagree after 3 rounds - human decision needed"
"""


@pytest.mark.ledger("K-02", "R-32")
@pytest.mark.parametrize(
    ("said", "helps"),
    [
        (ITEM, "this is an item, which the board keeps"),
        (BREAKER, "`asks` with a question puts it before a person"),
        ("status: needs-human\ncomment: The spec contradicts itself.\n", "`asks` with a question"),
        ('{"outcome": "needs-human-review"}', "`asks` with a question"),
        ('{"status": "ready-for-dev", "comments": []}', "`done` moves it forward, `disputed` back"),
        ('{"outcome": "Ready for Tests"}', "`done` moves it forward, `disputed` back"),
        ('{"outcome": "needs-senior-dev"}', "`stuck` with a reason"),
        ('{"outcome": "blocked"}', "`stuck` with a reason"),
        ('{"outcome": "dispute-test-vs-dev"}', "`disputed` with a comment"),
        ('{"outcome": "dispute"}', "`disputed` with a comment"),
        ('{"outcome": "fail"}', "did you mean 'failed'?"),
    ],
)
def test_a_column_in_place_of_an_outcome_is_asked_back_in_this_documents_words(
    tmp_path: Path, said: str, helps: str
) -> None:
    moot = in_dev(tmp_path)
    words = message(moot.try_in(moot("claim", "dev-agent"), said))
    assert helps in words
    assert "Needs follow-up" not in words and "fixes_applied" not in words, "those are other documents' words"


@pytest.mark.ledger("K-02")
def test_the_documents_names_of_columns_and_agents_are_understood_or_suggested(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    for words in (["move", "1", "Ready for Tests"], ["add", "x", "--column", "ready-for-tests"]):
        assert "did you mean: tests;" in message(moot.say(*words))
    assert "did you mean: dev-agent;" in message(moot.say("claim", "ready-for-dev"))
    assert moot("claim", "Dev Agent")["agent"] == "dev-agent"


@pytest.mark.ledger("R-27")
def test_a_run_that_comments_on_another_item_hears_what_holds(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot("add", "Other")
    claim = moot("claim", "dev-agent")
    said = moot.say("comment", "2", "The same here.", run_id=claim["run"], token=claim["token"])
    assert (said.code, said.error) == (1, "other_item")
    assert f"run {claim['run']} works on item 1" in said.err and "moot comment 1" in said.err
    assert moot.report(claim, "done")["column"] == "review", "the run lives, and goes on"


@pytest.mark.ledger("K-09", "K-15")
def test_a_column_as_a_step_of_a_ladder_is_refused_with_its_place(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    (tmp_path / ".moot" / "escalation.yaml").write_text(
        "model_ladder:\n  dev-agent:\n    0-5: opus\n    6+: needs-senior-dev\n", "utf-8"
    )
    words = message(moot.say("check"))
    assert "escalation.yaml:4:5: model_ladder.dev-agent.6+: 'needs-senior-dev' names the column" in words
    assert "write 6+: escalate, and beside the ladder escalate_to: needs-senior-dev" in words


@pytest.mark.ledger("K-12")
def test_a_reason_that_belongs_to_two_others_is_asked_back(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    claim = moot("claim", "dev-agent")
    said = {"outcome": "disputed", "reason": "story-vs-arch", "comments": [_json_concern()]}
    words = message(moot.try_in(claim, said))
    assert "dispute-story-vs-arch, where story-agent and architect-agent argue" in words
    assert "between dev-agent and test-architect" in words
    item = moot.hand_in(claim, json.dumps({**said, "reason": "test-vs-dev"}))
    assert place(item) == ("dispute-test-vs-dev", "ready")


LISTED = "comments:\n  - author: dev-agent\n    content: The design names no event.\n    status: open\n"


@pytest.mark.ledger("K-04", "K-06")
@pytest.mark.parametrize(
    "text",
    [
        f"# Artifact: {DESIGN}\n\n```yaml\n{LISTED}```\n",
        f"# Artifact: {DESIGN}\n# Metadata: arch/247.meta.yaml\n```yaml\n{LISTED}```\n",
        f"I have looked.\n\n## Artifact: `{DESIGN}`\n\n```yaml\n{LISTED}```\n",
        f"**Artifact:** {DESIGN}\n\n```yaml\n{LISTED}```\n",
        f"```yaml\n# artifact: {DESIGN}\n{LISTED}```\n",
        f"```yaml\n#Artifact: `{DESIGN}`\n{LISTED}```\n",
        f"# ARTIFACT: {DESIGN}\n{LISTED}",
        f"Artifact: {DESIGN}\n{LISTED}",
        f"{LISTED}artifact: {DESIGN}\n",
        f"```yaml\n# Metadata: arch/247.meta.yaml\n{LISTED}```\n",
    ],
)
def test_the_artifact_above_the_comments_is_what_they_are_about(tmp_path: Path, text: str) -> None:
    item = in_dev(tmp_path).speak("dev-agent", text)
    assert place(item) == ("arch", "ready") and item["comments"][0]["artifact"] in (DESIGN, "arch/247.meta.yaml")


@pytest.mark.ledger("K-04", "K-06")
def test_each_fence_has_the_artifact_above_it(tmp_path: Path) -> None:
    other = LISTED.replace("The design names no event", "The test is sync")
    text = f"# Artifact: {TESTS}\n```yaml\n{other}```\n\n# Artifact: {DESIGN}\n```yaml\n{LISTED}```\n"
    item = in_dev(tmp_path).speak("dev-agent", text)
    assert [one["artifact"] for one in item["comments"]] == [TESTS, DESIGN]


@pytest.mark.ledger("K-06", "K-11", "R-32")
@pytest.mark.parametrize(
    "text", [f"{LISTED}escalation_reason: concurrency\n", f"escalation_reason: concurrency\n{LISTED}"]
)
def test_a_concern_beside_a_reason_is_a_dispute_or_a_call_for_help_and_not_both(tmp_path: Path, text: str) -> None:
    moot = in_dev(tmp_path)
    claim = moot("claim", "dev-agent")
    words = message(moot.try_in(claim, text))
    assert "outcome: disputed" in words and "outcome: stuck" in words
    item = moot.hand_in(claim, f"outcome: stuck\n{text}")
    assert place(item) == ("needs-concurrency-expert", "ready")


@pytest.mark.ledger("K-04", "K-11")
def test_earlier_comments_beside_a_reason_are_no_concern(tmp_path: Path) -> None:
    moot = in_dev(tmp_path)
    moot.speak("dev-agent", CONCERN)
    moot.speak("test-architect", CONCERN + AGREED)
    item = moot.speak("dev-agent", CONCERN + AGREED + "\nescalation_reason: concurrency\n")
    assert place(item) == ("needs-concurrency-expert", "ready")


def asked_for_two(folder: Path) -> Moot:
    """The review wants two changes, and the developer disputes one of them."""
    moot = new_board(folder)
    moot("add", "Trading", "--column", "dev")
    moot.effort("dev-agent", "done", summary="built", artifacts=[{"name": "src/trade.py"}])
    wanted = [
        {"severity": "high", "file": "src/trade.py", "line": 3, "issue": "race in cancel()"},
        {"severity": "high", "file": "src/trade.py", "line": 9, "issue": "the request has no timeout"},
    ]
    moot.effort("review-agent", "changes_requested", findings=wanted)
    concern = {
        "artifact": "src/trade.py",
        "target": "cancel()",
        "content": "One thread by design, so there is no race.",
    }
    moot.effort("dev-agent", "disputed", comments=[concern])
    return moot


AGREES: View = {"parent": "c001", "content": "Agreed, one thread.", "resolution": "accepted"}


@pytest.mark.ledger("R-12", "R-22")
def test_a_finding_that_nobody_disputed_is_not_over_with_the_dispute(tmp_path: Path) -> None:
    moot = asked_for_two(tmp_path)
    claim = moot("claim", "review-agent")
    told = message(moot.try_in(claim, {"outcome": "done", "comments": [AGREES]}))
    assert "the request has no timeout" in told and "race" not in told and "which holds?" in told
    left = {"severity": "high", "file": "src/trade.py", "line": 9, "issue": "the request has no timeout"}
    assert moot.try_in(claim, {"outcome": "changes_requested", "comments": [AGREES], "findings": [left]}).code == 0
    shown = moot("show", "1")
    assert place(shown) == ("dev", "ready") and not shown["dispute_agents"]
    assert [one["issue"] for one in moot("claim", "dev-agent")["brief"]["findings"]] == ["the request has no timeout"]


@pytest.mark.ledger("R-12", "R-22")
@pytest.mark.parametrize(
    "more",
    [
        {"comments": [{**AGREES, "content": "Agreed, and the timeout of the request is the caller's."}]},
        {"comments": [{**AGREES, "content": "Agreed. The other is not needed either."}]},
        {
            "findings": [
                {"file": "src/trade.py", "line": 9, "issue": "the request has no timeout", "status": "fixed"},
            ]
        },
    ],
    ids=["named", "both", "fixed"],
)
def test_a_look_that_speaks_of_the_rest_goes_on(tmp_path: Path, more: View) -> None:
    moot = asked_for_two(tmp_path)
    told = moot.try_in(moot("claim", "review-agent"), {"outcome": "done", "comments": [AGREES], **more})
    assert told.code == 0, told.err
    assert place(moot("show", "1")) == ("qa", "ready")


@pytest.mark.ledger("R-12", "R-22")
def test_a_person_who_decides_for_the_developer_drops_no_other_finding(tmp_path: Path) -> None:
    moot = asked_for_two(tmp_path)
    moot.effort("review-agent", "disputed", comments=[{"parent": "c001", "content": "No: it has four threads."}])
    moot.effort("dev-agent", "disputed", comments=[{"parent": "c001", "content": "Not in this service."}])
    moot.effort("review-agent", "disputed", comments=[{"parent": "c001", "content": "In this one as well."}])
    moot("answer", "q1", "dev-agent is right")
    brief = moot("claim", "review-agent")["brief"]
    assert [one["issue"] for one in brief["findings"]] == ["the request has no timeout"]
