"""What looks have found, kept beside the board: how a gate ended on a commit, and which programs have answered."""

import os

import msgspec
from msgspec import Struct, field

from folkmoot.core.decoding import reader
from folkmoot.wiring.reading import content_of, write_anew

FILE = "board.db-ready"  # by its name git ignores it, and no backup takes it along
GATES_MAX = 50
VERSIONS_MAX = 50


class GateResult(Struct, frozen=True, kw_only=True):
    """How a gate ended on a commit."""

    gate: str
    check: str  # which check it was
    commit: str
    green: bool
    line: str = ""  # what it said first of what is wrong
    seconds: float = 0.0
    accepted: bool = False  # the user said that agents may begin all the same


class Kept(Struct):
    gates: list[GateResult] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def gate(self, gate: str, check: str, commit: str) -> GateResult | None:
        return next((one for one in self.gates if (one.gate, one.check, one.commit) == (gate, check, commit)), None)

    def remember(self, result: GateResult) -> None:
        is_same = (result.gate, result.check, result.commit)
        self.gates = [one for one in self.gates if (one.gate, one.check, one.commit) != is_same]
        self.gates = [*self.gates, result][-GATES_MAX:]


def read_kept(home: str) -> Kept:
    """What was found before; nothing where the file is gone or is no such file: then it is looked at again."""
    try:
        kept: Kept = reader(Kept)(content_of(os.path.join(home, FILE)))
        return kept
    except (OSError, ValueError, msgspec.MsgspecError):
        return Kept()


def keep(home: str, kept: Kept) -> None:
    kept.versions = dict(list(kept.versions.items())[-VERSIONS_MAX:])
    write_anew(os.path.join(home, FILE), msgspec.json.encode(kept).decode())
