"""Work that did not land: listed, and brought back."""

from datetime import UTC, datetime

from folkmoot.api.machine import BroughtBack, UnlandedPage, UnlandedWork
from folkmoot.api.views import ItemView
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import END
from folkmoot.doors.cli.render.page import AGENT, COMMAND, GOOD, QUIET, Page, one_line, short_run, when
from folkmoot.doors.cli.render.progress.lost import lost_lines


def salvaged(view: BroughtBack, item: ItemView | None, target: str) -> None:
    page, branch = Page(), one_line(view.branch)
    page.line(
        page.mark("done"), " ", (f"The work of run {short_run(view.run)} is on the branch {branch}.", GOOD), hang=2
    )
    if view.left_out:
        paths = ", ".join(map(one_line, view.left_out[:3])) + (" …" if len(view.left_out) > 3 else "")
        page.line(f"Without {paths}: no branch gets what belongs to a board, or to moot itself.", indent=2)
    page.line(("next: ", QUIET), (f"git log -p {branch}", COMMAND), indent=2)
    if item is not None and item.parent is None:
        _goes_on(page, item, one_line(target))


def _goes_on(page: Page, item: ItemView, target: str) -> None:
    """The branch changes nothing about the item: what its next run begins from, and how to keep it from one."""
    named = f"#{item.id}"
    if item.status in ENDED:
        page.line(
            f"{named} is {item.status}, and no run comes again unless you say: ", *_command(item, "reopen"), indent=2
        )
        return
    if item.status == "running":
        page.line(f"An agent works on {named} now, and does not see this branch.", indent=2, hang=2)
    if item.head is not None:
        words = (
            f"{named} is not changed by this: its next run goes on from the item's own work (moot diff {item.id}), and"
            f" sees neither this branch nor what you merge. That work is merged with {target} when it lands."
        )
        page.line(words, indent=2, hang=2)
        page.line(("you need no more of it: ", QUIET), *_command(item, "cancel"), indent=2)
        return
    words = (
        f"{named} is not changed by this: its next run begins at {target} as it is then. Merge this branch first, and"
        f" that run has it; else it begins without it."
    )
    page.line(words, indent=2, hang=2)
    page.line(("what you merge is all it needs: ", QUIET), *_command(item, "move"), indent=2)


def _command(item: ItemView, call: str) -> list[tuple[str, str]]:
    where = f" {END}" if call == "move" else ""
    return [(f"moot {call} {item.id}{where} --why …", COMMAND)]


def unlanded(view: UnlandedPage) -> None:
    page = Page()
    lost_lines(page, view.lost, "moot doctor --json")
    if not view.unlanded:
        if view.lost:
            page.line(("All else that runs made has landed.", GOOD))
            return
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
