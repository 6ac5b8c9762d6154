"""The escalation document's procedure for asking a person, step by step through the command line (E-08 to E-15)."""

import json
import os
from pathlib import Path

import pytest

from tests import forked
from tests.acceptance.moot import SOURCE, Moot, View, new_board

ASKED = "awaiting-divine-guidance"
QUESTION = "Which key may leave the machine?"
SIGNAL = f"""SEEKING_DIVINE_CLARIFICATION

Task: 1
Agent: developer

Question: {QUESTION}

Context:
The billing service must read sessions.

Options Considered:
1. Share the signing key: any service could forge sessions
2. A key for each service: old clients know only one

Attempts Made:
- Self-solve: 2 attempts

What Would Help:
The name of the key
"""


def board(folder: Path, items: int = 1) -> Moot:
    moot = new_board(folder, "escalation")
    for number in range(items):
        moot("add", f"Sessions survive a restart, part {number + 1}")
    return moot


def signal(question: str) -> str:
    return f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: {question}\n"


def fail(moot: Moot, item: str, letter: str) -> View:
    words = f"ATTEMPT 1: Self-Solve\nApproach: {9 * letter}\nOutcome: {letter} is red\nWhy Different: new\n"
    return moot.hand_in(moot("claim", "developer", "--item", item), words)


def in_words(moot: Moot, *words: str, stdin: str = "") -> str:
    """What a person at a terminal sees: the lines, without the space around them."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MOOT_BOARD": str(moot.folder), "NO_COLOR": "1"}
    ended = forked.run(words, input=stdin.encode(), env=environment, cwd=moot.folder)
    assert ended.returncode == 0, ended.stderr
    return "\n".join(line.strip() for line in ended.stdout.decode().splitlines())


@pytest.mark.ledger("E-08", "E-09", "E-13")
def test_the_ten_steps_with_their_events_in_their_order(tmp_path: Path) -> None:
    moot = board(tmp_path, items=2)
    claim = moot("claim", "developer", "--item", "1")
    moot.hand_in(claim, SIGNAL)
    # 1 to 3: the signal is heard, logged, and the question is pending.
    event = moot.events("1")[-1]
    assert (event["event"], event["agent"], event["item"]) == ("agent_seeks_guidance", "developer", "1")
    assert event["context"]["text"] == QUESTION
    # 4: the person is asked, with context, question and options.
    (asked,) = moot("inbox")["questions"]
    assert (asked["agent_id"], asked["task_id"], asked["question"]) == ("developer", "1", QUESTION)
    assert asked["context"] == "The billing service must read sessions.\n\nAttempts Made:\n- Self-solve: 2 attempts"
    assert [option["option"] for option in asked["options"]] == ["Share the signing key", "A key for each service"]
    # 5 to 9: the answer is received, delivered and cleaned up.
    item = moot("answer", asked["id"], "A third key, for billing only")
    assert moot.say("inbox").code == 3
    claim = moot("claim", "developer", "--item", "1")
    (guidance,) = claim["brief"]["guidance"]
    told = {name: guidance[name] for name in ("question", "answer", "by")}
    assert told == {"question": QUESTION, "answer": "A third key, for billing only", "by": "alice"}
    assert guidance["options"][1] == "A key for each service: old clients know only one"
    assert "The billing service must read sessions." in guidance["context"]
    assert [event["event"] for event in moot.events("1")] == [
        "item_added",
        "agent_started",
        "agent_completed",
        "agent_seeks_guidance",
        "divine_response_received",
        "divine_clarification_received",
        "escalation_counters_reset",
        "agent_resumes_with_guidance",
        "agent_started",
    ]
    assert item["column"] == "implementing"
    # 10: other work goes on.
    assert moot("claim", "developer")["item"]["id"] == "2"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("E-09")
def test_the_response_block_reaches_the_agent_that_resumes(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    moot("answer", "q1", "A third key, for billing only")
    prompt = in_words(moot, "claim", "developer", "--prompt")
    block = f"""DIVINE RESPONSE

Task: 1
Agent: developer

Question: {QUESTION}
Guidance: A third key, for billing only

