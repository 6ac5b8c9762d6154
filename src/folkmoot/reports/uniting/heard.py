"""Something in a text that was meant as a report, as it was heard."""

from collections.abc import Iterable
from dataclasses import dataclass

from folkmoot.core.report import Report


@dataclass(slots=True)
class Heard:
    """Something meant as a report: where it ends, and what it says or what is wrong with it."""

    line: int
    rank: int  # where two end on one line, the more explicit one is the later
    place: int
    report: Report | None
    faults: list[str]
    implied: bool = False  # told only by what was fixed
    adds: bool = False  # it does not say how it ended: it only adds to what else was said
    told: Report | None = None  # of a form without a Status: what it tells
    alone: bool = False  # a status and nothing else, in the middle of the text: it may be anybody's
    lines: Iterable[int] = ()  # the numbers of its lines, of a form or signal
    keyed: bool = False  # lines of a form that it does not know: words around them are the form's
