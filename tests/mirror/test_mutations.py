"""Files of every kind with anything in them: no crash, no half of a change, a reason beside each that is refused."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from yaml import CBaseLoader, load

from folkmoot.errors import Invalid
from folkmoot.mirror import mirror as working
from folkmoot.mirror.reading.comments import read_meta
from folkmoot.mirror.reading.forms import read_dropped, read_handoff, read_item, read_state
from folkmoot.mirror.writing.comments import meta_file
from folkmoot.mirror.writing.yaml_text import quoted, scalar, words
from tests.mirror.desk import Desk
from tests.mirror.test_taking_in import HANDOFF, NAME

ARTIFACT = "specs/auth.md"
META = "specs/auth.meta.yaml"
ANSWER = {"question": "q1", "answer": "JWT", "by": "alice"}
REPORT = {"agent": "planner", "item": "1", "status": "completed", "spec": "specs/auth.md"}
WORDS = ("null", "true", "1", "-1", "1e999", '""', "[]", "{}", '"../x"', "builder", "alice", "open", "c001", "&a", "*a")


@pytest.fixture(scope="module")
def quest_desk() -> Iterator[Desk]:
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="moot-mirror-", dir=place) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(working, "SETTLE", 0.0)
        made = Desk(Path(folder), "quest", people="alice")
        made.moot("add", "Guild bank", "--files", "src/a.py")
        made.look()
        yield made
        made.close()


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """In memory, where the machine has such a place: what is tried here is not the disk."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="moot-mirror-", dir=place) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(working, "SETTLE", 0.0)
        made = Desk(Path(folder), people="alice")
        made.moot("add", "Add user auth", "--files", "src/a.py")
        made.moot(
            "comment", "1", "Which limit?\nSay it.", "--artifact", ARTIFACT, "--target", "Limits", "--as", "fixer"
        )
        made.moot("lock", "docs/", "--as", "bob", "--for", "2h")
        made.moot("send", "-", stdin=json.dumps(HANDOFF))
        made.moot("add", "Sessions")
        asks = {"from": "builder", "to": "orchestrator", "type": "escalation", "payload": {"details": "JWT or OAuth?"}}
        made.moot("send", "-", stdin=json.dumps({**asks, "context": {"item": "2"}}))
        assert [asked["id"] for asked in made.moot("inbox")["questions"]] == ["q1"]
        made.look()
        yield made
        made.close()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


class Step(Struct, frozen=True):
    """One change of a file. It is drawn without a look at the file, which may be another the next time."""

    how: str
    at: int  # in ten thousandths of the file
    length: int
    raw: bytes
    word: str
    value: Any
    key: str


steps = st.lists(
    st.builds(
        Step,
        how=st.sampled_from(("cut", "insert", "replace", "double", "drop", "again", "indent", "value", "key")),
        at=st.integers(0, 9_999),
        length=st.integers(0, 40),
        raw=st.binary(max_size=6),
        word=st.sampled_from(WORDS),
        value=json_values,
        key=st.sampled_from(["x", "status", "item", "from", "version", "locks"]),
    ),
    min_size=1,
    max_size=3,
)


def mutated(data: bytes, changes: list[Step]) -> bytes:
    """The file with some bytes cut, doubled, or replaced, or, if it is JSON, with another value somewhere."""
    for step in changes:
        data = _changed(data, step)
    return data


def _changed(data: bytes, step: Step) -> bytes:
    start = len(data) * step.at // 10_000
    end = min(len(data), start + step.length)
    if step.how in ("value", "key"):
        return _other_value(data, step)
    if step.how in ("drop", "again", "indent"):
        lines = data.split(b"\n")
        at = len(lines) * step.at // 10_000
        new = {"drop": [], "again": [lines[at]] * 2, "indent": [b"  " + lines[at]]}[step.how]
        return b"\n".join([*lines[:at], *new, *lines[at + 1 :]])
    put = {
        "cut": b"",
        "double": data[start:end] * 2,
        "insert": step.raw + data[start:end],
        "replace": step.word.encode(),
    }
    return data[:start] + put[step.how] + data[end:]


def _other_value(data: bytes, step: Step) -> bytes:
    try:
        whole: Any = json.loads(data)
    except (ValueError, RecursionError):
        return data
    value, at = whole, step.at
    while isinstance(value, dict) and value:
        key, at = sorted(value)[at % len(value)], at // len(value)
        if isinstance(value[key], dict) and value[key] and at % 2:
            value = value[key]
            continue
        if step.how == "key":
            value[step.key] = value.pop(key)
        else:
            value[key] = step.value
        break
    return json.dumps(whole).encode()


