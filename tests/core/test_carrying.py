"""No field of a report is silently without effect: beside each outcome it acts, is told on, or is asked back."""

import json
from typing import Any

import pytest
from msgspec.structs import fields

from folkmoot.core import commands
from folkmoot.core.commands import OfferReport, ReportRun
from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import UNREAD, UNREAD_MAX, Report
from folkmoot.core.rules.judging.carrying import ACTS, ASKED, CARRIES, TO_BE_READ, TOLD, carries
from folkmoot.core.rules.judging.examples import EXAMPLES, tried_in
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import SoundBoard, View, preset_flow, report, small_flow

KANBAN, HANDOFF, QUEST, ESCALATION = (preset_flow(name) for name in ("kanban", "handoff", "quest", "escalation"))
# One who may say everything, between one whose work it looks at and one who looks at its own.
FLOW = small_flow(
    """
flow: any
start: plan
columns:
  plan: {agents: [planner], next: make}
  make: {agents: [maker], next: look}
  look: {agents: [checker], next: done, fix: make}
  deep: {agents: [deep-one], kind: escalation}
  argued: {agents: [planner, maker], kind: dispute}
  done: {}
agents:
  planner: {may: [ask]}
  maker: {may: [ask, delegate, split], experts: [sage]}
  checker: {may: [ask, delegate, split], experts: [sage]}
  deep-one: {}
  sage: {expert: true, write: none}
reasons: {deep: deep, plan-vs-make: argued}
messages: {note: {from: [any], to: [planner]}}
"""
)
MARK = "MARKED"
# For each field a value that can be found again, and what its outcome needs beside it.
FILLED: dict[str, Any] = {
    "summary": MARK,
    "commit": MARK,
    "files": {"created": [MARK]},
    "artifacts": [{"name": MARK}],
    "findings": [{"issue": MARK, "severity": "low"}],
    "tests": {"total": 4321, "passed": 4321},
    "comments": [{"content": MARK}],
    "attempts": [{"approach": MARK, "outcome": "red"}],
    "cause": "size",
    "reason": "deep",
    "escalation_reason": "deep",
    "blockers": MARK,
    "question": {"question": MARK},
    "tasks": [{"title": MARK, "key": "a", "files": ["a.py"]}],
    "contracts": [{"name": "c", "text": MARK}],
    "integration_points": {"here": MARK},
    "interfaces": [MARK],
    "delegate": [{"to": "sage", "task": MARK}],
    "next_steps": [MARK],
    "lessons": [MARK],
    "usage": {"input_tokens": 1, "output_tokens": 1, "cost_usd": 4321.0},
    "messages": [{"type": "note", "payload": {"words": MARK}}],
    "extra": {"own": MARK},
}
NEEDS: dict[str, dict[str, Any]] = {
    "changes_requested": {"summary": "no"},
    "disputed": {"comments": [{"content": "wrong"}]},
    "asks": {"question": {"question": "which?"}},
    "delegates": {"delegate": [{"to": "sage", "task": "look"}]},
    "split": {"tasks": [{"title": "one", "key": "x", "files": ["x.py"]}]},
}
UNTOLD = ("version", "updated_at", "runs", "kept", "acted")


@pytest.mark.ledger("R-32")
def test_the_table_says_of_every_field_beside_every_outcome_what_becomes_of_it() -> None:
    assert list(CARRIES) == [field.name for field in fields(Report)]
    assert all(list(row) == list(OUTCOMES) for row in CARRIES.values())
    assert {word for row in CARRIES.values() for word in row.values()} == {ACTS, TOLD, ASKED}
    assert set(EXAMPLES) == set(OUTCOMES)


