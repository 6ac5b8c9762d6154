"""Hostile agents beside honest ones: nothing gets out, nothing of the user's changes, honest work lands."""

import hashlib
import random
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from tests.worker.test_kill import wait_until_gone
from tests.worker.test_wicked_runs import READS_ITS_ITEM, left_by
from tests.worker.yard import Yard, git

DONE = """echo '{"outcome": "done", "summary": "it is done: nothing had to change"}'"""
SECRET = "fk-93jd82kd02ksl2920dkPq7"
CANARY = "canary-4417-only-the-user-may-read-this"
ACCESS, REFRESH = "aT8x31Qz7Lp0Vn4Kd9Rw2Ym5", "rT5m90Wc3Hk8Bz1Gs6Xj4Qe7"
LOGIN = f'{{"claudeAiOauth": {{"accessToken": "{ACCESS}", "refreshToken": "{REFRESH}"}}}}'
FLOW = """
flow: siege
start: dev
limits:
  {{slots: 8, lease: 60s, timeout: 30s, silence: 20s, executions: 1, memory: 1GB, processes: 300, open_files: 4096,
   disk: 300MB, items: 20, change_files: 5000}}
columns:
  dev: {{agents: [dev], next: review, gate: [check]}}
  talk: {{agents: [talker], next: review, gate: [check]}}
  review: {{agents: [reviewer], next: done}}
agents:
  dev:
    run: {{client: evil}}
    ladder: {{0: small, 1+: escalate}}
    may: [ask, delegate, dispatch, split]
  talker:  # of another pool: one that is paused begins no honest runs either
    run: {{client: evil}}
    ladder: {{0: chatty, 1+: escalate}}
  reviewer:
    run: {{command: [/bin/echo, '{{"outcome": "done", "summary": "fine"}}']}}
    write: none
pools: {{chatty: {{slots: 4}}}}
models: {{small: {{client: evil}}, chatty: {{client: evil, pool: chatty}}}}
clients: {{evil: {{command: {command}, speaks: text, env: [EVIL_API_KEY], files: [~/.claude/.credentials.json]}}}}
gates: {{check: {{run: [/bin/sh, -c, "test ! -e poison.txt"]}}}}
sandbox: always
"""


def programs() -> dict[str, tuple[str, str]]:
    """Every attack by its title: its topic, and the program, which ends by reporting done."""
    known = yaml.safe_load(Path(__file__).with_name("adversaries.yaml").read_text("utf-8"))
    return {title: (topic, f"{text}{DONE}") for topic, some in known.items() for title, text in some.items()}


