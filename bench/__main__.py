"""Run every benchmark, or those that are named, and write what came out to docs/benchmarks.md: `make bench`."""

import os
import platform
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from bench import (
    crowd,
    cycle,
    folder,
    growth,
    holds,
    landing,
    peers,
    quests,
    simulation,
    startup,
    together,
    wakeup,
)
from bench.mirrors import following
from bench.queues import blocked
from bench.repositories import batches, package
from bench.server import cycles as postgresql
from bench.server import growth as on_server
from bench.server import order
from bench.server import peers as beside
from bench.server import wakeup as hosts
from bench.serving import cycles as serving
from bench.serving import page

BUSY = "how busy the machine was, before and after: processes that wanted to run"
TARGET = Path(__file__).parent.parent / "docs" / "benchmarks.md"
PARTS: dict[str, Callable[[], Mapping[str, object]]] = {
    "One caller, claim and report, FULL, beside its own statements replayed raw": cycle.run,
    "Many callers, claim and report, FULL, beside one caller's statements replayed raw": together.run,
    "Lock three paths and release them, FULL, beside one caller's statements replayed raw": holds.run,
    "32 callers beside the durable steps of Huey, LangGraph and DBOS on SQLite": peers.run,
    "A million items beside a thousand": growth.run,
    "A claim behind 10,000 items that cannot be taken, beside one without them": blocked.run,
    "Start of a command": startup.run,
    "The seeded world": simulation.run,
    "64 processes claim 1,000 items, twice": crowd.run,
    "Quests of many agents in virtual time, beside the best any order could do": quests.run,
    "A worker in a plain folder, beside its commands started bare": folder.run,
    "Runs in clones that land on main, beside the bare git commands": landing.run,
    "Items that land together, beside one after the other": batches.run,
    "One run with a gate in a large public project, beside the bare git commands": package.run,
    "Waiting for an item, beside the bare means of waking": wakeup.run,
    "Claim and report over HTTP, beside one caller in the process": serving.run,
    "A board in PostgreSQL, claim and report, beside its own statements sent raw": postgresql.run,
    "A million items in PostgreSQL beside a thousand": on_server.run,
    "Four clients beside Procrastinate, PgQueuer, LangGraph and DBOS on one PostgreSQL server": beside.run,
    "Waiting for an item on another host, with the board in PostgreSQL": hosts.run,
    "Ways to number events in the order of commits in PostgreSQL, transactions per second": order.run,
    "The page in a browser": page.run,
    "The board as files, beside a bare write and rename": following.run,
}


def main(words: list[str]) -> int:
    """Of all parts, or of those whose title holds one of the words; the others stay as they stand on the page. Each is
    written when it is measured: who ends the run keeps what there is."""
    known = sections(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    for title, run in PARTS.items():
        if words and not any(word.lower() in title.lower() for word in words):
            continue
        print(f"\n{title}", flush=True)
        text = [f"## {title}", "", "| what | measured |", "|---|---|"]
        before = os.getloadavg()[0]
        found = {**run(), BUSY: f"{before:.1f}, {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores"}
        for what, value in found.items():
            print(f"  {what:<50} {value}", flush=True)
            text.append(f"| {what} | {value} |")
        known[title] = [*text, ""]
        TARGET.write_text("\n".join(page_of(known)), "utf-8")
    return 0


def page_of(known: Mapping[str, list[str]]) -> list[str]:
    """The parts in their order, as far as they were measured."""
    text = ["# Benchmarks", "", "Made by `make bench`. Ratios are what counts: the machine is shared and noisy.", ""]
    text += [f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.", ""]
    return text + [line for title in PARTS for line in known.get(title, [])]


def sections(text: str) -> dict[str, list[str]]:
    """The lines of each part of the page, by its title."""
    found: dict[str, list[str]] = {}
    for part in text.split("\n## ")[1:]:
        found[part.partition("\n")[0]] = f"## {part.rstrip()}\n".split("\n")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
