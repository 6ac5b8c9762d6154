"""Tests that a form lists under Tests or Test Results, each with how it ended: those that failed are findings."""

import re
from collections.abc import Iterator

from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.lines import number_in, place_in, unmarked
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.reds import failed_test_named, is_over_now
from folkmoot.core.vocabulary.problems import TEST_NAME_MAX

_BULLET = pattern(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE = pattern(r"(?=[|:\s]*-)[|:\s-]+")  # told by its letters alone, in one way: a text may be made to be slow
_CELLS = pattern(r"(?<!\\)\|")
_SIGNS = "❌✗✘✖🔴"
_RED = rf"(?:FAIL(?:ED|S|URE)?|[Ff]ail(?:ed|s|ing|ure)?|RED|ERROR|[{_SIGNS}])"
_CELL = pattern(rf"[{_SIGNS}\s]{{0,4}}{_RED}[.!]?", re.IGNORECASE)
# `TestX: FAIL expected 200`, `TestX … FAILED`, `TestX → ❌`
_BEHIND = pattern(
    rf"(\S.{{0,200}}?)\s{{0,3}}(?:[:=→–—]|->|=>|\.{{2,}}|…|\s-)\s{{0,3}}{_RED}(?![\w/])[\s:,;.–—-]{{0,4}}(.{{0,4000}})"
)
# `FAIL: TestX`, `[FAILED] TestX`, `❌ TestX`; the small word needs a sign behind it: "failed to start" is none.
_BEFORE = pattern(
    rf"(?:---\s)?(?:\[{_RED}\]|[{_SIGNS}]\s{{0,2}}(?:{_RED}\b)?|FAIL(?:ED)?\b|[Ff]ail(?:ed|ing|ure)?(?=\s{{0,2}}[:–—]))"
    r"\s{0,3}[:–—-]?\s{0,3}(\S+)(.{0,4000})"
)
FAILED_MAX = 500


def failed_tests(lines: list[str]) -> list[Finding]:
    """Each test of a list or a table that is said to have failed."""
    found: list[Finding] = []
    for at, line in enumerate(lines):
        words = line.strip()
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        if words.startswith("|"):
            is_head = bool(_RULE.fullmatch(below)) or bool(_RULE.fullmatch(words))
            found += [] if is_head else _of_row(words)
        elif words:
            found += _of_point(words)
    return found[:FAILED_MAX]


def _of_row(row: str) -> Iterator[Finding]:
    cells = [unmarked(cell).strip(" _").replace("\\|", "|") for cell in _CELLS.split(row.strip().strip("|"))]
    red = next((cell for cell in cells if _CELL.fullmatch(cell)), None)
    rest = [cell for cell in cells if cell and cell is not red and not says_nothing(cell)]
    if red is not None and rest and number_in(rest[0]) is None:
        yield _failed(rest[0], "; ".join(rest[1:]))


def _of_point(words: str) -> Iterator[Finding]:
    bullet = _BULLET.match(words)
    bare = unmarked(words[bullet.end() :] if bullet else words)
    if bullet is None and not bare.startswith(("FAIL", "---", *_SIGNS)):
        named = failed_test_named(bare)
        return (yield _failed(named, bare)) if named else None
    found = _BEHIND.fullmatch(bare) or _BEFORE.fullmatch(bare)
    name = found.group(1).strip(" :,;.()") if found else failed_test_named(bare) or ""
    said = found.group(2).strip(" :,;–—-") if found else bare
    if not name or name[0].isdigit() or says_nothing(name) or is_over_now(said):
        return None
    return (yield _failed(name, said))


def _failed(name: str, said: str) -> Finding:
    file, line = place_in(said)
    issue = said.strip("() ") or f"{name} failed"
    return Finding(kind="test", issue=issue, test=name[:TEST_NAME_MAX], file=file, line=line)
