"""Which room may know which: read from the syntax tree, so an import for the type checker only counts as well."""

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "folkmoot"

INNER = {"api", "flows", "reports", "briefs", "core", "errors"}

# A room is a top-level entry of the package. It may import itself and what stands here.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "core": {"errors"},
    "api": {"core", "errors"},
    "store": {"core", "errors"},
    "flows": {"core", "errors"},
    "reports": {"core", "errors"},
    "briefs": {"core", "errors"},
    "config": {"core", "errors"},
    "system": {"worker", "core", "errors"},
    "engine": {"store", *INNER},
    "doors": {"engine", "config", *INNER},
    "mirror": {"doors", "engine", *INNER},
    "worker": {"engine", "config", *INNER},
    "testing": {"doors", "worker", "engine", "store", *INNER},
    "sim": {"doors", "worker", "engine", "store", "testing", *INNER},
}

# The outermost level: these may import every room, and no room may import them.
OUTERMOST = {"wiring", "__init__", "__main__"}

# What could make the rules give another answer to the same question.
FORBIDDEN_IN_CORE = {
    "apsw",
    "asyncio",
    "datetime",
    "logging",
    "os",
    "pathlib",
    "random",
    "socket",
    "sqlite3",
    "subprocess",
    "threading",
    "time",
    "uuid",
}

# Clock, chance, processes and network are handed in, so that the simulation can hand in its own.
HANDED_IN = {"random", "secrets", "socket", "subprocess", "time", "uuid"}

# Where they may be imported all the same: a file or a folder of the package, and which of them.
MAY_TOUCH_THE_WORLD: dict[str, set[str]] = {
    "wiring": HANDED_IN,
    "system": HANDED_IN,
    "store/sqlite": HANDED_IN,
    "store/postgres": HANDED_IN,
    "sim": {"random"},
    "testing": {"random"},
}


def faults(path: PurePosixPath, source: str) -> list[str]:
    """What is wrong with the imports of one module; `path` is relative to the package."""
    here = room_of(path)
    if here not in MAY_IMPORT and here not in OUTERMOST:
        return [f"{path}: room {here!r} is unknown; give it a line in MAY_IMPORT"]
    found = []
    for line, module in imported_modules(path, ast.parse(source)):
        fault = fault_between_rooms(here, module) or fault_with_the_world(path, here, module)
        if fault:
            found.append(f"{path}:{line}: {fault}")
    return found


def room_of(path: PurePosixPath) -> str:
    return PurePosixPath(path.parts[0]).stem


def imported_modules(path: PurePosixPath, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of all that is imported, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [package_above(path, node.level), node.module]))
            for alias in node.names:
                # `from folkmoot import core` names a room only together with its last part.
                yield node.lineno, f"{base}.{alias.name}"


def package_above(path: PurePosixPath, level: int) -> str:
    """The package that the dots of a relative import stand for."""
    if level == 0:
        return ""
    parts = ["folkmoot", *path.parts[:-1]]
    return ".".join(parts[: len(parts) - (level - 1)])


def fault_between_rooms(here: str, module: str) -> str | None:
    parts = module.split(".")
    if parts[0] != "folkmoot" or here in OUTERMOST:
        return None
    there = parts[1] if len(parts) > 1 else "__init__"
    if there == here or there in MAY_IMPORT[here]:
        return None
    return f"{here} may not import {module}"


def fault_with_the_world(path: PurePosixPath, here: str, module: str) -> str | None:
    top = module.split(".")[0]
    if here == "core" and top in FORBIDDEN_IN_CORE:
        return f"core is pure and may not import {top}"
    if top in HANDED_IN and top not in excused(path):
        return f"{top} is handed in from wiring, never imported here"
    return None


def excused(path: PurePosixPath) -> set[str]:
    return {name for place, names in MAY_TOUCH_THE_WORLD.items() if path.is_relative_to(place) for name in names}


