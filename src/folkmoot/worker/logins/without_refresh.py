"""A credential file as a run gets it: without refresh tokens.

A refresh token that rotates can be used once. Whoever uses it in a run gets the next one, and the user's own file holds
one that is void, or, where the server takes a second use for theft, a login that is revoked. So a run never has one.
"""

import json
import re
import tomllib
from typing import Any

import yaml

# The names under which clients keep a refresh token, without case, `_` and `-`.
_PART, _WHOLE = "refreshtoken", "refresh"
_MOMENTS = ("expiresin", "expiresat", "expires", "expiry", "expirydate", "expiration")  # of a token, no token
_LABELS, _VALUES = {"name", "key", "type", "kind", "id"}, {"value", "token", "secret", "data"}  # a pair as two entries
_DEPTH_MAX = 60
# A key that names one, as text, in any of the formats; for files that cannot be parsed.
_NAMED = re.compile(r"refresh[_-]?token|(?<![a-z0-9])refresh[\"']?\s{0,10}[:=]", re.IGNORECASE)
_KEY = r"(?:[A-Za-z0-9_-]{0,60}refresh[_-]?token|refresh)"
# One in a text of another form, such as a query or lines of a shell.
_ASSIGNED = re.compile(r"refresh[_-]?tokens?[\"']?\s{0,10}[:=]\s{0,10}[^\s,;&]", re.IGNORECASE)
_JSON = re.compile(rf"(\"{_KEY}\"\s{{0,200}}:\s{{0,200}})\"(?:[^\"\\]|\\.){{0,20000}}\"", re.IGNORECASE)
_TOML = re.compile(
    rf"^([ \t]{{0,200}}[\"']?(?:[A-Za-z0-9_.-]{{0,200}}\.)?{_KEY}[\"']?[ \t]{{0,20}}=[ \t]{{0,20}})"
    r"(?:\"(?:[^\"\\\n]|\\.){0,20000}\"|'[^'\n]{0,20000}')",
    re.IGNORECASE | re.MULTILINE,
)
_YAML = re.compile(
    rf"^([ \t]{{0,200}}(?:- )?[\"']?{_KEY}[\"']?:[ \t]{{1,20}})"
    r"(?:\"(?:[^\"\\\n]|\\.){0,20000}\"|'(?:[^'\n]|''){0,20000}'|[^\s\"'#&*!|>\[{][^\n#]{0,20000}?)(?=[ \t]*(?:#|$))",
    re.IGNORECASE | re.MULTILINE,
)


class Unreadable(Exception):
    """The file names a refresh token and cannot be parsed: it cannot be said what would remain in it."""


def without_refresh(name: str, content: bytes) -> bytes:
    """The content with every refresh token emptied. The keys stay: clients decode strictly. The rest stays as it is."""
    text = content.decode("utf-8", "replace")
    if not _NAMED.search(text) and "\\" not in text:  # a key may be written with escapes
        return content
    kind, given = parsed(name, text)
    if kind is None:
        if _NAMED.search(text):
            raise Unreadable
        return content
    taken: list[str] = []
    kept = _emptied(given, taken, 0)
    if not taken:
        return content
    return _written(kind, text, kept, taken).encode()


def parsed(name: str, text: str) -> tuple[str | None, Any]:
    """The kind of the file, and what is in it; no kind if it cannot be parsed."""
    end = name.rpartition(".")[2].lower()
    try:
        if end == "toml":
            return "toml", tomllib.loads(text)
        if end in ("yaml", "yml"):
            return "yaml", yaml.safe_load(text)
        return "json", json.loads(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        return None, None


def names_refresh(key: object) -> bool:
    plain = str(key).lower().replace("_", "").replace("-", "")
    return plain == _WHOLE or (_PART in plain and not plain.endswith(_MOMENTS))


def _emptied(value: Any, taken: list[str], depth: int, inside: bool = False) -> Any:
    """A copy; `taken` gets the tokens. `inside`: the key above names a refresh token, so every text in it is one."""
    if depth > _DEPTH_MAX:
        raise Unreadable
    if isinstance(value, dict):
        labelled = any(names_refresh(one) for key, one in value.items() if str(key).lower() in _LABELS)
        secret = {key: names_refresh(key) or (labelled and str(key).lower() in _VALUES) for key in value}
        return {key: _emptied(one, taken, depth + 1, inside or secret[key]) for key, one in value.items()}
    if isinstance(value, list):
        return [_emptied(one, taken, depth + 1, inside) for one in value]
    if not isinstance(value, str) or not value:
        return value
    if inside:
        taken.append(value)
        return ""
    return _emptied_text(value, taken, depth)


def _emptied_text(value: str, taken: list[str], depth: int) -> str:
    """Some keep their JSON as a text in another file."""
    if not value.lstrip().startswith(("{", "[")) or not _NAMED.search(value):
        if _ASSIGNED.search(value):
            raise Unreadable
        return value
    try:
        within = json.loads(value)
    except (ValueError, RecursionError):
        raise Unreadable from None
    before = len(taken)
    kept = _emptied(within, taken, depth + 1)
    return json.dumps(kept) if len(taken) > before else value


def _written(kind: str, text: str, kept: Any, taken: list[str]) -> str:
    """By a change of the tokens alone if that gives just what is meant, else written anew."""
    pattern, empty = {"json": (_JSON, '""'), "toml": (_TOML, '""'), "yaml": (_YAML, '""')}[kind]
    changed = pattern.sub(lambda found: found.group(1) + empty, text)
    if parsed(f".{kind}", changed) == (kind, kept) and not any(token in changed for token in taken if len(token) > 7):
        return changed
    if kind == "json":
        return json.dumps(kept, indent=2)
    if kind == "yaml":
        return str(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True))
    raise Unreadable
