"""Every promise has a test that names it, or stands in open.txt with a reason.

`ledger.txt` lists the promises, one per line: id, then what must work. A test shows one by carrying
`@pytest.mark.ledger("K-03")`. `open.txt` lists those that have no test yet: id, then why. It only ever shrinks.
"""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
LEDGER = Path(__file__).with_name("ledger.txt")
OPEN = Path(__file__).with_name("open.txt")

# The number of lines in open.txt, so that a longer list shows up in review.
OPEN_AT_MOST = 7


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


def faults(promised: set[str], unproven: set[str], shown: set[str]) -> list[str]:
    return [
        *(f"{i}: a test names it, but ledger.txt does not know it" for i in sorted(shown - promised)),
        *(f"{i}: open.txt names it, but ledger.txt does not know it" for i in sorted(unproven - promised)),
        *(f"{i}: no test shows it" for i in sorted(promised - shown - unproven)),
        *(f"{i}: a test shows it now: take it off open.txt" for i in sorted(unproven & shown)),
    ]


def test_every_promise_is_shown_or_open() -> None:
    shown: set[str] = set()
    for file in sorted(TESTS.rglob("*.py")):
        shown |= ids_shown(file.read_text("utf-8"))
    promised, unproven = read_list(LEDGER.read_text("utf-8")), read_list(OPEN.read_text("utf-8"))
    found = faults(set(promised), set(unproven), shown)
    assert not found, "\n" + "\n".join(found)


def test_the_open_list_does_not_grow_unseen() -> None:
    assert len(read_list(OPEN.read_text("utf-8"))) == OPEN_AT_MOST, "OPEN_AT_MOST must be the number of lines"


def test_each_kind_of_fault_is_found() -> None:
    assert faults({"K-01", "K-02"}, {"K-02"}, {"K-01"}) == []
    assert faults({"K-01"}, set(), {"K-01", "K-99"}) == ["K-99: a test names it, but ledger.txt does not know it"]
    assert faults({"K-01"}, {"K-99"}, {"K-01"}) == ["K-99: open.txt names it, but ledger.txt does not know it"]
    assert faults({"K-01"}, set(), set()) == ["K-01: no test shows it"]
    assert faults({"K-01"}, {"K-01"}, {"K-01"}) == ["K-01: a test shows it now: take it off open.txt"]


def test_ids_are_read_from_decorators_and_from_module_marks() -> None:
    source = """
pytestmark = pytest.mark.ledger("K-01")
@pytest.mark.ledger("K-02", "K-03")
def test_a(): ...
"""
    assert ids_shown(source) == {"K-01", "K-02", "K-03"}
