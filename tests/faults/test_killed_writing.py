"""kill -9 at every single write of a command: what is left is the board before it or after it (F2, F4)."""

import random
from pathlib import Path

import pytest

from tests.acceptance.moot import Moot
from tests.faults import scenes, traced
from tests.faults.traced import Point
from tests.faults.witness import saw

SAMPLE = 2  # of the many writes of a command, in `make test`; all of them in `make prove`
OUTCOME = "the board before or after it, doctor green, the repeated command has one effect"
COMMANDS = [name for name in scenes.SCENES if name not in ("init", "rescue")]
OFTEN = ("add", "report", "apply", "restore", "import")


class Range:
    """A command on a board, struck at one write after the other, each time on a fresh copy."""

    def __init__(self, scene: scenes.Scene, place: Path) -> None:
        self.scene = scene
        self.template, self.folder = place / "template", place / "board"
        self.template.mkdir()
        more, self.stdin = scene.prepare(self.template)
        key = ["--key", "k1"] if scene.is_keyed else []
        self.command = [*traced.MOOT, *scene.words, *more, *key, "--json"]
        self.before = self._seq()
        scenes.copied(self.template, self.folder)
        self.points, ended = traced.points(self.command, self.folder, place / "trace", self.stdin)
        assert ended.code == 0, ended.err
        self.after = self._seq()
        assert len(self.points) > 20

    def _seq(self) -> int:
        folder = self.folder if self.folder.exists() else self.template
        return scenes.last_seq(folder) if (folder / scenes.STORE).exists() else 0

    def strike(self, point: Point) -> None:
        scenes.copied(self.template, self.folder)
        ended = traced.struck(self.command, self.folder, point, stdin=self.stdin)
        assert ended.code == -9, f"{point}: it was not killed: {ended}"
        seq = self._seq()
        assert seq in (self.before, self.after), f"{point}: half of it is there: {seq}"
        assert seq == 0 or scenes.wrong(self.folder) == [], point
        if traced.shown(ended) is not None:
            assert seq == self.after, f"{point}: it answered, and then it was not there"
        self._again(point, seq)

    def _again(self, point: Point, seq: int) -> None:
        """Whoever does not know what came of it says it again; and whatever lies there as a backup is one."""
        ended = traced.run(self.command, self.folder, self.stdin)
        if self.scene.makes and seq:
            assert ended.error in ("board_exists", "store_exists"), f"{point}: {ended}"
        else:
            assert ended.code == 0, f"{point}: {ended.err}"
            assert self._seq() == self.after, point
        assert Moot(self.folder).say("add", "on it goes").code == 0, point
        assert scenes.wrong(self.folder) == [], point
        for backup in sorted((self.folder / ".moot" / "backups").glob("*.moot")):
            assert Moot(self.folder).say("restore", str(backup)).code == 0, f"{point}: {backup} is none"


def strike(place: Path, name: str, some: int | None) -> None:
    struck = Range(scenes.SCENES[name], place)
    points = struck.points if some is None else random.Random(name).sample(struck.points, some)
    for point in points:
        struck.strike(point)
    row, case = ("F4", "a command that rescues") if name == "rescue" else ("F2", f"`moot {name}`")
    saw(row, case, OUTCOME, writes=len(points))


@pytest.mark.ledger("R-31")
@pytest.mark.parametrize("name", OFTEN)
def test_killed_at_some_writes(tmp_path: Path, name: str) -> None:
    strike(tmp_path, name, SAMPLE)


@pytest.mark.slow
@pytest.mark.ledger("R-31")
@pytest.mark.parametrize("name", [*COMMANDS, "init"])
def test_killed_at_every_write(tmp_path: Path, name: str) -> None:
    strike(tmp_path, name, None)


def test_a_killed_init_leaves_a_board_or_none(tmp_path: Path) -> None:
    """At the worst moments: when the flow is made but not yet written, and when the store has just got its name."""
    struck = Range(scenes.SCENES["init"], tmp_path)
    first = next(point for point in struck.points if point.call == "write")
    second = max(point for point in struck.points if point.call == "fsync")
    for point in (first, second):
        struck.strike(point)
    saw("F2", "`moot init`", OUTCOME, writes=2)


def test_a_rescue_that_is_killed_is_made_by_the_next(tmp_path: Path) -> None:
    strike(tmp_path, "rescue", 1)


@pytest.mark.slow
def test_a_rescue_that_is_killed_at_every_write(tmp_path: Path) -> None:
    strike(tmp_path, "rescue", None)
