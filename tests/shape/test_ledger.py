"""Every promise has a test that names it.

`ledger.txt` lists the promises, one per line: id, then what must work. A test shows one by carrying
`@pytest.mark.ledger("K-03")`.
"""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
LEDGER = Path(__file__).with_name("ledger.txt")


def read_list(text: str) -> dict[str, str]:
    """Id and words of each line; a line without words or an id that comes twice is a mistake."""
    listed: dict[str, str] = {}
    for line in text.splitlines():
        identity, _, words = line.partition(" ")
        assert words.strip(), f"no words after the id: {line!r}"
        assert identity not in listed, f"{identity} stands there twice"
        listed[identity] = words.strip()
    return listed


def ids_shown(source: str) -> set[str]:
    """The ids in every `pytest.mark.ledger(...)` of a module."""
    shown = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.ledger":
            for argument in node.args:
                # Anything but plain text could not be read here, and the id would be lost.
                assert isinstance(argument, ast.Constant), f"write the id out: {ast.unparse(node)}"
                shown.add(str(argument.value))
    return shown


def faults(promised: set[str], shown: set[str]) -> list[str]:
    return [
        *(f"{i}: a test names it, but ledger.txt does not know it" for i in sorted(shown - promised)),
        *(f"{i}: no test shows it" for i in sorted(promised - shown)),
    ]


def test_every_promise_is_shown() -> None:
    shown: set[str] = set()
    for file in sorted(TESTS.rglob("*.py")):
        shown |= ids_shown(file.read_text("utf-8"))
    found = faults(set(read_list(LEDGER.read_text("utf-8"))), shown)
    assert not found, "\n" + "\n".join(found)


def test_each_kind_of_fault_is_found() -> None:
    assert faults({"K-01"}, {"K-01"}) == []
    assert faults({"K-01"}, {"K-01", "K-99"}) == ["K-99: a test names it, but ledger.txt does not know it"]
    assert faults({"K-01"}, set()) == ["K-01: no test shows it"]


def test_ids_are_read_from_decorators_and_from_module_marks() -> None:
    source = """
pytestmark = pytest.mark.ledger("K-01")
@pytest.mark.ledger("K-02", "K-03")
def test_a(): ...
"""
    assert ids_shown(source) == {"K-01", "K-02", "K-03"}