def life(column: str, outcome: str, parts: dict[str, Any], final: bool = False) -> tuple[View, View, list[Any]]:
    """The answer to a report, the next brief on the item, and all that was written."""
    with SoundBoard(FLOW) as board:
        item = board.add(column=column)
        run = board.claim({"make": "maker", "look": "checker"}[column])
        answer = board.engine.report(run, report(outcome, **parts), final=final)
        events = [(event["event"], str(event["context"])) for event in board.log(item)]
        for question in board.inbox():
            shown = next(one for one in board.queries.inbox()["questions"] if one["id"] == question)
            board.answer(question, *([] if shown["takes"] == "option" else ["so"]))
        board.sleep(600)
        after = board.show(item)
        brief: View = {}
        if after["watcher"] and after["status"] == "ready":
            brief = board.engine.claim(commands.Actor("alice"), after["watcher"])["brief"]
        children = [board.show(child) for child in after["children"]]
        return (
            answer,
            brief,
            [events, {k: v for k, v in answer.items() if k not in UNTOLD}, children, board.queries.lessons()],
        )


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("column", ["make", "look"])
@pytest.mark.parametrize("name", [name for name in CARRIES if name not in ("outcome", "implied")])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_whatever_is_filled_in_acts_or_is_told_or_is_asked_back(outcome: str, name: str, column: str) -> None:
    needed = NEEDS.get(outcome, {})
    value = [*needed[name], *FILLED[name]] if name == "comments" and needed.get(name) else FILLED[name]
    acts = carries(outcome, name) == ACTS
    if outcome == "disputed" and "reason" in name:
        value = "plan-vs-make"  # it acts where it leads to a column in which this side argues
        acts = column == "make"
    refused = None
    elsewhere = outcome == "disputed" and "reason" in name and not acts
    try:
        answer, brief, written = life(column, outcome, {**needed, name: value})
    except Invalid as error:
        refused = error.message
    if elsewhere:
        assert refused is not None and "the reason plan-vs-make leads to" in refused
        return
    if refused is not None:
        assert carries(outcome, name) == ASKED and f"it says {outcome}, and it" in refused
        assert "which holds?" in refused and ("1 task" if name == "tasks" else MARK) in refused
        return
    what = "own" if name == "extra" else name
    acted, kept = ([one["what"] for one in answer[part]] for part in ("acted", "kept"))
    if acts:
        assert written != life(column, outcome, needed)[2], "it acted in nothing"
        assert name in TO_BE_READ or (what in acted and what not in kept)
        return
    mark = MARK if MARK in json.dumps(value) else str(value)
    assert mark in json.dumps(brief) or not brief, f"the next agent is not told its {name}"
    own = answer["runs"][-1]["report"]
    assert mark in json.dumps(own), "it is not in the answer at all"
    if name not in TO_BE_READ:
        # What the table only tells may stand on the item all the same: an attempt in its history, blockers in its why.
        assert (what in acted) != (what in kept)


@pytest.mark.ledger("R-32", "R-22")
@pytest.mark.parametrize("column", ["make", "look"])
@pytest.mark.parametrize(
    ("name", "value", "reading"),
    [
        ("question", FILLED["question"], ("awaiting-divine-guidance", "asks")),
        ("tasks", FILLED["tasks"], ("waiting", "split")),
        ("delegate", FILLED["delegate"], ("waiting", "delegates")),
    ],
)
def test_as_the_last_word_the_stricter_of_two_statements_holds(
    column: str, name: str, value: Any, reading: tuple[str, str]
) -> None:
    with SoundBoard(FLOW) as board:
        board.add(column=column)
        run = board.claim({"make": "maker", "look": "checker"}[column])
        with pytest.raises(Invalid, match="which holds"):
            board.say(run, "done", **{name: value})
        item = board.report(run, "done", **{name: value})
        assert (item["status"], item["runs"][0]["outcome"]) == reading


OPEN: dict[str, View] = {
    "a number": {"issues": 2},
    "a number as text": {"issues": "2"},
    "a status": {"status": "rejected"},
    "no approval": {"approval": False},
    "one of several words": {"status": ["approved", "changes_requested"]},
    "in its payload": {"payload": {"status": "rejected"}},
    "blocked": {"status": "blocked"},
}


