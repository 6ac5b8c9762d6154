"""What agents write around the escalation document's forms, and what people answer, in their own words."""

import json
from typing import Any

import pytest

from tests.doors.conftest import Answer, Moot

ASKED = "awaiting-divine-guidance"
CONCERN = "There is a security concern: the private key is committed in git."
FIRST = "ATTEMPT 1: Self-Solve\nApproach: used PyJWT\nOutcome: mismatch\nWhy Different: first"


@pytest.fixture
def board(nowhere: Moot) -> Moot:
    nowhere("init", "--preset", "escalation")
    nowhere("add", "Sign tokens")
    return nowhere


def tell(board: Moot, agent: str, text: str, code: int = 0) -> Answer:
    """One report in an agent's own words; `code`: what the command must end with."""
    claim = board.json("claim", agent)
    return board("report", claim["run"], "--token", str(claim["token"]), "-", code=code, stdin=text)


def shown(board: Moot) -> Any:
    return board.json("show", "1")


def counts(board: Moot) -> tuple[int, int, int]:
    told = shown(board)["escalation_tracking"]
    return told["self_solve_attempts"], told["expert_attempts"], told["total_attempts"]


def tried(number: int, approach: str, outcome: str = "mismatch", why: str = "another tool") -> str:
    return f"ATTEMPT {number}: Self-Solve\nApproach: {approach}\nOutcome: {outcome}\nWhy Different: {why}"


def flat(words: str) -> str:
    return " ".join(words.split())


@pytest.mark.ledger("R-16", "E-07")
@pytest.mark.parametrize("said", ["Yes, this is a real concern, do not go on", "yes", "no"])
def test_a_yes_to_a_concern_is_asked_back_and_does_not_let_it_go_on(board: Moot, said: str) -> None:
    tell(board, "developer", tried(1, "PyJWT", "Security concern: key in repo"))
    refused = board("answer", "q1", said, code=2)
    assert "Its options: 1 try again, 2 abort" in refused.err
    assert shown(board)["status"] == ASKED
    board("answer", "q1", "1", said)
    assert shown(board)["guidance"][-1]["answer"] == f"try again: {said}", "the person's own words stay as they are"


@pytest.mark.parametrize(("preset", "agent"), [("escalation", "developer"), ("simple", "coder")])
def test_only_a_flow_that_wants_the_documents_words_is_shown_in_them(nowhere: Moot, preset: str, agent: str) -> None:
    nowhere("init", "--preset", preset)
    nowhere("add", "Sign tokens")
    tell(nowhere, agent, json.dumps({"outcome": "asks", "question": {"question": "Which key?"}}))
    words = nowhere("show", "1").out
    assert (ASKED in words) == (preset == "escalation"), words
    assert shown(nowhere)["status"] == ASKED, "for programs it is called so in every flow"


EXPERT = "ATTEMPT {}: Expert Delegation\nApproach: asked crypto-expert\nOutcome: {}\nWhy Different: an expert"


def delegated(board: Moot) -> Moot:
    """The developer has an expert asked, who cannot help."""
    board.tell("developer", {"outcome": "delegates", "delegate": [{"to": "crypto-expert", "task": "help"}]})
    board.tell("crypto-expert", "EXPERT_UNSUCCESSFUL: no cipher fits")
    return board


@pytest.mark.ledger("E-02", "E-06", "R-06", "R-08")
@pytest.mark.parametrize("outcome", ["the expert could not help", "EXPERT_UNSUCCESSFUL"])
def test_a_delegation_that_the_board_made_is_told_and_not_counted_again(board: Moot, outcome: str) -> None:
    delegated(board)
    assert counts(board) == (0, 1, 1)
    tell(board, "developer", f"{FIRST}\n\n{EXPERT.format(2, outcome)}\n")
    assert counts(board) == (1, 1, 2)
    told = shown(board)["failure_history"][-1]
    assert (told["kind"], told["counted"], told["outcome"]) == ("expert_delegation", False, outcome)
    assert "the board has asked" in told["ground"] and "no expert" not in told["ground"]


