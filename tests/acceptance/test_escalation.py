"""The escalation document's ladder, experts, triggers and signals, step by step through the command line."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, View, new_board

ASKED = "awaiting-divine-guidance"
EXPERTS = ["crypto-expert", "protocol-expert", "database-expert"]
EVERYBODY = ["developer", *EXPERTS]
# Approach, outcome and why it is different, as a developer might write them.
TRIES = [
    ("Encrypt the cookie with the framework's helper", "Older clients reject the signature", "The first idea"),
    ("Rotate the keys on every deployment", "Everybody is logged out", "Leaves the cookie as it is"),
    ("Keep sessions in a table of their own", "Each request waits 80 ms", "No cookie holds anything"),
    ("Compress claims, then sign them", "Still beyond 4 KB", "A smaller payload instead of another place"),
    ("Terminate at the proxy", "It cannot see the user", "Changes the network, not the code"),
    ("Pin the older cipher by a flag", "The audit forbids it", "Works with what clients know"),
    ("Ask browsers for a certificate", "Phones have none", "Nothing is stored at all"),
]
UNSUCCESSFUL = "EXPERT_UNSUCCESSFUL\n\nNone of the three ciphers fits into the header."


def block(number: int, kind: str = "Self-Solve", approach: str | None = None) -> str:
    """The document's form of an attempt."""
    tried, outcome, why = TRIES[number - 1]
    return f"ATTEMPT {number}: {kind}\nApproach: {approach or tried}\nOutcome: {outcome}\nWhy Different: {why}\n"


def blocks(first: int, last: int) -> str:
    return "\n".join(block(number) for number in range(first, last + 1))


def board(folder: Path, *changes: tuple[str, str], items: int = 1) -> Moot:
    """A board with the preset; what the user changed in its flow is taken in by `check`."""
    moot = new_board(folder, "escalation")
    if changes:
        flow = folder / ".moot" / "flow.yaml"
        text = flow.read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        flow.write_text(text, "utf-8")
        moot("apply")
    for _ in range(items):
        moot("add", "Sessions survive a restart")
    return moot


def tracking(moot: Moot, item: str = "1") -> View:
    found: View = moot("show", item)["escalation_tracking"]
    return found


def counts(moot: Moot) -> tuple[int, int, int]:
    told = tracking(moot)
    return told["self_solve_attempts"], told["expert_attempts"], told["total_attempts"]


def nobody_is_dispatched(moot: Moot, item: str = "1") -> None:
    shown = moot("show", item)
    assert (shown["status"], shown["escalation_tier"]) == (ASKED, 2)
    for agent in EVERYBODY:
        assert moot.say("claim", agent).code == 3
    assert moot.say("claim", "developer", "--item", item).error == "not_claimable"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("E-01", "E-03", "E-06", "E-11", "R-08", "R-11")
def test_three_own_then_three_experts_then_a_human_and_no_seventh(tmp_path: Path) -> None:
    moot = board(tmp_path)
    assert moot("show", "1")["column"] == "available"
    for number in (1, 2, 3):
        assert counts(moot) == (number - 1, 0, number - 1)
        moot.speak("developer", block(number))
    for number, expert in enumerate(EXPERTS, start=4):
        assert moot("show", "1")["status"] == "waiting" and moot.say("claim", "developer").code == 3
        claim = moot("claim", expert)
        assert (claim["item"]["kind"], claim["brief"]["task"]["parent"]) == ("expert", "1")
        told = claim["brief"]["task"]["body"]
        assert all(approach in told and outcome in told for approach, outcome, _ in TRIES[:3]), "the whole problem"
        moot.hand_in(claim, UNSUCCESSFUL)
        assert counts(moot) == (3, number - 3, number)
        assert tracking(moot)["experts_tried"] == EXPERTS[: min(number - 2, 3)], "another one each time"
    nobody_is_dispatched(moot)
    question = moot("inbox")["questions"][0]
    assert question["question"].startswith("6 attempts have failed")
    assert all(words in question["context"] for words in (TRIES[0][0], TRIES[2][1], "crypto-expert"))
    asked = [event["context"]["to"] for event in moot.events("1") if event["event"] == "work_delegated"]
    assert asked == [[expert] for expert in EXPERTS]


