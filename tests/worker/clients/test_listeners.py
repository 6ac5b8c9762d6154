"""What real clients printed, and what is heard in it. The samples were recorded with a scripted model, then cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.rules.running.spending import TOKENS_MAX
from folkmoot.errors import Invalid
from folkmoot.worker.clients.listener import DIALECTS, listener
from folkmoot.worker.clients.printed import TEXT_MAX
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.jobs.spending import of_stream
from folkmoot.worker.ports import Ended, Stream
from tests.worker.clients.hearing import END_TURN, SAMPLES, dialect_of, hear, heard_in

DONE = "All done: the scripted task is finished."


@pytest.mark.parametrize(
    ("sample", "tokens", "cost"),
    [
        ("goose-write", (200, 40), 0.0),
        ("codex-write", (200, 40), 0.0),
        ("opencode-write", (200, 40), 0.00028),
        ("gemini-write", (200, 40), 0.0),
        ("claude-write", (200, 40), 0.0012),
        ("qwen-write", (200, 40), 0.0),
        ("copilot-write", (0, 0), 0.0),
        ("pi-write", (200, 40), 0.0),
        ("cn-write", (0, 0), 0.0),
        ("acp-goose-write", (100, 20), 0.0),
        ("acp-gemini-write", (200, 40), 0.0),
        ("acp-copilot-write", (200, 40), 0.0),
    ],
)
def test_a_finished_turn_gives_its_last_words_and_what_it_used(
    sample: str, tokens: tuple[int, int], cost: float
) -> None:
    stream = hear(sample)
    assert stream.text == DONE
    assert stream.succeeded is True and stream.cause is None
    assert (stream.input_tokens, stream.output_tokens) == tokens
    assert stream.cost_usd == pytest.approx(cost)


@pytest.mark.attack(
    "limits",
    "a client's stream is forged to tell of 2^66 tokens, time and again",
    "each counts as more than any run uses, and so do they together; none counts as nothing",
)
@pytest.mark.parametrize("told", [2**53, 2**66, 1e300])
def test_a_forged_number_of_tokens_is_not_passed_over(told: float) -> None:
    ear = listener("codex")
    for _ in range(3):
        ear.feed(json.dumps({"type": "turn.completed", "usage": {"input_tokens": told, "output_tokens": 1}}))
    used = of_stream(ear.finish(Ended(0), ""))
    assert used is not None and used.input_tokens == TOKENS_MAX
    ear = listener("codex")
    for strange in (-1, "9", True, None, float("nan"), [told]):
        ear.feed(json.dumps({"type": "turn.completed", "usage": {"input_tokens": strange, "output_tokens": 1}}))
    assert ear.finish(Ended(0), "").input_tokens == 0


def test_opencode_tells_by_acp_only_the_tokens_of_its_last_request() -> None:
    """Three were made. It says no more: what is known is a lower bound, and none of it is made up."""
    stream = hear("acp-opencode-work")
    assert (stream.succeeded, stream.input_tokens, stream.output_tokens) == (True, 100, 20)
    assert '"outcome": "done"' in stream.text


def test_aider_tells_what_it_did_and_its_tokens() -> None:
    stream = hear("aider-write")
    assert "Applied edit to hello.txt" in stream.text
    assert (stream.succeeded, stream.input_tokens, stream.output_tokens) == (True, 100, 20)


def test_what_aider_says_of_itself_first_is_not_the_agents_word() -> None:
    """In it are requests that failed, which would speak against a report of success."""
    stream = hear("aider-write")
    assert "Max retries exceeded" not in stream.text and "Aider v0.86.2" not in stream.text
    assert "I will create the file." in stream.text


def test_the_prompt_that_mini_swe_agent_prints_is_not_the_agents_word() -> None:
    stream = hear("mini-write")
    assert stream.text.startswith("```\necho hello > hello.txt") and "specs" not in stream.text
    assert stream.cause is None


def test_the_time_until_a_quota_is_there_again_is_taken_from_the_clients_words() -> None:
    assert hear("opencode-429").reset_after == 1.0
    failed = {
        "type": "turn.failed",
        "error": {"message": "You've hit your usage limit. Try again in 2 hours 5 minutes."},
    }
    assert heard_in("codex", failed).reset_after == 7500.0
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1_800_000_900}}
    result = {"type": "result", "subtype": "success", "is_error": True, "result": "You've hit your limit"}
    assert heard_in("claude-code", limit, result | {"api_error_status": 429}).reset_after == 900.0


@pytest.mark.parametrize(
    ("sample", "event"),
    [
        ("goose-write", "complete"),
        ("codex-write", "turn.completed"),
        ("codex-429", "turn.failed"),
        ("gemini-write", "result"),
        ("claude-write", "result"),
        ("copilot-write", "result"),
        ("pi-write", "agent_end"),
        ("acp-goose-write", "end"),
    ],
)
def test_the_last_event_says_that_nobody_need_wait(sample: str, event: str) -> None:
    heard = listener(dialect_of(sample))
    for line in (SAMPLES / f"{sample}.jsonl").read_text("utf-8").splitlines():
        before = heard.stream.over
        heard.feed(line)
        assert heard.stream.over == (before or json.loads(line)["type"] == event)
    assert heard.stream.over


def test_a_client_that_was_ended_after_its_last_event_has_not_failed() -> None:
    heard = listener("codex")
    for line in (SAMPLES / "codex-write.jsonl").read_text("utf-8").splitlines():
        heard.feed(line)
    stream = heard.finish(Ended(signal=15), "")
    assert stream.succeeded is True and stream.cause is None


def test_what_failed_and_was_tried_again_with_success_is_no_failure() -> None:
    again = {"type": "error", "message": "Reconnecting... 1/5 (last status: 429 Too Many Requests)"}
    said = {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": DONE}}
    assert heard_in("codex", again, said, {"type": "turn.completed", "usage": {}}).succeeded is True
    failed = {"role": "assistant", "stopReason": "error", "errorMessage": "429", "content": []}
    fine = {"role": "assistant", "stopReason": "stop", "content": [{"type": "text", "text": DONE}]}
    events = [
        {"type": "message_end", "message": failed},
        {"type": "agent_end"},
        {"type": "message_end", "message": fine},
    ]
    stream = heard_in("pi", *events, {"type": "agent_end"})
    assert (stream.succeeded, stream.cause, stream.text) == (True, None, DONE)


def test_pi_is_not_over_while_it_is_about_to_try_again() -> None:
    heard = listener("pi")
    lines = (SAMPLES / "pi-429.jsonl").read_text("utf-8").splitlines()
    for line in lines[:-1]:
        heard.feed(line)
        assert not heard.stream.over
    heard.feed(lines[-1])
    assert heard.stream.over


def test_a_client_that_wants_to_wait_for_long_is_not_waited_for() -> None:
    """Qwen Code waits ten times for a minute; only beside its events does it say why."""
    data = {"reason": "retry", "attempt": 1, "maxRetries": 10, "delayMs": 60000}
    said = "Retrying in 60s (attempt 1/10): [API Error: 429 scripted failure]"
    stream = heard_in("qwen", {"type": "system", "subtype": "retry", "data": data}, errors=said)
    assert (stream.over, stream.cause, stream.reset_after) == (True, "quota", 60.0)
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": 90000,
        "error_status": 529,
        "error": "overloaded",
    }
    stream = heard_in("claude-code", retry)
    assert (stream.over, stream.cause) == (True, "outage")
    stream = heard_in("claude-code", retry | {"retry_delay_ms": 1000})
    assert (stream.over, stream.cause) == (False, None)


def test_the_words_of_a_sub_agent_are_not_the_agents() -> None:
    own = {"id": "1", "content": [{"type": "text", "text": "mine"}]}
    other = {"id": "2", "content": [{"type": "text", "text": "the sub-agent's"}]}
    events = [{"type": "assistant", "message": own}, {"type": "assistant", "message": other, "parent_tool_use_id": "t"}]
    assert heard_in("claude-code", *events).text == "mine"


def test_the_text_is_that_of_the_last_message_that_says_anything() -> None:
    def said(identity: str, text: str) -> dict[str, Any]:
        return {
            "type": "message",
            "message": {"id": identity, "role": "assistant", "content": [{"type": "text", "text": text}]},
        }

    stream = heard_in(
        "goose", said("1", "first "), said("1", "thought"), said("2", "the "), said("2", "end"), said("3", " \n")
    )
    assert stream.text == "the end"


def test_tokens_of_a_run_that_was_killed_are_counted_as_far_as_they_are_known() -> None:
    message = {
        "id": "1",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1},
        "content": [],
    }
    again = message | {"usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7}}
    events = [{"type": "assistant", "message": message}, {"type": "assistant", "message": again}]
    stream = heard_in("claude-code", *events, ended=Ended(signal=9))
    assert (stream.input_tokens, stream.output_tokens, stream.cause) == (15, 7, "transient")


def test_what_was_not_allowed_is_told() -> None:
    result = {"type": "result", "is_error": False, "result": "x", "permission_denials": [{"tool_name": "Bash"}]}
    assert heard_in("claude-code", result).denied == ["Bash"]
    permission = {"type": "permission", "title": "rm -rf", "outcome": "denied"}
    assert heard_in("acp", permission, END_TURN).denied == ["rm -rf"]
    waiting = permission | {"outcome": "waiting for a person"}
    assert heard_in("acp", waiting, permission | {"outcome": "allowed"}, END_TURN).denied == []


@pytest.mark.parametrize(
    ("ended", "errors", "cause"),
    [
        (Ended(fault="no such file"), "", "environment"),
        (Ended(code=127), "sh: goose: not found", "environment"),
        (Ended(code=1), "Error: 429 Too Many Requests", "quota"),
        (Ended(code=41), "Invalid auth method selected.", "environment"),
        (Ended(code=1), "connect ECONNREFUSED 127.0.0.1:1", "outage"),
        (Ended(code=1), "", "transient"),
        (Ended(signal=11), "", "transient"),
        (Ended(code=0), "429", None),
    ],
)
@pytest.mark.parametrize("dialect", ["goose", "codex", "opencode", "gemini", "claude-code"])
def test_a_client_without_a_last_event_is_judged_by_how_it_ended(
    dialect: str, ended: Ended, errors: str, cause: str | None
) -> None:
    stream = heard_in(dialect, "a banner", ended=ended, errors=errors)
    assert stream.cause == cause
    assert stream.succeeded is (None if cause is None else False)


def test_a_plain_command_fails_by_its_own_fault_unless_it_plainly_says_otherwise() -> None:
    assert heard_in("text", "tests failed: expected 429", ended=Ended(code=1)).cause is None
    assert heard_in("text", ended=Ended(code=1), errors="No such file or directory").cause is None
    assert heard_in("text", ended=Ended(code=1), errors="HTTP 429 Too Many Requests, retry after 30s").cause == "quota"
    stream = heard_in("text", "one", '{"outcome": "done"}', ended=Ended(code=0))
    assert stream.text == 'one\n{"outcome": "done"}\n' and stream.succeeded is None


@pytest.mark.parametrize(
    ("printed", "errors", "cause"),
    [
        ([], "sh: 1: goose: not found", "environment"),
        (["sh: 1: goose: not found"], "", "environment"),
        ([], "", "environment"),
        (["I look at it"], "sh: 1: pytest: not found", None),
        (["I look at it", "sh: 1: pytest: not found"], "", None),
    ],
)
def test_a_plain_command_that_had_begun_is_not_missing_where_a_command_of_its_work_is(
    printed: list[str], errors: str, cause: str | None
) -> None:
    stream = heard_in("text", *printed, ended=Ended(code=127), errors=errors)
    assert (stream.cause, stream.succeeded) == (cause, False)


def test_continue_prints_an_answer_that_is_json_without_its_envelope() -> None:
    stream = heard_in("cn", '{"outcome": "done", "summary": "x"}')
    assert json.loads(stream.text) == {"outcome": "done", "summary": "x"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
LINES = [
    (dialect_of(file.stem), line)
    for file in sorted(SAMPLES.glob("*.jsonl"))
    for line in file.read_text("utf-8").splitlines()
    if line.startswith("{")
]


def put(value: Any, at: int, other: Any) -> Any:
    """The same value with something else at the n-th place of its tree."""
    place = [at]

    def walk(part: Any) -> Any:
        place[0] -= 1
        if place[0] < 0 and place[0] == -1:
            return other
        if isinstance(part, dict):
            return {key: walk(inner) for key, inner in part.items()}
        return [walk(inner) for inner in part] if isinstance(part, list) else part

    return walk(value)


@given(st.sampled_from(LINES), st.integers(0, 40), JSON)
def test_an_event_with_anything_in_any_place_never_raises(known: tuple[str, str], at: int, other: Any) -> None:
    dialect, line = known
    heard = listener(dialect)
    heard.feed(json.dumps(put(json.loads(line), at, other)))
    heard.feed(line)
    stream = heard.finish(Ended(code=1), "")
    assert isinstance(stream.text, str) and stream.input_tokens >= 0 and 0 <= stream.cost_usd <= 10_000_000


@pytest.mark.parametrize("dialect", DIALECTS)
@given(line=st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_no_line_whatever_raises(dialect: str, line: str) -> None:
    heard = listener(dialect)
    heard.feed(line)
    heard.feed("{" + line)
    assert isinstance(heard.finish(Ended(code=0), line), Stream)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_flood_costs_no_more_memory_than_its_end(dialect: str) -> None:
    heard = listener(dialect)
    flood: list[dict[str, Any]] = [
        {"type": "text", "text": "y" * 700_000, "part": {"messageID": "1", "text": "y" * 700_000}},
        {
            "type": "message",
            "message": {"id": "1", "role": "assistant", "content": [{"type": "text", "text": "y" * 700_000}]},
        },
        {"type": "message", "role": "assistant", "content": "y" * 700_000},
        {"type": "assistant", "message": {"id": "1", "content": [{"type": "text", "text": "y" * 700_000}]}},
    ]
    for event in [*flood, *flood, *flood]:
        heard.feed(json.dumps(event))
    heard.feed("x" * 3_000_000)
    heard.feed("[" * 3_000_000)
    heard.feed('{"a":' * 100_000)
    assert len(heard.finish(Ended(code=0), "").text) <= TEXT_MAX


def test_a_dialect_that_nobody_speaks_is_refused() -> None:
    with pytest.raises(Invalid, match="klingon"):
        listener("klingon")
    assert isinstance(listener("text"), Listener)
