"""What is wrong with a flow file, each with its place, and the collector that all readers and checks write into."""

from typing import TYPE_CHECKING

from msgspec import Struct

from folkmoot.core.vocabulary.roles import nearest
from folkmoot.errors import Invalid

if TYPE_CHECKING:
    from folkmoot.core.flow import Rung

Path = tuple[str, ...]  # where in the flow: ("columns", "dev", "next")
Place = tuple[int, int]  # where in the file: line and column, both from 1

START_OF_FILE: Place = (1, 1)
SHOWN_AT_MOST = 60
# Looking for a likeness is quadratic: past these sizes nobody mistyped, somebody is feeding us.
LIKENESS_WORD_MAX = 64
LIKENESS_KNOWN_MAX = 500


class Fault(Struct, frozen=True, kw_only=True):
    file: str
    line: int
    column: int
    path: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: "
        what = f"{self.path}: {self.message}" if self.path else self.message
        return f"{where}{what} — {self.suggestion}" if self.suggestion else where + what


class FlowFaults(Invalid):
    """The flow cannot be used; `faults` says everything that is wrong, in the order of the file."""

    def __init__(self, file: str, faults: list[Fault]) -> None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        lines = "".join(f"\n{fault}" for fault in faults)
        super().__init__("flow_faults", "", "repair {file}, then look again with `<check>`", file, count=len(faults))
        self.message = f"{file} has {count}:{lines}"
        self.faults = faults


class Findings:
    """Collects faults and warnings, and knows which parts of the flow are free of faults."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._faults: list[Fault] = []
        self._warnings: list[Fault] = []
        self._places: dict[Path, Place] = {}
        self._faulty: set[Path] = set()
        self.rungs: dict[Path, Rung] = {}  # every step of a ladder that was read, by its place in the file

    def remember(self, path: Path, place: Place) -> None:
        """Where this part stands, for checks that only know the flow and not the file."""
        self._places[path] = place

    def fault(self, path: Path, message: str, suggestion: str = "", place: Place | None = None) -> None:
        self._faulty.update(path[:length] for length in range(len(path) + 1))
        self._faults.append(self._fault(path, message, suggestion, place))

    def warn(self, path: Path, message: str, suggestion: str = "", place: Place | None = None) -> None:
        self._warnings.append(self._fault(path, message, suggestion, place))

    def is_faulty(self, *path: str) -> bool:
        """Is something wrong at this part or inside it? Then what follows from it would be noise."""
        return path in self._faulty

    def faulty_in(self, section: str) -> set[str]:
        """The keys of a section at or inside which something is wrong."""
        return {path[1] for path in self._faulty if len(path) == 2 and path[0] == section}

    @property
    def faults(self) -> list[Fault]:
        return in_order_of_file(self._faults)

    @property
    def warnings(self) -> list[Fault]:
        return in_order_of_file(self._warnings)

    def _fault(self, path: Path, message: str, suggestion: str, place: Place | None) -> Fault:
        line, column = place or self.place_of(path)
        shown = ".".join(shown_key(key) for key in path)
        return Fault(file=self.file, line=line, column=column, path=shown, message=message, suggestion=suggestion)

    def place_of(self, path: Path) -> Place:
        """The place of this part, or of the nearest part around it that stands in the file."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places.get(path, START_OF_FILE)


def in_order_of_file(faults: list[Fault]) -> list[Fault]:
    # What an alias repeats is found at the same place again: once is enough.
    return sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))


def did_you_mean(word: str, known: list[str]) -> str:
    """The known word that was meant, as a question; else all of them while they are few; else nothing."""
    if len(word) <= LIKENESS_WORD_MAX and len(known) <= LIKENESS_KNOWN_MAX:
        meant = nearest(word, known)
        if meant is not None:
            return f"did you mean '{meant}'?"
    return f"known are {', '.join(known)}" if 0 < len(known) <= 20 else ""


def shown(text: str) -> str:
    """Somebody's text in quotes, on one line and not too long, whatever it holds."""
    cut = text if len(text) <= SHOWN_AT_MOST else text[:SHOWN_AT_MOST] + "…"
    return "'" + "".join(letter if letter.isprintable() else escaped(letter) for letter in cut) + "'"


def shown_key(key: str) -> str:
    is_plain = key != "" and len(key) <= SHOWN_AT_MOST and key.isprintable() and " " not in key
    return key if is_plain else shown(key)


def escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
