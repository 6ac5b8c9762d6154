"""The kinds of value that words from outside are read as.

msgspec works out how to read a kind when it is first needed, and two threads that need it at once can bring the whole
process down. So that is done here, one at a time; afterwards any number of threads may read.
"""

from _thread import allocate_lock
from collections.abc import Callable
from typing import Any

import msgspec

from folkmoot.core.vocabulary.patterns import pattern

_making = allocate_lock()
# Making one costs more than using it a hundred times, and one command needs few of them.
_readers: dict[Any, Callable[..., Any]] = {}


def reader(kind: Any) -> Callable[..., Any]:
    """What reads JSON as this kind."""
    known = _readers.get(kind)
    if known is None:
        with _making:
            known = _readers[kind] = msgspec.json.Decoder(kind).decode
    return known


def converted(value: Any, kind: Any) -> Any:
    """A value that was read already, as this kind."""
    reader(kind)
    return msgspec.convert(value, kind)


_PLACE = pattern(r" - at (?:`key` in )?`\$\.?(.*)`$")
_OTHER_KIND = pattern(r"Expected `([a-z | ]+)`, got `([a-z]+)`")
_OTHER_WORD = pattern(r"Invalid enum value '(.*)'")
_UNKNOWN = pattern(r"Object contains unknown field `(.+)`")
_MISSING = pattern(r"Object missing required field `(.+)`")
KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def misfit(error: Exception) -> str:
    """Why a value does not fit, in plain words: where, what is there, and what belongs there."""
    said = str(error)
    at = _PLACE.search(said)
    place, said = (at[1], said[: at.start()]) if at else ("", said)
    if (other := _OTHER_KIND.fullmatch(said)) is not None:
        wanted = " or ".join(KINDS.get(kind, kind) for kind in other[1].split(" | "))
        return f"{place or 'it'} is {KINDS.get(other[2], other[2])}, and must be {wanted}"
    if (word := _OTHER_WORD.fullmatch(said)) is not None:
        return f"{place or 'it'} is '{word[1]}', which is no word of its list"
    if (field := _UNKNOWN.fullmatch(said)) is not None:
        return f"{place or 'it'} has the unknown field `{field[1]}`"
    if (field := _MISSING.fullmatch(said)) is not None:
        return f"{place}.{field[1]} is missing" if place else f"{field[1]} is missing"
    return f"{said} - at {place}" if place else said
