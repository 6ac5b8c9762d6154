"""What stands below a line of progress: the same sentences that a report or an answer prints by itself."""

from folkmoot.api.call import Ask
from folkmoot.api.requests import ListQuestions, Show, ShowFlow
from folkmoot.api.views import EventView, ItemView
from folkmoot.doors.cli.render.ends import delivered, question_of, whose
from folkmoot.doors.cli.render.page import COMMAND, QUIET, Page, one_line
from folkmoot.doors.cli.render.phases import ends_phase, numbered, phase_line
from folkmoot.doors.cli.render.questions import requested

TASKS_MAX = 8
ASKED_AGAIN_MAX = 10
NOTICED = ("agent_seeks_guidance", "divine_response_received", "work_split")


def is_noticed(event: EventView) -> bool:
    return event.event in NOTICED or ends_phase(event)


def notice(page: Page, ask: Ask, event: EventView, indent: int, below: int) -> None:
    """One event: a question with the ways to answer it, an answer, a phase that is over, the tasks of a split."""
    match event.event:
        case "agent_seeks_guidance":
            asked = question_of(ask, event)
            if asked is not None and asked.state == "open":
                requested(ask, asked, whose(ask, asked, event), page, indent)
        case "divine_response_received":
            given = question_of(ask, event)
            if given is not None and given.state == "answered":
                delivered(ask, page, ask(Show(item=event.item or "")), given, indent)
        case "work_split":
            _tasks(page, ask, event.context.get("children", []), below)
    if ends_phase(event):
        phase_line(page, numbered([event], ask(ShowFlow()))[0], below)


def asked_again(page: Page, ask: Ask) -> str:
    """Every open question once more, in the order in which they came (E-10). Gives the one that stands last."""
    asked = ask(ListQuestions()).questions
    for question in asked[:ASKED_AGAIN_MAX]:
        requested(ask, question, whose(ask, question), page, 2)
    if len(asked) > ASKED_AGAIN_MAX:
        page.blank()
        page.line((f"and {len(asked) - ASKED_AGAIN_MAX} more: ", QUIET), ("moot inbox", COMMAND), indent=2)
    if asked:
        page.blank()
    return asked[:ASKED_AGAIN_MAX][-1].id if asked else ""


def _tasks(page: Page, ask: Ask, tasks: list[str], indent: int) -> None:
    for task in tasks[:TASKS_MAX]:
        view = ask(Show(item=task))
        page.row(" " * indent, (f"#{task} ", "bold"), one_line(view.title), (_files(view), QUIET))
    if len(tasks) > TASKS_MAX:
        page.line((f"and {len(tasks) - TASKS_MAX} more", QUIET), indent=indent)


def _files(view: ItemView) -> str:
    names = ", ".join(map(one_line, view.files[:3])) + (" …" if len(view.files) > 3 else "")
    return f"  {names}" if names else ""
