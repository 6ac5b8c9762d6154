"""How clients tell that a request failed: as an error, as a turn that ended like any other, or as the agent's words."""

import json
from typing import Any

import pytest

from tests.worker.clients.hearing import END_TURN, SAMPLES, hear, heard_in


@pytest.mark.parametrize(
    ("sample", "cause"),
    [
        *((f"{client}-429", "quota") for client in ("goose", "codex", "opencode", "gemini", "claude", "copilot", "pi")),
        *((f"{client}-400", "environment") for client in ("goose", "codex", "opencode", "gemini", "claude", "copilot")),
        *((f"{client}-400", "environment") for client in ("pi", "qwen", "cn", "aider", "mini")),
        ("aider-429", "quota"),
        ("goose-401", "environment"),
        ("goose-500", "outage"),
        ("acp-goose-429", "quota"),
        ("acp-goose-500", "outage"),
        ("acp-codex-429", "quota"),
        ("acp-goose-400", "environment"),
        ("acp-goose-401", "environment"),
        ("acp-goose-hang", "transient"),
        ("acp-gemini-400", "environment"),
        ("acp-copilot-400", "environment"),
        ("acp-qwen-400", "environment"),
        *((f"{client}-cut", "outage") for client in ("goose", "codex", "opencode", "gemini")),
        *((f"{client}-size", "size") for client in ("goose", "codex", "opencode", "gemini")),
        *((f"acp-{client}-cut", "outage") for client in ("goose", "codex", "opencode")),
        *((f"acp-{client}-size", "size") for client in ("goose", "codex", "opencode")),
        ("acp-codex-400", "environment"),
        ("acp-codex-401", "environment"),
        ("acp-codex-429-warned", "quota"),
        ("acp-codex-500", "outage"),
        ("acp-opencode-400", "environment"),
        ("acp-opencode-401", "environment"),
        ("acp-opencode-429", "quota"),
        ("acp-copilot-mid500", "outage"),
        ("acp-copilot-mid401", "environment"),
        ("acp-codex-mid500", "outage"),
        ("claude-login", "environment"),
    ],
)
@pytest.mark.ledger("R-07")
def test_a_failed_request_is_no_success_and_has_its_cause(sample: str, cause: str) -> None:
    stream = hear(sample)
    assert (stream.succeeded, stream.cause) == (False, cause)
    assert stream.why


def test_an_agent_that_writes_about_an_error_has_none() -> None:
    """goose tells its own failure in the same words; only what no model said is one."""
    text = "Ran into this error: 429, and fixed it"
    told: dict[str, Any] = {"id": "1", "role": "assistant", "content": [{"type": "text", "text": text}]}
    told |= {"metadata": {"inference": {"provider": "openai"}}}
    stream = heard_in("goose", {"type": "message", "message": told}, {"type": "complete", "output_tokens": 9})
    assert stream.succeeded is True and stream.text.startswith("Ran into")
    tool = {"type": "tool", "title": "edit"}
    for said in ("Info: Request failed due to a typo. Retrying...", "Error: 500 is answered now"):
        report = {"type": "text", "text": f'{said} {{"outcome": "done", "summary": "x"}}'}
        assert heard_in("acp", tool, report, END_TURN).succeeded is True
    words = {"type": "text", "text": "Error: handling is done now. Rate limit of 429 added."}
    stream = heard_in("acp", tool, words, {"type": "end", "stop": "end_turn", "usage": {"output_tokens": 12}})
    assert stream.succeeded is True


@pytest.mark.parametrize("sample", ["goose-silent", "codex-silent"])
def test_a_model_that_talks_without_a_report_has_not_failed_as_a_client(sample: str) -> None:
    stream = hear(sample)
    assert (stream.over, stream.succeeded, stream.cause) == (True, True, None)
    assert stream.text.endswith("add.")


def goose_says(text: str, by_model: bool = False, kind: str = "text") -> dict[str, Any]:
    part = {"type": kind, "text": text, "msg": text, "notificationType": "creditsExhausted"}
    metadata = {"inference": {"provider": "openai"}} if by_model else {}
    message = {"id": text, "role": "assistant", "content": [part], "metadata": metadata}
    return {"type": "message", "message": message}


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Network error: connection reset by peer.\n\nPlease resend your message to try again.", "outage"),
        ("Unable to continue: Context limit still exceeded after compaction. Try using a shorter message", "size"),
        ("The model returned an empty response. Please resend your message to continue.", "outage"),
        ("Ran into this error: Rate limit exceeded: x.", "quota"),
    ],
)
@pytest.mark.ledger("R-07")
def test_a_request_of_goose_that_failed_after_others_had_succeeded_is_a_failure(said: str, cause: str) -> None:
    before = goose_says("I begin", by_model=True)
    stream = heard_in("goose", before, goose_says(said), {"type": "complete", "output_tokens": 20})
    assert (stream.succeeded, stream.cause) == (False, cause)
    assert "Please re" not in stream.why
    stream = heard_in("goose", before, goose_says(said, by_model=True), {"type": "complete", "output_tokens": 20})
    assert (stream.succeeded, stream.cause, stream.text) == (True, None, said)


