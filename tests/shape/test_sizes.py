"""How big a module, a function and a folder may be."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEASURED = [ROOT / "src" / "folkmoot", ROOT / "bench"]

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
FOLDER_MODULES_MAX = 14

# The naughty list: what is too big for now, each with its reason. A line that is no longer needed fails the test.
# Spelled as in the message: "src/folkmoot/a.py", "src/folkmoot/a.py::Class.function", "src/folkmoot/folder/".
TOO_BIG_FOR_NOW: set[str] = set()


def too_big_in_module(name: str, source: str) -> dict[str, str]:
    """What is over its limit in one module, with the words for it."""
    found = {}
    lines = len(source.splitlines())
    if lines > MODULE_LINES_MAX:
        found[name] = f"{name} has {lines} lines, at most {MODULE_LINES_MAX}"
    for function, length in functions(ast.parse(source)):
        if length > FUNCTION_LINES_MAX:
            place = f"{name}::{function}"
            found[place] = f"{place} has {length} lines, at most {FUNCTION_LINES_MAX}"
    return found


def functions(node: ast.AST, inside: str = "") -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        name = inside
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{inside}.{child.name}" if inside else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield name, (child.end_lineno or child.lineno) - child.lineno + 1
        yield from functions(child, name)


def too_big_folder(name: str, modules: int) -> dict[str, str]:
    if modules <= FOLDER_MODULES_MAX:
        return {}
    return {name: f"{name} has {modules} modules, at most {FOLDER_MODULES_MAX}"}


def too_big_below(top: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    counts: dict[Path, int] = {}
    for file in sorted(top.rglob("*.py")):
        found |= too_big_in_module(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))
        # The __init__ is the folder's label, not something in it.
        counts[file.parent] = counts.get(file.parent, 0) + (file.name != "__init__.py")
    for folder, modules in counts.items():
        found |= too_big_folder(f"{folder.relative_to(ROOT).as_posix()}/", modules)
    return found


def test_nothing_is_too_big_and_the_naughty_list_is_short() -> None:
    found: dict[str, str] = {}
    for top in MEASURED:
        found |= too_big_below(top)
    new = [words for place, words in found.items() if place not in TOO_BIG_FOR_NOW]
    stale = [f"{place} is fine now: take it off TOO_BIG_FOR_NOW" for place in TOO_BIG_FOR_NOW - found.keys()]
    assert not new + stale, "\n" + "\n".join(new + stale)


def test_a_long_module_is_found() -> None:
    assert not too_big_in_module("a.py", "x = 1\n" * MODULE_LINES_MAX)
    assert too_big_in_module("a.py", "x = 1\n" * (MODULE_LINES_MAX + 1)).keys() == {"a.py"}


def test_a_long_method_is_found() -> None:
    body = "        x = 1\n" * FUNCTION_LINES_MAX
    assert too_big_in_module("a.py", f"class A:\n    async def f(self):\n{body}").keys() == {"a.py::A.f"}


def test_a_full_folder_is_found() -> None:
    assert not too_big_folder("core/", FOLDER_MODULES_MAX)
    assert too_big_folder("core/", FOLDER_MODULES_MAX + 1).keys() == {"core/"}
