"""Writes docs/reference/bad-input.md from what is observed when the cases run: python -m tests.bad_input.page."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bad_input.table import CASES, ROWS, WITHOUT_A_DOOR
from tests.bad_input.yard import Case, Seen, Yard

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bad-input.md"
HEAD = """<!-- Written by `python -m tests.bad_input.page` from what each case gave when it ran; do not edit. -->

# Bad input

What goes in, through which door, and what is answered. Exit 2 is bad input, 1 a refusal of the rules, 4 a store that
cannot be used, 0 an input that is odd but has a meaning, which the last column tells. Each of these lines is a test:
it runs the case, with `--json` and in words, and compares the answer with this page. "nothing changed" was looked for:
the log has the same head before and after, and no file was made or written.
"""


def line(case: Case, seen: Seen) -> str:
    cells = [case.id, case.given, case.door, str(seen.exit), f"`{seen.code}`" if seen.code else "", seen.after]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def rendered(seen: Mapping[str, Seen]) -> str:
    parts = [HEAD]
    for row, title in ROWS.items():
        parts.append(f"\n## {row}: {title}\n\n")
        if row in WITHOUT_A_DOOR:
            parts.append("No door yet.\n")
            continue
        lines = [line(case, seen[case.id]) for case in CASES if case.row == row]
        parts.append("| case | what goes in | door | exit | error | then |\n|---|---|---|---|---|---|\n")
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


def observe() -> dict[str, Seen]:
    seen = {}
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "board"
        folder.mkdir()
        yard = Yard.make(folder)
        shared = yard.copy(Path(top) / "shared")
        for number, case in enumerate(CASES):
            seen[case.id] = case.act(yard.copy(Path(top) / str(number)) if case.fresh else shared)
    return seen


def main() -> int:
    seen = observe()
    PAGE.write_text(rendered(seen), "utf-8")
    other = [case.id for case in CASES if seen[case.id] != Seen(case.exit, case.code, case.after)]
    for name in other:
        print(f"{name}: {seen[name]} is not what the case expects", file=sys.stderr)
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
