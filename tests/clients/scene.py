"""One real client at work on a board, with a scripted model and nothing else in reach.

A test says what is to be played (`Play`) and gets what came of it (`Seen`). `play` starts this module again in a
network namespace that has only loopback; in there the model runs in a thread, the board is in a fresh repository, and
`moot run` is a process of its own.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.acceptance.moot import new_board
from tests.clients import netns
from tests.clients.clients import ALL, ROOT, search_path
from tests.clients.model import Model

Json = dict[str, Any]
KEY = "test-key"  # every client wants one; the model takes any


@dataclass(kw_only=True)
class Play:
    """What is to be played."""

    client: str
    door: str  # headless or acp
    scenario: str
    folder: str
    orders: dict[str, str] = field(default_factory=dict)  # files that the item asks for, with their line of content
    limits: Json = field(default_factory=dict)  # of the flow
    permissions: str = "allow"
    until: str = "idle"  # or "run": the first run has ended, whatever is done about it afterwards
    patience: float = 120.0  # seconds until it is stopped: only a net, nothing is measured by it


@dataclass
class Seen:
    """What came of it."""

    code: int | None = None  # of moot run; None if it had to be killed
    out: str = ""
    err: str = ""
    item: Json = field(default_factory=dict)  # moot show
    events: list[Json] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)  # that reached the model
    commits: list[str] = field(default_factory=list)  # subjects on the target branch, newest first
    landed: dict[str, str] = field(default_factory=dict)  # files on the target branch
    stopped: bool = False  # patience ran out

    @property
    def runs(self) -> list[Json]:
        return [run for run in self.item.get("runs", []) if not run.get("gate")]

    @property
    def asked(self) -> bool:
        """Whether the client asked the model to work; a client also asks for titles, without tools."""
        return any(request["tools"] for request in self.requests)

    def __str__(self) -> str:
        told = [f"moot run ended with {self.code}", self.out[-2000:], self.err[-2000:]]
        told += [json.dumps(run) for run in self.runs]
        told += [f"{r['api']} {r['path']}: {r['said'][:60]!r} {r['arguments']}" for r in self.requests]
        return "\n".join(told)


def play(wanted: Play) -> Seen:
    """Play it in a namespace of its own, and say what was seen."""
    words = [sys.executable, "-m", "tests.clients.scene"]
    done = subprocess.run(
        netns.command(words), input=json.dumps(asdict(wanted)), capture_output=True, text=True, cwd=ROOT, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the scene ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return Seen(**json.loads(done.stdout))


# ---------------------------------------------------------------- how a client finds the scripted model


@dataclass
class Pointer:
    """What a client's entry in the flow and the home of its user say, so that it speaks to the scripted model."""

    model: str
    set: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # below the home, with their text


