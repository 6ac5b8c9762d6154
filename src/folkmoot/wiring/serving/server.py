"""Puts a server together: the board, its log as a feed, its tokens, the HTTP door, and uvicorn."""

import logging
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from folkmoot.api.serving import ServeOptions, ServerStart
from folkmoot.doors.http.app import HttpDoor, Parts
from folkmoot.doors.http.guard import Names
from folkmoot.doors.http.routes import MCP_PATH
from folkmoot.engine.access.tokens import caller_of, make_login_code, make_token
from folkmoot.engine.application import Application
from folkmoot.engine.reads.feed import Feed
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.system.processes.allocator import keep_little
from folkmoot.wiring.serving.address import told_at
from folkmoot.wiring.serving.beside import Watching, beside
from folkmoot.wiring.serving.connections import HEAD_SECONDS, STRANGERS_MAX, UNREAD_SECONDS, patient
from folkmoot.wiring.serving.tokens import FileAccess

if TYPE_CHECKING:
    import uvicorn

THREADS = 32
SLOW_THREADS = 8  # for calls that make clones or run git: more at once would only wait for the disk
GRACE_SECONDS = 3
CONNECTIONS_MAX = 1_024
KEEP_ALIVE_SECONDS = 30
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def owner_token(board: Application, name: str) -> str:
    """The owner's token; made the first time, and again when it was revoked."""
    access = board.access
    assert isinstance(access, FileAccess)
    known = access.owner_token()
    if known is not None:
        try:
            caller_of(board, known)
            return known
        except Refused:
            pass  # revoked: whoever has the board's files may make another
    made = make_token(board, name, "owner", None)
    access.keep_owner(made.token)
    return made.token


def serve(
    board: Application,
    options: ServeOptions,
    name: str,
    begin: Callable[[ServerStart], None],
    tell: Callable[[str], None],
) -> None:
    """Serve the board until a signal ends it. `name` is whose board it is; `begin` is told once where it listens."""
    keep_little()  # before there are threads
    with serving(board, options, name, tell) as server:
        begin(server.start)
        server.run()


class Server:
    """A server that listens already; `run` answers."""

    def __init__(self, start: ServerStart, server: "uvicorn.Server", listener: socket.socket) -> None:
        self.start = start
        self._server, self._listener = server, listener

    def run(self) -> None:
        self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """From another thread: answer what has been asked, and end."""
        self._server.should_exit = True


@contextmanager
def serving(board: Application, options: ServeOptions, name: str, tell: Callable[[str], None]) -> Iterator[Server]:
    uvicorn = _uvicorn()
    _check_certificate(options)
    with ExitStack() as stack:
        listener = stack.enter_context(closing(_listener(options)))
        port = listener.getsockname()[1]
        names = Names(_hosts(options, port), https=options.certificate is not None)
        token = owner_token(board, name)
        pool = stack.enter_context(ThreadPoolExecutor(THREADS, thread_name_prefix="moot-http"))
        slow_pool = stack.enter_context(ThreadPoolExecutor(SLOW_THREADS, thread_name_prefix="moot-slow"))
        feed = stack.enter_context(closing(Feed(board)))
        parts = Watching(board, options, token, tell).parts(names, pool, slow_pool)
        door = HttpDoor(board, feed, parts)
        config = uvicorn.Config(
            door,
            loop="asyncio",
            http=patient(HEAD_SECONDS, UNREAD_SECONDS, STRANGERS_MAX),
            ws="none",
            lifespan="on",
            interface="asgi3",
            log_config=None,
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS_MAX,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
        )
        address = f"{'https' if names.https else 'http'}://{_shown_host(options)}:{port}"
        stack.enter_context(told_at(board.board_dir, address))
        stack.enter_context(beside(board, options, tell))
        yield Server(_introduction(board, address, token, parts), _server(config, door), listener)


def _introduction(board: Application, address: str, token: str, parts: Parts) -> ServerStart:
    access = board.access
    assert isinstance(access, FileAccess)
    link = address + make_login_code(board, caller_of(board, token).name).path
    mcp = f"{address}{MCP_PATH}" if parts.mcp else None
    hosts = sorted(parts.names.hosts)
    return ServerStart(address=address, token_file=access.owner_file, link=link, mcp=mcp, hosts=hosts)


def _uvicorn() -> Any:
    try:
        import httptools  # noqa: F401
        import uvicorn
    except ImportError as error:
        words = "moot serve needs {module}, which is not installed"
        hint = 'pip install "folkmoot[serve]"'
        raise Unavailable("not_installed", words, hint, error.name) from error
    return uvicorn


def _server(config: "uvicorn.Config", door: HttpDoor) -> "uvicorn.Server":
    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            door.streams.close()  # else it would wait for them
            await super().shutdown(sockets)

    return Server(config)


def _check_certificate(options: ServeOptions) -> None:
    if options.certificate is None and options.key is None:
        return
    try:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(options.certificate or "", options.key)
    except (OSError, ssl.SSLError) as error:
        words = "the certificate {certificate} cannot be used: {why}"
        hint = "give --certificate and --key, each as PEM"
        raise Invalid("bad_certificate", words, hint, options.certificate or "(none)", str(error)) from error


def _listener(options: ServeOptions) -> socket.socket:
    try:
        address = ip_address(options.listen)
    except ValueError as error:
        words = "{listen!r} is no address of this machine"
        raise Invalid("bad_address", words, "give an IP address, such as 127.0.0.1", options.listen) from error
    if not address.is_loopback and not options.remote:
        words = "{listen} can be reached from other machines"
        hint = "serve on 127.0.0.1; or, if that is meant, say so: --remote, with --certificate and --name"
        raise Refused("not_loopback", words, hint, options.listen)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    # The protocol is named: asyncio sends small answers at once only where it is.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.listen, options.port))
        listener.listen(1_024)
    except OSError as error:
        listener.close()
        words = "nothing can listen at {listen} port {port}: {why}"
        hint = "choose another --port, or 0 for any"
        why = error.strerror or os.strerror(error.errno or 0)
        raise Unavailable("cannot_listen", words, hint, options.listen, options.port, why) from error
    return listener


def _hosts(options: ServeOptions, port: int) -> list[str]:
    """The names under which it may be spoken to. Where it can be reached from elsewhere, they must be said."""
    names = [*options.names, *(LOOPBACK_NAMES if ip_address(options.listen).is_loopback else ())]
    if not ip_address(options.listen).is_loopback and not ip_address(options.listen).is_unspecified:
        names.append(_shown_host(options))
    if ip_address(options.listen).is_unspecified:
        names += LOOPBACK_NAMES
    usual = 443 if options.certificate else 80
    return [f"{name}:{port}" for name in names] + (names if port == usual else [])


def _shown_host(options: ServeOptions) -> str:
    address = ip_address(options.listen)
    if address.is_unspecified:
        return options.names[0] if options.names else "127.0.0.1"
    return f"[{address}]" if address.version == 6 else str(address)
