"""What a command is about: the item of a run or of a message; and why there is none to begin."""

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.rules.claims import not_claimable
from folkmoot.engine.loading import message_about
from folkmoot.engine.unit_of_work import UnitOfWork
from folkmoot.errors import Invalid, MootError, NothingToDo
from folkmoot.store.port import Transaction


class WorksInClone(Exception):
    """Whoever speaks works in a clone that was made for its run, so it must be heard by way of the workplace."""


def bare_run(tx: Transaction, actor: Actor) -> Run | None:
    """The run that speaks, known to have no clone: what is changed in one belongs to its report."""
    run = tx.run(actor.run) if actor.run is not None else None
    if run is not None and run.cloned:
        raise WorksInClone
    return run


def own_item(unit: UnitOfWork, actor: Actor) -> Item | None:
    """The item a run works on; None for a person."""
    if actor.run is None:
        return None
    known = unit.run is not None and unit.run.id == actor.run
    run = unit.run if known else unit.tx.run(actor.run)
    if run is None:
        hint = "give its whole id, as the claim told it; or claim an item first: <claim agent>"
        raise Invalid("unknown_run", "there is no run {run}", hint, actor.run)
    unit.run = run
    return unit.item(run.item)


def subject(unit: UnitOfWork, command: commands.SendMessage) -> Item | None:
    """The item that a person's message is about: the one it names, or the one that the rules take it to be about."""
    named = command.context.get("item") or message_about(unit.tx, unit.flow, command)
    return unit.item(str(named)) if named else None


def no_run() -> Item:
    raise Invalid("unknown_run", "no run was named", "claim an item first: <claim agent>")


def nothing_ready(unit: UnitOfWork, agent: str, item: str | None) -> MootError:
    if item is not None:
        found = unit.item(item)
        now, at = unit.moment.now, unit.moment.at
        return not_claimable(unit.flow, found, agent, now, at, unit.tx.questions(item), unit.tx.holds(now))
    wake = unit.tx.next_wake(agent, unit.moment.now)
    if wake is not None:
        words = "no item is ready for {agent}; the next one is in {seconds:.0f}s"
        return NothingToDo("nothing_ready", words, "try again then", agent, round(wake - unit.moment.now, 3))
    watched = ", ".join(unit.flow.watched_by(agent))
    where = f" in {watched}" if watched else ": it watches no column, and takes only what it is asked for by others"
    words = "no item is ready for {agent}{where}"
    return NothingToDo("nothing_ready", words, "see what is where: <board>", agent, where)
