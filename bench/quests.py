"""How long generated quests take with 20 agents, beside what no order could beat: in virtual time, by the real rules.

The bound is the largest of three: the longest chain of tasks that wait for each other, the work on the busiest path
(two tasks that touch it are never worked on at once), and all work spread evenly over the slots.
"""

import heapq
import random
from statistics import median

from msgspec import Struct

from folkmoot.core.commands import Actor, AddItem, ReportRun
from folkmoot.core.flow import Agent, Column, Flow, Limits
from folkmoot.core.report import Report
from folkmoot.errors import NothingToDo
from folkmoot.testing.builders import TrialBoard

PERSON = Actor("bench")
SLOTS = 20
TASKS = 200
SEEDS = range(1, 16)
# How many paths there are to share, and what part of the tasks crowds on a few hot ones beside them.
LEVELS = {"low": (400, 0.0), "middle": (150, 0.1), "hot": (100, 0.35)}
HOT_PATHS = 4
MINUTE = 60.0
ALIKE, UNLIKE = 0.2, 0.5  # how far a task may be from a minute: a decomposition makes tasks of like size, or does not


class Task(Struct, frozen=True):
    seconds: float
    files: list[str]
    after: list[int]


def quest(seed: int, level: str, spread: float) -> list[Task]:
    """Tasks as a decomposition gives them: a third waits for an earlier one, each has one to three files."""
    chance = random.Random(f"{level} {seed}")
    paths, crowd = LEVELS[level]
    tasks: list[Task] = []
    for number in range(TASKS):
        seconds = MINUTE * chance.uniform(1 - spread, 1 + spread)
        names = [f"src/part{chance.randrange(paths)}.py" for _ in range(chance.choice((1, 1, 2, 3)))]
        if chance.random() < crowd:
            names[0] = f"src/hot{chance.randrange(HOT_PATHS)}.py"
        near = range(max(0, number - 40), number)
        after = chance.sample(near, min(len(near), chance.choice((0, 0, 0, 0, 1, 1))))
        tasks.append(Task(seconds, sorted(set(names)), sorted(after)))
    return tasks


def bound(tasks: list[Task]) -> float:
    ends: list[float] = []
    for task in tasks:
        ends.append(task.seconds + max((ends[need] for need in task.after), default=0.0))
    paths = {path for task in tasks for path in task.files}
    busiest = max(sum(task.seconds for task in tasks if path in task.files) for path in paths)
    return max(max(ends), busiest, sum(task.seconds for task in tasks) / SLOTS)


def makespan(tasks: list[Task]) -> float:
    """Every slot takes what the board gives it, works as long as the task takes, and reports."""
    flow = Flow(
        name="quest",
        start="weave",
        columns={"weave": Column(name="weave", agents=["weaver"], next="done"), "done": Column(name="done")},
        agents={"weaver": Agent(name="weaver", write="own")},
        limits=Limits(lease=3600.0, starve=1e9),
    )
    with TrialBoard(flow) as board:
        ids: list[str] = []
        for number, task in enumerate(tasks):
            after = [ids[need] for need in task.after]
            added = board.engine.add(PERSON, AddItem(title=f"task {number}", files=task.files, after=after))
            ids.append(added["id"])
        seconds = dict(zip(ids, (task.seconds for task in tasks), strict=True))
        began = board.clock.time
        busy: list[tuple[float, Actor]] = []
        left = len(tasks)
        while left:
            while len(busy) < SLOTS:
                try:
                    claim = board.engine.claim_next(PERSON, ["weaver"])
                except NothingToDo:
                    break
                actor = claim.actor
                heapq.heappush(busy, (board.clock.time + seconds[claim.standing.item], actor))
            ends, actor = heapq.heappop(busy)
            board.clock.move_to(ends)
            board.engine.act(actor, ReportRun(report=Report.done("woven")))
            left -= 1
        return board.clock.time - began


def run() -> dict[str, str]:
    found = {}
    for level, goal in (("low", 1.05), ("middle", 1.05), ("hot", 1.10)):
        for spread, words in (
            (ALIKE, f"goal ≤ {goal}"),
            (UNLIKE, "no goal: a slot cannot know how long a task will take"),
        ):
            ratios = []
            for seed in SEEDS:
                tasks = quest(seed, level, spread)
                ratios.append(makespan(tasks) / bound(tasks))
            what = f"{level} conflict, tasks of 1 min ± {spread:.0%}, {len(SEEDS)} seeds: median makespan"
            found[what] = f"{median(ratios):.3f} × the bound ({min(ratios):.3f} to {max(ratios):.3f}; {words})"
    return found