@pytest.mark.ledger("R-22", "H-10")
@pytest.mark.parametrize("extra", OPEN.values(), ids=OPEN.keys())
def test_done_beside_open_issues_or_another_verdict_is_asked_back(extra: View) -> None:
    with SoundBoard(FLOW) as board:
        board.add(column="make")
        maker = board.claim("maker")
        with pytest.raises(Invalid, match=r"it says done, and it.*which holds"):
            board.say(maker, "done", summary="ready", extra=extra)
        # Nobody is there to say which: what was made is looked at by another run.
        item = board.report(maker, "done", summary="ready", extra=extra)
        assert (item["column"], item["status"], item["runs"][0]["cause"]) == ("make", "ready", "protocol")
        board.effort("maker", "done")
        checker = board.claim("checker")
        with pytest.raises(Invalid, match="changes_requested"):
            board.say(checker, "done", summary="fine", extra=extra)
        item = board.report(checker, "done", summary="fine", extra=extra)
        assert item["column"] == "make"
        # A number that nobody tells is no change to ask for; any other word sends it back.
        assert item["runs"][2]["outcome"] == "changes_requested" and "though it says done" in item["why"]


def test_numbers_and_words_that_agree_with_done_are_no_contradiction() -> None:
    with SoundBoard(HANDOFF) as board:
        board.add(column="review")
        found = [{"issue": "a name", "severity": "low"}]
        item = board.say(
            board.claim("reviewer"), "done", findings=found, extra={"status": "approved", "issues": 1, "approval": True}
        )
        assert item["status"] == "done"
        assert item["kept"] == [] and item["acted"] == [{"what": "findings", "said": "a name"}], "a remark on the item"


@pytest.mark.ledger("R-10", "K-15")
@pytest.mark.parametrize(
    ("parts", "column"),
    [
        ({"reason": "performance, security"}, "needs-security-review"),
        ({"escalation_reason": "Performance and Security"}, "needs-security-review"),
        ({"escalation_reason": "performance, concurrency"}, "needs-perf-tuning"),
        ({"escalation_reason": "performance", "reason": "concurrency"}, "needs-perf-tuning"),
        ({"escalation_reason": "performance", "reason": "security"}, "needs-security-review"),
    ],
)
def test_of_several_reasons_security_decides_and_all_are_told(parts: dict[str, str], column: str) -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        item = board.effort("dev-agent", "stuck", blockers="too deep", **parts)
        assert item["column"] == column
        told = json.dumps(board.engine.claim(commands.Actor("alice"), item["watcher"])["brief"]["previous"]).lower()
        named = [word.strip() for words in parts.values() for word in words.lower().replace(" and ", ",").split(",")]
        assert all(word in told for word in named)


@pytest.mark.ledger("R-12")
def test_a_reason_that_leads_to_a_dispute_of_others_is_asked_back() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        said = {"comments": [{"content": "the story and the architecture differ"}], "reason": "story-vs-arch"}
        with pytest.raises(Invalid, match="where story-agent and architect-agent argue"):
            board.say(board.claim("dev-agent"), "disputed", **said)


@pytest.mark.ledger("Q-09")
def test_what_is_left_of_a_task_that_is_done_reaches_the_review() -> None:
    with SoundBoard(QUEST) as board:
        board.add()
        board.effort("pathseeker", "split", tasks=[{"key": "a", "title": "A", "files": ["a.py"]}])
        said = {"summary": "the form is there", "next_steps": ["write the mailer"], "extra": {"risk": "no tests"}}
        item = board.effort("codeweaver", "done", **said)
        assert [one["what"] for one in item["kept"]] == ["risk"]
        board.effort("ward", "done")
        brief = json.dumps(board.engine.claim(commands.Actor("alice"), "lawbringer")["brief"])
        assert "write the mailer" in brief and "no tests" in brief


