"""A person who steers: says something to whoever works, takes items at any moment, gives them, or forgets them."""

import random

from folkmoot.api.views import TakenView
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.enums import ENDED
from folkmoot.core.report import Report
from folkmoot.sim.orders import Order
from folkmoot.sim.world import Script, World

PAUSE, AT_WORK = 12.0, 40.0  # seconds between two ideas, and at an item
SAYS, HEARS, FORGETS, GIVES = 0.5, 0.5, 0.15, 0.7


def steerer(world: World) -> Script:
    """By a chance of its own: what others do does not depend on it."""
    chance, actor = random.Random(f"steerer {world.seed}"), Actor("tia")
    while True:
        yield chance.expovariate(1 / PAUSE)
        open_items = [item for item in world.items.values() if item.status not in ENDED]
        if not open_items:
            continue
        busy = [item for item in open_items if item.status == "running"]
        item = chance.choice(busy if busy and chance.random() < 0.8 else open_items)
        if chance.random() < SAYS:
            said = commands.SayToAgent(text=chance.choice(("mind the tests", "use the helper", "stop after this", " ")))
            world.say(Order(actor, said, item.id))
            if item.run is not None and chance.random() < HEARS:
                # Its client asks for it at its next turn, now and then twice, or when it has ended.
                yield chance.expovariate(1 / PAUSE)
                run = Actor(item.taken or "", item.run, item.token)
                for _ in range(chance.choice((1, 1, 2))):
                    world.say(Order(run, commands.HearPeople()))
            continue
        taken = world.say(Order(actor, commands.TakeOver(), item.id)).view
        if isinstance(taken, TakenView) and chance.random() > FORGETS:
            yield chance.expovariate(1 / AT_WORK)
            mine = Actor(actor.name, taken.run, taken.token)
            if chance.random() < GIVES:
                world.say(Order(mine, commands.ReportRun(report=Report.done("by hand"))))
            else:
                world.say(Order(mine, commands.ReleaseRun()))
