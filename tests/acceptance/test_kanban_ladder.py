"""The ladder as the document tells it: failures, models, senior, human, specialists (K-08 to K-11, K-16)."""

from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, new_board

DEV = ["glm-4", "glm-4", "sonnet", "sonnet", "opus", "opus"]
SENIOR = ["sonnet", "sonnet", "opus", "opus"]


def climb(moot: Moot, agent: str, efforts: int) -> list[str]:
    """Fail in ever new ways; the models the efforts were given."""
    models = []
    for _ in range(efforts):
        claim = moot("claim", agent)
        models.append(claim["model"])
        tried = {"approach": 9 * chr(ord("a") + len(claim["brief"]["attempts"])), "outcome": "red"}
        moot.report(claim, "failed", summary="Still failing", attempts=[tried])
    return models


@pytest.mark.ledger("K-08", "K-14")
def test_failure_history_is_the_documents(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    reasons = [
        "Test expects 42, got 41",
        "Same issue, tried different approach",
        "Still failing, suspect loop boundary",
    ]
    for number, reason in enumerate(reasons):
        moot.effort("dev-agent", "failed", summary=reason, attempts=[{"approach": "xyz"[number] * 9}])
    item = moot("show", "1")
    assert (item["column"], item["status"], item["failure_count"]) == ("dev", "ready", 3)
    assert [(a["attempt"], a["model"], a["reason"]) for a in item["failure_history"]] == [
        (1, "glm-4", reasons[0]),
        (2, "glm-4", reasons[1]),
        (3, "sonnet", reasons[2]),
    ]
    assert all(a["counted"] and a["agent"] == "dev-agent" and a["run"] for a in item["failure_history"])
    assert [a["reason"] for a in moot("claim", "dev-agent")["brief"]["attempts"]] == reasons


@pytest.mark.ledger("K-08")
def test_the_reason_of_a_failure_is_its_reason_also_beside_attempts(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    tried = [
        {"approach": "rewrote the loop", "outcome": "red"},
        {"approach": "a table of values", "outcome": "still red"},
    ]
    item = moot.effort("dev-agent", "failed", reason="Test expects 42, got 41", attempts=tried)
    told = [(entry["outcome"], entry["reason"]) for entry in item["failure_history"]]
    assert told == [("red", "red"), ("still red", "Test expects 42, got 41")], "how it ended is the last one's"
    assert [one["what"] for one in item["kept"]] == [], "the reason is not only told on"


@pytest.mark.ledger("K-09", "K-10", "K-16", "K-17")
def test_six_failures_then_the_senior_then_the_human(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    for count, model in enumerate(DEV):
        assert moot("show", "1")["failure_count"] == count and moot("show", "1")["column"] == "dev"
        assert climb(moot, "dev-agent", 1) == [model]
    item = moot("show", "1")
    assert (item["column"], item["status"], item["escalation_tier"]) == ("needs-senior-dev", "ready", 1)
    assert (item["comments"][-1]["author"], item["comments"][-1]["content"]) == (
        "folkmoot",
        "Failed 6 attempts across all model tiers",
    )
    assert item["failure_count"] == 6, "an escalation is not forward"
    assert moot.say("claim", "dev-agent").code == 3
    assert climb(moot, "senior-dev-agent", len(SENIOR)) == SENIOR, "it starts higher, by its own failures"
    item = moot("show", "1")
    assert (item["column"], item["status"]) == ("needs-human", "awaiting-divine-guidance")
    assert item["escalation_tier"] == 2 and item["failure_count"] == 10
    assert item["comments"][-1]["content"] == "Failed 4 attempts across all model tiers"
    moves = [e for e in moot("log", "1")["events"] if e["event"] == "escalation_triggered"]
    assert [move["context"]["to"] for move in moves] == ["needs-senior-dev", "needs-human"]
    question = moot("inbox")["questions"][0]
    assert question["task_id"] == "1" and "senior-dev-agent" in question["context"]
    item = moot("answer", question["id"], "The loop must include 42", "--to", "dev")
    assert (item["column"], item["status"], item["failure_count"]) == ("dev", "ready", 0)
    claim = moot("claim", "dev-agent")
    assert claim["model"] == "glm-4" and len(claim["brief"]["attempts"]) == 10
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-10", "R-09")
def test_what_the_senior_solves_goes_on_to_the_stage_after(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    climb(moot, "dev-agent", 6)
    item = moot.effort("senior-dev-agent", "done")
    assert (item["column"], item["failure_count"], item["escalation_tier"]) == ("review", 0, 0)


@pytest.mark.ledger("K-18", "R-05")
def test_going_forward_starts_the_next_agent_at_the_bottom_and_each_climbs_by_its_own(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "tests")
    assert climb(moot, "test-architect", 3) == ["sonnet", "sonnet", "opus"]
    moot.effort("test-architect", "done")
    assert moot("show", "1")["failure_count"] == 0
    assert climb(moot, "dev-agent", 3) == ["glm-4", "glm-4", "sonnet"]
    moot.effort("dev-agent", "stuck", reason="tests")
    assert moot("claim", "test-architect")["model"] == "sonnet", "its own failures are from before the item went on"


@pytest.mark.ledger("K-11", "K-16", "K-17")
@pytest.mark.parametrize(
    ("reason", "column", "agent", "tier"),
    [
        ("concurrency", "needs-concurrency-expert", "concurrency-specialist", 1),
        ("security", "needs-security-review", "security-specialist", 1),
        ("performance", "needs-perf-tuning", "performance-specialist", 1),
        ("architecture", "needs-arch-clarification", "architect-agent", 1),
        ("unknown", "needs-senior-dev", "senior-dev-agent", 1),
    ],
)
def test_the_reason_brings_the_specialist(tmp_path: Path, reason: str, column: str, agent: str, tier: int) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    item = moot.effort("dev-agent", "stuck", reason=reason, summary="it hangs")
    assert (item["column"], item["escalation_reason"], item["escalation_tier"]) == (column, reason, tier)
    claim = moot("claim", agent)
    assert claim["model"] == "sonnet", "a specialist starts higher"
    assert claim["brief"]["instructions"].strip() and "it hangs" in claim["brief"]["task"]["why"]
    assert moot.report(claim, "done")["column"] == "review"


@pytest.mark.ledger("K-17", "R-09")
def test_at_the_end_of_the_ladder_a_known_reason_picks_the_column(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "qa")
    for letter in "abcd":
        moot.effort("qa-agent", "failed", reason="performance", attempts=[{"approach": letter * 9}])
    assert moot("show", "1")["column"] == "needs-perf-tuning"
    assert climb(moot, "performance-specialist", 4) == SENIOR
    assert moot("show", "1")["column"] == "needs-human", "it was there already, so the agent's own way up"


@pytest.mark.ledger("K-11")
def test_a_reason_of_the_users_own(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    flow = tmp_path / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("reasons:\n", "reasons:\n  licence: needs-senior-dev\n"), "utf-8")
    moot("apply")
    moot("add", "Issue 247", "--column", "dev")
    item = moot.effort("dev-agent", "stuck", reason="licence")
    assert (item["column"], item["escalation_reason"]) == ("needs-senior-dev", "licence")


@pytest.mark.ledger("E-02", "R-06")
def test_the_same_approach_again_is_shown_as_not_counted_and_a_person_can_overrule(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247", "--column", "dev")
    counted = []
    for _ in range(5):
        moot.effort("dev-agent", "failed", attempts=[{"approach": "Add a mutex around the counter update"}])
        counted.append(moot("show", "1")["failure_count"])
    assert counted == [1, 1, 2, 2, 3], "a counted repeat ends the effort, so repeats begin again (R-05)"
    attempt = moot("show", "1")["failure_history"][1]
    assert not attempt["counted"] and "same as attempt 1" in attempt["ground"]
    item = moot("edit", "1", "--overrule", "2")
    assert item["failure_count"] == 4 and "overruled by alice" in item["failure_history"][1]["ground"]
