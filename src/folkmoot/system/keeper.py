"""The keeper: starts process trees and lets none outlive its run, or the worker.

Run as a script by keeping.py, with an empty environment and in a session of its own, so that neither Ctrl-C nor what
the worker knows reaches an agent. It needs the standard library alone, and Linux. Three kinds of process:
    server   one for each worker; takes requests from its socket and forks a warden for each
    warden   one for each tree; every orphan of the tree becomes its child, so "no child left" means "nothing left"
    agent    the first process of the tree, leader of its own session and group

The warden ends the tree when its first process is over, when it is told to, when the tree has passed a limit, when the
worker gives no sign of life, and when the worker's end of the control socket closes, which the kernel does for a worker
that was killed. If the server is killed, wardens and agents go on and stay in hand. If a warden is killed, its agent is
killed by the kernel, and the server kills the rest and says so. With both of them killed, the orphans become the
worker's, which kills them. A warden or a server that was stopped is killed by the worker: see guarding.py beside trees.
What is not held here: with all three killed at once, descendants of the agent go on, until the next worker ends those
that still carry their run's environment; and what somebody else starts on the agent's behalf (cron, a container daemon)
is not in the tree. Against both there is the sandbox.

What a fork costs is the memory it touches, so little is done after one: no JSON, no text files, no signal tables.
"""

import contextlib
import fcntl
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable
from typing import NoReturn

if __name__ == "__main__":  # started by its path, with no other folder to import from
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from folkmoot.system.processes.apart import keep_apart
from folkmoot.system.processes.bounds import Bounds
from folkmoot.system.processes.trees import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_NAME,
    PR_SET_PDEATHSIG,
    children,
    descendants,
    kill_all,
    prctl,
    send,
)

LENGTH = struct.Struct("!Q")  # of the request, which follows as JSON
DESCRIPTORS = range(4, 53)  # how many: standard input, output and error of the agent, its files, the control socket
REQUEST_MAX = 16 * 1024 * 1024
FAULT_MAX = 4000

ORPHAN_GRACE = 2.0  # seconds from SIGTERM to SIGKILL when the worker is gone
REST_GRACE = 0.5  # the same for what is left of a tree whose first process is over

# What server and wardens do not hear: how they end is the worker's to say. These are blocked, not ignored, so an agent
# need only be unblocked, and what came before its exec is not lost.
UNHEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)


class Bell:
    """Becomes readable when a child has ended, so that children and sockets are waited for in one place."""

    def __init__(self) -> None:
        self.fd, self._ringer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self._ringer, warn_on_full_buffer=False)

    def wait(self, others: Iterable[int], seconds: float | None) -> set[int]:
        """Which of the others can be read, once one can, a child has ended, or the time is over."""
        poll = select.poll()
        for fd in (self.fd, *others):
            poll.register(fd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(None if seconds is None else max(0, seconds * 1000 + 1))}
        if self.fd in ready:
            os.read(self.fd, 4096)
        return ready - {self.fd}


def forget(paths: list[bytes]) -> None:
    """Remove files that lay there for one tree, through no link: one may lead to files of the user's."""
    for path in [path for path in paths if os.path.realpath(os.path.dirname(path)) == os.path.dirname(path)]:
        with contextlib.suppress(OSError):  # it is gone already
            os.unlink(path)


class Launch:
    """What to start, as the kernel takes it, whatever the locale is; bytes that are no text come as lone surrogates."""

    def __init__(self, body: bytes) -> None:
        asked = json.loads(body)
        self.argv = [os.fsencode(word) for word in asked["argv"]]
        self.env = {os.fsencode(name): os.fsencode(value) for name, value in asked["env"].items()}
        self.cwd = os.fsencode(asked["cwd"])
        self.bounds = Bounds(asked["bounds"])
        self.beat: float = asked["beat"]  # seconds from one sign of life of the worker to the next
        self.missed: int = asked["missed"]  # so many of them without one, and the worker is held to be stopped
        self.forget = [os.fsencode(path) for path in asked.get("forget", ())]
        self.apart: bool = asked.get("apart", False)  # from sockets of others that lie in no folder


