"""The entry of a board in each client's settings: read back by a real parser, and nothing else in the file changed."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from folkmoot.doors.cli.serving.mcp import CLIENTS
from folkmoot.doors.mcp.entries import jsonc
from folkmoot.doors.mcp.entries.known import TOKEN, clients
from folkmoot.doors.mcp.entries.writing import merged, place_of
from tests.clients.clients import CLIENTS as REAL
from tests.doors.conftest import Moot

URL = "http://127.0.0.1:8700/mcp"
PARSERS: dict[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
# A file that a user has, with what people write into such files.
THERE = {
    "json": """{
  // servers of mine
  "theme": "dark", /* not too dark */
  "%(under)s": {
    "other": {"command": "x", "args": ["a,b", "}"]}, // keep
  },
  "last": [1, 2.5, null, "\\u00e9 // no comment",],
}
""",
    "toml": """# mine
model = "o"

[%(under)s.other] # keep
command = "x"
args = ["[not.a.table]"]

# about the next one
[tui]
theme = "dark"
""",
    "yaml": """# mine
GOOSE_MODEL: o
%(under)s: # all of them
  other:
    enabled: true # keep
    cmd: x

    args: ["a: b"]
last: "{}"
""",
}


def at(data: Any, path: list[str]) -> Any:
    for name in path:
        data = data[name]
    return data


def home_of(moot: Moot) -> Path:
    return Path(os.environ["HOME"])


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("url", [None, URL])
def test_the_entry_that_is_printed_is_read_by_a_real_parser(moot: Moot, name: str, url: str | None) -> None:
    told = moot("mcp", "--config", name, *(["--url", url] if url else []))
    client = clients()[name]
    read = PARSERS[client.format](told.out)
    entry = at(read, [*client.under, "folkmoot"])
    assert entry == client.entry(str(moot.folder), url)
    assert client.file.removeprefix("~") in told.err
    words = json.dumps(entry)
    if url:
        assert url in words and TOKEN in words and "moot" not in entry.get("command", "")
        assert not re.search(r"\{(url|board|token)\}", words)
    else:
        assert "mcp" in words and "url" not in words.lower()


@pytest.mark.parametrize("name", CLIENTS)
def test_the_entry_is_put_into_a_new_file(moot: Moot, name: str) -> None:
    client = clients()[name]
    told = moot.json("mcp", "--config", name, "--write")
    assert told["written"] and Path(told["file"]) == Path(place_of(client, str(moot.folder)))
    read = PARSERS[client.format](Path(told["file"]).read_text("utf-8"))
    assert read == {client.under[0]: {"folkmoot": told["entry"]}}
    assert not moot.json("mcp", "--config", name, "--write")["written"], "it is there already"
    assert "it was there already" in moot("mcp", "--config", name, "--write").out


@pytest.mark.parametrize("name", CLIENTS)
def test_what_else_stands_in_the_file_stays_as_it_was(moot: Moot, name: str) -> None:
    client = clients()[name]
    before = THERE[client.format] % {"under": client.under[0]}
    file = Path(place_of(client, str(moot.folder)))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before, "utf-8")
    file.chmod(0o600)
    moot("mcp", "--config", name, "--write", "--url", URL)
    moot("mcp", "--config", name, "--write")  # in place of the other
    after = file.read_text("utf-8")
    lines = iter(after.splitlines())
    assert all(line in lines for line in before.splitlines()), f"a line is gone, or elsewhere:\n{after}"
    read = jsonc.read(after).value if client.format == "json" else PARSERS[client.format](after)
    assert at(read, [*client.under, "folkmoot"]) == client.entry(str(moot.folder), None)
    assert at(read, [*client.under, "other"]) and URL not in after
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("text", ["{ not: [ at all", '["a list",]', '{"a": 1} more', "\xff\xfe"])
def test_a_file_that_cannot_be_read_is_never_written(moot: Moot, name: str, text: str) -> None:
    client = clients()[name]
    file = Path(place_of(client, str(moot.folder)))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("latin-1"))
    told = moot("mcp", "--config", name, "--write", code=None)
    assert told.code in (1, 2) and str(file) in told.err
    assert file.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize(
    "name, text",
    [
        ("claude", '{"mcpServers": []}'),
        ("claude", '{"mcpServers": {}, "mcpServers": {}}'),
        ("codex", 'mcp_servers = {other = {command = "x"}}\n'),
        ("goose", "extensions: {other: {enabled: true}}\n"),
        ("goose", "extensions:\n    other:\n        enabled: true\n"),
    ],
)
def test_where_it_cannot_be_put_in_without_harm_nothing_is_done(name: str, text: str) -> None:
    client = clients()[name]
    with pytest.raises(ValueError, match=r"."):
        merged(client, text, client.entry("p", None))


@pytest.mark.parametrize(
    "text", ["{}", "{ }\n", '{"a": 1}', '{"a": 1,}', '{"mcpServers": {}}', '{"mcpServers":{"b":{}}}']
)
def test_short_files_are_added_to(text: str) -> None:
    client = clients()["claude"]
    entry = client.entry("p", None)
    before = jsonc.read(text).value
    after = jsonc.read(merged(client, text, entry)).value
    assert after == {**before, "mcpServers": {**before.get("mcpServers", {}), "folkmoot": entry}}


def test_a_symbolic_link_stays_one(moot: Moot) -> None:
    real = moot.folder / "elsewhere.json"
    real.write_text("{}", "utf-8")
    (moot.folder / ".mcp.json").symlink_to(real)
    moot("mcp", "--config", "claude", "--write")
    assert (moot.folder / ".mcp.json").is_symlink() and "folkmoot" in real.read_text("utf-8")


def test_every_client_of_the_command_is_known() -> None:
    assert set(CLIENTS) == set(clients())


@pytest.mark.skipif(bool(REAL["goose"].why_not), reason=REAL["goose"].why_not)
def test_goose_itself_lists_the_entry(moot: Moot, tmp_path: Path) -> None:
    moot("mcp", "--config", "goose", "--write")
    home = home_of(moot)
    env = {"HOME": str(home), "PATH": f"{REAL['goose'].bin}:{os.environ['PATH']}", "GOOSE_DISABLE_KEYRING": "1"}
    told = subprocess.run(["goose", "info", "-v"], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert told.returncode == 0, told.stderr
    assert "folkmoot" in told.stdout and str(moot.folder) in told.stdout, told.stdout
    assert shutil.which("goose", path=env["PATH"])