@pytest.mark.ledger("E-02", "R-06")
def test_beside_a_question_it_is_not_counted_again_either(board: Moot) -> None:
    question = "SEEKING_DIVINE_CLARIFICATION\n\nTask: 1\nAgent: developer\n\nQuestion: RS256?\n"
    tell(delegated(board), "developer", f"{EXPERT.format(1, 'EXPERT_UNSUCCESSFUL')}\n\n{question}")
    assert counts(board) == (0, 1, 1) and shown(board)["status"] == ASKED


@pytest.mark.ledger("E-02", "R-06", "R-11")
def test_a_label_cannot_keep_attempts_from_being_counted(board: Moot) -> None:
    delegated(board)
    for number, approach in enumerate(["asked crypto-expert by mail", "a look at old code", "an expert of my own"], 1):
        tell(board, "developer", f"ATTEMPT {number}: Expert Delegation\nApproach: {approach}\nOutcome: m{number}\n")
    assert counts(board) == (2, 1, 3), "one tells of the delegation; the others are its own, whatever they are called"
    other = EXPERT.format(4, "no answer").replace("crypto-expert", "protocol-expert")
    tell(board, "developer", other)
    assert counts(board)[0] == 3, "this one was never asked"


@pytest.mark.ledger("E-06", "R-32")
def test_an_expert_whom_nobody_asked_is_asked_back_with_what_to_write(board: Moot) -> None:
    refused = tell(board, "developer", f"{FIRST}\n\n{EXPERT.format(2, 'EXPERT_UNSUCCESSFUL')}", code=2)
    assert "ATTEMPT block 2" in refused.err and "the board has asked no expert for this item" in refused.err
    assert "report delegates" in refused.err and counts(board) == (0, 0, 0)


@pytest.mark.ledger("E-06", "R-06", "R-32")
def test_what_was_asked_back_is_not_counted_beside_the_mended_report(board: Moot) -> None:
    claim = board.json("claim", "developer")
    for outcome, code in [("EXPERT_UNSUCCESSFUL", 2), ("no answer", 0)]:
        blocks = f"{FIRST}\n\n{EXPERT.format(2, outcome)}"
        board("report", claim["run"], "--token", str(claim["token"]), "-", code=code, stdin=blocks)
    assert counts(board) == (2, 0, 2)
    assert "EXPERT_UNSUCCESSFUL" not in [told["outcome"] for told in shown(board)["failure_history"]]


BOXES = (
    "Mandatory triggers:\n- [ ] Security concern\n- [ ] Circular dependency detected\n"
    "- [{}] Ambiguous acceptance criteria"
)


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(("tick", "status"), [(" ", "ready"), ("x", ASKED)])
def test_a_box_that_nobody_ticked_states_no_trigger(board: Moot, tick: str, status: str) -> None:
    tell(board, "developer", f"{FIRST}\n\n{BOXES.format(tick)}\n")
    assert shown(board)["status"] == status


@pytest.mark.ledger("E-05", "R-10")
def test_a_security_concern_beside_incomplete_asks_a_person(board: Moot) -> None:
    tell(board, "developer", f"TASK_INCOMPLETE: verify() is missing\n\n{CONCERN}\n")
    assert shown(board)["status"] == ASKED
    assert "A security concern: the private key is committed in git" in flat(board("inbox").out)


@pytest.mark.ledger("E-05", "R-10")
def test_a_security_concern_beside_done_is_asked_back_with_what_to_write(board: Moot) -> None:
    said = {"outcome": "done", "summary": "Done, but there is a security concern: the private key is in git."}
    claim = board.json("claim", "developer")
    report = ("report", claim["run"], "--token", str(claim["token"]), "-")
    refused = board(*report, code=2, stdin=json.dumps(said))
    assert "it names a security concern: 'the private key is in git'" in refused.err
    assert "SEEKING_DIVINE_CLARIFICATION" in refused.err and "escalation_reason" in refused.err
    board(*report, stdin=json.dumps({**said, "escalation_reason": "security"}))
    assert shown(board)["status"] == ASKED
    assert "A security concern: the private key is in git" in flat(board("inbox").out)


