"""B10 and B27: YAML that is more than data, and boards that are not whole when a command starts."""

import json
import os
import sqlite3

from tests.bad_input.yard import NOTHING, Case, Seen, Yard, refusal, refused

HEAD = b"columns: {a: {agents: [x], next: done}}\n"
BOMB = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + n, 98 + n, b", ".join([b"*%c" % (97 + n)] * 9)) for n in range(8)
)


def _flow(name: str, given: str, text: bytes, row: str = "B10") -> Case:
    return refused(
        row, f"flow-{name}", given, "check", "given/f.yaml", files={"f.yaml": text}, code="flow_faults", words=False
    )


def _items(name: str, given: str, text: bytes) -> Case:
    return refused(
        "B10", f"items-{name}", given, "add", "--from", "given/a.yaml", files={"a.yaml": text}, code="bad_file"
    )


def _population(name: str, given: str, text: bytes) -> Case:
    return refused(
        "B10",
        f"population-{name}",
        given,
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": text},
        code="population_faults",
        words=False,
    )


def _titles(yard: Yard) -> Seen:
    """What YAML takes for something else stays the words somebody wrote."""
    yard.give("a.yaml", b"- no\n- 012\n- 12:30:00\n- 1e3\n- ~\n- 2024-01-01\n")
    view = json.loads(yard.done("add", "--from", "given/a.yaml", "--json").out)
    titles = [item["title"] for item in view["items"]]
    assert titles == ["no", "012", "12:30:00", "1e3", "~", "2024-01-01"], titles
    return Seen(0, None, "they stay words")


def _start(name: str, given: str, spoil: str, code: str, exit: int, *command: str) -> Case:
    """A board that is not whole: refused in one line, and its files stay as they are."""

    def act(yard: Yard) -> Seen:
        store = yard.folder / ".moot" / "board.db"
        before = SPOILS[spoil](yard)
        told = refusal(yard.moot(*(command or ("list",)), "--json"))
        words = yard.moot(*(command or ("list",)))
        assert words.exit == told[0] and words.err.startswith(b"moot: "), words
        kept = store.read_bytes() == before if before is not None else True
        return Seen(*told, NOTHING if kept else "the file changed")

    return Case("B27", name, given, f"`moot {' '.join(command or ('list',))}`", act, exit, code)


def _without_log(yard: Yard) -> None:
    for beside in (yard.folder / ".moot").glob("board.db-*"):
        beside.unlink()


def _replaced(data: bytes, yard: Yard) -> bytes:
    _without_log(yard)
    (yard.folder / ".moot" / "board.db").write_bytes(data)
    return data


def _foreign(yard: Yard) -> bytes:
    store = yard.folder / ".moot" / "board.db"
    _without_log(yard)
    store.unlink()
    other = sqlite3.connect(store)
    other.execute("CREATE TABLE songs (name TEXT)")
    other.commit()
    other.close()
    return store.read_bytes()


def _newer(yard: Yard) -> None:
    store = sqlite3.connect(yard.folder / ".moot" / "board.db")
    store.execute("INSERT INTO migrations (number, name, checksum) VALUES (9999, 'later', 'x')")
    store.commit()
    store.close()


def _cut(yard: Yard) -> bytes:
    store = yard.folder / ".moot" / "board.db"
    whole = sqlite3.connect(store)
    whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole.close()
    return _replaced(store.read_bytes()[:5000], yard)


def _folder(yard: Yard) -> None:
    _without_log(yard)
    (yard.folder / ".moot" / "board.db").unlink()
    (yard.folder / ".moot" / "board.db").mkdir()


