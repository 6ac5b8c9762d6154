"""Trials on all cores: each is a world of its own, so where it is played changes nothing about what it comes to."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import cast

from folkmoot.errors import Unavailable
from folkmoot.sim.population.tally import Tally
from folkmoot.sim.population.trials import Job, one_by_one

# Below so many items in all, starting another Python takes longer than it saves.
WORTH_IT = 240
AT_MOST = 16

Tell = Callable[[int, int], None]  # trials that are over, of how many


def play_all(jobs: list[Job], tell: Tell | None = None) -> list[Tally]:
    """What the trials came to, in the order of the jobs."""
    items = sum(job.side.population.items.count for job in jobs)
    processes = min(_cores(), len(jobs), AT_MOST) if items >= WORTH_IT else 1
    found: dict[int, Tally] = {}
    if tell:
        tell(0, len(jobs))
    for number, tally in enumerate(one_by_one(jobs)) if processes < 2 else _side_by_side(jobs, processes):
        found[number] = tally
        if tell:
            tell(len(found), len(jobs))
    return [found[number] for number in range(len(jobs))]


def _cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _side_by_side(jobs: list[Job], processes: int) -> Iterator[tuple[int, Tally]]:
    """Hand out one trial after the other. A player that we leave behind sees its line closed, and ends."""
    # Started afresh and not forked: what this process holds open is no business of theirs.
    afresh = multiprocessing.get_context("spawn")
    players = []
    left = iter(enumerate(jobs))
    at_work: dict[Connection, int] = {}

    def hand_out(line: Connection) -> None:
        number, job = next(left, (None, None))
        if number is not None:
            at_work[line] = number
            line.send(job)

    try:
        for _ in range(processes):
            ours, theirs = afresh.Pipe()
            player = afresh.Process(target=_play, args=(theirs,), daemon=True)
            player.start()
            theirs.close()
            players.append((ours, player))
            hand_out(ours)
        while at_work:
            for ready in wait(list(at_work)):
                line = cast(Connection, ready)
                try:
                    tally = line.recv()
                except EOFError as error:
                    words = "the process that played seed {seed} died"
                    hint = "is there enough memory? try fewer <.items>"
                    raise Unavailable("trial_lost", words, hint, jobs[at_work[line]].seed) from error
                yield at_work.pop(line), tally
                hand_out(line)
    finally:
        for ours, player in players:
            ours.close()
            player.terminate()
            player.join()


def _play(line: Connection) -> None:
    # Ctrl-C reaches everybody on the terminal; who asked for the trials says what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        while True:
            job: Job = line.recv()
            line.send(job.play())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # whoever wanted the trials is gone
