"""Agents and people who only write files, as the mirror says it to the board: what an agent's file may not say it tries
all the same, and a person's file disagrees with the board.

They have a chance of their own, so that the rest of the world stays as it was.
"""

import random

from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import END
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Wanted
from folkmoot.sim.orders import Order
from folkmoot.sim.speech import PATHS
from folkmoot.sim.world import Red, Script, World

PERSON = Actor("fay")  # whose files the flow would name
FILES = "the file's"


def scribbler(world: World) -> Script:
    chance = random.Random(f"files {world.seed}")
    while True:
        yield chance.expovariate(1 / 20)
        items = [item for item in world.items.values() if item.status not in ENDED and item.kind not in ONE_SHOT_KINDS]
        asked = [one for one in world.witness.open_questions.values() if one.kind == "conflict" and one.wanted]
        if not items:
            continue
        roll = chance.random()
        if roll < 0.4:
            agent = chance.choice(sorted(world.flow.agents))
            world.say(Order(Actor(agent, file=True), _for_people(world, chance), chance.choice(items).id))
        elif roll < 0.5:
            agent = chance.choice(sorted(world.flow.agents))
            lock = commands.LockPaths(paths=[chance.choice(PATHS)], seconds=600)
            world.say(Order(Actor(agent, file=True), lock))
        elif asked and roll < 0.8:
            _choose(world, chance.choice(asked))
        else:
            item = chance.choice(items)
            world.say(Order(PERSON, _conflict(world, chance, item), item.id))


def _for_people(world: World, chance: random.Random) -> Command:
    asked = list(world.witness.open_questions.values())
    if asked and chance.random() < 0.5:
        question = chance.choice(asked)
        words = question.options[0].option if question.options else "go on"
        return commands.AnswerQuestion(question=question.id, answer=words)
    moves: list[Command] = [
        commands.MoveItem(column=chance.choice(sorted(world.flow.columns))),
        commands.EditItem(title="mine"),
        commands.CancelItem(),
        commands.StopBoard(),
    ]
    return chance.choice(moves)


def _conflict(world: World, chance: random.Random, item: Item) -> Command:
    where = f"kanban/{item.id}.yaml"
    files = chance.sample(PATHS, chance.choice((0, 1, 2)))
    if chance.random() < 0.5:
        wanted = Wanted(files=files)
        return commands.RaiseConflict(name="files", board="other", file="these", where=where, wanted=wanted)
    if files and chance.random() < 0.7:
        agent = chance.choice(sorted(world.flow.agents))
        wanted = Wanted(locks=files, agent=agent, seconds=600.0)
        words = f"{', '.join(files)} for {agent}"
        return commands.RaiseConflict(name="locks", board="held", file=words, where="state.json", wanted=wanted)
    column = chance.choice([column for column in sorted(world.flow.columns) if column != END])
    return commands.RaiseConflict(name="column", board=item.column, file=column, where=where, to=column)


def _choose(world: World, question: Question) -> None:
    """What the person chooses holds, or nothing has changed."""
    answer = world.say(Order(PERSON, commands.AnswerQuestion(question=question.id, answer=FILES)))
    item, wanted = world.items[question.item], question.wanted
    if answer.view is None or wanted is None or item.status in ENDED:
        return
    if wanted.files is not None and item.files != wanted.files:
        raise Red(world.step, [f"R-28: the file's files were chosen for item {item.id}, and it has {item.files}"])
    holds = world.witness.audit.tables.get("holds", {}).values()
    held = {hold.path for hold in holds if hold.held and hold.owner == wanted.agent}  # type: ignore[union-attr]
    missing = [path for path in wanted.locks if path not in held]
    if missing:
        raise Red(world.step, [f"R-28: the lock on {missing[0]} was given to {wanted.agent}, who has it not"])
