"""The one gate for words that come in: what cannot be stored the same way everywhere is refused by name."""

from math import isfinite

import msgspec

from folkmoot.core.commands import Command, LockPaths, ReportRun, SendMessage
from folkmoot.errors import Invalid

COMMAND_BYTES_MAX = 1_000_000
DEPTH_MAX = 50


def encoded(command: Command) -> bytes:
    """The command as canonical bytes, refusing NUL characters, lone surrogates, huge numbers and huge texts."""
    try:
        data = msgspec.json.encode(command)
    except (UnicodeEncodeError, OverflowError, ValueError, RecursionError) as error:
        raise Invalid("bad_text", f"a text or number cannot be stored: {error}", "remove it and try again") from error
    if len(data) > COMMAND_BYTES_MAX:
        raise Invalid(
            "too_large",
            f"{len(data)} bytes are more than the {COMMAND_BYTES_MAX} a command may have",
            "keep large texts in files and name the file",
        )
    # Looking at every value takes its time, and hardly any command needs it.
    suspect = b"\\u0000" in data or _has_numbers(command)
    if suspect and has_unstorable(msgspec.to_builtins(command)):
        raise Invalid("bad_text", "a text holds a NUL character, or a number is too large", "remove it and try again")
    return data


def _has_numbers(command: Command) -> bool:
    if isinstance(command, ReportRun):
        report = command.report
        return bool(report.usage or report.tests or report.findings or report.integration_points or report.extra)
    return isinstance(command, (SendMessage, LockPaths))


def has_unstorable(value: object) -> bool:
    """A NUL, a lone surrogate, a number no store can keep, or nesting too deep, anywhere in these plain values?"""
    queue: list[tuple[object, int]] = [(value, 0)]
    while queue:
        part, depth = queue.pop()
        if isinstance(part, str):
            if "\0" in part or (not part.isascii() and any("\ud800" <= letter <= "\udfff" for letter in part)):
                return True
        elif isinstance(part, float):
            if not isfinite(part):
                return True
        elif isinstance(part, int):
            if abs(part) >= 1 << 63:
                return True
        elif isinstance(part, dict | list):
            if depth == DEPTH_MAX:
                return True
            inner = [*part, *part.values()] if isinstance(part, dict) else part
            queue += [(value, depth + 1) for value in inner]
    return False
