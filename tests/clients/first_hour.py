"""The first hour of a user: a wheel, a client from its package, a fresh home, three commands, and a change that lands.

`python -m tests.clients.first_hour` plays it; what is to be played comes in on standard input. It is started in a
network namespace that has only loopback, with the scripted model in a thread.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.clients import netns
from tests.clients.clients import ALL, ROOT, search_path
from tests.clients.model import Model
from tests.clients.scene import pointer

PATIENCE = 280  # seconds for one command


@dataclass(kw_only=True)
class Visit:
    """Which client, where, and the folder of the installed `moot`."""

    client: str
    folder: str
    moot: str


@dataclass
class Seen:
    """What came of it."""

    said: list[str] = field(default_factory=list)  # by each command, with its exit code
    seconds: float = 0.0
    flow: str = ""  # as `moot init` wrote it
    item: dict[str, Any] = field(default_factory=dict)
    landed: dict[str, str] = field(default_factory=dict)
    ready: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> list[dict[str, Any]]:
        return [run for run in self.item["runs"] if not run.get("gate") and run["agent"] != "landing"]

    def __str__(self) -> str:
        return "\n".join([*self.said, json.dumps(self.item, indent=1)[-3000:]])


def play(visit: Visit) -> Seen:
    words = netns.command([sys.executable, "-m", "tests.clients.first_hour"])
    told = json.dumps(asdict(visit))
    done = subprocess.run(words, input=told, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"it ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return Seen(**json.loads(done.stdout))


def perform(visit: Visit) -> Seen:
    seen = Seen()
    project, home = Path(visit.folder, "project"), Path(visit.folder, "home")
    for folder in (project, home):
        folder.mkdir(parents=True)
    with Model() as model:
        to = pointer(visit.client, model.address, "work")
        for name, text in to.files.items():  # what the client itself wrote when its user set it up
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, "utf-8")
        env = {
            **to.set,
            "PATH": os.pathsep.join([visit.moot, str(ALL[visit.client].bin), search_path()]),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "USER": "alice",
        }

        def say(*words: str, stdin: str = "") -> str:
            done = subprocess.run(
                words, cwd=project, env=env, input=stdin, capture_output=True, text=True, check=False, timeout=PATIENCE
            )
            seen.said.append(f"$ {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        (project / "Makefile").write_text("test:\n\t@test ! -e hello.txt || grep -q hello hello.txt\n", "utf-8")
        who = ("-c", "user.name=Alice", "-c", "user.email=alice@example.com")
        say("git", "init", "--quiet", "--initial-branch=main")
        say("git", "add", ".")
        say("git", *who, "commit", "--quiet", "--message=Begin")
        began = time.monotonic()
        say("moot", "init")
        say("moot", "add", "Say hello", "--body", "WRITE hello.txt: hello from the board")
        say("moot", "run", "--until-idle")
        seen.seconds = time.monotonic() - began
        seen.flow = (project / ".moot" / "flow.yaml").read_text("utf-8")
        seen.item = json.loads(say("moot", "show", "1", "--json"))
        seen.ready = json.loads(say("moot", "ready", "--json"))
        for path in say("git", "ls-tree", "-r", "--name-only", "main").splitlines():
            seen.landed[path] = say("git", "show", f"main:{path}")
    return seen


if __name__ == "__main__":
    json.dump(asdict(perform(Visit(**json.load(sys.stdin)))), sys.stdout)
