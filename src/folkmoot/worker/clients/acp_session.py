"""What an agent may ask of our driver, and what is told of it: one JSON line for each happening."""

import asyncio
import json
import os
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from typing import Any

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
    WriteTextFileResponse,
)

from folkmoot.worker.clients.acp_permission import act_of

Say = Callable[[dict[str, Any]], None]

READ_MAX = 10_000_000
ALLOW = "allow"
PATIENCE = 1800.0  # seconds a person has to answer
HEARTBEAT = 30.0  # seconds after which it is said that the run still lives
_ALLOW = ("allow_once", "allow_always")
_REJECT = ("reject_once", "reject_always")


class ClientCallbacks:
    """Our side of the protocol: permissions by policy, files within the workspace, no terminals."""

    def __init__(self, workspace: str, permissions: str, say: Say) -> None:
        self.workspace = os.path.realpath(workspace)
        self.permissions = permissions
        self.say = say
        self.prompted = False  # what an agent says before it was asked anything is no answer

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **kwargs: Any
    ) -> RequestPermissionResponse:
        """Chosen by kind, never by id: each agent has ids of its own."""
        title, act = act_of(tool_call)
        allowed = self.permissions == "allow" or (self.permissions == "ask" and await self._person_allows(title, act))
        told = {"type": "permission", "title": title, "kind": tool_call.kind, "policy": self.permissions, "act": act}
        for kind in _ALLOW if allowed else _REJECT:
            for option in options:
                if option.kind == kind:
                    self.say({**told, "outcome": "allowed" if allowed else "denied"})
                    return RequestPermissionResponse(
                        outcome=AllowedOutcome(outcome="selected", option_id=option.option_id)
                    )
        self.say({**told, "outcome": "denied"})
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def _person_allows(self, title: str, act: str) -> bool:
        """Put it to a person by the run's own board, and wait; whoever gets no answer may not."""
        words = f"May the agent do this: {title}?"
        command = ["moot", "ask", words, "--option", ALLOW, "--option", "deny", "--wait", f"{PATIENCE:.0f}s", "--json"]
        command += [f"--context={act}"] if act else []
        try:
            asking = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        except OSError as error:
            self.say({"type": "permission", "title": title, "outcome": f"nobody can be asked: {error}"})
            return False
        waiting = asyncio.ensure_future(asking.communicate())
        while not (await asyncio.wait([waiting], timeout=HEARTBEAT))[0]:
            self.say({"type": "permission", "title": title, "outcome": "waiting for a person"})
        out, _ = await waiting
        try:
            answer = json.loads(out)["answer"] if asking.returncode == 0 else ""
        except (ValueError, KeyError):
            answer = ""
        return str(answer).strip().lower() in (ALLOW, "1", "yes")

    async def said_by_people(self) -> str:
        """What people have said to this run since it was last told, as its next prompt; empty where nobody has."""
        if "MOOT_SOCKET" not in os.environ:
            return ""  # there is no board
        try:
            asking = await asyncio.create_subprocess_exec(
                "moot", "hear", "--json", stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
            )
        except OSError:
            return ""  # it is in the next brief
        out, _ = await asking.communicate()
        try:
            said = json.loads(out)["sentences"] if asking.returncode == 0 else []
        except (ValueError, KeyError):
            said = []
        if not said:
            return ""
        self.say({"type": "said", "sentences": len(said)})
        return follow_up(said)

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)) if self.prompted:
                self.say({"type": "text", "id": getattr(update, "message_id", None) or "", "text": text})
            case ToolCallStart():
                self.say({"type": "tool", "title": update.title, "kind": update.kind, "status": update.status})
            case ToolCallProgress(status="completed" | "failed"):
                self.say({"type": "tool", "title": update.title, "kind": update.kind, "status": update.status})
            case UsageUpdate():
                self.say({"type": "usage", "used": update.used, **paid(update)})

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **kwargs: Any
    ) -> ReadTextFileResponse:
        try:
            fd = os.open(self._inside(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, encoding="utf-8", errors="replace", newline="") as file:
                text = file.read(READ_MAX)
        except OSError as error:
            raise RequestError.resource_not_found(f"{path}: {error.strerror}") from error
        if line is not None or limit is not None:
            first = max((line or 1) - 1, 0)
            lines = text.splitlines(keepends=True)
            text = "".join(lines[first : None if limit is None else first + limit])
        return ReadTextFileResponse(content=text)

    async def write_text_file(
        self, session_id: str, path: str, content: str, **kwargs: Any
    ) -> WriteTextFileResponse | None:
        try:
            target = self._inside(path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(target, flags, 0o666), "w", encoding="utf-8", newline="") as file:
                file.write(content)
        except OSError as error:
            raise RequestError.internal_error({"details": f"{path}: {error.strerror}"}) from error
        return None

    async def create_terminal(self, session_id: str, command: str, **kwargs: Any) -> None:
        # Left out, the package would answer it with nothing, as if it had been done.
        raise RequestError.method_not_found("terminal/create")

    def _inside(self, path: str) -> str:
        """The real path, if it lies within the workspace."""
        real = os.path.realpath(os.path.join(self.workspace, path))
        if "\0" in path or os.path.commonpath([real, self.workspace]) != self.workspace:
            raise RequestError.invalid_params({"details": f"{path} is outside the workspace"})
        return real


def follow_up(said: list[dict[str, Any]]) -> str:
    words = ["A person has said this to you while you worked:", ""]
    for one in said:
        words += [f"{one['by']}: {one['text']}", ""]
    return "\n".join(
        [*words, "Go on with your item accordingly. Then report again, in the same form: the last counts."]
    )


def paid(update: UsageUpdate) -> dict[str, float]:
    """What the session has cost, where the agent says it in dollars."""
    if update.cost is None or update.cost.currency.upper() != "USD":
        return {}
    return {"cost_usd": update.cost.amount}
