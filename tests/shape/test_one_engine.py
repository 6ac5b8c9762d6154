"""One engine: presets are data, and nothing that decides can call a model (R-01, R-02, Q-01)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

PACKAGE = Path(__file__).parents[2] / "src" / "folkmoot"
PRESETS = PACKAGE / "flows" / "presets"
DECIDES = [PACKAGE / room for room in ("core", "engine", "store", "flows", "reports", "briefs")]

# What reaches beyond the process: a model is always behind one of these.
REACHES_OUT = {
    "aiohttp",
    "anthropic",
    "asyncio",
    "ftplib",
    "http",
    "httpx",
    "litellm",
    "multiprocessing",
    "openai",
    "requests",
    "smtplib",
    "socket",
    "ssl",
    "subprocess",
    "urllib",
    "websockets",
}


def imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def names_in(flow: dict[str, dict[str, object]]) -> set[str]:
    return set(flow["columns"]) | set(flow["agents"]) | set(flow.get("gates") or {})


def texts(source: str) -> Iterator[str]:
    """The string literals of a module, without its docstrings."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@pytest.mark.ledger("Q-01", "R-02")
def test_nothing_that_decides_reaches_beyond_the_process() -> None:
    modules = [module for room in DECIDES for module in sorted(room.rglob("*.py"))]
    found = {str(m.relative_to(PACKAGE)): set(imports(m.read_text("utf-8"))) & REACHES_OUT for m in modules}
    assert len(modules) > 60
    assert {name: reached for name, reached in found.items() if reached} == {}


def test_an_import_that_reaches_out_is_seen() -> None:
    assert set(imports("import os\nfrom urllib.request import urlopen\n")) & REACHES_OUT == {"urllib"}


@pytest.mark.ledger("R-01")
def test_presets_are_yaml_and_prompts_only() -> None:
    files = [file for file in PRESETS.rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".yaml", ".md"}
    assert {file.parent.name for file in files if file.suffix == ".yaml"} == {
        "escalation",
        "handoff",
        "kanban",
        "pipeline",
        "quest",
        "simple",
    }


@pytest.mark.ledger("R-01")
def test_no_rule_names_a_column_or_an_agent_of_a_preset() -> None:
    """A rule that knew a preset's names would be that preset's rule."""
    known: set[str] = set()
    for file in PRESETS.glob("*/flow.yaml"):
        known |= names_in(yaml.safe_load(file.read_text("utf-8")))
    # Words that mean something of their own in every flow: outcomes, message words, ways to end.
    known -= {"done", "ready", "fix", "review", "test", "tests", "blocked", "code"}
    rooms = [PACKAGE / "core", PACKAGE / "engine", PACKAGE / "store", PACKAGE / "doors"]
    found = {
        (str(module.relative_to(PACKAGE)), text)
        for room in rooms
        for module in room.rglob("*.py")
        for text in texts(module.read_text("utf-8"))
        if text in known
    }
    assert found == set()