@pytest.mark.ledger("E-05", "R-10")
def test_a_concern_that_was_met_is_no_hindrance(board: Moot) -> None:
    tell(board, "developer", "TASK_COMPLETE: the security concern of the review was resolved\n")
    assert shown(board)["status"] == "done"


@pytest.mark.ledger("E-05", "E-07")
def test_the_question_names_what_was_stated(board: Moot) -> None:
    tell(board, "developer", f"{FIRST}\n\n{CONCERN}\n")
    assert "Question A security concern: the private key is committed in git" in flat(board("inbox").out)
    board("add", "Be fast")
    ambiguous = "Trigger: Ambiguous acceptance criteria\nReason: 'fast' has no number"
    tell(board, "developer", f"{FIRST}\n\n{ambiguous}\n")
    assert "Question The requirement is not clear: 'fast' has no number" in flat(board("inbox").out)


@pytest.mark.ledger("E-05")
@pytest.mark.parametrize(
    "outcome",
    [
        "this is a security issue that a human must judge",
        "a vulnerability: tokens can be forged",
        "credentials have leaked into the log",
        "a depends on b and b depends on a",
        "the import is circular",
    ],
)
def test_other_words_for_the_triggers_are_seen(board: Moot, outcome: str) -> None:
    tell(board, "developer", tried(1, "used PyJWT", outcome))
    assert shown(board)["status"] == ASKED


SEEKING = "SEEKING_DIVINE_CLARIFICATION\n\nTask: 1\nAgent: developer\n\nQuestion: RS256 or ES256?"
OTHER = "ATTEMPT 2: Self-Solve\nApproach: jose cli\nOutcome: crash\nWhy Different: tool"
AROUND = {
    "before ATTEMPT": f"{CONCERN}\n\n{FIRST}",
    "as fields": f"Task: 1\nAgent: developer\nSecurity concern: the private key is committed in git.\n\n{FIRST}",
    "with a heading": f"## Security concern\n\nThe private key is committed in git.\n\n{FIRST}",
    "between": f"{FIRST}\n\nSecurity concern: yes, the private key is committed in git.\n\n{OTHER}",
    "before a question": f"{CONCERN}\n\n{SEEKING}",
    "before TASK_INCOMPLETE": f"{CONCERN}\n\nTASK_INCOMPLETE: verify() is missing",
    "behind JSON": f'{{"outcome":"failed","summary":"mismatch"}}\n\n{CONCERN}',
    "behind fields": f"TASK_INCOMPLETE: context exhausted\n\nProgress: sign() works.\nRemaining: v()\n\n{CONCERN}",
    "behind a question": f"{SEEKING}\n\n---\n\n{CONCERN}",
}


@pytest.mark.ledger("E-05", "R-32")
@pytest.mark.parametrize("text", AROUND.values(), ids=AROUND.keys())
def test_what_stands_around_a_report_is_kept_and_a_trigger_in_it_acts(board: Moot, text: str) -> None:
    tell(board, "developer", text)
    assert shown(board)["status"] == ASKED
    assert "committed in git" in flat(board("inbox").out) and "committed in git" in board("export").out
    if "SEEKING" not in text:
        assert "private key is committed in git" in shown(board)["questions"][0]["question"]


@pytest.mark.ledger("E-05", "R-32")
def test_before_a_done_it_is_asked_back(board: Moot) -> None:
    refused = tell(board, "developer", f'{CONCERN}\n\n{{"outcome":"done","summary":"ok"}}', code=2)
    assert "it names a security concern: 'the private key is committed in git'" in refused.err