@pytest.mark.ledger("E-01", "E-03", "R-08")
def test_advice_that_does_not_help_is_that_experts_attempt(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    for number, expert in enumerate(EXPERTS, start=4):
        moot.effort(expert, "done", summary=f"Advice of {expert}", next_steps=["then test it"])
        claim = moot("claim", "developer")
        assert claim["brief"]["advice"] == {
            "expert": expert,
            "advice": f"Advice of {expert}",
            "steps": ["then test it"],
        }
        item = moot.hand_in(claim, block(number, "Expert Delegation"))
        assert item["failure_history"][-1]["kind"] == "expert_delegation"
        assert counts(moot) == (3, number - 3, number)
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-01", "R-11")
def test_without_experts_six_are_the_developers_own(tmp_path: Path) -> None:
    moot = board(tmp_path, (f"    experts: [{', '.join(EXPERTS)}]\n", ""))
    for number in range(1, 7):
        assert moot("show", "1")["status"] == "ready"
        moot.speak("developer", block(number))
        assert counts(moot) == (number, 0, number)
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-01", "R-08")
def test_with_one_expert_only_the_developer_goes_on_up_to_six(tmp_path: Path) -> None:
    moot = board(tmp_path, (f"experts: [{', '.join(EXPERTS)}]", "experts: [crypto-expert]"))
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", UNSUCCESSFUL)
    assert counts(moot) == (3, 1, 4)
    moot.speak("developer", block(5))
    assert moot("show", "1")["status"] == "ready"
    moot.speak("developer", block(6))
    assert counts(moot) == (5, 1, 6)
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-01", "R-06", "R-11")
@pytest.mark.parametrize(("experts", "counted"), [(True, 3), (False, 6)])
def test_one_report_may_tell_of_several_but_never_of_more_than_are_left(
    tmp_path: Path, experts: bool, counted: int
) -> None:
    moot = board(tmp_path, *([] if experts else [(f"experts: [{', '.join(EXPERTS)}]", "experts: []")]))
    item = moot.speak("developer", blocks(1, 7))
    assert [attempt["counted"] for attempt in item["failure_history"]] == [n < counted for n in range(7)]
    assert "past the limit" in item["failure_history"][-1]["ground"], "kept and shown, not counted"
    assert counts(moot) == (counted, 0, counted)
    assert item["status"] == ("waiting" if experts else ASKED)


@pytest.mark.ledger("E-02", "R-06")
def test_the_same_approach_again_does_not_count_and_is_bounded(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", block(1))
    item = moot.speak("developer", block(1, approach="encrypt the cookie, with the frameworks helper"))
    assert counts(moot) == (1, 0, 1), "a typo was fixed; nothing new was tried"
    assert item["failure_history"][1]["ground"].startswith("same as attempt 1")
    assert moot.events("1")[-1]["event"] == "attempt_repeated"
    moot.speak("developer", block(1))
    assert counts(moot) == (2, 0, 2), "each repeat from the second on counts, so it cannot go on for ever"
    moot.speak("developer", block(2))
    assert counts(moot) == (3, 0, 3)


@pytest.mark.ledger("E-03", "R-08")
def test_no_expert_is_asked_twice_for_the_same_problem(tmp_path: Path) -> None:
    moot = board(tmp_path)
    delegation = {"outcome": "delegates", "delegate": [{"to": "protocol-expert", "task": "Which handshake?"}]}
    item = moot.speak("developer", delegation)
    assert (item["status"], item["children"]) == ("waiting", ["2"]), "earlier, by saying so"
    moot.speak("protocol-expert", UNSUCCESSFUL)
    item = moot.speak("developer", delegation, "--final")
    assert (item["status"], item["told"]) == (
        "ready",
        "protocol-expert was asked already: the same expert is not asked twice for the same problem",
    )
    moot.speak("developer", blocks(1, 3))
    for expert in ("crypto-expert", "database-expert"):
        moot.speak(expert, UNSUCCESSFUL)
    assert tracking(moot)["experts_tried"] == ["protocol-expert", "crypto-expert", "database-expert"]
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-04", "R-08")
def test_an_expert_tries_three_times_and_then_it_is_unsuccessful(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    for number in (4, 5):
        child = moot.speak("crypto-expert", block(number))
        assert (child["status"], counts(moot)) == ("ready", (3, 0, 3)), "its tries are its own"
    child = moot.speak("crypto-expert", block(6))
    assert (child["status"], len(child["failure_history"])) == ("failed", 3)
    assert counts(moot) == (3, 1, 4)
    assert tracking(moot)["last_attempt_outcome"] == "EXPERT_UNSUCCESSFUL"
    assert moot("claim", "protocol-expert")["item"]["kind"] == "expert"


FORBIDDEN: dict[str, str | dict[str, Any]] = {
    "delegate": {"outcome": "delegates", "delegate": [{"to": "database-expert", "task": "You do it"}]},
    "send sub-agents": {"outcome": "delegates", "delegate": [{"task": "Look around"}]},
    "ask a human": "SEEKING_DIVINE_CLARIFICATION\n\nQuestion: What now?\n",
    "split": {"outcome": "split", "tasks": [{"title": "More work"}]},
}


@pytest.mark.ledger("E-04", "R-08")
@pytest.mark.parametrize("said", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_what_an_expert_cannot_do(tmp_path: Path, said: str | dict[str, Any]) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    child = moot.speak("crypto-expert", said, "--final")
    assert child["told"].startswith("an item of kind expert cannot")
    for _ in range(5):
        # It is told what was wrong; the next time it is one of its three tries.
        assert child["status"] == "ready"
        child = moot.speak("crypto-expert", said, "--final")
    assert (child["status"], child["failure_count"]) == ("failed", 3)
    assert moot.say("inbox").code == 3, "no human was asked"
    assert [item["agent"] for item in moot("list")["items"]] == [None, "crypto-expert", "protocol-expert"]
    assert counts(moot) == (3, 1, 4)
    assert moot("doctor")["ok"]


@pytest.mark.ledger("E-04", "R-08")
def test_an_expert_cannot_ask_for_more_files(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    claim = moot("claim", "crypto-expert")
    assert claim["brief"]["constraints"]["write"] == "none"
    said = moot.say("widen", claim["run"], "src/session.py", "--token", str(claim["token"]))
    assert (said.code, said.error) == (1, "may_not_widen")


@pytest.mark.ledger("E-05", "E-01")
def test_trigger_three_unsuccessful_experts_ask_at_once(tmp_path: Path) -> None:
    moot = board(tmp_path)
    for expert in EXPERTS:
        moot.effort("developer", "delegates", delegate=[{"to": expert, "task": "Help"}])
        moot.speak(expert, UNSUCCESSFUL)
    assert counts(moot) == (0, 3, 3), "its own attempts are not used up"
    assert moot("inbox")["questions"][0]["question"].startswith("3 experts could not help")
    nobody_is_dispatched(moot)


CIRCLE = {"tasks": [{"key": "a", "title": "Keys", "after": ["b"]}, {"key": "b", "title": "Store", "after": ["a"]}]}
TRIGGERS: dict[str, tuple[dict[str, Any], str]] = {
    "circular dependency": ({"outcome": "split", **CIRCLE}, "a → b → a"),
    "security concern, failed": ({"outcome": "failed", "reason": "security", "summary": "A key leaks"}, "A key leaks"),
    "security concern, stuck": ({"outcome": "stuck", "reason": "security", "summary": "A key leaks"}, "A key leaks"),
    "security concern, done": ({"outcome": "done", "reason": "security", "summary": "A key leaks"}, "A key leaks"),
    "critical security finding": (
        {"outcome": "done", "findings": [{"kind": "security", "severity": "critical", "issue": "Any key is taken"}]},
        "Any key is taken",
    ),
    "ambiguous acceptance criteria": (
        {"outcome": "failed", "cause": "requirement", "summary": "'Soon' may be a minute or a day"},
        "'Soon' may be a minute or a day",
    ),
}


@pytest.mark.ledger("E-05", "R-10", "R-32")
@pytest.mark.parametrize(("said", "words"), TRIGGERS.values(), ids=TRIGGERS.keys())
def test_a_trigger_asks_at_once_without_another_attempt(tmp_path: Path, said: dict[str, Any], words: str) -> None:
    moot = board(tmp_path, ("may: [ask, delegate]", "may: [ask, delegate, split]"))
    moot.speak("developer", said)
    (question,) = moot("inbox")["questions"]
    assert words in question["question"] and question["default"] is None
    assert counts(moot) == (0, 0, 0)
    assert [item["id"] for item in moot("list")["items"]] == ["1"], "nothing was made"
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-05", "R-03", "R-32")
def test_a_circle_that_a_person_would_make_is_refused(tmp_path: Path) -> None:
    moot = board(tmp_path, items=2)
    moot("edit", "1", "--after", "2")
    said = moot.say("edit", "2", "--after", "1")
    assert (said.code, said.error) == (1, "circle")
    assert moot("show", "2")["after"] == []


@pytest.mark.ledger("E-06")
def test_the_attempt_block_is_stored_with_all_its_parts(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"I am at the end of it.\n\n```markdown\n{blocks(1, 2)}```\n")
    assert [
        (a["attempt"], a["kind"], a["approach"], a["outcome"], a["why_different"], a["reason"])
        for a in item["failure_history"]
    ] == [(n, "self_solve", *TRIES[n - 1], TRIES[n - 1][1]) for n in (1, 2)]
    assert [run["outcome"] for run in item["runs"]] == ["failed"], "blocks without any signal are a failure"
    assert [a["approach"] for a in moot("claim", "developer")["brief"]["attempts"]] == [TRIES[0][0], TRIES[1][0]]


SIGNAL = f"""I have tried what I know.

{block(1)}
SEEKING_DIVINE_CLARIFICATION

Task: task-1-1
Agent: developer

Question: Which key may leave the machine?

Context:
The billing service must read sessions.
It runs elsewhere.

Options Considered:
1. Share the signing key: any service could forge sessions
2. A key for each service: old clients know only one

Attempts Made:
- Self-solve: 1 attempts
- Expert delegation: 0 attempts (if applicable)

What Would Help:
The name of the key that may be shared
"""


@pytest.mark.ledger("E-07", "E-06")
def test_the_signal_becomes_a_question_with_all_its_parts(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", SIGNAL)
    (question,) = moot("inbox")["questions"]
    assert {name: question[name] for name in ("task_id", "agent_id", "kind", "question", "context", "help")} == {
        "task_id": "1",
        "agent_id": "developer",
        "kind": "clarification",
        "question": "Which key may leave the machine?",
        "context": "The billing service must read sessions.\nIt runs elsewhere.\n\nAttempts Made:\n"
        "- Self-solve: 1 attempts\n- Expert delegation: 0 attempts (if applicable)\nI have tried what I know.",
        "help": "The name of the key that may be shared",
    }
    assert [(option["option"], option["why_insufficient"]) for option in question["options"]] == [
        ("Share the signing key", "any service could forge sessions"),
        ("A key for each service", "old clients know only one"),
    ]
    assert question["requested_at"].endswith("Z")
    extra = item["runs"][0]["report"]["extra"]
    assert (extra["Task"], extra["Agent"]) == ("task-1-1", "developer")
    assert extra["Attempts Made"] == {"Self-solve": 1, "Expert delegation": 0}
    assert counts(moot) == (1, 0, 1), "the attempt it tells of is counted"
    nobody_is_dispatched(moot)
    assert moot("answer", "q1", "2")["guidance"][-1]["answer"] == "A key for each service"


@pytest.mark.ledger("E-07")
def test_expert_unsuccessful_is_kept_with_its_words(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    child = moot.speak("crypto-expert", f"I looked at it.\n\n{UNSUCCESSFUL}\n")
    assert (child["status"], child["runs"][0]["outcome"]) == ("failed", "failed")
    assert "None of the three ciphers" in child["why"]
    (output,) = moot("show", "1")["outputs"]
    assert (output["agent"], output["outcome"]) == ("crypto-expert", "failed")
    attempt = moot("show", "1")["failure_history"][-1]
    assert (attempt["agent"], attempt["kind"], attempt["outcome"]) == (
        "crypto-expert",
        "expert_delegation",
        "EXPERT_UNSUCCESSFUL",
    )
    assert "None of the three ciphers" in attempt["reason"]


@pytest.mark.ledger("E-07", "E-12")
def test_task_incomplete_goes_on_in_a_fresh_run_and_three_in_a_row_ask(tmp_path: Path) -> None:
    moot = board(tmp_path)
    for count in (1, 2):
        item = moot.speak("developer", "TASK_INCOMPLETE\n\nThe schema is done, the migration is not.\n")
        assert (item["status"], item["incomplete_count"], item["failure_count"]) == ("ready", count, 0)
    item = moot.speak("developer", "TASK_INCOMPLETE: the migration is still not done")
    assert (item["status"], item["incomplete_count"]) == (ASKED, 3)
    assert "the migration is still not done" in item["questions"][0]["question"]
    assert moot("answer", "q1", "1", "Leave it out")["incomplete_count"] == 0
