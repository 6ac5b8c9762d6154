"""What steering commands tell a person."""

from folkmoot.api.machine import Given, Taken
from folkmoot.api.views import ItemView, Sentences
from folkmoot.doors.cli.render.page import COMMAND, QUIET, Page, one_line

NAMES_TOLD = 5


def said(view: ItemView) -> None:
    """Who will hear it, and when."""
    page = Page()
    page.line(page.mark(view.status), " ", (f"#{view.id} will hear it", "bold"), "  ", one_line(view.title), hang=2)
    live = next((run for run in view.runs if run.ended_at is None and not run.gate), None)
    if live is None:
        page.line("It is in the next brief of the item.", indent=2)
    elif live.person:
        page.line(f"{one_line(live.person)} has taken it, and sees it with: moot hear", indent=2)
    else:
        words = f"{live.agent} hears it at its next turn, if its client can; else it is in the next brief."
        page.line(words, indent=2, hang=2)


def said_lines(page: Page, view: ItemView) -> None:
    """What people said to whoever works on it, and who has heard it."""
    if not view.said:
        return
    page.head("What people said to whoever works on it")
    agents = {run.run: run.person or run.agent for run in view.runs}
    for one in view.said:
        heard = f"heard by {agents.get(one.heard, one.heard)}" if one.heard else "nobody has heard it yet"
        page.line((f"{one_line(one.by)}: ", QUIET), f"“{one_line(one.text)}”", (f", {heard}", QUIET), indent=2, hang=2)


def heard(heard: Sentences) -> None:
    page = Page()
    for one in heard.sentences:
        page.line((f"{one_line(one.by)}: ", QUIET), one.text, hang=2)
    if not heard.sentences:
        page.line(("nothing was said since", QUIET))


def taken(taken: Taken) -> None:
    page = Page()
    done = f"#{taken.item} is still yours" if taken.again else f"#{taken.item} is yours"
    page.line(page.mark("running"), " ", (done, "bold"), "  ", one_line(taken.title), hang=2)
    if taken.took and not taken.again:
        page.line(f"{taken.agent} was ended; its work so far is in the clone.", indent=2)
    files = ", ".join(taken.files[:NAMES_TOLD]) + (" …" if len(taken.files) > NAMES_TOLD else "")
    page.line(("clone  ", QUIET), taken.workspace, indent=2, hang=9)
    page.line(("brief  ", QUIET), taken.prompt, indent=2, hang=9)
    if files:
        page.line(("files  ", QUIET), one_line(files), indent=2, hang=9)
    page.line(("done?  ", QUIET), ("moot give", COMMAND), "  not for you?  ", ("moot give --back", COMMAND), indent=2)


def left(taken: Taken) -> None:
    page = Page()
    page.line(page.mark("running"), " ", (f"#{taken.item} is still yours", "bold"), "; no agent begins it", hang=2)
    page.line(("on     ", QUIET), (f"moot take {taken.item}", COMMAND), indent=2)
    page.line(("done   ", QUIET), (f"moot give {taken.item}", COMMAND), indent=2)
    page.line(("back   ", QUIET), (f"moot give {taken.item} --back", COMMAND), indent=2)


def given(given: Given, *, back: bool) -> None:
    page = Page()
    done = f"#{given.item} given back" if back else f"#{given.item} given: {given.outcome}"
    page.line(page.mark(given.status), " ", (done, "bold"), hang=2)
    if given.changed:
        names = ", ".join(given.changed[:NAMES_TOLD]) + (" …" if len(given.changed) > NAMES_TOLD else "")
        page.line(("changed  ", QUIET), one_line(names), indent=2, hang=9)
    page.line(one_line(given.why), indent=2)
