"""The brief of a run: facts from the store, the most useful first; never a transcript."""

from typing import Any

from msgspec import Struct, field, to_builtins

from folkmoot.briefs.ending import ending, report_format
from folkmoot.briefs.meanwhile import meanwhile
from folkmoot.briefs.quote import reports_of
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import Flow
from folkmoot.core.item import Dispute, Guidance, Item, Output
from folkmoot.core.order import iteration, stage
from folkmoot.core.records import Run
from folkmoot.core.report import WORDS_BESIDE
from folkmoot.core.rules.judging.required import required
from folkmoot.core.unfinished import BEYOND

View = dict[str, Any]

# With no more characters and paths than this a brief is never too large, and is not measured.
SMALL = 20_000
FILES_FEW = 20
GUIDANCE_OF_PARENT = 3


class Facts(Struct, frozen=True, gc=False):
    """What the store knows that a brief tells; rows as the contract shows them."""

    history: list[View]
    comments: list[View]
    parent: Item | None = None
    messages: list[View] = field(default_factory=list)
    lessons: list[View] = field(default_factory=list)
    previous: View | None = None  # the last report on the work, or how the last run ended without one
    answered: list[Guidance] = field(default_factory=list)  # no run has reported since these answers
    asked: list[View] = field(default_factory=list)  # questions to a person that nobody has answered yet
    around: dict[str, list[View]] = field(default_factory=dict)  # other items that concern it
    heals: list[View] = field(default_factory=list)  # what was done before about the gate that is red
    whole: dict[str, Output] = field(default_factory=dict)  # outputs of which the item keeps only a part, by their item
    spoken: dict[str, Output] = field(default_factory=dict)  # of those who looked at it together since it was worked on
    untold: int = 0  # lessons of the same whole for which there is no room
    dropped: list[str] = field(default_factory=list)  # children whose outputs the item keeps no more


def subject_of(item: Item, parent: Item | None) -> Item:
    """Whose work it is about: a part and an expert look at their parent's, so what is known of that they must know."""
    return parent if parent is not None and item.kind in ("part", "expert") else item


def brief(flow: Flow, item: Item, run: Run, facts: Facts) -> View:
    """What the agent, or the gate, of this run is told."""
    agent = flow.agents.get(run.agent)
    subject = subject_of(item, facts.parent)
    tasks = facts.around.get("tasks", []) if item.splits else []
    end = ending(flow, item, run, any(task["status"] not in ENDED for task in tasks))
    told = {
        "role": run.agent,
        "task": _task(flow, item, run, facts.parent),
        # A sub-agent does not do its role's work: it finds something out for whoever does.
        "instructions": agent.instructions if agent and not run.gate and item.kind != "sub" else "",
        "projectContext": _project(flow, item, facts),
        "constraints": _constraints(flow, item, subject, run, facts.parent),
        "escapeHatch": end.hatch.replace("{parent}", item.parent or "") if item.kind == "part" else end.hatch,
        "responses": [_response(subject.id, run.agent, said) for said in facts.answered],
        **({"asked": facts.asked} if facts.asked else {}),
        "said": _said(item, subject, run),
        "told": item.told,
        "dropped": [{"agent": agent, "files": files} for agent, files in item.dropped.items()],
        "guidance": to_builtins(subject.guidance) if subject.guidance else [],
        "disputes": _disputes(flow, subject),
        "findings": _findings(flow, subject, False, item) if subject.findings or item.findings else [],
        "remarks": _findings(flow, subject, True) if subject.findings else [],
        "round": _round(flow, subject),
        "max_rounds": flow.limits.feedback_rounds,
        "heals": facts.heals,
        "previous": facts.previous,
        "attempts": facts.history,
        "advice": _advice(item, facts.whole),
        "outputs": _outputs({**facts.spoken, **subject.outputs}, facts.whole),
        "comments": facts.comments,
        "messages": facts.messages,
        "artifacts": [{"name": name, "path": a.path, "agent": a.agent} for name, a in subject.artifacts.items()],
        "lessons": facts.lessons,
        "reasons": flow.reasons,
        "meanwhile": meanwhile(flow, item, run),
        "report_format": report_format(flow, item, run, end),
        "left_out": _left_out(facts),
    }
    if _is_small(told, item, facts):
        return told
    from folkmoot.briefs.size import BRIEF_SIZE, fitted  # few briefs need it

    return fitted(told, BRIEF_SIZE)


