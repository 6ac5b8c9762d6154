"""B19 to B22, B25, B26, B28 and B29: what waits for what, cursors, unknown words, spans, names for git, and SQL."""

import json
import subprocess
from typing import Any

from folkmoot import Board, Report
from folkmoot.errors import MootError
from folkmoot.wiring.boards import FileBoards
from tests.bad_input.text import order
from tests.bad_input.yard import Case, Seen, Yard, refusal, refused, through_python, through_relay

CHAIN = 50
TUPLE = {"from": "dev-agent", "to": "qa-agent", "type": "note", "payload": {"a": ("x\0",)}}
OBJECT = {"from": "dev-agent", "to": "qa-agent", "type": "note", "payload": {"a": object()}}
SQL = "1'; DROP TABLE items; --"
SHELL = "$(touch owned) `touch owned` {brief} {0} %s ; touch owned | & > owned \" '"


def _deep(yard: Yard) -> Seen:
    """A chain of items, each of which waits for the one before."""
    lines = [{"title": f"t{n}", "key": f"k{n}", "after": [f"k{n - 1}" if n else "3"]} for n in range(CHAIN)]
    yard.give("deep.jsonl", "\n".join(map(json.dumps, lines)).encode())
    last = json.loads(yard.done("add", "--from", "given/deep.jsonl", "--json").out)["items"][-1]["id"]
    before = yard.state()
    heard = yard.moot("edit", "3", "--after", last, "--json")
    return Seen(heard.exit, json.loads(heard.err)["error"]["code"], yard.after(before))


def _words_stay_words(yard: Yard) -> Seen:
    """A title full of what a shell or a template would obey reaches the brief as it stands."""
    yard.done("add", SHELL, "--column", "qa")
    claim = json.loads(yard.done("claim", "qa-agent", "--json").out)
    assert claim["brief"]["task"]["title"] == SHELL
    assert SHELL in " ".join(yard.done("show", claim["item"]["id"]).out.decode().split())
    assert not (yard.folder / "owned").exists()
    return Seen(0, None, "it stays a text; nothing runs")


def _sql(yard: Yard) -> Seen:
    """As a filter it finds nothing, and the tables are there."""
    assert json.loads(yard.done("list", "--tag", SQL, "--json").out)["items"] == []
    assert json.loads(yard.done("doctor", "--json").out)["ok"]
    return Seen(0, None, "it finds nothing; the board is sound")


def _claimed(yard: Yard, report: Report) -> Seen:
    """A report by a run that this program makes: it is refused, and the run goes on."""
    Board.boards = FileBoards()
    with Board.open(str(yard.folder)) as board:
        claim = board.claim("dev-agent")
        before = yard.state()
        try:
            claim.report(report)
        except MootError as error:
            return Seen(error.exit_code, error.code, yard.after(before))
    return Seen(0, None, yard.after(before))


def _odd_outcome(yard: Yard) -> Seen:
    great: Any = "great"
    return _claimed(yard, Report(outcome=great))


def _odd_summary(yard: Yard) -> Seen:
    return _claimed(yard, Report(outcome="done", summary=5))  # type: ignore[arg-type]


def _beyond(yard: Yard) -> Seen:
    view = json.loads(yard.done("log", "--after", "999999999", "--json").out)
    assert view["events"] == []
    return Seen(0, None, "an empty page")


def _branch(name: str, given: str, branch: str) -> Case:
    return refused(
        "B26",
        f"target-{name}",
        f"{given} as a flow's target",
        "check",
        "given/f.yaml",
        files={
            "f.yaml": b"columns: {a: {agents: [x], next: done}}\nagents: {x: {}}\ntarget: "
            + json.dumps(branch).encode()
            + b"\n"
        },
        code="flow_faults",
        words=False,
    )


