"""What a handoff carries beside its words: spec, workflow and priority are its item's from then on (H-01, R-26, R-28).

Who hands work over says what it is: the last word on spec and workflow holds. Who asks for a look or a fix says so of
its message, and only fills in what the item does not know yet. A priority that somebody chose is never lowered.
"""

from typing import Any

from folkmoot.core.commands import SendMessage
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, PRIORITIES, TYPES, UNCHOSEN
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import ORCHESTRATOR, Message
from folkmoot.core.report import Report
from folkmoot.core.rules.messages.kinds import MAKES_ITEM, is_notice
from folkmoot.core.rules.messages.telling import note_on_rounds
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, outside
from folkmoot.core.vocabulary.lines import paths_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing

WAITS = ("depends_on", "after", "blocked_by", "dependencies")


def carried(flow: Flow, item: Item, command: SendMessage) -> dict[str, Any]:
    """The fields of the item that the message changes."""
    if item.kind in ONE_SHOT_KINDS or item.status in ENDED:
        return {}
    hands_over = command.type in MAKES_ITEM
    spec = spec_in(command.context, command.payload)
    workflow = command.context.get("workflow")
    told: dict[str, Any] = {}
    if spec is not None and (hands_over or item.spec is None):
        told["spec"] = spec
    if hands_over and workflow in TYPES:
        told["type"] = workflow
    if command.to in flow.agents and _is_taken(item, command.priority):
        told["priority"] = command.priority
    return {name: value for name, value in told.items() if value != getattr(item, name)}


def _is_taken(item: Item, priority: str | None) -> bool:
    if priority is None:
        return False
    return item.priority == UNCHOSEN or PRIORITIES.index(priority) < PRIORITIES.index(item.priority)


def spec_in(*places: object) -> str | None:
    """Where the spec is, in the first of these places that says it."""
    for place in places:
        spec = place.get("spec") if isinstance(place, dict) else None
        if isinstance(spec, str) and spec.strip() and not says_nothing(spec):
            return spec.strip()
    return None


def fault_of_spec(said: Report) -> str | None:
    """An item has one spec, which everybody after it is told: of several, which one must not be guessed."""
    told = said.extra.get("spec")
    if told in (None, "", [], {}) or isinstance(told, str) or _reported(said) is not None:
        return None
    kind = f"a list of {len(told)}" if isinstance(told, list) else "no path"
    return (
        f"spec is {kind}, and an item has one: name the path that the next agents read in `spec`, and others in "
        '`artifacts`, such as "artifacts": ["specs/b.md"]'
    )


def _reported(said: Report) -> str | None:
    """The spec that a report names; a list of one names it too."""
    told = said.extra.get("spec")
    return spec_in({"spec": told[0]} if isinstance(told, list) and len(told) == 1 else said.extra)


def spec_of(said: Report, known: str | None) -> str | None:
    """Where the spec is, by a report: in a field of its own, or, if that is not known, by the context it is told in."""
    return _reported(said) or known or spec_in(said.extra.get("context"))


def told_by_report(item: Item, said: Report, hands_over: bool) -> dict[str, Any]:
    """The fields of the item that a report changes by what it says about the work as a whole. In an envelope of its
    own, or beside its status, whoever has made something (`hands_over`) says what it is, as in a handoff."""
    if not said.extra:
        return {}
    told: dict[str, Any] = {"spec": spec_of(said, item.spec)}
    context = said.extra.get("context")
    workflow = (context.get("workflow") if isinstance(context, dict) else None) or said.extra.get("workflow")
    priority = next((one for one in PRIORITIES if one == said.extra.get("priority")), None)
    if hands_over and item.kind not in ONE_SHOT_KINDS:
        told |= {"type": workflow} if workflow in TYPES else {}
        told |= {"priority": priority} if _is_taken(item, priority) else {}
    return {name: value for name, value in told.items() if value != getattr(item, name)}


