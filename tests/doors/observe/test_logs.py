"""Log lines: one JSON object each, and never a secret."""

import base64
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from folkmoot.doors.observe.logs import TEXT_MAX, JsonLog
from folkmoot.wiring.observing.cleaning import cleaner
from tests.worker.yard import Yard

SOURCE = Path(__file__).parents[3] / "src"

NOW = 1_700_000_000_123
CANARIES = {
    "API_KEY": "sk-ant-canary-0a1b2c3d4e5f60718293",
    "DB_PASSWORD": "correct horse battery canary",
    "PROXY": "http://user:proxycanary77@proxy.invalid:8080/",
}
TOKEN = "Zm9sa21vb3QtY2FuYXJ5LXRva2VuLTI1Ni1iaXRzIQ4x"  # as the server makes them: nobody has told the cleaner
SHORT = "canary-7f"


class Lines:
    """A log in memory, and what stands in it."""

    def __init__(self, **values: str) -> None:
        self.stream = io.StringIO()
        self.log = JsonLog(self.stream, lambda: NOW, cleaner(values))

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


def test_a_request_is_one_line_with_what_was_asked_by_whom_and_how_long_it_took() -> None:
    lines = Lines()
    lines.log.event(
        "request", call="claim", status=200, seconds=0.0123456, caller="ada", request="9f3c01aa77e2", item="7"
    )
    assert lines.read() == [
        {
            "time": "2023-11-14T22:13:20.123Z",
            "level": "info",
            "event": "request",
            "item": "7",
            "call": "claim",
            "status": 200,
            "seconds": 0.012346,
            "caller": "ada",
            "request": "9f3c01aa77e2",
        }
    ]


def test_a_line_is_one_line_whatever_is_in_it() -> None:
    lines = Lines()
    lines.log.event("said", words='two\nlines "quoted" \u2028 \x00 \ud800 ü', agent="a\r\nb")
    assert lines.text.count("\n") == 1 and "\r" not in lines.text
    assert lines.read()[0]["words"].startswith('two\nlines "quoted"')


def test_ids_and_plain_words_are_left_as_they_are() -> None:
    lines = Lines()
    words = "item 7 landed on main, by dev-agent with claude-opus-4-1-20250805 in src/folkmoot/doors/observe/logs.py"
    lines.log.event("landed", run="r3f9a2c41b7d0", item="7", words=words, input_tokens=12)
    (line,) = lines.read()
    assert (line["run"], line["words"], line["input_tokens"]) == ("r3f9a2c41b7d0", words, 12)


def ways(value: str) -> list[str]:
    """How a secret may come into a line."""
    raw = value.encode()
    return [
        value,
        f"it failed with {value}",
        f"'{value}'",
        quote(value, safe=""),
        base64.b64encode(raw).decode(),
        raw.hex(),
        json.dumps({"deep": {"value": value}}),
    ]


def test_no_canary_gets_into_a_line() -> None:
    lines = Lines(**CANARIES)
    secrets = [CANARIES["API_KEY"], CANARIES["DB_PASSWORD"], "proxycanary77", TOKEN]
    for secret in secrets:
        for text in ways(secret):
            lines.log.event(text, words=text, caller=text, agent=text, request=text, item=text, run=text, call=text)
            lines.log.event("nested", more={"a": [text, {"b": text}], text: 1}, many=[text], tup=(text,), some={text})
            lines.log.fault("broke", ValueError(text))
        lines.log.event("cut", words="x" * (TEXT_MAX - 10) + " " + secret)
    for name in ("authorization", "Cookie", "set-cookie", "token", "access_token", "password", "session_id", "apiKey"):
        more: dict[str, Any] = {name: SHORT}
        lines.log.event("headers", headers=more, **more)
        for text in (f"{name}: {SHORT}", f"{name}={SHORT}&x=1", json.dumps({name: SHORT}), f"{name}: Bearer {SHORT}"):
            lines.log.event("words", words=text)
    lines.log.event("address", words=f"http://127.0.0.1:8080/enter?token={TOKEN}#x", url=f"http://u:{SHORT}@h/")
    found = lines.text
    assert len(found.splitlines()) > 100
    encoded = [way for secret in secrets for way in ways(secret)[3:6]]
    hits = [line for line in found.splitlines() for secret in (*secrets, SHORT, *encoded) if secret in line]
    assert hits == []


def test_a_canary_would_be_seen_where_nothing_is_cleaned() -> None:
    stream = io.StringIO()
    JsonLog(stream, lambda: NOW, lambda text: text).event("words", words=f"it failed with {TOKEN}")
    assert TOKEN in stream.getvalue()


def test_a_fault_is_told_by_its_kind_its_words_and_its_place() -> None:
    lines = Lines()
    try:
        raise RuntimeError("no such thing")
    except RuntimeError as error:
        lines.log.fault("request", error, call="show")
    (line,) = lines.read()
    assert (line["level"], line["error"], line["words"], line["call"]) == (
        "error",
        "RuntimeError",
        "no such thing",
        "show",
    )
    assert line["at"].startswith(f"{__name__}:")


def test_a_long_text_is_cut_and_a_deep_one_too() -> None:
    lines = Lines()
    deep: Any = "x"
    for _ in range(50):
        deep = {"in": deep}
    lines.log.event("much", words="word " * 10_000, deep=deep, many=list(range(1000)))
    assert len(lines.text) < 4 * TEXT_MAX
    assert len(lines.read()) == 1


def test_threads_never_share_a_line() -> None:
    lines = Lines()

    def write() -> None:
        for number in range(200):
            lines.log.event("tick", number=number, words="word " * 20)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(lines.read()) == 800


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    read, write = os.pipe()
    os.close(read)
    with open(write, "w", encoding="utf-8") as stream:
        log = JsonLog(stream, lambda: NOW, cleaner({}))
        log.event("said", words="to nobody")
        log.event("said", words="x" * 100_000)
        os.dup2(os.open(os.devnull, os.O_WRONLY), write)
    closed = io.StringIO()
    closed.close()
    JsonLog(closed, lambda: NOW, cleaner({})).event("said")


@pytest.mark.parametrize("value", [object(), b"bytes", 1e308, None, True])
def test_whatever_is_told_becomes_json(value: object) -> None:
    lines = Lines()
    lines.log.event("odd", value=value, none={"a": value})
    assert lines.read()[0]["event"] == "odd"


CANARY = "canary-5f2e9d41c7b8"


def test_a_worker_writes_what_happens_as_lines_of_json_and_no_secret_of_its_environment(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", more="sandbox: never")
    yard.add("say it", f"print {CANARY}", "write a.txt hello", "report done")
    yard.board.close()
    command = [sys.executable, "-m", "folkmoot", "run", "--until-idle", "--anyway", "--log-json", "--json"]
    env = {**os.environ, "MY_API_KEY": CANARY, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, cwd=yard.folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"claimed", "ended"} <= {line["event"] for line in lines}, lines
    begun = next(line for line in lines if line["event"] == "claimed")
    assert (begun["item"], begun["agent"], begun["level"]) == ("1", "dev", "info") and begun["run"].startswith("r")
    assert all(line["time"].endswith("Z") for line in lines)
    assert CANARY not in done.stderr + done.stdout
    assert json.loads(done.stdout)["runs"] >= 1, "the answer stands on standard output as ever"
