"""How a child comes onto the board: made by a rule, or dispatched by a run that goes on (R-25, R-33, P-02)."""

from msgspec.structs import replace

from folkmoot.core.commands import DispatchAgent, MakeItem, NoteDispatch
from folkmoot.core.enums import ENDED
from folkmoot.core.rules.children.counting import GENERATIONS_MAX, HELPERS, count_made, refuse_excess
from folkmoot.core.rules.claims import stale
from folkmoot.core.rules.messages.asking import asks_for_itself, escalate
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case, origin_of
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.core.vocabulary.ways import NOT_NOW, Way
from folkmoot.errors import Invalid, Refused, unknown_agent

PURPOSES = ("fix", "question", "test_failure")
TITLE_MAX = 500


def make(case: Case, command: MakeItem) -> None:
    """An item that a rule decided on in the case before this one, under the id it was promised."""
    case.new_id = command.id
    fields = {
        name: getattr(command, name)
        for name in command.__struct_fields__
        if name != "id" and getattr(command, name) not in (None, [], {}, "")
    }
    known = case.situation.neighbours  # whom it comes after may be made after it
    waits_for = [need for need in command.after if need not in known or known[need].status not in ENDED]
    fields |= {
        "home": command.column,
        "waits_for": waits_for,
        "status": "waiting" if waits_for else "ready",
        "ready_at": case.now,
        "created_at": case.situation.at,
    }
    asks = asks_for_itself(case.messages.get(command.message or ""))
    if asks:
        del fields["message"]  # it hands nothing over: its answer does
    case.emit("item_added", {"title": command.title, "column": command.column, "kind": command.kind}, item=fields)
    look_at_generation(case)
    if asks and command.message and case.item.status not in ENDED:
        escalate(case, case.messages[command.message])


def look_at_generation(case: Case) -> None:
    """Work that makes work that makes work: a person looks before the fourth generation starts (R-33)."""
    generation = case.item.generation
    if generation < GENERATIONS_MAX or case.item.kind in HELPERS:
        return  # what helps with an item is of its generation: a person has looked at that already
    words = f"An agent made this item, {generation} generations from a person's. Should it be worked on?"
    item = case.item
    told = "\n".join(said for said in (f"the item: {item.title}", item.body, f"why: {item.because}") if said)
    ask(case, "budget", words, Way("let it be worked on", "again", says="yes"), NOT_NOW, context=told)
    if case.item.status not in ENDED:
        case.set("item_parked", {"generation": generation}, status="parked")


def dispatch(case: Case, command: DispatchAgent) -> None:
    """`dispatch_agent`: simple things between agents. The caller goes on; the outcome is in its item's next brief."""
    flow, maker = case.flow, case.situation.maker
    command = replace(command, agent=agent_named(flow, command.agent))
    if not case.actor.is_person and maker is None:
        raise stale(case.actor, "it has ended")
    if command.agent not in flow.agents:
        raise unknown_agent(command.agent, flow.agents)
    if command.purpose not in PURPOSES:
        words = "{purpose!r} is not what agents dispatch each other for"
        hint = "only {known}; coordination, conflicts and the state of the board are for the rules: report"
        raise Refused("not_for_dispatch", words, hint, command.purpose, list(PURPOSES))
    columns = flow.watched_by(command.agent)
    if flow.agents[command.agent].expert or not columns:
        raise Refused("not_for_dispatch", "{agent} watches no column", "an expert is asked by delegates", command.agent)
    if not command.task.strip():
        raise Invalid("bad_title", "a dispatch needs a task", "say what should be done", field="task")
    if not case.actor.is_person:
        _check_caller(case)
    if maker:
        refuse_excess(case, maker)
    title = command.task.strip().splitlines()[0][:TITLE_MAX]
    fields = {
        "title": title,
        "body": command.task if command.task.strip() != title else "",
        "column": columns[0],
        "home": columns[0],
        "kind": "dispatch",
        "agent": command.agent,
        "purpose": command.purpose,
        "generation": maker.generation + 1 if maker else 0,
        "ready_at": case.now,
        "because": f"{case.actor.name} dispatched {command.agent}",
        "created_at": case.situation.at,
    }
    if maker:
        # A part has ended when the outcome comes; its item is told.
        for_whom = maker.parent if maker.kind == "part" else maker.id
        fields |= {
            "dispatched_by": for_whom,
            "priority": maker.priority,
            "files": maker.files,
            "widened": maker.widened,
            "needs": maker.needs,
        }
        fields |= {"origin": origin_of(maker), "whole": maker.top}
    context = {"title": title, "column": columns[0], "kind": "dispatch", "purpose": command.purpose}
    rows = {"meters": count_made(case, maker, 1, maker.generation + 1)} if maker else {}
    case.emit("item_added", context, item=fields, **rows)
    if case.item.dispatched_by:
        sent = NoteDispatch(child=case.item.id, agent=command.agent, purpose=command.purpose, title=title)
        case.tell(case.item.dispatched_by, sent)
    look_at_generation(case)


def _check_caller(case: Case) -> None:
    maker, agent = case.situation.maker, case.flow.agents.get(case.actor.name)
    if maker is None:
        raise stale(case.actor, "it has ended")
    if maker.kind == "dispatch":
        words = "a dispatched item cannot dispatch"
        raise Refused("may_not_dispatch", words, "do it, or report what is missing", kind=maker.kind)
    if maker.kind in ("expert", "sub"):
        raise Refused("may_not_dispatch", "an item of kind {kind} cannot dispatch", "say it in the report", maker.kind)
    if agent is None or "dispatch" not in agent.may:
        words = "{actor} may not dispatch: 'dispatch' is not in its `may`"
        raise Refused("may_not_dispatch", words, "say it in the report: next_steps, or findings", case.actor.name)