def test_unknown_words_of_goose_itself_are_a_failure_only_if_no_model_was_paid() -> None:
    words = "Something new is unauthorized here"
    stream = heard_in("goose", goose_says(words), {"type": "complete", "output_tokens": 0})
    assert (stream.succeeded, stream.cause, stream.why) == (False, "environment", f"is not signed in: {words}")
    stream = heard_in("goose", goose_says(words), {"type": "complete", "output_tokens": 3})
    assert (stream.succeeded, stream.cause) == (True, None)
    report = '{"outcome": "done", "summary": "x"}'
    stream = heard_in("goose", goose_says(report), {"type": "complete", "output_tokens": 0})
    assert (stream.succeeded, stream.cause, stream.text) == (None, None, report)


def test_credits_that_are_used_up_are_a_quota() -> None:
    notice = goose_says("Please add credits to your account", kind="systemNotification")
    assert heard_in("goose", notice, {"type": "complete"}).cause == "quota"


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([{"type": "text", "text": "You've hit your usage limit. Try again in 2 hours."}], "quota"),
        ([{"type": "text", "text": "Warning: one\n\nWarning: two\n\nThe server said: status 503"}], "outage"),
        # Nothing plain is said, a report is there, a model was heard, or it is too long to be an error.
        ([{"type": "text", "text": "I looked for the api key and found nothing to do."}], None),
        ([{"type": "text", "text": '429 handled {"outcome": "done", "summary": "x"}'}], None),
        ([{"type": "text", "text": '429 handled {"outcome": "do'}], None),
        ([{"type": "tool", "title": "edit"}, {"type": "text", "text": "Rate limit added, 429 it is."}], None),
        ([{"type": "usage", "usage": {"input_tokens": 5}}, {"type": "text", "text": "Rate limit added."}], None),
        ([{"type": "text", "text": "The rate limit. " * 400}], None),
    ],
)
@pytest.mark.ledger("R-07")
def test_an_answer_by_acp_is_an_error_only_if_no_model_was_heard_and_its_words_are_plain(
    events: list[dict[str, Any]], cause: str | None
) -> None:
    stream = heard_in("acp", *events, END_TURN)
    assert (stream.succeeded, stream.cause) == (cause is None, cause)


def test_the_words_of_goose_by_acp_are_a_failure_whatever_was_heard_before() -> None:
    """Its third request failed: there were tool calls, and tokens are told."""
    end = END_TURN | {"usage": {"input_tokens": 100, "output_tokens": 20}}
    for sample in ("acp-goose-cut", "acp-goose-size", "acp-goose-500"):
        lines = [json.loads(line) for line in (SAMPLES / f"{sample}.jsonl").read_text("utf-8").splitlines()]
        stream = heard_in("acp", {"type": "tool", "title": "edit"}, *lines[:-1], end)
        assert stream.cause == hear(sample).cause is not None


def test_a_turn_without_any_token_is_neither_success_nor_failure() -> None:
    stream = heard_in("goose", {"type": "complete", "total_tokens": 0})
    assert (stream.over, stream.succeeded, stream.cause) == (True, None, None)


def test_qwen_of_old_tells_a_failed_request_as_success() -> None:
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "[API Error: 400 scripted failure]"}
    stream = heard_in("qwen", result)
    assert (stream.succeeded, stream.cause) == (False, "environment")


def test_a_full_context_is_of_its_own_kind() -> None:
    result = {"type": "result", "is_error": True, "api_error_status": 400, "result": "Prompt is too long"}
    assert heard_in("claude-code", result).cause == "size"
    error = {"name": "ContextOverflowError", "data": {"message": "Input exceeds context window of this model"}}
    assert heard_in("opencode", {"type": "error", "error": error}).cause == "size"
    assert heard_in("acp", {"type": "end", "stop": "max_tokens"}).cause == "size"
    assert heard_in("acp", {"type": "end", "stop": "refusal"}).cause == "capability"
