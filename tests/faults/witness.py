"""What came of each fault when it was made, written down once and held against every later run.

`observed.json` is written by `python -m tests.faults.page`. In every other run a test that sees something else than
what stands there fails: the page that is made of it cannot drift.
"""

import json
import os
from pathlib import Path
from typing import Any

OBSERVED = Path(__file__).with_name("observed.json")
WRITE_TO = "FOLKMOOT_OBSERVED"  # where a run that is to be written down leaves what it saw, a line for each

Observed = dict[str, dict[str, dict[str, Any]]]


def read_observed() -> Observed:
    found: Observed = json.loads(OBSERVED.read_text("utf-8")) if OBSERVED.exists() else {}
    return found


def saw(row: str, case: str, outcome: str, **counts: int) -> None:
    """A test tells what came of a fault: always the same words, and numbers that may grow with the machine."""
    place = os.environ.get(WRITE_TO)
    if place:
        with open(place, "a", encoding="utf-8") as file:
            file.write(json.dumps({"row": row, "case": case, "outcome": outcome, "counts": counts}) + "\n")
        return
    known = read_observed().get(row, {}).get(case)
    if known is None:
        raise AssertionError(f"{row}, {case}: not written down; run `python -m tests.faults.page`")
    if known["outcome"] != outcome or known["counts"].keys() != counts.keys():
        raise AssertionError(f"{row}, {case}: seen was {outcome!r} {counts}, written down is {known}")
