"""The parts of a board, and whether each is sound."""

from folkmoot.api.health import Health
from folkmoot.doors.cli.render.page import BAD, CARE, Page, one_line


def health(view: Health) -> None:
    page = Page()
    wide = max(len(one.name) for one in view.components)
    for one in view.components:
        mark = page.mark("done" if one.ok else "failed")
        label = page.text(mark, " ", (one.name.ljust(wide), "bold"))
        words = one_line(one.words)
        page.labelled(label, words if one.ok and not one.warning else (words, CARE if one.ok else BAD))
