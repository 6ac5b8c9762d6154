"""What a client says while it only tries to connect again is no sign of life, and a tool that runs is."""

from typing import Any

import pytest

from folkmoot.worker.clients.waiting import begins_tool, only_retries

CODEX = '{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion: failed to lookup)"}'
CODEX_LOG = (
    "2026-11-18T00:55:25.416953Z ERROR codex_api::endpoint::responses_websocket: "
    "failed to connect to Responses WebSocket stage=Unknown"
)


@pytest.mark.parametrize(
    ("line", "retries"),
    [
        (CODEX, True),
        (CODEX_LOG, True),
        ('{"type":"system","subtype":"api_retry","attempt":1,"retry_delay_ms":500}', True),
        ('{"type":"auto_retry_start","attempt":1}', True),
        ("Attempt 1 failed with status 500. Retrying with backoff...", True),
        ("Reconnecting to the server", True),
        ('{"type":"text","id":"","text":"Info: Request failed due to a transient API error. Retrying..."}', True),
        ('{"type":"text","id":"","text":"Info: I begin"}', False),
        ('{"type":"error","message":"exceeded retry limit, last status: 429"}', False),
        ('{"type":"item.completed","item":{"type":"agent_message","text":"Reconnecting the pool"}}', False),
        ("I am retrying the test", False),
        ("", False),
    ],
)
def test_a_line_that_only_says_that_it_tries_again(line: str, retries: bool) -> None:
    assert only_retries(line) is retries


@pytest.mark.parametrize(
    ("event", "begins"),
    [
        ({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash"}]}}, True),
        ({"type": "assistant", "message": {"content": [{"type": "text", "text": "x"}]}}, False),
        ({"type": "message", "message": {"content": [{"type": "toolRequest"}]}}, True),
        ({"type": "message", "message": {"content": [{"type": "toolResponse"}]}}, False),
        ({"type": "item.started", "item": {"type": "command_execution"}}, True),
        ({"type": "item.completed", "item": {"type": "command_execution"}}, False),
        ({"type": "tool_use", "tool_name": "run_shell_command"}, True),
        ({"type": "tool_use", "part": {"state": {"status": "completed"}}}, False),
        ({"type": "tool.execution_start"}, True),
        ({"type": "tool", "status": "pending"}, True),
        ({"type": "tool", "status": "completed"}, False),
        ({"type": "turn.started"}, False),
    ],
)
def test_an_event_with_which_a_tool_begins(event: dict[str, Any], begins: bool) -> None:
    assert begins_tool(event) is begins