def _said(item: Item, subject: Item, run: Run) -> list[View]:
    """What people said to whoever works on it: first to this run, or to one before it. Comments and
    answers are told as such."""
    said = [one for one in [*subject.said, *(item.said if item is not subject else [])] if one.is_sentence]
    return [{"by": one.by, "text": one.text, "new": one.heard in (None, run.id)} for one in said]


def _left_out(facts: Facts) -> list[View]:
    """What a brief never has, whatever its size; and where it is."""
    left: list[View] = []
    if facts.dropped:
        left.append({"what": "outputs", "count": len(facts.dropped), "see": reports_of(facts.dropped)})
    if facts.untold:
        left.append({"what": "lessons", "count": facts.untold, "see": "moot lessons"})
    return left


def _response(task: str, agent: str, said: Guidance) -> View:
    """The parts of the block by which an answer reaches the agent (E-09)."""
    parts = {"task": task, "agent": agent, "question": said.question, "guidance": said.answer, "by": said.by}
    beside = {"options": said.options, "context": said.context, "help": said.help}
    return {**parts, **{name: told for name, told in beside.items() if told}}


def _is_small(told: View, item: Item, facts: Facts) -> bool:
    """A brief with nothing to it but its task need not be measured; that is the most of them."""
    if (
        facts.comments
        or facts.history
        or facts.previous
        or facts.parent
        or facts.around
        or facts.messages
        or facts.asked
    ):
        return False
    if (
        item.findings
        or item.guidance
        or item.said
        or item.outputs
        or facts.spoken
        or item.contracts
        or item.artifacts
        or item.constraints
    ):
        return False
    if item.dropped or facts.lessons or facts.heals or item.integration_points or item.disputes:
        return False
    if len(item.files) > FILES_FEW:
        return False
    words = len(item.body) + len(item.because) + len(item.told or "") + len(item.spec or "")
    return words + len(told["instructions"]) < SMALL


def _task(flow: Flow, item: Item, run: Run, parent: Item | None) -> View:
    task: View = {"id": item.id, "title": item.title, "body": item.body, "column": run.column, "why": item.because}
    if item.kind != "item":
        task |= {"kind": item.kind, "parent": item.parent}
        if item.purpose:
            task["purpose"] = item.purpose
    if item.returns_to:
        task["returns_to"] = item.returns_to
    if run.gate and item.proving:
        command = flow.gates[run.agent].run if run.agent in flow.gates else []
        task |= {"gate": run.agent, "command": command, "checks": item.proving.run, "checks_agent": item.proving.agent}
    if item.generation or item.kind != "item":
        task["author"] = _author(item, parent)
    return task | ({"spec": item.spec} if item.spec else {})


def _author(item: Item, parent: Item | None) -> str:
    """Who wrote title and body, as far as the item knows. Without a word about it, it was a person."""
    match item.kind:
        case "task":
            return f"the split of item {item.parent}"
        case "expert":
            return f"the board, from item {item.parent} and what was tried there"
        case "part" if parent is not None and not parent.generation:
            return "a person"
        case _:
            asker = item.parent or item.dispatched_by
            return f"an agent on item {asker}" if asker else "an agent"


def _project(flow: Flow, item: Item, facts: Facts) -> View:
    project: View = {"flow": flow.name, "stages": flow.stages()}
    if item.integration_points:
        project["integrationPoints"] = item.integration_points
    parent = facts.parent
    if parent is not None:
        project["parent"] = {"id": parent.id, "title": parent.title, "body": parent.body}
        if item.kind == "part":
            del project["parent"]["body"]  # a part has its parent's words
            others = [agent for child, agent in parent.made.items() if child != item.id]
            spoken = [output.agent for output in parent.outputs.values() if output.kind == "part"]
            project["others"] = list(dict.fromkeys([*others, *spoken]))
        elif item.kind != "expert" and parent.guidance:
            project["parent"]["guidance"] = to_builtins(parent.guidance[-GUIDANCE_OF_PARENT:])
    return project | facts.around if facts.around else project


