"""`moot` in a process of its own that need not load anything: it is forked from one that has loaded all.

To start Python and load the package is most of what a short command costs, and tests start thousands of them. A child
of this server has its own folder, environment, streams, signals and exit code. What it does not show is how a program
starts: the tests of the README and of the tutorial start `moot` itself, and so does whatever needs another environment
before Python is there.
"""

import atexit
import gc
import json
import os
import pkgutil
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any

HERE = Path(__file__).resolve()
SOURCE = HERE.parents[1] / "src"
SERVER = "MOOT_TEST_SERVER"  # where boards are that are made without saying where, if not in files: tests/stores.py
NUMBER = struct.Struct("=i")
# What the usual commands load when they get there.
LOADED = ["folkmoot.wiring.boards", "folkmoot.wiring.running", "rich.console", "rich.table", "rich.text", "yaml"]


class Child:
    """A forked `moot`, with the words of `subprocess.Popen`."""

    def __init__(self, connection: socket.socket, arguments: Sequence[str]) -> None:
        self.args = list(arguments)
        self.returncode: int | None = None
        self._connection = connection
        self._reading = threading.Lock()
        self.pid = self._number()

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        with self._reading:
            if self.returncode is None:
                with selectors.DefaultSelector() as selector:
                    selector.register(self._connection, selectors.EVENT_READ)
                    if not selector.select(timeout):
                        raise subprocess.TimeoutExpired(self.args, timeout or 0)
                self.returncode = os.waitstatus_to_exitcode(self._number())
                self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _number(self) -> int:
        told = self._connection.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(told) < NUMBER.size:
            raise RuntimeError("the server of forked processes has ended")
        return int(NUMBER.unpack(told)[0])


def start(
    arguments: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    cwd: Path | str,
    stdin: IO[Any] | int,
    stdout: IO[Any] | int,
    stderr: IO[Any] | int,
    start_new_session: bool = False,
) -> Child:
    """Start `moot` with these arguments; what is written and read are files or their numbers."""
    words = [os.fsdecode(word) for word in arguments]
    asked = json.dumps([words, dict(env), str(cwd), start_new_session]).encode()
    streams = [one if isinstance(one, int) else one.fileno() for one in (stdin, stdout, stderr)]
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(_server())
    socket.send_fds(connection, [NUMBER.pack(len(asked))], streams)
    connection.sendall(asked)
    return Child(connection, words)


def run(
    arguments: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    cwd: Path | str,
    input: bytes = b"",
    timeout: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """Run `moot` to its end, as `subprocess.run` does with `capture_output`."""
    heard: list[bytes] = [b"", b""]
    (given, giving), *told = os.pipe(), os.pipe(), os.pipe()
    child = start(arguments, env=env, cwd=cwd, stdin=given, stdout=told[0][1], stderr=told[1][1])
    for number in (given, told[0][1], told[1][1]):
        os.close(number)

    def give() -> None:
        with suppress(BrokenPipeError), open(giving, "wb") as pipe:
            pipe.write(input)

    def take(which: int) -> None:
        with open(told[which][0], "rb") as pipe:
            heard[which] = pipe.read()

    threads = [threading.Thread(target=take, args=(which,), daemon=True) for which in (0, 1)]
    for thread in threads:
        thread.start()
    give()
    try:
        code = child.wait(timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        raise
    for thread in threads:
        thread.join()
    return subprocess.CompletedProcess(child.args, code, *heard)


@cache
def _server() -> str:
    """Where the server of this process listens. It ends when this process does: nobody holds its input open then."""
    address = str(Path(mkdtemp(prefix="moot-"), "fork"))
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "HOME", SERVER) if name in os.environ}
    env = {**kept, "PYTHONPATH": str(SOURCE), "LANG": "C.UTF-8"}
    server = subprocess.Popen(
        [sys.executable, str(HERE), address],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        cwd="/",
    )
    assert server.stdout is not None
    server.stdout.readline()  # it listens
    atexit.register(_stop, server)
    return address


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.communicate()


# ---------------------------------------------------------------- the server


def serve(address: str) -> None:
    """Fork a child for whoever asks, and tell when and how it ended. Returns only in a child, which is then `moot`."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(128)
    print("listening", flush=True)
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno())
    running: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for one in (listener, woken, sys.stdin):
            selector.register(one, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if sys.stdin in ready:
                os.remove(address)
                os.rmdir(os.path.dirname(address))
                os._exit(0)
            if woken in ready:
                woken.recv(4096)
                _tell_ended(running)
            if listener in ready:
                connection = listener.accept()[0]
                asked = _heard(connection)
                pid = os.fork()
                if pid == 0:
                    break
                for number in asked[1]:
                    os.close(number)
                running[pid] = connection
                connection.sendall(NUMBER.pack(pid))
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for other in (listener, woken, waker, connection, *running.values()):
        other.close()
    _become(*asked)


def _heard(connection: socket.socket) -> tuple[list[Any], list[int]]:
    size, streams, _, _ = socket.recv_fds(connection, NUMBER.size, 3)
    return json.loads(connection.recv(NUMBER.unpack(size)[0], socket.MSG_WAITALL)), streams


def _tell_ended(running: dict[int, socket.socket]) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            connection = running.pop(ended[0])
            with suppress(OSError):  # nobody waits for it any more
                connection.sendall(NUMBER.pack(ended[1]))
            connection.close()


def _become(asked: list[Any], streams: list[int]) -> None:
    words, env, folder, new_session = asked
    if new_session:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["moot", *words]
    # As Python makes them at its start, for what they now stand for.
    lines = 1 if os.isatty(1) else -1
    sys.stdin = os.fdopen(0, encoding="utf-8", errors=sys.stdin.errors, closefd=False)
    sys.stdout = os.fdopen(1, "w", lines, encoding="utf-8", errors=sys.stdout.errors, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors=sys.stderr.errors, closefd=False)


def end(main: Callable[[], None]) -> None:
    """Live as `moot`, and end without taking down all that was loaded, which costs more than most commands. What Python
    does for a program at its end is done here; where that fails, or it ends by an error, Python does it itself."""
    code: Any = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
        if not isinstance(code, int):
            raise
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    os._exit(code)


def load() -> None:
    commands = import_module("folkmoot.doors.cli")
    found = pkgutil.walk_packages(commands.__path__, f"{commands.__name__}.")
    for name in (*LOADED, *(module.name for module in found)):
        import_module(name)


if __name__ == "__main__":
    sys.path.remove(str(HERE.parent))
    load()
    from folkmoot.wiring import main

    if SERVER in os.environ:
        sys.path.append(str(HERE.parents[1]))
        import_module("tests.stores").put_boards_where_told()
    gc.freeze()
    serve(sys.argv[1])
    end(main)
