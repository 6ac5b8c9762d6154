"""The worker's side of the keeper: hands it what to start, and hears how it ended."""

import contextlib
import fcntl
import functools
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from folkmoot.errors import Invalid, Unavailable
from folkmoot.system.processes import bounds, guarding, own
from folkmoot.system.processes.guarding import Guard
from folkmoot.system.processes.trees import state_and_parent
from folkmoot.worker.ports import FILES_MAX, Ended, Launch

SCRIPT = Path(__file__).with_name("keeper.py")
LENGTH = struct.Struct("!Q")
REQUEST_MAX = 16 * 1024 * 1024
# A user's pipes share 64 MB by default; beyond that each new pipe of his is tiny. So no more than is of use.
OUTPUT_PIPE = 256 * 1024

TRIES = 4  # servers may be killed under our hands
PATIENCE = 30.0  # seconds for a server to take a request, and for a program to be started
CLOSE_GRACE = 2.0
CLOSE_PATIENCE = 30.0
SAY_PATIENCE = 1.0
CHUNK = 65536

LOST = "the process that kept it was killed, and it with that"


class SystemChild:
    """A process tree in the hands of a warden. Closing it while it lives lets go of it, and it is ended."""

    def __init__(
        self, output: int, errors: int, control: socket.socket, fell: Callable[[int], None] = lambda warden: None
    ) -> None:
        self.output = output
        self.errors = errors
        self.control = control.fileno()
        self.pid: int | None = None  # of its first process
        self.warden: int | None = None
        self._warden_fd: int | None = None
        self._fell = fell  # waits until what a killed warden left is gone
        self._beats = 0  # what was said to it while the words before were not heard yet
        self._socket = control
        self._lock = threading.Lock()
        self._heard = b""
        self._ended: Ended | None = None
        self._closed = False

    def end(self, grace: float) -> None:
        self._say(b"end %f\n" % max(0.0, grace))

    def beat(self) -> None:
        """A sign of life. Its warden does not answer, or the control could be read; that it was heard can be seen."""
        self._say(b"beat\n")

    def missed(self) -> int:
        return self._beats

    def alive(self) -> bool:
        return not self._closed and self._ended is None  # without asking: whoever watches must never wait for it

    def kill_warden(self, number: int) -> None:
        """Send it a signal; by its descriptor, since its number may become another's."""
        if not self._lock.acquire(timeout=SAY_PATIENCE):
            return  # it is dead, and what it left is just being killed
        try:
            if self._warden_fd is not None and not self._closed:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._warden_fd, number)
        finally:
            self._lock.release()

    def _say(self, line: bytes) -> None:
        if not self._lock.acquire(timeout=SAY_PATIENCE):
            return  # what its warden left is just being killed: there is nobody to be told
        try:
            if self._closed:
                return
            self._beats = self._beats + 1 if _unheard(self._socket) else 0
            # Gone: it has ended. Full: it was told so often before that this once more makes no difference.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, BlockingIOError):
                self._socket.send(line, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        finally:
            self._lock.release()

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
                if self._warden_fd is not None:
                    os.close(self._warden_fd)

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
                self.pid, self.warden = map(int, rest.split())
                with contextlib.suppress(OSError):  # it has ended already
                    self._warden_fd = os.pidfd_open(self.warden)
            elif self._ended is None:
                self._ended = _read_end(rest)
        if over and self._ended is None:
            if self.warden is not None:
                self._fell(self.warden)  # it has ended when nothing of it is left, and not before
            self._ended = Ended(signal=signal.SIGKILL, fault=LOST)


def _unheard(control: socket.socket) -> bool:
    """Is there something that the other side has not read yet?"""
    return bool(struct.unpack("i", fcntl.ioctl(control, termios.TIOCOUTQ, bytes(4)))[0])


def _read_end(words: str) -> Ended:
    said, killed, broken, fault = words.split(" ", 3)
    status = None if said == "-" else int(said)
    return Ended(
        code=status if status is not None and status >= 0 else None,
        signal=-status if status is not None and status < 0 else None,
        killed=int(killed),
        fault=fault,
        limit="" if broken == "-" else broken,
    )


class _Server:
    """The fork server, as seen from here."""

    def __init__(self) -> None:
        self.requests, theirs = socket.socketpair()
        self._words = os.memfd_create("moot-keeper")  # a file, so that what it says in its need is never waited for
        with theirs:
            self.process = own.start(
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
        self._said = b""
        self._fallen: set[int] = set()
        self._listening = threading.Lock()

    @property
    def dead(self) -> bool:
        return self.process.poll() is not None or self.requests.fileno() < 0

    def has_fallen(self, warden: int) -> bool:
        """Has it said that nothing is left of a warden that was killed, and of its tree?"""
        with self._listening, contextlib.suppress(OSError):  # nothing was said, or it is closed
            while guarding.wait_for_word(self.requests.fileno(), 0) and (new := self.requests.recv(CHUNK)):
                *lines, self._said = (self._said + new).split(b"\n")
                self._fallen |= {int(line.removeprefix(b"fallen ")) for line in lines}
        return warden in self._fallen

    def ask(self, request: bytes, descriptors: list[int]) -> bool:
        """False if it is dead, or does not take it."""
        try:
            with bounds.all_files():
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

    def __init__(self, adopts: bool = False) -> None:
        """With `adopts`, what falls out of the hands of killed keepers becomes a child of this process, and is killed.
        Only for a process that knows all its children: those it did not start by `own` are taken for such."""
        if sys.platform != "linux":
            raise Unavailable("keeper_needs_linux", "agents can be run on Linux only", "run the worker on Linux")
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._last_words = ""  # of a server that failed
        self._closed = False
        self._children: weakref.WeakSet[SystemChild] = weakref.WeakSet()
        self._adopts = adopts
        if adopts:
            guarding.adopt_orphans()
        self._guard = Guard(self._trees, self._servers)

    def start(self, launch: Launch) -> SystemChild:
        """Start it. What the system says against it is in `ended().fault`; it takes some milliseconds."""
        asked = {"argv": launch.argv, "env": launch.env, "cwd": launch.cwd}
        asked |= {"bounds": launch.bounds, "forget": launch.forget}
        how = {"beat": guarding.BEAT, "missed": guarding.MISSED, "apart": launch.apart}
        request = json.dumps(asked | how).encode()
        if not launch.argv:
            raise Invalid("nothing_to_run", "an empty command cannot be started", "name a program")
        if len(request) > REQUEST_MAX or len(launch.files) > FILES_MAX:
            words = "a command of {bytes} bytes cannot be started"
            raise Invalid("launch_too_big", words, "use its input", len(request))
        for _ in range(TRIES):
            with self._lock:
                if self._closed:
                    raise Unavailable("keeper_closed", "the keeper is closed", "start another worker")
                server = self._server = self._server or _Server()
            child = self._ask(server, request, launch)
            if child is not None:
                self._guard.watch()
                return child
        why = self._last_words.rpartition("\n")[2] or "its server does not answer"
        words = "the keeper cannot start {command}: {why}"
        raise Unavailable("keeper_failed", words, "try again", launch.argv[:1], why)

    def end_left(self, home: str) -> int:
        return guarding.end_left(home)

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
        self._guard.close()

    def _trees(self) -> list[guarding.Kept]:
        with self._lock:
            return list(self._children)

    def _servers(self) -> list[int]:
        with self._lock:
            return [self._server.process.pid] if self._server is not None and not self._server.dead else []

    def _wait_for_fall(self, server: _Server, warden: int) -> None:
        """A warden was killed: wait until the server has killed what it left, or do it here if the server is dead."""
        until = time.monotonic() + guarding.FALL_MAX
        while not server.has_fallen(warden) and not server.dead and (left := until - time.monotonic()) > 0:
            guarding.wait_for_word(server.requests.fileno(), min(left, guarding.LOOK))
        if server.dead and self._adopts:
            with self._lock:
                living = {child.warden for child in self._children if child.warden is not None}
            guarding.kill_orphans({pid for pid in living - {warden} if state_and_parent(pid)[1] == os.getpid()})

    def _ask(self, server: _Server, request: bytes, launch: Launch) -> SystemChild | None:
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            output, output_there = _pipe(ours, theirs)
            errors, errors_there = _pipe(ours, theirs)
            with contextlib.suppress(PermissionError):  # the user has many pipes: then it is a small one
                fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, OUTPUT_PIPE)
            control, control_there = socket.socketpair()
            ours.callback(control.close)
            theirs.callback(control_there.close)
            files = [_readable(content, theirs) for content in launch.files]
            descriptors = [_readable(launch.stdin, theirs), output_there, errors_there, *files, control_there.fileno()]
            with self._lock:
                taken = server.ask(request, descriptors)
            theirs.close()  # from here on an end of theirs is closed when nobody there has it any more
            child = SystemChild(output, errors, control, functools.partial(self._wait_for_fall, server))
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
