"""The server of `moot serve`, on loopback, for a suite that shows no token: each request is given the owner's.

    python -m tests.conformance.server FOLDER      prints the address of MCP, and serves until it is stopped

Everything else is as it is served: Host and Origin are looked at first, and what is allowed is decided as always.
"""

import sys
from pathlib import Path
from typing import Any

from folkmoot.api.serving import ServeOptions
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.serving.server import serving


class WithToken:
    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


def main(folder: str) -> None:
    board = FileBoards().open(folder)
    options = ServeOptions(port=0, gates=False)
    with serving(board, options, "ada", lambda words: print(words, file=sys.stderr)) as server:
        token = Path(server.start.token_file).read_text("utf-8").strip()
        config = server._server.config
        config.app = WithToken(config.app, token)
        print(server.start.mcp, flush=True)
        server.run()


if __name__ == "__main__":
    main(sys.argv[1])
