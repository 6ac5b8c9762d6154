"""What a developer and its experts tell of their attempts, in the escalation document's forms, keeps its meaning."""

from pathlib import Path

import pytest

from tests.acceptance.moot import new_board
from tests.acceptance.test_escalation import (
    ASKED,
    EXPERTS,
    TRIES,
    UNSUCCESSFUL,
    block,
    blocks,
    board,
    counts,
    nobody_is_dispatched,
    tracking,
)


def told(number: int, outcome: str | None = None, why: str | None = None, kind: str = "Self-Solve") -> str:
    """The document's block, with another outcome or reason."""
    approach, red, differs = TRIES[number - 1]
    parts = [f"ATTEMPT {number}: {kind}", f"Approach: {approach}", f"Outcome: {red if outcome is None else outcome}"]
    return "\n".join([*parts, f"Why Different: {differs if why is None else why}", ""])


@pytest.mark.ledger("E-02", "E-06")
def test_an_attempt_that_succeeded_is_asked_back_and_never_counted_as_failed(tmp_path: Path) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = moot.try_in(claim, f"{told(1)}\n{told(2, outcome='Success')}")
    assert (said.code, said.error) == (2, "report_refused")
    assert "succeeded ('Success')" in said.err and "report done" in said.err
    moot.hand_in(claim, '{"outcome": "done", "summary": "the keys rotate"}')
    shown = moot("show", "1")
    assert shown["status"] == "done"
    assert [(one["outcome"], one["counted"]) for one in shown["failure_history"]] == [
        ("Older clients reject the signature", False),
        ("Success", False),
    ]


