"""Questions to a person: the ten steps, restarts, who is reset and who is not (E-08, E-10, E-12, E-13)."""

import json
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, new_board

ASKED = "awaiting-divine-guidance"


def board(folder: Path, *columns: str) -> Moot:
    moot = new_board(folder)
    for column in columns:
        moot("add", f"Item in {column}", "--column", column)
    return moot


def ask(moot: Moot, agent: str, words: str, **parts: object) -> None:
    moot.effort(agent, "asks", question={"question": words, **parts})


@pytest.mark.ledger("E-08", "E-13", "E-12")
def test_the_ten_steps_with_their_events_in_order(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev", "dev")
    claim = moot("claim", "dev-agent", "--item", "1")
    options = [{"option": "sqlite", "why_insufficient": "one writer"}, {"option": "postgres"}]
    question = {"question": "Which database?", "context": "Two are there.", "options": options, "help": "a name"}
    moot.report(claim, "asks", question=question, attempts=[{"approach": "asked the docs", "outcome": "silence"}])

    item = moot("show", "1")
    assert (item["status"], item["column"], item["escalation_tier"]) == (ASKED, "dev", 2)
    assert moot.say("claim", "dev-agent", "--item", "1").error == "not_claimable"
    assert moot("claim", "dev-agent")["item"]["id"] == "2", "other items go on meanwhile"

    asked = moot("inbox")["questions"][0]
    assert (asked["task_id"], asked["agent_id"], asked["kind"]) == ("1", "dev-agent", "clarification")
    assert (asked["question"], asked["context"], asked["help"]) == ("Which database?", "Two are there.", "a name")
    assert [(o["option"], o["why_insufficient"]) for o in asked["options"]] == [
        ("sqlite", "one writer"),
        ("postgres", None),
    ]

    item = moot("answer", asked["id"], "2")
    assert (item["status"], item["failure_count"], item["incomplete_count"]) == ("ready", 0, 0)
    tracking = item["escalation_tracking"]
    assert (tracking["total_attempts"], tracking["divine_clarifications_received"]) == (0, 1)
    assert tracking["last_attempt_outcome"] == "divine_guidance_received"
    assert moot.say("inbox").code == 3

    claim = moot("claim", "dev-agent")
    assert claim["item"]["id"] == "1" and claim["model"] == "glm-4"
    asked = {"options": ["sqlite: one writer", "postgres"], "context": "Two are there.", "help": "a name"}
    assert claim["brief"]["guidance"] == [{"question": "Which database?", "answer": "postgres", "by": "alice", **asked}]
    names = [event["event"] for event in moot("log", "1")["events"]]
    assert names == [
        "item_added",
        "agent_started",
        "agent_completed",
        "attempt_counted",
        "agent_seeks_guidance",
        "divine_response_received",
        "divine_clarification_received",
        "escalation_counters_reset",
        "agent_resumes_with_guidance",
        "agent_started",
    ]


@pytest.mark.ledger("E-10", "R-02")
def test_pending_questions_survive_a_restart_and_come_in_the_order_received(tmp_path: Path) -> None:
    moot = board(tmp_path, "qa", "dev", "arch")
    for agent, words in (("architect-agent", "third item"), ("qa-agent", "first item"), ("dev-agent", "second item")):
        ask(moot, agent, words)
    for _ in range(2):
        # Each is a process of its own that knows nothing of the one before.
        found = moot.process("inbox").json["questions"]
        assert [(q["id"], q["question"]) for q in found] == [
            ("q1", "third item"),
            ("q2", "first item"),
            ("q3", "second item"),
        ]
    assert moot.process("answer", "q2", "go on").json["status"] == "ready"
    assert [q["id"] for q in moot.process("inbox").json["questions"]] == ["q1", "q3"], "each is answered on its own"
    assert moot.process("show", "3").json["status"] == ASKED
    assert moot("doctor")["ok"]


@pytest.mark.ledger("E-12", "R-18")
def test_guidance_resets_that_item_and_no_other(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev", "dev")
    for item in ("1", "2"):
        for letter in "ab":
            claim = moot("claim", "dev-agent", "--item", item)
            moot.report(claim, "failed", attempts=[{"approach": letter * 9}])
        moot.report(moot("claim", "dev-agent", "--item", item), "incomplete")
        moot.report(moot("claim", "dev-agent", "--item", item), "asks", question={"question": "which?"})
    before = moot("show", "2")
    assert (before["failure_count"], before["incomplete_count"]) == (2, 1)
    moot("answer", "q1", "this one")
    assert moot("show", "1")["failure_count"] == 0 and moot("show", "1")["incomplete_count"] == 0
    assert moot("show", "1")["escalation_tracking"]["divine_clarifications_received"] == 1
    assert len(moot("show", "1")["failure_history"]) == 2, "the record stays"
    assert moot("show", "2") == before
    resets = [e["item"] for e in moot("log")["events"] if e["event"] == "escalation_counters_reset"]
    assert resets == ["1"]


@pytest.mark.ledger("R-16")
def test_an_answer_is_given_once_and_by_a_person(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev", "dev")
    ask(moot, "dev-agent", "which?")
    claim = moot("claim", "dev-agent")
    said = moot.say("answer", "q1", "mine", run_id=claim["run"], token=claim["token"])
    assert (said.code, said.error) == (1, "only_people")
    assert moot("answer", "q1", "this")["status"] == "ready"
    assert moot.say("answer", "q1", "that").error == "already_answered"
    assert moot.say("answer", "q9", "that").error == "unknown_question"
    assert [g["answer"] for g in moot("show", "1")["guidance"]] == ["this"]


@pytest.mark.ledger("R-16", "R-17")
def test_a_late_answer_is_a_comment(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev")
    ask(moot, "dev-agent", "which?")
    moot("move", "1", "arch")
    assert moot.say("inbox").code == 3, "a person's move answers it"
    item = moot("answer", "q1", "the second")
    assert item["column"] == "arch" and "the second" in item["comments"][-1]["content"]


@pytest.mark.ledger("R-17")
def test_with_pause_all_every_item_waits_for_the_answer(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev", "arch")
    flow = tmp_path / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("pause_all: false", "pause_all: true"), "utf-8")
    moot("apply")
    ask(moot, "dev-agent", "which?")
    said = moot.say("claim", "architect-agent")
    assert (said.code, said.error) == (3, "paused")
    moot("answer", "q1", "this")
    assert moot("claim", "architect-agent")["item"]["id"] == "2"


@pytest.mark.ledger("R-16", "R-03")
def test_a_person_moves_cancels_and_reopens(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev")
    claim = moot("claim", "dev-agent")
    child = moot("add", "A child", "--parent", "1")["id"]
    item = moot("move", "1", "arch", "--why", "the design comes first")
    assert (item["column"], item["status"], item["runs"][0]["end"]) == ("arch", "waiting", "revoked")
    assert "the design comes first" in item["why"]
    assert moot("show", child)["status"] == "ready", "move leaves the children that people added"
    stale = moot.say("report", claim["run"], "-", "--token", "1", stdin=json.dumps({"outcome": "done"}))
    assert (stale.code, stale.error) == (1, "stale_claim")
    moot("cancel", "1")
    assert moot("show", child)["status"] == "cancelled", "cancel does not"
    item = moot("reopen", "1")
    assert (item["column"], item["status"]) == ("arch", "ready")
    assert moot("doctor")["ok"]
