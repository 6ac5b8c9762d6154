"""An object as the documents print it in passing: `{status: completed, commit: "abc123"}`, names without quotes.

Only a text that is nothing else is read so; inside of prose such braces are a quotation.
"""

import re
from typing import Any

from folkmoot.reports.canonical import decoder

_CHARS_MAX = 2_000
_PAIR = re.compile(r'\s*"?([A-Za-z_][A-Za-z0-9_-]*)"?\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,{}\[\]"][^,{}\[\]"]*?)\s*(,|\}\Z)')


def bare_object(text: str) -> dict[str, Any] | None:
    """The flat object that the text is, if it is one; a value without quotes is a number, true, false, or a word."""
    if len(text) > _CHARS_MAX or not text.startswith("{"):
        return None
    found: dict[str, Any] = {}
    place = 1
    while place < len(text):
        pair = _PAIR.match(text, place)
        if pair is None or pair[1] in found:
            return None
        found[pair[1]] = _value(pair[2])
        place = pair.end()
    return found or None


def _value(text: str) -> Any:
    try:
        value, end = decoder().raw_decode(text)
    except ValueError:
        return text
    return value if end == len(text) else text