THREE = "\n\n".join(tried(number, way, f"m{number}") for number, way in enumerate(["PyJWT", "jose cli", "own HMAC"], 1))


@pytest.mark.ledger("E-04", "R-08")
@pytest.mark.parametrize(
    "text",
    [
        "EXPERT_UNSUCCESSFUL\n\nTask: 1\nExpert: crypto-expert\n\nI ruled out the clock skew and the padding.",
        "I ruled out the clock skew and the padding.\n\nEXPERT_UNSUCCESSFUL",
        "EXPERT_UNSUCCESSFUL: I ruled out the clock skew and the padding.",
    ],
)
def test_what_an_expert_ruled_out_reaches_the_next_one(board: Moot, text: str) -> None:
    tell(board, "developer", THREE)
    tell(board, "crypto-expert", text)
    assert "clock skew" in board("export").out
    assert "I ruled out the clock skew" in board("claim", "protocol-expert", "--prompt").out


LEFT = "TASK_INCOMPLETE\n\nTask: 1\nReason: context exhausted\nCompleted:\n- sign()\nRemaining:\n- verify()\n"


@pytest.mark.ledger("E-07", "R-07")
def test_who_is_asked_about_what_is_left_is_told_what_it_is(board: Moot) -> None:
    tell(board, "developer", LEFT)
    inbox = flat(board("inbox").out)
    assert "Too large for one effort: context exhausted" in inbox
    assert "Completed: - sign()" in inbox and "Remaining: - verify()" in inbox


@pytest.mark.ledger("E-07", "R-07")
def test_the_same_reason_in_one_line_means_the_same(board: Moot) -> None:
    tell(board, "developer", "TASK_INCOMPLETE: context exhausted")
    assert shown(board)["status"] == ASKED
    board("add", "Another")
    tell(board, "developer", "TASK_INCOMPLETE: verify() is missing")
    assert board.json("show", "2")["status"] == "ready"


@pytest.mark.ledger("R-32")
def test_complete_beside_words_that_say_it_is_not_is_asked_back(board: Moot) -> None:
    text = "TASK_COMPLETE: 1\n\nAll acceptance criteria met, except that verify() is not done: TASK_INCOMPLETE\n"
    assert "is not clear; say done, or what is left" in tell(board, "developer", text, code=2).err


WHICH = """SEEKING_DIVINE_CLARIFICATION

Task: 1
Agent: developer

Question: Which algorithm?
Context: Old clients live until May.
Options Considered:
1. RS256: keys are too large
2. ES256: old clients fail
What Would Help: a decision
"""


@pytest.mark.ledger("E-07", "E-09")
@pytest.mark.parametrize("answer", ["1 and 2", "the second", "Neither"])
def test_who_goes_on_after_an_answer_has_the_options_and_the_context_of_the_question(board: Moot, answer: str) -> None:
    tell(board, "developer", WHICH)
    board("answer", "q1", answer)
    prompt, page = board("claim", "developer", "--prompt").out, flat(board("show", "1").out)
    for words in ("1. RS256: keys are too large", "2. ES256: old clients fail", "Old clients live until May.", answer):
        assert words in prompt and words in page


CHOOSE = "SEEKING_DIVINE_CLARIFICATION\nTask: 1\nAgent: developer\nQuestion: Which?\nOptions Considered:\n"
LISTS = {
    "a bullet below": "1. RS256: keys are too large\n   - and slow\n2. ES256: old clients fail",
    "the reason as a bullet": "1. RS256\n   - too large\n2. ES256\n   - old clients",
    "a bullet at the margin": "1. RS256\n- too large\n2. ES256\n- old clients",
    "the reason with its name": "1. RS256\n   Why insufficient: too large\n2. ES256\n   Why insufficient: old clients",
    "Option A": "Option A: RS256 - too large\nOption B: ES256 - old clients",
    "a table": "| Option | Why insufficient |\n|---|---|\n| RS256 | too large |\n| ES256 | old clients |",
    "a numbered table": "| # | Option | Why |\n|--|--|--|\n| 1 | RS256 | too large |\n| 2 | ES256 | old clients |",
    "bullets in bullets": "- RS256\n  - too large\n- ES256\n  - old clients",
}