def become(launch: Launch, descriptors: list[int], teller: int, warden: int) -> NoReturn:
    """Turn this fresh fork into the agent. Why it cannot is written to `teller`, which closes when it could."""
    step = b"cannot be prepared"
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:  # it died before the line above
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())  # and no signal is ignored here: see main
        teller = fcntl.fcntl(teller, fcntl.F_DUPFD_CLOEXEC, 64)  # out of the way of what comes
        for own, fd in enumerate(descriptors):  # each number is larger than its place: none is taken too early
            os.dup2(fd, own)
        os.closerange(len(descriptors), teller)
        os.closerange(teller + 1, 65536)
        launch.bounds.apply()
        if launch.apart:
            keep_apart()
        step = b"cannot enter %b" % launch.cwd
        os.chdir(launch.cwd)
        step = b"cannot run %b" % launch.argv[0]
        os.execvpe(launch.argv[0], launch.argv, launch.env)
    except BaseException as error:
        why = getattr(error, "strerror", None) or str(error)
        os.write(teller, (b"%b: %b" % (step, why.encode("utf-8", "replace")))[:FAULT_MAX])
        os._exit(127)


class Warden:
    def __init__(self, control: socket.socket, launch: Launch, descriptors: list[int]) -> None:
        self.control = control
        self.bell = Bell()
        self.fault = ""
        self.status: int | None = None  # how the first process ended
        self.alone = self.killing = False
        self.until: float | None = None  # when the killing begins
        self.killed: set[int] = set()
        self.heard, self.to_forget = b"", launch.forget
        self.bounds, self.broken = launch.bounds, "-"  # the limit that it has passed
        self.beat, self.missed, self.silent = launch.beat, launch.missed, 0
        self.look_at = self.beat_at = time.monotonic()
        # Where the agent tells why it could not be started. It is short, so writing it never blocks.
        self.ear, teller = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.watched = {control.fileno(), self.ear}
        self.bounds.begin()
        me = os.getpid()
        self.first = os.fork()
        if self.first == 0:
            become(launch, descriptors, teller, me)
        for fd in (teller, *descriptors):
            os.close(fd)

    def run(self) -> None:
        try:
            while not self.nobody_left():
                now = time.monotonic()
                if (self.until is not None and now >= self.until) or self.is_over(now):
                    break
                waits = [self.beat_at, *([self.until] if self.until is not None else [])]
                waits += [self.look_at] if self.bounds.any else []
                self.hear(self.bell.wait(self.watched, min(waits) - now))
        finally:
            self.killing = True
            if self.broken != "-" and self.status is None:
                send(self.first, signal.SIGKILL)  # a box dies with it at once, however many there are in it
            stubborn = kill_all(self.nobody_left, set(), self.killed)
            self.bounds.group.close()
            forget(self.to_forget)
            if self.broken == "-":
                self.broken = self.bounds.at_end() or "-"
        if stubborn and not self.fault:
            self.fault = f"these of its processes cannot be killed: {sorted(stubborn)[:20]}"
        if self.ear in self.watched:  # all was over before it was heard
            self.hear_of_start()
        status = "-" if self.fault or self.status is None else self.status  # less than 0 is a signal
        tell(self.control, f"ended {status} {len(self.killed - {self.first})} {self.broken} {self.fault}")

    def is_over(self, now: float) -> bool:
        """Has it passed a limit? Then there is no grace: each moment more is harm to the machine."""
        if now >= self.beat_at:
            # Counted, not measured: while the whole machine stands still, nobody misses anybody.
            self.beat_at, self.silent = now + self.beat, self.silent + 1
            if self.silent == self.missed:
                self.end(ORPHAN_GRACE)
        if not self.bounds.any or now < self.look_at:
            return False
        self.broken = self.bounds.over(descendants(set(), thorough=False)) or "-"
        self.look_at = now + self.bounds.pause
        return self.broken != "-"

    def hear(self, ready: set[int]) -> None:
        if self.ear in ready:
            self.hear_of_start()
        if self.control.fileno() not in ready:
            return
        new = b""
        with contextlib.suppress(ConnectionResetError):
            new = self.control.recv(4096)
        if not new:  # the worker is gone, or has let go of the tree
            self.watched.discard(self.control.fileno())
            self.end(ORPHAN_GRACE)
        *lines, self.heard = (self.heard + new).split(b"\n")
        for line in lines:
            self.silent = 0
            if line != b"beat":
                self.end(float(line.removeprefix(b"end ")))

    def hear_of_start(self) -> None:
        self.watched.discard(self.ear)
        with contextlib.suppress(BlockingIOError):  # cannot be killed, and never came to the end of its start
            self.fault = os.read(self.ear, FAULT_MAX).decode("utf-8", "replace") or self.fault
        os.close(self.ear)
        if not self.fault:
            tell(self.control, f"started {self.first} {os.getpid()}")

    def end(self, grace: float) -> None:
        """Ask the tree to end, and kill what is left after `grace` seconds, or earlier if that was said before."""
        until = time.monotonic() + grace
        self.until = until if self.until is None else min(until, self.until)
        if self.status is None:
            self.ask_group()
        for pid in children(os.getpid()):  # orphans: only this process can wait for them, so their numbers are safe
            if pid != self.first:
                send(pid, signal.SIGTERM)
                send(pid, signal.SIGCONT)

    def ask_group(self) -> None:
        """Ask the first process and its group, while it is not waited for: then its number may become another's."""
        try:
            os.killpg(self.first, signal.SIGTERM)
            os.killpg(self.first, signal.SIGCONT)  # what is stopped hears nothing
        except ProcessLookupError:
            send(self.first, signal.SIGTERM)  # has no group of its own yet
        except PermissionError:
            pass  # all of them became another user: killing will not work either, and that is told

    def nobody_left(self) -> bool:
        """Wait for all that is dead; when the first process is, the rest of the tree is ended."""
        before = self.status
        while not self.alone:
            try:
                dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                self.alone = True
                break
            if dead is None:
                break
            if dead.si_pid == self.first and not self.killing:
                self.ask_group()
            status = os.waitstatus_to_exitcode(os.waitpid(dead.si_pid, 0)[1])
            if dead.si_pid == self.first:
                self.status = status
        if self.status is not before and not self.alone and not self.killing:
            self.end(REST_GRACE)
        return self.alone


