"""An entry as text for a person to copy, or put into the client's file: all that is there stays, or nothing is done."""

import json
import os
import tempfile
from typing import Any

from folkmoot.doors.mcp.entries import blocks, jsonc
from folkmoot.doors.mcp.entries.known import NAME, Client, Entry
from folkmoot.errors import Invalid, Refused

BYTES_MAX = 5_000_000


def snippet(client: Client, entry: Entry) -> str:
    """A whole file with this entry alone."""
    return merged(client, "", entry)


def merged(client: Client, text: str, entry: Entry) -> str:
    """The text of a file with the entry in it. What was there is there after it, or ValueError."""
    path = [*client.under, NAME]
    if client.format == "json":
        if not text.strip():
            return json.dumps(_nested(path, entry), indent=2, ensure_ascii=False) + "\n"
        new = jsonc.with_entry(text, path, entry)
    else:
        new = (blocks.with_toml if client.format == "toml" else blocks.with_yaml)(text, path, entry)
    if parsed(client, new) != _with(parsed(client, text), path, entry):
        raise ValueError("the entry cannot be put in without changing something else")
    return new


def parsed(client: Client, text: str) -> Any:
    """What the file says; ValueError if it cannot be read."""
    if client.format == "json":
        return jsonc.read(text).value if text.strip() else {}
    if client.format == "toml":
        import tomllib

        return tomllib.loads(text)
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def _nested(path: list[str], entry: Entry) -> Entry:
    return {path[0]: _nested(path[1:], entry) if len(path) > 1 else entry}


def _with(data: Any, path: list[str], entry: Entry) -> Entry:
    if not isinstance(data, dict | None):
        raise ValueError("it holds no names")
    data = data or {}
    return {**data, path[0]: _with(data.get(path[0]), path[1:], entry) if len(path) > 1 else entry}


def place_of(client: Client, folder: str) -> str:
    """The client's file, for a project in this folder."""
    if client.file.startswith("~"):
        return os.path.expanduser(client.file)
    return os.path.join(folder, client.file)


def write(client: Client, file: str, entry: Entry) -> bool:
    """Put the entry into the file. False: it was there already."""
    path = os.path.realpath(file)
    if not client.file.startswith("~"):
        check_inside(file.removesuffix(client.file), file)
    before = _text(path)
    try:
        after = merged(client, before, entry)
    except (ValueError, RecursionError) as error:
        words = "{file} was left as it is: {why}"
        hint = "put it in by hand; without --write the entry is printed"
        raise Refused("settings_unreadable", words, hint, file, str(error)) from error
    if after == before:
        return False
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    replace_file(path, after)
    return True


def _text(path: str) -> str:
    try:
        with open(path, "rb") as opened:
            data = opened.read(BYTES_MAX + 1)
    except FileNotFoundError:
        return ""
    if len(data) > BYTES_MAX:
        raise Invalid("too_large", "{source} has more than {limit} bytes", "put it in by hand", path, BYTES_MAX)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        words = "{source} is not UTF-8 text: {why}"
        raise Invalid("bad_text", words, "save it as UTF-8", path, error.reason) from error


def check_inside(project: str, file: str, *, by_links: bool = True) -> None:
    """Refuses a file of a project that a link leads to, outside of it or, without `by_links`, anywhere. The link may
    have come with a change of an agent, and what it leads to is another file of the user's."""
    top, real = os.path.realpath(project), os.path.realpath(file)
    direct = os.path.join(top, os.path.relpath(os.path.abspath(file), os.path.abspath(project)))
    if os.path.commonpath([top, real]) != top or (real != direct and not by_links):
        words = "{file} was left as it is: {why}"
        hint = "if the link is yours, write to where it leads by hand; else remove it"
        raise Refused("settings_unreadable", words, hint, file, f"a link leads from there to {real}")


def replace_file(path: str, text: str) -> None:
    """The whole file or none: whoever reads it meanwhile reads the old one."""
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
    number, beside = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".moot-")
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="") as opened:
            opened.write(text)
        os.chmod(beside, mode)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise
