"""The Unix socket on which the processes of one run reach the board: one question and its answer per connection."""

import os
import selectors
import socket
import stat
import struct
import threading
from hmac import compare_digest
from time import monotonic
from typing import Protocol

from folkmoot.errors import Invalid, MootError, Unavailable

PATH_BYTES_MAX = 100  # the kernel's own limit is 108 on Linux and 104 elsewhere
REQUEST_BYTES_MAX = 4_000_000
CONNECTIONS = 8  # at once; who comes then waits in the socket's queue
PATIENCE = 30.0  # seconds in which a question must be there, and then its answer be taken
CLOSING = 30.0  # longer than a store waits for its lock
NAME = "moot.sock"
BEHIND_PATH = "#"  # between a socket's path and the secret that opens it
SECRET_BYTES_MAX = 200

_LENGTH = struct.Struct("!I")


class Handler(Protocol):
    """Who answers. Both are called from several threads at once."""

    def answer(self, request: bytes) -> bytes: ...
    def refuse(self, error: MootError) -> bytes:
        """The answer to a question that could not even be taken in."""


class RelayServer:
    """Listens from the moment it is made until `close`.

    `path` is where the socket is: as wished, or in a short folder of its own if that would be longer than a socket's
    path may be. A sandbox must show `folder` at the same place; that it can be read there is enough.

    `address` is what the run is given. It holds a secret beside the path: another board's agent may see the socket too.
    """

    def __init__(
        self,
        path: str,
        handler: Handler,
        *,
        connections: int = CONNECTIONS,
        patience: float = PATIENCE,
        secret: str = "",
    ) -> None:
        self._handler = handler
        self.secret = secret
        self._patience = patience
        self.path, self._made = _place(os.path.abspath(path))
        self.folder = os.path.dirname(self.path)
        self.address = f"{self.path}{BEHIND_PATH}{secret}" if secret else self.path
        self._listener = _listen(self.path)
        self._waker, self._woken = socket.socketpair()
        self._free = threading.Semaphore(connections)
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._closed = threading.Event()
        self._acceptor = threading.Thread(target=self._accept, name="moot-relay", daemon=True)
        self._acceptor.start()

    def close(self) -> None:
        """Nobody is heard any more, and when this returns no question is under way. Closing twice does no harm."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._waker.send(b"x")
        self._free.release()
        self._acceptor.join()
        with self._lock:
            left = dict(self._open)
            for connection in left.values():
                _hush(connection)
        until = monotonic() + CLOSING
        for thread in left:
            thread.join(max(0.0, until - monotonic()))
        for end in (self._listener, self._waker, self._woken):
            end.close()
        _remove(self.path)
        if self._made:
            os.rmdir(self.folder)

    def _accept(self) -> None:
        self._listener.setblocking(False)
        with selectors.PollSelector() as selector:  # what is watched by epoll is counted for all of a user, agents too
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                self._free.acquire()
                connection = None
                while connection is None:
                    selector.select()
                    if self._closed.is_set():
                        return
                    connection = self._next()
                self._start(connection)

    def _next(self) -> socket.socket | None:
        try:
            return self._listener.accept()[0]
        except OSError:
            # Who knocked is gone again, or this process has no file left to open: then a pause, not a busy loop.
            self._closed.wait(0.05)
            return None

    def _start(self, connection: socket.socket) -> None:
        thread = threading.Thread(target=self._serve, args=(connection,), name="moot-relay-answer", daemon=True)
        with self._lock:
            self._open[thread] = connection
            try:
                thread.start()
            except RuntimeError:  # an agent has taken all threads that the user may have: it goes on when it has ended
                del self._open[thread]
                connection.close()
                self._free.release()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._converse(connection)
        finally:
            with self._lock:
                del self._open[threading.current_thread()]
                connection.close()
            self._free.release()

    def _may_speak(self, connection: socket.socket) -> bool:
        """A connection begins with the secret, where there is one."""
        if not self.secret:
            return True
        return compare_digest(receive(connection, SECRET_BYTES_MAX, self._patience), self.secret.encode())

    def _converse(self, connection: socket.socket) -> None:
        try:
            if not self._may_speak(connection):
                raise Invalid("other_run", "this is the socket of another run", "use the address in MOOT_SOCKET")
            request = receive(connection, REQUEST_BYTES_MAX, self._patience)
        except Invalid as error:
            answer = self._handler.refuse(error)
        except OSError:
            return  # it went away, or said too little in all this time: there is nobody to tell
        else:
            answer = self._handler.answer(request)
        try:
            send(connection, answer, self._patience)
        except OSError:
            return  # it went away before its answer came, and knows that it has none


def send(connection: socket.socket, data: bytes, seconds: float) -> None:
    """Send one message, its length first."""
    connection.settimeout(seconds)
    connection.sendall(_LENGTH.pack(len(data)) + data)


def receive(connection: socket.socket, most: int, seconds: float) -> bytes:
    """The next message. Invalid if it is longer than `most`; OSError if it does not come whole in time."""
    until = monotonic() + seconds
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, until))
    if length > most:
        words = "{bytes} bytes are more than the {most} that fit through here"
        raise Invalid("too_large", words, "keep large texts in files and name the file", length, most)
    return _exactly(connection, length, until)


def _exactly(connection: socket.socket, length: int, until: float) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        left = until - monotonic()
        if left <= 0:
            raise TimeoutError("it was not said in time")
        connection.settimeout(left)
        part = connection.recv(min(length - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the other side went away")
        parts += part
    return bytes(parts)


def _place(path: str) -> tuple[str, bool]:
    """Where the socket can be, and whether its folder was made for it alone."""
    if len(os.fsencode(path)) <= PATH_BYTES_MAX:
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        except OSError as error:
            raise _no_place(path, error) from error
        return path, False
    import tempfile

    try:
        # The user's folder for such things may be a long way down too.
        short = len(os.fsencode(tempfile.gettempdir())) <= PATH_BYTES_MAX // 2
        folder = tempfile.mkdtemp(prefix="moot-", dir=None if short else os.path.join(os.sep, "tmp"))
    except OSError as error:
        raise _no_place(path, error) from error
    return os.path.join(folder, NAME), True


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if os.path.lexists(path) and stat.S_ISSOCK(os.lstat(path).st_mode):
            _remove(path)  # left behind by a worker that was killed
        listener.bind(path)
        os.chmod(path, 0o600)  # before anybody can connect: that needs the next line
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise _no_place(path, error) from error
    return listener


def _no_place(path: str, error: OSError) -> Unavailable:
    words = "no socket can be made at {path}: {why}"
    hint = "see that its folder is yours and has room"
    return Unavailable("no_socket", words, hint, path, str(error.strerror or error))


def _hush(connection: socket.socket) -> None:
    """Let who still listens on it hear the end. What was understood already is still answered."""
    try:
        connection.shutdown(socket.SHUT_RD)
    except OSError:
        return  # the other side has ended it already


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return  # somebody has cleaned up before us
