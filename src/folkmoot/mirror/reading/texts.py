"""Bytes to plain values. What may only be half written is told from what is wrong."""

import json
from typing import Any

import yaml

from folkmoot.core.input_limits import has_unstorable
from folkmoot.errors import Invalid

NODES_MAX = 100_000


class Unfinished(Invalid):
    """It cannot be read now; if it is only half written it can later."""


def text_of(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfinished("bad_text", "it is not UTF-8 text: {why}", "save it as UTF-8", error.reason) from error
    if not text.strip():
        raise Unfinished("empty_file", "it is empty", "write it whole; best under another name, then rename it")
    return text


def json_object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text_of(data), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Unfinished("bad_json", "it is no JSON: {why}", "write one JSON object", str(error)) from error
    if not isinstance(value, dict):
        raise Invalid("bad_json", "it is not one JSON object", "write one JSON object")
    return _storable(value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def yaml_mapping(data: bytes) -> dict[str, Any]:
    """Every value as the text that stands there; nothing is guessed to be a date or a number."""
    text = text_of(data)
    try:
        for count, event in enumerate(yaml.parse(text, Loader=yaml.CBaseLoader)):
            if isinstance(event, yaml.AliasEvent) or count > NODES_MAX:
                raise Invalid("bad_yaml", "it has an alias, or too many parts", "write every value out")
        value = yaml.load(text, Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise Unfinished("bad_yaml", "it is no YAML: {why}", "write it as the mirror does", told[:300]) from error
    if not isinstance(value, dict):
        raise Unfinished("bad_yaml", "it is not keys and values", "write it as the mirror does")
    return _storable(value)


def _storable(value: dict[Any, Any]) -> dict[str, Any]:
    if has_unstorable(value) or not all(isinstance(key, str) for key in value):
        raise Invalid("bad_text", "it holds what no store can keep: a NUL, a huge number, deep nesting", "remove it")
    return value


def known_keys(found: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = [key for key in found if key not in known]
    if unknown:
        words = "{where}: unknown field {field!r}"
        raise Invalid("unknown_field", words, "fields: {known}", where, str(unknown[0])[:80], list(known))


def text_in(found: dict[str, Any], key: str, where: str) -> str | None:
    """The text under a key; None where there is none, or null."""
    value = found.get(key)
    if value is None or value == "null" or value == "~" or value == "":
        return None
    if not isinstance(value, str):
        raise Invalid("bad_value", "{where}: {key} is no text", "write one value there", where, key)
    return value