Resume work incorporating this guidance."""
    assert block in prompt
    run = moot("show", "1")["runs"][-1]
    moot.report(run, "failed", attempts=[{"approach": "Three keys"}])
    brief = moot("claim", "developer")["brief"]
    assert [said["answer"] for said in brief["guidance"]] == ["A third key, for billing only"], "it is not forgotten"


@pytest.mark.ledger("E-08", "R-17")
def test_where_all_work_pauses_the_last_step_is_that_dispatching_goes_on(tmp_path: Path) -> None:
    moot = board(tmp_path, items=3)
    flow = tmp_path / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("pause_all: false", "pause_all: true"), "utf-8")
    moot("apply")
    first, second = (moot("claim", "developer", "--item", item) for item in ("1", "2"))
    moot.hand_in(first, signal("One?"))
    moot.hand_in(second, signal("Two?"))
    for question in ("q1", "q2"):
        said = moot.say("claim", "developer")
        assert (said.code, said.error) == (3, "paused")
        moot("answer", question, "Yes")
    taken = [moot("claim", "developer")["item"]["id"] for _ in range(3)]
    assert sorted(taken) == ["1", "2", "3"], "not only the resumed ones"


@pytest.mark.ledger("E-10", "E-13")
def test_pending_questions_survive_a_restart_in_the_order_received_each_on_its_own(tmp_path: Path) -> None:
    moot = board(tmp_path, items=3)
    for item in ("2", "3", "1"):
        moot.hand_in(moot("claim", "developer", "--item", item), signal(f"What about {item}?"))
    # Each is a process of its own that knows nothing of the one before.
    pending = moot.process("inbox").json["questions"]
    assert [(q["task_id"], q["question"]) for q in pending] == [(item, f"What about {item}?") for item in "231"]
    moot.process("answer", pending[1]["id"], "So be it")
    claim = moot.process("claim", "developer").json
    assert claim["item"]["id"] == "3", "only the answered one goes on"
    assert [said["answer"] for said in claim["brief"]["guidance"]] == ["So be it"]
    assert [q["task_id"] for q in moot.process("inbox").json["questions"]] == ["2", "1"], "asked again, in order"
    assert moot.say("claim", "developer").code == 3


@pytest.mark.ledger("E-11", "E-03")
def test_escalation_tracking_is_the_documents(tmp_path: Path) -> None:
    moot = board(tmp_path)
    for letter in "ab":
        fail(moot, "1", letter)
    moot.effort("developer", "delegates", delegate=[{"to": "crypto-expert", "task": "Which cipher?"}])
    moot.speak("crypto-expert", "EXPERT_UNSUCCESSFUL")
    item = moot.effort("developer", "delegates", delegate=[{"to": "protocol-expert", "task": "Which header?"}])
    assert item["escalation_tracking"] == {
        "self_solve_attempts": 2,
        "expert_attempts": 1,
        "total_attempts": 3,
        "experts_tried": ["crypto-expert", "protocol-expert"],
        "last_attempt_type": "expert_delegation",
        "last_attempt_outcome": "EXPERT_UNSUCCESSFUL",
        "divine_clarifications_received": 0,
    }


@pytest.mark.ledger("E-16", "E-11", "E-10")
def test_the_state_can_be_read_as_json_in_the_documents_shape(tmp_path: Path) -> None:
    moot = board(tmp_path, items=2)
    assert moot("inbox", "--document") == {"escalation_tracking": {}, "pending_divine_questions": []}
    for letter in "abc":
        item = fail(moot, "2", letter)
    moot.speak("developer", SIGNAL)
    state = moot.process("inbox", "--document").json
    assert state["escalation_tracking"] == {"2": item["escalation_tracking"]}
    assert list(item["escalation_tracking"])[:6] == [
        "self_solve_attempts",
        "expert_attempts",
        "total_attempts",
        "experts_tried",
        "last_attempt_type",
        "last_attempt_outcome",
    ]
    (pending,) = state["pending_divine_questions"]
    assert pending.pop("requested_at").endswith("Z")
    assert pending == {
        "id": "q1",
        "task_id": "1",
        "agent_id": "developer",
        "question": QUESTION,
        "context": "The billing service must read sessions.\n\nAttempts Made:\n- Self-solve: 2 attempts",
        "options": ["Share the signing key", "A key for each service"],
    }
    moot("answer", "q1", "2")
    assert moot("inbox", "--document")["pending_divine_questions"] == []


@pytest.mark.ledger("E-12", "E-11", "R-18")
def test_guidance_resets_the_counters_of_that_item_and_no_other(tmp_path: Path) -> None:
    moot = board(tmp_path, items=2)
    for number in ("1", "2"):
        for letter in "abc":
            fail(moot, number, letter)
        moot.speak("crypto-expert", "EXPERT_UNSUCCESSFUL")
        moot.speak("protocol-expert", "EXPERT_UNSUCCESSFUL")
        if number == "1":
            moot.speak("database-expert", "EXPERT_UNSUCCESSFUL")
    other = moot("show", "2")
    assert other["escalation_tracking"]["total_attempts"] == 5
    item = moot("answer", "q1", "1", "Do without the cookie")
    assert item["escalation_tracking"] == {
        "self_solve_attempts": 0,
        "expert_attempts": 0,
        "total_attempts": 0,
        "experts_tried": ["crypto-expert", "protocol-expert", "database-expert"],
        "last_attempt_type": None,
        "last_attempt_outcome": "divine_guidance_received",
        "divine_clarifications_received": 1,
    }
    assert (item["failure_count"], item["incomplete_count"], len(item["failure_history"])) == (0, 0, 6)
    assert moot("show", "2") == other, "nothing of the other item has changed"
    resets = [event for event in moot.events() if event["event"] == "escalation_counters_reset"]
    assert [(e["item"], e["context"]["reason"]) for e in resets] == [("1", "divine_clarification_received")]


@pytest.mark.ledger("E-12", "E-01", "R-18")
def test_after_guidance_the_next_failure_does_not_ask_again_and_experts_may_be_asked_again(tmp_path: Path) -> None:
    moot = board(tmp_path)
    for letter in "abc":
        fail(moot, "1", letter)
    for expert in ("crypto-expert", "protocol-expert", "database-expert"):
        moot.speak(expert, "EXPERT_UNSUCCESSFUL")
    moot("answer", "q1", "Try again, the first one with the new library")
    item = fail(moot, "1", "a")
    assert (item["status"], item["escalation_tracking"]["total_attempts"]) == ("ready", 1), "new with the guidance"
    for letter in "bc":
        item = fail(moot, "1", letter)
    assert item["status"] == "waiting"
    assert moot("claim", "crypto-expert")["brief"]["task"]["parent"] == "1"


@pytest.mark.ledger("E-13", "E-08")
def test_awaiting_items_are_not_dispatched_and_are_implementing_again_after_the_answer(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", SIGNAL)
    assert (item["status"], item["column"]) == (ASKED, "implementing")
    for words in ([], ["--item", "1"], ["--column", "implementing"]):
        assert moot.say("claim", "developer", *words).error in ("nothing_ready", "not_claimable")
    item = moot("answer", "q1", "1")
    assert (item["status"], item["column"], item["watcher"]) == ("ready", "implementing", "developer")
    claim = moot("claim", "developer")
    assert (claim["item"]["status"], claim["item"]["column"]) == ("running", "implementing")


@pytest.mark.ledger("E-15")
def test_the_two_formats_are_what_the_user_sees(tmp_path: Path) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = in_words(moot, "report", claim["run"], "-", "--token", str(claim["token"]), stdin=SIGNAL)
    requested = f"""DIVINE CLARIFICATION REQUESTED

