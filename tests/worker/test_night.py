"""A night alone: many items, agents that are honest, sloppy, failing and out of quota, and nobody who answers.

In the morning every item has landed, asks something that only a person can know, or says why it stands still.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.worker.yard import git

Json = dict[str, Any]
CLIENT = Path(__file__).with_name("night_client.py")
FLOW = """
flow: night
start: code
limits: {{slots: 4, lease: 60s, timeout: 2m, silence: 6s, own_attempts: 3, feedback_rounds: 3}}
columns:
  code:   {{agents: [coder], next: review, gate: [tests]}}
  review: {{agents: [reviewer], next: done, fix: code}}
agents:
  coder:    {{run: {{client: night}}, write: own, ladder: {{0: small, 1-2: large, 3+: escalate}}}}
  reviewer: {{run: {{client: night}}, write: none, ladder: {{0-2: large, 3+: escalate}}}}
models:
  small: {{client: night, pool: cheap}}
  large: {{client: night, pool: dear}}
pools: {{cheap: {{slots: 4}}, dear: {{slots: 4}}}}
clients: {{night: {{command: {command}, speaks: claude-code}}}}
gates: {{tests: {{run: [{python}, -m, unittest, discover, -q, -s, tests, -t, .], timeout: 2m}}}}
budget: {{item_usd: 3, day_usd: 25}}
"""
# How many of each kind, and whether the person is needed for it in the morning.
NIGHT = {
    "honest": 12, "limited": 2, "unserved": 2, "sloppy": 4, "silent": 2, "idle": 2, "weak": 3, "wrong": 2,
    "crashing": 2, "hanging": 1, "straying": 1, "reviewed": 2, "asking": 2, "hopeless": 2, "dear": 1,
}  # fmt: skip
SHORT = {
    "honest": 1,
    "limited": 1,
    "unserved": 1,
    "sloppy": 1,
    "weak": 1,
    "asking": 1,
}
FOR_A_PERSON = {"asking", "hopeless", "dear"}


class Night:
    def __init__(self, folder: Path, kinds: dict[str, int]) -> None:
        self.folder = folder
        (folder / "src").mkdir(parents=True)
        (folder / "tests").mkdir()
        for name in ("README.md", "src/__init__.py", "tests/__init__.py"):
            (folder / name).write_text("# a project\n", "utf-8")
        (folder / "tests" / "test_all.py").write_text(
            "import unittest\n\n\nclass All(unittest.TestCase):\n    def test_it(self):\n        pass\n", "utf-8"
        )
        git(folder, "init", "-q", "-b", "main", ".")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
        self.moot("init", "--no-gate")
        flow = FLOW.format(command=[sys.executable, str(CLIENT)], python=sys.executable)
        (folder / ".moot" / "flow.yaml").write_text(flow, "utf-8")
        self.moot("apply")
        self.kinds: dict[str, str] = {}
        for number, kind in enumerate(kind for kind, many in kinds.items() for _ in range(many)):
            own = ["--files", f"src/m{number:02}.py", "--files", f"tests/test_m{number:02}.py"]
            self.kinds[self.moot("add", f"{kind} module {number:02}", *own)["id"]] = kind

    def moot(self, *words: str, codes: tuple[int, ...] = (0,)) -> Json:
        ran = self.run(*words, "--json")
        assert ran.returncode in codes, ran.stdout + ran.stderr
        return json.loads(ran.stdout) if ran.stdout else {}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        ran = forked.run(words, cwd=self.folder, env={**os.environ, "COLUMNS": "110"}, timeout=3_600)
        return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def show(self) -> dict[str, Json]:
        return {item: self.moot("show", item) for item in self.kinds}


def spent(items: dict[str, Json]) -> float:
    return sum(run["cost_usd"] or 0 for item in items.values() for run in item["runs"])


def in_the_morning(folder: Path, kinds: dict[str, int]) -> None:
    night = Night(folder, kinds)
    ran = night.run("run", "--until-idle")
    assert ran.returncode in (0, 3), ran.stdout + ran.stderr
    items = night.show()
    asked = Counter(question["task_id"] for question in night.moot("inbox", codes=(0, 3)).get("questions", []))
    for item, kind in night.kinds.items():
        told = f"#{item} {kind}: {items[item]['status']}, {items[item]['why']}\n{ran.stdout}"
        if kind in FOR_A_PERSON:
            assert asked[item] == 1, f"a person should be asked: {told}"
        else:
            assert items[item]["status"] == "done", told
            assert not asked[item], f"nobody should be asked: {told}"
        assert items[item]["why"], told
        assert len(items[item]["runs"]) <= 12, f"it was tried too often: {told}"
    number = {item: int(items[item]["title"].split()[-1]) for item in night.kinds}
    landed = [number[item] for item, kind in night.kinds.items() if kind not in FOR_A_PERSON]
    for n in landed:
        assert f"return {n}\n" in git(folder, "show", f"main:src/m{n:02}.py") + "\n"
    assert "mine now" not in git(folder, "show", "main:README.md")
    assert spent(items) <= 25
    # It was a night with trouble: a quota was used up, and a provider was out of order. Nobody was asked about either.
    paused = {event["context"].get("cause") for event in night.moot("log")["events"] if event["event"] == "pool_paused"}
    assert paused >= {"quota", "outage"}, paused
    tests = [sys.executable, "-m", "unittest", "discover", "-q", "-s", "tests", "-t", "."]
    assert subprocess.run(tests, cwd=folder, capture_output=True, check=False).returncode == 0
    assert night.moot("doctor")["ok"]
    # The last words say what came of it, in the terms of whoever reads them at breakfast.
    last = ran.stdout[ran.stdout.rindex("of gates and landings in ") :]
    assert f"{len(landed)} landed" in last, ran.stdout
    for item in asked:
        assert f"#{item}  {items[item]['title']}" in last and "waiting for you" in last, ran.stdout
    assert last.strip().splitlines()[-1].startswith(f"? {len(asked)} question"), ran.stdout


def test_a_short_night_ends_with_everything_landed_or_asked(tmp_path: Path) -> None:
    in_the_morning(tmp_path / "project", SHORT)


@pytest.mark.slow
def test_a_night_of_forty_items_ends_with_everything_landed_or_asked(tmp_path: Path) -> None:
    assert sum(NIGHT.values()) == 40
    in_the_morning(tmp_path / "project", NIGHT)
