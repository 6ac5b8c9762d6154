"""The page about Python cannot lie: its examples run, each on a fresh board, on every store there is."""

import doctest
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkmoot import Board, Report
from folkmoot.core.report import AskedQuestion
from scripts.python_page import classes, methods

# How a board is made on each store: another store is another line.
STORES: dict[str, Callable[[Path, str], Board]] = {
    "sqlite": lambda folder, preset: Board.create(str(folder), preset=preset, actor="ada"),
}
NAMES = [(name, method) for name, kind in classes().items() for method, _ in methods(kind)]
OF_A_FILE = pytest.mark.embedded("a board on a server is the server's to keep")
EXAMPLES = [pytest.param(*one, id=".".join(one), marks=OF_A_FILE if one[1] == "backup" else ()) for one in NAMES]


def docstring(name: str, method: str) -> str:
    value: Any = dict(methods(classes()[name]))[method]
    return inspect.getdoc(value.fget if isinstance(value, property) else value) or ""


def ran(example: str, folder: Path, make: Callable[[Path, str], Board], of_run: bool) -> list[str]:
    """What was wrong with an example."""
    (folder / "team").mkdir()
    with make(folder, "simple") as board, make(folder / "team", "handoff") as team:
        names: dict[str, Any] = {"board": board, "team": team, "Board": Board, "Report": Report, "folder": str(folder)}
        names["AskedQuestion"] = AskedQuestion
        if of_run:
            board.add("User can reset a password", files=["src/reset.py"])
            names["run"] = board.claim("coder")
        said: list[str] = []
        test = doctest.DocTestParser().get_doctest(example, names, "example", None, 0)
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        return said


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("name", "method"), EXAMPLES)
def test_an_example_of_the_page_does_what_it_says(name: str, method: str, store: str, tmp_path: Path) -> None:
    example = docstring(name, method)
    assert ">>> " in example, f"{name}.{method} has no example"
    assert not ran(example, tmp_path, STORES[store], name == "Claim")


def test_an_example_that_lies_is_seen(tmp_path: Path) -> None:
    said = ran(">>> board.add('One').status\n'done'\n", tmp_path, STORES["sqlite"], False)
    assert "Expected" in "".join(said)


def test_every_public_name_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text("utf-8")
    assert {"Board", "Report", "Claim"} == set(classes())
    missing = [f"{name}.{method}" for name, method in NAMES if f"### {name}.{method}\n" not in page]
    assert missing == []
    assert len(NAMES) > 35
