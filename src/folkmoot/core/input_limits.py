"""The one gate for words that come in: what cannot be stored the same way everywhere is refused by name."""

from functools import lru_cache
from math import isfinite

import msgspec
from msgspec import UNSET, Struct

from folkmoot.core.commands import (
    AddItem,
    DispatchAgent,
    EditItem,
    LockPaths,
    ReportRun,
    WidenRun,
)
from folkmoot.core.decoding import reader
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid

COMMAND_BYTES_MAX = 1_000_000
DEPTH_MAX = 50
NAME_BYTES_MAX = 1_000  # of a speaker and of a key: a store finds answers by both, in an index with little room
PATHS_MAX = 1_000
PART_BYTES_MAX = 255  # of a name in a path: no file system has longer ones
_DRIVE = pattern(r"[A-Za-z]:")
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def encoded(command: Struct) -> bytes:
    """A command, or a request for one, as canonical bytes. NUL characters, lone surrogates, huge numbers and huge texts
    are refused."""
    try:
        data = msgspec.json.encode(command)
    except (UnicodeEncodeError, OverflowError, ValueError, RecursionError, TypeError) as error:
        words = "a text or number cannot be stored: {why}"
        raise Invalid("bad_text", words, "remove it and try again", str(error)) from error
    if len(data) > COMMAND_BYTES_MAX:
        words = "{bytes} bytes are more than the {limit} a command may have"
        raise Invalid("too_large", words, "keep large texts in files and name the file", len(data), COMMAND_BYTES_MAX)
    try:
        # What Python lets through here no store could read back: a number for a text, one text for a list of them.
        understood = reader(type(command))(data)
    except msgspec.ValidationError as error:
        if has_unstorable(msgspec.to_builtins(command)):
            raise _unstorable(command) from error
        words = "a value of {command} is of another kind: {why}"
        hint = "give a text for a text, and a list for a list"
        raise Invalid("bad_value", words, hint, type(command).__name__, str(error)) from error
    # Looking at every value takes its time, and hardly any command needs it.
    # What JSON cannot say is written as null: then what is read back is not what was given.
    suspect = b"\\u0000" in data or _has_numbers(command) or understood != command
    if suspect and has_unstorable(msgspec.to_builtins(command)):
        raise _unstorable(command)
    _check_paths(command)
    if isinstance(command, (AddItem, DispatchAgent)) and not _can_be_seen(command):
        raise Invalid("bad_title", "nobody could see this title", "say in words what should be done", field="title")
    return data


def _unstorable(command: Struct) -> Invalid:
    words = "a text holds a NUL character, or a number is too large"
    fields = [name for name, value in msgspec.to_builtins(command).items() if has_unstorable(value)]
    return Invalid("bad_text", words, "remove it and try again", fields=fields)


def _check_paths(command: Struct) -> None:
    """Paths that some machine could not have, or would take for another: what they mean is the rules' business."""
    if isinstance(command, (AddItem, EditItem)):
        paths = command.files
    elif isinstance(command, (LockPaths, WidenRun)):
        paths = command.paths
    else:
        return
    if paths is UNSET or not paths:
        return
    if len(paths) > PATHS_MAX:
        words = "{count} paths are more than {limit}"
        raise Invalid("bad_path", words, "name the folders they are in", len(paths), PATHS_MAX)
    for path in paths:
        fault = path_fault(path)
        if fault:
            words = "{path!r} cannot be used: {why}"
            raise Invalid("bad_path", words, "like src/auth/reset.py or src/auth/", path[:80], str(fault))


@lru_cache(4096)
def path_fault(path: str) -> str | None:
    """Why a path cannot be named by anybody, wherever it leads; None if it can."""
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if any(len(part.encode("utf-8")) > PART_BYTES_MAX for part in parts):
        return f"a name in it has more than {PART_BYTES_MAX} bytes"
    if any(part[-1] in " ." for part in parts):
        return "a name in it ends with a dot or a space"
    if path.startswith("-"):
        return "it begins like an option"
    if "*" in path or "?" in path:
        return "it is a pattern, and names no file"
    if _DRIVE.match(path):
        return "write it from the project's root on, not from a drive's"
    if any(letter in _TURNING for letter in path):
        return "it holds a letter that turns the others round"
    return None


def _can_be_seen(command: AddItem | DispatchAgent) -> bool:
    words: object = command.title if isinstance(command, AddItem) else command.task
    # An empty one has a refusal of its own.
    return isinstance(words, str) and (
        not words.strip() or any(letter.isprintable() and not letter.isspace() for letter in words)
    )


def checked_name(name: str) -> str:
    """The name of an actor, if it can be stored and shown."""
    if not _is_name(name):
        words = "a name has 1 to {limit} bytes, and no NUL among them"
        raise Invalid("bad_name", words, "say who is speaking with a shorter name", NAME_BYTES_MAX)
    return name


def checked_key(key: str | None) -> str | None:
    """The key under which an answer is kept, if it can be stored."""
    if key is not None and not _is_name(key):
        words = "a key has 1 to {limit} bytes, and no NUL among them"
        raise Invalid("bad_key", words, "use a short one, such as a random number", NAME_BYTES_MAX)
    return key


def _is_name(word: object) -> bool:
    return isinstance(word, str) and not has_unstorable(word) and 0 < len(word.encode()) <= NAME_BYTES_MAX


def check_words(**words: object) -> None:
    """What is asked for by an id or a filter: a text that a store could hold, or nothing."""
    for name, word in words.items():
        if word is not None and (not isinstance(word, str) or has_unstorable(word)):
            hint = "give a text, such as an item's id"
            raise Invalid("bad_value", "{name}: {value} is no text", hint, name, ascii(word)[:80])


def _has_numbers(command: Struct) -> bool:
    if isinstance(command, ReportRun):
        report = command.report
        return bool(report.usage or report.tests or report.findings or report.integration_points or report.extra)
    return "payload" in command.__struct_fields__  # a message's


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
        elif isinstance(part, dict | list | tuple | set | frozenset):
            if depth == DEPTH_MAX:
                return True
            inner = [*part, *part.values()] if isinstance(part, dict) else list(part)
            queue += [(value, depth + 1) for value in inner]
    return False