GOOD_ITEM = b'issue: 1\ntitle: "A"\ncolumn: plan\nstatus: ready\ntags: [a]\nfiles: []\nversion: 1\nedited_by: alice\n'
GOOD_META = (
    b'comments:\n  - id: c001\n    author: fixer\n    target: "Limits"\n'
    b"    content: |\n      Which limit?\n    status: open\n"
    b"  - author: builder\n    parent: c001\n    content: 20 MB\n    status: resolved\n    resolution: accepted\n"
)
READERS: dict[str, tuple[Callable[[bytes], Any], bytes]] = {
    "handoff": (read_handoff, json.dumps(HANDOFF).encode()),
    "state": (read_state, json.dumps({"locks": {"a": {"agent": "b"}}, "agents": {}, "version": 3}).encode()),
    "meta": (read_meta, GOOD_META),
    "item": (lambda data: read_item(data, as_json=False), GOOD_ITEM),
    "quest": (
        lambda data: read_item(data, as_json=True),
        b'{"version": 1, "title": "A", "files": [], "edited_by": null}',
    ),
    "answer": (lambda data: read_dropped("a.json", data, ["planner"]), json.dumps(ANSWER).encode()),
    "report": (lambda data: read_dropped("1-planner.json", data, ["planner"]), json.dumps(REPORT).encode()),
}


@pytest.mark.ledger("R-04")
@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=400)
@given(changes=steps)
def test_a_reader_reads_it_or_says_why_not(kind: str, changes: list[Step]) -> None:
    read, good = READERS[kind]
    read(good)
    with suppress(Invalid):
        read(mutated(good, changes))


KINDS = (
    "state.json",
    META,
    "kanban/1.yaml",
    f"handoffs/pending/{NAME}",
    "handoffs/pending/new.json",
    "inbox/1-planner.json",
    "inbox/answer.json",
    "events.jsonl",
    "quests/1.json",
)


def mutate_and_look(desk: Desk, path: str, changes: list[Step]) -> None:
    """One file, changed as somebody might; then the board and the folder as they must be."""
    shutil.rmtree(desk.dir / "rejected", ignore_errors=True)
    (desk.dir / "rejected").mkdir()
    place = desk.dir / path
    if path.endswith("new.json"):
        good = json.dumps({k: v for k, v in HANDOFF.items() if k != "message_id"}).encode()
    elif path.startswith("inbox"):
        good = json.dumps(ANSWER if "answer" in path else REPORT).encode()
    elif place.exists():
        good = place.read_bytes()
    else:  # it has gone on since: another folder is its place now
        place = next(desk.dir.glob(f"handoffs/*/{NAME}"))
        good = place.read_bytes()
    written = mutated(good, changes)
    before = desk.last_seq()
    beside = place.with_name(".beside")
    beside.write_bytes(written)
    os.rename(beside, place)
    desk.look()
    aside = {file.name for file in (desk.dir / "rejected").iterdir()}
    kept = {name for name in aside if not name.endswith(".why.txt")}
    assert {f"{name}.why.txt" for name in kept} == aside - kept, "a reason beside each"
    if kept:
        assert {(desk.dir / "rejected" / name).read_bytes() for name in kept} == {written}, "nothing is lost"
        assert desk.acts_since(before) == [], "what was refused has changed nothing"
    path = place.relative_to(desk.dir).as_posix()
    wanted = desk.mirror.scribe.content(path)
    assert (place.read_bytes() if place.exists() else None) == wanted, "the board's content stands there"
    assert not list((desk.dir / "inbox").iterdir())


QUIETLY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.ledger("R-04", "H-04", "H-05", "K-05")
@pytest.mark.parametrize("path", KINDS)
@settings(max_examples=25, suppress_health_check=QUIETLY)
@given(changes=steps)
def test_a_changed_file_is_taken_in_whole_or_set_aside(
    desk: Desk, quest_desk: Desk, path: str, changes: list[Step]
) -> None:
    mutate_and_look(quest_desk if path.startswith("quests") else desk, path, changes)


@pytest.mark.slow
@pytest.mark.ledger("R-04", "H-04", "H-05", "K-05")
@pytest.mark.parametrize("path", KINDS)
@settings(max_examples=1_200, suppress_health_check=QUIETLY)
@given(changes=steps)
def test_ten_thousand_changed_files(desk: Desk, quest_desk: Desk, path: str, changes: list[Step]) -> None:
    mutate_and_look(quest_desk if path.startswith("quests") else desk, path, changes)


def test_the_board_is_sound_after_all_of_it(desk: Desk, quest_desk: Desk) -> None:
    assert desk.moot("doctor")["ok"] and quest_desk.moot("doctor")["ok"]


@pytest.mark.ledger("K-05")
@settings(max_examples=300)
@given(text=st.text())
def test_what_is_written_as_yaml_is_read_back(text: str) -> None:
    storable = text.replace("\0", "").encode("utf-8", "ignore").decode()
    document = f"a: {quoted(storable)}\nb: {scalar(storable)}\nc:\n  d: {words(storable, 4)}\ne: 1\n"
    read = load(document, Loader=CBaseLoader)
    assert (read["a"], read["c"]["d"], read["e"]) == (storable, storable, "1"), document
    assert read["b"] == storable


def test_the_file_beside_an_artifact_without_comments() -> None:
    assert read_meta(meta_file("a.meta.yaml", ["a.md"], [], several=False)) == []