@pytest.mark.ledger("E-07", "R-16")
@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS.keys())
def test_options_keep_their_numbers_and_their_reasons(board: Moot, listed: str) -> None:
    tell(board, "developer", CHOOSE + listed)
    (question,) = shown(board)["questions"]
    assert [option["option"] for option in question["options"]] == ["RS256", "ES256"]
    assert "large" in question["options"][0]["why_insufficient"]
    assert "old clients" in question["options"][1]["why_insufficient"]
    assert "q1 answered: ES256" in board("answer", "q1", "2").out


@pytest.mark.ledger("E-07")
def test_fields_behind_the_options_are_no_part_of_the_last_one(board: Moot) -> None:
    fields = "Recommendation: option 2\n\nAttempts: Self-solve 2, Experts 0\n\nHelp needed: a number"
    tell(board, "developer", f"{CHOOSE}1. 100 ms: the database is too slow\n2. 1 s: users complain\n\n{fields}\n")
    (question,) = shown(board)["questions"]
    assert question["options"][1]["why_insufficient"] == "users complain"
    assert "Recommendation: option 2" in question["context"] and "Self-solve 2" in question["context"]
    assert question["help"] == "a number"


@pytest.mark.ledger("E-07")
@pytest.mark.parametrize("quoted", ["TASK_INCOMPLETE: verify() missing", "EXPERT_UNSUCCESSFUL"])
def test_a_signal_that_the_context_tells_of_stays_in_the_context(board: Moot, quoted: str) -> None:
    head = CHOOSE.partition("Options")[0]
    tell(board, "developer", f"{head}Context:\nThe last run ended with\n{quoted}\n\nWhat Would Help:\na decision\n")
    (question,) = shown(board)["questions"]
    assert question["context"] == f"The last run ended with\n{quoted}" and question["help"] == "a decision"


@pytest.mark.ledger("E-07")
def test_a_point_of_the_context_is_no_field(board: Moot) -> None:
    points = "- Note: keys have 4096 bits\n- Question: of the customer: why?"
    tell(board, "developer", f"{CHOOSE.partition('Options')[0]}Context:\n{points}\n\nWhat Would Help: a decision\n")
    (question,) = shown(board)["questions"]
    assert (question["question"], question["context"]) == ("Which?", points)


RETRIES = [
    ("ran the signer of PyJWT once more over the payload", "it is not different, I retried the same"),
    ("ran the signer of PyJWT once more over the payload", "Not different - same approach retried"),
    ("ran the signer of PyJWT once more over the payload", "identical, run again"),
    ("Retried: used PyJWT to sign", "n/a"),
    ("used PyJWT to sign (typo fixed)", "n/a"),
]


@pytest.mark.ledger("E-02", "R-06")
@pytest.mark.parametrize(("approach", "why"), RETRIES)
def test_a_retry_that_says_it_is_one_does_not_count(board: Moot, approach: str, why: str) -> None:
    tell(board, "developer", tried(1, "used PyJWT to sign"))
    tell(board, "developer", tried(2, approach, why=why))
    assert counts(board) == (1, 0, 1)


@pytest.mark.ledger("E-02", "R-06")
def test_approaches_that_differ_count_whatever_field_was_left_empty(board: Moot) -> None:
    for number, way in enumerate(["PyJWT library", "jose command line", "hand written HMAC"], 1):
        tell(board, "developer", tried(number, way, f"fails {number}", "n/a"))
    assert counts(board) == (3, 0, 3) and shown(board)["status"] == "waiting", "the expert is asked"