def pointer(client: str, address: str, scenario: str) -> Pointer:
    base = f"{address}/{scenario}"
    if client == "goose":
        place = {"OPENAI_HOST": address, "OPENAI_BASE_PATH": f"{scenario}/v1/chat/completions"}
        chosen = {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "scripted", "OPENAI_API_KEY": KEY}
        return Pointer("scripted", chosen | place)
    if client == "gemini":
        return Pointer("gemini-2.5-flash", {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": base})
    if client == "opencode":
        config = json.dumps(opencode_config(base))
        return Pointer("scripted/scripted", {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_CONFIG_CONTENT": config})
    if client == "codex":
        return Pointer("scripted", {"SCRIPTED_KEY": KEY}, {".codex/config.toml": CODEX_CONFIG.format(base=base)})
    if client == "claude-code":
        return Pointer("haiku", {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": base})
    if client == "qwen":
        return Pointer("scripted", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{base}/v1", "OPENAI_MODEL": "scripted"})
    if client == "copilot":
        provider = {"BASE_URL": f"{base}/v1", "TYPE": "openai", "API_KEY": KEY}
        chosen = {"COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}
        return Pointer("scripted", {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()} | chosen)
    if client == "aider":
        return Pointer("gpt-4o", {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{base}/v1"})
    raise ValueError(f"nobody has told how {client} is pointed to a model")


def opencode_config(base: str) -> Json:
    model = {"tool_call": True, "cost": {"input": 1, "output": 2}}
    options = {"baseURL": f"{base}/v1", "apiKey": KEY}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
    named = "scripted/scripted"
    return {"provider": {"scripted": provider}, "model": named, "small_model": named, "permission": "allow"}


CODEX_CONFIG = """\
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{base}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


def flow(wanted: Play, to: Pointer) -> str:
    """The flow of the play: one column, one agent, one client."""
    client: Json = {"set": to.set, "permissions": wanted.permissions}
    if to.files:
        client["files"] = [f"~/{name}" for name in to.files]
    run: Json = {"acp": [wanted.client]} if wanted.door == "acp" else {"client": wanted.client}
    return yaml.safe_dump(
        {
            "flow": "one-client",
            "start": "build",
            "limits": {"slots": 1, "executions": 1, **wanted.limits},
            "columns": {"build": {"agents": ["builder"], "next": "done"}},
            "agents": {"builder": {"write": "any", "ladder": {"0+": "scripted"}, "run": run}},
            "models": {"scripted": {"client": wanted.client, "id": to.model, "pool": "scripted"}},
            "pools": {"scripted": {"slots": 1}},
            "clients": {wanted.client: client},
        },
        sort_keys=False,
    )


# ---------------------------------------------------------------- inside the namespace


class Board:
    """A fresh repository with a board, and the environment of the person at it."""

    def __init__(self, wanted: Play, to: Pointer) -> None:
        self.root = Path(wanted.folder, "project")
        self.home = Path(wanted.folder, "home")
        for folder in (self.root, self.home):
            folder.mkdir(parents=True)
        self.env = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), str(ALL[wanted.client].bin), search_path()]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "USER": "alice",
        }
        for name, text in to.files.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(text, "utf-8")
        self.begin(wanted, to)

    def begin(self, wanted: Play, to: Pointer) -> None:
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Alice")
        self.git("config", "user.email", "alice@example.com")
        (self.root / "README.md").write_text("# A project\n", "utf-8")
        self.git("add", "README.md")
        self.git("commit", "--quiet", "--message=Begin")
        self.moot = new_board(self.root, "handoff")
        (self.root / ".moot" / "flow.yaml").write_text(flow(wanted, to), "utf-8")
        self.moot("apply")
        body = "\n".join(f"WRITE {path}: {line}" for path, line in wanted.orders.items())
        self.moot("add", "A small change", "--body", "-", stdin=body + "\n")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, cwd=self.root, env=self.env, check=True)
        return done.stdout

    def a_run_ended(self) -> bool:
        return any(run["ended_at"] for run in self.moot("show", "1")["runs"])

    def look(self, seen: Seen) -> None:
        """Fill in what can be seen afterwards."""
        seen.item = self.moot("show", "1")
        seen.events = self.moot.events()
        seen.commits = self.git("log", "--format=%s", "main").splitlines()
        for path in self.git("ls-tree", "-r", "--name-only", "main").splitlines():
            seen.landed[path] = self.git("show", f"main:{path}")


@contextmanager
def worker(board: Board, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`moot run` in a session of its own, of which nothing is left afterwards."""
    words = [sys.executable, "-m", "folkmoot", "run", "--slots", "1", "--until-idle"]
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        running = subprocess.Popen(
            words,
            cwd=board.root,
            env=board.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            yield running
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()


def stop(running: subprocess.Popen[bytes]) -> None:
    """Stop it as a person does: Ctrl-C once lets agents finish, twice stops now."""
    for patience in (1.0, 15.0):
        running.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.wait(patience)
            return


def perform(wanted: Play) -> Seen:
    seen = Seen()
    with Model() as model:
        board = Board(wanted, pointer(wanted.client, model.address, wanted.scenario))
        folder = Path(wanted.folder)
        with worker(board, folder) as running:
            end = time.monotonic() + wanted.patience
            while running.poll() is None:
                over = wanted.until == "run" and board.a_run_ended()
                seen.stopped = time.monotonic() > end
                if over or seen.stopped:
                    stop(running)
                    break
                time.sleep(0.1)
            seen.code = running.poll()
        seen.out = (folder / "out").read_text("utf-8", "replace")
        seen.err = (folder / "err").read_text("utf-8", "replace")
        board.look(seen)
        seen.requests = [asdict(request) for request in model.requests]
    return seen


if __name__ == "__main__":
    json.dump(asdict(perform(Play(**json.load(sys.stdin)))), sys.stdout)
