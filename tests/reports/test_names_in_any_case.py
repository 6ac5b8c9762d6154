"""The names of a report's fields are read in whichever case they were written, and none of two is lost."""

import json
from collections.abc import Callable

import pytest

from folkmoot.core.report import WORDS_BESIDE
from folkmoot.core.rules.judging.carrying import against
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

QUEST = {
    "agentType": "codeweaver",
    "status": "complete",
    "report": "the form is there",
    "blockers": "nobody wrote the mailer",
    "nextSteps": "write it",
    "retro": "look at the mailer first",
}
CASES: list[Callable[[str], str]] = [
    str.title,
    str.upper,
    str.lower,
    lambda name: name[0].upper() + name[1:],
    lambda name: f" {name} ",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("spelled", CASES, ids=["Title", "UPPER", "lower", "Capital", "spaces"])
@pytest.mark.parametrize("around", ["{}", "I am done.\n\n{}\n"], ids=["alone", "in a text"])
def test_a_quests_report_is_the_same_in_any_case(spelled: Callable[[str], str], around: str) -> None:
    said = {spelled(name): value for name, value in QUEST.items()}
    report = read_report(around.replace("{}", json.dumps(said)))
    assert report.extra.pop(WORDS_BESIDE, "") == around.replace("{}", "").strip()
    assert report == read_report(json.dumps(QUEST))


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"Status": "complete"}', '{"status": "complete"}'),
        ('{"Outcome": "Done", "Next Steps": ["x"]}', '{"outcome": "done", "next_steps": ["x"]}'),
        (
            '{"outcome": "stuck", "Escalation-Reason": "security"}',
            '{"outcome": "stuck", "escalation_reason": "security"}',
        ),
        ('{"Type": "test_results", "Status": "passed"}', '{"type": "test_results", "status": "passed"}'),
        (
            '{"Decision": "delegate", "SubAgents": [{"task": "x"}]}',
            '{"decision": "delegate", "subAgents": [{"task": "x"}]}',
        ),
    ],
)
def test_other_dialects_too(text: str, plain: str) -> None:
    assert read_report(text) == read_report(plain)


def test_of_two_spellings_of_one_name_none_is_lost() -> None:
    said = read_report('{"status": "complete", "Status": "failed", "report": "x"}')
    assert said.extra["Status"] == "failed"
    assert (against(read_report('{"status": "complete", "Status": "rejected", "report": "x"}')) or "").startswith(
        "its Status"
    )
    with pytest.raises(Invalid, match="Summary: unknown field"):
        read_report('{"outcome": "done", "Summary": "a", "summary": "b"}')


def test_an_object_that_says_nothing_of_an_end_keeps_its_names() -> None:
    with pytest.raises(Invalid, match="holds no report"):
        read_report('I looked at {"Summary": "a", "Report": "b"} and went home.')


@pytest.mark.ledger("Q-09")
@pytest.mark.parametrize("word", ["self-execute", "Self-Execute", "self_execute"])
def test_the_decision_to_do_it_oneself_ends_nothing_and_says_what_to_do(word: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_report(json.dumps({"decision": word}))
    assert f"decision: '{word}' says how the task is begun" in refused.value.message
    assert "did you mean" not in refused.value.message and "delegates" not in refused.value.hint
    said = read_report(json.dumps({"decision": word, "status": "complete", "report": "made"}))
    assert (said.outcome, said.summary) == ("done", "made")
    assert read_report(json.dumps({"decision": word}) + '\n\nDone.\n\n{"outcome": "done"}').outcome == "done"


@pytest.mark.ledger("P-02")
def test_the_documents_dispatch_is_no_report_and_says_what_sends_it() -> None:
    said = {"agent": "implementer", "task": "Fix the following issues found by reviewer:\n\n<issues>"}
    with pytest.raises(Invalid) as refused:
        read_report(json.dumps(said))
    assert "dispatch that agent" in refused.value.message and "did you mean" not in refused.value.message


@pytest.mark.ledger("R-26")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {
                "from": "builder",
                "to": "reviewer",
                "type": "review_request",
                "payload": {"commit": "abc"},
                "status": "pending",
            },
            "it holds a review_request, and no word on how the run ended: report that with it",
        ),
        ({"status": "approved", "job": 12}, "add `report` or `summary` with what was done"),
    ],
)
def test_what_ends_no_run_is_told_what_does(said: dict[str, object], words: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_report(json.dumps(said))
    assert words in refused.value.message and "unknown field" not in refused.value.message


def test_that_fixes_were_applied_ends_a_run_whatever_stands_beside_it() -> None:
    said = read_report(json.dumps({"status": "fixes_applied", "fixed": 2, "remaining": 1, "notes": "no case for one"}))
    assert (said.outcome, said.extra["remaining"], said.extra["notes"]) == ("done", 1, "no case for one")