@pytest.mark.ledger("E-02", "R-06")
def test_the_ground_names_the_attempt_that_it_is_the_same_as(board: Moot) -> None:
    again = tried(3, "used PyJWT", "mismatch again", "I only fixed a typo")
    said = tell(board, "developer", f"{FIRST}\n\n{tried(2, 'used jose CLI', 'crash')}\n\n{again}").out
    assert "attempt 3 does not count: same as attempt 1" in flat(said)


@pytest.mark.ledger("E-07")
def test_the_history_tells_how_an_attempt_ended_and_not_the_summary(board: Moot) -> None:
    said = {"outcome": "failed", "summary": "There is a circular dependency between a.py and b.py"}
    tell(board, "developer", json.dumps({**said, "attempts": [{"approach": "PyJWT", "outcome": "import error"}]}))
    assert "1. developer: PyJWT: import error" in flat(board("inbox").out)


@pytest.mark.ledger("E-04", "R-08")
def test_an_expert_that_leaves_its_part_unfinished_is_told_how_that_ends(board: Moot) -> None:
    tell(board, "developer", THREE)
    said = [flat(tell(board, "crypto-expert", f"TASK_INCOMPLETE: part {number}").out) for number in (1, 2, 3)]
    assert all("3 of these in a row end it as EXPERT_UNSUCCESSFUL" in one for one in said[:2])
    assert "a fresh run goes on" not in said[2] and "ask a person" not in "".join(said)


ASKING = (
    "Seeking divine clarification\n\nQuestion: Which key?\nOptions Considered:\n1. RS256: large\n2. ES256: old clients"
)
FOR_A_PERSON = [
    ASKING,
    ASKING.partition("\n\n")[2],
    "I am SEEKING_DIVINE_CLARIFICATION: which key?",
    "Escalating to human.",
    "I need a human decision on the key.",
    "Blocked by: waiting for divine guidance on the key",
]
FOR_AN_EXPERT = ["Delegate to: protocol-expert\nTask: look at it", "Next: Expert Delegation to protocol-expert"]


@pytest.mark.ledger("E-01", "E-07", "R-32")
@pytest.mark.parametrize("words", [*FOR_A_PERSON, *FOR_AN_EXPERT])
def test_who_asks_for_somebody_in_words_beside_attempts_is_asked_back(board: Moot, words: str) -> None:
    refused = flat(tell(board, "developer", f"{FIRST}\n\n{words}", code=2).err)
    way = "asks" if words in FOR_A_PERSON else "delegates"
    assert "which holds?" in refused and f'such a report is {{"outcome": "{way}"' in refused


@pytest.mark.ledger("E-01", "E-07", "R-32")
def test_at_the_end_of_a_process_those_who_were_asked_for_in_words_are_asked(board: Moot) -> None:
    claim = board.json("claim", "developer")
    board("report", claim["run"], "--token", "1", "-", "--final", stdin=f"{FIRST}\n\n{FOR_AN_EXPERT[0]}")
    assert counts(board) == (1, 0, 1) and "protocol-expert is asked" in shown(board)["why"]
    board("add", "Rotate keys")
    claim = board.json("claim", "developer")
    board("report", claim["run"], "--token", "1", "-", "--final", stdin=f"{FIRST}\n\n{FOR_A_PERSON[2]}")
    (question,) = board.json("inbox", "--document")["pending_divine_questions"]
    assert "which key?" in question["question"]


@pytest.mark.ledger("E-01", "E-05")
@pytest.mark.parametrize(
    "words",
    [
        *("The form needs user input.", "The call requires a person id.", "The form waits for the user's answer."),
        *("No need for SEEKING_DIVINE_CLARIFICATION yet.", "If that fails, I will need divine guidance."),
        *(
            "No protocol-expert is needed yet.",
            "I followed the divine guidance.",
            "The class delegates to the lexer.",
        ),
    ],
)
def test_words_that_ask_for_nobody_leave_the_attempts_as_they_are(board: Moot, words: str) -> None:
    tell(board, "developer", f"{FIRST}\n\n{words}")
    assert counts(board) == (1, 0, 1) and shown(board)["status"] == "ready"


