"""Playing what a client printed to the listener of its dialect."""

import json
from pathlib import Path
from typing import Any

from folkmoot.worker.clients.listener import listener
from folkmoot.worker.ports import Ended, Stream

SAMPLES = Path(__file__).with_name("samples")
END_TURN = {"type": "end", "stop": "end_turn"}
NAMES = {"claude": "claude-code", "mini": "mini-swe-agent"}
# The exit code that came with the sample, where it was not 0.
CODES = {"goose-401": 1, "codex-429": 1, "codex-400": 1, "opencode-429": 1, "opencode-400": 1, "claude-429": 1}
CODES |= {"claude-400": 1, "qwen-400": 1, "copilot-429": 1, "copilot-400": 1, "cn-400": 1, "mini-400": 1}
CODES |= {"gemini-429": 173, "gemini-400": 144, "acp-goose-401": 1, "acp-gemini-400": 1, "acp-qwen-400": 1}
CODES |= {"acp-goose-hang": 1, "codex-cut": 1, "codex-size": 1, "opencode-cut": 1, "opencode-size": 1, "gemini-cut": 1}
CODES |= {"gemini-size": 144, "acp-codex-401": 1, "acp-opencode-400": 1, "acp-opencode-401": 1, "acp-opencode-429": 1}
CODES |= {"codex-half": 1, "claude-login": 1, "acp-opencode-size": 1, "acp-opencode-cut": 1}


def dialect_of(sample: str) -> str:
    name = sample.split("-")[0]
    return NAMES.get(name, name)


def hear(sample: str) -> Stream:
    heard = listener(dialect_of(sample))
    for line in (SAMPLES / f"{sample}.jsonl").read_text("utf-8").splitlines():
        heard.feed(line)
    errors = SAMPLES / f"{sample}.err"
    tail = errors.read_text("utf-8") if errors.exists() else ""
    return heard.finish(Ended(code=CODES.get(sample, 0)), tail)


def heard_in(dialect: str, *events: Any, ended: Ended | None = None, errors: str = "") -> Stream:
    heard = listener(dialect, now=lambda: 1_800_000_000.0)
    for event in events:
        heard.feed(event if isinstance(event, str) else json.dumps(event))
    return heard.finish(ended or Ended(code=0), errors)
