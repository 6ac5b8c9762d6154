"""A digest in the terminal."""

from folkmoot.api.summary.digest import Digest
from folkmoot.doors.cli.render.digest import words
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, GOOD, HEAD, QUIET, Page

MOODS = {"bad": BAD, "good": GOOD, "care": CARE, "quiet": HEAD}


def digest(view: Digest) -> None:
    page = Page()
    page.line((words.head(view), HEAD))
    if words.is_empty(view):
        page.line(("Nothing happened, and nothing waits for you.", QUIET))
        return
    page.line((words.summary(view), QUIET))
    for part in words.parts(view):
        page.blank()
        page.line((part.title, f"{MOODS[part.mood]} bold"))
        wide = max(len(line.name) for line in part.lines)
        for line in part.lines:
            more = f"  {line.more}" if line.more else ""
            if not wide:
                page.line(line.words, (more, QUIET), indent=2, hang=2)
                continue
            beside = page.labelled(page.text((line.name.ljust(wide), HEAD)), line.words, (more, QUIET), indent=2)
            for below in line.below:
                page.line(("· ", QUIET), below, indent=beside, hang=2)
        if part.left_out:
            page.line((f"and {part.left_out} more: ", QUIET), (part.command, COMMAND), indent=2)
