"""What a person sees beside a question, and the next agent beside its answer, in the escalation document's words."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_escalation_guidance import QUESTION, SIGNAL, board, in_words, signal

HELP = "The name of the key"


@pytest.mark.ledger("E-08", "E-09")
def test_what_would_help_is_told_with_the_answer(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.hand_in(moot("claim", "developer"), SIGNAL)
    moot("answer", "q1", "yes")
    assert HELP in in_words(moot, "show", "1")
    claim = moot("claim", "developer")
    assert [(said["question"], said["help"]) for said in claim["brief"]["responses"]] == [(QUESTION, HELP)]


@pytest.mark.ledger("E-08")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"TASK_INCOMPLETE: the writer is done, the reader is open\n\n{signal('Which mode?')}", "the reader is open"),
        (f'{{"outcome": "done", "summary": "the writer is done"}}\n\n{signal("Which mode?")}', "the writer is done"),
        (
            json.dumps({"outcome": "asks", "question": "Which mode?", "summary": "the reader is open"}),
            "the reader is open",
        ),
        (
            json.dumps({"outcome": "asks", "question": "Which mode?", "next_steps": ["write the reader"]}),
            "write the reader",
        ),
        (json.dumps({"outcome": "asks", "question": "Which mode?", "blockers": "old files"}), "blockers: old files"),
    ],
)
def test_what_is_done_and_left_is_before_whoever_is_asked(tmp_path: Path, text: str, told: str) -> None:
    moot = board(tmp_path)
    moot.hand_in(moot("claim", "developer"), text)
    (asked,) = moot("inbox")["questions"]
    assert asked["question"] == "Which mode?"
    assert asked["context"].count(told) == 1


@pytest.mark.ledger("E-08")
def test_what_the_context_says_is_not_said_twice(tmp_path: Path) -> None:
    moot = board(tmp_path)
    words = signal("Which mode?") + "Context: only AES is named\nRecommendation: GCM\nDeadline: friday\n"
    moot.hand_in(moot("claim", "developer"), words)
    (asked,) = moot("inbox")["questions"]
    assert [asked["context"].count(one) for one in ("only AES is named", "GCM", "friday", "Which mode?")] == [
        1,
        1,
        1,
        0,
    ]


@pytest.mark.ledger("E-08")
@pytest.mark.parametrize(
    "fields",
    [
        {"summary": "halted", "escalation_reason": "ambiguous acceptance criteria: AES of what size"},
        {"summary": "AES of what size", "trigger": "ambiguous acceptance criteria"},
        {"summary": "AES of what size", "reason": "ambiguous acceptance criteria: two readings"},
        {"summary": "AES of what size", "trigger": "circular dependency detected: the vault and its keys"},
        {"summary": "AES of what size", "trigger": "security concern: the key is in the log"},
    ],
)
def test_a_trigger_puts_all_that_its_report_says_before_the_person(tmp_path: Path, fields: dict[str, str]) -> None:
    moot = board(tmp_path)
    moot.hand_in(moot("claim", "developer"), json.dumps({"outcome": "failed", **fields}))
    (asked,) = moot("inbox")["questions"]
    seen = f"{asked['question']}\n{asked['context']}"
    stated = [words.split(": ")[-1] for words in fields.values() if words != "halted"]
    assert [words for words in stated if words not in seen] == []
