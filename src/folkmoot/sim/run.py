"""A whole life of a board from one number: chaos, then a board without a person, then quiet until all is done."""

import random
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.commands import Actor
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.flow import Flow
from folkmoot.core.rules.running.landing import unsettled
from folkmoot.sim.agents import CHARACTERS, Agent
from folkmoot.sim.flows import choose_flow
from folkmoot.sim.habits.answering import hasty
from folkmoot.sim.habits.posts.couriers import courier
from folkmoot.sim.habits.posts.filing import scribbler
from folkmoot.sim.habits.steering import steerer
from folkmoot.sim.people import Helper, Person, impatient, onlooker, reader, reformer, settle, settler, weather
from folkmoot.sim.world import Red, World
from folkmoot.store.port import Store
from folkmoot.store.sqlite.store import SqliteStore

STEPS, AGENTS, ITEMS = 1500, 10, 100
CRASH_RATE = 0.02
REFORM_RATE = 0.3  # how many worlds change their flow in the middle
ALONE_RATE = 0.25  # how many worlds lose their people before the end
RUNS_ALONE = 8
STEERED_EVERY = 4  # worlds: who takes items over leaves less for others to go wrong in
REPLAY_EVERY = 2  # of how many whole lives the log is folded again from its start
ALONE_STEPS_PER_ITEM = 300
# How many steps per unfinished item the quiet end may take. Six stages are twelve; the rest is trouble left over.
QUIET_STEPS_PER_ITEM = 80


class Outcome(Struct, frozen=True, kw_only=True):
    """How a world ended. `red` is empty if all held; `trace` is the same for the same seed, always."""

    seed: int
    steps: int
    trace: str
    events: int = 0
    items: int = 0
    claims: int = 0
    hours: float = 0.0  # of virtual time
    red: list[str] = []

    def line(self) -> str:
        if self.red:
            return f"RED seed {self.seed} step {self.steps}: {self.red[0]}"
        return f"ok seed {self.seed}: {self.steps} steps, {self.events} events, {self.hours:.1f} virtual hours"


def simulate(
    seed: int,
    *,
    steps: int = STEPS,
    agents: int = AGENTS,
    items: int = ITEMS,
    stores: Sequence[Store] = (),
    flow: Flow | None = None,
    to_the_end: bool = True,
) -> Outcome:
    """Live through one world. A world that went wrong gives a red outcome, never an exception.

    Without `stores` the board is in memory; several of them are connections to one board. `flow` is the first one.
    With `to_the_end` every item must also end once only good agents and a person who answers are left.
    """
    chance = random.Random(seed)
    stores = stores or [SqliteStore.create(":memory:", durable=False)]
    world = World(seed, stores, flow or choose_flow(chance), chance)
    red: list[str] = []
    try:
        live(world, steps, agents, items, to_the_end)
    except Red as fault:
        red = fault.found
    finally:
        world.close()
    return outcome_of(world, seed, red)


def outcome_of(world: World, seed: int, red: list[str]) -> Outcome:
    """What is told of a world that is over."""
    return Outcome(
        seed=seed,
        steps=world.step,
        trace=world.trace.hexdigest(),
        events=world.witness.seq,
        items=len(world.items),
        claims=len(world.witness.audit.tables.get("runs", {})),
        hours=world.clock.time / 3600,
        red=red,
    )


def two_connections(path: str) -> list[Store]:
    """A new board in a file, opened twice, as by two processes."""
    return [SqliteStore.create(path, durable=False), SqliteStore.open(path, durable=False)]


def live(world: World, steps: int, agents: int, items: int, to_the_end: bool) -> None:
    chaos(world, steps, agents, items)
    if to_the_end:
        if world.chance.random() < ALONE_RATE:
            alone(world, agents)
        quiet(world, agents)
        if world.seed % REPLAY_EVERY == 0:
            world.witness.replay()
    settle_all(world)
    world.witness.check_all()
    world.witness.found += [f"chain: {text}" for text in world.store.broken_links()]
    if world.witness.found:
        raise Red(world.step, world.witness.found)


def settle_all(world: World) -> None:
    """Whatever became of an item, it does not stay open what came of its landing (R-19)."""
    world.crash_rate = 0.0
    settle(world)
    left = [item.id for item in world.items.values() if unsettled(item)]
    if left:
        world.witness.found.append(f"R-19: nobody can say what came of the landing of item {left[0]}")


def chaos(world: World, steps: int, agents: int, items: int) -> None:
    """Everybody at once, and everything goes wrong."""
    chance = world.chance
    world.crash_rate = CRASH_RATE
    favourite = chance.choice(CHARACTERS)
    for number in range(agents):
        character = chance.choice(("obedient", favourite, *CHARACTERS))
        world.enter(Agent(world, f"w{number}", character).script())
    for name in ("ann", ENGINE_NAME):
        world.enter(Person(world, name, items // 2).script())
    for script in (reader(world), reader(world), onlooker(world), weather(world), settler(world), impatient(world)):
        world.enter(script)
    world.enter(hasty(world))
    if world.seed % STEERED_EVERY == 3:
        world.enter(steerer(world))
    if chance.random() < REFORM_RATE:
        world.enter(reformer(world))
    if world.flow.messages:
        world.enter(courier(world))
    if world.flow.mirror is not None:
        world.enter(scribbler(world))
    world.run(lambda: world.step >= steps)


def alone(world: World, agents: int) -> None:
    """No person is there any more. Whatever the agents do, their work comes to a stop (R-33)."""
    world.empty()
    limits = replace(world.flow.limits, runs=RUNS_ALONE)
    world.adopt(Actor("ann"), replace(world.flow, limits=limits))
    for number in range(agents):
        world.enter(Agent(world, f"a{number}", world.chance.choice(CHARACTERS)).script())
    world.enter(reader(world))
    last = world.step + ALONE_STEPS_PER_ITEM * (len(world.items) + 1)
    world.run(lambda: world.idle or world.step >= last)
    if not world.idle:
        raise Red(world.step, ["R-33: without a person the agents have not come to a stop"])


def quiet(world: World, agents: int) -> None:
    """Only good agents and a person who answers: everything must end, and soon (R-03)."""
    world.empty()
    world.crash_rate = 0.0
    for number in range(agents):
        world.enter(Agent(world, f"q{number}", "good").script())
    world.enter(Helper(world, "hal").script())
    world.enter(reader(world))
    last = world.step + QUIET_STEPS_PER_ITEM * (len(world.witness.unfinished) + 1)
    world.run(lambda: not world.witness.unfinished or world.step >= last)
    if world.witness.unfinished:
        left = sorted(world.witness.unfinished, key=int)
        some = [f"{i} is {world.items[i].status} in {world.items[i].column}" for i in left[:5]]
        raise Red(world.step, [f"R-03: {len(left)} items do not end with good agents and a person: {'; '.join(some)}"])