def tell(control: socket.socket, words: str) -> None:
    """One line to the worker. Where there is none any more, nobody is left to be told."""
    line = words.replace("\n", " / ").encode("utf-8", "replace") + b"\n"
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, BlockingIOError):
        control.send(line, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


class Server:
    def __init__(self, requests: socket.socket) -> None:
        self.requests = requests
        self.bell = Bell()
        self.wardens: set[int] = set()
        self.fallen: list[int] = []  # wardens that did not end by themselves

    def run(self) -> None:
        """Serve until the worker is gone, and stay until the last tree is."""
        open_still = True
        while open_still or self.wardens:
            ready = self.bell.wait([self.requests.fileno()] if open_still else [], None)
            self.wait_for_wardens()
            while self.fallen:
                fell, self.fallen = self.fallen, []
                kill_all(self.no_orphan_left, self.wardens, set())
                for warden in fell:  # nothing of its tree is left: now its run has ended
                    tell(self.requests, f"fallen {warden}")
            if ready:
                open_still = self.serve()

    def wait_for_wardens(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid in self.wardens:
                    self.wardens.discard(pid)
                    self.fallen += [pid] if status != 0 else []

    def no_orphan_left(self) -> bool:
        self.wait_for_wardens()
        return not descendants(self.wardens, thorough=True)

    def serve(self) -> bool:
        """Take one request. False if there are no more."""
        head, descriptors, _, _ = socket.recv_fds(self.requests, LENGTH.size, DESCRIPTORS.stop)
        if not head:
            return False
        size = LENGTH.unpack(head)[0]
        if size > REQUEST_MAX or len(descriptors) not in DESCRIPTORS:
            raise ValueError(f"a request of {size} bytes with {len(descriptors)} descriptors")
        body = bytearray()
        while len(body) < size:
            part = self.requests.recv(min(size - len(body), 1 << 20))
            if not part:
                return False  # the worker died while it asked
            body += part
        launch = Launch(bytes(body))
        control = socket.socket(fileno=descriptors.pop())
        try:
            pid = os.fork()
        except OSError as error:
            tell(control, f"ended - 0 - cannot fork: {error.strerror}")
        else:
            if pid == 0:
                self.turn_into_warden(control, launch, descriptors)
            self.wardens.add(pid)
        control.close()
        for fd in descriptors:
            os.close(fd)
        return True

    def turn_into_warden(self, control: socket.socket, launch: Launch, descriptors: list[int]) -> NoReturn:
        code = 1
        try:
            self.requests.close()  # or the worker would not see that the server died
            os.setsid()
            prctl(PR_SET_NAME, b"moot-warden")
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            Warden(control, launch, descriptors).run()
            code = 0
        except BaseException:
            import traceback  # a keeper is started for each worker, and seldom needs it

            why = traceback.format_exc()
            tell(control, f"ended - 0 - {why[-FAULT_MAX:]}")
            print(why, file=sys.stderr, flush=True)
        finally:
            os._exit(code)


def main() -> None:
    prctl(PR_SET_NAME, b"moot-keeper")
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what falls out of a killed warden's hands falls here
    prctl(PR_SET_DUMPABLE, 0)  # what one run was given is not to be read here by another, where both are one user
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)  # whatever the worker did with them
    signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler, or no bell would ring; exec takes it away
    signal.pthread_sigmask(signal.SIG_SETMASK, UNHEARD)
    gc.disable()
    gc.freeze()  # so that a fork need not copy what it only looks at
    Server(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
