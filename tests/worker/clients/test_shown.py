"""Who says that a quota is used up: an event of the client with a number in its own field, or only words."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.worker.clients.listener import DIALECTS
from folkmoot.worker.ports import Ended
from tests.worker.clients.hearing import hear, heard_in
from tests.worker.yard import FLOW, Yard

MONTH = "429 Too Many Requests: quota exceeded, try again in 30 days"
LIMIT = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1_800_090_000}}
ALLOWED = {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "resetsAt": 1_800_090_000}}
RESULT: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": True, "result": "You've hit your limit"}


@pytest.mark.parametrize("sample", ["claude-429", "copilot-429", "opencode-429", "gemini-429"])
def test_a_status_in_an_event_of_the_client_shows_it(sample: str) -> None:
    stream = hear(sample)
    assert stream.cause == "quota" and stream.shown


@pytest.mark.parametrize("sample", ["aider-429", "codex-429", "pi-429", "goose-429", "acp-goose-429", "acp-codex-429"])
def test_words_in_an_event_do_not(sample: str) -> None:
    stream = hear(sample)
    assert stream.cause == "quota" and not stream.shown


def test_a_limit_that_is_reached_shows_its_end_and_one_that_is_not_does_not() -> None:
    stream = heard_in("claude-code", LIMIT, RESULT)
    assert (stream.cause, stream.reset_after, stream.shown) == ("quota", 90_000.0, True)
    stream = heard_in("claude-code", ALLOWED, RESULT)
    assert (stream.cause, stream.reset_after, stream.shown) == ("quota", None, False)


@pytest.mark.attack("pauses", "a model's answer reads like a refused request", "it is words, whatever it says")
@pytest.mark.parametrize("dialect", ["claude-code", "qwen"])
def test_a_model_s_answer_that_reads_like_an_error_shows_nothing(dialect: str) -> None:
    said = {**RESULT, "is_error": False, "result": f"[API Error: {MONTH}]", "api_error_status": 429}
    stream = heard_in(dialect, LIMIT, said)
    assert stream.cause == "quota" and not stream.shown
    assert stream.reset_after == 30 * 86_400.0  # which the board then does not believe


@pytest.mark.attack("pauses", "an agent prints events of a client as text", "a dialect of text shows nothing")
@pytest.mark.parametrize("dialect", ["text", "aider", "mini-swe-agent", "cn"])
def test_what_is_text_shows_nothing_whatever_it_holds(dialect: str) -> None:
    lines = [json.dumps(LIMIT), json.dumps({**RESULT, "api_error_status": 429}), MONTH]
    for errors in ("", MONTH, json.dumps({"status": "error", "message": MONTH, "statusCode": 429})):
        assert not heard_in(dialect, *lines, ended=Ended(code=1), errors=errors).shown
    assert dialect in DIALECTS


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_what_a_client_prints_beside_its_events_shows_nothing(dialect: str) -> None:
    stream = heard_in(dialect, MONTH, ended=Ended(code=1), errors=MONTH)
    assert not stream.shown


@pytest.mark.attack(
    "pauses", "an agent prints that its quota is back in 30 days", "its pool pauses for an hour at most"
)
@pytest.mark.ledger("R-07")
def test_an_agent_that_says_its_quota_is_gone_pauses_its_pool_for_an_hour_at_most(tmp_path: Path) -> None:
    code = f"import sys; print({MONTH!r}, file=sys.stderr); sys.exit(1)"
    flow = FLOW.format(
        lease="60s",
        timeout="60s",
        silence="60s",
        gate="",
        actor=json.dumps([sys.executable, "-c", code]),
        agent="write: own",
        gates="",
        more="",
    )
    yard = Yard(tmp_path / "yard", flow=flow)
    yard.add("one")
    yard.run()
    application = yard.board._application
    (pause,) = application.engine.store.read(lambda reading: reading.pauses())
    now = application.engine.store.read(lambda reading: reading.head().time)
    assert pause.on and pause.until is not None and round(pause.until - now, 3) <= 3_600
    assert pause.by == "dev" and "30 days" in pause.why


LOGIN = "Error: 401 Unauthorized: not logged in, please run /login"
TOOLS = {
    "claude-code": {"type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "name": "Bash"}]}},
    "codex": {"type": "item.started", "item": {"type": "command_execution", "command": "sh"}},
    "copilot": {"type": "tool.execution_start"},
}


@pytest.mark.attack(
    "pauses",
    "a command of an agent prints that its client is not signed in or not there, and ends the client",
    "a client that has used tools was: its pool goes on, and its next run would say so itself",
)
@pytest.mark.parametrize("dialect", sorted(TOOLS))
@pytest.mark.parametrize("words", [LOGIN, "no such model: small", "the proxy refused: 407", "sh: agent: not found"])
def test_what_is_printed_beside_a_client_that_has_used_tools_stops_no_pool(dialect: str, words: str) -> None:
    for code in (1, 126, 127):
        before = heard_in(dialect, words, ended=Ended(code=code), errors=words)
        after = heard_in(dialect, TOOLS[dialect], words, ended=Ended(code=code), errors=words)
        assert (before.cause, after.cause) == ("environment", "transient")
        assert words.removeprefix("Error: ") in after.why


@pytest.mark.ledger("R-07")
def test_an_agent_that_prints_a_login_that_is_over_keeps_no_other_item_waiting(tmp_path: Path) -> None:
    flow = """
flow: pools
start: dev
limits: {slots: 1, executions: 2}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {client: scripted}, write: own, ladder: {0: small, 1+: escalate}}}
models: {small: {client: scripted, pool: shared}}
pools: {shared: {slots: 1}}
clients: {scripted: {command: ACTOR, speaks: claude-code}}
"""
    yard = Yard(tmp_path / "yard", flow=flow)
    said = json.dumps({"outcome": "done", "summary": "wrote it"})
    yard.add("sly", f"say {json.dumps(TOOLS['claude-code'])}", f"shell echo '{LOGIN}' >&2", "exit 1")
    result = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": said})
    honest = yard.add("honest", "write own.txt x", f"say {result}")
    yard.run()
    assert yard.status(honest) == "done", yard.show(honest)["why"]
    assert not any(pause.on for pause in yard.board._application.engine.store.read(lambda reading: reading.pauses()))
    yard.close()