def test_imports_point_inward() -> None:
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        found += faults(PurePosixPath(file.relative_to(PACKAGE).as_posix()), file.read_text("utf-8"))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/decide.py", "import time"),
        ("core/decide.py", "from datetime import datetime"),
        ("core/decide.py", "import os.path"),
        ("core/decide.py", "def f():\n    import random"),
        ("core/decide.py", "from folkmoot.store import base"),
        ("core/decide.py", "from folkmoot import engine"),
        ("core/decide.py", "from ..engine import Engine"),
        ("core/decide.py", "from .. import engine"),
        ("core/deep/down.py", "from ...flows import load"),
        ("core/decide.py", "if TYPE_CHECKING:\n    from folkmoot.store.port import Store"),
        ("errors.py", "from folkmoot.core.item import Item"),
        ("errors.py", "from .core import item"),
        ("store/port.py", "import folkmoot.flows.parse"),
        ("store/port.py", "import time"),
        ("store/sqlite_like.py", "import time"),
        ("flows/parse.py", "from folkmoot.reports.read import read"),
        ("engine/engine.py", "from folkmoot.doors.python import Board"),
        ("engine/engine.py", "from folkmoot.config import Settings"),
        ("engine/engine.py", "from folkmoot.system.clock import SystemClock"),
        ("doors/cli/items.py", "from folkmoot.store.port import Store"),
        ("doors/cli/items.py", "from folkmoot.worker.worker import Worker"),
        ("worker/worker.py", "from folkmoot.doors.python import Board"),
        ("worker/worker.py", "import subprocess"),
        ("doors/cli/items.py", "from folkmoot import __version__"),
        ("doors/cli/items.py", "import folkmoot"),
        ("doors/cli/items.py", "import folkmoot.wiring"),
        ("testing/clock.py", "from folkmoot.wiring import main"),
        ("testing/clock.py", "import time"),
        ("sim/world.py", "import uuid"),
        ("sim/world.py", "from folkmoot.wiring import main"),
        ("__main__.py", "import socket"),
        ("attic/old.py", "import json"),
    ],
)
def test_a_planted_fault_is_found(path: str, source: str) -> None:
    assert faults(PurePosixPath(path), source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/decide.py", "from folkmoot.core.item import Item\nfrom folkmoot.errors import Refused\nimport re"),
        ("core/decide.py", "from . import item\nfrom .item import Item\nfrom ..errors import Refused"),
        ("core/__init__.py", "from .item import Item"),
        ("store/sqlite/store.py", "import time\nfrom folkmoot.store.port import Store\nfrom folkmoot.core import item"),
        ("engine/engine.py", "from folkmoot.store.port import Store\nfrom folkmoot import core"),
        ("doors/cli/items.py", "from folkmoot.engine.engine import Engine\nfrom folkmoot.config import Settings"),
        ("sim/world.py", "import random\nfrom folkmoot.testing.clock import FakeClock"),
        ("testing/agents.py", "import random\nfrom folkmoot.engine.engine import Engine"),
        ("system/clock.py", "import time, uuid, subprocess"),
        ("wiring/boards.py", "import time\nfrom folkmoot.store.sqlite.store import SqliteStore"),
        ("__init__.py", "from folkmoot.doors.python import Board"),
        ("__main__.py", "from folkmoot.wiring import main"),
    ],
)
def test_what_is_allowed_passes(path: str, source: str) -> None:
    assert faults(PurePosixPath(path), source) == []


def _circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each leads, by its imports, back to itself."""
    left = dict(graph)
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def _needs_when_run(path: Path) -> set[str]:
    """What a module imports, at its start or later, but for what only the type checker sees."""
    needs: set[str] = set()
    left: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            needs |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        left += ast.iter_child_nodes(node)
    return needs


def test_a_circle_of_imports_is_found() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
    assert _circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("room", ["store", "core", "api", "engine", "worker", "flows", "briefs", "mirror", "system"])
def test_no_module_of_a_room_leads_back_to_itself(room: str) -> None:
    modules = {
        ".".join(("folkmoot", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in (PACKAGE / room).rglob("*.py")
    }
    graph = {name: (_needs_when_run(path) & modules.keys()) - {name} for name, path in modules.items()}
    assert _circle(graph) == []
