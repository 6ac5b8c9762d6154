"""Which listener understands which dialect."""

from folkmoot.errors import Invalid
from folkmoot.worker.clients.causes import Now, Tells
from folkmoot.worker.clients.streams.acp import AcpListener
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.claude import ClaudeListener, QwenListener
from folkmoot.worker.clients.streams.codex import CodexListener
from folkmoot.worker.clients.streams.copilot import CopilotListener
from folkmoot.worker.clients.streams.gemini import GeminiListener
from folkmoot.worker.clients.streams.goose import GooseListener
from folkmoot.worker.clients.streams.opencode import OpenCodeListener
from folkmoot.worker.clients.streams.pi import PiListener
from folkmoot.worker.clients.streams.plain import AiderListener, ContinueListener, MiniListener, TextListener

DIALECTS: dict[str, type[Listener]] = {
    "text": TextListener,
    "acp": AcpListener,
    "claude-code": ClaudeListener,
    "codex": CodexListener,
    "opencode": OpenCodeListener,
    "gemini": GeminiListener,
    "qwen": QwenListener,
    "goose": GooseListener,
    "copilot": CopilotListener,
    "aider": AiderListener,
    "mini-swe-agent": MiniListener,
    "pi": PiListener,
    "cn": ContinueListener,
}


def listener(dialect: str, now: Now | None = None, tells: Tells | None = None) -> Listener:
    """The listener for a dialect. With `now` the hour at which a quota is there again can be understood too.

    `tells` are words of this very client, by the trouble that they tell."""
    if dialect not in DIALECTS:
        words = "nobody understands the dialect {dialect!r}"
        raise Invalid("unknown_dialect", words, "use one of {known}", dialect, list(DIALECTS))
    heard = DIALECTS[dialect](now)
    heard.tells = tells or {}
    return heard
