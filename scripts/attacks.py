"""The table of attacks: each `@pytest.mark.attack(topic, attack, holds)` on a test is a row of it."""

import ast
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parent.parent
TOPICS = {
    "board": "The board's own files",
    "tree": "The user's work tree",
    "login": "The user's logins",
    "sandbox": "What a sandboxed run sees",
    "secrets": "Secrets in a change",
    "limits": "What a run may use up",
    "gates": "The gates before the target branch",
    "fence": "The last step of a landing",
    "rights": "The paths a change may touch",
    "target": "The target branch itself",
    "harvest": "Taking in what an agent left",
    "claims": "Claims beside blocked items",
    "doors": "The doors that others can reach",
    "pauses": "Pauses",
    "keeper": "The processes of a run",
    "time": "Clocks and leases",
    "damage": "Damaged files, and what is left behind",
    "start": "The way it is started",
}


class Attack(Struct, frozen=True, order=True):
    topic: str
    attack: str
    holds: str
    test: str


def attacks(folder: Path = ROOT / "tests") -> list[Attack]:
    """Every marked test below the folder, in the order of the topics."""
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                name = f"{path.relative_to(folder.parent).as_posix()}::{node.name}"
                found += [Attack(*words, name) for words in _marks(node, name)]
    return sorted(found, key=lambda one: (list(TOPICS).index(one.topic), one.test, one.attack))


def _marks(node: ast.FunctionDef, name: str) -> list[tuple[str, str, str]]:
    marks = []
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.attack":
            words = [ast.literal_eval(word) for word in mark.args]
            if len(words) != 3 or not all(isinstance(word, str) and word for word in words) or words[0] not in TOPICS:
                raise ValueError(f"{name}: attack(topic, attack, holds), and the topic is one of {', '.join(TOPICS)}")
            marks.append((words[0], words[1], words[2]))
    return marks