def _salvage(name: str, given: str, branch: str) -> Case:
    def act(yard: Yard) -> Seen:
        subprocess.run(["git", "init", "-q", str(yard.folder)], check=True)
        yard.done("init")  # that repository is meant
        yard.done("salvage")  # makes the board's own repository
        before = yard.state()
        heard = yard.moot("salvage", "RUN", f"--branch={branch}", "--json")
        return Seen(*refusal(heard), yard.after(before))

    return Case("B26", f"salvage-{name}", f"{given} as a branch", "`moot salvage`", act, 2, "bad_branch")


BRANCHES = {
    "option": ("`--upload-pack=x`", "--upload-pack=x"),
    "up": ("`a/../b`", "a/../b"),
    "at": ("`@{`", "a@{1}"),
    "lock": ("`a.lock`", "a.lock"),
    "space": ("a space", "a b"),
    "colon": ("`a:b`", "a:b"),
    "control": ("a control code", "a\x07b"),
    "dot": ("`.a`", ".a"),
    "slashes": ("`a//b`", "a//b"),
    "end": ("`a/`", "a/"),
    "caret": ("`HEAD~1^`", "HEAD~1^"),
}

CASES = [
    # B19: what waits for what
    refused("B19", "self", "an item that waits for itself", "edit", "3", "--after", "3", code="circle", exit=1),
    refused("B19", "circle", "two items that wait for each other", "edit", "3", "--after", "4", code="circle", exit=1),
    refused("B19", "missing", "an item that waits for none", "add", "a", "--after", "99", code="unknown_item"),
    refused("B19", "missing-parent", "a parent that is none", "add", "a", "--parent", "99", code="unknown_item"),
    refused("B19", "edit-missing", "an item made to wait for none", "edit", "3", "--after", "99", code="unknown_item"),
    refused(
        "B19",
        "file-missing",
        "an item in a file that waits for none",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "after": ["99"]}',
        code="unknown_item",
    ),
    refused(
        "B19",
        "file-self",
        "an item in a file that waits for itself",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "key": "k", "after": ["k"]}',
        code="bad_file",
    ),
    refused(
        "B19",
        "file-circle",
        "two items in a file that wait for each other",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "key": "k", "after": ["l"]}\n{"title": "b", "key": "l", "after": ["k"]}',
        code="bad_file",
    ),
    refused(
        "B19",
        "file-twice",
        "one key for two items",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "key": "k"}\n{"title": "b", "key": "k"}',
        code="bad_file",
    ),
    Case("B19", "deep", "a circle through 50 items", "`moot edit`", _deep, 1, "circle"),
    through_python(
        "B19",
        "python-missing",
        "an item that waits for none",
        lambda board: board.add("a", after=["99"]),
        "unknown_item",
    ),
    # B20: cursors
    refused("B20", "negative", "-1", "log", "--after", "-1", code="bad_usage"),
    refused("B20", "text", "`now`", "log", "--after", "now", code="bad_usage"),
    refused("B20", "huge", "30 digits", "log", "--after", "9" * 30, code="bad_usage"),
    refused("B20", "list-negative", "-1", "list", "--after", "-1", code="bad_usage"),
    refused("B20", "list-text", "`abc`", "list", "--after", "abc", code="bad_usage"),
    refused("B20", "limit-zero", "a page of 0", "log", "--limit", "0", code="bad_usage"),
    refused("B20", "limit-huge", "a page of 10^9", "log", "--limit", "1000000000", code="bad_usage"),
    refused("B20", "lessons-limit", "a page of -5", "lessons", "--limit", "-5", code="bad_usage"),
    Case("B20", "beyond", "a number beyond the end", "`moot log`", _beyond, 0, None, "an empty page"),
    through_relay("B20", "relay-text", "`now`", {"call": "log", "args": {"after": "now"}}, "bad_request"),
    through_relay("B20", "relay-limit", "a page of 10^9", {"call": "log", "args": {"limit": 10**9}}, "bad_request"),
    # B21: another content under a known key is the only version a caller can name
    Case(
        "B21",
        "key-reused",
        "a key that was used for something else",
        "`moot add`",
        lambda yard: _reused(yard),
        1,
        "key_reused",
    ),
    refused(
        "B21",
        "stale-token",
        "a token that is past",
        "report",
        "RUN",
        "--token",
        "0",
        "-",
        stdin=b'{"outcome": "done"}',
        code="stale_claim",
        exit=1,
    ),
    refused(
        "B21",
        "future-token",
        "a token that is yet to come",
        "report",
        "RUN",
        "--token",
        "2",
        "-",
        stdin=b'{"outcome": "done"}',
        code="stale_claim",
        exit=1,
    ),
    # B22: unknown words
    refused("B22", "command", "an unknown command", "frobnicate", code="unknown_command"),
    refused("B22", "option", "an unknown option", "list", "--sort", "title", code="bad_usage"),
    refused("B22", "status", "an unknown status", "list", "--status", "odd", code="bad_usage"),
    refused("B22", "priority", "an unknown priority", "add", "a", "--priority", "urgent", code="bad_usage"),
    refused("B22", "type", "an unknown type", "add", "a", "--type", "chore", code="bad_usage"),
    refused("B22", "column", "an unknown column", "add", "a", "--column", "nowhere", code="unknown_column"),
    refused("B22", "agent", "an unknown agent", "claim", "nobody", code="unknown_agent"),
    refused("B22", "preset", "an unknown preset", "simulate", "--preset", "nonsense", code="unknown_preset"),
    refused(
        "B22",
        "purpose",
        "an unknown purpose",
        "dispatch",
        "dev-agent",
        "x",
        "--purpose",
        "odd",
        code="not_for_dispatch",
        exit=1,
    ),
    refused("B22", "resolve", "an unknown resolution", "comment", "1", "x", "--resolve", "maybe", code="bad_usage"),
    refused(
        "B22",
        "field-in-file",
        "an unknown field in a file of items",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "colour": "red"}',
        code="bad_file",
    ),
    refused(
        "B22",
        "field-in-message",
        "an unknown field in a message",
        "send",
        "-",
        stdin=b'{"from": "a", "to": "b", "type": "t", "colour": 1}',
        code="bad_message",
    ),
    refused(
        "B22",
        "type-of-message",
        "a message of a type the flow does not have",
        "send",
        "-",
        stdin=b'{"from": "dev-agent", "to": "qa-agent", "type": "odd"}',
        code="bad_message",
    ),
    refused(
        "B22",
        "version-of-message",
        "an envelope of another version",
        "send",
        "-",
        stdin=b'{"schema_version": "2.0.0", "from": "a", "to": "b", "type": "note"}',
        code="bad_message",
    ),
    refused("B22", "list-as-message", "a list for a message", "send", "-", stdin=b"[1]", code="bad_message"),
    refused(
        "B22",
        "two-messages",
        "two messages at once",
        "send",
        "-",
        stdin=b'{"from": "a", "to": "b", "type": "note"} {}',
        code="bad_message",
    ),
    refused(
        "B22",
        "key-of-flow",
        "an unknown key in a flow",
        "check",
        "given/f.yaml",
        files={"f.yaml": b"columns: {a: {}}\nagents: {}\ncolour: red\n"},
        code="flow_faults",
    ),
    refused(
        "B22",
        "key-of-population",
        "an unknown key in a population",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": b"colour: red\n"},
        code="population_faults",
    ),
    through_relay("B22", "relay-call", "an unknown call", {"call": "destroy"}, "not_in_a_run", 1),
    through_relay("B22", "relay-field", "an unknown field", {"call": "inbox", "args": {"a": 1}}, "bad_request"),
    through_relay("B22", "relay-around", "an unknown field around a request", {"call": "inbox", "x": 1}, "bad_request"),
    through_relay("B22", "relay-command", "a command that is for people", order("cancel", item="1"), "only_people", 1),
    through_relay(
        "B22",
        "relay-command-field",
        "an unknown field of a request",
        order("add", title="a", colour="red"),
        "bad_request",
    ),
    through_relay("B22", "relay-list", "a list for a request", b"[]", "bad_request"),
    through_relay("B22", "relay-nothing", "an empty request", b"", "bad_request"),
    through_relay("B22", "relay-binary", "bytes that are no text", b"\xff\xfe\x00", "bad_request"),
    # B22, in Python: values of another kind
    *(
        through_python("B22", f"python-{name}", given, work, code)
        for name, given, work, code in (
            ("title", "a number for a title", lambda board: board.add(5), "bad_value"),
            ("title-bytes", "bytes for a title", lambda board: board.add(b"x"), "bad_title"),
            ("body", "a number for a body", lambda board: board.add("a", body=5), "bad_value"),
            ("tags", "a number for a tag", lambda board: board.add("a", tags=[5]), "bad_value"),
            ("files", "a text for a list of files", lambda board: board.add("a", files="src"), "bad_value"),
            ("parent", "a number for an id", lambda board: board.add("a", parent=5), "bad_value"),
            ("why", "a number for a reason", lambda board: board.move("3", "qa", why=5), "bad_value"),
            ("worker", "a number for a worker", lambda board: board.claim("dev-agent", worker=5), "bad_value"),
            ("lease", "a text for a lease", lambda board: board.claim("dev-agent", lease="60s"), "bad_value"),
            ("lease-true", "true for a lease", lambda board: board.claim("dev-agent", lease=True), "bad_value"),
            ("comment", "nothing for a comment", lambda board: board.comment("1", None), "bad_value"),
            ("target", "a number for a target", lambda board: board.comment("1", "x", target=5), "bad_value"),
            ("answer", "a number for an answer", lambda board: board.answer("q1", 1), "bad_value"),
            ("lock", "a text for seconds", lambda board: board.lock("a", seconds="60"), "bad_value"),
            ("message", "a list for a message", lambda board: board.send([]), "bad_message"),
            ("tuple", "a NUL in a tuple in a message", lambda board: board.send(TUPLE), "bad_message"),
            ("object", "an object in a message", lambda board: board.send(OBJECT), "bad_text"),
            ("filter", "a huge number for a filter", lambda board: board.list(tag=10**40), "bad_value"),
            ("id", "a number for an id", lambda board: board.show(5), "bad_value"),
            ("surrogate", "half a character for a filter", lambda board: board.messages(to="\ud800"), "bad_value"),
            ("key", "a number for a key", lambda board: board.add("a", key=5), "bad_key"),
            (
                "reject",
                "nothing for a reason",
                lambda board: board.reject("00000000-0000-4000-8000-000000000001", None),
                "bad_value",
            ),
            ("dispatch", "a number for a task", lambda board: board.dispatch("qa-agent", 5), "bad_value"),
        )
    ),
    Case("B22", "python-report", "an outcome there is none of", "Python", _odd_outcome, 2, "bad_report"),
    Case("B22", "python-summary", "a number for a summary", "Python", _odd_summary, 2, "bad_value"),
    # B25: what a shell would obey
    Case(
        "B25",
        "title",
        "`$()`, braces, quotes and a pipe in a title",
        "`moot add`",
        _words_stay_words,
        0,
        None,
        "it stays a text; nothing runs",
    ),
    refused(
        "B25",
        "program-as-text",
        "a command as one text",
        "check",
        "given/f.yaml",
        files={
            "f.yaml": b"columns: {a: {agents: [x], next: done}}\n"
            b"agents: {x: {run: {command: \"sh -c 'touch owned'\"}}}\n"
        },
        code="flow_faults",
    ),
    refused(
        "B25",
        "python-agent",
        "a name that is no function",
        "check",
        "given/f.yaml",
        files={"f.yaml": b'columns: {a: {agents: [x], next: done}}\nagents: {x: {run: {python: "os; import sys"}}}\n'},
        code="flow_faults",
    ),
    # B26: names for git
    *(_branch(name, given, branch) for name, (given, branch) in BRANCHES.items()),
    *(_salvage(name, given, branch) for name, (given, branch) in BRANCHES.items() if name in ("option", "up", "lock")),
    # B28: spans
    *(
        refused("B28", f"lease-{name}", given, "claim", "dev-agent", f"--lease={span}", code=code)
        for name, given, span, code in (
            ("zero", "0s", "0s", "bad_lease"),
            ("negative", "-5s", "-5s", "bad_span"),
            ("huge", "10 years", "3650d", "bad_lease"),
            ("digits", "30 digits", "9" * 30, "bad_span"),
            ("words", "`soon`", "soon", "bad_span"),
            ("zone", "`12:30 CET`", "12:30 CET", "bad_span"),
            ("empty", "nothing", "", "bad_span"),
            ("exponent", "`1e3s`", "1e3s", "bad_span"),
            ("wide", "`１０s`, wide digits", "\uff11\uff10s", "bad_span"),
        )
    ),
    refused("B28", "lock-zero", "a lock for 0s", "lock", "a", "--for", "0s", code="bad_lock"),
    refused("B28", "lock-huge", "a lock for 999 days", "lock", "a", "--for", "999d", code="bad_lock"),
    refused("B28", "wait-negative", "a wait of -1s", "lock", "a", "--wait=-1s", code="bad_span"),
    through_python(
        "B28", "python-zero", "a lease of 0", lambda board: board.claim("dev-agent", lease=0.0), "bad_lease"
    ),
    through_python(
        "B28", "python-huge", "a lock for 10^300 seconds", lambda board: board.lock("a", seconds=1e300), "bad_lock"
    ),
    through_relay(
        "B28",
        "relay-huge",
        "a lock for 10^300 seconds",
        order("lock", paths=["a"], seconds=1e300),
        "bad_lock",
    ),
    *(
        refused(
            "B28",
            f"flow-{name}",
            f"{given} as a flow's lease",
            "check",
            "given/f.yaml",
            files={"f.yaml": b"columns: {a: {agents: [x], next: done}}\nagents: {x: {}}\nlimits: {lease: %s}\n" % span},
            code="flow_faults",
            words=False,
        )
        for name, given, span in (
            ("zero", "0s", b"0s"),
            ("negative", "-5s", b"-5s"),
            ("huge", "10 years", b"3650d"),
            ("time", "`12:30:00`", b"12:30:00"),
            ("octal", "`012`", b"012"),
            ("no", "`no`", b"no"),
        )
    ),
    refused(
        "B28",
        "population",
        "an answer after 0s",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": b"people: {answers_after: 0s}\n"},
        code="population_faults",
    ),
    # B29: SQL
    Case("B29", "filter", "SQL as a filter", "`moot list`", _sql, 0, None, "it finds nothing; the board is sound"),
    refused("B29", "receiver", "SQL as a receiver", "messages", "--to", SQL, code="unknown_agent"),
    refused("B29", "id", "SQL as an id", "show", SQL, code="unknown_item"),
    refused("B29", "question", "SQL as a question's id", "answer", SQL, "x", code="unknown_question"),
    refused("B29", "message", "SQL as a message's id", "accept", SQL, code="unknown_message"),
    refused("B29", "run", "SQL as a run's id", "renew", SQL, "--token", "1", code="unknown_run"),
    through_relay(
        "B29", "relay-filter", "SQL as the name of a filter", {"call": "list", "args": {SQL: 1}}, "bad_request"
    ),
]


def _reused(yard: Yard) -> Seen:
    yard.done("add", "first", "--key", "k")
    before = yard.state()
    heard = yard.moot("add", "second", "--key", "k", "--json")
    return Seen(heard.exit, json.loads(heard.err)["error"]["code"], yard.after(before))