def _constraints(flow: Flow, item: Item, subject: Item, run: Run, parent: Item | None) -> View:
    agent = flow.agents.get(run.agent)
    gate = flow.gates.get(run.agent) if run.gate else None
    timeout = gate.timeout if gate else agent.timeout if agent else None
    constraints: View = {
        "files": subject.files,
        "write": _may_write(flow, item, run),
        "contracts": [{"name": name, "text": text} for name, text in subject.contracts.items()],
        "dependencies": item.after,
        "timeout": timeout or flow.limits.timeout,
    }
    if item.constraints:
        constraints["rules"] = item.constraints
    if subject.rewritten:
        now = subject.contracts
        changed = [{"name": name, "before": old, "now": now.get(name, "")} for name, old in subject.rewritten.items()]
        constraints["changed_contracts"] = changed
    if flow.gates and not run.gate and item.kind not in ("expert", "sub"):
        constraints["checks"] = _checks(flow, parent if parent is not None and item.kind in ("task", "part") else item)
    return constraints


def _checks(flow: Flow, item: Item) -> list[View]:
    """The flow's own checks that must be green on what lands: of the whole, where this is a part of one (R-22)."""
    return [{"gate": name, "command": flow.gates[name].run} for name in required(flow, item, True)]


def _may_write(flow: Flow, item: Item, run: Run) -> str:
    """Whoever only looks writes nothing, whatever its agent may write elsewhere (R-08, R-25)."""
    agent = flow.agents.get(run.agent)
    return "none" if agent is None or run.gate or item.kind in ("expert", "sub") else agent.write


def _round(flow: Flow, item: Item) -> int:
    """The feedback round: of the gate that was red, or of whoever checks."""
    reds = item.span.reds.get(item.proving.column, 0) if item.proving else 0
    return reds or iteration(flow, item)


def _findings(flow: Flow, item: Item, remarks: bool, part: Item | None = None) -> list[View]:
    """What must change, or what was only remarked; each with who found it. Where one agent checks alone, its findings
    do not repeat its name. A part is told what its own look has found so far, too."""
    own = part.findings if part is not None and part.id != item.id else []
    views: list[View] = to_builtins([finding for finding in [*item.findings, *own] if finding.remark == remarks])
    column = item.returns_to or ""
    checker = flow.watcher(column) if column in flow.columns and column not in flow.groups else None
    for view in views:
        view["found_by"] = view["found_by"] or ([checker] if checker else [])
    return views


def _outputs(outputs: dict[str, Output], whole: dict[str, Output]) -> list[View]:
    """What children ended with: all of them, each whole, so that their parent can put it together (Q-09)."""
    if not outputs:
        return []
    views = [{"item": child, **to_builtins(whole.get(child, output))} for child, output in outputs.items()]
    for view in views:
        for name in ("report", "interfaces", "cut", "attempts", "blockers"):
            if not view[name]:
                del view[name]
    return views


def _advice(item: Item, whole: dict[str, Output]) -> View | None:
    """What the expert said whose advice this effort follows."""
    if item.advisor is None:
        return None
    outputs = [whole.get(child, output) for child, output in item.outputs.items()]
    said = [output for output in outputs if output.kind == "expert" and output.agent == item.advisor]
    if not said:
        return None
    tried = {"tried": to_builtins(said[-1].attempts)} if said[-1].attempts else {}
    # In plain words the advice stands around the signal, and what was read as the summary is only its beginning.
    beside = said[-1].report.get(BEYOND, {}).get(WORDS_BESIDE)
    words = [said[-1].summary, beside if isinstance(beside, str) else ""]
    return {"expert": item.advisor, "advice": "\n\n".join(filter(None, words)), "steps": said[-1].next_steps, **tried}


def _disputes(flow: Flow, item: Item) -> list[View]:
    """Every dispute in which it is this agent's turn: it must settle each before it can say done."""
    if not item.disputes:
        return []
    speaking = stage(flow, item)
    return [_dispute(dispute) for dispute in item.disputes if dispute.side(dispute.turn).stage == speaking]


def _dispute(dispute: Dispute) -> View:
    resolution = "accepted" if dispute.turn == 1 else "rejected"
    agree = {"parent": dispute.thread, "resolution": resolution, "content": "…"}
    # The maker agrees by its work. The disputer may give in before its own is done, and `done` would speak of that too.
    goes_on = {"to_go_on": {"outcome": "incomplete", "comments": [agree]}} if dispute.turn == 0 else {}
    return {
        "thread": dispute.thread,
        "artifact": dispute.artifact,
        "rounds": dispute.rounds,
        "agents": dispute.agents,
        "to_agree": {"outcome": "done", "comments": [agree]},
        **goes_on,
        "to_disagree": {"outcome": "disputed", "comments": [{"parent": dispute.thread, "content": "…"}]},
    }
