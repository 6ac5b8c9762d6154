"""An escalation says from whom it came and why, whether it was sent, reported, or made by the rules (H-09, R-26)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.commands import CancelItem, SendMessage
from folkmoot.core.records import Message
from folkmoot.core.report import AskedQuestion, Report
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import PERSON, SoundBoard, limited, preset_flow, report, small_flow

HANDOFF, PIPELINE = preset_flow("handoff"), preset_flow("pipeline")
GATED = small_flow("""
columns: {dev: {agents: [dev-agent], next: done, gate: [ward]}}
agents: {dev-agent: {}}
gates: {ward: {run: ["true"]}}
messages: {escalation: {from: [any], to: [orchestrator]}}
limits: {own_attempts: 1}
""")
ESCALATION = {
    "reason": "spec_ambiguity",
    "details": "Cannot determine auth method",
    "options": ["JWT", "Session", "OAuth"],
    "context": "spec line 45",
    "blocking": True,
}


def escalations(board: SoundBoard) -> list[Message]:
    found = board.engine.store.read(lambda reading: reading.messages(limit=100))
    return [message for message in found if message.type == "escalation"]


@pytest.mark.ledger("H-09", "R-16")
@pytest.mark.parametrize("how", ["reported", "sent in a run", "sent about no item"])
def test_the_reason_stands_beside_the_question(how: str) -> None:
    with SoundBoard(HANDOFF) as board:
        send = SendMessage(sender="builder", to="orchestrator", type="escalation", payload=dict(ESCALATION))
        if how == "sent about no item":
            board.engine.send(PERSON, send)
        else:
            board.add(column="build")
            run = board.claim("builder")
            if how == "sent in a run":
                board.engine.send(run, send)
            else:
                asked = AskedQuestion(question="Cannot determine auth method", context="spec line 45")
                board.engine.report(run, Report(outcome="asks", reason="spec_ambiguity", question=asked))
        (question,) = board.queries.inbox()["questions"]
        assert question["context"] == "reason: spec_ambiguity\nspec line 45"
        (message,) = escalations(board)
        assert (message.sender, message.to) == ("builder", "orchestrator")
        assert (message.payload["reason"], message.payload["context"]) == ("spec_ambiguity", "spec line 45")


@pytest.mark.ledger("R-14", "R-16")
def test_a_parts_reason_stands_beside_its_question_too() -> None:
    with SoundBoard(PIPELINE) as board:
        board.add(column="review")
        asked = AskedQuestion(question="Is the limit 10?", context="api.md")
        board.engine.report(board.claim("reviewer"), Report(outcome="asks", reason="spec_ambiguity", question=asked))
        (question,) = board.queries.inbox()["questions"]
        assert question["context"] == "reason: spec_ambiguity\napi.md"


def by_failure(board: SoundBoard) -> None:
    board.add(column="build")
    board.effort("builder", "failed", cause="fatal", summary="no disk")


def by_rounds(board: SoundBoard) -> None:
    board.add(column="review")
    board.effort("reviewer", "changes_requested", summary="no test")


def by_leases(board: SoundBoard) -> None:
    board.add(column="build")
    for _ in range(3):
        board.crash(board.claim("builder"))
        board.sleep(3600)


def by_a_cancelled_dependency(board: SoundBoard) -> None:
    first = board.add(column="plan")
    board.add(column="build", after=[first])
    board.on(first, CancelItem())


def by_a_critical_finding(board: SoundBoard) -> None:
    board.add(column="build")
    board.effort("builder", "done", findings=[{"severity": "critical", "issue": "sql injection"}])


BY_THE_RULES: dict[str, tuple[Any, Any, str, str]] = {
    "a fatal failure": (HANDOFF, by_failure, "builder", "fatal"),
    "the last round": (limited(HANDOFF, feedback_rounds=1), by_rounds, "reviewer", "decision"),
    "leases that ran out": (HANDOFF, by_leases, "builder", "transient"),
    "a dependency that is gone": (HANDOFF, by_a_cancelled_dependency, "builder", "decision"),
    "a critical finding": (HANDOFF, by_a_critical_finding, "builder", "decision"),
}


@pytest.mark.ledger("H-09", "R-26")
@pytest.mark.parametrize(("flow", "happens", "sender", "reason"), BY_THE_RULES.values(), ids=BY_THE_RULES.keys())
def test_what_the_rules_escalate_comes_from_the_agent_whose_work_needs_it(
    flow: Any, happens: Any, sender: str, reason: str
) -> None:
    with SoundBoard(flow) as board:
        happens(board)
        (message,) = escalations(board)
        assert (message.sender, message.to, message.status) == (sender, "orchestrator", "pending")
        assert message.payload["reason"] == reason
        board.answer(message.question or "", "1")
        assert escalations(board)[0].status == "completed"


@pytest.mark.ledger("H-09", "R-21")
def test_what_a_gate_leads_to_comes_from_the_agent_that_it_proved() -> None:
    with SoundBoard(GATED) as board:
        board.add()
        board.effort("dev-agent", "done")
        board.effort("ward", "failed", summary="2 tests are red")
        assert {message.sender for message in escalations(board)} == {"dev-agent"}


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from(["details", "question", "reason", "description", "context", "help"]),
        st.sampled_from(["one", "two", "three", "four"]),
        min_size=1,
    )
)
def test_no_word_of_an_escalation_is_lost(payload: dict[str, str]) -> None:
    with SoundBoard(HANDOFF) as board:
        board.engine.send(PERSON, SendMessage(sender="builder", to="orchestrator", type="escalation", payload=payload))
        (question,) = board.queries.inbox()["questions"]
        told = f"{question['question']} {question['context']} {question['help']}"
        assert all(words in told for words in payload.values())


OPTIONS: list[tuple[Any, list[str]]] = [
    (["JWT", "Session"], ["JWT", "Session"]),
    ([10, 20.5], ["10", "20.5"]),
    ([{"option": "JWT", "why_insufficient": "no logout"}], ["JWT"]),
    ([{"label": "JWT", "description": "tokens"}, {"name": "Session"}], ["JWT", "Session"]),
    ([{"id": "A", "label": "JWT"}, {"id": 2, "label": "Session"}], ["A: JWT", "Session"]),
]


@pytest.mark.ledger("H-09", "R-16")
@pytest.mark.parametrize(("options", "shown"), OPTIONS)
def test_options_of_an_escalation_in_any_shape(options: Any, shown: list[str]) -> None:
    with SoundBoard(HANDOFF) as board:
        payload = {**ESCALATION, "options": options}
        board.engine.send(PERSON, SendMessage(sender="builder", to="orchestrator", type="escalation", payload=payload))
        (question,) = board.queries.inbox()["questions"]
        assert [option["option"] for option in question["options"]] == shown


@pytest.mark.ledger("H-09", "R-26")
def test_every_fault_of_a_message_is_named_at_once() -> None:
    with SoundBoard(HANDOFF) as board:
        payload = {
            **ESCALATION,
            "blocking": "perhaps",
            "options": ["JWT", None, {"why": "x"}, "", True, *"abcdefghijklmnopq"],
        }
        with pytest.raises(Invalid) as caught:
            board.engine.send(PERSON, SendMessage(sender="", to="orchestrator", type="escalation", payload=payload))
        told = caught.value.message
        for words in (
            "from: missing",
            "payload.blocking: 'perhaps'",
            "22 of them",
            "number 2, None",
            "number 3",
            "number 5",
        ):
            assert words in told
        with pytest.raises(Invalid) as caught:
            board.engine.send(PERSON, SendMessage(sender="a", to="nobody", type="gossip", context={"workflow": "x"}))
        for words in ("type: ", "to: there is no agent 'nobody'", "context.workflow: 'x'"):
            assert words in caught.value.message
        assert board.queries.messages()["messages"] == []


MAKERS = {
    "kanban": ("dev", "dev-agent"),
    "pipeline": ("implement", "implementer"),
    "quest": ("discover", "pathseeker"),
    "escalation": ("available", "developer"),
    "handoff": ("build", "builder"),
}


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("words", ["Question: Which key?", "Seeking divine clarification: which key?"])
@pytest.mark.parametrize("preset", MAKERS)
def test_in_every_flow_unfinished_work_that_asks_a_person_in_words_is_asked_back(preset: str, words: str) -> None:
    column, agent = MAKERS[preset]
    with SoundBoard(preset_flow(preset)) as board:
        board.add(column=column)
        run = board.claim(agent)
        for said in (
            read_report(f"TASK_INCOMPLETE: half of it\n{words}"),
            report("incomplete", summary=f"half of it\n{words}"),
        ):
            with pytest.raises(Invalid, match=r"it says incomplete, and it asks a person in words .* which holds"):
                board.engine.report(run, said, final=False)
        board.engine.report(run, said, final=True)
        (question,) = board.queries.inbox()["questions"]
        assert "which key?" in question["question"].casefold() and question["blocking"]