@pytest.mark.ledger("E-01", "E-07", "R-32")
@pytest.mark.parametrize("words", [*FOR_A_PERSON, *FOR_AN_EXPERT])
@pytest.mark.parametrize(
    "report", ["TASK_INCOMPLETE\n\n{}", "TASK_INCOMPLETE: half of it\n{}", "{}\n\nTASK_INCOMPLETE"]
)
def test_who_asks_for_somebody_in_words_beside_unfinished_work_is_asked_back(
    board: Moot, report: str, words: str
) -> None:
    refused = flat(tell(board, "developer", report.format(words), code=2).err)
    way = "asks" if words in FOR_A_PERSON else "delegates"
    assert "which holds?" in refused and f'such a report is {{"outcome": "{way}"' in refused


@pytest.mark.ledger("E-01", "E-07", "R-32")
def test_at_the_end_of_a_process_unfinished_work_asks_for_whom_its_words_name(board: Moot) -> None:
    claim = board.json("claim", "developer")
    board("report", claim["run"], "--token", "1", "-", "--final", stdin=f"TASK_INCOMPLETE\n\n{FOR_AN_EXPERT[0]}")
    assert "protocol-expert is asked" in shown(board)["why"]
    board("add", "Rotate keys")
    claim = board.json("claim", "developer")
    board("report", claim["run"], "--token", "1", "-", "--final", stdin=f"TASK_INCOMPLETE\n\n{FOR_A_PERSON[1]}")
    (question,) = board.json("inbox", "--document")["pending_divine_questions"]
    assert "Which key?" in question["question"] and "ES256" in question["question"]
    assert "TASK_INCOMPLETE" not in question["question"]


@pytest.mark.ledger("E-01", "E-05")
@pytest.mark.parametrize(
    "words",
    [
        *("The form needs user input.", "No protocol-expert is needed yet.", "Question: none", "Questions: n/a"),
        *("Remaining: the tests", "Context: the last question was answered", "I followed the divine guidance."),
    ],
)
def test_words_that_ask_for_nobody_leave_unfinished_work_as_it_is(board: Moot, words: str) -> None:
    tell(board, "developer", f"TASK_INCOMPLETE: half of it\n{words}")
    assert shown(board)["incomplete_count"] == 1 and shown(board)["status"] == "ready"


@pytest.mark.ledger("E-05")
def test_a_trigger_beside_unfinished_work_asks_a_person_by_itself(board: Moot) -> None:
    tell(board, "developer", "TASK_INCOMPLETE\n\nSecurity concern: the key is in git, I need a human decision")
    assert shown(board)["status"] == ASKED


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("report", ["TASK_COMPLETE\n\n{}", "TASK_COMPLETE: signed\n{}", "{}\n\nTASK_COMPLETE"])
def test_a_question_in_words_beside_done_is_asked_back(board: Moot, report: str) -> None:
    claim = board.json("claim", "developer")
    spoken = ["report", claim["run"], "--token", "1", "-"]
    for words in ("**Question:** Which key?", FOR_A_PERSON[1]):
        refused = flat(board(*spoken, code=2, stdin=report.format(words)).err)
        assert "it says done, and it asks a person in words" in refused and "which holds?" in refused
    board(*spoken, "--final", stdin=report.format(FOR_A_PERSON[1]))
    (question,) = board.json("inbox")["questions"]
    assert "Which key?" in question["question"] and "ES256" in question["context"], "at the end of a process it asks"


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "words",
    [
        "Question: none",
        "Seeking divine clarification: not needed",
        "Divine clarification: no",
        "Notes: escalating to a human works now",
    ],
)
def test_words_beside_done_that_ask_nobody_change_nothing(board: Moot, words: str) -> None:
    tell(board, "developer", f"TASK_COMPLETE: signed\n{words}")
    assert shown(board)["status"] == "done"
