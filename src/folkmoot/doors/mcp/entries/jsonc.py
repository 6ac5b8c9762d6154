"""JSON with comments and trailing commas, read with the places where things stand: so that one entry can be put in
and every other letter of the file stays."""

import json
import re
from typing import Any

from msgspec import Struct

SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
OTHER = re.compile(r"[-+.\w]+")
DEPTH_MAX = 100


class Spot(Struct, frozen=True):
    """A value, and where it stands; of an object also where each of its values does."""

    value: Any
    start: int
    end: int
    parts: "dict[str, Spot]"


def read(text: str) -> Spot:
    """The one value of the text; ValueError if it is not JSON, comments aside."""
    reader = _Reader(text)
    found = reader.value(reader.after_space(0), 0)
    if reader.after_space(found.end) != len(text):
        raise ValueError(f"there is more behind the end, at {found.end}")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def after_space(self, place: int) -> int:
        found = SPACE.match(self._text, place)
        return found.end() if found else place

    def value(self, place: int, depth: int) -> Spot:
        if depth > DEPTH_MAX:
            raise ValueError("it is too deep")
        letter = self._text[place : place + 1]
        if letter == "{":
            return self._object(place, depth)
        if letter == "[":
            return self._list(place, depth)
        found = (TEXT if letter == '"' else OTHER).match(self._text, place)
        if found is None:
            raise ValueError(f"no value at {place}")
        return Spot(json.loads(found[0]), place, found.end(), {})

    def _object(self, start: int, depth: int) -> Spot:
        parts: dict[str, Spot] = {}
        place, comma = self.after_space(start + 1), False
        while self._text[place : place + 1] != "}":
            if parts and not comma:
                raise ValueError(f"a comma is missing at {place}")
            name = TEXT.match(self._text, place)
            if name is None:
                raise ValueError(f"no name at {place}")
            place = self.after_space(name.end())
            if self._text[place : place + 1] != ":":
                raise ValueError(f"no colon at {place}")
            key = json.loads(name[0])
            if key in parts:
                raise ValueError(f"{key!r} stands twice")
            parts[key] = found = self.value(self.after_space(place + 1), depth + 1)
            place, comma = self._after_comma(found.end)
        value = {name: part.value for name, part in parts.items()}
        return Spot(value, start, place + 1, parts)

    def _list(self, start: int, depth: int) -> Spot:
        values: list[Any] = []
        place, comma = self.after_space(start + 1), True
        while self._text[place : place + 1] != "]":
            if not comma:
                raise ValueError(f"a comma is missing at {place}")
            found = self.value(place, depth + 1)
            values.append(found.value)
            place, comma = self._after_comma(found.end)
        return Spot(values, start, place + 1, {})

    def _after_comma(self, place: int) -> tuple[int, bool]:
        place = self.after_space(place)
        if self._text[place : place + 1] == ",":
            return self.after_space(place + 1), True
        return place, False


def with_entry(text: str, path: list[str], entry: Any) -> str:
    """The text with the entry at this path, in place of one that is there."""
    spot = read(text)
    for depth, name in enumerate(path):
        if not isinstance(spot.value, dict):
            raise ValueError(f"{'.'.join(path[:depth]) or 'it'} is no object")
        if name not in spot.parts:
            for left in reversed(path[depth + 1 :]):
                entry = {left: entry}
            return _put_in(text, spot, name, entry, depth + 1)
        spot = spot.parts[name]
    return text[: spot.start] + _written(entry, len(path)) + text[spot.end :]


def _put_in(text: str, spot: Spot, name: str, entry: Any, depth: int) -> str:
    """As the first of the object: behind its brace nothing has to be known of what follows."""
    place = spot.start + 1
    rest = text[place:]
    new = f"\n{'  ' * depth}{json.dumps(name)}: {_written(entry, depth)}{',' if spot.parts else ''}"
    if not spot.parts and not text[place : spot.end - 1].strip():
        return f"{text[:place]}{new}\n{'  ' * (depth - 1)}{text[spot.end - 1 :]}"
    line = rest.split("\n", 1)[0].strip()
    return text[:place] + new + ("" if not line or line.startswith("//") else f"\n{'  ' * depth}") + rest.lstrip(" \t")


def _written(entry: Any, depth: int) -> str:
    return json.dumps(entry, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)
