"""What was brought in from another tool's list, and what of it was not."""

from folkmoot.api.pages import AddedItems
from folkmoot.doors.cli.render.page import CARE, COMMAND, QUIET, Page, one_line


def brought_in(view: AddedItems, tool: str) -> None:
    page = Page()
    for item in view.items:
        page.row(page.mark(item.status), (f" #{item.id}", "bold"), "  ", one_line(item.title))
    known = f", {len(view.known)} were here already" if view.known else ""
    page.line((f"{len(view.items)} added from {tool}", "bold"), known)
    if view.left_out:
        page.line(("Not taken over:", CARE))
        for words in view.left_out:
            page.line("- ", one_line(words), indent=2, hang=2)
    if any(item.status == "parked" for item in view.items):
        page.line("Nothing begins by itself. Let one begin by its question: ", ("moot inbox", COMMAND))
    else:
        page.line(("next: ", QUIET), ("moot board", COMMAND))
