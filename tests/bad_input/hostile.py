"""Seeded bad input: hostile words, and what becomes of good text when it is cut, doubled, spliced and flipped."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import click

from folkmoot.doors.cli.main import COMMANDS, moot
from folkmoot.flows.preset import preset_names, read_preset
from tests.bad_input.text import ESCAPES, order
from tests.reports.test_hostile import PIECES, SAID
from tests.reports.test_json_dialects import DOCUMENTS

# These run agents, play for long, wait, or write files where they are told to.
LEFT_OUT = {
    *("run", "worker", "serve", "mcp", "demo", "simulate", "init", "completion"),
    *("backup", "restore", "export", "import"),
}
# A lease that ends soon would be noticed by the next command, and change the board whatever that says.
LEFT_OUT_OPTIONS = {"--lease", "--wait", "--follow", "--watch", "--help", "--board"}
WORDS = [
    *("", " ", "\t", "\n", "-", "--", "---", "-1", "0", "1", "2", "3", "4", "#1", "99", "9" * 30, "-0", "1e9", "NaN"),
    *("a", "x" * 300, "x" * 5000, "\x1b[31m", ESCAPES, "\u202e", "\u200b", "é", "e\u0301", "漢字", "🙂" * 40, "\ufeff"),
    *(
        "../x",
        "/etc/passwd",
        "C:\\x",
        "src/",
        "src/auth/",
        "src/a.py",
        "a//b",
        "a/./b",
        "**",
        "-rf",
        ".git/x",
        "docs/x",
    ),
    *(
        "dev",
        "qa",
        "done",
        "nowhere",
        "dev-agent",
        "qa-agent",
        "nobody",
        "q1",
        "q2",
        "c001",
        "00000000-0000-4000-8000-000000000001",
        "RUN",
        "r1",
        "ada",
    ),
    *("critical", "urgent", "bugfix", "accepted", "fix", "question", "pending", "ready", "running", "30m", "0s", "-5s"),
    *(
        "99d",
        "soon",
        "null",
        "true",
        "{}",
        "[]",
        '{"a": 1}',
        "'; DROP TABLE items; --",
        "$(id)",
        "{0}",
        "%s",
        "[red]x[/]",
    ),
    *("given/none", ".", "..", "a=b", "qa=review", "=", "k", "key", "@", "a:b", "%", "*", "?"),
]
Made = tuple[list[str], bytes]


def command_line(chance: Random) -> Made:
    """A command with arguments that may fit, and options that may not."""
    name = chance.choice([name for name in COMMANDS if name not in LEFT_OUT])
    command = moot.get_command(click.Context(moot, info_name="moot"), name)
    assert command is not None
    told: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            count = chance.choice((1, 1, 1, 1, 0, 2)) if parameter.nargs == 1 else chance.choice((1, 2, 3, 0))
            told += [word(chance) for _ in range(count)]
            continue
        flag = parameter.opts[0]
        if flag in LEFT_OUT_OPTIONS or chance.random() > 0.25:
            continue
        told.append(flag)
        if not getattr(parameter, "is_flag", False):
            kinds = getattr(parameter.type, "choices", None)
            told.append(str(chance.choice(list(kinds))) if kinds and chance.random() < 0.6 else word(chance))
    if chance.random() < 0.2:
        chance.shuffle(told)
    if chance.random() < 0.05:
        told.insert(0, "--")
    stdin = chance.choice((report(chance), envelope(chance), item_file(chance)[1], "", "text"))
    return [name, *told], stdin.encode("utf-8", "surrogatepass")


def word(chance: Random) -> str:
    if chance.random() < 0.85:
        return chance.choice(WORDS)
    return "".join(chance.choice(WORDS)[:20] for _ in range(chance.randrange(1, 4)))


# Texts that are good until something happens to them

REPORTS = [
    *(text for texts in SAID.values() for text in texts),
    *(json.dumps(document) for document in DOCUMENTS.values()),
    "ATTEMPT 1: Self-Solve\nApproach: a\nOutcome: b\nWhy Different: c\n\nATTEMPT 2: Expert Delegation\nApproach: d\n",
    "SEEKING_DIVINE_CLARIFICATION\n\nTask: t\nQuestion: q?\nOptions Considered:\n1. a: b\nAttempts Made:\n- x: 3\n",
]
ENVELOPE = {
    "schema_version": "1.0.0",
    "message_id": "00000000-0000-4000-8000-000000000002",
    "timestamp": "2026-01-01T10:00:00Z",
    "from": "dev-agent",
    "to": "qa-agent",
    "type": "note",
    "priority": "high",
    "payload": {"a": [1, {"b": "c"}]},
    "context": {"workflow": "feature", "iteration": 1, "item": "3"},
    "status": "pending",
}
ITEMS = {
    "a.yaml": "- title: One\n  body: b\n  key: k\n  tags: [x, y]\n- title: Two\n  after: [k]\n  files: [a.py]\n- no\n",
    "a.jsonl": '{"title": "One", "key": "k", "priority": "high"}\n{"title": "Two", "after": ["k"], "parent": null}\n',
    "a.json": '[{"title": "One"}, {"title": "Two", "type": "bugfix"}]',
    "a.md": "# List\n\n- [ ] One\n  more\n- [x] Two\n  - inner\n1. Three\n",
    "a.txt": "* One\n* Two\n",
}
FLOWS = {name: read_preset(name)["flow.yaml"] for name in preset_names()}
POPULATION = (Path(__file__).parents[2] / "src" / "folkmoot" / "sim" / "population" / "default.yaml").read_text("utf-8")
REQUESTS: list[dict[str, Any]] = [
    {"call": "queries.log", "args": {"after": 0, "item": "1", "limit": 10}},
    {"call": "queries.show", "args": {"item": "1"}},
    {"call": "queries.list", "args": {"column": "dev", "after": 0}},
    {"call": "engine.report", "args": {"report": {"outcome": "done"}, "key": "k", "show": True}},
    order("add", title="a", files=["src/x.py"], after=["3"]),
    order("comment", content="c", artifact="a"),
    order("widen", paths=["src/b.py"]),
    order("ask", question="q", options=["a"]),
    order("lock", paths=["src/c.py"], seconds=60.0),
    order("send", sender="dev-agent", to="qa-agent", type="note", payload={"a": 1}),
    order("dispatch", agent="qa-agent", task="t"),
]
YAML_PIECES = [
    "no",
    "012",
    "12:30:00",
    "~",
    "*a",
    "&a x",
    "!!str x",
    "{}",
    "[]",
    "<<: *a",
    "- x",
    "'",
    '"',
    "\t",
    "|",
    ">",
    ": ",
]


def report(chance: Random) -> str:
    return mangled(chance, chance.choice(REPORTS), REPORTS, PIECES)


def envelope(chance: Random) -> str:
    if chance.random() < 0.5:
        return json.dumps(changed(chance, ENVELOPE))
    text = json.dumps(ENVELOPE)
    return mangled(chance, text, [text, *REPORTS], PIECES)


def item_file(chance: Random) -> tuple[str, str]:
    name = chance.choice(list(ITEMS))
    return name, mangled(chance, ITEMS[name], list(ITEMS.values()), YAML_PIECES)


def flow(chance: Random) -> str:
    return mangled(chance, chance.choice(list(FLOWS.values())), list(FLOWS.values()), [*YAML_PIECES, *WORDS])


def population(chance: Random) -> str:
    return mangled(chance, POPULATION, [POPULATION], [*YAML_PIECES, *WORDS])


def request(chance: Random) -> bytes:
    text = json.dumps(changed(chance, chance.choice(REQUESTS)))
    if chance.random() < 0.3:
        text = mangled(chance, text, [text], PIECES)
    return text.encode("utf-8", "surrogatepass")


# What a program may call, with the values it gives by place and by name.
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "add": (("a",), {"body": "b", "files": ["x"], "after": ["3"], "tags": ["t"], "priority": "low", "key": "k"}),
    "comment": (("1", "c"), {"artifact": "a", "target": "t", "parent": None, "resolution": None}),
    "move": (("3", "qa"), {"why": "w"}),
    "answer": (("q1", "1"), {"to": "dev"}),
    "lock": (("src/y.py", "src/z.py"), {"seconds": 60.0}),
    "unlock": (("docs/",), {}),
    "send": (({"from": "dev-agent", "to": "qa-agent", "type": "note", "payload": {"a": [1]}},), {"key": "k"}),
    "dispatch": (("qa-agent", "t"), {"purpose": "fix"}),
    "claim": (("dev-agent",), {"item": "3", "column": "dev", "worker": "w", "lease": 3600.0}),
    "cancel": (("3",), {"why": "w"}),
    "reopen": (("3",), {"why": "w"}),
    "accept": (("00000000-0000-4000-8000-000000000001",), {}),
    "reject": (("00000000-0000-4000-8000-000000000001", "w"), {}),
    "show": (("1",), {}),
    "log": ((0,), {"item": "1"}),
    "list": ((), {"column": "dev", "status": "ready", "tag": "t"}),
    "messages": ((), {"to": "qa-agent", "status": "pending"}),
    "lessons": (("dev-agent",), {}),
}


def call(chance: Random) -> tuple[str, list[Any], dict[str, Any]]:
    name = chance.choice(list(CALLS))
    by_place, by_name = CALLS[name]
    values = [_another(chance, value, 0.3) for value in by_place]
    # A short lease would run out while the batch plays.
    options = {
        key: value if key == "lease" else _another(chance, value, 0.4)
        for key, value in by_name.items()
        if chance.random() < 0.6
    }
    return name, values, options


def _another(chance: Random, value: Any, often: float) -> Any:
    if chance.random() < often:
        return chance.choice([*ODD, b"bytes", ("a", "\0"), {1, 2}, object(), *WORDS[:40]])
    return changed(chance, value) if isinstance(value, dict) else value


def mangled(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        text = chance.choice(MUTATIONS)(chance, text, others, pieces)[:200_000]
    return text


def _cut(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] if chance.random() < 0.5 else text[at:]


def _hole(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randrange(1, 30) :]


def _spliced(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    other = chance.choice(others)
    return text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other) + 1) :]


def _doubled(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    return text + chance.choice(("", "\n", "\n\n")) + text


def _flipped(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(chance.choice((1, 1, 3))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data.decode("utf-8", "replace")


def _inserted(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(pieces) + text[at:]


def _line_gone(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _line_twice(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    lines.insert(chance.randrange(len(lines)) if chance.random() < 0.5 else at, lines[at])
    return "\n".join(lines)


def _value_replaced(chance: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    key, colon, _ = lines[at].partition(":")
    lines[at] = f"{key}{colon} {chance.choice(pieces)}" if colon else chance.choice(pieces)
    return "\n".join(lines)


Mutation = Callable[[Random, str, Sequence[str], Sequence[str]], str]
MUTATIONS: list[Mutation] = [
    *(_cut, _hole, _spliced, _doubled, _flipped, _inserted, _line_gone, _line_twice, _value_replaced),
]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 2**31, 2**63, 10**40, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", " ", "\0"),
    *("\ud800", ESCAPES, [], {}, [[]], [None], {"": ""}, "x" * 3000, ["a"] * 300, {"a": {"b": {"c": []}}}, "1", "dev"),
]


def changed(chance: Random, value: Any, depth: int = 0) -> Any:
    """A copy in which some value, somewhere, is another."""
    if depth and chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(value, dict):
        kept = {key: changed(chance, part, depth + 1) for key, part in value.items() if chance.random() > 0.05}
        if chance.random() < 0.1:
            kept[chance.choice(WORDS)] = chance.choice(ODD)
        return kept
    return [changed(chance, part, depth + 1) for part in value] if isinstance(value, list) else value
