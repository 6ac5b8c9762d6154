"""B1 to B7 and B14: letters, numbers and sizes that cannot be kept, and letters that must not reach a screen."""

import json
from typing import Any

from tests.bad_input.yard import Case, Seen, Yard, clean, refused, through_python, through_relay

DEEP = 100_000
LARGE = b"x" * 10_000_000
ENVELOPE = b'{"from": "dev-agent", "to": "qa-agent", "type": "note", "payload": %s}'
SURROGATE = "\ud800"
OVERFLOWING = {"a": {"total": 2**63}, "b": 10**400}
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\x08\r\u202egnp.exe\u2066\u200b\u2028end"


def order(call: str, **fields: Any) -> dict[str, Any]:
    """A request as it comes through the socket."""
    return {"call": call, "args": fields}


def _shown(yard: Yard) -> Seen:
    """Control codes: kept as they came, shown without them, by everything that shows an item."""
    yard.done("add", f"T {ESCAPES}", "--column", "dev", "--tag", ESCAPES, "--as", ESCAPES)
    item = json.loads(yard.done("list", "--json").out)["items"][-1]["id"]
    yard.done("comment", item, f"C {ESCAPES}", "--artifact", ESCAPES, "--target", ESCAPES, "--as", ESCAPES)
    yard.done("move", item, "qa", "--why", ESCAPES)
    message = {"from": f"s {ESCAPES}", "to": "qa-agent", "type": "note", "payload": {ESCAPES: ESCAPES}}
    yard.done("send", "-", stdin=json.dumps(message).encode())
    said = {"outcome": "failed", "summary": ESCAPES, "reason": ESCAPES, "lessons": [f"L {ESCAPES}"]}
    yard.done("report", "RUN", "--token", "1", "-", stdin=json.dumps(said).encode())
    raw = json.loads(yard.done("show", item, "--json").out)
    assert raw["title"] == f"T {ESCAPES}" and raw["comments"][0]["content"] == f"C {ESCAPES}"
    for look in (["show", item], ["show", "1"], ["board"], ["list"], ["log"], ["log", item], ["comments", item]):
        heard = yard.done(*look)
        assert clean(heard.out) and clean(heard.err), look
    for look in (["messages"], ["lessons"], ["metrics"], ["inbox"], ["locks"], ["doctor"]):
        heard = yard.done(*look)
        assert clean(heard.out) and clean(heard.err), look
    return Seen(0, None, "stored as it came, shown without control codes")


def _output(yard: Yard) -> Seen:
    """What a run printed."""
    from folkmoot.wiring.boards import FileBoards

    board = FileBoards().open(str(yard.folder))
    board.engine.store.transact(lambda store: store.keep_output(yard.run, 0, f"printed {ESCAPES}\nmore"))
    board.close()
    heard = yard.done("output", "RUN")
    assert clean(heard.out) and b"printed" in heard.out and b"more" in heard.out
    return Seen(0, None, "stored as it came, shown without control codes")


