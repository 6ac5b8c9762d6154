"""Run worlds by their seeds: `python -m folkmoot.sim --seed 7`, `--seeds 0-199`."""

import argparse
import sys

from folkmoot.sim.run import AGENTS, ITEMS, STEPS, simulate


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m folkmoot.sim", description="The seeded world, checked step by step"
    )
    parser.add_argument("--seed", type=int, help="one world")
    parser.add_argument("--seeds", help="many worlds: FIRST-LAST")
    parser.add_argument("--steps", type=int, default=STEPS, help="commands of the chaotic part (default %(default)s)")
    parser.add_argument("--agents", type=int, default=AGENTS)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first red world")
    given = parser.parse_args(arguments)
    first, _, last = (given.seeds or str(given.seed or 0)).partition("-")
    red = 0
    for seed in range(int(first), int(last or first) + 1):
        outcome = simulate(seed, steps=given.steps, agents=given.agents, items=given.items)
        if outcome.red:
            red += 1
            again = f"--seed {seed} --steps {given.steps} --agents {given.agents} --items {given.items}"
            print(f"{outcome.line()} | again: python -m folkmoot.sim {again}", flush=True)
            if not given.keep_going:
                return 1
        elif given.seeds is None:
            print(f"{outcome.line()}, trace {outcome.trace}")
    print(f"{int(last or first) - int(first) + 1} worlds, {red} red")
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
