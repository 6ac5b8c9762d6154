"""What came of a report or an answer: where the item is, the phase that is over, the question that is open."""

from typing import TYPE_CHECKING, Any

from folkmoot.core.item import ASKING
from folkmoot.doors.cli.say.item import changed
from folkmoot.doors.cli.say.page import CARE, GOOD, QUIET, Page, one_line
from folkmoot.doors.cli.say.phases import ends_phase, numbered, phase_lines
from folkmoot.doors.cli.say.talk import ENGINE, block, requested

if TYPE_CHECKING:
    from folkmoot.engine.queries import Queries

View = dict[str, Any]
FOLLOWING_MAX = 200  # events of one report; what is beyond stands in the log


def reported(queries: "Queries", view: View, run: str) -> None:
    """The item after its run's report; then what the report has ended or opened, here or on the item above."""
    changed(view, "not accepted as it stands; the run is over" if view["told"] else "reported")
    if view.get("kept"):
        kept = "; ".join(f"{one_line(one['what'])}: {one_line(one['said'])}" for one in view["kept"])
        Page().line(("Kept, with no effect of its own: ", CARE), kept, indent=2, hang=2)
    agent = next((one["agent"] for one in view["runs"] if one["run"] == run), "")
    page = Page()
    for event in numbered(_following(queries, view, run), queries.flow()):
        if ends_phase(event):
            phase_lines(page, event)
        elif event["event"] == "agent_seeks_guidance":
            asked = question_of(queries, event)
            if asked is not None:
                requested(asked, agent, page)


def question_of(queries: "Queries", event: View) -> View | None:
    """The whole question that an event is about, as the item has it now."""
    found = queries.show(event["item"])["questions"] if event["item"] else []
    return next((one for one in found if one["id"] == event["context"].get("question")), None)


def _following(queries: "Queries", view: View, run: str) -> list[View]:
    """What one transaction wrote after the run had ended, about its item and the one above it."""
    ended, after = None, 0
    while page := queries.log(after, view["id"])["events"]:
        after = page[-1]["seq"]
        mine = [event for event in page if event["event"] == "agent_completed" and event["run"] == run]
        ended = mine[-1] if mine else ended
    if ended is None:
        return []
    concerned = {view["id"], view["parent"]}
    later = queries.log(ended["seq"], limit=FOLLOWING_MAX)["events"]
    return [event for event in later if event["timestamp"] == ended["timestamp"] and event["item"] in concerned]


def answered(view: View, question: str) -> None:
    """What was answered, and where the item goes on with it."""
    page = Page()
    given = next((q for q in view["questions"] if q["id"] == question), None)
    is_given = given is not None and given["state"] == "answered"
    if given is not None and is_given:
        page.line((f"{question} answered", GOOD), ": ", one_line(given["answer"]), hang=2)
    elif given is not None and given["state"] == "open":
        page.line((f"#{view['id']} is parked", CARE), f": nobody works on it, and {question} stays open", hang=2)
    else:
        page.line((f"{question} was no longer open; your words are kept as a comment", CARE))
    page.line(page.mark(view["status"]), (f" #{view['id']}", "bold"), "  ", one_line(view["title"]), hang=2)
    page.line(one_line(view["why"]), indent=2)
    left = [q["id"] for q in view["questions"] if q["state"] == "open"]
    if left:
        page.line(("still open: ", QUIET), ", ".join(left), indent=2)
    if given is not None and is_given:
        delivered(page, view, given)


def delivered(page: Page, view: View, given: View, indent: int = 0) -> None:
    """The notice of the document: whom the answer reaches, and how it goes on."""
    left = [question["id"] for question in view["questions"] if question["state"] == "open"]
    fields = {"Agent": _resumes(view, given), "Task": view["id"], "Guidance": given["answer"]}
    block(page, "DIVINE GUIDANCE DELIVERED", fields, _ending(view, left), indent)


def _resumes(view: View, given: View) -> str:
    """Who goes on: whose turn it is now, else whoever asked, else whoever worked on it last."""
    turn = view["agent"] or view["watcher"] if view["status"] in ("ready", "running", "proving") else None
    asker = given["agent_id"] if given["agent_id"] != ENGINE else None
    last = view["runs"][-1]["agent"] if view["runs"] else None
    return str(turn or asker or last or "nobody")


def _ending(view: View, left: list[str]) -> str:
    if view["status"] in ASKING:
        return f"Awaiting human guidance on {', '.join(left)}..." if left else "Awaiting human guidance..."
    if view["status"] in ("done", "cancelled"):
        return f"The item is {view['status']}."
    return "Agent resuming work with guidance."
