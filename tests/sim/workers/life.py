"""A whole life of a board with workers, from one number: every fault at once, then quiet until all is done."""

import random

from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.sim.flows import choose_flow
from folkmoot.sim.people import Helper, Person, reader, settler
from folkmoot.sim.run import Outcome, outcome_of
from folkmoot.sim.world import Red, Script, World
from folkmoot.store.sqlite.store import SqliteStore
from tests.sim.workers.worker import SimWorker
from tests.sim.workers.world import WorkerWorld

STEPS, ITEMS, WORKERS = 140, 6, 3
CRASH_RATE = 0.01
TROUBLE_SECONDS = 8.0  # between two faults
QUIET_STEPS_PER_ITEM = 250
LONGEST = 4 * 3600.0  # of virtual time, where nobody does anything


def trouble(world: WorkerWorld, slots: int) -> Script:
    """Workers die, stand still, are cut off, are interrupted; clocks jump. Others come in their place."""
    chance, started = world.chance, len(world.workers)
    while True:
        yield chance.expovariate(1 / TROUBLE_SECONDS)
        there = [worker for worker in world.workers if worker.alive]
        if len(there) < WORKERS:
            started += 1
            SimWorker(world, f"w{started}", slots)
            continue
        worker, lease = chance.choice(there), world.flow.limits.lease
        fault = chance.choice(("die", "die", "freeze", "freeze", "cut", "cut", "interrupt", "clock"))
        if fault == "die":
            worker.die()
        elif fault == "freeze":
            worker.freeze(lease * chance.uniform(0.2, 4.0))
        elif fault == "cut":
            worker.cut_off(lease * chance.uniform(0.1, 1.5))
        elif fault == "interrupt":
            worker.interrupt()
        else:
            for other in there:
                other.note_trouble()
            _jump(world)


def _jump(world: World) -> None:
    jump = world.chance.random()
    if jump < 0.3:
        world.clock.set_wall(world.chance.uniform(-2, 2) * 86_400)
    elif jump < 0.65:
        world.clock.turn_back(world.chance.uniform(0, 200))
    else:
        world.clock.reboot()


def short_flow(chance: random.Random) -> Flow:
    """Times in which something happens: the limits of processes are reached, and no agent must wait for its window."""
    flow = choose_flow(chance)
    lease = chance.choice((5.0, 20.0, 60.0))
    wall, silence = chance.choice((40.0, 200.0, 1800.0)), chance.choice((15.0, 90.0, 600.0))
    return replace(flow, limits=replace(flow.limits, lease=lease, timeout=wall, silence=silence, starts=None))


def simulate_workers(
    seed: int, *, steps: int = STEPS, items: int = ITEMS, to_the_end: bool = True, flow: Flow | None = None
) -> Outcome:
    """Live through one world of workers. A world that went wrong gives a red outcome, never an exception."""
    chance = random.Random(f"workers {seed}")
    world = WorkerWorld(seed, [SqliteStore.create(":memory:", durable=False)], flow or short_flow(chance), chance)
    red: list[str] = []
    try:
        world.begin()
        _live(world, steps, items, to_the_end)
    except Red as fault:
        red = fault.found
    finally:
        world.close()
    return outcome_of(world, seed, red)


def _live(world: WorkerWorld, steps: int, items: int, to_the_end: bool) -> None:
    slots = world.chance.choice((1, 2, 4))
    world.crash_rate = CRASH_RATE
    for number in range(WORKERS):
        SimWorker(world, f"w{number}", slots)
    for script in (
        Person(world, "ann", items).script(),
        reader(world),
        trouble(world, slots),
        settler(world),
        world.judge(),
    ):
        world.enter(script)
    world.run(lambda: world.step >= steps or world.clock.time > LONGEST)
    if to_the_end:
        _quieten(world)
    world.witness.check_all()
    world.witness.found += [f"chain: {text}" for text in world.store.broken_links()]
    if world.witness.found:
        raise Red(world.step, world.witness.found)


def _quieten(world: WorkerWorld) -> None:
    """All workers die; a good one and a person who answers are left: everything must end, and soon."""
    world.empty()
    for worker in world.workers:
        worker.die()
    world.faults, world.crash_rate = False, 0.0
    SimWorker(world, "good", 6, good=True)
    for script in (Helper(world, "hal").script(), world.judge()):
        world.enter(script)
    last = world.step + QUIET_STEPS_PER_ITEM * (len(world.witness.unfinished) + 1)
    world.run(lambda: not world.witness.unfinished or world.step >= last)
    if world.witness.unfinished:
        left = sorted(world.witness.unfinished, key=int)
        some = [f"{i} is {world.items[i].status} in {world.items[i].column}" for i in left[:5]]
        raise Red(
            world.step, [f"R-03: {len(left)} items do not end with a good worker and a person: {'; '.join(some)}"]
        )
