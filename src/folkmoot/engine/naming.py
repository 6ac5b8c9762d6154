"""Which run somebody means: by its id, by how the id begins, or by an item, whose latest run it is then."""

import re

from folkmoot.core.records import Run
from folkmoot.engine.loading import known_item
from folkmoot.errors import Invalid
from folkmoot.store.port import Reading

# How a worker calls itself: its machine by its name, which process of it, which machine that is, and a random end. An
# older version did not say which machine it is.
WORKER = re.compile(r"(.{1,300})-((\d{1,10})\.\d{1,20}\.[0-9a-f]{8}\.\d{1,20})-([0-9a-f]{8})?[0-9a-f]{6}\Z")
LETTERS_LEAST = 4  # of an id: by fewer anybody could guess one where there are few runs
NAMED_MAX = 5  # of those that are meant as well


def host_of(worker: str) -> str | None:
    """The machine of a worker, where its name is one that a worker gives itself."""
    found = WORKER.match(worker)
    return found.group(1) if found is not None else None


def process_of(worker: str) -> int | None:
    """Its process there."""
    found = WORKER.match(worker)
    return int(found.group(3)) if found is not None else None


def known_run(reading: Reading, words: str, printed: bool = False) -> Run:
    """For whoever looks, or speaks of a run; whoever speaks as one has its whole id. Refused where none, or more than
    one, is meant. `printed`: of an item the latest that has printed anything, or may yet; a landing mostly prints
    nothing."""
    named = words.strip()
    found = reading.run(named)
    if found is not None:
        return found
    number = named.removeprefix("#")
    if number.isascii() and number.isdecimal():
        return _latest(reading, number, printed)
    if len(named) < LETTERS_LEAST and reading.runs_named(named.lower(), 1):
        text = "{run!r} is too short to say which run is meant"
        raise Invalid("ambiguous_run", text, f"write {LETTERS_LEAST} letters of its id, or more", words)
    meant = reading.runs_named(named.lower(), NAMED_MAX + 1) if named else []
    if len(meant) == 1:
        return meant[0]
    if not meant:
        raise Invalid("unknown_run", "there is no run {run}", "see the runs of an item: <show item>", words)
    known = [f"{run.id} ({run.agent} on #{run.item})" for run in meant[:NAMED_MAX]]
    more = " and more" if len(meant) > NAMED_MAX else ""
    text = "more than one run begins with {run!r}: {several}"
    raise Invalid("ambiguous_run", text, "write more of its id", words, ", ".join(known) + more)


def _latest(reading: Reading, number: str, printed: bool) -> Run:
    item = known_item(reading, number)
    runs = reading.runs(item.id)
    if not runs:
        words = "nobody has worked on item {item} yet"
        raise Invalid("unknown_run", words, "see how it stands: <show item>", item.id)
    told = (run for run in reversed(runs) if run.ended_at is None or reading.output(run.id, 0, 1))
    return next(told, runs[-1]) if printed else runs[-1]
