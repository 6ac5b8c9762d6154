"""Claude Code `--output-format stream-json`, and Qwen Code, which prints the same events with other numbers."""

from typing import Any

from folkmoot.core.records import Window
from folkmoot.worker.clients.causes import Now
from folkmoot.worker.clients.printed import at, cost, count, number, parts, plain, words
from folkmoot.worker.clients.streams.base import Listener
from folkmoot.worker.clients.streams.telling import Utterance, error, tool

WINDOWS_MAX = 8
_NO_TOKENS = (0, 0, 0)
_MESSAGES_MAX = 10_000  # messages whose tokens are remembered for a run that never gets to its result
_LONG_WAIT = 30.0  # seconds
_EVENTS = ("system", "assistant", "user", "result", "rate_limit_event", "stream_event", "control_request")
_OWN_WORDS = "<synthetic>"  # the model of a message that Claude Code wrote itself, to tell an error


class ClaudeListener(Listener):
    """Its last event is `result`. A refused request keeps `subtype: success`, so `is_error` is what counts."""

    def __init__(self, now: Now | None = None) -> None:
        super().__init__(now)
        self._spent: dict[str, tuple[int, int, int]] = {}
        self._reset_at: int = 0

    def hear(self, event: dict[str, Any]) -> None:
        match words(event, "type"):
            case "assistant":
                self._hear_message(event)
            case "system":
                self._hear_wait(event)
            case "rate_limit_event":
                # It also tells when a limit will end that is not reached.
                reached = not words(event, "rate_limit_info", "status").startswith("allowed")
                self._reset_at = number(event, "rate_limit_info", "resetsAt") if reached else 0
                self._hear_window(at(event, "rate_limit_info"))
            case "result":
                self._hear_result(event)

    def uttered(self, event: dict[str, Any]) -> list[Utterance] | None:
        kind, message = words(event, "type"), at(event, "message")
        if kind not in _EVENTS or (kind in ("assistant", "user") and not isinstance(message, dict)):
            return None
        if kind == "result" and "is_error" not in event and "subtype" not in event:
            return None
        if kind == "result":
            failed = bool(event.get("is_error")) or words(event, "subtype").startswith("error")
            return error(words(event, "result") or event.get("errors") or words(event, "subtype")) if failed else []
        told: list[Utterance] = []
        for part in parts(message, "content"):
            match words(part, "type"):
                case "text" if kind == "assistant" and words(message, "model") == _OWN_WORDS:
                    told += error(words(part, "text"))
                case "text" if kind == "assistant":
                    told.append(Utterance("text", words(part, "text")))
                case "tool_use":
                    told.append(tool(words(part, "name"), at(part, "input")))
                case "tool_result" if part.get("is_error"):
                    told += error(part.get("content"))
        return told

    def _hear_window(self, told: Any) -> None:
        used, resets = at(told, "utilization"), number(told, "resetsAt")
        share = float(used) if isinstance(used, int | float) and not isinstance(used, bool) and 0 <= used <= 1 else None
        name = words(told, "rateLimitType")[:40].replace("_", " ") or "quota"
        window = Window(name, share, resets * 1000 if 0 < resets < 10**11 else None, words(told, "status")[:40])
        self.stream.windows = [*(one for one in self.stream.windows if one.name != name), window][-WINDOWS_MAX:]

    def _hear_wait(self, event: dict[str, Any]) -> None:
        """A short wait before it tries again is its own affair; a long one is the board's, which has other work."""
        retry = event if words(event, "subtype") == "api_retry" else at(event, "data")
        wait = (number(retry, "retry_delay_ms") or number(retry, "delayMs")) / 1000
        if words(event, "subtype") in ("api_retry", "retry") and wait >= _LONG_WAIT:
            self.fail(
                f"{words(retry, 'error')} it would retry after {wait:.0f} seconds".strip(), at(retry, "error_status")
            )
            self.end(False)

    def _hear_message(self, event: dict[str, Any]) -> None:
        message = at(event, "message")
        identity = words(message, "id")
        self._spend(identity, self.tokens(at(message, "usage")))
        # The words of a sub-agent are for the agent that called it.
        if words(message, "model") == _OWN_WORDS or at(event, "parent_tool_use_id"):
            return
        for part in parts(message, "content"):
            if part.get("type") == "text":
                self.last.add(identity, words(part, "text"))

    def _spend(self, identity: str, tokens: tuple[int, int, int]) -> None:
        """Each part of a message tells the tokens of the whole anew; a killed run has no other count."""
        before = self._spent.get(identity, _NO_TOKENS)
        if before != _NO_TOKENS or len(self._spent) < _MESSAGES_MAX:
            self._spent[identity] = tokens
            self.stream.input_tokens += tokens[0] - before[0]
            self.stream.output_tokens += tokens[1] - before[1]
            self.stream.cached_tokens += tokens[2] - before[2]

    def tokens(self, usage: Any) -> tuple[int, int, int]:
        """Read, written, and of those read what came from the cache, which Claude counts apart."""
        cached = count(usage, "cache_read_input_tokens")
        read = count(usage, "input_tokens") + count(usage, "cache_creation_input_tokens") + cached
        return read, count(usage, "output_tokens"), cached

    def _hear_result(self, event: dict[str, Any]) -> None:
        told = words(event, "result")
        self._hear_usage(event)
        self.stream.denied = [words(part, "tool_name") or "a tool" for part in parts(event, "permission_denials")]
        failed = bool(event.get("is_error")) or words(event, "subtype").startswith("error")
        # Qwen Code 0.15 tells a failed request as a success.
        if failed or (told.startswith("[API Error") and told.endswith("]")):
            error = told or words(event, "error", "message") or plain(event.get("errors") or event.get("error"))
            # Where only the words look like a failure they are perhaps the model's.
            reset = f" resets at {self._reset_at}" if self._reset_at and failed else ""
            status = event.get("api_error_status") if failed else None
            self.fail((error or words(event, "subtype")) + reset, status, shown=bool(reset))
            if words(event, "subtype") == "error_max_turns":
                self.known_cause = "capability"
            self.end(False)
            return
        if told.strip():
            self.last.add("result", told)
        self.recover()
        # A turn that waits in its queue goes on with another result.
        if not number(event, "queued_turn_count"):
            self.end(True)

    def _hear_usage(self, event: dict[str, Any]) -> None:
        models = event.get("modelUsage")
        used = [model for model in models.values() if isinstance(model, dict)] if isinstance(models, dict) else []
        if used:
            into = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
            self.stream.input_tokens = sum(count(model, key) for model in used for key in into)
            self.stream.output_tokens = sum(count(model, "outputTokens") for model in used)
            self.stream.cached_tokens = sum(count(model, "cacheReadInputTokens") for model in used)
        elif isinstance(event.get("usage"), dict):
            read, written, cached = self.tokens(event["usage"])
            self.stream.input_tokens, self.stream.output_tokens, self.stream.cached_tokens = read, written, cached
        self.stream.cost_usd = cost(event, "total_cost_usd")


class QwenListener(ClaudeListener):
    def tokens(self, usage: Any) -> tuple[int, int, int]:
        """Qwen's input holds what came from the cache."""
        return count(usage, "input_tokens"), count(usage, "output_tokens"), count(usage, "cache_read_input_tokens")
