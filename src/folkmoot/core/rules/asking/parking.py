"""Putting an item aside, and taking it up again. It decides nothing about the work, and resets nothing (R-03)."""

from folkmoot.core.commands import ParkItem, UnparkItem
from folkmoot.core.enums import ENDED, ENGINE_NAME, ONE_SHOT_KINDS
from folkmoot.core.records import ASIDE, PARKED, Question
from folkmoot.core.rules.movement import at_rest, note
from folkmoot.core.rules.questions import ask, asking_status, withdraw
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import NOT_NOW, Way
from folkmoot.errors import Refused

TAKE_UP = Way("let it be worked on", "again", says="yes")


def park(case: Case, command: ParkItem) -> None:
    """Nobody works on the item before a person says so. What waits for an answer keeps its question, without a
    deadline; what could go on is asked about itself, so that something open always says why it rests."""
    item, name = case.item, case.actor.name
    _check(case)
    if not asking_status(case.questions.values()):
        told = f"the item: {item.title}" + (f"\nwhy: {command.why}" if command.why else "")
        ask(case, "decision", PARKED, TAKE_UP, NOT_NOW, context=told)
    rests = [(one.id, {"deadline": None}) for one in _open(case) if one.blocking and one.deadline is not None]
    context = {"by": name, "why": command.why or f"{name} put it aside"}
    case.emit("item_parked", context, item={"status": "parked"}, questions=rests)
    if command.why:
        note(case, name, command.why, "it was parked")


def _check(case: Case) -> None:
    item = case.item
    if item.status in ENDED:
        raise Refused("item_ended", "item {item} is {status}", "<reopen item>", item.id, item.status)
    if item.kind in ONE_SHOT_KINDS:
        words = "item {item} is of kind {kind}: it is not parked"
        raise Refused("bound", words, "park the item that it helps with", item.id, item.kind)
    if item.status == "running":
        words = "somebody works on item {item}: it cannot be parked now"
        raise Refused("item_running", words, "wait for the report, or end the run first: <end_run item>", item=item.id)
    if item.status == "parked":
        raise Refused("item_parked", "item {item} is parked already", "<unpark item> takes it up again", item.id)


def unpark(case: Case, command: UnparkItem) -> None:
    """The item stands as it stood before: it can be worked on, or it waits for the answer that it waited for."""
    item, name = case.item, case.actor.name
    if item.status != "parked":
        words = "item {item} is {status}"
        raise Refused("not_parked", words, "only what is parked is taken up again", item.id, item.status)
    why = command.why or f"{name} took it up again"
    for asked in _open(case):
        if asked.agent == ENGINE_NAME and asked.question in ASIDE:
            withdraw(case, why, question=asked.id)
    rests = at_rest(case)
    still = asking_status(case.questions.values())  # whoever took it up has not answered this
    case.emit("item_resumed", {"by": name, "why": why}, item={**rests, "status": still or rests["status"]})
    if command.why:
        note(case, name, command.why, "it was taken up again")


def _open(case: Case) -> list[Question]:
    return [one for one in case.questions.values() if one.state == "open"]
