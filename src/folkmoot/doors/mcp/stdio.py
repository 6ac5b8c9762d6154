"""`moot mcp`: the server on standard input and output, for one client, until that goes away."""

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from folkmoot.doors.mcp.caller import Caller, always
from folkmoot.doors.mcp.desk import Desk
from folkmoot.doors.mcp.runs import OwnRuns
from folkmoot.doors.mcp.server import server

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

Attend = Callable[[], AbstractContextManager[None]]
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Serving:
    """One client's server. Gates and landings are seen to from the first claim on: before it there is nothing of this
    client's that could wait for them."""

    def __init__(self, board: "Application", caller: Caller, attend: Attend | None) -> None:
        self._attend = attend
        self._meanwhile = ExitStack()
        self._runs = OwnRuns(board, self._begun)
        self._desk = Desk(board, self._runs)
        self._caller = caller

    def _begun(self) -> None:
        if self._attend is not None:
            self._meanwhile.enter_context(self._attend())

    async def run(self) -> None:
        serving = server(self._desk, always(self._caller))
        async with anyio.create_task_group() as group:
            group.start_soon(self._end_on_signal)
            async with stdio_server() as (incoming, outgoing):
                try:
                    await serving.run(incoming, outgoing, serving.create_initialization_options())
                finally:
                    self._desk.waiter.over = True  # whoever waits is let go
            group.cancel_scope.cancel()

    async def _end_on_signal(self) -> None:
        """Standard input is read in a thread that nothing can wake: so the process ends from here."""
        with anyio.open_signal_receiver(*ENDING) as signals:
            async for number in signals:
                await anyio.to_thread.run_sync(self.close)
                os._exit(128 + number)

    def close(self) -> None:
        """What the client had claimed is given back."""
        self._desk.waiter.over = True
        self._runs.close()
        self._meanwhile.close()


def serve(board: "Application", caller: Caller, attend: Attend | None = None) -> None:
    """Returns when standard input is closed."""
    serving = Serving(board, caller, attend)
    try:
        anyio.run(serving.run)
    finally:
        serving.close()
