"""The reference is made from the code; it must be what the code says now, and leave nothing out."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report
from folkmoot.flows import keys
from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.load import load_flow
from folkmoot.reports.canonical import OUTCOME_WORDS, WORDS
from scripts.attacks import attacks
from scripts.promises import PROMISES, Promise

ROOT = Path(__file__).parents[2]
FLOWS = ROOT / "src" / "folkmoot" / "flows"

# Where each table of words stands in a flow, and beside what.
PLACES: list[tuple[keys.Keys, str]] = [
    (keys.FLOW, ""),
    (keys.COLUMN, "columns.dev"),
    (keys.AGENT, "agents.dev-agent"),
    (keys.START, "run"),
    (keys.GATE, "gates.ward"),
    (keys.LIMITS, "limits"),
    (keys.MODEL, "models.opus"),
    (keys.POOL, "pools.anthropic"),
    (keys.CLIENT, "clients.mine"),
    (keys.BUDGET, "budget"),
    (keys.MESSAGE, "messages.review_request"),
    (keys.QUESTIONS, "questions"),
    (keys.NOTIFY, "notify.1"),
    (keys.LAND, "land"),
    (keys.CLONE, "clone"),
    (keys.SECRETS, "secrets"),
    (keys.MIRROR, "mirror"),
]
# For each kind of value, one that is of another kind.
WRONG: dict[str, object] = {
    "name": ["a"],
    "names": "a b",
    "name or names": {"a": "b"},
    "text": ["a"],
    "texts": "a",
    "count": "three",
    "amount": "much",
    "size": "much",
    "span": 5,
    "switch": 5,
    "choice": "perhaps",
    "choices": ["perhaps"],
    "path": ["a"],
    "command": "make check",
    "command or text": {"a": "b"},
    "command or targets": "make check",
    "choice or paths": "sometimes",
    "commands": "make",
    "keys": ["a"],
    "named": ["a"],
    "pairs": ["a"],
}
KEYS = [(place, name, key) for keys, place in PLACES for name, key in keys.items()]


def test_the_reference_says_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def faults_of(place: str, key: str, value: object) -> str:
    """What is said about a small flow that has this value at this key."""
    flow: dict[str, object] = {
        "columns": {"dev": {"agents": ["dev-agent"], "next": "done"}},
        "agents": {"dev-agent": {}},
    }
    section = flow
    for part in place.split(".") if place else []:
        below = section.setdefault(part, {})
        assert isinstance(below, dict)
        section = below
    section[key] = value
    if place == "notify.1":
        flow["notify"] = [section]
    try:
        load_flow(yaml.safe_dump(flow), "flow.yaml", lambda path: "")
    except FlowFaults as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("place", "name", "key"), KEYS, ids=[f"{place}.{name}".strip(".") for place, name, _ in KEYS])
def test_every_key_of_a_flow_is_read_as_the_kind_that_its_words_say(place: str, name: str, key: keys.Key) -> None:
    said = faults_of(place, name, WRONG[key.kind])
    assert f" {place}.{name}".replace(" .", " ") in said, f"{place}.{name} takes {WRONG[key.kind]!r}: {said}"
    assert "unknown key" not in said


def test_every_kind_of_value_is_explained() -> None:
    assert {key.kind for _, _, key in KEYS} == set(keys.KINDS) == set(WRONG)


def keys_without_words(source: str) -> list[str]:
    """Lists of known keys that are no name, and such names that are not made from a table of words."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("section") and len(node.args) >= 3:
            known = ast.unparse(node.args[-1])
            found += [] if known.endswith("_KEYS") or known == "known" else [known]
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("_KEYS"):
            made = ast.unparse(node.value)
            found += [] if made.startswith("list(keys.") else [made]
    return found


def test_no_reader_of_a_flow_knows_a_key_without_words() -> None:
    readers = [*FLOWS.rglob("*.py")]
    assert [known for path in readers for known in keys_without_words(path.read_text("utf-8"))] == []
    planted = "NEW_KEYS = ['a']\nfields.section(node, path, ['b'])\nfields.section(node, path, NEW_KEYS)\n"
    assert keys_without_words(planted) == ["['a']", "['b']"]


def test_every_field_of_a_report_and_every_outcome_has_words() -> None:
    assert list(WORDS) == list(Report.__struct_fields__)
    assert tuple(OUTCOME_WORDS) == OUTCOMES


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("promise", PROMISES, ids=[promise.name for promise in PROMISES])
def test_every_promise_has_tests_that_are_there(promise: Promise) -> None:
    for named in promise.tests:
        file, _, test = named.partition("::")
        assert (ROOT / file).is_file(), named
        assert test in names_of_tests(ROOT / file), named
    assert len(promise.tests) >= 2


def test_an_attack_is_a_row_of_its_table_by_its_mark_alone(tmp_path: Path) -> None:
    file = tmp_path / "tests" / "test_it.py"
    file.parent.mkdir()
    file.write_text('@pytest.mark.attack("board", "it writes", "refused")\ndef test_one(): ...\ndef test_two(): ...\n')
    found = [(one.topic, one.attack, one.holds, one.test) for one in attacks(file.parent)]
    assert found == [("board", "it writes", "refused", "tests/test_it.py::test_one")]
    file.write_text('@pytest.mark.attack("bord", "it writes", "refused")\ndef test_one(): ...\n')
    with pytest.raises(ValueError, match="topic is one of"):
        attacks(file.parent)