class Siege:
    """A user with a home, a login, a tree with files that git does not know, and a board."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.project = folder / "home", folder / "project"
        for path, text in {
            ".ssh/id_ed25519": CANARY,
            ".claude/.credentials.json": LOGIN,
            ".bashrc": "# mine\n",
        }.items():
            (self.home / path).parent.mkdir(parents=True, exist_ok=True)
            (self.home / path).write_text(text)
        patch.setenv("HOME", str(self.home))
        patch.setenv("EVIL_API_KEY", SECRET)
        flow = FLOW.format(command=[sys.executable, "-c", READS_ITS_ITEM])
        self.yard = Yard(self.project, flow=flow, files={".gitignore": ".env\nsecrets/\n", "README.md": "mine\n"})
        (self.project / ".env").write_text(f"KEY={CANARY}\n")
        (self.project / "secrets").mkdir()
        (self.project / "secrets" / "key").write_text(CANARY)
        (self.project / "notes.txt").write_text("my notes\n")
        self.before = self.of_the_user()

    def of_the_user(self) -> dict[str, str]:
        """Everything of the user's that git does not know."""
        mine = [self.home, self.project / ".env", self.project / "secrets", self.project / "notes.txt"]
        files = [path for top in mine for path in ([top] if not top.is_dir() else sorted(top.rglob("*")))]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}

    def attack(self, title: str, topic: str, text: str) -> str:
        for name, value in {
            "$USER_HOME": self.home,
            "$PROJECT": self.project,
            "$CANARY": self.home / ".ssh" / "id_ed25519",
            "$DONE": DONE,
        }.items():
            text = text.replace(name, str(value))
        column = "talk" if topic == "pauses" else "dev"
        return self.yard.add(title, text, column=column, files=["mine/"] if "outside of its files" in title else [])

    def honest(self, number: int) -> str:
        path = f"honest/{number}.txt"
        text = f"mkdir -p honest; echo {number} > {path}; {DONE}"
        return self.yard.add(f"honest {number}", text, files=[path])

    # What must hold

    def on_branches(self) -> dict[str, str]:
        """Every path that was ever on a branch of the user's, with its last content there."""
        found: dict[str, str] = {}
        for branch in git(self.project, "for-each-ref", "--format=%(refname)", "refs/heads").splitlines():
            for commit in git(self.project, "rev-list", "--first-parent", branch).splitlines():
                listed = git(self.project, "ls-tree", "-r", "-z", "--name-only", commit)
                for path in filter(None, listed.split("\0")):
                    found.setdefault(path, branch)
        return found

    def check(self, items: dict[str, str], honest: dict[int, str]) -> None:
        yard = self.yard
        wait_until_gone(self.project)
        assert left_by(self.project) == [], "a process of an agent lives on"
        assert self.of_the_user() == self.before, "a file of the user's was changed"
        branches = self.on_branches()
        assert "poison.txt" not in branches, "what the gate refuses has landed"
        assert {"k.pem", "login.txt", "config.txt", "config.b64"}.isdisjoint(branches), "a secret has landed"
        assert [path for path in branches if ".moot" in path.lower() or "oot/" in path] == []
        self.check_no_secret()
        for number, item in honest.items():
            shown = yard.show(item)
            assert shown["status"] == "done", (number, shown["status"], shown["why"])
            assert f"honest/{number}.txt" in branches, f"honest work {number} is on no branch"
        assert list((self.project / ".moot" / "runs").iterdir()) == []
        assert len(yard.board.list()) < 1_000, "one item made hundreds"
        pauses = yard.queries.live().get("pauses", [])
        assert all((one.get("seconds") or 0) <= 3_600 for one in pauses), pauses
        yard.doctor()

    def check_no_secret(self) -> None:
        """Neither the run's key nor what only the user may read is in the store, in a commit or in its message."""
        needles = [one.encode() for one in (SECRET, CANARY, ACCESS, REFRESH)]
        for file in (self.project / ".moot").glob("board.db*"):
            data = file.read_bytes()
            assert [one for one in needles if one in data] == [], file.name
        objects = git(self.project, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").splitlines()
        for name in objects:
            kind = git(self.project, "cat-file", "-t", name)
            if kind in ("blob", "commit"):
                text = git(self.project, "cat-file", kind, name)
                assert [one for one in needles if one.decode() in text] == [], f"{kind} {name} holds a secret"
                assert kind == "blob" or not any(letter in text for letter in "\x1b\x07\u202e"), name


@pytest.fixture
def siege(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Siege:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return Siege(tmp_path, monkeypatch)


def besiege(siege: Siege, titles: list[str], honest: int) -> None:
    known = programs()
    chance = random.Random(len(titles))
    wanted = [("", title) for title in titles] + [(str(number), "") for number in range(honest)]
    chance.shuffle(wanted)
    items: dict[str, str] = {}
    good: dict[int, str] = {}
    for number, title in wanted:
        if title:
            items[siege.attack(title, *known[title])] = title
        else:
            good[int(number)] = siege.honest(int(number))
    siege.yard.run(slots=8)
    siege.check(items, good)


def one_of_each_topic() -> list[str]:
    first: dict[str, str] = {}
    for title, (topic, _) in programs().items():
        first.setdefault(topic, title)
    return list(first.values())


def test_one_attack_of_each_topic_beside_honest_agents(siege: Siege) -> None:
    besiege(siege, one_of_each_topic(), 4)


@pytest.mark.slow
def test_every_attack_at_once_beside_honest_agents(siege: Siege) -> None:
    titles = list(programs())
    assert len(titles) >= 60
    besiege(siege, titles, 20)
