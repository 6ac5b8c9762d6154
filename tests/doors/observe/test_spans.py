"""An item's life as spans: made from its events alone, and the same whenever they are made."""

from typing import get_args

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as agreed

from folkmoot.core import commands
from folkmoot.core.enums import EventName
from folkmoot.core.events import type_of_table
from folkmoot.doors.observe import spans as module
from folkmoot.doors.observe.spans import NOTED, Span, item_span, run_span, spans_of, trace_id
from folkmoot.engine.reads.history import History
from folkmoot.testing.builders import TrialBoard, line_flow, small_flow

BOARD = "b0a2d"
GATED = """
flow: gated
start: dev
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {}}
gates: {check: {run: [make, check]}}
"""


def made(board: TrialBoard, item: str = "1") -> list[Span]:
    return spans_of(BOARD, item, History(board.application.engine.store).of_item(item, 0))


def test_an_item_is_one_trace_with_a_span_for_each_run() -> None:
    with TrialBoard(line_flow("plan", "build", ladder="claude-opus-4 gpt-5")) as board:
        board.add("A title")
        start = board.clock.wall()
        board.sleep(10)
        actor = board.claim("plan-agent", lease=600)
        board.sleep(30)
        usage = {"input_tokens": 900, "output_tokens": 70, "cached_tokens": 100, "cost_usd": 0.25}
        board.report(actor, "done", usage=usage)
        board.sleep(5)
        board.effort("build-agent", "done")
        plan, build, item = made(board)
    assert {span.trace for span in (plan, build, item)} == {trace_id(BOARD, "1")}
    assert (item.id, item.parent, item.name) == (item_span(BOARD, "1"), None, "item")
    assert (plan.id, plan.parent, plan.name) == (run_span(BOARD, "r1"), item.id, "invoke_agent plan-agent")
    assert (plan.start - start, plan.end - start, item.start - start, item.end - start) == (10_000, 40_000, 0, 45_000)
    assert plan.kind == "client" and plan.error is None
    assert plan.attributes == {
        "moot.board": BOARD,
        "moot.item": "1",
        "moot.run": "r1",
        "moot.column": "plan",
        "moot.outcome": "done",
        "moot.end": "reported",
        "moot.pool": plan.attributes["moot.pool"],
        "moot.cost_usd": 0.25,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "plan-agent",
        "gen_ai.conversation.id": "1",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.system": "anthropic",
        "gen_ai.request.model": "claude-opus-4",
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 70,
        "gen_ai.usage.cache_read.input_tokens": 100,
    }
    assert (item.attributes["moot.title"], item.attributes["moot.status"]) == ("A title", "done")
    assert "gen_ai.usage.input_tokens" not in build.attributes, "what nobody has told is left out"


def test_names_are_those_that_are_agreed_on() -> None:
    assert module.OPERATION == agreed.GEN_AI_OPERATION_NAME
    assert (module.PROVIDER, module.SYSTEM) == (agreed.GEN_AI_PROVIDER_NAME, agreed.GEN_AI_SYSTEM)
    assert (module.AGENT, module.MODEL) == (agreed.GEN_AI_AGENT_NAME, agreed.GEN_AI_REQUEST_MODEL)
    assert module.CONVERSATION == agreed.GEN_AI_CONVERSATION_ID
    assert module.TOKENS == {
        "input_tokens": agreed.GEN_AI_USAGE_INPUT_TOKENS,
        "output_tokens": agreed.GEN_AI_USAGE_OUTPUT_TOKENS,
        "cached_tokens": agreed.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
    }
    known = {one.value for one in agreed.GenAiProviderNameValues}
    assert {name for _, name in module.PROVIDERS} <= known
    assert agreed.GenAiOperationNameValues.INVOKE_AGENT.value == "invoke_agent"


def test_what_is_noted_are_events_that_there_are() -> None:
    assert set(NOTED) <= set(get_args(EventName))
    assert set(module.ROWS) <= set(type_of_table)


