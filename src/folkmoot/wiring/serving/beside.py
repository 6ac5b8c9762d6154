"""What a server has beside its routes: its log, its figures, MCP; and in the background gates, landings and traces."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot import __version__
from folkmoot.api.gauges import ReadGauges
from folkmoot.api.health import CheckHealth, Health
from folkmoot.api.serving import ServeOptions
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.doors.http.app import Parts
from folkmoot.doors.http.exchange import Exchange
from folkmoot.doors.http.guard import Names
from folkmoot.doors.http.openapi import document
from folkmoot.doors.http.routes import SPECIAL
from folkmoot.doors.observe.counters import Counters
from folkmoot.doors.observe.logs import JsonLog
from folkmoot.doors.observe.prometheus import render
from folkmoot.engine import registry
from folkmoot.engine.access.tokens import bad_token, caller_of, run_token
from folkmoot.engine.application import Application
from folkmoot.errors import MootError
from folkmoot.wiring.forge.hooks import hook_of, secret_of
from folkmoot.wiring.observing.cleaning import cleaner

if TYPE_CHECKING:
    from folkmoot.doors.mcp.http import McpApp

HEALTH_SECONDS = 2.0  # how long a look at the board's health is told again: anybody may ask


class Watching:
    def __init__(self, board: Application, options: ServeOptions, token: str, tell: Callable[[str], None]) -> None:
        self._board = board
        self._clean, self._tell = cleaner(os.environ, [token]), tell
        self._log = JsonLog(sys.stderr, board.engine.clock.wall, self._clean)
        self._told = options.log_json
        calls = [
            *(call.name for call in registry.CALLS),
            *(route.special for route in SPECIAL if route.special),
            "none",
        ]
        self._counters = Counters(calls)
        self._looking = Lock()
        self._health: tuple[float, Health] | None = None

    def parts(self, names: Names, pool: Executor, slow_pool: Executor) -> Parts:
        mcp = _mcp(self._board)
        return Parts(
            names=names,
            pool=pool,
            slow_pool=slow_pool,
            counters=self._counters,
            log=self,
            metrics=self.metrics,
            is_sound=lambda: self.health().ok,
            openapi=_openapi,
            hook=hook_of(self._board.board_dir),
            hook_secret=secret_of(os.environ),
            mcp=mcp,
            mcp_life=mcp.run if mcp else None,
        )

    def metrics(self) -> str:
        gauges = self._board.asked_by(ENGINE)(ReadGauges())
        path = os.path.join(self._board.board_dir, "board.db")
        size = os.stat(path).st_size if os.path.exists(path) else 0  # on a server it is not ours to measure
        return render(gauges, self._counters.counted(), store_bytes=size, health=self.health())

    def health(self) -> Health:
        """As it was a moment ago, at most: whoever asks often costs no more than who asks seldom."""
        with self._looking:
            if self._health is None or time.monotonic() > self._health[0] + HEALTH_SECONDS:
                self._health = (time.monotonic(), self._board.asked_by(ENGINE)(CheckHealth()))
            return self._health[1]

    # The log of the server

    def request(self, exchange: Exchange, seconds: float) -> None:
        if self._told:
            self._log.event(
                "request", call=exchange.call, status=exchange.status, seconds=seconds, caller=exchange.caller or None
            )

    def failed(self, exchange: Exchange, error: Exception) -> None:
        if self._told:
            self._log.fault("failed", error, call=exchange.call, caller=exchange.caller or None)
        else:
            import traceback

            self._tell(self._clean("".join(traceback.format_exception(error))))


@cache
def _openapi() -> bytes:
    return msgspec.json.encode(document(registry.CALLS, __version__))


def _mcp(board: Application) -> "McpApp | None":
    """None where the extra is not installed."""
    try:
        from folkmoot.doors.mcp.http import mcp_app
    except ImportError:
        return None

    def unseal(token: str) -> Actor:
        caller = caller_of(board, token)
        if caller.role != "run":
            raise bad_token("it is not of a run")
        return caller.actor

    return mcp_app(board, lambda run, fence: run_token(board, run, fence), unseal)


@contextmanager
def beside(board: Application, options: ServeOptions, tell: Callable[[str], None]) -> Iterator[None]:
    """What goes on while the server answers. Where gates cannot be seen to, it says so and serves all the same."""
    with ExitStack() as stack:
        if options.gates:
            try:
                stack.enter_context(_attending(board, tell))
            except MootError as error:
                tell(f"gates and landings are not seen to here: {error.message}")
        if options.otel:
            from folkmoot.wiring.observing.telemetry import Telemetry

            traces = Telemetry(board, tell=tell)
            traces.start()
            stack.callback(traces.close)
        yield


@contextmanager
def _attending(board: Application, tell: Callable[[str], None]) -> Iterator[None]:
    from folkmoot.wiring.steering.attending import attend

    def told(event: Any) -> None:
        if event.what == "fault":
            tell(event.words)

    with attend(board, board.board_dir, told):
        yield