def test_who_reports_in_the_name_of_another_role_is_asked_back_and_an_unknown_name_is_told_on() -> None:
    with SoundBoard(QUEST) as board:
        board.add()
        run = board.claim("pathseeker")
        with pytest.raises(Invalid, match="signed by codeweaver"):
            board.say(run, "done", extra={"agentType": "codeweaver", "status": "complete"})
        item = board.say(run, "done", extra={"agentType": "oracle", "status": "complete"})
        assert item["kept"] == [{"what": "agentType", "said": "oracle"}]
        brief = board.engine.claim(commands.Actor("alice"), item["watcher"])["brief"]
        assert "oracle" in json.dumps(brief["previous"])


@pytest.mark.ledger("R-06", "R-10")
def test_attempts_of_a_run_that_fails_for_security_stay_in_the_history() -> None:
    with SoundBoard(ESCALATION) as board:
        board.add()
        tried = [{"approach": "a nonce", "outcome": "red"}, {"approach": "a salt", "outcome": "red"}]
        item = board.effort("developer", "failed", summary="unsafe", escalation_reason="security", attempts=tried)
        assert item["status"] == "awaiting-divine-guidance"
        assert [one["approach"] for one in item["failure_history"]] == ["a nonce", "a salt"]
        assert len(board.inbox()) == 1


# What was refused


@pytest.mark.ledger("R-32")
def test_a_comment_in_anothers_name_is_kept_as_a_quotation_and_stands_once() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        run = board.claim("dev-agent")
        signed = {"content": "The test\nis wrong.", "author": "test-architect"}
        with pytest.raises(Invalid, match="signed by test-architect"):
            board.say(run, "done", comments=[signed])
        (kept,) = board.show("1")["comments"]
        assert kept["content"] != signed["content"] and "signs as test-architect" in kept["content"]
        assert signed["content"] in kept["content"]
        with pytest.raises(Invalid):
            board.say(run, "done", comments=[signed])
        assert len(board.show("1")["comments"]) == 1
        board.say(run, "done", comments=[{"content": signed["content"]}])
        assert [one["content"] for one in board.show("1")["comments"]] == [signed["content"]]


@pytest.mark.ledger("R-32")
def test_the_text_of_a_report_that_cannot_be_read_stays_on_its_run_and_reaches_the_next() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        run = board.claim("dev-agent")
        text = "I mended the boundary in loop.py\0 " + "x" * UNREAD_MAX
        with pytest.raises(Invalid):
            board.engine.handle_run(
                run, OfferReport(report=Report.unread("it holds no report", text), fault="no report")
            )
        (told,) = board.show("1")["runs"]
        assert "mended the boundary" in told["refused"]["extra"][UNREAD] and told["refused_for"] == "no report"
        board.crash(run)
        brief = board.engine.claim(commands.Actor("alice"), "dev-agent")["brief"]
        assert "mended the boundary in loop.py" in json.dumps(brief["previous"])


@pytest.mark.ledger("R-32")
def test_a_hint_shows_the_form_of_what_was_tried() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        with pytest.raises(Invalid) as refused:
            board.say(board.claim("dev-agent"), "asks", summary="which?")
        assert EXAMPLES["asks"] in refused.value.hint
    with pytest.raises(Invalid) as unread:
        read_report('{"outcome": "asks", "question": {"q": "which?"}}')
    assert EXAMPLES["asks"] in unread.value.hint


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("SEEKING_DIVINE_CLARIFICATION\n\nTask: 1", "asks"),
        ('{"outcome": "Changes Requested", "finding": 1}', "changes_requested"),
        ('{"status": "blocked", "blocker": ["x"]}', "stuck"),
        ("ATTEMPT 1: [Self-Solve]\nApproach:", "failed"),
        ("I am done here.", "done"),
        ('{"outcome": "disagree", "comments": []}', "disputed"),
    ],
)
def test_what_was_tried_is_found_in_a_text_that_is_no_report(text: str, outcome: str) -> None:
    assert tried_in(text) == outcome


