"""What was looked at before a run."""

from typing import TextIO

from folkmoot.api.machine import Look, Readiness
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, GOOD, QUIET, Page, Part, one_line

MARKS = {"good": ("✓", "+", GOOD), "note": ("!", "!", CARE), "act": ("✗", "x", BAD)}
NAMED = ("gate", "settings")  # what stands before the words of a look: others name it themselves
STYLES = {"good": "", "note": CARE, "act": BAD}


def found(view: Readiness, *, is_empty: bool) -> None:
    """A line for each look; below one that is not green, the one thing to do."""
    page = Page()
    wide = max(len(one.look) for one in view.looks)
    for one in view.looks:
        _line(page, one, wide)
    page.blank()
    if view.ok:
        first: list[Part] = [('moot add "…"', COMMAND), (", then ", QUIET)] if is_empty else []
        page.line(("Ready: ", GOOD), *first, ("moot run --until-idle", COMMAND))


def troubles(looks: list[Look], stream: TextIO) -> None:
    """What a run should not begin without knowing."""
    page = Page(stream)
    wide = max((len(one.look) for one in looks), default=0)
    for one in looks:
        _line(page, one, wide)


def busy(words: str, stream: TextIO) -> None:
    Page(stream).line((one_line(words), QUIET), hang=2)


def _line(page: Page, one: Look, wide: int) -> None:
    words = one_line(f"{one.about}: {one.words}" if one.look in NAMED and one.about else one.words)
    mark, in_ascii, style = MARKS[one.state]
    label = page.text((in_ascii if page.ascii else mark, style), " ", (one.look.ljust(wide), "bold"))
    beside = page.labelled(label, (words, STYLES[one.state]))
    if one.next:
        page.line(("→ ", QUIET), (one_line(one.next), COMMAND), indent=beside, hang=2)
