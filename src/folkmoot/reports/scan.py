"""JSON objects in a text, found in one pass: balanced braces, strings known, nothing looked at again and again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.canonical import Faulty, decoder

_SIGNS = pattern(r'\\[^\n]|[{}"\n]')
_BEGINS = pattern(r"""\{\s*["'}]""")
_COLON = pattern(r"\s*:")
_SINGLE_QUOTED = pattern(r"""\{\s*'(outcome|status|type|decision|agentType|schema_version)'\s*:""")
_KEYS_KEPT = 40
_KEY_CHARS_MAX = 40
# How often on average a letter may be read while looking for JSON, before the text is given up as hostile.
_WORK_PER_LETTER = 20
_OBJECTS_MAX = 20_000


@dataclass(slots=True)
class Span:
    """Braces that could hold an object, and the keys seen directly in them."""

    start: int
    end: int  # behind the last brace; -1 while it is open
    begins: bool
    keys: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """An object in the text, or what is wrong with what looks like one."""

    start: int
    end: int
    keys: list[str]
    data: dict[str, Any] | None
    fault: str = ""


def spans(text: str) -> list[Span]:
    """All pairs of braces that could be an object, and the ones nobody closed, in the order in which they begin."""
    found: list[Span] = []
    stack: list[Span] = []
    string_at = -1
    for sign in _SIGNS.finditer(text):
        mark, place = sign.group(), sign.start()
        if mark == "\n":
            string_at = -1  # no string of JSON goes over a line end
        elif mark == '"':
            if stack and stack[-1].begins:
                if string_at >= 0:
                    _keep_key(stack[-1], text, string_at + 1, place)
                    string_at = -1
                else:
                    string_at = place
        elif string_at >= 0 or len(mark) > 1:
            continue
        elif mark == "{":
            stack.append(Span(place, -1, _BEGINS.match(text, place) is not None))
            if stack[-1].begins:
                found.append(stack[-1])
        elif stack:
            stack.pop().end = place + 1
    return found


def _keep_key(span: Span, text: str, start: int, end: int) -> None:
    if end - start <= _KEY_CHARS_MAX and len(span.keys) < _KEYS_KEPT and _COLON.match(text, end + 1):
        span.keys.append(text[start:end])


def objects(
    text: str, meant: Callable[[list[str]], bool], alone: Callable[[list[str]], bool] = lambda keys: False
) -> Iterator[Found]:
    """Every outermost object of the text, and of a list those whose keys speak for themselves (`alone`). What is no
    JSON comes with its fault; unless its keys show that it was meant as a report, it is looked into as well."""
    read = decoder()
    behind = work = count = 0
    for span in spans(text):
        if span.start < behind or (is_member(text, span.start) and not alone(span.keys)):
            continue
        count += 1
        if count > _OBJECTS_MAX:
            raise Faulty([f"it holds more than {_OBJECTS_MAX} objects"])
        quoted = _SINGLE_QUOTED.match(text, span.start)
        if quoted:
            span.keys = ["outcome", quoted.group(1)]
            found = Found(span.start, span.end, span.keys, None, "JSON needs double quotes")
        elif span.end < 0:
            found = Found(span.start, -1, span.keys, None, "it is not finished: a closing brace is missing")
        else:
            work += span.end - span.start
            if work > _WORK_PER_LETTER * len(text):
                raise Faulty(["it holds too many braces that are no JSON"])
            found = _read(read, text, span)
        if found.data is not None or meant(found.keys):
            behind = max(behind, found.end)
        yield found


def _read(read: json.JSONDecoder, text: str, span: Span) -> Found:
    # A slice, since an error counts the lines before it: from the start of the text that would be long.
    try:
        data, end = read.raw_decode(text[span.start : span.end])
    except json.JSONDecodeError as error:
        fault = f"it is not JSON: {error.msg} at letter {span.start + error.pos + 1}"
    except (ValueError, RecursionError) as error:
        fault = f"it is not JSON: {error}"
    else:
        return Found(span.start, span.start + end, span.keys, data)
    return Found(span.start, span.end, span.keys, None, fault)


def is_member(text: str, start: int) -> bool:
    """Does the brace, or the bracket, stand in a list, or behind a key?"""
    place = _before(text, start)
    sign = text[place : place + 1] if place >= 0 else ""
    if sign == "[":
        return True
    if sign in (",", ":") and place > 0:
        place = _before(text, place)
        return place >= 0 and text[place] in ('}]"' if sign == "," else '"')
    return False


def _before(text: str, place: int) -> int:
    """Where the last letter before this place is that is no space."""
    place -= 1
    while place >= 0 and text[place].isspace():
        place -= 1
    return place
