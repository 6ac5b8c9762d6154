"""ATTEMPT blocks as a table: a row for each, with the form's fields as its columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.asking.attempt_lines import ATTEMPT_LABELS
from folkmoot.reports.page import Line

_RULE = pattern(r"[|:\s-]+")
_NUMBERS = frozenset({"", "attempt", "attempt number", "no", "nr", "n", "try"})  # of `#` no letter is left
_KINDS = frozenset({"type", "kind", "phase", "who"})
_OWN = {"approach", "outcome"}
_MARKUP = "*_` \t"


@dataclass(slots=True)
class Row:
    place: int  # where in the lines it stands
    number: str
    kind: str
    told: dict[str, str]


def rows_in(lines: Sequence[Line], fence: int | None) -> Iterator[Row]:
    """The rows of each table that has the approach, the outcome, and a number or why it is different."""
    heads: list[str] = []
    for place, line in enumerate(lines):
        words = line.text.lstrip()
        if line.fence != fence or not words.startswith("|"):
            heads = []
        elif heads:
            cells = _cells(words)
            if len(cells) == len(heads) and not _RULE.fullmatch(words.rstrip()):
                told = dict(zip(heads, cells, strict=True))
                number, kind = told.pop("number", ""), told.pop("kind", "")
                yield Row(place, number, kind, {name: said for name, said in told.items() if name and said})
        elif place + 1 < len(lines) and _RULE.fullmatch(lines[place + 1].text.strip() or "."):
            found = [_head(cell) for cell in _cells(words)]
            heads = found if set(found) >= _OWN and {"why_different", "number"} & set(found) else []


def _cells(words: str) -> list[str]:
    return [cell.strip(_MARKUP) for cell in words.strip().strip("|").split("|")]


def _head(cell: str) -> str:
    """What the column holds, by the name that the form has for it."""
    name = plain(cell)
    if name in _NUMBERS:
        return "number"
    return "kind" if name in _KINDS else ATTEMPT_LABELS.get(name, "")
