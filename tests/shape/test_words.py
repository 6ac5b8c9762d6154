"""Words that do not belong in this project, wherever they stand."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "folkmoot"

# Names that say nothing about what is inside.
EMPTY_NAMES = {"utils", "helpers", "common", "manager", "misc"}

# Put together here, so that this file does not hold what it looks for.
LATER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
# Only as the start of a path: "{folder}/work/" and "docs/home/" are somebody's own.
MACHINE_PATH = re.compile(r"(?<![\w.~})$-])/(" + "|".join(["work", "root", "home"]) + r")/")
REGISTRIES = ["pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.deb" + "ian.org"]
REGISTRY = re.compile("|".join(map(re.escape, REGISTRIES)))

# Folders that are made, not written. Hidden ones are left out too, but for those that belong to the project.
MADE = {"node_modules", "dist", "__pycache__"}
HIDDEN_BUT_OURS = {".ci", ".github"}


def written_files(top: Path) -> Iterator[Path]:
    for entry in sorted(top.iterdir()):
        if entry.is_dir():
            hidden = entry.name.startswith(".") and entry.name not in HIDDEN_BUT_OURS
            if not hidden and entry.name not in MADE:
                yield from written_files(entry)
        elif entry.is_file() and entry.name != ".git":  # in a linked work tree it says where git is
            yield entry


def lines_with(pattern: re.Pattern[str], top: Path) -> list[str]:
    found = []
    for file in written_files(top):
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a picture, not words
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{file.relative_to(top).as_posix()}:{number}: {line.strip()[:100]}")
    return found


def test_every_module_name_says_what_is_inside() -> None:
    empty = [str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*") if path.stem in EMPTY_NAMES]
    assert not empty, f"find a better name for {empty}"


def test_nothing_in_the_source_is_left_for_later() -> None:
    assert lines_with(LATER, PACKAGE) == []


def test_no_path_of_one_machine() -> None:
    assert lines_with(MACHINE_PATH, ROOT) == []


def test_no_address_of_a_package_registry() -> None:
    assert lines_with(REGISTRY, ROOT) == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (LATER, "# TO" + "DO: later"),
        (MACHINE_PATH, "see /" + "work/shared"),
        (MACHINE_PATH, "open('/" + "home/me/x')"),
        (REGISTRY, "https://py" + "pi.org/simple"),
        (REGISTRY, "https://files.python" + "hosted.org/x"),
    ],
)
def test_a_planted_word_is_found(tmp_path: Path, pattern: re.Pattern[str], line: str) -> None:
    (tmp_path / "notes.md").write_text(f"fine\n{line}\n", "utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "made.md").write_text(line, "utf-8")
    assert lines_with(pattern, tmp_path) == [f"notes.md:2: {line}"]
