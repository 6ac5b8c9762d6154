"""The secrets of a file that is JSON, YAML, TOML or XML, by the names that its structure gives to their values.

A value is read as its own format reads it, so no way of writing it hides it: an escape, a block of several lines, an
alias, an element instead of an attribute. A file that its format does not read says nothing here; what it says in
lines, `said` knows.
"""

import base64
import binascii
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

from folkmoot.worker.secrets.looks import looks_secret

YAML_CHARS_MAX = TOML_CHARS_MAX = XML_CHARS_MAX = 300_000  # read by slow readers
VALUES_MAX = 100_000
YAML_DEPTH_MAX = 100  # the parser's time grows with the square of it
PAIR_NAMES, PAIR_VALUES = ("name", "key", "id"), ("value", "default", "secret")
Read = Callable[[str], Iterable[Any]]


def structured_secrets(file: str, text: str) -> Iterator[tuple[str, str]]:
    """Each with the name under which it stands: its own, or that of what it is a part of."""
    read = _reader(file, text)
    try:
        whole = list(read(text)) if read is not None else []
    except (ValueError, RecursionError, ElementTree.ParseError):
        return
    left: list[tuple[str, Any]] = [("", one) for one in whole]
    seen = set[int]()  # an alias leads to the same value again
    for _ in range(VALUES_MAX):
        if not left:
            return
        name, value = left.pop()
        if isinstance(value, dict | list) and id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            left += [(name, part) for part in reversed(value)]
        elif isinstance(value, dict):
            yield from _paired(value)
            left += [(_name_of(part, name), inner) for part, inner in reversed(value.items())]
        elif name and value is not None and not isinstance(value, bool):
            yield name, str(value)


def _name_of(part: object, around: str) -> str:
    """What is below a name of a secret is secret, whatever its own name is; else what its own name says."""
    own = str(part)
    return own if looks_secret(own) else around


def _paired(mapping: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """`{name: DB_PASSWORD, value: …}`, and a Secret of Kubernetes, of which each value is one."""
    names = [name for key in PAIR_NAMES if isinstance(name := mapping.get(key), str) and looks_secret(name)]
    values = [value for key in PAIR_VALUES if isinstance(value := mapping.get(key), str)]
    yield from ((names[0], value) for value in values if names)
    if mapping.get("kind") == "Secret":
        for section in ("data", "stringData"):
            entries = mapping.get(section)
            for name, value in entries.items() if isinstance(entries, dict) else ():
                yield str(name), str(value)
                yield from ((str(name), plain) for plain in _decoded(str(value)) if section == "data")


def _decoded(value: str) -> Iterator[str]:
    try:
        yield base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return


def _reader(file: str, text: str) -> Read | None:
    """By the name of the file; where it says nothing, by how the text begins."""
    name, begin = file.lower(), text.lstrip("\ufeff \t\r\n")[:1]
    if name.endswith(".toml"):
        return _toml
    if name.endswith((".yaml", ".yml")):
        return _yaml
    if begin == "<":
        return _xml
    return _json if begin in ("{", "[") else None


def _json(text: str) -> Iterator[Any]:
    """Also one value on each line, as logs and lists have them."""
    text = text.lstrip("\ufeff")
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines()[:VALUES_MAX]:
            yield json.loads(line) if line.strip() else None


def _toml(text: str) -> Iterator[Any]:
    if len(text) <= TOML_CHARS_MAX:
        yield tomllib.loads(text)


def _xml(text: str) -> Iterator[Any]:
    """Entities are not followed: a file that declares some is left to what knows lines."""
    if len(text) > XML_CHARS_MAX or "<!ENTITY" in text:
        return
    for element in ElementTree.fromstring(text).iter():
        tag, attributes = element.tag.rpartition("}")[2], element.attrib
        named = [attributes[key] for key in PAIR_NAMES if key in attributes]
        said = "".join(element.itertext()).strip() if not len(element) else (element.text or "").strip()
        for name in (tag, *named):
            yield {name: [said, *(attributes[key] for key in PAIR_VALUES if key in attributes)]}
        yield attributes


def _yaml(text: str) -> Iterator[Any]:
    """From the parser's events, since a tree of them is as deep as the file wants."""
    if len(text) > YAML_CHARS_MAX:
        return
    import yaml  # only where a run gets such a file

    known: dict[str | None, Any] = {}  # by its anchor
    whole: list[Any] = []
    parts = [_Part(whole)]
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.CollectionEndEvent):
                parts.pop()
            elif isinstance(event, yaml.AliasEvent):
                parts[-1].add(known.get(event.anchor))
            elif isinstance(event, yaml.NodeEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                value = event.value if isinstance(event, yaml.ScalarEvent) else {} if is_mapping else []
                known[event.anchor] = value
                parts[-1].add(value)
                if len(parts) > YAML_DEPTH_MAX:
                    return
                if not isinstance(value, str):
                    parts.append(_Part(value))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    yield whole


class _Part:
    """A mapping or a list that is being read."""

    def __init__(self, into: Any) -> None:
        self._into = into
        self._key: str | None = None

    def add(self, value: Any) -> None:
        if isinstance(self._into, list):
            self._into.append(value)
        elif self._key is None:
            self._key = str(value)
        else:
            self._into[self._key], self._key = value, None
