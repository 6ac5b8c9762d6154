"""A real client that a person started, with the tools of a board and a scripted model, and nothing else in reach.

Like `tests.clients.scene`, but nobody runs `moot run`: by the entry that `moot mcp --config` has written the client
starts `moot mcp`, or speaks to a `moot serve`; and a person answers the one question.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from folkmoot.doors.mcp.entries.known import TOKEN
from tests.clients import netns
from tests.clients.clients import ROOT
from tests.clients.model import Model
from tests.clients.scene import Board, Play, Pointer, pointer
from tests.clients.tools import script

MOOT = [sys.executable, "-m", "folkmoot"]
PROMPT = "Take the next item of the board and do it."
# How each is started without a person at the keyboard.
COMMANDS = {
    "goose": ["goose", "run", "--no-session", "-q", "--with-builtin", "developer", "-t", PROMPT],
    "codex": ["codex", "exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", PROMPT],
    "opencode": ["opencode", "run", "--format", "json", "--auto", "-m", "scripted/scripted", PROMPT],
    "claude-code": ["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose", "--model", "haiku"],
    "copilot": ["copilot", "-p", PROMPT, "--allow-all-tools", "--no-color"],
    "gemini": ["gemini", "-o", "stream-json", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", PROMPT],
}
# What `moot mcp --config` calls them, where that is another name.
CALLED = {"claude-code": "claude"}
SET = {
    # It hides tools behind a search, which the scripted model does not make.
    "claude-code": {"ENABLE_TOOL_SEARCH": "false", "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1"},
    "goose": {"GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false"},
    "opencode": {"OPENCODE_DISABLE_AUTOUPDATE": "1"},
    "gemini": {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
}


@dataclass
class Wanted:
    client: str
    folder: str
    http: bool = False  # else the client starts `moot mcp` itself
    patience: float = 240.0


@dataclass
class Seen:
    code: int | None = None
    out: str = ""
    err: str = ""
    item: dict[str, Any] = field(default_factory=dict)
    landed: dict[str, str] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.code}", self.out[-3000:], self.err[-3000:], *self.called, json.dumps(self.item)[:3000]]
        )


def play(wanted: Wanted) -> Seen:
    words = [sys.executable, "-m", "tests.clients.tools.scene"]
    done = subprocess.run(
        netns.command(words), input=json.dumps(asdict(wanted)), capture_output=True, text=True, cwd=ROOT, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the scene ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return Seen(**json.loads(done.stdout))


def trusting(client: str, root: Path, to: Pointer) -> None:
    """What a person has said to the client before: that this folder is theirs, and how they sign in."""
    if client == "codex":
        to.files[".codex/config.toml"] += f'\n[projects."{root}"]\ntrust_level = "trusted"\n'
    if client == "claude-code":
        allowed = {"enableAllProjectMcpServers": True, "permissions": {"defaultMode": "bypassPermissions"}}
        to.files[".claude/settings.json"] = json.dumps({**allowed, "skipDangerousModePermissionPrompt": True})
        to.files[".claude.json"] = json.dumps({"hasCompletedOnboarding": True, "bypassPermissionsModeAccepted": True})
    if client == "gemini":
        to.files[".gemini/settings.json"] = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'


@contextmanager
def server(board: Board) -> Iterator[dict[str, str]]:
    """`moot serve`: where it is, and the owner's token."""
    words = [*MOOT, "serve", "--port", "0", "--json"]
    with subprocess.Popen(words, cwd=board.root, env=board.env, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        told = ""
        while not told.endswith("}\n"):
            told += running.stdout.readline()
        start = json.loads(told)
        try:
            yield {"url": start["mcp"], "token": Path(start["token_file"]).read_text("utf-8").strip()}
        finally:
            running.terminate()


def perform(wanted: Wanted) -> Seen:
    seen, folder = Seen(), Path(wanted.folder)
    with Model() as model, ExitStack() as stack:
        to = pointer(wanted.client, model.address, "tools")
        trusting(wanted.client, folder / "project", to)
        board = Board(Play(client=wanted.client, door="", scenario="tools", folder=wanted.folder), to)
        served = stack.enter_context(server(board)) if wanted.http else {}
        words = [
            *MOOT,
            "mcp",
            "--config",
            CALLED.get(wanted.client, wanted.client),
            "--write",
            *(["--url", served["url"]] if served else []),
        ]
        subprocess.run(words, cwd=board.root, env=board.env, check=True, capture_output=True)
        env = {**board.env, **to.set, **SET.get(wanted.client, {}), **({TOKEN: served["token"]} if served else {})}
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            running = subprocess.Popen(
                COMMANDS[wanted.client],
                cwd=board.root,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            end = time.monotonic() + wanted.patience
            try:
                while running.poll() is None and time.monotonic() < end:
                    for asked in board.moot("board")["questions"]:
                        board.moot("answer", asked["id"], script.ANSWER)
                    time.sleep(0.2)
                seen.code = running.poll()
            finally:
                if running.poll() is None:
                    os.killpg(running.pid, signal.SIGKILL)
                    running.wait()
        seen.out = (folder / "out").read_text("utf-8", "replace")
        seen.err = (folder / "err").read_text("utf-8", "replace")
        seen.item = board.moot("show", "1")
        for path in board.git("ls-tree", "-r", "--name-only", "main").splitlines():
            seen.landed[path] = board.git("show", f"main:{path}")
        seen.called = [f"{one.said[:300]} {one.arguments} of {one.tools}" for one in model.requests]
    return seen


if __name__ == "__main__":
    json.dump(asdict(perform(Wanted(**json.load(sys.stdin)))), sys.stdout)
