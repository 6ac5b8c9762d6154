"""What a file may say: whose word it is, what a comment in it means, and what becomes of two versions (R-04, R-28)."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.commands import Actor, RaiseConflict
from folkmoot.core.enums import ENDED, Outcome
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor, claimant, stage
from folkmoot.core.records import Message, Wanted
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.sharing.holds import pass_on
from folkmoot.core.rules.sharing.paths import good_files
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import correspondent
from folkmoot.core.vocabulary.ways import Way
from folkmoot.errors import Refused

# In these a person decides between two versions; in all others the last write holds, in the store's order.
CRITICAL = frozenset({"column", "status", "files", "locks", "contracts"})
PEOPLES = frozenset({"column", "status", "files"})  # of an item; what a file wants there is a person's to say


def speaker_in_file(flow: Flow, name: str) -> Actor:
    """Whose word a file is. Anybody can write any name there: it decides for a person only if the flow says so."""
    agent = correspondent(flow, name)
    if agent in flow.agents:
        return Actor(agent, file=True)
    if name in flow.mirror_people:
        return Actor(name)
    known = ", ".join([*flow.agents, *flow.mirror_people])
    words = "{name!r} is no agent of the flow, and no person whose files count"
    hint = "sign it with one of: {known}; whose files are a person's the flow says: mirror: {people: [...]}"
    raise Refused("unknown_writer", words, hint, name[:80], known)


def outcome_of_comment(
    flow: Flow, item: Item, agent: str, *, artifact: str | None, thread: str | None, resolved: bool
) -> Outcome | None:
    """The end of an effort that a comment in a file is, if it is one: for whoever can only write files (K-05, K-06).

    The agent whose turn it is disputes by opening a thread on what another stage made. In a dispute, the side that is
    to speak disagrees by a reply, and agrees by one that resolves it; neither needs a parent. Any other comment is
    only a comment.
    """
    if item.column not in flow.columns or actor(flow, item) != agent or item.status not in ("ready", "running"):
        return None
    here = stage(flow, item)
    mine = [dispute for dispute in item.disputes if dispute.side(dispute.turn).stage == here]
    if any(thread == dispute.thread if thread else artifact == dispute.artifact for dispute in mine):
        return "done" if resolved else "disputed"
    if thread is not None:
        return None
    made = item.artifacts.get(artifact or "")
    return "disputed" if made is not None and made.column in flow.columns and made.column != here else None


def work_of_sender(flow: Flow, items: Iterable[Item], agent: str, context: dict[str, Any]) -> str | None:
    """The item that waits for an agent which hands something over: it has taken that up, though it could not say so."""
    waiting = [item for item in items if claimant(flow, item) == agent]
    named, spec = context.get("item"), context.get("spec")
    if named is not None:
        return next((item.id for item in waiting if item.id == str(named)), None)
    with_spec = [item for item in waiting if spec and item.spec == spec]
    found = with_spec or waiting
    return found[0].id if len(found) == 1 else None


class Merged(Struct, frozen=True):
    """What of a file holds, and in what a person must decide: what the board has, and what the file."""

    taken: dict[str, Any] = field(default_factory=dict)
    conflicts: dict[str, tuple[Any, Any]] = field(default_factory=dict)


def merged(base: dict[str, Any], board: dict[str, Any], file: dict[str, Any]) -> Merged:
    """A file that was changed since it was written as `base`, while the board may have gone on (H-11, R-28)."""
    taken, conflicts = {}, {}
    for name, value in file.items():
        if value == base.get(name) or value == board.get(name):
            continue
        if name in CRITICAL and board.get(name) != base.get(name):
            conflicts[name] = (board.get(name), value)
        else:
            taken[name] = value
    return Merged(taken, conflicts)


def raise_conflict(case: Case, command: RaiseConflict) -> None:
    """Both versions are put before a person. What cannot be changed by an option, the answer tells whoever goes on."""
    item, actor = case.item, case.actor
    if command.name in PEOPLES and not actor.may_decide:
        words = "{command}: it is changed by people, not by files of {actor}"
        hint = "report what should happen; or the flow names whose files are a person's"
        raise Refused("only_people", words, hint, command.name, actor.name)
    if item.status in ENDED:
        words = "item {item} is {status}: its {command} is what the board has, {board}"
        raise Refused("item_ended", words, "first: <reopen item>", item.id, item.status, command.name, command.board)
    wanted = command.wanted or Wanted()
    if wanted.files is not None:
        wanted = replace(wanted, files=good_files(wanted.files))
    take = Way(f"the file's: {command.file}"[:200], "again")
    if command.to is not None and command.to in case.flow.columns:
        take = replace(take, effect="move", to=command.to)
    elif command.cancels:
        take = replace(take, effect="cancel")
    elif not wanted.is_empty:
        take = replace(take, effect="take")
    stay = Way(f"the board's: {command.board}"[:200], "again")
    words = f"{command.where} and the board disagree about the {command.name} of item {item.id}. Which holds?"
    told = f"the board: {command.board}\nthe file, by {case.actor.name}: {command.file}"
    ask(case, "conflict", words, stay, take, context=told, wanted=wanted)


def take_over(case: Case, wanted: Wanted, question: str) -> None:
    """A person has chosen what the file says."""
    if wanted.files is not None:
        case.set("item_edited", {"fields": ["files"], "question": question}, files=wanted.files, widened=[])
    if wanted.locks:
        pass_on(case, wanted.agent, wanted.locks, wanted.seconds)


def stage_of_message(flow: Flow, message: Message, wanted: str) -> str | None:
    """Where the item goes if the file is right about a message that the board has ended otherwise: to whoever says that
    it takes it up, or has; back to who sent it, if that one does not want it."""
    if wanted != "rejected" and message.stage in flow.columns:
        return message.stage
    return next(iter(flow.watched_by(message.sender if wanted == "rejected" else message.to)), None)
