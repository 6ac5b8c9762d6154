"""How many checked steps the seeded world makes per second of one core."""

import resource

from folkmoot.sim.run import simulate

SEEDS = range(1000, 1010)


def run() -> dict[str, float]:
    before = resource.getrusage(resource.RUSAGE_SELF)
    outcomes = [simulate(seed) for seed in SEEDS]
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "seeds": len(outcomes),
        "red": sum(bool(outcome.red) for outcome in outcomes),
        "checked steps per core-second (goal ≥ 1000)": round(sum(outcome.steps for outcome in outcomes) / cpu),
        "virtual hours per core-second": round(sum(outcome.hours for outcome in outcomes) / cpu, 1),
    }
