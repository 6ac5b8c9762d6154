"""Writes docs/reference/misfortunes.md from what is seen when each is played: python -m tests.misfortunes.page."""

import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.misfortunes.place import Seen
from tests.misfortunes.stage import played, why_not
from tests.misfortunes.table import MISFORTUNES, Misfortune

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "misfortunes.md"
HEAD = """<!-- Written by `python -m tests.misfortunes.page` from what was seen when each was played; do not edit. -->

# Misfortunes

What goes wrong in the first hour and in an unattended night, the one line with which it ends, how many runs of agents
it took until then, and what to do next. Each row is a test: it plays the misfortune with real processes and real git
(goose with a scripted model where a provider is concerned; another client as it was seen to speak), and compares what
a person is shown with this page. After each of them every item is on the board, and `moot doctor` finds nothing.

| misfortune | what happened | the line that is shown | runs | next step |
|---|---|---|---|---|
"""


def line(case: Misfortune, seen: Seen) -> str:
    cells = [case.name, case.what, seen.line, str(seen.runs), seen.step]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def rendered(seen: Mapping[str, Seen]) -> str:
    return HEAD + "".join(line(case, seen[case.name]) + "\n" for case in MISFORTUNES)


def main() -> int:
    missing = {case.name: why for case in MISFORTUNES if (why := why_not(case))}
    if missing:
        print(f"the page needs all of them, and here cannot be played: {missing}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as top, ThreadPoolExecutor(2) as two:
        folders = [Path(top) / str(number) for number in range(len(MISFORTUNES))]
        found = two.map(partial(played, apart=True), MISFORTUNES, folders)
        seen = {case.name: one for case, one in zip(MISFORTUNES, found, strict=True)}
    PAGE.write_text(rendered(seen), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
