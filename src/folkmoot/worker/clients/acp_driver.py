"""Drives one turn of an agent that speaks the Agent Client Protocol, and tells it as JSON lines.

    python -m folkmoot.worker.clients.acp_driver --cwd DIR --prompt-file FILE [--model ID] … -- COMMAND…

The exit code is 0 only if the turn ended by the agent's own word. SIGTERM cancels the turn.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from typing import Any, cast

import msgspec
from acp import PROTOCOL_VERSION, Client, RequestError, connect_to_agent, text_block
from acp.schema import ClientCapabilities, Implementation, NewSessionResponse, PromptResponse
from msgspec import Struct, field

from folkmoot.worker.clients.acp_session import ClientCallbacks, Say

LINE_MAX = 16 * 1024 * 1024
CANCEL_WAIT = 2.0  # seconds for an agent to acknowledge that its turn is cancelled
GONE_WAIT = 0.3  # seconds to learn the exit code of an agent that broke off
CLOSE_WAIT = 1.0  # seconds to leave after its input was closed, and again after SIGTERM
_ASK = (
    "\n\nSome acts need a person's word here, and are refused to you. If one is refused and you cannot go on without "
    "it, do not look for a way around: end with a report whose outcome is `asks`, with the question to the person."
)


class Spec(Struct, frozen=True, kw_only=True):
    """What is to be driven."""

    argv: list[str]
    cwd: str
    prompt_file: str
    model: str | None = None
    permissions: str = "allow"  # allow, deny, ask
    auth: str | None = None
    modes: list[str] = field(default_factory=list)
    must_ask: bool = False  # it is to work in one of these modes or not at all


class Failed(Exception):
    """The turn could not be had; the words are for a person."""


def print_line(happening: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(happening) + b"\n")
    sys.stdout.buffer.flush()


class PromptTurn:
    """One session with one prompt."""

    def __init__(self, spec: Spec, callbacks: ClientCallbacks, connection: Any) -> None:
        self.spec = spec
        self.callbacks = callbacks
        self.connection = connection
        self.session: str | None = None

    async def take(self) -> PromptResponse:
        prompt = _read(self.spec.prompt_file) + (_ASK if self.spec.permissions == "ask" else "")
        await self._greet()
        opened = await self.connection.new_session(cwd=self.spec.cwd, mcp_servers=[])
        self.session = opened.session_id
        await self._choose_model(opened)
        await self._choose_mode(opened)
        self.callbacks.prompted = True
        response = await self._prompt(opened.session_id, prompt)
        # What a person says meanwhile is for its next turn; a turn that failed has none.
        while response.stop_reason == "end_turn" and (said := await self.callbacks.said_by_people()):
            response = await self._prompt(opened.session_id, said)
        return response

    async def _prompt(self, session: str, words: str) -> PromptResponse:
        response: PromptResponse = await self.connection.prompt(session_id=session, prompt=[text_block(words)])
        return response

    async def _greet(self) -> None:
        # No file access is offered: an agent does it itself, within its sandbox. It is served where asked for anyway.
        hello = await self.connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(),
            client_info=Implementation(name="folkmoot", title="Folkmoot", version="1"),
        )
        offered = {method.id for method in hello.auth_methods or []}
        if self.spec.auth in offered:
            await self.connection.authenticate(method_id=self.spec.auth)

    async def _choose_model(self, opened: NewSessionResponse) -> None:
        """Another model than the one that was asked for is a failure, never a silent choice."""
        wanted = self.spec.model
        option = _option(opened, "model")
        if wanted is None or (option is not None and option.current_value == wanted):
            return
        if option is None:
            raise Failed(f"unknown model: the agent lets nobody choose one, so it cannot be {wanted}")
        try:
            await self.connection.set_config_option(config_id=option.id, session_id=opened.session_id, value=wanted)
        except RequestError as error:
            some = ", ".join(_values(option)[:10])
            raise Failed(f"unknown model {wanted}: {_told(error)}; the agent offers {some}") from error

    async def _choose_mode(self, opened: NewSessionResponse) -> None:
        """The first of the wanted modes that the agent has; in its own mode it may not edit files, or ask for each, or
        for none. An agent that has no modes at all is in the only one there is."""
        offered: dict[str, str] = {}
        if opened.modes is not None:
            offered = {_short(mode.id): mode.id for mode in opened.modes.available_modes}
            for mode in self.spec.modes:
                if mode in offered:
                    if offered[mode] != opened.modes.current_mode_id:
                        await self.connection.set_session_mode(session_id=opened.session_id, mode_id=offered[mode])
                    return
        option = _option(opened, "mode")
        if option is not None:
            for mode in self.spec.modes:
                if mode in _values(option):
                    await self.connection.set_config_option(
                        config_id=option.id, session_id=opened.session_id, value=mode
                    )
                    return
        names = list(offered) or (_values(option) if option is not None else [])
        if self.spec.must_ask and names:
            wanted, offers = " or ".join(self.spec.modes), ", ".join(names[:10])
            words = "cannot hold: the agent has no mode in which it asks before an act"
            raise Failed(f"permissions: {self.spec.permissions} {words} ({wanted}); it offers {offers}")


def _short(mode: str) -> str:
    """Some agents have addresses for ids: the last part is the name."""
    return mode.replace("#", "/").rsplit("/", 1)[-1]


def _option(opened: NewSessionResponse, name: str) -> Any:
    options = [option for option in opened.config_options or [] if option.type == "select"]
    by_category = [option for option in options if getattr(option, "category", None) == name]
    return next(iter(by_category or [option for option in options if option.id == name]), None)


def _values(option: Any) -> list[str]:
    """The values to choose from, whether they stand in groups or not."""
    values = []
    for entry in option.options:
        values += [entry.value] if hasattr(entry, "value") else [inner.value for inner in entry.options]
    return values


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _told(error: BaseException) -> str:
    """An error in words, with what the agent sent along."""
    data = getattr(error, "data", None)
    if not data:
        return str(error) or type(error).__name__
    with contextlib.suppress(TypeError, ValueError):
        return f"{error}: {msgspec.json.encode(data).decode()[:4000]}"
    return str(error)


def _end(response: PromptResponse) -> dict[str, Any]:
    """The last line of a turn that the agent ended. Not every agent puts its tokens where the protocol says."""
    told: dict[str, Any] = {"type": "end", "stop": response.stop_reason}
    if response.usage is not None:
        told["usage"] = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        cached = (response.usage.cached_read_tokens or 0) + (response.usage.cached_write_tokens or 0)
        if response.usage.total_tokens >= response.usage.input_tokens + response.usage.output_tokens + cached:
            told["usage"]["input_tokens"] += cached
        if response.usage.cached_read_tokens:
            told["usage"]["cached_tokens"] = response.usage.cached_read_tokens
    else:
        quota = (response.field_meta or {}).get("quota")
        counted = quota.get("token_count") if isinstance(quota, dict) else None
        if isinstance(counted, dict):
            told["usage"] = {key: counted.get(key) for key in ("input_tokens", "output_tokens")}
    return told


async def drive(spec: Spec, say: Say, stop: asyncio.Event) -> int:
    """One turn from beginning to end, or until `stop` is set; the answer is the exit code."""
    try:
        process = await asyncio.create_subprocess_exec(
            *spec.argv, stdin=PIPE, stdout=PIPE, cwd=spec.cwd, env=dict(os.environ), limit=LINE_MAX
        )
    except OSError as error:
        say({"type": "end", "stop": "error", "error": f"no such program, or not to be run: {spec.argv[0]}: {error}"})
        return 127
    # Hands has no more than it offers: every other request of the agent is answered with "method not found".
    callbacks = ClientCallbacks(spec.cwd, spec.permissions, say)
    connection = connect_to_agent(cast(Client, callbacks), process.stdin, process.stdout)
    turn = PromptTurn(spec, callbacks, connection)
    taken = asyncio.ensure_future(turn.take())
    gone, stopped = asyncio.ensure_future(process.wait()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([taken, gone, stopped], return_when=asyncio.FIRST_COMPLETED)
        if stopped.done() and not taken.done() and turn.session is not None:
            with contextlib.suppress(ConnectionError):
                await connection.cancel(session_id=turn.session)
        if not taken.done():
            # What an agent that has gone still had to say is in the pipe.
            await asyncio.wait([taken], timeout=CANCEL_WAIT)
        elif taken.exception() is not None and not gone.done():
            # A broken connection and the end of the process come in any order.
            await asyncio.wait([gone], timeout=GONE_WAIT)
        end = _outcome(taken, process, stop.is_set())
        say(end)
        return 0 if end["stop"] not in ("error", "cancelled") else 1
    finally:
        for task in (taken, gone, stopped):
            task.cancel()
        # The package waits for the process when it closes: a deaf one would hold us for ever.
        await _leave(process)
        await connection.close()
        await asyncio.gather(taken, gone, stopped, return_exceptions=True)


def _outcome(taken: "asyncio.Future[PromptResponse]", process: Process, stopped: bool) -> dict[str, Any]:
    if not taken.done():
        if stopped:
            return {"type": "end", "stop": "cancelled"}
        return _gone(process)
    error = taken.exception()
    if error is None:
        return _end(taken.result())
    if stopped:
        return {"type": "end", "stop": "cancelled"}
    if isinstance(error, ConnectionError):
        return _gone(process)
    return {"type": "end", "stop": "error", "error": _told(error)}


def _gone(process: Process) -> dict[str, Any]:
    code = process.returncode
    how = "broke off the connection" if code is None else f"ended by itself with exit code {code}"
    return {"type": "end", "stop": "error", "error": f"the agent {how}"}


async def _leave(process: Process) -> None:
    """Closing its input is how an agent is sent home; then it is told, then it is killed."""
    if process.stdin is not None:
        process.stdin.close()
    for end in (process.terminate, process.kill):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), CLOSE_WAIT)
            return
        with contextlib.suppress(ProcessLookupError):
            end()
    await process.wait()


def read_arguments(arguments: list[str]) -> Spec:
    parser = argparse.ArgumentParser(prog="acp_driver", description="drive one turn of an ACP agent")
    parser.add_argument("--spec", help="a JSON file with all of this")
    parser.add_argument("--cwd", default=".")
    parser.add_argument("--prompt-file")
    parser.add_argument("--model")
    parser.add_argument("--permissions", choices=["allow", "deny", "ask"], default="allow")
    parser.add_argument("--auth")
    parser.add_argument("--mode", action="append", default=[])
    parser.add_argument("--must-ask", action="store_true")
    parser.add_argument("argv", nargs="*")
    given = parser.parse_args(arguments)
    if given.spec:
        return msgspec.json.decode(_read(given.spec), type=Spec)
    if not given.argv or not given.prompt_file:
        parser.error("give --spec FILE, or --prompt-file FILE and a command behind --")
    return Spec(
        argv=given.argv,
        cwd=os.path.abspath(given.cwd),
        prompt_file=given.prompt_file,
        model=given.model,
        permissions=given.permissions,
        auth=given.auth,
        modes=given.mode,
        must_ask=given.must_ask,
    )


def main() -> int:
    # What the package has to say is for standard error; its traces of broken lines would drown it.
    logging.basicConfig(level=logging.CRITICAL)
    return asyncio.run(_until_signalled(read_arguments(sys.argv[1:])))


async def _until_signalled(spec: Spec) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return await drive(spec, print_line, stop)


if __name__ == "__main__":
    sys.exit(main())
