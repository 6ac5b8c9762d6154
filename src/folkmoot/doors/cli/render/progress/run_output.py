"""Work that did not land: listed, and brought back."""

from datetime import UTC, datetime

from folkmoot.api.machine import BroughtBack, UnlandedPage, UnlandedWork
from folkmoot.doors.cli.render.page import AGENT, COMMAND, GOOD, QUIET, Page, one_line, short_run, when


def salvaged(view: BroughtBack) -> None:
    page, branch = Page(), one_line(view.branch)
    page.line(
        page.mark("done"), " ", (f"The work of run {short_run(view.run)} is on the branch {branch}.", GOOD), hang=2
    )
    if view.left_out:
        paths = ", ".join(map(one_line, view.left_out[:3])) + (" …" if len(view.left_out) > 3 else "")
        page.line(f"Without {paths}: no branch gets what belongs to a board, or to moot itself.", indent=2)
    page.line(("next: ", QUIET), (f"git log -p {branch}", COMMAND), indent=2)


def unlanded(view: UnlandedPage) -> None:
    page = Page()
    if not view.unlanded:
        page.line(("Nothing is to be brought back: no run that has ended left work that did not land.", GOOD))
        kept = (": what a worker left that was killed is taken in by the next one", QUIET)
        page.line(("moot run", COMMAND), kept, indent=2, hang=2)
        return
    works = sorted(view.unlanded, key=lambda one: one.at, reverse=True)
    ids = max(len(one.item) for one in works) + 1
    names = max(len(one_line(one.agent or "")) for one in works)
    ends = max(len(_ended(one)) for one in works)
    for one in works:
        files = ", ".join(map(one_line, one.files[:3])) + (" …" if len(one.files) > 3 else "")
        item = (f"#{one.item}".rjust(ids), "bold")
        at = when(datetime.fromtimestamp(one.at, UTC).isoformat())
        whose = page.text((one_line(one.agent or "").ljust(names), AGENT), "  ", _ended(one).ljust(ends))
        lead = page.text(
            (short_run(one.run, (other.run for other in works)), "bold"), (f"  {at}  ", QUIET), item, "  ", whose
        )
        page.row(lead, "  ", one_line(one.subject), (f"  {files}", QUIET))
    page.line(("next: ", QUIET), ("moot salvage RUN", COMMAND), (" brings one back as a branch", QUIET))


def _ended(one: UnlandedWork) -> str:
    """How the run ended, in the words that an item's page has for it."""
    cause = f" ({one.cause})" if one.cause and one.outcome != "rescued" else ""
    outcome = {"rescued": "lapsed", None: "unknown"}.get(one.outcome, one.outcome)
    return one_line(f"{outcome}{cause}")
