"""A word that is added to a vocabulary does not slip past the rules: the type check names every one that ignores it."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from folkmoot.core.enums import EventName
from folkmoot.core.events import EVENTS

ROOT = Path(__file__).parents[2]
TERMS = "core/enums.py"
# The vocabulary, one of its words, and a module whose rules must say what another one means.
ADDED = {
    "outcome": ('"split", "incomplete"', '"split", "incomplete", "postponed"', "core/rules/outcomes.py"),
    "cause": ('"fatal",\n', '"fatal",\n    "weather",\n', "core/rules/failures.py"),
    "status": ('"waiting", "blocked"]', '"waiting", "blocked", "frozen"]', "core/explain.py"),
    "kind": ('"sub", "dispatch"]', '"sub", "dispatch", "robot"]', TERMS),
    "question": ('"budget", "conflict"]', '"budget", "conflict", "riddle"]', "core/rules/questions.py"),
    "write right": ('"new_tests", "any"]', '"new_tests", "any", "docs"]', "core/rules/running/rights.py"),
}


def checked(folder: Path) -> str:
    """What mypy says of the rules as they stand there."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "-p", "folkmoot.core"]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
    assert not shown.stderr, shown.stderr
    return shown.stdout


@pytest.mark.ledger("R-06", "R-07")
def test_a_word_that_no_rule_handles_fails_the_type_check(tmp_path: Path) -> None:
    package = tmp_path / "folkmoot"
    shutil.copytree(ROOT / "src" / "folkmoot" / "core", package / "core", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("__init__.py", "errors.py", "py.typed"):
        source = ROOT / "src" / "folkmoot" / name
        (package / name).write_text(source.read_text("utf-8") if name == "errors.py" else "", "utf-8")
    terms = (package / TERMS).read_text("utf-8")
    for old, new, _ in ADDED.values():
        assert terms.count(old) == 1, f"{old} stands {terms.count(old)} times in {TERMS}"
        terms = terms.replace(old, new)
    (package / TERMS).write_text(terms, "utf-8")
    told = checked(tmp_path)
    never = {line.split(":")[0] for line in told.splitlines() if 'Argument 1 to "assert_never"' in line}
    missing = {name: where for name, (_, _, where) in ADDED.items() if f"folkmoot/{where}" not in never}
    assert not missing, f"no rule fails the type check for a new word of {missing}:\n{told}"


def test_every_event_has_its_words() -> None:
    assert set(get_args(EventName)) == EVENTS.keys()