def texts_in(value: object) -> list[str]:
    """What a payload gives as a list of texts, however it was written."""
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, str) and one.strip()]


def files_in(payload: dict[str, Any]) -> list[str]:
    """The files that a payload names: a list, one text with several, or objects with a path."""
    value = payload.get("files")
    named = [_path(one) for one in value] if isinstance(value, list) else [_path(value)]
    return paths_in(texts_in(named))


def _path(value: object) -> object:
    return (
        next((value[name] for name in ("path", "file") if name in value), value) if isinstance(value, dict) else value
    )


def _note_on_files(item: Item | None, sent: Message) -> str | None:
    """Which of the files that a handoff names are not its item's; their owner is not changed by a message."""
    named = files_in(sent.payload)
    value = sent.payload.get("files")
    odd = [one for one in (value if isinstance(value, list) else [value]) if one and not isinstance(_path(one), str)]
    if item is None or sent.type not in MAKES_ITEM:
        return None
    left = [path for path in named if bad_path(path) or outside([normal_path(path)], item.files)]
    names = ", ".join([*(repr(path) for path in left), *(f"{one!r:.60}" for one in odd)])
    return f"files: {names} not given to item {item.id}; its agent may ask for them by itself" if names else None


def _note_on_waiting(item: Item | None, sent: Message) -> str | None:
    """A message makes nothing wait: whoever names what comes first is told how to say so."""
    named = [name for name in WAITS if sent.payload.get(name)]
    if item is None or item.after or sent.type not in MAKES_ITEM or not named:
        return None
    return f"{named[0]}: item {item.id} waits for no other by a message; edit the item to say after which"


def _note_on_notice(flow: Flow, item: Item | None, sent: Message) -> str | None:
    """What a notice such as a completion has done, or a handover of the stage that the item is in, and what ends the
    work: a report, and never a message."""
    ends = "a message ends nothing"
    if sent.to != ORCHESTRATOR or not is_notice(flow, sent.type):
        is_own = item is not None and sent.run is None and sent.to in flow.agents and actor(flow, item) == sent.sender
        return f"{ends}: item {item.id} {_stays(flow, item)}" if item is not None and is_own else None
    if item is None:
        return f"{ends}: this one is about no item, and waits; a run's report ends its stage"
    if item.status in ENDED:
        return f"{ends}: item {item.id} is {item.status} already, and this is kept with it"
    if sent.run is not None:
        return f"{ends}: it is noted on item {item.id}, which goes on with this run's report"
    return f"{ends}: it is noted on item {item.id}, which {_stays(flow, item)}"


def _stays(flow: Flow, item: Item) -> str:
    who = actor(flow, item)
    first = "" if item.status == "running" or who is None else f" of {who} claims it and"
    return f"stays in {item.column} until a run{first} reports"


def note_on_completed(flow: Flow, item: Item | None, message: Message) -> str | None:
    """What whoever completes a handoff by hand is told: its word ends no stage, and the stage's agent still gets it."""
    if message.status != "completed" or item is None or item.status in ENDED:
        return None
    if message.stage not in (item.column, *item.origins):
        return None
    return f"a message ends nothing: item {item.id} {_stays(flow, item)}; its brief still holds this handoff"


def note_on(flow: Flow, item: Item | None, sent: Message) -> str | None:
    """What its sender is told where the board says otherwise than the message, which stays as it is."""
    notes = [
        note_on_rounds(flow, item, sent.payload),
        _note_on_files(item, sent),
        _note_on_waiting(item, sent),
        _note_on_notice(flow, item, sent),
    ]
    if (
        item is not None
        and sent.to in flow.agents
        and sent.priority != item.priority
        and item.kind not in ONE_SHOT_KINDS
    ):
        notes.append(f"priority: item {item.id} stays {item.priority}, which somebody has chosen")
    return "; ".join(note for note in notes if note) or None