def _half_flow(yard: Yard) -> None:
    flow = yard.folder / ".moot" / "flow.yaml"
    flow.write_bytes(flow.read_bytes()[: flow.stat().st_size // 2])


def _no_flow(yard: Yard) -> None:
    (yard.folder / ".moot" / "flow.yaml").unlink()


def _text_flow(yard: Yard) -> None:
    (yard.folder / ".moot" / "flow.yaml").write_bytes(b"\xff\xfe\x00")


def _bad_ladders(yard: Yard) -> None:
    (yard.folder / ".moot" / "escalation.yaml").write_bytes(b"agents: [a: b: c\n")


SPOILS = {
    "empty": lambda yard: _replaced(b"", yard),
    "text": lambda yard: _replaced(b"this is no database at all\n" * 100, yard),
    "foreign": _foreign,
    "newer": _newer,
    "cut": _cut,
    "folder": _folder,
    "half flow": _half_flow,
    "no flow": _no_flow,
    "bytes as flow": _text_flow,
    "bad ladders": _bad_ladders,
}


def _unchecked(yard: Yard) -> Seen:
    """The flow in force is in the store: a half-written file is only noted until somebody takes it in."""
    _half_flow(yard)
    heard = yard.done("list")
    assert b"note: " in heard.err
    return Seen(0, None, "the flow in force goes on; a note says that the file was changed")


def _init_elsewhere(yard: Yard) -> Seen:
    place = yard.folder / "given" / "inner"
    os.makedirs(place / ".moot")
    (place / ".moot" / "flow.yaml").write_text("columns: {a: {agents: [x], next: done")
    heard = Yard(place).moot("init", "--json")
    told = refusal(heard)
    return Seen(*told, NOTHING if not (place / ".moot" / "board.db").exists() else "a board was made")


CASES = [
    _flow("tag", "a tag that would make an object", HEAD + b"agents: {x: !!python/object/apply:os.system [id]}\n"),
    _flow("tag-text", "a harmless tag", HEAD + b"agents: {x: {prompt: !!str a}}\n"),
    _flow("bomb", "an alias bomb (9^9 values)", BOMB + HEAD + b"agents: {x: {}}\n"),
    _flow(
        "aliases",
        "51 aliases",
        b"x: &x {}\n" + HEAD + b"agents: {%s}\n" % b", ".join(b"a%d: *x" % n for n in range(51)),
    ),
    _flow("self", "an alias inside its own value", b"columns: &a {a: *a}\nagents: {}\n"),
    _flow("no-anchor", "an alias without an anchor", b"columns: *a\n"),
    _flow("merge", "a merge key", b"d: &d {next: done}\ncolumns: {a: {<<: *d}}\nagents: {}\n"),
    _flow("no", "`no` for a number", HEAD + b"agents: {x: {}}\nlimits: {slots: no}\n"),
    _flow("octal", "`012` for a number", HEAD + b"agents: {x: {}}\nlimits: {slots: 012}\n"),
    _flow("time", "`12:30:00` for a number", HEAD + b"agents: {x: {}}\nlimits: {slots: 12:30:00}\n"),
    _flow("exponent", "`1e3` for a number", HEAD + b"agents: {x: {}}\nlimits: {slots: 1e3}\n"),
    _flow("yes", "`yes` for true", HEAD + b"agents: {x: {expert: yes}}\n"),
    _flow("two", "two documents", HEAD + b"agents: {x: {}}\n---\n" + HEAD),
    _flow("empty", "an empty file", b""),
    _flow("list", "a list", b"- a\n"),
    _flow("tab", "a tab for spaces", b"columns:\n\ta: {}\n"),
    _flow("nul", "a NUL", b"columns: {a\0: {}}\n"),
    _flow("control", "a control code", b"columns: {a\x07: {}}\n"),
    _flow("key", "a list for a key", b"columns: {[a]: {}}\nagents: {}\n"),
    _flow(
        "values",
        "24,000 values, aliases written out",
        b"x: &x [%s]\ny: [%s]\n" % (b", ".join([b"v"] * 600), b", ".join([b"*x"] * 40)),
    ),
    _items("tag", "a tag in a list of items", b"- !!python/object/apply:os.system [id]\n"),
    _items("bomb", "an alias bomb in a list of items", BOMB + b"items: *i\n"),
    _items("self", "an alias inside its own value in a list of items", b"&a [*a]\n"),
    _items("merge", "a merge key in a list of items", b"- &a {title: a}\n- {<<: *a, body: b}\n"),
    _items("mapping", "a mapping for a list of items", b"a: b\n"),
    _items("nested", "a list in a list of items", b"- [a]\n"),
    _items("null", "nothing in a list of items", b"-\n- title:\n"),
    _items("two", "two documents of items", b"- a\n---\n- b\n"),
    _population("tag", "a tag in a population", b"luck: !!float 0.5\n"),
    _population("bomb", "an alias bomb in a population", BOMB),
    _population("number", "`no` for a number in a population", b"luck: no\n"),
    _population("range", "a chance of 2 in a population", b"luck: 2\n"),
    _population("nan", "`.nan` for a number in a population", b"luck: .nan\n"),
    _population("bytes", "a NUL in a population", b"luck: 0.1\0\n"),
    refused(
        "B10",
        "population-encoding",
        "a population that is not UTF-8",
        "simulate",
        "--population",
        "given/p.yaml",
        files={"p.yaml": b"\xff\xfe"},
        code="unreadable_population",
        words=False,
    ),
    refused(
        "B10",
        "flow-encoding",
        "a flow that is not UTF-8",
        "check",
        "given/f.yaml",
        files={"f.yaml": b"\xff\xfe"},
        code="unreadable_flow",
        words=False,
    ),
    Case(
        "B10",
        "items-words",
        "`no`, `012`, `12:30:00`, `1e3` and `~` as titles",
        "`moot add`",
        _titles,
        0,
        None,
        "they stay words",
    ),
    # B27
    _start("empty-store", "an empty store file", "empty", "not_a_board", 4),
    _start("text-store", "a text for a store", "text", "not_a_board", 4),
    _start("foreign-store", "another program's SQLite file", "foreign", "not_a_board", 4),
    _start("newer-store", "a store of a newer version", "newer", "store_newer", 4),
    _start("cut-store", "a store cut short", "cut", "store_damaged", 4),
    _start("folder-store", "a folder for a store", "folder", "not_a_board", 4),
    _start("half-flow", "half a flow", "half flow", "flow_faults", 2, "check"),
    _start("no-flow", "no flow", "no flow", "unreadable_flow", 2, "check"),
    _start("bytes-flow", "bytes that are no text for a flow", "bytes as flow", "unreadable_flow", 2, "check"),
    _start("bad-ladders", "half a ladder file", "bad ladders", "flow_faults", 2, "check"),
    Case(
        "B27",
        "half-flow-noted",
        "half a flow, while the board is used",
        "`moot list`",
        _unchecked,
        0,
        None,
        "the flow in force goes on; a note says that the file was changed",
    ),
    Case("B27", "init-half-flow", "half a flow that was there first", "`moot init`", _init_elsewhere, 2, "flow_faults"),
]