def test_every_example_is_a_report_of_its_outcome() -> None:
    for outcome, text in EXAMPLES.items():
        assert read_report(text.replace("…", "words")).outcome == outcome


@pytest.mark.ledger("R-20", "R-32")
def test_where_a_change_is_not_taken_the_agents_own_words_stay() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev", files=["a.py"])
        run = board.claim("dev-agent")
        from folkmoot.testing.builders import change

        said = report(
            "done",
            summary="it is fast now",
            lessons=["measure first"],
            comments=[{"content": "see the graph"}],
            attempts=[{"approach": "a cache", "outcome": "slow"}],
            tests={"total": 2, "passed": 2},
        )
        item = board.engine.handle_run(run, ReportRun(report=said, work=change("b.py"), final=True))
        assert item["runs"][0]["outcome"] == "failed" and item["runs"][0]["cause"] == "conflict"
        assert [comment["content"] for comment in item["comments"]] == ["see the graph"]
        brief = json.dumps(board.engine.claim(commands.Actor("alice"), "dev-agent")["brief"])
        for words in ("it is fast now", "measure first", "see the graph", "a cache", '"passed": 2'):
            assert words in brief
        assert item["tests"] is None


def test_a_part_that_asks_beside_its_verdict_is_heard_in_both() -> None:
    with SoundBoard(preset_flow("pipeline")) as board:
        board.add(column="review")
        board.effort("reviewer", "changes_requested", summary="no", question={"question": "Is it public?"})
        assert [q["question"] for q in board.queries.inbox()["questions"]] == ["Is it public?"]
        board.effort("devils-advocate", "done")
        board.answer(board.inbox()[0], "yes")
        assert board.place("1") == ("implement", "ready")


@pytest.mark.parametrize("name", ["tasks", "delegate"])
def test_what_an_agent_may_not_ask_for_is_told_as_a_proposal(name: str) -> None:
    with SoundBoard(FLOW) as board:
        board.add(column="plan")
        item = board.say(board.claim("planner"), "done", **{name: FILLED[name]})
        assert item["column"] == "make" and [one["what"] for one in item["kept"]] == [name]
        assert MARK in json.dumps(board.engine.claim(commands.Actor("alice"), "maker")["brief"])


@pytest.mark.ledger("R-08")
def test_what_an_expert_asks_beside_its_advice_reaches_whoever_asked() -> None:
    with SoundBoard(FLOW) as board:
        board.add(column="make")
        board.effort("maker", "delegates", delegate=[{"to": "sage", "task": "look"}])
        board.effort("sage", "done", summary="use a salt", question={"question": MARK}, blockers="no time")
        brief = json.dumps(board.engine.claim(commands.Actor("alice"), "maker")["brief"])
        assert MARK in brief and "no time" in brief and board.inbox() == []


def test_a_gate_that_says_green_and_counts_open_issues_is_red() -> None:
    with SoundBoard(QUEST) as board:
        board.add(column="weave")
        board.effort("codeweaver", "done")
        item = board.effort("ward", "done", extra={"issues": 2})
        assert item["runs"][-1]["outcome"] == "failed" and item["column"] == "mend"


def test_a_question_beside_a_failure_is_asked_and_the_item_waits_where_it_was_sent() -> None:
    with SoundBoard(KANBAN) as board:
        board.add(column="dev")
        said = {"reason": "security", "blockers": "which key?", "question": {"question": "Whose key is it?"}}
        item = board.effort("dev-agent", "stuck", **said)
        assert (item["column"], item["status"]) == ("needs-security-review", "awaiting-divine-guidance")
        board.answer(board.inbox()[0], "ours")
        brief = board.engine.claim(commands.Actor("alice"), "security-specialist")["brief"]
        assert brief["guidance"][-1]["answer"] == "ours"
