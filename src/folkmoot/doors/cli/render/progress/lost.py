"""Work that landed, and that somebody has taken off its branch since: said in the same words wherever it is told."""

from collections.abc import Sequence

from folkmoot.api.pages import LostWork
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, QUIET, Page, one_line

LOST_SHOWN = 20
TITLE = "Lost: it landed, and its branch does not have it any more"
COMMIT_SHOWN = 12


def gone(one: LostWork) -> str:
    """Behind the item and its title."""
    if one.undone_by is not None:
        there = f"landed on {one_line(one.branch)} at {one.commit[:COMMIT_SHOWN]}"
        return f"{there}, and {one.undone_by[:COMMIT_SHOWN]} has undone it there"
    return f"landed on {one_line(one.branch)} at {one.commit[:COMMIT_SHOWN]}, which that branch does not have any more"


def ways(one: LostWork) -> list[tuple[str, str]]:
    """What can be done about it: words, and the command."""
    return [
        ("bring it back: ", one_line(one.brings_back)),
        ("or have it made again: ", f"moot reopen {one.item} --why …"),
    ]


def lost_lines(page: Page, lost: Sequence[LostWork], more: str) -> None:
    """All of it before anything else; `more` is the command that shows what is left out here."""
    if not lost:
        return
    page.line((TITLE, BAD))
    for one in lost[:LOST_SHOWN]:
        page.line((f"#{one.item}", "bold"), f" {one_line(one.title)} ", (gone(one), CARE), indent=2, hang=2)
        for words, command in ways(one):
            page.line((words, QUIET), (command, COMMAND), indent=4, hang=2)
    if len(lost) > LOST_SHOWN:
        page.line((f"… and {len(lost) - LOST_SHOWN} more: ", QUIET), (more, COMMAND), indent=2)
    page.blank()
