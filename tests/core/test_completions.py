"""A `completion` that says that the phase did not end well counts, and nobody's word in it is lost (R-22, R-26)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.commands import SendMessage
from folkmoot.core.report import Report
from folkmoot.core.rules.messages.kinds import against_end
from folkmoot.core.rules.messages.telling import of_report, own_context
from folkmoot.errors import Invalid
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow

HANDOFF = preset_flow("handoff")
DONE, FIX = ("done", "done"), ("fix", "ready")

# What the reviewer has sent as its completion before it says `done`, and where the item is then.
IN_REVIEW: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "approved": ({"status": "approved"}, DONE),
    "completed": ({"status": "completed", "summary": "looked at all of it"}, DONE),
    "needs_fixes with issues": ({"status": "needs_fixes", "issues": ["leak"]}, FIX),
    "rejected, in words": ({"status": "rejected", "summary": "no rate limit"}, FIX),
    "Changes Requested": ({"status": "Changes Requested", "details": "no rate limit"}, FIX),
    "a high finding": ({"status": "completed", "findings": [{"severity": "high", "issue": "leak"}]}, FIX),
}


def complete(board: SoundBoard, run: Any, payload: dict[str, Any]) -> dict[str, Any]:
    return board.engine.send(run, SendMessage(sender="", to="orchestrator", type="completion", payload=payload))


@pytest.mark.ledger("R-22", "R-26", "H-14")
@pytest.mark.parametrize(("payload", "ends"), IN_REVIEW.values(), ids=IN_REVIEW.keys())
def test_a_completion_that_was_sent_is_weighed_beside_done(payload: dict[str, Any], ends: tuple[str, str]) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="review")
        run = board.claim("reviewer")
        complete(board, run, payload)
        board.report(run, "done")
        assert board.place(item) == ends


@pytest.mark.ledger("R-22", "H-14")
def test_that_a_phase_is_complete_takes_no_finding_back() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="review")
        run = board.claim("reviewer")
        issues = {"issues": ["no rate limit", "no test"]}
        board.engine.send(run, SendMessage(sender="", to="fixer", type="fix_request", payload=issues))
        complete(board, run, {"status": "completed"})
        board.engine.report(run, Report(outcome="changes_requested", extra={"issues": 2}))
        assert board.place(item) == FIX
        assert [found["issue"] for found in board.show(item)["findings"]] == ["no rate limit", "no test"]


@pytest.mark.ledger("R-22", "R-26", "R-32")
@pytest.mark.parametrize("word", ["failed", "blocked", "rejected", "Needs follow-up", "in_progress", "incomplete"])
def test_done_beside_a_completion_that_says_otherwise_is_asked_back(word: str) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="build")
        run = board.claim("builder")
        complete(board, run, {"status": word, "summary": "the schema is missing"})
        with pytest.raises(Invalid) as caught:
            board.say(run, "done")
        assert repr(word) in caught.value.message and "completion" in caught.value.message
        complete(board, run, {"status": "completed"})
        board.report(run, "done")
        assert board.place(item) == ("review", "ready"), "the last word holds"


@pytest.mark.ledger("R-26", "H-02")
def test_a_completion_outside_of_a_run_that_says_no_reaches_whoever_acts_next() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add(column="review")
        said: dict[str, Any] = {
            "sender": "builder",
            "to": "orchestrator",
            "type": "completion",
            "context": {"item": item},
        }
        bad = board.engine.send(PERSON, SendMessage(**said, payload={"status": "blocked", "summary": "no schema"}))
        good = board.engine.send(PERSON, SendMessage(**said, payload={"status": "completed"}))
        assert (bad["status"], good["status"]) == ("pending", "completed")
        told = board.engine.claim(PERSON, "reviewer")["brief"]["messages"]
        assert [message["payload"] for message in told] == [{"status": "blocked", "summary": "no schema"}]


@pytest.mark.ledger("H-01", "R-26")
@pytest.mark.parametrize("own", ["completed", "approved", None])
@pytest.mark.parametrize("around", ["pending", "completed", None])
def test_the_status_of_a_reported_envelope_is_not_taken_for_that_of_the_work(
    own: str | None, around: str | None
) -> None:
    envelope = {"type": "completion", "from": "builder", "to": "orchestrator", "context": {"spec": "s.md", "item": "9"}}
    extra = {**envelope, **({"status": around} if around else {}), **({"payload": {"status": own}} if own else {})}
    said = Report(outcome="done", extra=extra)
    assert of_report(said)["status"] == (own or "done")
    assert own_context(said) == {"spec": "s.md"}, "which item it is about, the run says"


def test_a_bare_messages_status_is_its_verdict() -> None:
    said = Report(outcome="done", extra={"type": "test_results", "status": "passed", "context": "words"})
    assert of_report(said)["status"] == "passed" and own_context(said) == {}


@settings(max_examples=60)
@given(st.sampled_from(["failed", "blocked", "rejected", "needs fixes", "in progress"]), st.data())
def test_a_word_against_the_end_is_found_in_any_spelling(word: str, data: st.DataObject) -> None:
    gaps = "".join(data.draw(st.sampled_from([" ", "_", "-"])) if sign == " " else sign for sign in word)
    spelled = data.draw(st.sampled_from([gaps, gaps.upper(), gaps.title(), f" {gaps} "]))
    assert against_end({"status": spelled}) == spelled.strip()
    assert against_end({"status": "fixes_applied"}) is None and against_end({"status": 2}) is None