Agent: developer
Task: 1
Question: {QUESTION}

Awaiting human guidance..."""
    assert requested in said
    said = in_words(moot, "answer", "q1", "A third key")
    delivered = """DIVINE GUIDANCE DELIVERED

Agent: developer
Task: 1
Guidance: A third key

Agent resuming work with guidance."""
    assert delivered in said


@pytest.mark.ledger("E-15", "E-10")
def test_the_question_is_put_with_context_question_and_options(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    said = in_words(moot, "inbox")
    for words in (
        "developer asks",
        QUESTION,
        "The billing service must read sessions.",
        "1. Share the signing key",
        "any service could forge sessions",
        "2. A key for each service",
        "The name of the key",
    ):
        assert words in said


RESPONSE = """DIVINE RESPONSE

Task: {task}
Agent: developer

Question: {question}
Guidance: {guidance}

Resume work incorporating this guidance.
"""


@pytest.mark.ledger("E-09", "R-16")
@pytest.mark.parametrize(
    ("guidance", "answer"),
    [("2", "A key for each service"), ("A third key,\nfor billing only", "A third key,\nfor billing only")],
)
def test_an_answer_in_the_documents_block_is_its_guidance(tmp_path: Path, guidance: str, answer: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    item = moot("answer", "q1", RESPONSE.format(task="1", question=QUESTION, guidance=guidance))
    assert item["guidance"][-1]["answer"] == answer


@pytest.mark.ledger("E-09", "R-16")
def test_a_block_without_guidance_answers_nothing(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    said = moot.say("answer", "q1", RESPONSE.format(task="1", question=QUESTION, guidance=""))
    assert said.error == "empty_answer"
    assert moot("show", "1")["status"] == ASKED


@pytest.mark.ledger("E-09", "R-16")
def test_a_block_for_another_task_does_not_answer_this_one(tmp_path: Path) -> None:
    moot = board(tmp_path, items=2)
    moot.speak("developer", SIGNAL)
    said = moot.say("answer", "q1", RESPONSE.format(task="2", question=QUESTION, guidance="2"))
    assert said.error == "two_answers" and "q1 is of item 1" in said.err
    assert moot("show", "1")["status"] == ASKED
    moot("answer", "q1", RESPONSE.format(task="task-1-1", question=QUESTION, guidance="2"))


@pytest.mark.ledger("E-09", "R-16")
@pytest.mark.parametrize(
    "block",
    [
        "Divine Response\n\nTask: {task}\nGuidance: 2",
        "divine response:\ntask: #{task}\nguidance: 2",
        "**DIVINE RESPONSE**\n\n**Task:** {task}\n**Guidance**: 2",
        "## DIVINE RESPONSE\n\n- Task: {task}\n- Guidance: 2\n\nResume work incorporating this guidance.",
    ],
)
def test_capitals_and_marks_make_no_other_block_of_it(tmp_path: Path, block: str) -> None:
    moot = board(tmp_path, items=2)
    moot.speak("developer", SIGNAL)
    assert moot.say("answer", "q1", block.format(task="2")).error == "two_answers"
    item = moot("answer", "q1", block.format(task="1"))
    assert item["guidance"][-1]["answer"] == "A key for each service"


@pytest.mark.ledger("E-09", "R-16")
def test_a_response_that_nobody_filled_in_is_no_answer(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    block = RESPONSE.format(task="1", question=QUESTION, guidance="[human response]")
    assert moot.say("answer", "q1", block).error == "empty_answer"
    assert moot("show", "1")["status"] == ASKED


@pytest.mark.ledger("R-16", "E-07")
@pytest.mark.parametrize("said", ["stop", "Cancel it.", "abort", "park it", "wait", "Later", "not now"])
def test_an_order_to_the_board_is_not_sent_on_to_the_agent(tmp_path: Path, said: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", SIGNAL)
    refused = moot.say("answer", "q1", said)
    assert refused.error == "choose_option" and "moot cancel 1" in refused.err and "--text" in refused.err
    assert moot("show", "1")["status"] == ASKED
    assert moot("answer", "q1", "--text", said)["guidance"][-1]["answer"] == said


@pytest.mark.ledger("R-16", "E-07")
def test_a_word_that_the_question_asks_for_is_its_answer(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", signal("When the key is lost, should the server stop or go on?"))
    assert moot("answer", "q1", "stop")["guidance"][-1]["answer"] == "stop"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("question", ["none", "n/a"])
def test_a_signal_whose_question_is_none_is_asked_back(tmp_path: Path, question: str) -> None:
    moot = board(tmp_path)
    assert "it has no Question" in moot.try_in(moot("claim", "developer"), signal(question)).err


@pytest.mark.ledger("R-16")
def test_a_move_says_which_question_it_withdraws_and_a_late_number_keeps_its_meaning(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.hand_in(moot("claim", "developer"), SIGNAL)
    assert 'q1 is withdrawn; what its agent should know of it: moot say 1 "…"' in in_words(
        moot, "move", "1", "implementing"
    )
    item = moot("answer", "q1", "2")
    assert item["comments"][-1]["content"] == f"A late answer to q1 ({QUESTION}): A key for each service"
    assert "A late answer to q1" in in_words(moot, "show", "1"), "its words stand in the story, as any comment does"
    assert "withdrawn" not in in_words(moot, "move", "1", "implementing"), "there was none any more"


@pytest.mark.ledger("R-16")
def test_a_second_answer_is_refused_and_told_how_to_correct_the_first(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.hand_in(moot("claim", "developer"), SIGNAL)
    moot("answer", "q1", "1")
    refused = moot.say("answer", "q1", "2")
    assert (refused.code, refused.error) == (1, "already_answered")
    assert 'tell its agent: moot say 1 "…"' in json.loads(refused.err)["error"]["hint"]
    moot("say", "1", "a key for each service")
    assert "a key for each service" in str(moot("claim", "developer")["brief"])
