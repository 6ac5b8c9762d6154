"""Which paths are held."""

from folkmoot.api.views import HoldView
from folkmoot.core.rules.sharing.paths import normal_path
from folkmoot.doors.cli.render.page import CARE, COMMAND, GOOD, QUIET, Page, one_line, when, who

PATH_CELLS = 40  # of the widest path beside which the rest stands


def locks(held: list[HoldView], paths: list[str], done: str, note: str | None = None) -> None:
    """What was just done, if anything, and what it left; else every hold, a line each."""
    page = Page()
    wanted = [normal_path(path) for path in paths]
    if done:
        page.line((f"{done}: ", GOOD), ", ".join(one_line(path) for path in wanted), hang=2)
        held = [hold for hold in held if hold.resource in wanted] if done == "locked" else []
    elif not held:
        page.line(("Nobody holds a path.", QUIET), " To keep others off one: ", ("moot lock PATH", COMMAND))
    wide = min(max((len(one_line(hold.resource)) for hold in held), default=0), PATH_CELLS)
    for hold in held:
        label = page.cut(page.text((one_line(hold.resource).ljust(wide), "bold")), max(page.width - 4, 8))
        page.labelled(label, who(one_line(hold.agent)), (_for_whom(hold) + _until(hold), QUIET), indent=2)
    if note:
        page.line((one_line(note), CARE), indent=2, hang=2)


def _for_whom(hold: HoldView) -> str:
    return f" for #{hold.item}" if hold.item else ""


def _until(hold: HoldView) -> str:
    since = f" since {when(hold.acquired)}"
    if hold.expires:
        return f"{since}, until {when(hold.expires)}" + (", or the run's end" if hold.run else "")
    return f"{since}, until the work is over"