def test_a_failed_run_and_one_whose_lease_ran_out_are_errors() -> None:
    with TrialBoard(line_flow("plan", ladder="small large")) as board:
        board.add()
        board.report(board.claim("plan-agent"), "failed", cause="environment", summary="no disk")
        board.sleep(60)
        board.crash(board.claim("plan-agent"))
        failed, lapsed = made(board)[:2]
    assert (failed.error, failed.attributes["moot.cause"]) == ("environment", "environment")
    assert (lapsed.error, lapsed.attributes["moot.end"]) == ("transient", "rescued")


def test_a_gate_is_a_span_and_no_model_is_named_for_it() -> None:
    with TrialBoard(small_flow(GATED)) as board:
        board.add()
        board.effort("dev", "done")
        board.report(board.next("check"), "failed", summary="red")
        gate = next(span for span in made(board) if span.name == "gate check")
    assert (gate.kind, gate.attributes["moot.gate"]) == ("internal", "check") and gate.error is not None
    assert not [name for name in gate.attributes if name.startswith("gen_ai.")]
    assert gate.parent == item_span(BOARD, "1")


def test_comments_questions_and_escalations_are_events_of_the_span_in_which_they_happened() -> None:
    with TrialBoard(line_flow("plan")) as board:
        board.add()
        board.on("1", commands.AddComment(content="a secret remark"))
        actor = board.claim("plan-agent")
        board.engine.act(actor, commands.AskPerson(question="a secret question", options=["a", "b"]))
        board.report(
            actor,
            "asks",
            question={"question": "Which of the two?", "options": [{"option": "this"}, {"option": "that"}]},
        )
        for question in board.inbox():
            board.answer(question)
        board.effort("plan-agent", "done")
        spans = made(board)
    run, item = spans[0], spans[-1]
    assert "agent_seeks_guidance" in [one.name for one in run.noted]
    asked = next(one for one in run.noted if one.name == "agent_seeks_guidance")
    assert asked.attributes["moot.question"] and asked.attributes["moot.by"] == "plan-agent"
    assert item.noted[0].name == "comment_added"
    assert "divine_response_received" in [one.name for one in item.noted]
    assert "secret" not in repr(spans)


def test_an_item_that_is_opened_again_lives_again_below_its_first_life() -> None:
    with TrialBoard(line_flow("plan")) as board:
        board.add()
        board.effort("plan-agent", "done")
        board.sleep(5)
        board.on("1", commands.ReopenItem(why="it is not"))
        board.sleep(5)
        board.effort("plan-agent", "done")
        first, life, second, again = made(board)
    assert (life.name, again.name) == ("item", "item again")
    assert (again.parent, again.id) == (life.id, item_span(BOARD, "1", 1))
    assert (first.parent, second.parent) == (life.id, again.id)
    assert again.start > life.end


def test_a_child_is_a_trace_of_its_own_with_a_link_to_what_it_was_made_for() -> None:
    with TrialBoard(line_flow("plan")) as board:
        board.add("above")
        child = board.add("below", parent="1")
        board.claim("plan-agent", item=child)
        board.on(child, commands.CancelItem(why="no need"))
        span = made(board, child)[-1]
    assert span.trace == trace_id(BOARD, child) != trace_id(BOARD, "1")
    assert span.links == [(trace_id(BOARD, "1"), item_span(BOARD, "1"))]


def test_another_board_has_other_ids_and_the_same_board_the_same() -> None:
    assert trace_id("a", "1") == trace_id("a", "1") != trace_id("b", "1")
    assert run_span("a", "r1") != run_span("b", "r1")
    assert 0 < trace_id("a", "1") < 2**128 and 0 < run_span("a", "r1") < 2**64


@pytest.mark.parametrize("cut", [3, 5, 8])
def test_events_that_come_later_change_no_span_that_has_ended(cut: int) -> None:
    with TrialBoard(line_flow("plan", "build")) as board:
        board.add()
        board.effort("plan-agent", "done")
        board.effort("build-agent", "done")
        events = History(board.application.engine.store).of_item("1", 0)
    early = spans_of(BOARD, "1", events[:cut])
    assert spans_of(BOARD, "1", events)[: len(early)] == early
