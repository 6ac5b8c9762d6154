"""What a command is about: the item of a run or of a message; and why there is none to begin."""

from folkmoot.core import commands
from folkmoot.core.commands import Speaker
from folkmoot.core.item import Item
from folkmoot.core.rules.claims import not_claimable
from folkmoot.engine.loading import message_about
from folkmoot.engine.turn import Turn
from folkmoot.errors import Invalid, MootError, NothingToDo


def own_item(turn: Turn, speaker: Speaker) -> Item | None:
    """The item a run works on; None for a person."""
    if speaker.run is None:
        return None
    run = turn.tx.run(speaker.run)
    if run is None:
        words = f"there is no run {speaker.run}"
        raise Invalid("unknown_run", words, "claim an item first: moot claim AGENT", {"run": speaker.run})
    turn.run = run
    return turn.item(run.item)


def subject(turn: Turn, command: commands.SendMessage) -> Item | None:
    """The item that a person's message is about: the one it names, or the one that the rules take it to be about."""
    named = command.context.get("item") or message_about(turn.tx, turn.flow, command)
    return turn.item(str(named)) if named else None


def no_run() -> Item:
    raise Invalid("unknown_run", "no run was named", "claim an item first: moot claim AGENT")


def nothing_ready(turn: Turn, agent: str, item: str | None) -> MootError:
    if item is not None:
        found = turn.item(item)
        now, at = turn.moment.now, turn.moment.at
        return not_claimable(turn.flow, found, agent, now, at, turn.tx.questions(item), turn.tx.holds(now))
    wake = turn.tx.next_wake(agent, turn.moment.now)
    if wake is not None:
        return NothingToDo(
            "nothing_ready",
            f"no item is ready for {agent}; the next one is in {wake - turn.moment.now:.0f}s",
            "try again then",
            {"agent": agent, "seconds": round(wake - turn.moment.now, 3)},
        )
    watched = ", ".join(turn.flow.watched_by(agent))
    where = f" in {watched}" if watched else ": it watches no column, and takes only what it is asked for by others"
    words = f"no item is ready for {agent}{where}"
    return NothingToDo("nothing_ready", words, "see what is where: moot board", {"agent": agent})
