"""The worker's side of the keeper: hands it what to start, and hears how it ended."""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from folkmoot.errors import Invalid, Unavailable
from folkmoot.worker.ports import Child, Ended, Keeper, Launch

SCRIPT = Path(__file__).with_name("keeper.py")
LENGTH = struct.Struct("!Q")
REQUEST_MAX = 16 * 1024 * 1024
# A user's pipes share 64 MB by default; beyond that each new pipe of his is tiny. So no more than is of use.
OUTPUT_PIPE = 256 * 1024

TRIES = 4  # servers may be killed under our hands
PATIENCE = 30.0  # seconds for a server to take a request, and for a program to be started
CLOSE_GRACE = 2.0
CLOSE_PATIENCE = 30.0
END_GRACE = 5.0
END_PATIENCE = 60.0  # seconds beyond the grace until a warden is held to be stuck
CHUNK = 65536
PIPE_MAX = 1024 * 1024  # more is in no pipe, so more than that was written after the end, by nobody of the tree

LOST = "the process that kept it was killed, and it with that"


class SystemChild:
    """A process tree in the hands of a warden. Closing it while it lives lets go of it, and it is ended."""

    def __init__(self, output: int, errors: int, control: socket.socket) -> None:
        self.output = output
        self.errors = errors
        self.control = control.fileno()
        self.pid: int | None = None  # of its first process
        self._socket = control
        self._lock = threading.Lock()
        self._heard = b""
        self._ended: Ended | None = None
        self._closed = False

    def end(self, grace: float) -> None:
        with self._lock:
            if self._closed:
                return
            # Gone: it has ended. Full: it was told so often before that this once more makes no difference.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, BlockingIOError):
                line = b"end %f\n" % max(0.0, grace)
                self._socket.send(line, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    def ended(self) -> Ended | None:
        with self._lock:
            if self._ended is None and not self._closed:
                self._listen()
            return self._ended

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._socket.close()
                os.close(self.output)
                os.close(self.errors)

    def started(self, patience: float) -> bool:
        """Wait for the first word about it: that it runs, or why not. False if the keeper was lost before it came."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        until = time.monotonic() + patience
        while self.ended() is None and self.pid is None:
            left = until - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                return False
        return self.pid is not None or (self._ended is not None and self._ended.fault != LOST)

    def _listen(self) -> None:
        """Take what was said. The control stays readable after the last word, since its other end is closed then."""
        over = False
        try:
            while new := self._socket.recv(CHUNK, socket.MSG_DONTWAIT):
                self._heard += new
            over = True
        except ConnectionResetError:
            over = True
        except BlockingIOError:
            pass
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            word, _, rest = line.decode("utf-8", "replace").partition(" ")
            if word == "started":
                self.pid = int(rest)
            elif self._ended is None:
                self._ended = _read_end(rest)
        if over and self._ended is None:
            self._ended = Ended(signal=signal.SIGKILL, fault=LOST)


def _read_end(words: str) -> Ended:
    said, killed, fault = words.split(" ", 2)
    status = None if said == "-" else int(said)
    return Ended(
        code=status if status is not None and status >= 0 else None,
        signal=-status if status is not None and status < 0 else None,
        killed=int(killed),
        fault=fault,
    )


class _Server:
    """The fork server, as seen from here."""

    def __init__(self) -> None:
        self.requests, theirs = socket.socketpair()
        self._words = os.memfd_create("moot-keeper")  # a file, so that what it says in its need is never waited for
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", str(SCRIPT), str(theirs.fileno())],
                env={},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._words,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.requests.settimeout(PATIENCE)

    def ask(self, request: bytes, descriptors: list[int]) -> bool:
        """False if it is dead, or does not take it."""
        try:
            socket.send_fds(self.requests, [LENGTH.pack(len(request))], descriptors)
            self.requests.sendall(request)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            return False
        return True

    def close(self, patience: float) -> str:
        """Let it go when its last tree has ended; after `patience` it is killed, and its wardens go on without it."""
        self.requests.close()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        words = os.pread(self._words, CHUNK, 0).decode("utf-8", "replace")
        os.close(self._words)
        return words.strip()


class SystemKeeper:
    """Starts process trees through a fork server, which is started with the first one, and again if it died.

    May be used by many threads. Whoever forks this process without exec must close the controls in the fork: while one
    copy is open, the trees are not seen to have lost their worker.
    """

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise Unavailable("keeper_needs_linux", "agents can be run on Linux only", "run the worker on Linux")
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._last_words = ""  # of a server that failed
        self._closed = False
        self._children: weakref.WeakSet[SystemChild] = weakref.WeakSet()

    def start(self, launch: Launch) -> SystemChild:
        """Start it. What the system says against it is in `ended().fault`; it takes some milliseconds."""
        request = json.dumps({"argv": launch.argv, "env": launch.env, "cwd": launch.cwd}).encode()
        if not launch.argv:
            raise Invalid("nothing_to_run", "an empty command cannot be started", "name a program")
        if len(request) > REQUEST_MAX:
            raise Invalid("launch_too_big", f"a command of {len(request)} bytes cannot be started", "use its input")
        for _ in range(TRIES):
            with self._lock:
                if self._closed:
                    raise Unavailable("keeper_closed", "the keeper is closed", "start another worker")
                server = self._server = self._server or _Server()
            child = self._ask(server, request, launch.stdin)
            if child is not None:
                return child
        why = self._last_words.rpartition("\n")[2] or "its server does not answer"
        raise Unavailable("keeper_failed", f"the keeper cannot start {launch.argv[:1]}: {why}", "try again")

    def close(self) -> None:
        """End what still runs, and the server; waits until both are over."""
        with self._lock:
            self._closed = True
            server, self._server = self._server, None
            running = list(self._children)
        for child in running:
            child.end(CLOSE_GRACE)
        if server is not None:
            server.close(CLOSE_PATIENCE)

    def _ask(self, server: _Server, request: bytes, stdin: bytes) -> SystemChild | None:
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            output, output_there = _pipe(ours, theirs)
            errors, errors_there = _pipe(ours, theirs)
            with contextlib.suppress(PermissionError):  # the user has many pipes: then it is a small one
                fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, OUTPUT_PIPE)
            control, control_there = socket.socketpair()
            ours.callback(control.close)
            theirs.callback(control_there.close)
            descriptors = [_readable(stdin, theirs), output_there, errors_there, control_there.fileno()]
            with self._lock:
                taken = server.ask(request, descriptors)
            theirs.close()  # from here on an end of theirs is closed when nobody there has it any more
            child = SystemChild(output, errors, control)
            if not taken or not child.started(PATIENCE):
                if not taken or child.ended() is None or server.process.poll() is not None:
                    self._drop(server)
                return None
            with self._lock:
                if self._closed:
                    return None
                self._children.add(child)
            ours.pop_all()
            return child

    def _drop(self, server: _Server) -> None:
        """Have another server next time. What the old one started goes on, except what it has not answered for."""
        with self._lock:
            if self._server is not server:
                return  # another thread was quicker
            self._server = None
        self._last_words = server.close(0.1)


def _pipe(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    ours.callback(os.close, read)
    theirs.callback(os.close, write)
    os.set_blocking(read, False)
    return read, write


def _readable(content: bytes, stack: contextlib.ExitStack) -> int:
    """A file in memory: whoever does not read its input blocks nobody."""
    if not content:
        fd = os.open(os.devnull, os.O_RDONLY)
        stack.callback(os.close, fd)
        return fd
    fd = os.memfd_create("moot-stdin")
    stack.callback(os.close, fd)
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
        file.seek(0)
    return fd


class _Kept:
    """The head and the tail of what came, if it is more than `cap`."""

    def __init__(self, cap: int) -> None:
        self._head_max = cap // 2
        self._tail_max = cap - self._head_max
        self._head = bytearray()
        self._tail = bytearray()
        self._lost = 0

    def add(self, data: bytes) -> None:
        room = self._head_max - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        self._shorten(self._tail_max + CHUNK)  # not at every piece, since it moves the bytes

    def _shorten(self, most: int) -> None:
        if len(self._tail) > most:
            surplus = len(self._tail) - self._tail_max
            self._lost += surplus
            del self._tail[:surplus]

    def all(self) -> bytes:
        self._shorten(self._tail_max)
        gap = b"\n[%d bytes left out]\n" % self._lost if self._lost else b""
        return bytes(self._head + gap + self._tail)


def run_to_end(keeper: Keeper, launch: Launch, timeout: float, cap: int) -> tuple[Ended, bytes, bytes]:
    """Run it and give how it ended and what it said, of each stream at most `cap` bytes (head and tail).

    After the timeout it is ended; then there is a fault and no code, since a program may well end with 0 when it is
    asked to end.
    """
    child = keeper.start(launch)
    try:
        out, err = _Kept(cap), _Kept(cap)
        ended = _follow(child, {child.output: out.add, child.errors: err.add}, timeout)
    finally:
        child.close()
    return ended, out.all(), err.all()


def _follow(child: Child, hearers: dict[int, Callable[[bytes], None]], timeout: float) -> Ended:
    until = time.monotonic() + timeout
    late = ""
    poll = select.poll()
    for fd in (child.control, *hearers):
        poll.register(fd, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll(max(0.0, until - time.monotonic()) * 1000 + 1)}
        ended = child.ended()  # before the last look at the output, so that nothing is written after it
        for fd in list(hearers) if ended else ready & hearers.keys():
            if not _drain(fd, hearers[fd], whole=ended is not None):
                poll.unregister(fd)
                del hearers[fd]
        if ended is not None:
            return Ended(signal=ended.signal or signal.SIGTERM, killed=ended.killed, fault=late) if late else ended
        if time.monotonic() < until:
            continue
        if late:
            return Ended(fault=f"{late}, but it is not known to be over")
        late = f"was not over after {timeout:g} seconds and was ended"
        child.end(END_GRACE)
        until = time.monotonic() + END_GRACE + END_PATIENCE


def _drain(fd: int, hear: Callable[[bytes], None], whole: bool) -> bool:
    """Read a piece, or the whole that is there. False when no more will come."""
    try:
        for _ in range(PIPE_MAX // CHUNK if whole else 1):
            data = os.read(fd, CHUNK)
            if not data:
                return False
            hear(data)
    except BlockingIOError:
        pass
    return True