CASES = [
    # B1: NUL
    refused("B1", "nul-title", "NUL in a title", "add", "a\0b", code="bad_text"),
    refused("B1", "nul-tag", "NUL in a tag", "add", "a", "--tag", "a\0b", code="bad_text"),
    refused("B1", "nul-body", "NUL in a body's file", "add", "a", "--body", "-", stdin=b"a\0b", code="bad_text"),
    refused("B1", "nul-comment", "NUL in a comment", "comment", "1", "a\0b", code="bad_text"),
    refused("B1", "nul-answer", "NUL in an answer", "answer", "q1", "a\0b", code="bad_text"),
    refused("B1", "nul-why", "NUL in a reason", "move", "3", "qa", "--why", "a\0b", code="bad_text"),
    through_python("B1", "nul-speaker", "NUL in a speaker's name", lambda board: type(board)(None, "a\0b"), "bad_name"),
    refused("B1", "nul-key", "NUL in a key", "add", "a", "--key", "a\0b", code="bad_key"),
    refused("B1", "nul-agent", "NUL in an agent's name", "claim", "dev\0agent", code="bad_text"),
    refused("B1", "nul-worker", "NUL in a worker's name", "claim", "dev-agent", "--worker", "a\0b", code="bad_text"),
    refused("B1", "nul-item", "NUL in an id", "show", "1\0", code="unknown_item"),
    refused("B1", "nul-run", "NUL in a run's id", "renew", "r\0", "--token", "1", code="unknown_run"),
    refused("B1", "nul-path", "NUL in a path", "lock", "a\0b", code="bad_text"),
    refused("B1", "nul-file", "NUL in a file's name", "send", "a\0b", code="unreadable_file"),
    refused("B1", "nul-board", "NUL in --board", "list", "--board", "a\0b", code="no_board", exit=4),
    refused("B1", "nul-flow", "NUL in a flow's name", "check", "a\0b", code="unreadable_file"),
    refused("B1", "nul-column", "NUL in a column's name", "move", "3", "a\0b", code="bad_text"),
    refused("B1", "nul-command", "NUL in a command's name", "a\0b", code="unknown_command"),
    refused("B1", "nul-items", "NUL in a list of items", "add", "--from", "-", stdin=b"- a\0b\n", code="bad_text"),
    through_python("B1", "nul-python", "NUL in a title", lambda board: board.add("a\0b"), "bad_text"),
    through_relay("B1", "nul-relay", "NUL in a title", order("add", title="a\0b"), "bad_text"),
    # B2: NUL as JSON writes it
    refused(
        "B2",
        "nul-report",
        r"`\u0000` in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=rb'{"outcome": "done", "summary": "a\u0000b"}',
        code="unreadable_report",
    ),
    refused(
        "B2",
        "nul-message",
        r"`\u0000` in a message",
        "send",
        "-",
        stdin=ENVELOPE % rb'{"a": "\u0000"}',
        code="bad_message",
    ),
    refused(
        "B2",
        "nul-key-of-message",
        r"`\u0000` in a key of a message",
        "send",
        "-",
        stdin=ENVELOPE % rb'{"\u0000": 1}',
        code="bad_message",
    ),
    refused(
        "B2",
        "nul-json-lines",
        r"`\u0000` in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": rb'{"title": "a\u0000b"}'},
        code="bad_file",
    ),
    # B3: half a character
    refused("B3", "surrogate-title", "a lone surrogate in a title", "add", f"a{SURROGATE}", code="bad_text"),
    refused("B3", "surrogate-option", "a lone surrogate in an option", "list", "--tag", SURROGATE, code="bad_text"),
    refused(
        "B3",
        "surrogate-report",
        r"`\ud800` in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=rb'{"outcome": "done", "summary": "\ud800"}',
        code="unreadable_report",
    ),
    refused(
        "B3",
        "surrogate-prose",
        r"`\ud800` in a report inside prose",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'So:\n\n{"outcome": "done", "summary": "\\ud800"}\n',
        code="unreadable_report",
    ),
    refused(
        "B3",
        "surrogate-message",
        r"`\udfff` in a message",
        "send",
        "-",
        stdin=ENVELOPE % rb'{"a": "\udfff"}',
        code="bad_message",
    ),
    refused(
        "B3",
        "surrogate-json-lines",
        r"`\ud800` in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": rb'{"title": "a\ud800"}'},
        code="bad_file",
    ),
    refused(
        "B3",
        "surrogate-yaml",
        r"`\ud800` in a YAML list",
        "add",
        "--from",
        "given/a.yaml",
        files={"a.yaml": rb'- "a\ud800"'},
        code="bad_file",
    ),
    through_python("B3", "surrogate-python", "a lone surrogate", lambda board: board.add(SURROGATE), "bad_text"),
    through_python(
        "B3",
        "surrogate-message-python",
        "a lone surrogate in a message",
        lambda board: board.send({"from": "a", "to": "b", "type": "t", "payload": {"a": SURROGATE}}),
        "bad_message",
    ),
    through_relay("B3", "surrogate-call", r"`\ud800` as the name of a call", {"call": SURROGATE}, "bad_request"),
    through_relay("B3", "surrogate-relay", r"`\ud800` in a request", order("add", title=SURROGATE), "bad_request"),
    # B4: numbers nobody can count to
    refused(
        "B4",
        "huge-report",
        "2^63 in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=json.dumps({"outcome": "done", "usage": {"input_tokens": 2**63}}).encode(),
        code="unreadable_report",
    ),
    refused(
        "B4",
        "digits-report",
        "a number of 10,000 digits in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'{"outcome": "done", "extra": {"a": %s}}' % (b"9" * 10_000),
        code="unreadable_report",
    ),
    refused(
        "B4",
        "huge-message",
        "2^63 in a message",
        "send",
        "-",
        stdin=ENVELOPE % b'{"a": 9223372036854775808}',
        code="bad_message",
    ),
    refused(
        "B4",
        "digits-message",
        "10,000 digits in a message",
        "send",
        "-",
        stdin=ENVELOPE % (b'{"a": %s}' % (b"1" * 10_000)),
        code="bad_message",
    ),
    refused(
        "B4", "huge-token", "a token of 30 digits", "renew", "RUN", "--token", "9" * 30, code="stale_claim", exit=1
    ),
    refused(
        "B4", "digits-token", "a token of 10,000 digits", "renew", "RUN", "--token", "9" * 10_000, code="bad_usage"
    ),
    refused("B4", "negative-token", "a token of -1", "renew", "RUN", "--token", "-1", code="stale_claim", exit=1),
    refused("B4", "huge-item", "an id of 30 digits", "show", "9" * 30, code="unknown_item"),
    refused("B4", "digits-item", "an id of 10,000 digits", "show", "9" * 10_000, code="unknown_item"),
    refused("B4", "huge-overrule", "an attempt of 30 digits", "edit", "1", "--overrule", "9" * 30, code="bad_usage"),
    refused("B4", "huge-slots", "slots of 30 digits", "run", "--slots", "9" * 30, code="bad_usage"),
    refused("B4", "huge-seed", "a seed of 30 digits", "simulate", "--seed", "9" * 30, code="bad_usage"),
    refused(
        "B4",
        "huge-yaml",
        "a number of 10,000 digits in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": b'{"title": "a", "after": [%s]}' % (b"9" * 10_000)},
        code="bad_file",
    ),
    through_python(
        "B4",
        "huge-python",
        "2^63 in a message",
        lambda board: board.send({"from": "a", "to": "b", "type": "t", "payload": OVERFLOWING}),
        "bad_message",
    ),
    through_relay("B4", "huge-relay", "2^63 as a cursor", {"call": "log", "args": {"after": 2**63}}, "bad_request"),
    through_relay(
        "B4",
        "float-relay",
        "a cursor that is no whole number",
        {"call": "log", "args": {"after": 1.5}},
        "bad_request",
    ),
    # B5: numbers JSON does not have
    *(
        refused(
            "B5",
            f"{name}-report",
            f"{name} in a report",
            "report",
            "RUN",
            "--token",
            "1",
            "-",
            stdin=b'{"outcome": "done", "usage": {"cost_usd": %s}}' % name.encode(),
            code="unreadable_report",
        )
        for name in ("NaN", "Infinity", "-Infinity", "1e999")
    ),
    *(
        refused(
            "B5",
            f"{name}-message",
            f"{name} in a message",
            "send",
            "-",
            stdin=ENVELOPE % (b'{"a": %s}' % name.encode()),
            code="bad_message",
        )
        for name in ("NaN", "Infinity", "1e999")
    ),
    refused(
        "B5",
        "nan-json-lines",
        "NaN in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": b'{"title": NaN}'},
        code="bad_file",
    ),
    refused(
        "B5",
        "negative-cost",
        "a cost below nothing",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'{"outcome": "done", "usage": {"cost_usd": -5.0}}',
        code="unreadable_report",
    ),
    refused("B5", "minus-zero-token", "-0 as a token", "renew", "RUN", "--token", "-0", code="stale_claim", exit=1),
    refused("B5", "nan-span", "nan as a span", "lock", "a", "--for", "nan", code="bad_span"),
    refused("B5", "infinite-span", "inf as a span", "lock", "a", "--for", "inf", code="bad_span"),
    through_python(
        "B5",
        "nan-lock-python",
        "a lock for NaN seconds",
        lambda board: board.lock("a", seconds=float("nan")),
        "bad_text",
    ),
    through_python(
        "B5",
        "nan-lease-python",
        "a lease of NaN seconds",
        lambda board: board.claim("dev-agent", lease=float("nan")),
        "bad_text",
    ),
    through_python(
        "B5",
        "infinite-lease-python",
        "an endless lease",
        lambda board: board.claim("dev-agent", lease=float("inf")),
        "bad_text",
    ),
    through_relay("B5", "nan-relay", "NaN in a request", b'{"call": "log", "args": {"after": NaN}}', "bad_request"),
    through_relay(
        "B5",
        "overflow-relay",
        "1e999 in a request",
        b'{"call": "lock", "args": {"paths": ["a"], "seconds": 1e999}}',
        "bad_request",
    ),
    # B6: a key twice
    refused(
        "B6",
        "twice-report",
        "a key twice in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'{"outcome": "failed", "outcome": "done"}',
        code="unreadable_report",
    ),
    refused(
        "B6",
        "twice-inside-report",
        "a key twice inside a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'{"outcome": "done", "tests": {"failed": 3, "failed": 0}}',
        code="unreadable_report",
    ),
    refused(
        "B6",
        "twice-message",
        "a key twice in a message",
        "send",
        "-",
        stdin=b'{"from": "a", "from": "b", "to": "c", "type": "t"}',
        code="bad_message",
    ),
    refused(
        "B6",
        "twice-json-lines",
        "a key twice in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": b'{"title": "a", "title": "b"}'},
        code="bad_file",
    ),
    refused(
        "B6",
        "twice-yaml",
        "a key twice in a YAML list",
        "add",
        "--from",
        "given/a.yaml",
        files={"a.yaml": b"- title: a\n  title: b\n"},
        code="bad_file",
    ),
    refused(
        "B6",
        "twice-flow",
        "a key twice in a flow",
        "check",
        "given/f.yaml",
        files={"f.yaml": b"columns: {a: {}}\ncolumns: {b: {}}\nagents: {}\n"},
        code="flow_faults",
        words=False,
    ),
    refused(
        "B6",
        "twice-population",
        "a key twice in a population",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": b"luck: 0.1\nluck: 0.2\n"},
        code="population_faults",
    ),
    through_relay(
        "B6",
        "twice-relay",
        "a key twice in a request",
        b'{"call": "inbox", "call": "log", "args": {}}',
        "bad_request",
    ),
    # B7: depth
    refused(
        "B7",
        "deep-report",
        "100,000 levels in a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b'{"outcome": "done", "extra": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
        code="unreadable_report",
    ),
    refused(
        "B7",
        "deep-list-report",
        "100,000 open brackets as a report",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=b"[" * DEEP,
        code="unreadable_report",
    ),
    refused(
        "B7",
        "deep-message",
        "100,000 levels in a message",
        "send",
        "-",
        stdin=ENVELOPE % (b'{"a": ' + b"[" * DEEP + b"]" * DEEP + b"}"),
        code="bad_message",
    ),
    refused(
        "B7",
        "sixty-message",
        "60 levels in a message",
        "send",
        "-",
        stdin=ENVELOPE % (b'{"a": ' + b"[" * 60 + b"]" * 60 + b"}"),
        code="bad_message",
    ),
    refused(
        "B7",
        "deep-json-lines",
        "100,000 levels in JSON lines",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": b"[" * DEEP + b"]" * DEEP},
        code="bad_file",
    ),
    refused(
        "B7",
        "deep-yaml",
        "10,000 levels in a YAML list",
        "add",
        "--from",
        "given/a.yaml",
        files={"a.yaml": b"[" * 10_000 + b"]" * 10_000},
        code="bad_file",
    ),
    refused(
        "B7",
        "deep-flow",
        "100,000 levels in a flow",
        "check",
        "given/f.yaml",
        files={"f.yaml": b"columns: " + b"[" * DEEP},
        code="flow_faults",
        words=False,
    ),
    refused(
        "B7",
        "deep-ladders",
        "100,000 levels in a population",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": b"[" * DEEP},
        code="population_faults",
        words=False,
    ),
    through_relay(
        "B7",
        "deep-relay",
        "100,000 levels in a request",
        b'{"call": "log", "args": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
        "bad_request",
    ),
    # B14: empty, large, and letters that are not for a screen
    refused("B14", "empty-title", "an empty title", "add", "", code="bad_title"),
    refused("B14", "blank-title", "a title of spaces", "add", " \t\u00a0\u2003 ", code="bad_title"),
    refused(
        "B14", "unseen-title", "a title of letters that nobody sees", "add", "\u200b\u2060\ufeff", code="bad_title"
    ),
    refused("B14", "long-title", "a title of 501 letters", "add", "x" * 501, code="bad_title"),
    refused("B14", "megabyte-title", "a title of 1 MB", "add", "x" * 1_000_000, code="too_large"),
    refused("B14", "large-body", "a body of 10 MB", "add", "a", "--body", "-", stdin=LARGE, code="too_large"),
    refused(
        "B14", "large-report", "a report of 10 MB", "report", "RUN", "--token", "1", "-", stdin=LARGE, code="too_large"
    ),
    refused("B14", "large-message", "a message of 10 MB", "send", "-", stdin=LARGE, code="too_large"),
    refused("B14", "large-items", "a list of items of 10 MB", "add", "--from", "-", stdin=LARGE, code="too_large"),
    refused(
        "B14", "large-flow", "a flow of 10 MB", "check", "given/f.yaml", files={"f.yaml": LARGE}, code="flow_faults"
    ),
    refused(
        "B14",
        "large-population",
        "a population of 10 MB",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": LARGE},
        code="population_faults",
    ),
    refused("B14", "large-comment", "a comment of 2 MB", "comment", "1", "x" * 2_000_000, code="too_large"),
    refused("B14", "large-name", "a speaker's name of 1 MB", "add", "a", "--as", "x" * 1_000_000, code="bad_name"),
    refused("B14", "large-key", "a key of 1 MB", "add", "a", "--key", "x" * 1_000_000, code="bad_key"),
    refused("B14", "many-items", "1,001 items in a file", "add", "--from", "-", stdin=b"- a\n" * 1001, code="bad_file"),
    refused("B14", "escape-command", "ANSI codes in a command's name", "\x1b[31mx", code="unknown_command"),
    refused("B14", "escape-item", "ANSI codes in an id", "show", ESCAPES, code="unknown_item"),
    refused("B14", "escape-agent", "ANSI codes in an agent's name", "claim", ESCAPES, code="unknown_agent"),
    refused("B14", "escape-file", "ANSI codes in a file's name", "send", ESCAPES, code="unreadable_file"),
    refused("B14", "escape-flow", "ANSI codes in a flow's name", "check", ESCAPES, code="unreadable_flow"),
    refused(
        "B14",
        "escape-in-flow",
        "ANSI codes in a flow",
        "check",
        "given/f.yaml",
        files={"f.yaml": f'columns: {{"{ESCAPES[20:]}": 1}}'.encode()},
        code="flow_faults",
    ),
    refused("B14", "escape-board", "ANSI codes in --board", "list", "--board", ESCAPES, code="no_board", exit=4),
    refused("B14", "escape-option", "ANSI codes in an option's name", "list", f"--{ESCAPES}", code="bad_usage"),
    refused(
        "B14",
        "escape-report",
        "ANSI codes in a report's outcome",
        "report",
        "RUN",
        "--token",
        "1",
        "-",
        stdin=json.dumps({"outcome": ESCAPES, ESCAPES: 1}).encode(),
        code="unreadable_report",
    ),
    refused(
        "B14",
        "escape-message",
        "ANSI codes in a message's field",
        "send",
        "-",
        stdin=json.dumps({"from": "a", "to": "b", "type": "t", ESCAPES: 1}).encode(),
        code="bad_message",
    ),
    refused(
        "B14",
        "escape-items",
        "ANSI codes in a priority in a file",
        "add",
        "--from",
        "given/a.jsonl",
        files={"a.jsonl": json.dumps({"title": "a", "priority": ESCAPES}).encode()},
        code="bad_file",
    ),
    Case(
        "B14",
        "escape-shown",
        "ANSI and OSC codes, bidi marks, in every text of an item",
        "`moot show` and others",
        _shown,
        0,
        None,
        "stored as it came, shown without control codes",
    ),
    Case(
        "B14",
        "escape-output",
        "ANSI codes in what a run printed",
        "`moot output`",
        _output,
        0,
        None,
        "stored as it came, shown without control codes",
    ),
    through_python(
        "B14", "large-python", "a comment of 2 MB", lambda board: board.comment("1", "x" * 2_000_000), "too_large"
    ),
]