@pytest.mark.ledger("E-02", "E-06")
def test_a_success_before_a_failure_does_not_count(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", f"{told(1, outcome='Success')}\n{told(2)}")
    assert counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-02", "R-06")
@pytest.mark.parametrize(
    "why", ["same approach", "Retrying the same approach", "fixing typos", "none", "not different"]
)
def test_a_why_different_that_denies_it_is_no_distinct_attempt(tmp_path: Path, why: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", told(1))
    item = moot.speak("developer", told(2, why=why))
    assert counts(moot) == (1, 0, 1)
    assert item["failure_history"][-1]["ground"].startswith("same as attempt 1")


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "trigger",
    [
        "6 total failed attempts",
        "3 EXPERT_UNSUCCESSFUL",
        "Circular dependency detected",
        "Security concern",
        "Ambiguous acceptance criteria",
    ],
)
@pytest.mark.parametrize("cause", ["conflict", "capability", "size"])
def test_each_trigger_of_the_documents_list_asks_at_once_beside_any_cause(
    tmp_path: Path, trigger: str, cause: str
) -> None:
    moot = board(tmp_path)
    moot.speak("developer", {"outcome": "failed", "cause": cause, "summary": f"{trigger}: a needs b, b needs a"})
    assert counts(moot) == (0, 0, 0)
    assert "a needs b" in moot("inbox")["questions"][0]["question"]
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-05", "R-16")
def test_the_expert_whom_a_mandatory_escalation_names_is_offered(tmp_path: Path) -> None:
    moot = board(tmp_path)
    delegate = [{"to": "protocol-expert", "task": "Which handshake?"}]
    moot.speak("developer", {"outcome": "delegates", "reason": "Security concern", "delegate": delegate})
    nobody_is_dispatched(moot)
    (question,) = moot("inbox")["questions"]
    assert "protocol-expert: Which handshake?" in question["context"]
    number = [option["option"] for option in question["options"]].index("ask protocol-expert for advice") + 1
    item = moot("answer", "q1", str(number))
    assert (item["status"], tracking(moot)["experts_tried"]) == ("waiting", ["protocol-expert"])
    assert "Which handshake?" in moot("claim", "protocol-expert")["brief"]["task"]["body"]


@pytest.mark.ledger("E-06", "R-06")
def test_six_told_at_once_are_all_kept_and_all_told_to_the_expert(tmp_path: Path) -> None:
    moot = board(tmp_path)
    six = "\n".join([*(block(n) for n in (1, 2, 3)), *(block(n, "Expert Delegation") for n in (4, 5, 6))])
    item = moot.speak("developer", six)
    history = item["failure_history"]
    assert [one["counted"] for one in history] == [True] * 3 + [False] * 3
    assert all("3 attempts of its own, while experts are left" in one["ground"] for one in history[3:])
    assert all("labelled Expert Delegation" in one["ground"] for one in history[3:]), "not changed without a word"
    claim = moot("claim", "crypto-expert")
    assert all(approach in claim["brief"]["task"]["body"] for approach, _, _ in TRIES[:6])


@pytest.mark.ledger("E-01", "R-08", "R-11")
@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_six_with_any_number_of_experts(tmp_path: Path, known: int) -> None:
    moot = board(tmp_path, (f"experts: [{', '.join(EXPERTS)}]", f"experts: [{', '.join(EXPERTS[:known])}]"))
    moot.speak("developer", blocks(1, 3))
    for expert in EXPERTS[:known]:
        moot.speak(expert, UNSUCCESSFUL)
    for number in range(4 + known, 7):
        assert moot("show", "1")["status"] == "ready"
        moot.speak("developer", block(number))
    assert counts(moot) == (6 - known, known, 6)
    nobody_is_dispatched(moot)


@pytest.mark.ledger("E-06", "R-08")
def test_an_experts_own_attempts_are_in_the_next_briefs(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", block(4))
    moot.speak("crypto-expert", f"{block(5)}\n{UNSUCCESSFUL}")
    brief = moot("claim", "protocol-expert")["brief"]
    (output,) = brief["outputs"]
    assert [one["approach"] for one in output["attempts"]] == [TRIES[3][0], TRIES[4][0]], "of both of its runs"


@pytest.mark.ledger("E-06", "R-08")
def test_what_an_expert_tried_before_its_advice_is_told_with_it(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.speak("crypto-expert", block(4))
    moot.effort("crypto-expert", "done", summary="Use the other cipher")
    claim = moot("claim", "developer")
    assert [one["approach"] for one in claim["brief"]["advice"]["tried"]] == [TRIES[3][0]]


@pytest.mark.ledger("E-03", "R-08")
@pytest.mark.parametrize("count", [3, 400])
@pytest.mark.parametrize(
    "text",
    [
        "TASK_COMPLETE\n\nDerive the nonce from a counter.\n\n{steps}\n",
        "Derive the nonce from a counter.\n\n" + block(4) + "\n{steps}\n\nTASK_COMPLETE\n",
        'Derive the nonce from a counter.\n\n{steps}\n\n{{"outcome": "done", "summary": "Advice above"}}\n',
    ],
)
def test_advice_in_plain_words_is_the_advice_to_follow_as_a_whole(tmp_path: Path, text: str, count: int) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    steps = "\n".join(f"{n}. Set field {n} to the value of table {n * 7}, then look at the log." for n in range(count))
    moot.speak("crypto-expert", text.format(steps=steps))
    advice = moot("claim", "developer")["brief"]["advice"]["advice"]
    assert "Derive the nonce from a counter." in advice and all(line in advice for line in steps.splitlines())


@pytest.mark.ledger("R-07")
def test_a_claim_during_a_pause_says_until_when(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.effort("developer", "failed", cause="transient", summary="The network was gone")
    said = moot.say("claim", "developer", "--item", "1")
    assert said.error == "not_claimable"
    assert "tried again after a pause: in " in said.err and " UTC" in said.err
    assert moot("show", "1")["status"] == "ready"


@pytest.mark.ledger("E-05", "E-06")
def test_attempts_beside_a_security_concern_are_kept(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak(
        "developer",
        {
            "outcome": "failed",
            "reason": "security",
            "summary": "A key leaks",
            "attempts": [{"approach": TRIES[0][0], "outcome": TRIES[0][1]}],
        },
    )
    assert [one["approach"] for one in item["failure_history"]] == [TRIES[0][0]]
    assert (item["status"], counts(moot)) == (ASKED, (1, 0, 1))


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize(
    "outcome", ["Security concern ruled out; the test is still red", "No security issue, still red"]
)
def test_a_trigger_that_was_ruled_out_stops_nothing(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", told(1, outcome=outcome))
    assert (item["status"], counts(moot)) == ("ready", (1, 0, 1))


@pytest.mark.ledger("E-06", "R-32")
def test_task_complete_behind_failed_attempts_is_done_and_they_are_history(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", f"{blocks(1, 2)}\nTASK_COMPLETE")
    assert item["status"] == "done"
    assert [(one["approach"], one["counted"]) for one in item["failure_history"]] == [
        (TRIES[0][0], False),
        (TRIES[1][0], False),
    ]


@pytest.mark.ledger("E-06", "R-32")
def test_a_success_in_words_behind_failed_attempts_is_asked_back(tmp_path: Path) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = moot.try_in(claim, f"{blocks(1, 2)}\nThe third approach worked. All tests pass now.")
    assert said.error == "report_refused" and "which holds" in said.err
    assert moot.hand_in(claim, "TASK_COMPLETE")["status"] == "done"
    assert len(moot("show", "1")["failure_history"]) == 2, "told in the refused report, and kept"


@pytest.mark.ledger("E-03", "R-08")
def test_a_developer_whom_nobody_asked_is_asked_back_for_expert_unsuccessful(tmp_path: Path) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = moot.try_in(claim, UNSUCCESSFUL)
    assert said.error == "report_refused" and "was asked by nobody" in said.err
    moot.hand_in(claim, block(1))
    assert counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-03", "R-08")
def test_after_advice_the_same_word_is_that_experts_attempt(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    moot.effort("crypto-expert", "done", summary="Use the other cipher")
    moot.speak("developer", UNSUCCESSFUL)
    assert counts(moot) == (3, 1, 4)


@pytest.mark.ledger("E-02", "E-06")
@pytest.mark.parametrize("why", ["", "N/A", "n/a", "-"])
def test_an_empty_why_different_says_nothing(tmp_path: Path, why: str) -> None:
    moot = board(tmp_path)
    moot.speak("developer", told(1))
    item = moot.speak("developer", told(2, why=why))
    assert counts(moot) == (2, 0, 2) and item["failure_history"][-1]["ground"] == "a new approach"


@pytest.mark.ledger("E-04", "E-15")
def test_the_developer_and_not_its_expert_is_shown_as_the_one_who_needs_guidance(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    for expert in EXPERTS[:2]:
        moot.speak(expert, UNSUCCESSFUL)
    claim = moot("claim", EXPERTS[2])
    said = tmp_path / "said.txt"
    said.write_text(UNSUCCESSFUL, "utf-8")
    text = moot.process_text("report", claim["run"], "--token", str(claim["token"]), str(said))
    assert "DIVINE CLARIFICATION REQUESTED" in text
    assert "Agent: developer" in text and f"Agent: {EXPERTS[2]}" not in text


@pytest.mark.ledger("R-08")
def test_an_experts_reason_and_its_summary_are_both_told(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "escalation")
    moot("add", "Sessions survive a restart")
    moot.effort("developer", "delegates", delegate=[{"to": "crypto-expert", "task": "which key?"}])
    said = {"signal": "EXPERT_UNSUCCESSFUL", "reason": "REASONWORD is red", "summary": "SUMMARYWORD was tried"}
    moot.speak("crypto-expert", said)
    for told in (str(moot("show", "1")), str(moot("claim", "developer")["brief"])):
        assert "REASONWORD is red" in told and "SUMMARYWORD was tried" in told


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("between", [": ", "\n\n", " - "])
def test_an_expert_that_found_nothing_says_so_to_whoever_comes_next(tmp_path: Path, between: str) -> None:
    moot = board(tmp_path)
    asked = '{"outcome": "delegates", "delegate": [{"to": "crypto-expert", "task": "Which curve?"}]}'
    moot.speak("developer", asked)
    moot.speak("crypto-expert", f"EXPERT_UNSUCCESSFUL{between}nothing found")
    (tried,) = moot("show", "1")["failure_history"]
    assert (tried["outcome"], tried["reason"]) == ("EXPERT_UNSUCCESSFUL", "EXPERT_UNSUCCESSFUL: nothing found")


@pytest.mark.ledger("E-05", "R-32")
@pytest.mark.parametrize(
    "words", ["It is unclear what the acceptance criteria mean", "I do not know what the acceptance criteria mean"]
)
@pytest.mark.parametrize("inside", [True, False])
def test_criteria_that_nobody_understands_ask_a_person_at_once(tmp_path: Path, words: str, inside: bool) -> None:
    moot = board(tmp_path)
    item = moot.speak("developer", told(1, outcome=words) if inside else f"{told(1)}\n{words}.\n")
    assert (item["status"], item["runs"][-1]["cause"]) == (ASKED, "requirement")
    assert words in moot("inbox")["questions"][0]["question"] and counts(moot) == (1, 0, 1)


@pytest.mark.ledger("E-07", "R-32")
def test_options_with_code_and_another_sign_reach_the_person_each_as_one(tmp_path: Path) -> None:
    moot = board(tmp_path)
    listed = "a) Set `algorithm: RS256`: old clients fail\nb) Keep HS256: one secret\n* Rotate both: twice the work\n"
    moot.speak("developer", f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which?\n\nOptions Considered:\n{listed}")
    (asked,) = moot("inbox")["questions"]
    assert [(one["option"], one["why_insufficient"]) for one in asked["options"]] == [
        ("Set `algorithm: RS256`", "old clients fail"),
        ("Keep HS256", "one secret"),
        ("Rotate both", "twice the work"),
    ]


@pytest.mark.ledger("E-06", "R-06")
def test_an_own_block_after_advice_is_the_experts_and_its_ground_says_so(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", '{"outcome": "delegates", "delegate": [{"to": "crypto-expert", "task": "Which curve?"}]}')
    moot.speak("crypto-expert", '{"outcome": "done", "summary": "Use P-256 with a fixed nonce"}')
    moot.speak("developer", f"{told(1)}\n{told(2)}")
    first, second = moot("show", "1")["failure_history"]
    assert (first["kind"], second["kind"]) == ("expert_delegation", "self_solve") and counts(moot) == (1, 1, 2)
    assert "it follows the advice of crypto-expert: that expert's attempt" in first["ground"]
    assert "advice" not in second["ground"]
