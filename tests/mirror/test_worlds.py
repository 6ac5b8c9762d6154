"""In seeded worlds: what a mirror has written, event by event, is what a fresh one of the same board writes (R-04)."""

import random
from collections.abc import Callable

import pytest

from folkmoot.engine.reads.history import History
from folkmoot.flows.preset import preset_names
from folkmoot.mirror import picture
from folkmoot.mirror.scribe import Scribe
from folkmoot.sim.flows import flow_of
from folkmoot.sim.run import live
from folkmoot.sim.world import World
from folkmoot.store.sqlite.store import SqliteStore

SEEDS = range(3)
STEPS, AGENTS, ITEMS = 120, 6, 12
Patch = pytest.MonkeyPatch


class Follower:
    """A mirror without a disk: it writes what is touched, as the writer does, and nothing else."""

    def __init__(self, store: SqliteStore, chance: random.Random) -> None:
        self._feed = History(store)
        self._chance = chance
        self._scribe = Scribe(self._feed)
        self._scribe.touched = set(self._scribe.paths())
        self._until = self._scribe.picture.seq
        self.files: dict[str, bytes] = {}

    def follow(self) -> None:
        if self._chance.random() < 0.2:
            self._restart()
        self._scribe.follow()
        touched, self._scribe.touched = self._scribe.touched, set()
        for path in touched:
            content = self._scribe.content(path)
            self.files.pop(path, None)
            if content is not None:
                self.files[path] = content
        self._until = self._scribe.picture.seq

    def _restart(self) -> None:
        """It was killed: the next one has the files and the number it had reached."""
        self._scribe = Scribe(self._feed)
        events = self._feed.after(self._until)
        self._scribe.touched = {path for event in events for path in self._scribe.paths_touched_by(event)}


def fresh(store: SqliteStore) -> dict[str, bytes]:
    scribe = Scribe(History(store))
    return {path: content for path in scribe.paths() if (content := scribe.content(path)) is not None}


def differing(seed: int, preset: str) -> list[str]:
    """The files that are other than a fresh mirror's, after any step of a life; empty as it should be."""
    store = SqliteStore.create(":memory:", durable=False)
    world = World(seed, [store], flow_of(preset), random.Random(seed))
    follower = Follower(store, random.Random(f"mirror {seed}"))
    found: list[str] = []

    def look(*_: object) -> None:
        follower.follow()
        if not found and world.step % 20 == 0:
            found.extend(_other(follower.files, fresh(store)))

    world.on_step = look
    try:
        live(world, STEPS, AGENTS, ITEMS, to_the_end=False)
        follower.follow()
        return found or _other(follower.files, fresh(store))
    finally:
        world.close()


def _other(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    return sorted(path for path in {*one, *two} if one.get(path) != two.get(path))


@pytest.mark.ledger("R-04", "H-04", "H-05", "K-05", "Q-14")
@pytest.mark.parametrize("preset", sorted(preset_names()))
def test_files_that_follow_the_log_are_those_of_a_fresh_mirror(preset: str) -> None:
    assert [differing(seed, preset) for seed in SEEDS] == [[] for _ in SEEDS]


def _no_quest_of_a_task(patch: Patch) -> None:
    put = picture.Picture._put_item
    patch.setattr(picture.Picture, "_put_item", lambda self, row, before: put(self, row, before)[:1])


def _no_comments(patch: Patch) -> None:
    patch.setattr(picture.Picture, "_put_comment", lambda self, row: PUT_COMMENT(self, row)[:0])


def _messages_stay(patch: Patch) -> None:
    patch.setattr(Scribe, "_paths_of", lambda self, key: set() if key.startswith("message:") else PATHS_OF(self, key))


def _forgets_since_when(patch: Patch) -> None:
    patch.setattr(Scribe, "paths_touched_by", lambda self, event: set())


PATHS_OF = Scribe._paths_of
PUT_COMMENT = picture.Picture._put_comment


@pytest.mark.parametrize(
    ("preset", "plant", "seen"),
    [
        ("quest", _no_quest_of_a_task, "quests/"),
        ("kanban", _no_comments, ""),
        ("handoff", _messages_stay, "handoffs/"),
        ("kanban", _forgets_since_when, ""),
    ],
)
def test_a_file_that_is_not_written_anew_is_seen(
    preset: str, plant: Callable[[Patch], None], seen: str, monkeypatch: Patch
) -> None:
    plant(monkeypatch)
    assert any(path.startswith(seen) for seed in SEEDS for path in differing(seed, preset))
