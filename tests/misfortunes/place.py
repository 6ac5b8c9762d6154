"""A fresh repository with a board and a person at it, and what is seen there when something has gone wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests import forked
from tests.acceptance.moot import SOURCE, new_board
from tests.doors.terminal import COLOURS, Terminal

Json = dict[str, Any]
AGENT = [sys.executable, str(Path(__file__).with_name("agent.py"))]
PATIENCE = 60.0  # seconds until `moot run` is stopped: only a net, nothing is measured by it
LOOK = 0.25  # seconds between two looks
# What `moot run` says at its end of what stands in the way, and what to do about it.
END = re.compile(r"^(?:moot: )?(\S[^\n]*(?:\n  (?!next: )[^\n]*)?)\n  (?:next: )?([^\n]+)\s*\Z", re.MULTILINE)


@dataclass
class Seen:
    """What a person is told, and what it has cost by then."""

    line: str = ""  # the one line
    step: str = ""  # what to do next
    runs: int = 0  # of agents; gates and landings are no agents
    items: int = 0  # that are on the board
    lost: list[str] = field(default_factory=list)  # items that nobody will act on, and nobody is asked about
    questions: int = 0
    doctor: bool = False
    out: str = ""  # what `moot run` printed


def flow(agent: Json, *, limits: Json | None = None, **more: Any) -> Json:
    """One column, one agent."""
    column: Json = {"agents": ["builder"], "next": "done"}
    if "gates" in more:
        column["gate"] = next(iter(more["gates"]))
    return {
        "flow": "one-agent",
        "start": "build",
        "limits": {"slots": 1, "silence": "20s", **(limits or {})},
        "columns": {"build": column},
        "agents": {"builder": {"write": "any", **agent}},
        **more,
    }


def by_command(habit: str = "good", **more: Any) -> Json:
    return flow({"run": {"command": [*AGENT, habit]}, **more.pop("agent", {})}, **more)


class Place:
    def __init__(self, folder: Path, *, path: str = "", files: dict[str, str] | None = None) -> None:
        self.root, self.home = folder / "project", folder / "home"
        for one in (self.root, self.home):
            one.mkdir(parents=True)
        programs = [str(Path(sys.executable).parent), *([path] if path else []), "/usr/local/bin", "/usr/bin", "/bin"]
        self.env = {
            "PATH": os.pathsep.join(programs),
            "HOME": str(self.home),
            "PYTHONPATH": str(SOURCE),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "USER": "alice",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Alice")
        self.git("config", "user.email", "alice@example.com")
        for name, text in {"README.md": "# A project\n", **(files or {})}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, "utf-8")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=Begin")

    def begin(self, flow: Json, items: int = 1) -> "Place":
        """The board, with its flow and so many items."""
        self.moot = new_board(self.root, "handoff")
        (self.root / ".moot" / "flow.yaml").write_text(yaml.safe_dump(flow, sort_keys=False), "utf-8")
        self.moot("apply")
        for number in range(items):
            self.moot("add", f"Say hello {number + 1}")
        self.added = items
        return self

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, cwd=self.root, env=self.env, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def program(self, name: str, script: str) -> str:
        """A program of this name; the folder in which it is found."""
        folder = self.home / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(script, "utf-8")
        (folder / name).chmod(0o755)
        self.env["PATH"] = f"{folder}{os.pathsep}{self.env['PATH']}"
        return str(folder)

    def run(
        self, until: Callable[["Place"], bool] | None = None, during: Callable[["Place"], None] | None = None
    ) -> str:
        """`moot run --until-idle` as a process, until it ends or what is waited for has happened; what it printed."""
        with self.worker() as running:
            end = time.monotonic() + PATIENCE
            while running.poll() is None and time.monotonic() < end:
                if during is not None:
                    during(self)
                if until is not None and until(self):
                    stop(running)
                    break
                time.sleep(LOOK)
        return (self.home / "out").read_text("utf-8", "replace")

    @contextmanager
    def worker(self) -> Iterator[forked.Child]:
        words = ["run", "--slots", "1", "--until-idle"]
        with (self.home / "out").open("wb") as out, open(os.devnull, "rb") as nothing:
            running = forked.start(
                words, cwd=self.root, env=self.env, stdin=nothing, stdout=out, stderr=out, start_new_session=True
            )
            try:
                yield running
            finally:
                if running.poll() is None:
                    os.killpg(running.pid, signal.SIGKILL)
                    running.wait()

    def at_terminal(self, question: str, answer: str) -> str:
        """`moot run` at a terminal, where a person answers what it asks first; what it printed."""
        words = [sys.executable, "-m", "folkmoot", "run", "--slots", "1", "--until-idle"]
        terminal = Terminal(words, columns=400, env={**self.env, "NO_COLOR": "1"}, folder=self.root)
        terminal.wait_for(question)
        terminal.type(answer)
        return COLOURS.sub("", terminal.read_to_end()).replace("\r", "")

    # What is seen

    def happened(self, *names: str) -> bool:
        return any(event["event"] in names for event in self.moot.events())

    def asked(self) -> bool:
        return bool(self.questions())

    def questions(self) -> list[Json]:
        said = self.moot.say("inbox")
        found: list[Json] = said.json["questions"] if said.code == 0 else []  # an empty one is told by its exit code
        return found

    def see(self, out: str = "", look: str = "") -> Seen:
        """`look`: the line is one of those that `moot run` begins with."""
        items = self.moot("list")["items"]
        whole = [self.moot("show", item["id"]) for item in items]
        questions = self.questions()
        seen = Seen(items=len(items), questions=len(questions), out=out)
        seen.runs = sum(1 for item in whole for run in item["runs"] if run.get("agent") == "builder")
        seen.doctor = self.moot.say("doctor").code == 0
        asked = {question["task_id"] for question in questions}
        acted = {"ready", "running", "proving", "waiting", "blocked", "done", "parked"}
        seen.lost = [item["id"] for item in items if item["status"] not in acted and item["id"] not in asked]
        seen.line, seen.step = self.looked(out, look) if look else self.told(whole, questions, out)
        return seen

    def told(self, items: list[Json], questions: list[Json], out: str) -> tuple[str, str]:
        """Where a person looks: the question, why the pool pauses, what `moot run` says at its end, why the item is
        where it is."""
        if questions:
            first = questions[0]
            return self.plain(first["question"]), self.plain(
                "answer: " + " / ".join(o["option"] for o in first["options"])
            )
        paused = [pause for pause in self.moot("board")["pauses"] if pause["why"]]
        if paused:
            return self.plain(paused[0]["why"]), "it goes on by itself"
        said = END.search(out)
        if said:
            return self.plain(said.group(1)), self.plain(said.group(2))
        return self.plain(items[0]["why"]), "nothing: it is done" if items[0]["status"] == "done" else ""

    def looked(self, out: str, look: str) -> tuple[str, str]:
        found = re.search(rf"^[✗!] {look} +(.+?)\n +→ ([^\n]+)$", out, re.MULTILINE | re.DOTALL)
        return (self.plain(found.group(1)), self.plain(found.group(2))) if found else ("", "")

    def plain(self, text: str) -> str:
        """What differs from machine to machine, and from time to time, as a word."""
        text = text.replace(str(self.root), "PROJECT").replace(str(self.home), "HOME").replace(sys.executable, "python")
        text = re.sub(r"\bSOURCE\b|" + re.escape(str(Path(__file__).parent)), "TESTS", text)
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
        text = re.sub(r"\b[0-9a-f]{40}\b|(?<=\()[0-9a-f]{8}(?=\))", "COMMIT", text)
        text = re.sub(r"\br[0-9a-f]{8,16}\b", "RUN", text)
        return " ".join(text.split())


def stop(running: forked.Child) -> None:
    """As a person does: Ctrl-C twice stops now."""
    for patience in (0.3, 15.0):
        running.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.wait(patience)
            return


def dumped(seen: Seen) -> str:
    return json.dumps(seen.__dict__)
